//! Tables for people.

use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width,
};

use xai_files::visible::visible;
use xai_report::text::DASH as UNDEFINED;

/// A table: a header row and rows of text, numbers to the right. On a terminal of fewer columns its
/// texts are wrapped; where even that does not fit, a row is a paragraph with a line per cell.
pub(super) fn within<R, C>(
    width: Option<u16>,
    header: &[&str],
    rows: impl IntoIterator<Item = R>,
) -> String
where
    R: IntoIterator<Item = C>,
    C: std::fmt::Display,
{
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
    let header: Vec<String> = header
        .iter()
        .map(|name| shortened(visible(name).into_owned()))
        .collect();
    table.set_header(&header);
    for row in rows {
        let cells = row.into_iter().map(|cell| {
            let cell = visible(&cell.to_string()).into_owned();
            match width {
                Some(_) => shortened(cell),
                None => cell,
            }
        });
        table.add_row(cells.collect::<Vec<_>>());
    }
    let columns = 0..header.len();
    let longest: usize = columns.clone().map(|column| longest(&table, column)).sum();
    if longest > MOST_COLUMNS {
        return paragraphs(&header, &table);
    }
    let least: usize = columns.map(|column| align(&mut table, column)).sum();
    match width {
        Some(width) if least > usize::from(width) => return paragraphs(&header, &table),
        Some(width) => {
            table.set_content_arrangement(ContentArrangement::Dynamic);
            table.set_width(width);
        }
        None => {}
    }
    table.trim_fmt()
}

/// Characters of a row that is drawn as one: the table counts them in 16 bits.
const MOST_COLUMNS: usize = 30_000;

/// The length of the longest cell of a column.
fn longest(table: &Table, index: usize) -> usize {
    let cells = table.column_cells_iter(index).flatten();
    let header = table.header().and_then(|row| row.cell_iter().nth(index));
    let lengths = cells.chain(header).map(|cell| length(&cell.content()));
    lengths.max().unwrap_or_default()
}

/// Characters of a cell that a terminal shows. Wrapping a word takes time that grows with the square of its length.
const MOST_SHOWN: usize = 1000;

/// A cell of at most [`MOST_SHOWN`] characters, and how many it had.
fn shortened(cell: String) -> String {
    match cell.char_indices().nth(MOST_SHOWN) {
        None => cell,
        Some((end, _)) => {
            let n = cell.chars().count();
            format!("{}… ({n} characters)", &cell[..end])
        }
    }
}

/// A paragraph for each row: the name of each column and its cell.
fn paragraphs(header: &[String], table: &Table) -> String {
    let width = header.iter().map(|name| length(name)).max();
    let width = width.unwrap_or_default();
    let of_row = |row: &comfy_table::Row| {
        let cells = header.iter().zip(row.cell_iter());
        // Padded by hand: `format!` panics on widths above 65,535.
        let lines = cells.map(|(name, cell)| {
            let fill = " ".repeat(width - length(name));
            format!(" {name}{fill}   {}", cell.content())
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let paragraphs: Vec<String> = table.row_iter().map(of_row).collect();
    paragraphs.join("\n\n")
}

/// Numbers end at one place. Neither they nor the names of rows are ever broken, nor words of a header,
/// nor short ones of a text. Gives the width that this needs.
fn align(table: &mut Table, index: usize) -> usize {
    let header = table.header().and_then(|row| row.cell_iter().nth(index));
    let header = header.map_or_else(String::new, Cell::content);
    let cells = table.column_cells_iter(index);
    let cells: Vec<String> = cells
        .map(|cell| cell.map_or_else(String::new, Cell::content))
        .collect();
    let is_of_numbers =
        cells.iter().all(|cell| is_number(cell)) && cells.iter().any(|cell| cell != UNDEFINED);
    let words = cells.iter().flat_map(|cell| cell.split_whitespace());
    let longest = match is_of_numbers {
        true => cells.iter().map(|cell| length(cell)).max(),
        false if index == 0 => cells
            .iter()
            .map(|cell| length(cell).min(LONGEST_NAME))
            .max(),
        false => words.map(|word| length(word).min(LONGEST_WORD)).max(),
    };
    let of_header = header.split_whitespace().map(length);
    let least = of_header.chain(longest).max().unwrap_or_default();
    let Some(column) = table.column_mut(index) else {
        return least;
    };
    let least = least + usize::from(column.padding_width());
    let fixed = Width::Fixed(u16::try_from(least).unwrap_or(u16::MAX));
    column.set_constraint(ColumnConstraint::LowerBoundary(fixed));
    if is_of_numbers {
        column.set_cell_alignment(CellAlignment::Right);
    }
    least
}

/// Longer names of rows may be broken where a terminal is narrow.
const LONGEST_NAME: usize = 40;
/// Longer words of a text may be.
const LONGEST_WORD: usize = 16;

fn length(text: &str) -> usize {
    console::measure_text_width(text)
}

/// Whether a cell is a number, an interval, or what stands for one that is undefined.
fn is_number(cell: &str) -> bool {
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    let interval = cell.strip_prefix('[');
    let interval = interval.and_then(|rest| rest.strip_suffix(']'));
    match interval.and_then(|ends| ends.split_once(", ")) {
        Some((low, high)) => is_number(low) && is_number(high),
        None => cell == UNDEFINED || cell.is_empty() || is_number(cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: [&str; 3] = ["metric", "mean correspondence", "95 % interval"];
    const ROWS: [[&str; 3]; 2] = [
        ["a-long-name of-two", "-0.5000", "[-0.1000, 0.2000]"],
        ["b", "–", "–"],
    ];

    #[test]
    fn numbers_end_at_one_place() {
        let table = within(None, &HEADER, ROWS);
        let expected = " metric               mean correspondence       95 % interval
──────────────────────────────────────────────────────────────
 a-long-name of-two               -0.5000   [-0.1000, 0.2000]
 b                                      –                   –";
        assert_eq!(table, expected);
    }

    #[test]
    fn a_narrow_terminal_breaks_no_number_no_name_and_no_word_of_a_header() {
        let table = within(Some(60), &HEADER, ROWS);
        let expected = " metric                         mean       95 % interval
                      correspondence
─────────────────────────────────────────────────────────
 a-long-name of-two          -0.5000   [-0.1000, 0.2000]
 b                                 –                   –";
        assert_eq!(table, expected);
    }

    #[test]
    fn a_terminal_too_narrow_for_a_table_gets_a_paragraph_per_row() {
        let table = within(Some(40), &HEADER, ROWS);
        let expected = " metric                a-long-name of-two
 mean correspondence   -0.5000
 95 % interval         [-0.1000, 0.2000]

 metric                b
 mean correspondence   –
 95 % interval         –";
        assert_eq!(table, expected);
    }
}

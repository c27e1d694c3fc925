//! Text tables for people.

use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width,
};

use xai_files::visible::visible;
use xai_report::text::DASH as UNDEFINED;

/// Formats a table with columns of numbers aligned to the right. If it is wider than `width`, its texts are wrapped;
/// if that is not enough, each row becomes a paragraph with a line per cell. Without a width nothing is wrapped.
/// Tables wider than [`MAX_TABLE_WIDTH`] always become paragraphs.
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
            let text = visible(&cell.to_string()).into_owned();
            match width {
                Some(_) => shortened(text),
                None => text,
            }
        });
        table.add_row(cells.collect::<Vec<_>>());
    }
    let columns = 0..header.len();
    let full_width: usize = columns.clone().map(|column| longest(&table, column)).sum();
    if full_width > MAX_TABLE_WIDTH {
        return paragraphs(&header, &table);
    }
    let least_width: usize = columns.map(|column| align(&mut table, column)).sum();
    match width {
        Some(width) if least_width > usize::from(width) => return paragraphs(&header, &table),
        Some(width) => {
            table.set_content_arrangement(ContentArrangement::Dynamic);
            table.set_width(width);
        }
        None => {}
    }
    table.trim_fmt()
}

/// Largest width of a table in characters: `comfy_table` counts them in 16 bits.
const MAX_TABLE_WIDTH: usize = 30_000;

/// Returns the width of the longest cell of a column, including its header.
fn longest(table: &Table, index: usize) -> usize {
    let cells = table.column_cells_iter(index).flatten();
    let header = table.header().and_then(|row| row.cell_iter().nth(index));
    let widths = cells.chain(header).map(|cell| text_width(&cell.content()));
    widths.max().unwrap_or_default()
}

/// Most characters of a header, and of a cell on a terminal. The time for wrapping a word grows with the square of its
/// length.
const MAX_CELL_CHARS: usize = 1000;

/// Cuts a cell after [`MAX_CELL_CHARS`] characters and adds its full length.
fn shortened(cell: String) -> String {
    match cell.char_indices().nth(MAX_CELL_CHARS) {
        None => cell,
        Some((end, _)) => {
            let n = cell.chars().count();
            format!("{}… ({n} characters)", &cell[..end])
        }
    }
}

/// Formats each row as a paragraph with the name and the cell of each column.
fn paragraphs(header: &[String], table: &Table) -> String {
    let name_widths = header.iter().map(|name| text_width(name));
    let width = name_widths.max().unwrap_or_default();
    let paragraph = |row: &comfy_table::Row| {
        let cells = header.iter().zip(row.cell_iter());
        // Padded by hand: `format!` panics on widths above 65,535.
        let lines = cells.map(|(name, cell)| {
            let fill = " ".repeat(width - text_width(name));
            format!(" {name}{fill}   {}", cell.content())
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let paragraphs: Vec<String> = table.row_iter().map(paragraph).collect();
    paragraphs.join("\n\n")
}

/// Sets the alignment and the least width of a column, and returns this width. The width keeps numbers, the names of
/// rows (first column), words of the header and short words of texts in one piece.
fn align(table: &mut Table, index: usize) -> usize {
    let header_cell = table.header().and_then(|row| row.cell_iter().nth(index));
    let header = header_cell.map_or_else(String::new, Cell::content);
    let cells: Vec<String> = table
        .column_cells_iter(index)
        .map(|cell| cell.map_or_else(String::new, Cell::content))
        .collect();
    let is_numeric =
        cells.iter().all(|cell| is_number(cell)) && cells.iter().any(|cell| cell != UNDEFINED);
    let cell_widths = cells.iter().map(|cell| text_width(cell));
    let content_width = if is_numeric {
        cell_widths.max()
    } else if index == 0 {
        cell_widths.map(|width| width.min(LONGEST_NAME)).max()
    } else {
        let words = cells.iter().flat_map(|cell| cell.split_whitespace());
        words.map(|word| text_width(word).min(LONGEST_WORD)).max()
    };
    let header_words = header.split_whitespace().map(text_width);
    let width = header_words.chain(content_width).max().unwrap_or_default();
    let Some(column) = table.column_mut(index) else {
        return width;
    };
    let least_width = width + usize::from(column.padding_width());
    let boundary = Width::Fixed(u16::try_from(least_width).unwrap_or(u16::MAX));
    column.set_constraint(ColumnConstraint::LowerBoundary(boundary));
    if is_numeric {
        column.set_cell_alignment(CellAlignment::Right);
    }
    least_width
}

/// Width up to which names of rows are not broken.
const LONGEST_NAME: usize = 40;
/// Width up to which words of a text are not broken.
const LONGEST_WORD: usize = 16;

fn text_width(text: &str) -> usize {
    console::measure_text_width(text)
}

/// Returns `true` for a number, an interval, an empty cell and the dash of an undefined value.
fn is_number(cell: &str) -> bool {
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    let interval = cell
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
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
    fn numbers_are_aligned_to_the_right() {
        let table = within(None, &HEADER, ROWS);
        let expected = " metric               mean correspondence       95 % interval
──────────────────────────────────────────────────────────────
 a-long-name of-two               -0.5000   [-0.1000, 0.2000]
 b                                      –                   –";
        assert_eq!(table, expected);
    }

    #[test]
    fn a_narrow_terminal_breaks_no_number_name_or_header_word() {
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

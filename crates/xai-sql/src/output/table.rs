//! Rows as a text table.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::Schema;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use xai_files::visible::visible;

/// Text for NULL.
const MISSING: &str = "–";

/// Formats rows as a table. Numbers are right-aligned and have all digits, so that reading one back gives the same
/// bits.
pub(super) fn table(schema: &Schema, batches: &[RecordBatch]) -> Result<String, ArrowError> {
    let names = schema
        .fields()
        .iter()
        .map(|field| visible(field.name()).into_owned());
    let mut lines: Vec<Vec<String>> = vec![names.collect()];
    // In the result of EXPLAIN, a cell has several lines.
    let is_plan = lines[0] == ["plan_type", "plan"];
    let options = FormatOptions::default().with_null(MISSING);
    for batch in batches {
        let columns = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column, &options))
            .collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            let cells = columns
                .iter()
                .map(|column| column.value(row).try_to_string())
                .collect::<Result<Vec<_>, _>>()?;
            if !is_plan {
                lines.push(cells.iter().map(|cell| visible(cell).into()).collect());
                continue;
            }
            let n_lines = cells.iter().map(|cell| cell.lines().count()).max();
            for at in 0..n_lines.unwrap_or_default() {
                let line = |cell: &String| visible(cell.lines().nth(at).unwrap_or_default()).into();
                lines.push(cells.iter().map(line).collect());
            }
        }
    }
    let n_columns = schema.fields().len();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> = (0..n_columns)
        .map(|column| width(column).unwrap_or(0))
        .collect();
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        let cells: Vec<String> = line
            .iter()
            .zip(&widths)
            .zip(schema.fields())
            .map(|((cell, &width), field)| {
                if field.data_type().is_numeric() {
                    format!("{cell:>width$}")
                } else {
                    format!("{cell:<width$}")
                }
            })
            .collect();
        text.push_str(&format!(" {}", cells.join("   ").trim_end()));
        text.push('\n');
        if index == 0 {
            let whole = widths.iter().sum::<usize>() + 3 * n_columns.saturating_sub(1) + 2;
            text.push_str(&"─".repeat(whole));
            text.push('\n');
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{Array, Float64Array, StringArray};

    use super::*;

    #[test]
    fn numbers_end_at_one_place_and_have_all_digits() {
        let names: Arc<dyn Array> = Arc::new(StringArray::from(vec![Some("a\u{1b}"), None]));
        let values: Arc<dyn Array> = Arc::new(Float64Array::from(vec![0.1 + 0.2, 2.0]));
        let batch = RecordBatch::try_from_iter_with_nullable([
            ("explainer", names, true),
            ("drop", values, true),
        ]);
        let batch = batch.expect("a batch");
        let text = table(&batch.schema(), &[batch]).expect("a table");
        let expected = " explainer                  drop
─────────────────────────────────
 a\\u{1b}     0.30000000000000004
 –                           2.0
";
        assert_eq!(text, expected);
    }
}

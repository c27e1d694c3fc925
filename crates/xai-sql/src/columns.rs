//! `xai-sql tables`.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use xai_files::Failure;
use xai_files::visible::visible;

use crate::output;
use crate::session::{Limits, embedded};
use crate::tables::{self, ReadOptions};

/// Lists the columns of tables and their types.
///
/// Types of CSV and JSON columns are inferred from the first rows. Folders named column=value are columns, too.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  xai-sql tables scores.parquet
  xai-sql tables runs/train runs/test --json")]
pub(crate) struct Arguments {
    /// Files or folders of files.
    #[arg(value_name = "TABLE", required = true)]
    tables: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadOptions,
    /// Print a list of objects instead of text.
    #[arg(long)]
    json: bool,
}

/// Lists the columns.
pub(crate) async fn run(arguments: Arguments) -> Result<(), Failure> {
    let session = embedded(&Limits::default())?;
    let (mut text, mut objects) = (String::new(), Vec::new());
    for path in &arguments.tables {
        let (frame, table) = tables::read(&session, path, arguments.reading).await?;
        let (path, n_files) = (path.display().to_string(), table.n_files());
        let fields = frame.schema().fields();
        let files = if n_files == 1 { "file" } else { "files" };
        text += &format!("{} ({n_files} {files})\n", visible(&path));
        let names: Vec<_> = fields.iter().map(|field| visible(field.name())).collect();
        let width = names
            .iter()
            .map(|name| name.chars().count())
            .max()
            .unwrap_or_default();
        for (name, field) in names.iter().zip(fields) {
            text += &format!("    {name:<width$}   {}\n", field.data_type());
        }
        let column = |field: &datafusion::arrow::datatypes::FieldRef| json!({ "name": field.name(), "type": field.data_type().to_string() });
        let columns: Vec<Value> = fields.iter().map(column).collect();
        objects.push(json!({ "table": path, "files": n_files, "columns": columns }));
    }
    if arguments.json {
        text = format!("{}\n", Value::from(objects));
    }
    output::print(text.as_bytes())
}

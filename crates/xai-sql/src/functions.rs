//! `xai-sql functions`.

use std::sync::Arc;

use clap::Args;
use datafusion::arrow::datatypes::DataType;
use datafusion::error::Result as Planned;
use datafusion::logical_expr::Documentation;
use serde_json::{Value, json};
use xai_datafusion::Stages;
use xai_files::Failure;
use xai_files::failure::nearest;

use crate::failure::query_failure;
use crate::output;
use crate::predict;

/// Lists the functions for queries; for one function also its arguments and an example.
///
/// Queries can also use all functions of the engine, such as avg and count.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  xai-sql functions
  xai-sql functions average_drop
  xai-sql functions --json")]
pub(crate) struct Arguments {
    /// Name of a function [default: all functions].
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print a list of objects instead of text.
    #[arg(long)]
    json: bool,
}

/// The documentation of a function.
struct Function {
    name: String,
    kind: &'static str,
    result: DataType,
    documentation: Documentation,
}

/// Lists the functions.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut functions = all().map_err(|error| query_failure(&error))?;
    if let Some(name) = &arguments.name {
        let names: Vec<&str> = functions.iter().map(|it| it.name.as_str()).collect();
        let Some(at) = names.iter().position(|it| it == name) else {
            let failure = Failure::usage(format_args!("no function {name}"));
            return Err(failure.help(nearest(name, &names)));
        };
        functions = vec![functions.swap_remove(at)];
    }
    let text = match (arguments.json, &arguments.name) {
        (true, _) => {
            let objects: Vec<Value> = functions.iter().map(Function::as_object).collect();
            format!("{}\n", Value::from(objects))
        }
        (false, Some(_)) => functions.iter().map(Function::as_page).collect(),
        (false, None) => functions.iter().map(Function::as_entry).collect(),
    };
    output::print(text.as_bytes())
}

fn all() -> Planned<Vec<Function>> {
    let documented = |name: &str, kind, result: Planned<DataType>, of: Option<&Documentation>| {
        let (name, documentation) = (name.to_owned(), of?.clone());
        Some(result.map(|result| Function {
            name,
            kind,
            result,
            documentation,
        }))
    };
    let aggregates = xai_datafusion::aggregates(Stages::default());
    let of_aggregates = aggregates.iter().filter_map(|it| {
        documented(
            it.name(),
            "aggregate",
            it.return_type(&[]),
            it.documentation(),
        )
    });
    let mut scalars = xai_datafusion::scalars();
    scalars.push(Arc::new(predict::function()));
    let of_scalars = scalars
        .iter()
        .filter_map(|it| documented(it.name(), "scalar", it.return_type(&[]), it.documentation()));
    of_aggregates.chain(of_scalars).collect()
}

impl Function {
    fn arguments(&self) -> impl Iterator<Item = &(String, String)> {
        self.documentation.arguments.iter().flatten()
    }

    fn example(&self) -> &str {
        self.documentation
            .sql_example
            .as_deref()
            .unwrap_or_default()
    }

    /// The call, and the first sentence of the description.
    fn as_entry(&self) -> String {
        let description = &self.documentation.description;
        let first = description.split_inclusive(". ").next().unwrap_or_default();
        format!(
            "{}\n    {}\n",
            self.documentation.syntax_example,
            first.trim_end()
        )
    }

    fn as_page(&self) -> String {
        let Self { kind, result, .. } = self;
        let mut page = format!(
            "{}\n    {}\n\narguments\n",
            self.documentation.syntax_example, self.documentation.description
        );
        for (name, description) in self.arguments() {
            page += &format!("    {name}: {description}\n");
        }
        page + &format!(
            "value\n    {result} ({kind} function)\nexample\n    {}\n",
            self.example()
        )
    }

    fn as_object(&self) -> Value {
        let argument = |(name, description): &(String, String)| json!({ "name": name, "description": description });
        json!({
            "name": self.name,
            "kind": self.kind,
            "usage": self.documentation.syntax_example,
            "description": self.documentation.description,
            "arguments": self.arguments().map(argument).collect::<Vec<_>>(),
            "value": self.result.to_string(),
            "example": self.example(),
        })
    }
}

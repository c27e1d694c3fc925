//! The roles of the columns of a table.

use std::path::Path;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::Column;
use datafusion::dataframe::DataFrame;
use datafusion::error::Result as Planned;
use datafusion::functions_nested::expr_fn::make_array;
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{Expr, Partitioning, cast, lit};
use datafusion::prelude::SessionContext;
use xai_files::Failure;
use xai_files::left_out::{self, LeftOut, Reason, is_index};
use xai_files::visible::visible;

use crate::failure::query_failure;

/// Default name of the column with the ids of rows.
pub(super) const ID: &str = "id";

/// The class column of a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Role<'a> {
    option: &'static str,
    column: &'a str,
    table_option: &'static str,
    table: &'a Path,
}

impl<'a> Role<'a> {
    pub(super) fn new(
        option: &'static str,
        column: &'a str,
        table_option: &'static str,
        table: &'a Path,
    ) -> Self {
        Self {
            option,
            column,
            table_option,
            table,
        }
    }
}

/// Feature columns: numbers, or one column of lists of numbers.
#[derive(Debug)]
pub(super) struct Features(Vec<String>);

impl Features {
    /// Uses the given columns.
    pub(super) fn named(names: Vec<String>) -> Self {
        Self(names)
    }

    /// Uses all numeric and Boolean columns of the training table that have no other role, except unnamed index
    /// columns. What is left out is reported on standard error.
    pub(super) fn others(
        train: &DataFrame,
        label: &Role<'_>,
        besides: [&str; 2],
    ) -> Result<Self, Failure> {
        let (mut features, mut left_out) = (Vec::new(), Vec::new());
        let mut leave_out = |column: &str, reason| {
            left_out.push(LeftOut {
                file: label.table.to_owned(),
                column: column.to_owned(),
                reason,
            });
        };
        for field in train.schema().fields() {
            let name = field.name().as_str();
            if name == label.column || besides.contains(&name) {
                continue;
            }
            if is_index(name) {
                leave_out(name, Reason::Unnamed);
            } else if is_feature(field.data_type()) {
                features.push(name.to_owned());
            } else {
                leave_out(name, Reason::NoNumbers);
            }
        }
        for remark in left_out::remarks(&left_out) {
            eprintln!("{}", visible(&remark));
        }
        if features.is_empty() {
            let failure = Failure::new("no features: there is no other column of numbers");
            let help = "name the columns with --features, as in --features age,income";
            return Err(failure.in_file(label.table).help(help));
        }
        Ok(Self(features))
    }
}

fn is_feature(of: &DataType) -> bool {
    of.is_numeric() || *of == DataType::Boolean
}

fn is_integer(of: &DataType) -> bool {
    of.is_integer() || *of == DataType::Boolean
}

fn is_list(of: &DataType) -> bool {
    matches!(
        of,
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..)
    )
}

/// Selects the columns id, class and features, in this order. Without `--id` and a column `id`, rows are numbered from
/// 0.
pub(super) fn select(
    session: &SessionContext,
    frame: DataFrame,
    class: &Role<'_>,
    id: Option<&str>,
    features: &Features,
) -> Result<DataFrame, Failure> {
    let of = type_of(&frame, class.option, class.column, class)?;
    if !is_integer(&of) {
        let what = format!(
            "the column `{}` is {of}, no integer or Boolean",
            class.column
        );
        let failure = Failure::new(what).in_file(class.table);
        return Err(failure.help("classes are integers: number them, the same in both tables"));
    }
    let has_id = frame
        .schema()
        .fields()
        .iter()
        .any(|field| field.name() == ID);
    let id = id.or(has_id.then_some(ID));
    if let Some(id) = id {
        let of = type_of(&frame, "--id", id, class)?;
        if !is_integer(&of) {
            let what = format!("the column `{id}` is {of}, no integer");
            let failure = Failure::new(what).in_file(class.table);
            return Err(failure.help("name a column of integers with --id"));
        }
    }
    let features = match &features.0[..] {
        [only] if is_list(&type_of(&frame, "--features", only, class)?) => column(only),
        numbers => {
            for name in numbers {
                let of = type_of(&frame, "--features", name, class)?;
                if !is_feature(&of) {
                    let what = format!("--features: the column `{name}` is {of}, no number");
                    return Err(Failure::new(what).in_file(class.table));
                }
            }
            let numbers = numbers.iter();
            make_array(
                numbers
                    .map(|name| cast(column(name), DataType::Float64))
                    .collect(),
            )
        }
    };
    let columns = |id: Expr| {
        vec![
            id.alias("id"),
            column(class.column).alias(class.column),
            features.alias("features"),
        ]
    };
    let selected = match id {
        Some(id) => frame.select(columns(column(id))),
        None => numbered(session, frame, columns),
    };
    selected.map_err(|error| query_failure(&error).as_bad_data().in_file(class.table))
}

fn column(name: &str) -> Expr {
    Expr::Column(Column::from_name(name))
}

/// Numbers the rows from 0. They have an order only within one partition, so the frame is read in one and divided
/// again afterwards.
fn numbered(
    session: &SessionContext,
    frame: DataFrame,
    columns: impl FnOnce(Expr) -> Vec<Expr>,
) -> Planned<DataFrame> {
    let n_parts = session.copied_config().target_partitions();
    let mut config = session.copied_config();
    config = config.with_target_partitions(1);
    let mut state = session.state();
    *state.config_mut() = config;
    let in_order = DataFrame::new(state, frame.into_unoptimized_plan());
    let number = cast(row_number(), DataType::Int64) - lit(1_i64);
    in_order
        .select(columns(number))?
        .repartition(Partitioning::RoundRobinBatch(n_parts))
}

fn type_of(
    frame: &DataFrame,
    option: &str,
    name: &str,
    class: &Role<'_>,
) -> Result<DataType, Failure> {
    let fields = frame.schema().fields();
    let Some(field) = fields.iter().find(|field| field.name() == name) else {
        let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
        let failure = Failure::no_column(name, &names).in_file(class.table);
        return Err(failure.and_help(format_args!(
            "name a column of {} with {option}",
            class.table_option
        )));
    };
    Ok(field.data_type().clone())
}

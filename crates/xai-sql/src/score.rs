//! `xai-sql score`.

use std::path::{Path, PathBuf};

use clap::Args;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::plan_datafusion_err;
use datafusion::dataframe::DataFrame;
use datafusion::error::DataFusionError;
use datafusion::execution::FunctionRegistry;
use datafusion::functions_nested::expr_fn::make_array;
use datafusion::logical_expr::{Expr, cast, ident};
use datafusion::prelude::{SessionContext, lit};
use xai_core::Activation;
use xai_core::describe::Parameter;
use xai_files::{Failure, InFile};

use crate::answer;
use crate::failure::query_failure;
use crate::output::{OutFile, Output};
use crate::session::{Limits, embedded};
use crate::tables::{self, ReadOptions};

/// Runs a model on the rows of a table, and on what attributions keep of them, and writes the scores for queries.
///
/// The output has all columns except inputs and explanations, and these: outputs, the list of the model's outputs;
/// predicted, the class with the largest output; base, the output for the class of --targets or for the predicted
/// class. With --explanations also masked, the output for that class after the inputs were multiplied by the mask of
/// their attributions: average_drop(base, masked) then is the value of `xai attribution average-drop`. Rows are read,
/// scored and written in batches. A row in which an input is NULL has no score.
///
/// The model is an ONNX file that the built-in engine of `xai` can run.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  xai-sql score --model model.onnx --data runs --inputs age,income --out scores.parquet
  xai-sql score --model model.onnx --data runs --inputs x --explanations lime --targets label --out scores.parquet")]
pub(crate) struct Arguments {
    /// The ONNX file of the model.
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// Output of the model with the scores [default: the only one with floating-point numbers].
    #[arg(long, value_name = "NAME")]
    model_output: Option<String>,
    #[arg(long, value_name = "ACTIVATION", default_value_t, help = <Activation as Parameter>::KIND.to_string())]
    activation: Activation,
    /// Table with the rows.
    #[arg(long, value_name = "TABLE")]
    data: PathBuf,
    /// File to write: .parquet, .json (an object on each line) or .arrow.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Input columns in the order of the model, separated by commas, or one column of lists.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', required = true)]
    inputs: Vec<String>,
    /// Attribution columns in the same order, or one column of lists.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    explanations: Option<Vec<String>>,
    /// Column with the class whose score is used, an integer from 0 [default: the predicted class].
    #[arg(long, value_name = "COLUMN")]
    targets: Option<String>,
    /// Number of partitions that the table is read in at the same time [default: number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    partitions: Option<u32>,
    #[command(flatten)]
    reading: ReadOptions,
}

const OUTPUTS: &str = "outputs";
const PREDICTED: &str = "predicted";
const BASE: &str = "base";
const MASKED: &str = "masked";
/// Internal columns, which are not written: the outputs for masked inputs, and the classes of `--targets`.
const MASKED_OUTPUTS: &str = "masked outputs";
const TARGETS: &str = "targets of the scores";

/// Scores all rows.
pub(crate) async fn run(arguments: Arguments) -> Result<(), Failure> {
    let out = OutFile::for_lists(&arguments.out)?;
    let limits = Limits {
        partitions: arguments.partitions.map(|partitions| partitions as usize),
        ..Limits::default()
    };
    let session = embedded(&limits)?;
    let model = arguments
        .model
        .canonicalize()
        .map_err(Failure::cannot_be_opened)
        .in_file(&arguments.model)?;
    let reading = arguments.reading;
    let (rows, table) = tables::read(&session, &arguments.data, reading).await?;
    table.check_output(&arguments.out)?;
    let scored = scored(&session, rows, &arguments, &model)?;
    let output = Output::File(out);
    answer::write(&session, scored.logical_plan(), &table, &output, None).await
}

/// Adds the scores to the rows.
fn scored(
    session: &SessionContext,
    rows: DataFrame,
    arguments: &Arguments,
    model: &Path,
) -> Result<DataFrame, Failure> {
    let names = column_names(&rows);
    let explanations = arguments.explanations.as_deref().unwrap_or_default();
    let of_model: Vec<&String> = arguments.inputs.iter().chain(explanations).collect();
    let needed = of_model.iter().copied().chain(&arguments.targets);
    for column in needed {
        if !names.contains(column) {
            return Err(Failure::no_column(column, &names).in_file(&arguments.data));
        }
    }
    let others: Vec<&String> = names
        .iter()
        .filter(|name| !of_model.contains(name))
        .collect();
    let mut made = vec![OUTPUTS, PREDICTED, BASE];
    made.extend(arguments.explanations.is_some().then_some(MASKED));
    if let Some(taken) = others.iter().find(|name| made.contains(&name.as_str())) {
        let what = format_args!("its column `{taken}` has the name of one that is written");
        let failure = Failure::new(what).in_file(&arguments.data);
        return Err(failure.help("rename the column, or leave it out"));
    }
    let others: Vec<Expr> = others.into_iter().map(ident).collect();
    let scored = with_scores(session, rows, arguments, model, others);
    scored.map_err(|error| query_failure(&error))
}

fn column_names(rows: &DataFrame) -> Vec<String> {
    let fields = rows.schema().fields().iter();
    fields.map(|field| field.name().clone()).collect()
}

fn with_scores(
    session: &SessionContext,
    rows: DataFrame,
    arguments: &Arguments,
    model: &Path,
    others: Vec<Expr>,
) -> Result<DataFrame, DataFusionError> {
    let function = |name: &str| session.udf(name);
    let predict = |inputs: Expr| -> Result<Expr, DataFusionError> {
        let path = model
            .to_str()
            .ok_or_else(|| plan_datafusion_err!("a path in Unicode is needed"))?;
        let activation = lit(arguments.activation.to_string());
        let output = arguments.model_output.iter().map(lit);
        let given = [lit(path), inputs, activation].into_iter().chain(output);
        Ok(function("predict")?.call(given.collect()))
    };
    let inputs = as_list(&rows, &arguments.inputs)?;
    let mut with_outputs = others.clone();
    with_outputs.push(predict(inputs.clone())?.alias(OUTPUTS));
    if let Some(columns) = &arguments.explanations {
        let masked = vec![inputs, as_list(&rows, columns)?];
        let masked = function("mask_inputs")?.call(masked);
        with_outputs.push(predict(masked)?.alias(MASKED_OUTPUTS));
    }
    let mut with_class = others.clone();
    if let Some(targets) = &arguments.targets {
        with_outputs.push(ident(targets).alias(TARGETS));
        with_class.push(ident(TARGETS));
    }
    with_class.push(ident(OUTPUTS));
    let predicted = function("predicted_class")?.call(vec![ident(OUTPUTS)]);
    with_class.push(predicted.alias(PREDICTED));
    let mut with_scores: Vec<Expr> = others;
    with_scores.extend([ident(OUTPUTS), ident(PREDICTED)]);
    let class = match arguments.targets {
        Some(_) => ident(TARGETS),
        None => ident(PREDICTED),
    };
    let score = |outputs: &str| -> Result<Expr, DataFusionError> {
        Ok(function("class_score")?.call(vec![ident(outputs), class.clone()]))
    };
    with_scores.push(score(OUTPUTS)?.alias(BASE));
    if arguments.explanations.is_some() {
        with_class.push(ident(MASKED_OUTPUTS));
        with_scores.push(score(MASKED_OUTPUTS)?.alias(MASKED));
    }
    // Three projections, so that the model is called only once for all columns that depend on its outputs.
    rows.select(with_outputs)?
        .select(with_class)?
        .select(with_scores)
}

/// Combines columns into a list. A single column of lists stays as it is.
fn as_list(rows: &DataFrame, columns: &[String]) -> Result<Expr, DataFusionError> {
    if let [column] = columns
        && rows
            .schema()
            .field_with_unqualified_name(column)?
            .data_type()
            .is_nested()
    {
        return Ok(ident(column));
    }
    let number = |name: &String| cast(ident(name), DataType::Float64);
    Ok(make_array(columns.iter().map(number).collect()))
}

//! `xai-sql explain`.

mod columns;

use std::path::PathBuf;

use clap::Args;
use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::Float64Type;
use datafusion::error::DataFusionError;
use xai_core::describe::Parameter;
use xai_core::{Distance, ExactMean, Kernel};
use xai_datafusion::{ExplainCases, ExplainedCases};
use xai_files::Failure;

use crate::output::{self, OutFile, RowsFile};
use crate::session::{Limits, embedded};
use crate::tables::{self, ReadOptions};
use columns::{Features, ID, Role};

/// Explains predictions by their nearest training cases, and writes a row for each sample.
///
/// A table is a Parquet (.parquet), CSV (.csv, .tsv), JSON lines (.json, .jsonl, .ndjson) or Arrow (.arrow) file, or a
/// folder of such files. Classes are integers or Booleans. The output has the columns id, predicted, correspondence
/// (in [0, 1]), level (high, medium, low or undefined), and nearest: the lists ids, labels and distances of the cases,
/// nearest first, equal distances by the lower id. Samples with missing values get no explanation, and training cases
/// with missing values are left out; both are counted.
///
/// The values are those of `xai casebased explain` to the last bit. The training table is not held in memory. It is
/// read about once per 65 536 samples, and twice more to standardise the features (`--scale`).
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  xai-sql explain --train train.parquet --test test.parquet --label class --predicted predicted --out explained.parquet
  xai-sql explain --train runs/train --test runs/test --id case --features age,income -k 10 --out explained.json")]
pub(crate) struct Arguments {
    /// Table of training cases.
    #[arg(long, value_name = "TABLE")]
    train: PathBuf,
    /// Table of samples with their predicted classes.
    #[arg(long, value_name = "TABLE")]
    test: PathBuf,
    /// Output file: .parquet, .json (an object per line) or .arrow.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Class column of the training table.
    #[arg(long, value_name = "COLUMN", default_value = "label")]
    label: String,
    /// Column of predicted classes in the table of samples.
    #[arg(long, value_name = "COLUMN", default_value = "predicted")]
    predicted: String,
    /// Column with an integer id of each row [default: `id` if there is such a column]. Without one, rows are numbered
    /// from 0 in the order of file names, which is slower because files are read one after the other.
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// Feature columns, separated by commas, or one column of lists [default: all other numeric and Boolean columns of
    /// the training table except the index that pandas writes].
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    features: Option<Vec<String>>,
    /// Number of neighbours per sample.
    #[arg(short, long, default_value_t = 5)]
    k: usize,
    /// Standardise features by the mean and standard deviation of the training cases.
    #[arg(long, value_name = "true|false", default_value_t = true, num_args = 0..=1, default_missing_value = "true", action = clap::ArgAction::Set)]
    scale: bool,
    #[arg(long, value_name = "DISTANCE", default_value_t, help = <Distance as Parameter>::KIND.to_string())]
    distance: Distance,
    #[arg(long, value_name = "KERNEL", default_value = Kernel::default().to_value().to_string(), help = <Kernel as Parameter>::KIND.to_string())]
    weighting: Kernel,
    /// Number of partitions that a table is read in at the same time [default: number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    partitions: Option<u32>,
    #[command(flatten)]
    reading: ReadOptions,
    /// Print the counts as an object instead of text.
    #[arg(long)]
    json: bool,
}

/// Explains all samples.
pub(crate) async fn run(arguments: Arguments) -> Result<(), Failure> {
    let out = OutFile::for_lists(&arguments.out)?;
    let k = arguments.k;
    if k == 0 {
        return Err(Failure::for_option("-k", "expected at least 1").with_value(k));
    }
    let limits = Limits {
        partitions: arguments.partitions.map(|partitions| partitions as usize),
        ..Limits::default()
    };
    let session = embedded(&limits)?;
    let reading = arguments.reading;
    let (train, of_train) = tables::read(&session, &arguments.train, reading).await?;
    let (test, of_test) = tables::read(&session, &arguments.test, reading).await?;
    of_train.check_output(&arguments.out)?;
    of_test.check_output(&arguments.out)?;
    let label = Role::new("--label", &arguments.label, "--train", &arguments.train);
    let predicted = Role::new(
        "--predicted",
        &arguments.predicted,
        "--test",
        &arguments.test,
    );
    let id = arguments.id.as_deref();
    let features = match arguments.features {
        Some(names) => Features::named(names),
        None => Features::others(&train, &label, [&arguments.predicted, id.unwrap_or(ID)])?,
    };
    let train = columns::select(&session, train, &label, id, &features)?;
    let test = columns::select(&session, test, &predicted, id, &features)?;

    let explain = ExplainCases {
        k,
        distance: arguments.distance,
        weighting: arguments.weighting,
        scale: arguments.scale,
    };
    let mut file = RowsFile::create(&out, explain.schema())?;
    let (mut mean, mut not_written) = (ExactMean::new(), None);
    let explained = explain.explain(&train, &test, |batch| {
        for score in scores(&batch) {
            mean.add(score);
        }
        file.write(&batch).map_err(|failure| {
            not_written = Some(failure);
            DataFusionError::Execution("not written".to_owned())
        })
    });
    let counts = match (explained.await, not_written) {
        (Ok(counts), _) => counts,
        (Err(_), Some(failure)) => return Err(failure),
        (Err(error), None) => {
            let plans = [train.logical_plan(), test.logical_plan()];
            return Err(of_train.and(of_test).failure(&error, &plans).await);
        }
    };
    file.finish()?;
    let text = if arguments.json {
        as_object(&counts, mean.value())
    } else {
        as_text(&counts, mean.value())
    };
    output::print(text.as_bytes())
}

/// Correspondences of a batch, without the undefined ones.
fn scores(batch: &RecordBatch) -> Vec<f64> {
    let column = batch
        .column_by_name("correspondence")
        .map(|column| column.as_primitive::<Float64Type>());
    column.into_iter().flatten().flatten().collect()
}

fn as_object(counts: &ExplainedCases, mean: Option<f64>) -> String {
    let object = serde_json::json!({
        "mean_correspondence": mean,
        "n_samples": counts.n_samples,
        "n_null_samples": counts.n_null_samples,
        "n_null_training": counts.n_null_training,
    });
    format!("{object}\n")
}

fn as_text(counts: &ExplainedCases, mean: Option<f64>) -> String {
    let mean = mean.map_or_else(|| "–".to_owned(), |mean| format!("{mean:?}"));
    format!(
        " mean correspondence           {mean}\n samples                       {}\n without an explanation        {}\n \
         training cases left out       {}\n",
        counts.n_samples, counts.n_null_samples, counts.n_null_training
    )
}

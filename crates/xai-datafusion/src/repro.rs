//! The metrics of all pairs of runs.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array, StructArray, UInt64Array};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, Field, Fields, Int64Type};
use datafusion::common::{Result, exec_err};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use xai_core::{Accumulator, Summary};
use xai_repro::metrics::PAIR_METRICS;
use xai_repro::pairwise::StreamedReproducibility;
use xai_repro::{Pairwise, PairwiseAccumulator};

use crate::aggregate::{Definition, Metric, Rows, StoredStates, bytes_state};
use crate::function::{Argument, Call, Kind, Lists, failed};

/// Samples of a group that are counted at a time.
const BLOCK: usize = 1024;

pub(crate) const PAIRWISE_REPRODUCIBILITY: Definition = Definition {
    name: "pairwise_reproducibility",
    description: "The agreement of several runs that predicted the same samples, one row a sample: its class, and the \
                  list of the classes that the runs predicted, in the same order in every row. A struct: n_runs, \
                  n_samples, n_null, mean_accuracy, n_always_wrong and n_ever_wrong, and of every metric of a pair of runs \
                  a struct of its mean, std (ddof 1), min, max and n_defined over the pairs.",
    example: "SELECT model, pairwise_reproducibility(label, predictions)['ec_local']['mean'] FROM runs GROUP BY model",
    arguments: &[
        Argument::new("label", Kind::Class),
        Argument::new("predictions", Kind::Classes),
        Argument::parameter::<Pairwise>("empty_union"),
    ],
    result: || DataType::Struct(fields()),
    state: bytes_state,
    groups: |call: &Call| {
        Ok(Box::new(StoredStates::new(PairwiseMetric {
            function: call.function,
            options: call.set(Pairwise::new())?,
        })))
    },
};

fn fields() -> Fields {
    let count = |name| Field::new(name, DataType::UInt64, true);
    let of_pairs = PAIR_METRICS
        .iter()
        .map(|metric| Field::new(metric.name(), DataType::Struct(summary_fields()), true));
    let counts = ["n_runs", "n_samples", "n_null"].map(count);
    let errors = [
        Field::new("mean_accuracy", DataType::Float64, true),
        count("n_always_wrong"),
        count("n_ever_wrong"),
    ];
    counts.into_iter().chain(errors).chain(of_pairs).collect()
}

fn summary_fields() -> Fields {
    let numbers =
        ["mean", "std", "min", "max"].map(|name| Field::new(name, DataType::Float64, true));
    let count = Field::new("n_defined", DataType::UInt64, true);
    numbers.into_iter().chain([count]).collect()
}

#[derive(Clone)]
struct PairwiseMetric {
    function: &'static str,
    options: Pairwise,
}

#[derive(Serialize, Deserialize)]
struct PairwiseState {
    counted: PairwiseAccumulator,
    n_null: u64,
    /// Samples that are not counted yet: their labels, and sample after sample the classes of all runs.
    labels: Vec<i64>,
    predictions: Vec<i64>,
}

impl PairwiseMetric {
    fn count_pending(&self, state: &mut PairwiseState) -> Result<()> {
        let n = state.labels.len();
        if n == 0 {
            return Ok(());
        }
        let n_runs = state.predictions.len() / n;
        let by_sample = ArrayView2::from_shape((n, n_runs), &state.predictions[..])
            .expect("every sample has as many predictions");
        // The counting reads run by run.
        let by_run: Array2<i64> = by_sample.t().as_standard_layout().into_owned();
        let counted = state.counted.update_labels(by_run.view(), &state.labels);
        counted.map_err(|error| failed(self.function, error))?;
        state.labels.clear();
        state.predictions.clear();
        Ok(())
    }
}

impl Metric for PairwiseMetric {
    type State = PairwiseState;

    fn empty(&self) -> PairwiseState {
        PairwiseState {
            counted: PairwiseAccumulator::new(&self.options)
                .expect("the options ask for all metrics"),
            n_null: 0,
            labels: Vec::new(),
            predictions: Vec::new(),
        }
    }

    fn update(&mut self, states: &mut [PairwiseState], rows: &Rows<'_>) -> Result<()> {
        let labels = rows.arguments[0].as_primitive::<Int64Type>().values();
        let predictions = Lists::new::<Int64Type>(&rows.arguments[1]);
        let counted = rows.counted(&[0, 1]);
        let mut done = Ok(());
        rows.for_each(counted.as_ref(), |row, group| {
            if done.is_err() {
                return;
            }
            let state = &mut states[group];
            let classes = predictions.row(row);
            let n_runs = match state.labels.len() {
                0 => state.counted.n_runs(),
                n => state.predictions.len() / n,
            };
            if n_runs > 0 && classes.len() != n_runs || classes.is_empty() {
                done = exec_err!(
                    "{}: predictions: a list has {} classes, another of its group {n_runs}; every run must predict \
                     every sample",
                    self.function,
                    classes.len()
                );
                return;
            }
            state.labels.push(labels[row]);
            state.predictions.extend_from_slice(classes);
            if state.labels.len() == BLOCK {
                done = self.count_pending(state);
            }
        });
        done?;
        rows.for_each_null(&[0, 1], |group| states[group].n_null += 1);
        Ok(())
    }

    fn settle(&self, state: &mut PairwiseState) -> Result<()> {
        self.count_pending(state)
    }

    fn merge(&self, state: &mut PairwiseState, other: PairwiseState) -> Result<()> {
        state.n_null += other.n_null;
        let merged = state.counted.merge(other.counted);
        merged.map_err(|error| failed(self.function, error))
    }

    fn values(&self, states: &[PairwiseState]) -> Result<ArrayRef> {
        let finish = |state: &PairwiseState| match state.counted.n_runs() {
            0 => Ok(None),
            _ => state.counted.finish().map(Some),
        };
        let results: Vec<Option<StreamedReproducibility>> = states
            .iter()
            .map(finish)
            .collect::<xai_core::Result<_>>()
            .map_err(|error| failed(self.function, error))?;
        let count = |count: fn(&StreamedReproducibility) -> u64| -> ArrayRef {
            let counts = results.iter().map(|result| result.as_ref().map(count));
            Arc::new(counts.collect::<UInt64Array>())
        };
        let accuracies = results.iter().map(|result| {
            let accuracy = &result.as_ref()?.accuracy;
            Summary::from_values(accuracy.iter().copied().map(Some))
                .ok()?
                .mean
        });
        let mut columns = vec![
            count(|result| result.n_runs() as u64),
            count(|result| result.n_samples),
            Arc::new(UInt64Array::from_iter_values(
                states.iter().map(|s| s.n_null),
            )),
            Arc::new(accuracies.collect::<Float64Array>()),
            count(|result| result.n_always_wrong),
            count(|result| result.n_ever_wrong),
        ];
        for &metric in PAIR_METRICS {
            let summaries = results
                .iter()
                .map(|r| r.as_ref().map(|r| r.summary(metric)));
            columns.push(summary_column(&summaries.collect::<Vec<_>>())?);
        }
        Ok(Arc::new(StructArray::try_new(fields(), columns, None)?))
    }

    fn allocated(&self, state: &PairwiseState) -> usize {
        let runs = state.counted.n_runs();
        // Counters of every pair, and cells of its table: an estimate, as the state does not tell.
        let of_pairs = runs * runs.saturating_sub(1) / 2 * 128;
        of_pairs + (state.labels.capacity() + state.predictions.capacity()) * size_of::<i64>()
    }
}

fn summary_column(summaries: &[Option<Summary>]) -> Result<ArrayRef> {
    let number = |value: fn(&Summary) -> Option<f64>| -> ArrayRef {
        let values = summaries.iter().map(|summary| value(summary.as_ref()?));
        Arc::new(values.collect::<Float64Array>())
    };
    let n_defined = summaries.iter().map(|s| Some(s.as_ref()?.n_defined as u64));
    let columns = vec![
        number(|summary| summary.mean),
        number(|summary| summary.std),
        number(|summary| summary.min),
        number(|summary| summary.max),
        Arc::new(n_defined.collect::<UInt64Array>()),
    ];
    let present: NullBuffer = summaries.iter().map(Option::is_some).collect();
    Ok(Arc::new(StructArray::try_new(
        summary_fields(),
        columns,
        Some(present),
    )?))
}

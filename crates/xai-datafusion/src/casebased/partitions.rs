//! Tables partition by partition.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::runtime::JoinSet;
use datafusion::common::{DataFusionError, Result, exec_err, plan_err};
use datafusion::dataframe::DataFrame;
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;

use crate::function::{Argument, Kind, Lists, coerced, list, present};

/// Name of the function in errors.
pub(crate) const NAME: &str = "explain_cases";

/// Rows of a table: an id, a class and features each.
pub(crate) struct FeatureRows {
    pub(crate) ids: ArrayRef,
    pub(crate) classes: ArrayRef,
    features: ArrayRef,
    /// Whether id, class and features of a row all have a value.
    pub(crate) is_whole: Vec<bool>,
}

impl FeatureRows {
    /// The first three columns of a batch, whose types are checked.
    pub(crate) fn new(batch: &RecordBatch) -> Result<Self> {
        let [ids, classes] = [0, 1].map(|at| cast(batch.column(at), &DataType::Int64));
        let (ids, classes) = (ids?, classes?);
        let features = cast(batch.column(2), &list(DataType::Float64))?;
        let nulls: Vec<_> = [&ids, &classes, &features]
            .into_iter()
            .filter_map(present)
            .collect();
        let is_whole = |row| nulls.iter().all(|nulls| nulls.is_valid(row));
        let is_whole = (0..batch.num_rows()).map(is_whole).collect();
        Ok(Self {
            ids,
            classes,
            features,
            is_whole,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.is_whole.len()
    }

    pub(crate) fn id(&self, row: usize) -> i64 {
        self.ids.as_primitive::<Int64Type>().value(row)
    }

    pub(crate) fn class(&self, row: usize) -> i64 {
        self.classes.as_primitive::<Int64Type>().value(row)
    }

    pub(crate) fn features(&self) -> Lists<'_, f64> {
        Lists::new::<Float64Type>(&self.features)
    }
}

/// Checks that a table has exactly three columns: an id, a class (named `class` in errors) and features.
///
/// # Errors
/// A planning error that names the column of a wrong type, or says how many columns there are.
pub(crate) fn check_columns(
    table: &'static str,
    frame: &DataFrame,
    class: &'static str,
) -> Result<()> {
    let fields = frame.schema().fields();
    if fields.len() != 3 {
        return plan_err!(
            "{table}: expected the columns id, {class} and features, got {}",
            fields.len()
        );
    }
    let columns = [
        Argument::new("id", Kind::Class),
        Argument::new(class, Kind::Class),
        Argument::new("features", Kind::Numbers),
    ];
    let types: Vec<DataType> = fields
        .iter()
        .map(|field| field.data_type().clone())
        .collect();
    coerced(table, &columns, &types).map(drop)
}

/// Folds every partition of a table into a state of its own, side by side; the states in the order of
/// the partitions.
pub(crate) async fn fold_partitions<S: Send + 'static>(
    frame: &DataFrame,
    empty: impl Fn() -> S,
    fold: impl Fn(&mut S, FeatureRows) -> Result<()> + Send + Sync + 'static,
) -> Result<Vec<S>> {
    let fold = Arc::new(fold);
    let partitions = frame.clone().execute_stream_partitioned().await?;
    let mut tasks = JoinSet::new();
    for (at, partition) in partitions.into_iter().enumerate() {
        let (mut state, fold) = (empty(), Arc::clone(&fold));
        tasks.spawn(async move {
            fold_stream(partition, &mut state, &*fold).await?;
            Ok::<_, DataFusionError>((at, state))
        });
    }
    let mut states = Vec::new();
    while let Some(done) = tasks.join_next().await {
        states.push(done.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??);
    }
    states.sort_by_key(|(at, _)| *at);
    Ok(states.into_iter().map(|(_, state)| state).collect())
}

async fn fold_stream<S>(
    mut partition: SendableRecordBatchStream,
    state: &mut S,
    fold: &(impl Fn(&mut S, FeatureRows) -> Result<()> + ?Sized),
) -> Result<()> {
    while let Some(batch) = partition.next().await {
        fold(state, FeatureRows::new(&batch?)?)?;
    }
    Ok(())
}

/// Rows of features must have one length.
pub(crate) fn different_lengths<T>(n: usize, others: usize) -> Result<T> {
    exec_err!("{NAME}: a row has {n} features, another {others}")
}

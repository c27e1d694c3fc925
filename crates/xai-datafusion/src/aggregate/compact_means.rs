//! Exact means of many groups.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BinaryBuilder, Float64Array, Int64Array, UInt64Array,
};
use datafusion::arrow::datatypes::{DataType, Int64Type, UInt64Type};
use datafusion::common::{DataFusionError, Result, exec_err};
use xai_core::sum::CompactSum;

use crate::aggregate::groups::{Groups, Rows, take_first};

/// The sum and the number of values of a group.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mean {
    pub(crate) sum: CompactSum,
    pub(crate) count: u64,
}

impl Mean {
    /// Returns the mean, as `xai_core::ExactMean::value` does.
    pub(crate) fn value(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum.mean(self.count))
    }
}

pub(crate) fn mean_state() -> Vec<(&'static str, DataType)> {
    vec![
        ("count", DataType::UInt64),
        ("sum_high", DataType::Int64),
        ("sum_low", DataType::UInt64),
        ("sum_rest", DataType::Binary),
    ]
}

/// A metric whose value follows from the mean, or the sum, of one number a row.
pub(crate) trait MeanMetric: Clone + Send + Sync + 'static {
    /// Calls `add` for every row that is counted, with its group and its number.
    fn each(&mut self, rows: &Rows<'_>, add: impl FnMut(usize, f64)) -> Result<()>;

    /// The value of a group; `None` for NULL.
    fn value(&self, mean: &Mean) -> Option<f64> {
        mean.value()
    }

    /// Returns whether rows can be removed again, for window frames that move on.
    fn can_retract(&self) -> bool {
        false
    }
}

/// The means of all groups: 32 bytes each, and a wider sum for those that need it.
pub(crate) struct MeanStates<M> {
    function: &'static str,
    metric: M,
    means: Vec<Mean>,
    /// Bytes that the sums had allocated at the last count.
    allocated: usize,
    rows_since_counted: usize,
}

impl<M: MeanMetric> MeanStates<M> {
    pub(crate) fn new(function: &'static str, metric: M) -> Self {
        Self {
            function,
            metric,
            means: Vec::new(),
            allocated: 0,
            rows_since_counted: 0,
        }
    }

    /// Counts anew what the sums have allocated once there were as many rows as groups, so that the
    /// count costs no more than the rows.
    fn count_allocated(&mut self, n_rows: usize) {
        self.rows_since_counted += n_rows;
        if self.rows_since_counted >= self.means.len() {
            self.rows_since_counted = 0;
            self.allocated = self.means.iter().map(|mean| mean.sum.allocated()).sum();
        }
    }
}

impl<M: MeanMetric> Groups for MeanStates<M> {
    fn update(&mut self, rows: &Rows<'_>) -> Result<()> {
        let means = &mut self.means[..];
        self.metric.each(rows, |group, value| {
            let mean = &mut means[group];
            mean.sum.add(value);
            mean.count += 1;
        })?;
        self.count_allocated(rows.groups.len());
        Ok(())
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let counts = states[0].as_primitive::<UInt64Type>().values();
        let high = states[1].as_primitive::<Int64Type>().values();
        let low = states[2].as_primitive::<UInt64Type>().values();
        let rests = states[3].as_binary::<i32>();
        for (row, &group) in groups.iter().enumerate() {
            let fixed = i128::from(high[row]) << 64 | i128::from(low[row]);
            let rest = if rests.is_valid(row) {
                Some(read(rests.value(row))?)
            } else {
                None
            };
            let mean = &mut self.means[group];
            mean.sum.add_sum(&CompactSum::from_parts(fixed, rest));
            mean.count += counts[row];
        }
        self.count_allocated(groups.len());
        Ok(())
    }

    fn grow(&mut self, n_groups: usize) {
        if n_groups > self.means.len() {
            self.means.resize_with(n_groups, Mean::default);
        }
    }

    fn n_groups(&self) -> usize {
        self.means.len()
    }

    fn evaluate(&mut self, n: usize) -> Result<ArrayRef> {
        let values = self.means[..n].iter().map(|mean| self.metric.value(mean));
        Ok(Arc::new(values.collect::<Float64Array>()))
    }

    fn state(&mut self, n: usize) -> Result<Vec<ArrayRef>> {
        let means = &self.means[..n];
        let counts = means.iter().map(|mean| mean.count);
        let mut rests = BinaryBuilder::new();
        let mut fixed = Vec::with_capacity(n);
        for mean in means {
            let (parts, rest) = mean.sum.parts();
            fixed.push(parts);
            match rest {
                Some(rest) => rests.append_value(stored(rest)?),
                None => rests.append_null(),
            }
        }
        let high = fixed.iter().map(|&fixed| (fixed >> 64) as i64);
        let low = fixed.iter().map(|&fixed| fixed as u64);
        Ok(vec![
            Arc::new(UInt64Array::from_iter_values(counts)),
            Arc::new(Int64Array::from_iter_values(high)),
            Arc::new(UInt64Array::from_iter_values(low)),
            Arc::new(rests.finish()),
        ])
    }

    fn remove_first(&mut self, n: usize) {
        take_first(&mut self.means, n);
        self.count_allocated(n);
    }

    fn size(&self) -> usize {
        self.means.capacity() * size_of::<Mean>() + self.allocated
    }

    fn fresh(&self) -> Box<dyn Groups> {
        Box::new(Self::new(self.function, self.metric.clone()))
    }

    fn can_retract(&self) -> bool {
        self.metric.can_retract()
    }

    /// Takes the numbers out again; exact, as the sums are.
    fn retract(&mut self, rows: &Rows<'_>) -> Result<()> {
        let means = &mut self.means[..];
        let mut is_finite = true;
        self.metric.each(rows, |group, value| {
            is_finite &= value.is_finite();
            let mean = &mut means[group];
            mean.sum.add(-value);
            mean.count -= 1;
        })?;
        if is_finite {
            Ok(())
        } else {
            exec_err!(
                "{}: a frame that moves on cannot leave an infinity or NaN behind; filter them out",
                self.function
            )
        }
    }
}

/// A state as bytes.
pub(crate) fn stored<T: serde::Serialize>(state: &T) -> Result<Vec<u8>> {
    postcard::to_stdvec(state).map_err(|error| DataFusionError::External(Box::new(error)))
}

/// A state from bytes.
pub(crate) fn read<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    postcard::from_bytes(bytes).map_err(|error| {
        let what = format!("a state of an aggregate function cannot be read: {error}");
        DataFusionError::Execution(what)
    })
}

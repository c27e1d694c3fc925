//! Exact means of many groups.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BinaryBuilder, Float64Array, Int64Array, UInt64Array,
};
use datafusion::arrow::datatypes::{DataType, Int64Type, UInt64Type};
use datafusion::common::{DataFusionError, Result};
use xai_core::sum::CompactSum;

use crate::aggregate::groups::take_first;

/// The sum and the number of values of a group.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mean {
    pub(crate) sum: CompactSum,
    pub(crate) count: u64,
}

impl Mean {
    /// As `xai_core::ExactMean::value`.
    pub(crate) fn value(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum.value() / self.count as f64)
    }
}

/// The means of all groups: 32 bytes each, and a wider sum for those that need it.
#[derive(Debug, Default)]
pub(crate) struct CompactMeans {
    means: Vec<Mean>,
    /// What the sums had allocated when it was last counted.
    allocated: usize,
    rows_since_counted: usize,
}

/// The columns of a state.
pub(crate) fn mean_state() -> Vec<(&'static str, DataType)> {
    vec![
        ("count", DataType::UInt64),
        ("sum_high", DataType::Int64),
        ("sum_low", DataType::UInt64),
        ("sum_rest", DataType::Binary),
    ]
}

impl CompactMeans {
    pub(crate) fn grow(&mut self, n_groups: usize) {
        if n_groups > self.means.len() {
            self.means.resize_with(n_groups, Mean::default);
        }
    }

    pub(crate) fn n_groups(&self) -> usize {
        self.means.len()
    }

    /// Adds one value to a group.
    #[inline]
    pub(crate) fn add(&mut self, group: usize, value: f64) {
        let mean = &mut self.means[group];
        mean.sum.add(value);
        mean.count += 1;
    }

    /// Adds a value to the group of each row.
    pub(crate) fn add_all(&mut self, groups: &[usize], values: &[f64]) {
        let means = &mut self.means[..];
        for (&group, &value) in groups.iter().zip(values) {
            let mean = &mut means[group];
            mean.sum.add(value);
            mean.count += 1;
        }
    }

    /// Takes a value out again; exact, as the sum is.
    pub(crate) fn take(&mut self, group: usize, value: f64) {
        let mean = &mut self.means[group];
        mean.sum.add(-value);
        mean.count -= 1;
    }

    pub(crate) fn first(&self, n: usize) -> &[Mean] {
        &self.means[..n]
    }

    /// The means of the first groups, NULL where there are no values.
    pub(crate) fn values(&self, n: usize) -> ArrayRef {
        let values: Float64Array = self.first(n).iter().map(Mean::value).collect();
        Arc::new(values)
    }

    pub(crate) fn state(&self, n: usize) -> Result<Vec<ArrayRef>> {
        let means = self.first(n);
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

    pub(crate) fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let counts = states[0].as_primitive::<UInt64Type>().values();
        let high = states[1].as_primitive::<Int64Type>().values();
        let low = states[2].as_primitive::<UInt64Type>().values();
        let rests = states[3].as_binary::<i32>();
        for (row, &group) in groups.iter().enumerate() {
            let fixed = i128::from(high[row]) << 64 | i128::from(low[row]);
            let rest = match rests.is_valid(row) {
                true => Some(read(rests.value(row))?),
                false => None,
            };
            let mean = &mut self.means[group];
            mean.sum.add_sum(&CompactSum::from_parts(fixed, rest));
            mean.count += counts[row];
        }
        self.count_allocated(groups.len());
        Ok(())
    }

    pub(crate) fn remove_first(&mut self, n: usize) {
        take_first(&mut self.means, n);
        self.count_allocated(n);
    }

    /// Counts anew what the sums have allocated once there were as many rows as groups, so that the
    /// count costs no more than the rows.
    pub(crate) fn count_allocated(&mut self, n_rows: usize) {
        self.rows_since_counted += n_rows;
        if self.rows_since_counted < self.means.len() {
            return;
        }
        self.rows_since_counted = 0;
        self.allocated = self.means.iter().map(|mean| mean.sum.allocated()).sum();
    }

    pub(crate) fn size(&self) -> usize {
        self.means.capacity() * size_of::<Mean>() + self.allocated
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

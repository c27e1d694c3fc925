//! The area under the ROC curve from counts in bins, in memory that does not grow.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, StructArray, UInt64Array};
use datafusion::arrow::datatypes::{DataType, Field, Fields};
use datafusion::common::Result;
use serde::{Deserialize, Serialize};
use xai_core::describe::Parameters;
use xai_graph::GroundTruthMetric;
use xai_graph::ground_truth::OrderedPairs;

use crate::aggregate::{Definition, Metric, Rows, StoredStates, bytes_state};
use crate::function::{Argument, Call, Kind};
use crate::graph::ground_truth::for_each_element;

/// Parameters of the bins.
#[derive(Debug, Clone, Parameters)]
struct Width {
    /// The number of bins.
    #[param(at_least = 1, at_most = 10_000_000)]
    bins: usize,
}

impl Default for Width {
    fn default() -> Self {
        Self { bins: 1024 }
    }
}

pub(crate) const BINNED_AUROC: Definition = Definition {
    name: "groundtruth_auroc_binned",
    description: "groundtruth_auroc from counts in bins of equal width: at most 16 bytes a bin and group, however many rows. A \
                  struct of auroc, error_bound, n and n_null. The exact area differs by at most error_bound, which is half \
                  the share of pairs of a true and a false element that are in one bin.",
    example: "SELECT graph, groundtruth_auroc_binned(mask, truth, 0.5, 4096)['auroc'] FROM edges GROUP BY graph",
    arguments: &[
        Argument::new("pred", Kind::Score),
        Argument::new("target", Kind::Truth),
        Argument::parameter::<GroundTruthMetric>("threshold"),
        Argument::parameter::<Width>("bins"),
    ],
    result: || DataType::Struct(fields()),
    state: bytes_state,
    groups: |call: &Call| {
        Ok(Box::new(StoredStates::new(BinnedMetric {
            function: call.function,
            metric: call.set(GroundTruthMetric::new())?,
            n_bins: call.set(Width::default())?.bins,
        })))
    },
};

fn fields() -> Fields {
    Fields::from(vec![
        Field::new("auroc", DataType::Float64, true),
        Field::new("error_bound", DataType::Float64, true),
        Field::new("n", DataType::UInt64, false),
        Field::new("n_null", DataType::UInt64, false),
    ])
}

#[derive(Clone)]
struct BinnedMetric {
    function: &'static str,
    metric: GroundTruthMetric,
    n_bins: usize,
}

#[derive(Default, Serialize, Deserialize)]
struct Bins {
    /// The elements themselves, while they are fewer bytes than the counts: twice the bin, and one more for a true
    /// one. So memory grows with the rows, and the engine sees it after each batch; ten million bins for each group of
    /// a batch would be taken before it could.
    elements: Vec<u32>,
    /// False and true elements of each bin; empty before.
    counts: Vec<[u64; 2]>,
    n_null: u64,
}

impl Bins {
    fn add(&mut self, n_bins: usize, bin: usize, is_true: bool) {
        if self.counts.is_empty() {
            // There are at most 10 million bins.
            self.elements.push(2 * bin as u32 + u32::from(is_true));
            if size_of_val(&self.elements[..]) >= n_bins * size_of::<[u64; 2]>() {
                self.count(n_bins);
            }
        } else {
            self.counts[bin][usize::from(is_true)] += 1;
        }
    }

    /// From elements to counts.
    fn count(&mut self, n_bins: usize) {
        let elements = std::mem::take(&mut self.elements);
        self.counts.resize(n_bins, [0; 2]);
        for element in elements {
            self.counts[element as usize / 2][element as usize % 2] += 1;
        }
    }

    /// The pairs of elements in the order of their bins; elements are sorted.
    fn pairs(&self) -> OrderedPairs {
        let mut pairs = OrderedPairs::default();
        for &[negatives, positives] in &self.counts {
            pairs.add_score(positives, negatives);
        }
        for of_bin in self.elements.chunk_by(|a, b| a / 2 == b / 2) {
            let positives = of_bin.iter().filter(|element| *element % 2 == 1).count();
            pairs.add_score(positives as u64, (of_bin.len() - positives) as u64);
        }
        pairs
    }
}

impl Metric for BinnedMetric {
    type State = Bins;

    fn empty(&self) -> Bins {
        Bins::default()
    }

    fn update(&mut self, states: &mut [Bins], rows: &Rows<'_>) -> Result<()> {
        let n_bins = self.n_bins;
        for_each_element(
            self.function,
            &self.metric,
            rows,
            |group, score, element| {
                // Rounding keeps the order, so that a higher bin never holds a lower score.
                let bin = ((score * n_bins as f64) as usize).min(n_bins - 1);
                states[group].add(n_bins, bin, element.is_true);
            },
        )?;
        rows.for_each_null(&[0, 1], |group| states[group].n_null += 1);
        Ok(())
    }

    /// Elements are in the order of their bins where they are stored.
    fn settle(&self, state: &mut Bins) -> Result<()> {
        state.elements.sort_unstable();
        Ok(())
    }

    fn merge(&self, state: &mut Bins, other: Bins) -> Result<()> {
        state.n_null += other.n_null;
        if state.counts.is_empty() && !other.counts.is_empty() {
            state.count(self.n_bins);
        }
        for (mine, theirs) in state.counts.iter_mut().zip(other.counts) {
            mine[0] += theirs[0];
            mine[1] += theirs[1];
        }
        for element in other.elements {
            state.add(self.n_bins, element as usize / 2, element % 2 == 1);
        }
        Ok(())
    }

    fn values(&self, states: &[Bins]) -> Result<ArrayRef> {
        let pairs: Vec<OrderedPairs> = states.iter().map(Bins::pairs).collect();
        let areas = pairs.iter().map(OrderedPairs::auroc);
        let bounds = pairs.iter().map(|pairs| Some(pairs.share_of_ties()? / 2.0));
        let columns: Vec<ArrayRef> = vec![
            Arc::new(areas.collect::<Float64Array>()),
            Arc::new(bounds.collect::<Float64Array>()),
            Arc::new(UInt64Array::from_iter_values(
                pairs.iter().map(OrderedPairs::n_elements),
            )),
            Arc::new(UInt64Array::from_iter_values(
                states.iter().map(|state| state.n_null),
            )),
        ];
        Ok(Arc::new(StructArray::try_new(fields(), columns, None)?))
    }

    fn allocated(&self, state: &Bins) -> usize {
        state.counts.capacity() * size_of::<[u64; 2]>()
            + state.elements.capacity() * size_of::<u32>()
    }
}

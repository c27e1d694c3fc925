//! Datasets of graphs: averages over graphs, and the score of all rows together.

use std::fmt;

use xai_core::describe::Scores;
use xai_core::{Accumulator, Interval, Result};

use crate::dataset::macro_averages::{MacroAverage, MacroAverages};

/// Scores over a dataset of graphs.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct DatasetScores<O> {
    /// Each graph counts the same.
    pub macro_average: Vec<MacroAverage>,
    /// Each row (node, edge) counts the same: the score of all of them together.
    pub micro: O,
    /// The number of graphs.
    pub n_graphs: u64,
}

impl<O: fmt::Display> fmt::Display for DatasetScores<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "averages over {} graphs", self.n_graphs)?;
        for average in &self.macro_average {
            match (average.mean, average.interval) {
                (Some(mean), Some(Interval { low, high, .. })) => {
                    write!(f, "{:<18}{mean:.4}  [{low:.4}, {high:.4}]", average.name)?;
                }
                (Some(mean), None) => write!(f, "{:<18}{mean:.4}", average.name)?,
                _ => write!(f, "{:<18}undefined", average.name)?,
            }
            match average.n_undefined {
                0 => writeln!(f)?,
                n => writeln!(f, "  (undefined on {n})")?,
            }
        }
        write!(f, "all together: {}", self.micro)
    }
}

/// A graph metric over a dataset of graphs as a state: one batch per graph. Averaged are the
/// [scores](Scores::SCORES) of its result.
///
/// ```
/// use xai_graph::fidelity::FidelityAccumulator;
/// use xai_graph::{Accumulator, FidelityMetric, OverGraphs};
/// let metric = FidelityMetric::model();
/// let mut dataset = OverGraphs::new(FidelityAccumulator::new());
/// dataset.update(metric.batch(&[0, 1, 0], &[0, 1, 0], &[1, 0, 1]))?; // fid₊ = 1
/// dataset.update(metric.batch(&[0], &[0], &[0]))?; // fid₊ = 0
/// let scores = dataset.finish()?;
/// assert_eq!(scores.macro_average[0].mean, Some(0.5)); // two graphs
/// assert_eq!(scores.micro.pos, 0.75); // four rows
/// # Ok::<(), xai_graph::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "A: serde::Serialize",
        deserialize = "A: serde::Deserialize<'de>"
    ))
)]
pub struct OverGraphs<A: Accumulator> {
    empty: A,
    pooled: A,
    averages: MacroAverages<A::Output>,
}

impl<A> OverGraphs<A>
where
    A: Accumulator + Clone,
    A::Output: Scores,
{
    /// A dataset of no graph yet; `empty` is the metric's state of nothing.
    #[must_use]
    pub fn new(empty: A) -> Self {
        Self {
            pooled: empty.clone(),
            empty,
            averages: MacroAverages::new(),
        }
    }
}

impl<A> Accumulator for OverGraphs<A>
where
    A: Accumulator + Clone,
    A::Output: Scores,
{
    type Batch<'a> = A::Batch<'a>;
    type Output = DatasetScores<A::Output>;

    fn update(&mut self, graph: Self::Batch<'_>) -> Result<()> {
        let mut one = self.empty.clone();
        one.update(graph)?;
        let result = one.finish()?;
        self.pooled.merge(one)?;
        self.averages.update(&result)
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        self.pooled.merge(other.pooled)?;
        self.averages.merge(other.averages)
    }

    fn finish(&self) -> Result<Self::Output> {
        Ok(DatasetScores {
            macro_average: self.averages.finish()?,
            micro: self.pooled.finish()?,
            n_graphs: self.averages.n_graphs(),
        })
    }
}

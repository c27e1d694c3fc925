//! Datasets of graphs: averages over graphs with intervals, and the score of all rows together.

use std::fmt;

use statrs::distribution::{ContinuousCDF, StudentsT};
use xai_core::{
    Accumulator, Error, ExactSum, Interval, IntervalMethod, Result, jackknife, parallel,
};

use crate::{Fidelity, GroundTruth, MaskProperties, Unfaithfulness};

/// Confidence of the intervals.
const CONFIDENCE: f64 = 0.95;

/// A result whose parts can be averaged over graphs.
pub trait GraphStatistics {
    /// The names of the parts, the same for every graph.
    const NAMES: &'static [&'static str];

    /// The parts in the order of the names, `None` where undefined.
    fn statistics(&self) -> Vec<Option<f64>>;
}

impl GraphStatistics for Fidelity {
    const NAMES: &'static [&'static str] = &["pos_fidelity", "neg_fidelity", "characterization"];

    fn statistics(&self) -> Vec<Option<f64>> {
        vec![
            Some(self.pos),
            Some(self.neg),
            Some(self.characterization()),
        ]
    }
}

impl GraphStatistics for Unfaithfulness {
    const NAMES: &'static [&'static str] = &["unfaithfulness"];

    fn statistics(&self) -> Vec<Option<f64>> {
        vec![Some(self.value)]
    }
}

impl GraphStatistics for GroundTruth {
    const NAMES: &'static [&'static str] = &[
        "accuracy",
        "recall",
        "precision",
        "f1_score",
        "auroc",
        "average_precision",
        "jaccard",
    ];

    fn statistics(&self) -> Vec<Option<f64>> {
        vec![
            Some(self.accuracy),
            self.recall,
            self.precision,
            self.f1_score,
            self.auroc,
            self.average_precision,
            self.jaccard,
        ]
    }
}

impl GraphStatistics for MaskProperties {
    const NAMES: &'static [&'static str] = &["size", "sparsity", "entropy", "component_share"];

    fn statistics(&self) -> Vec<Option<f64>> {
        #[allow(clippy::cast_precision_loss)] // exact below 2^53
        let size = self.size as f64;
        vec![
            Some(size),
            Some(self.sparsity),
            self.entropy,
            self.component_share,
        ]
    }
}

/// One statistic averaged over graphs.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MacroAverage {
    /// Its name.
    pub name: &'static str,
    /// The mean over the graphs where it is defined; `None` if it is nowhere.
    pub mean: Option<f64>,
    /// 95 % interval of the mean over graphs, `None` below two: mean ± Student's t times s/√n, which
    /// for a mean is the jackknife.
    pub interval: Option<Interval>,
    /// The number of graphs where it is defined.
    pub n_defined: u64,
    /// The number of graphs where it is not.
    pub n_undefined: u64,
}

/// Averages over graphs, each counting the same, as a state.
///
/// ```
/// use ndarray::array;
/// use xai_graph::{MacroAverages, ground_truth};
/// let mut averages = MacroAverages::new();
/// averages.add(&ground_truth(array![0.9, 0.1].view(), array![1.0, 0.0].view())?);
/// averages.add(&ground_truth(array![0.9, 0.9].view(), array![1.0, 0.0].view())?);
/// let accuracy = &averages.finish()?[0];
/// assert_eq!((accuracy.name, accuracy.mean), ("accuracy", Some(0.75)));
/// # Ok::<(), xai_graph::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound = ""))]
pub struct MacroAverages<O> {
    moments: Vec<Moments>,
    result: std::marker::PhantomData<O>,
}

/// Exact sums of the values and of their squares.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Moments {
    sum: ExactSum,
    squares: ExactSum,
    n_defined: u64,
    n_undefined: u64,
}

impl Moments {
    #[allow(clippy::cast_precision_loss)] // exact below 2^53 graphs
    fn average(&self, name: &'static str) -> MacroAverage {
        let n = self.n_defined as f64;
        let mean = (self.n_defined > 0).then(|| self.sum.value() / n);
        let interval = mean.filter(|_| self.n_defined > 1).and_then(|mean| {
            // The squares are exact sums, so little is lost; what is left below 0 is 0.
            let variance = ((self.squares.value() - n * mean * mean) / (n - 1.0)).max(0.0);
            let student = StudentsT::new(0.0, 1.0, n - 1.0).ok()?;
            let quantile = student.inverse_cdf(0.5 + CONFIDENCE / 2.0);
            let half = quantile * (variance / n).sqrt();
            Some(Interval {
                low: mean - half,
                high: mean + half,
                level: CONFIDENCE,
                method: IntervalMethod::Jackknife,
            })
        });
        MacroAverage {
            name,
            mean,
            interval,
            n_defined: self.n_defined,
            n_undefined: self.n_undefined,
        }
    }
}

impl<O: GraphStatistics> Default for MacroAverages<O> {
    fn default() -> Self {
        Self {
            moments: vec![Moments::default(); O::NAMES.len()],
            result: std::marker::PhantomData,
        }
    }
}

impl<O: GraphStatistics> MacroAverages<O> {
    /// Averages over no graph yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the result of one graph.
    pub fn add(&mut self, result: &O) {
        for (moments, value) in self.moments.iter_mut().zip(result.statistics()) {
            match value {
                Some(value) => {
                    moments.sum.add(value);
                    moments.squares.add(value * value);
                    moments.n_defined += 1;
                }
                None => moments.n_undefined += 1,
            }
        }
    }

    /// Adds the graphs of another state.
    pub fn merge(&mut self, other: Self) {
        for (own, other) in self.moments.iter_mut().zip(other.moments) {
            own.sum.add_sum(&other.sum);
            own.squares.add_sum(&other.squares);
            own.n_defined += other.n_defined;
            own.n_undefined += other.n_undefined;
        }
    }

    /// The number of graphs so far.
    #[must_use]
    pub fn n_graphs(&self) -> u64 {
        self.moments
            .first()
            .map_or(0, |first| first.n_defined + first.n_undefined)
    }

    /// The average of each statistic, in the order of [`GraphStatistics::NAMES`].
    ///
    /// # Errors
    /// [`Error::Empty`] without graphs.
    pub fn finish(&self) -> Result<Vec<MacroAverage>> {
        if self.n_graphs() == 0 {
            return Err(Error::empty("graphs"));
        }
        let named = self.moments.iter().zip(O::NAMES);
        Ok(named.map(|(moments, name)| moments.average(name)).collect())
    }
}

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

/// Any graph metric over a dataset of graphs as a state: one batch a graph.
///
/// ```
/// use xai_graph::{Accumulator, FidelityAccumulator, FidelityBatch, FidelityMetric, OverGraphs};
/// let graph = |full, kept, complement| FidelityBatch {
///     metric: FidelityMetric::model(), full, kept, complement,
/// };
/// let mut dataset = OverGraphs::new(FidelityAccumulator::new());
/// dataset.update(graph(&[0, 1, 0], &[0, 1, 0], &[1, 0, 1]))?; // fid₊ = 1
/// dataset.update(graph(&[0], &[0], &[0]))?; // fid₊ = 0
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
    A::Output: GraphStatistics,
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
    A::Output: GraphStatistics,
{
    type Batch<'a> = A::Batch<'a>;
    type Output = DatasetScores<A::Output>;

    fn update(&mut self, graph: Self::Batch<'_>) -> Result<()> {
        let mut one = self.empty.clone();
        one.update(graph)?;
        let result = one.finish()?;
        self.pooled.merge(one)?;
        self.averages.add(&result);
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        self.pooled.merge(other.pooled)?;
        self.averages.merge(other.averages);
        Ok(())
    }

    fn finish(&self) -> Result<Self::Output> {
        Ok(DatasetScores {
            macro_average: self.averages.finish()?,
            micro: self.pooled.finish()?,
            n_graphs: self.averages.n_graphs(),
        })
    }
}

/// 95 % intervals over graphs of the score of all rows together (the micro average), from the
/// state of each graph.
///
/// Each graph is left out once and the rest merged: the jackknife, with graphs as what was drawn
/// independently. One for each of [`GraphStatistics::NAMES`]; `None` where the statistic is undefined on
/// all graphs together or with some graph left out. Costs about `3 n` merges.
///
/// # Errors
/// [`Error::TooFew`] below two graphs, and those of merging.
///
/// ```
/// use xai_graph::{
///     Accumulator, FidelityAccumulator, FidelityBatch, FidelityMetric, micro_intervals,
/// };
/// let graph = |full, kept, complement| {
///     let mut state = FidelityAccumulator::new();
///     let metric = FidelityMetric::model();
///     state.update(FidelityBatch { metric, full, kept, complement }).map(|()| state)
/// };
/// let states = [graph(&[0, 1], &[0, 1], &[1, 0])?, graph(&[0, 1], &[0, 1], &[1, 1])?];
/// let intervals = micro_intervals(&states)?;
/// // fid₊ is 0.75; without one graph or the other it is 0.5 or 1: ± 12.7 · 0.25.
/// let pos = intervals[0].expect("defined");
/// assert!((pos.high - (0.75 + 12.7062 * 0.25)).abs() < 1e-3);
/// # Ok::<(), xai_graph::Error>(())
/// ```
pub fn micro_intervals<A>(states: &[A]) -> Result<Vec<Option<Interval>>>
where
    A: Accumulator + Clone + Send + Sync,
    A::Output: GraphStatistics + Send,
{
    let n = states.len();
    if n < 2 {
        return Err(Error::too_few("graphs", 2, n));
    }
    // All graphs after the i-th, merged.
    let mut after: Vec<Option<A>> = vec![None; n];
    for i in (0..n - 1).rev() {
        let mut state = states[i + 1].clone();
        if let Some(rest) = &after[i + 1] {
            state.merge(rest.clone())?;
        }
        after[i] = Some(state);
    }
    let mut whole = states[0].clone();
    let mut without = Vec::with_capacity(n);
    without.push(after[0].take());
    for (state, after) in states[1..].iter().zip(&mut after[1..]) {
        let mut rest = whole.clone();
        if let Some(after) = after.take() {
            rest.merge(after)?;
        }
        without.push(Some(rest));
        whole.merge(state.clone())?;
    }
    let without: Vec<A> = without.into_iter().flatten().collect();
    let left_out = parallel::try_map(n, |i| Ok::<_, Error>(without[i].finish()?.statistics()))?;
    let estimates = whole.finish()?.statistics();
    let interval = |(statistic, estimate): (usize, Option<f64>)| {
        let values: Option<Vec<f64>> = left_out.iter().map(|values| values[statistic]).collect();
        match (estimate, values) {
            (Some(estimate), Some(values)) => jackknife(estimate, &values, CONFIDENCE).map(Some),
            _ => Ok(None),
        }
    };
    estimates.into_iter().enumerate().map(interval).collect()
}

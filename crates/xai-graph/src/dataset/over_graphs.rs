//! Data sets of graphs: averages over graphs, and scores over all rows together.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use xai_core::describe::{Score, Scores};
use xai_core::statistics::{jackknife, t_interval, unit_mean_interval};
use xai_core::sum::Moments;
use xai_core::{Accumulator, Direction, Error, Interval, Result, parallel};

use crate::input;

/// Scores over a data set of graphs.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DatasetScores<O> {
    /// Averages in which every graph has the same weight.
    pub macro_average: Vec<MacroAverage>,
    /// Score over all rows (nodes, edges) together, each with the same weight.
    pub micro: O,
    /// Number of graphs.
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

/// Accumulator of a graph metric over a data set of graphs, with one batch per graph. Averages are computed for the
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
    /// Creates the state of an empty data set from an `empty` state of the metric.
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
        // Computed once for both averages. An error leaves the state as it was.
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

pub(crate) const CONFIDENCE: f64 = 0.95;

/// Average of one metric over graphs.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MacroAverage {
    /// Name of the metric.
    pub name: &'static str,
    /// Direction in which the metric is better.
    pub direction: Direction,
    /// Mean over the graphs where the metric is defined; `None` if it is defined for none.
    pub mean: Option<f64>,
    /// 95 % interval of the mean over graphs, `None` for fewer than two. Metrics with values in [0, 1] use
    /// [`unit_mean_interval`], which is Wilson's interval if every value is 0 or 1 (for example with one prediction per
    /// graph); others use [`t_interval`].
    pub interval: Option<Interval>,
    /// Number of graphs where the metric is defined.
    pub n_defined: u64,
    /// Number of graphs where it is undefined.
    pub n_undefined: u64,
}

/// Accumulator of averages over graphs with equal weights, for every [score](Scores::SCORES) of a result `R`. A batch
/// is the result of one graph.
///
/// ```
/// use ndarray::array;
/// use xai_graph::dataset::MacroAverages;
/// use xai_graph::{Accumulator, ground_truth};
/// let mut averages = MacroAverages::new();
/// averages.update(&ground_truth(array![0.9, 0.1].view(), array![1.0, 0.0].view())?)?;
/// averages.update(&ground_truth(array![0.9, 0.9].view(), array![1.0, 0.0].view())?)?;
/// let accuracy = &averages.finish()?[0];
/// assert_eq!((accuracy.name, accuracy.mean), ("accuracy", Some(0.75)));
/// # Ok::<(), xai_graph::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound = ""))]
pub struct MacroAverages<R> {
    /// Moments of the defined values of each metric, by name.
    defined: BTreeMap<String, Moments>,
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    n_graphs: u64,
    result: PhantomData<R>,
}

/// Interval of the mean of values, which may be shares. `None` for fewer than two values.
fn interval(values: &Moments, are_shares: bool) -> Result<Option<Interval>> {
    if values.count() < 2 {
        return Ok(None);
    }
    if are_shares {
        unit_mean_interval(values, CONFIDENCE)
    } else {
        t_interval(values, CONFIDENCE)
    }
}

impl<R> Default for MacroAverages<R> {
    fn default() -> Self {
        Self {
            defined: BTreeMap::new(),
            n_graphs: 0,
            result: PhantomData,
        }
    }
}

impl<R> MacroAverages<R> {
    /// Creates an empty state.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of graphs so far.
    #[must_use]
    pub fn n_graphs(&self) -> u64 {
        self.n_graphs
    }
}

impl<R: Scores> Accumulator for MacroAverages<R> {
    type Batch<'a> = &'a R;
    type Output = Vec<MacroAverage>;

    fn update(&mut self, result: &R) -> Result<()> {
        for (name, value) in result.values() {
            if let Some(value) = value {
                let defined = self.defined.entry(name.to_owned());
                defined.or_default().add(value);
            }
        }
        self.n_graphs += 1;
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        for (name, other) in other.defined {
            self.defined.entry(name).or_default().merge(&other);
        }
        self.n_graphs += other.n_graphs;
        Ok(())
    }

    /// Average of each metric, in the order of the scores.
    fn finish(&self) -> Result<Vec<MacroAverage>> {
        if self.n_graphs == 0 {
            return Err(Error::empty(input::GRAPHS));
        }
        let no_values = Moments::new();
        let average = |score: &Score<R>| {
            let info = score.info;
            let defined = self.defined.get(info.name).unwrap_or(&no_values);
            Ok(MacroAverage {
                name: info.name,
                direction: info.direction,
                mean: defined.mean(),
                interval: interval(defined, info.range.is_share())?,
                n_defined: defined.count(),
                // A stored state that was edited may contain more values than graphs.
                n_undefined: self.n_graphs.saturating_sub(defined.count()),
            })
        };
        R::SCORES.iter().map(average).collect()
    }
}

/// One metric over all rows together (micro average).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MicroInterval {
    /// Name of the metric.
    pub name: &'static str,
    /// Value over all rows; `None` if undefined.
    pub value: Option<f64>,
    /// 95 % interval over graphs. `None` if the value is undefined, or becomes undefined when some graph is left out.
    pub interval: Option<Interval>,
}

/// 95 % intervals over graphs of the scores of all rows together (micro averages), from the state of each graph.
///
/// Uses the jackknife with graphs as the independent units: each graph is left out once, and the others are merged.
/// Returns one interval for each [score](Scores::SCORES) of the result. Needs about `3 n` merges.
///
/// # Errors
/// `TooFew` for fewer than two graphs, and errors of merging and finishing the states.
///
/// ```
/// use xai_graph::dataset::micro_intervals;
/// use xai_graph::fidelity::FidelityAccumulator;
/// use xai_graph::{Accumulator, FidelityMetric};
/// let graph = |full, kept, complement| {
///     let mut state = FidelityAccumulator::new();
///     state.update(FidelityMetric::model().batch(full, kept, complement)).map(|()| state)
/// };
/// let states = [graph(&[0, 1], &[0, 1], &[1, 0])?, graph(&[0, 1], &[0, 1], &[1, 1])?];
/// let intervals = micro_intervals(&states)?;
/// // fid₊ is 0.75; without one graph or the other it is 0.5 or 1: ± 12.7 · 0.25.
/// let pos = intervals[0].interval.expect("defined");
/// assert!((pos.high - (0.75 + 12.7062 * 0.25)).abs() < 1e-3);
/// # Ok::<(), xai_graph::Error>(())
/// ```
pub fn micro_intervals<A>(states: &[A]) -> Result<Vec<MicroInterval>>
where
    A: Accumulator + Clone + Send + Sync,
    A::Output: Scores + Send + Sync,
{
    let n = states.len();
    if n < 2 {
        return Err(Error::too_few(input::GRAPHS, 2, n));
    }
    let (whole, without) = leave_one_out(states)?;
    let left_out = parallel::try_map(n, |i| without[i].finish())?;
    let whole = whole.finish()?;
    let interval = |score: &Score<A::Output>| {
        let value = score.value(&whole);
        let values: Option<Vec<f64>> = left_out.iter().map(|result| score.value(result)).collect();
        let interval = match (value, values) {
            (Some(value), Some(values)) => Some(jackknife(value, &values, CONFIDENCE)?),
            _ => None,
        };
        Ok(MicroInterval {
            name: score.info.name,
            value,
            interval,
        })
    };
    A::Output::SCORES.iter().map(interval).collect()
}

/// Merges all states, and all states but one for each of them, for at least two states. Prefixes and suffixes are
/// merged once, so the cost is linear instead of quadratic.
fn leave_one_out<A: Accumulator + Clone>(states: &[A]) -> Result<(A, Vec<A>)> {
    let n = states.len();
    // Suffixes: all states from the i-th on, merged, for i = n-1 down to 1.
    let mut from = vec![states[n - 1].clone()];
    for state in states[1..n - 1].iter().rev() {
        let mut merged = state.clone();
        merged.merge(from[from.len() - 1].clone())?;
        from.push(merged);
    }
    let mut without = Vec::with_capacity(n);
    // `from` ends with the longest suffix, which is everything but the first state.
    without.extend(from.pop());
    let mut whole = states[0].clone();
    for state in &states[1..] {
        // `whole` is the prefix before the state that is left out; the suffix after it is popped, unless it was the
        // last.
        let mut rest = whole.clone();
        if let Some(after) = from.pop() {
            rest.merge(after)?;
        }
        without.push(rest);
        whole.merge(state.clone())?;
    }
    Ok((whole, without))
}

//! Averages over graphs, each counting the same.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use statrs::distribution::{ContinuousCDF, StudentsT};
use xai_core::describe::{Score, Scores};
use xai_core::statistics::{IntervalMethod, wilson};
use xai_core::sum::Moments;
use xai_core::{Accumulator, Direction, Error, Interval, Result};

use crate::input;

/// Confidence of the intervals.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// One metric averaged over graphs.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MacroAverage {
    /// Its name.
    pub name: &'static str,
    /// Which values of it are better.
    pub direction: Direction,
    /// The mean over the graphs where it is defined; `None` if it is nowhere.
    pub mean: Option<f64>,
    /// 95 % interval of the mean over graphs, `None` below two: mean ± Student's t times s/√n, which
    /// for a mean is the jackknife; or [`wilson`]'s where the metric is a share and every graph has 0
    /// or 1 (graphs with one prediction each, say).
    pub interval: Option<Interval>,
    /// The number of graphs where it is defined.
    pub n_defined: u64,
    /// The number of graphs where it is not.
    pub n_undefined: u64,
}

/// Averages over graphs, each counting the same, as a state: of every [score](Scores::SCORES) of a
/// result `R`. A batch is the result of one graph.
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
    /// The values of each metric where it is defined, by its name.
    defined: BTreeMap<String, Moments>,
    n_graphs: u64,
    result: PhantomData<R>,
}

/// The interval of the mean of values, which may be shares; `None` below two values.
fn interval(values: &Moments, are_shares: bool) -> Result<Option<Interval>> {
    if values.count() < 2 {
        return Ok(None);
    }
    match values.n_ones().filter(|_| are_shares) {
        Some(ones) => wilson(ones, values.count(), CONFIDENCE).map(Some),
        None => Ok(student(values)),
    }
}

/// Student's interval of the mean of values; `None` below two.
fn student(values: &Moments) -> Option<Interval> {
    let (mean, std) = (values.mean()?, values.std()?);
    let n = values.count() as f64;
    let student = StudentsT::new(0.0, 1.0, n - 1.0).ok()?;
    let half = student.inverse_cdf(0.5 + CONFIDENCE / 2.0) * std / n.sqrt();
    Some(Interval {
        low: mean - half,
        high: mean + half,
        level: CONFIDENCE,
        method: IntervalMethod::Jackknife,
        n_units: usize::try_from(values.count()).ok(),
    })
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
    /// Averages over no graph yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of graphs so far.
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

    /// The average of each metric, in the order of the scores.
    fn finish(&self) -> Result<Vec<MacroAverage>> {
        if self.n_graphs == 0 {
            return Err(Error::empty(input::GRAPHS));
        }
        let nowhere = Moments::new();
        let average = |score: &Score<R>| {
            let info = &score.info;
            let defined = self.defined.get(info.name).unwrap_or(&nowhere);
            Ok(MacroAverage {
                name: info.name,
                direction: info.direction,
                mean: defined.mean(),
                interval: interval(defined, info.range.is_share())?,
                n_defined: defined.count(),
                // A state that was stored and changed may hold more.
                n_undefined: self.n_graphs.saturating_sub(defined.count()),
            })
        };
        R::SCORES.iter().map(average).collect()
    }
}

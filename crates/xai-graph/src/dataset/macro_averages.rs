//! Averages over graphs, each counting the same.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use statrs::distribution::{ContinuousCDF, StudentsT};
use xai_core::statistics::IntervalMethod;
use xai_core::{Accumulator, Direction, Error, ExactSum, Interval, Result};

use crate::registry::metric::GraphMetric;
use crate::{input, registry};

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
    /// for a mean is the jackknife.
    pub interval: Option<Interval>,
    /// The number of graphs where it is defined.
    pub n_defined: u64,
    /// The number of graphs where it is not.
    pub n_undefined: u64,
}

/// Averages over graphs, each counting the same, as a state: of every metric that the
/// [registry](registry::METRICS) lists for a result `R`. A batch is the result of one graph.
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
    /// By the name of the metric.
    defined: BTreeMap<String, Defined>,
    n_graphs: u64,
    result: PhantomData<R>,
}

/// The values of one metric, where it is defined.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Defined {
    count: u64,
    sum: ExactSum,
    /// Squares, each rounded before it is added.
    squares: ExactSum,
}

impl Defined {
    fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum.value() / self.count as f64)
    }

    /// Student's interval of the mean.
    fn interval(&self) -> Option<Interval> {
        let mean = self.mean().filter(|_| self.count > 1)?;
        let n = self.count as f64;
        // What rounding leaves below 0 is 0.
        let variance = ((self.squares.value() - n * mean * mean) / (n - 1.0)).max(0.0);
        let student = StudentsT::new(0.0, 1.0, n - 1.0).ok()?;
        let half = student.inverse_cdf(0.5 + CONFIDENCE / 2.0) * (variance / n).sqrt();
        Some(Interval {
            low: mean - half,
            high: mean + half,
            level: CONFIDENCE,
            method: IntervalMethod::Jackknife,
        })
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

impl<R: 'static> Accumulator for MacroAverages<R> {
    type Batch<'a> = &'a R;
    type Output = Vec<MacroAverage>;

    fn update(&mut self, result: &R) -> Result<()> {
        for metric in registry::metrics_of::<R>() {
            if let Some(value) = (metric.value)(result) {
                let defined = self.defined.entry(metric.info.name.to_owned());
                let defined = defined.or_default();
                defined.count += 1;
                defined.sum.add(value);
                defined.squares.add(value * value);
            }
        }
        self.n_graphs += 1;
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        for (name, other) in other.defined {
            let defined = self.defined.entry(name).or_default();
            defined.count += other.count;
            defined.sum.add_sum(&other.sum);
            defined.squares.add_sum(&other.squares);
        }
        self.n_graphs += other.n_graphs;
        Ok(())
    }

    /// The average of each metric, in the order of the registry.
    fn finish(&self) -> Result<Vec<MacroAverage>> {
        if self.n_graphs == 0 {
            return Err(Error::empty(input::GRAPHS));
        }
        let nowhere = Defined::default();
        let average = |metric: &GraphMetric<R>| {
            let defined = self.defined.get(metric.info.name).unwrap_or(&nowhere);
            MacroAverage {
                name: metric.info.name,
                direction: metric.info.direction,
                mean: defined.mean(),
                interval: defined.interval(),
                n_defined: defined.count,
                // A state that was stored and changed may hold more.
                n_undefined: self.n_graphs.saturating_sub(defined.count),
            }
        };
        Ok(registry::metrics_of::<R>().map(average).collect())
    }
}

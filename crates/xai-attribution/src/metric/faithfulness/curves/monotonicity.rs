//! Monotonicity.

use xai_core::{Direction, Error, MetricInfo, Result};

use crate::input;
use crate::metric::kinds::curve_metric::{CurveKind, CurveMetric, CurvePoints};
use crate::metric::kinds::score_metric::SCORE_NEEDS;
use crate::metric::options::{MetricOption, OptionInfo, parse};
use crate::perturbation::removal::removal_curve::Start;
use crate::perturbation::removal::removal_order::RemovalOrder;

/// Does the score rise with every feature that is put back, the least relevant first?
///
/// From the baseline, features are put back by ascending attribution. The value of a sample is the
/// share of the steps, from the first put back on, in which the score does not fall by more than
/// [`tolerance`](CurveMetric::tolerance); [`strict`](CurveMetric::strict), it is 1 where no step
/// falls and else 0, as in the paper. In [0, 1], **higher is better**. A curve of less than two steps
/// has no value. [`RemovalOrder::SmallestFirst`] puts features back by the size of their
/// attributions.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::Monotonicity};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[-1.0, 2.0, 3.0]].into_dyn();
/// let map = array![[0.2, 0.1, 0.3]].into_dyn(); // scores 2, 1, 4: one of two steps falls
/// let metric = Monotonicity::new();
/// assert_eq!(metric.evaluate(&sum, x.view(), &[0], map.view())?.value, 0.5);
/// assert_eq!(metric.strict(true).evaluate(&sum, x.view(), &[0], map.view())?.value, 0.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Arya et al., *One Explanation Does Not Fit All*, 2019. Quantus never puts anything back unless it
/// is given a function that does: its answer is always true.
pub type Monotonicity = CurveMetric<Rising>;

/// The formula of [`Monotonicity`].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Rising {
    tolerance: f64,
    strict: bool,
}

impl CurveMetric<Rising> {
    /// By how much a score may fall and not count as falling, at least 0. Default: 0.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.kind.tolerance = tolerance;
        self
    }

    /// Whether one step that falls makes the value 0.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.kind.strict = strict;
        self
    }
}

impl CurveKind for Rising {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "monotonicity",
        title: "Monotonicity",
        question: "Does the score rise with every feature that is put back, the least relevant first?",
        direction: Direction::Higher,
        range: "[0, 1]",
        needs: SCORE_NEEDS,
        source: "Arya et al., One Explanation Does Not Fit All, 2019",
    };
    const OPTIONS: &'static [MetricOption<Monotonicity>] = &[
        Monotonicity::STEPS,
        Monotonicity::BASELINE,
        Monotonicity::FEATURES,
        MetricOption {
            info: OptionInfo {
                name: "tolerance",
                value_name: "SCORE",
                default: "0",
                help: "How much a score may differ and count as the same",
            },
            set: |metric, text| {
                let expected = "a number, at least 0";
                Ok(metric.tolerance(parse(input::TOLERANCE, text, expected)?))
            },
        },
        MetricOption {
            info: OptionInfo {
                name: "strict",
                value_name: "true|false",
                default: "false",
                help: "Whether one step that falls makes the value 0",
            },
            set: |metric, text| Ok(metric.strict(parse(input::STRICT, text, "true or false")?)),
        },
    ];
    const START: Start = Start::Blank;
    const ORDER: RemovalOrder = RemovalOrder::LeastRelevantFirst;

    fn check(&self) -> Result<()> {
        check_tolerance(self.tolerance)
    }

    fn value(&self, points: &CurvePoints<'_>) -> Result<Option<f64>> {
        let steps = points.scores[1..].windows(2);
        let n_steps = steps.len();
        let rises = |step: &&[f64]| step[1] >= step[0] - self.tolerance;
        let n_rising = steps.filter(rises).count();
        Ok((n_steps > 0).then(|| match self.strict {
            true => f64::from(u8::from(n_rising == n_steps)),
            false => n_rising as f64 / n_steps as f64,
        }))
    }
}

/// Checks a tolerance.
pub(crate) fn check_tolerance(tolerance: f64) -> Result<()> {
    if tolerance >= 0.0 && tolerance.is_finite() {
        return Ok(());
    }
    let expected = "a finite number, at least 0";
    Err(Error::parameter(input::TOLERANCE, tolerance, expected))
}

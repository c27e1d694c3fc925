//! How much two classes agree.

use ndarray::Array2;
use xai_core::describe::Parameter;
use xai_core::number::check_finite;
use xai_core::{Error, Result};

use crate::input;

/// How much two classes agree: 1 on the diagonal, less elsewhere.
///
/// The classes are the labels that occur, ascending; `x_a` is a label, `a` its rank from 0, `q` their number.
///
/// | weights | `w(a, b)` |
/// |---|---|
/// | `Identity` | 1 if `a = b`, else 0 |
/// | `Linear` | `1 − \|x_a − x_b\| / (x_max − x_min)` |
/// | `Quadratic` | `1 − (x_a − x_b)² / (x_max − x_min)²` |
/// | `Radical` | `1 − √\|x_a − x_b\| / √(x_max − x_min)` |
/// | `Ordinal` | `1 − M(a, b) / M(0, q − 1)`, `M(a, b) = d (d + 1)/2` with `d = \|a − b\|` |
/// | `Custom` | given: `(q, q)`, symmetric, in [0, 1], 1 on the diagonal |
///
/// # Source
/// Gwet, *Handbook of Inter-Rater Reliability*, 2014, chapter 3.
#[derive(Debug, Clone, Default, PartialEq, Parameter)]
#[param(name = "weights")]
#[non_exhaustive]
pub enum AgreementWeights {
    /// Only equal classes agree: AC2 is AC1 then.
    Identity,
    /// By the distance of the labels.
    #[default]
    Linear,
    /// By the squared distance of the labels.
    Quadratic,
    /// By the square root of the distance of the labels.
    Radical,
    /// By ranks alone: the labels' distances do not count.
    Ordinal,
    /// Any weights, rows and columns in ascending order of the labels that occur.
    #[param(skip)]
    Custom(Array2<f64>),
}

impl AgreementWeights {
    /// Checks custom weights against the number of classes.
    pub(super) fn check(&self, q: usize) -> Result<()> {
        let Self::Custom(weights) = self else {
            return Ok(());
        };
        if weights.dim() != (q, q) {
            return Err(Error::shape(input::WEIGHTS, &[q, q], weights.shape()));
        }
        check_finite(input::WEIGHTS, weights.view())?;
        for ((a, b), &weight) in weights.indexed_iter() {
            // A symmetric matrix is exactly so.
            let expected = if !(0.0..=1.0).contains(&weight) {
                "a weight in [0, 1]"
            } else if a == b && weight != 1.0 {
                "1 on the diagonal"
            } else if weight != weights[[b, a]] {
                "the weight of the transposed place"
            } else {
                continue;
            };
            return Err(Error::out_of_domain(
                input::WEIGHTS,
                &[a, b],
                weight,
                expected,
            ));
        }
        Ok(())
    }

    /// The weight of two classes among at least two labels, which ascend.
    pub(super) fn weight(&self, labels: &[i64], a: usize, b: usize) -> f64 {
        if a == b {
            return 1.0;
        }
        let last = labels.len() - 1;
        let share = labels[a].abs_diff(labels[b]) as f64 / labels[last].abs_diff(labels[0]) as f64;
        match self {
            Self::Identity => 0.0,
            Self::Linear => 1.0 - share,
            Self::Quadratic => 1.0 - share * share,
            Self::Radical => 1.0 - share.sqrt(),
            Self::Ordinal => {
                let steps = |d: usize| d as f64 * (d + 1) as f64;
                1.0 - steps(a.abs_diff(b)) / steps(last)
            }
            Self::Custom(weights) => weights[[a, b]],
        }
    }
}

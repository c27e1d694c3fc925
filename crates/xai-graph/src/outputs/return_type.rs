//! What a model's output rows hold, and how they become probabilities.

use ndarray::{ArrayView1, ArrayView2};
use xai_core::{Activation, Error, Name, Real, Result, arg_max, elementary};

/// How far the probabilities of a row may be from summing to 1: single precision over a thousand
/// classes stays within it.
pub(crate) const SUM_TOLERANCE: f64 = 1e-4;

/// What the outputs of a model are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ReturnType {
    /// Raw scores: any finite numbers.
    #[default]
    Logits,
    /// Probabilities in [0, 1].
    Probs,
    /// Natural logarithms of probabilities, at most 0; −∞ is the logarithm of 0.
    LogProbs,
}

/// What the columns of an output row are to one another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum OutputDistribution {
    /// One class of several: logits go through a softmax, probabilities sum to 1.
    #[default]
    Categorical,
    /// Each column is a yes or no by itself (binary and multi-label models): logits go through a
    /// sigmoid, probabilities need not sum to 1.
    Bernoulli,
}

/// Output rows of one class of several, checked for their shape; values are checked row by row.
pub(crate) struct OutputRows<'a, T> {
    what: Name,
    outputs: ArrayView2<'a, T>,
    returns: ReturnType,
}

impl<'a, T: Real> OutputRows<'a, T> {
    pub(crate) fn new(
        what: &'static str,
        outputs: ArrayView2<'a, T>,
        returns: ReturnType,
    ) -> Result<Self> {
        if outputs.ncols() < 2 {
            return Err(Error::shape_described(
                what,
                "(n, c) with c >= 2",
                outputs.shape(),
            ));
        }
        Ok(Self {
            what: what.into(),
            outputs,
            returns,
        })
    }

    pub(crate) fn n_classes(&self) -> usize {
        self.outputs.ncols()
    }

    /// Writes the probabilities of a row to `probabilities` and returns the predicted class.
    pub(crate) fn read(&self, row: usize, probabilities: &mut Vec<f64>) -> Result<usize> {
        let outputs = self.outputs.row(row);
        probabilities.clear();
        probabilities.extend(outputs.iter().map(|x| x.to_f64_exact()));
        // 0, or NaN from the first that is not finite.
        let finite = probabilities.iter().map(|x| x * 0.0).sum::<f64>() == 0.0;
        if self.returns != ReturnType::Logits || !finite {
            let categorical = OutputDistribution::Categorical;
            check_row(&self.what, row, outputs, self.returns, categorical)?;
        }
        // Of the outputs themselves: probabilities may tie where logits do not.
        let class = arg_max(probabilities).unwrap_or_default(); // checked: columns, no NaN
        match self.returns {
            ReturnType::Logits => Activation::Softmax.apply_row(probabilities),
            ReturnType::Probs => {}
            ReturnType::LogProbs => {
                for p in probabilities {
                    *p = elementary::exp(*p);
                }
            }
        }
        Ok(class)
    }
}

/// Checks that a row holds what it is said to hold.
///
/// # Errors
/// [`Error::NonFinite`] and [`Error::OutOfDomain`], naming the first element, or the row when its
/// sum is wrong.
pub(crate) fn check_row<T: Real>(
    what: &Name,
    row: usize,
    scores: ArrayView1<'_, T>,
    returns: ReturnType,
    distribution: OutputDistribution,
) -> Result<()> {
    let mut sum = 0.0;
    for (column, x) in scores.iter().enumerate() {
        let x = x.to_f64_exact();
        let index = [row, column];
        let impossible = returns == ReturnType::LogProbs && x == f64::NEG_INFINITY;
        if !x.is_finite() && !impossible {
            return Err(Error::NonFinite {
                what: what.clone(),
                index: index.to_vec(),
            });
        }
        let outside = match returns {
            ReturnType::Logits => None,
            ReturnType::Probs if !(0.0..=1.0 + SUM_TOLERANCE).contains(&x) => {
                Some("a probability in [0, 1]; for raw scores say `ReturnType::Logits`")
            }
            ReturnType::LogProbs if x > SUM_TOLERANCE => {
                Some("a log-probability, at most 0; for raw scores say `ReturnType::Logits`")
            }
            _ => None,
        };
        if let Some(expected) = outside {
            return Err(Error::out_of_domain(what.clone(), &index, x, expected));
        }
        sum += match returns {
            ReturnType::LogProbs => elementary::exp(x),
            _ => x,
        };
    }
    let sums_to_one = (sum - 1.0).abs() <= SUM_TOLERANCE;
    if distribution == OutputDistribution::Categorical
        && returns != ReturnType::Logits
        && !sums_to_one
    {
        return Err(Error::out_of_domain(
            format!("sum of the probabilities of {what}"),
            &[row],
            sum,
            "1; for raw scores say `ReturnType::Logits`, for independent columns `OutputDistribution::Bernoulli`",
        ));
    }
    Ok(())
}

//! Conversion of output rows to probabilities, and selection of rows.

use ndarray::{ArrayView1, ArrayView2};
use xai_core::describe::Parameter;
use xai_core::number::{check_finite_slice, elementary};
use xai_core::output::arg_max;
use xai_core::{Activation, Error, Input, Real, Result};

use crate::{help, input};

/// Tolerated deviation of the sum of a row of probabilities from 1. Sufficient for single precision with a thousand
/// classes.
pub(crate) const SUM_TOLERANCE: f64 = 1e-4;

/// Expected shape of outputs that are classes to choose among.
pub(crate) const TWO_COLUMNS: &str = "(n, c) with c >= 2";

/// Output rows of a categorical distribution. The shape is checked on creation, values row by row.
pub(crate) struct OutputRows<'a, T> {
    input: Input,
    outputs: ArrayView2<'a, T>,
    returns: ReturnType,
}

impl<'a, T: Real> OutputRows<'a, T> {
    pub(crate) fn new(
        input: Input,
        outputs: ArrayView2<'a, T>,
        returns: ReturnType,
    ) -> Result<Self> {
        if outputs.ncols() < 2 {
            return Err(Error::shape_described(input, TWO_COLUMNS, outputs.shape()));
        }
        Ok(Self {
            input,
            outputs,
            returns,
        })
    }

    pub(crate) fn n_classes(&self) -> usize {
        self.outputs.ncols()
    }

    /// Writes the probabilities of some rows to `probabilities`, row after row, and the predicted classes to
    /// `classes` if given.
    pub(crate) fn read(
        &self,
        rows: impl Iterator<Item = usize> + Clone,
        probabilities: &mut Vec<f64>,
        classes: Option<&mut Vec<usize>>,
    ) -> Result<()> {
        probabilities.clear();
        for row in rows.clone() {
            match self.outputs.row(row).to_slice() {
                Some(row) => probabilities.extend(row.iter().map(|x| x.to_f64_exact())),
                None => {
                    probabilities.extend(self.outputs.row(row).iter().map(|x| x.to_f64_exact()))
                }
            }
        }
        // Logits only have to be finite, which is tested for all rows at once; `check_row` then finds the element.
        let is_finite = check_finite_slice(self.input, probabilities).is_ok();
        if self.returns != ReturnType::Logits || !is_finite {
            for row in rows.clone() {
                let categorical = OutputDistribution::Categorical;
                let outputs = self.outputs.row(row);
                check_row(self.input, row, outputs, self.returns, categorical)?;
            }
        }
        if let Some(classes) = classes {
            classes.clear();
            for (row, values) in rows.zip(probabilities.chunks_exact(self.n_classes())) {
                // From the outputs themselves, because probabilities may tie where logits do not.
                let class = arg_max(values);
                classes.push(class.ok_or_else(|| Error::non_finite(self.input, &[row]))?);
            }
        }
        match self.returns {
            ReturnType::Logits => Activation::Softmax.apply_rows(probabilities, self.n_classes()),
            ReturnType::Probs => {}
            ReturnType::LogProbs => {
                for p in probabilities {
                    *p = elementary::exp(*p);
                }
            }
        }
        Ok(())
    }
}

/// Checks that a row contains what `returns` and `distribution` declare.
///
/// # Errors
/// `NonFinite` and `OutOfDomain`, naming the first invalid element, or the row if its sum is wrong.
pub(crate) fn check_row<T: Real>(
    input: Input,
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
            return Err(Error::non_finite(input, &index));
        }
        let outside = match returns {
            ReturnType::Logits => None,
            // The tolerance of the sum also applies to one element: rounding may leave a certain class slightly above
            // 1.
            ReturnType::Probs if !(0.0..=1.0 + SUM_TOLERANCE).contains(&x) => {
                Some("a probability in [0, 1]")
            }
            ReturnType::LogProbs if x > SUM_TOLERANCE => Some("a log-probability, at most 0"),
            _ => None,
        };
        if let Some(expected) = outside {
            let error = Error::out_of_domain(input, &index, x, expected);
            return Err(error.with_help(help::PASS_LOGITS));
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
        return Err(Error::out_of_domain(input, &[row], sum, "1")
            .part("sum of the probabilities")
            .with_help(help::PASS_LOGITS_OR_BERNOULLI));
    }
    Ok(())
}

/// Kind of the outputs of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ReturnType {
    /// Raw scores: any finite numbers.
    #[default]
    #[param(alias = "raw")]
    Logits,
    /// Probabilities in [0, 1].
    Probs,
    /// Natural logarithms of probabilities, at most 0; −∞ is the logarithm of 0.
    LogProbs,
}

/// Relation between the columns of an output row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum OutputDistribution {
    /// The columns are alternatives: logits go through a softmax, probabilities sum to 1.
    #[default]
    Categorical,
    /// Each column is an independent yes or no (binary and multi-label models): logits go through a sigmoid, and
    /// probabilities need not sum to 1.
    Bernoulli,
}

/// All rows, or some rows by their index. Repeated indices are visited repeatedly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RowSubset<'a> {
    index: Option<&'a [usize]>,
}

impl<'a> RowSubset<'a> {
    pub(crate) fn new(index: &'a [usize]) -> Self {
        Self { index: Some(index) }
    }

    /// Indices of the rows; `None` for all rows.
    pub(crate) fn index(self) -> Option<&'a [usize]> {
        self.index
    }

    /// Row at a position of the subset.
    #[inline]
    pub(crate) fn row(self, visited: usize) -> usize {
        self.index.map_or(visited, |index| index[visited])
    }

    /// Number of visited rows.
    ///
    /// # Errors
    /// `Empty` if there are none, `OutOfDomain` for an index beyond the samples.
    pub(crate) fn n_rows(self, n_samples: usize) -> Result<usize> {
        let Some(index) = self.index else {
            return match n_samples {
                0 => Err(Error::empty(input::SAMPLES)),
                n => Ok(n),
            };
        };
        if index.is_empty() {
            return Err(Error::empty(input::INDEX));
        }
        if let Some(at) = index.iter().position(|&row| row >= n_samples) {
            let expected = format!("a sample of {}", xai_core::text::index_range(n_samples));
            let value = index[at] as f64;
            return Err(Error::out_of_domain(input::INDEX, &[at], value, expected));
        }
        Ok(index.len())
    }
}

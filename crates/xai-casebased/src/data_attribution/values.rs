//! Values per test case.

use std::fmt;

use xai_core::ExactMean;

/// Values of a metric for every test case, and their mean.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TestCaseValues {
    /// Mean over the test cases that have a value; `None` if none has.
    pub value: Option<f64>,
    /// Value of each test case; `None` if the metric is undefined or the test case is not kept.
    pub per_sample: Vec<Option<f64>>,
    /// Number of test cases without a value.
    pub n_undefined: usize,
}

impl TestCaseValues {
    /// Computes the mean of the values. It is rounded only once and does not depend on their order.
    ///
    /// ```
    /// use xai_casebased::data_attribution::TestCaseValues;
    /// let values = TestCaseValues::new(vec![Some(1.0), None, Some(0.5)]);
    /// assert_eq!((values.value, values.n_undefined), (Some(0.75), 1));
    /// assert_eq!(values.to_string(), "0.7500 over 3 test cases, 1 of them undefined");
    /// ```
    #[must_use]
    pub fn new(per_sample: Vec<Option<f64>>) -> Self {
        let mean: ExactMean = per_sample.iter().flatten().copied().collect();
        Self {
            value: mean.value(),
            n_undefined: per_sample.iter().filter(|value| value.is_none()).count(),
            per_sample,
        }
    }
}

impl fmt::Display for TestCaseValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.per_sample.len();
        write!(f, "{} over {n} test cases", decimals(self.value))?;
        match self.n_undefined {
            0 => Ok(()),
            undefined => write!(f, ", {undefined} of them undefined"),
        }
    }
}

/// Formats a number with four decimals; `None` as "undefined".
pub(super) fn decimals(value: Option<f64>) -> String {
    value.map_or_else(|| "undefined".to_owned(), |value| format!("{value:.4}"))
}

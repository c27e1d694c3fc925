//! The interface of metrics with one value per test case.

use xai_core::Result;
use xai_core::describe::{Described, Parameters};

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::values::TestCaseValues;
use crate::data_attribution::walk::{RowFunction, walk};

/// A metric with one value per test case.
pub trait AttributionMetric: Described + Parameters {
    /// Returns the function that computes the value of a test case from its attributions. The other inputs are checked
    /// here.
    ///
    /// # Errors
    /// `Missing` for an input that is not given, `InvalidParameter` for one with other elements, `Empty` without
    /// training cases, and `ShapeMismatch`, `NonFinite`, `OutOfDomain` and `LabelOutOfRange` for an input with another shape or invalid
    /// values.
    fn row_function<'d>(&self, data: &'d AttributionData<'_>) -> Result<RowFunction<'d>>;

    /// Computes the value of every test case.
    ///
    /// # Errors
    /// As [`row_function`](Self::row_function); `NonFinite` for an attribution that is not finite, `InvalidParameter`
    /// for a parameter outside its domain, `Io` if rows cannot be read.
    fn evaluate(&self, data: &AttributionData<'_>) -> Result<TestCaseValues> {
        self.check_params()?;
        let values = walk(data, &[&self.row_function(data)?])?;
        Ok(TestCaseValues::new(values.into_iter().flatten().collect()))
    }
}

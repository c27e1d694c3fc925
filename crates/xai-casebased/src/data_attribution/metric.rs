//! What a metric of training-data attribution is.

use xai_core::Result;
use xai_core::describe::{Described, Parameters};

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::values::TestCaseValues;
use crate::data_attribution::walk::{RowFunction, walk};

/// A metric with one value per test case.
pub trait AttributionMetric: Described + Parameters {
    /// How it makes a value of the attributions of each test case. What it needs beside them is checked here.
    ///
    /// # Errors
    /// `InvalidParameter` for an input that is missing, `ShapeMismatch`, `NonFinite` and `OutOfDomain` for one that does
    /// not fit.
    fn row_function<'d>(&self, data: &'d AttributionData<'_>) -> Result<RowFunction<'d>>;

    /// Its value for every test case.
    ///
    /// # Errors
    /// As [`row_function`](Self::row_function); `NonFinite` for an attribution that is not finite, `InvalidParameter` for a
    /// parameter outside its domain, `Io` where rows cannot be read.
    fn evaluate(&self, data: &AttributionData<'_>) -> Result<TestCaseValues> {
        self.check_params()?;
        let values = walk(data, &[&self.row_function(data)?])?;
        Ok(TestCaseValues::new(values.into_iter().flatten().collect()))
    }
}

//! The distance of two rows of features.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, Float64Array};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Float64Type};
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use ndarray::ArrayView2;
use xai_core::Distance;
use xai_core::distance::DistanceFunction;

use crate::aggregate::{Argument, Kind, Lists, coerced, failed, present};
use crate::input;

const NAME: &str = "feature_distance";
const ARGUMENTS: &[Argument] = &[
    Argument::new("a", Kind::Numbers),
    Argument::new("b", Kind::Numbers),
    Argument::optional("distance", Kind::ConstantText),
];

/// `feature_distance(a, b[, distance])`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct FeatureDistance {
    signature: Signature,
}

impl FeatureDistance {
    pub(crate) fn new() -> Self {
        let signature = Signature::user_defined(Volatility::Immutable);
        Self { signature }
    }
}

impl ScalarUDFImpl for FeatureDistance {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        coerced(NAME, ARGUMENTS, arg_types)
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        if args.arg_fields.len() == ARGUMENTS.len() {
            distance(args.scalar_arguments[ARGUMENTS.len() - 1])?;
        }
        Ok(Arc::new(Field::new(NAME, DataType::Float64, true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let distance = match args.args.get(2) {
            Some(ColumnarValue::Scalar(name)) => distance(Some(name))?,
            Some(ColumnarValue::Array(_)) => distance(None)?,
            None => Distance::default(),
        };
        let columns = ColumnarValue::values_to_arrays(&args.args)?;
        let distances: ArrayRef = Arc::new(distances(&distance, &columns)?);
        let is_constant = |arg: &ColumnarValue| matches!(arg, ColumnarValue::Scalar(_));
        Ok(match args.args.iter().all(is_constant) {
            true => ColumnarValue::Scalar(ScalarValue::try_from_array(&distances, 0)?),
            false => ColumnarValue::Array(distances),
        })
    }
}

/// The distance of a name; a planning error where it is none.
fn distance(name: Option<&ScalarValue>) -> Result<Distance> {
    let Some(name) = name else {
        return plan_err!(
            "{NAME}: the argument `distance` must be a constant, the same for all rows"
        );
    };
    let Some(name) = name.try_as_str().flatten() else {
        return Ok(Distance::default());
    };
    match name.parse() {
        Ok(distance) => Ok(distance),
        Err(error) => {
            let error: xai_core::Error = error;
            plan_err!("{NAME}: the argument `distance` cannot be read: {error}")
        }
    }
}

fn distances(distance: &Distance, columns: &[ArrayRef]) -> Result<Float64Array> {
    let [a, b] = [0, 1].map(|at| Lists::new::<Float64Type>(&columns[at]));
    let present: Vec<_> = columns.iter().take(2).filter_map(present).collect();
    let between = |row: usize| {
        if present.iter().any(|nulls| nulls.is_null(row)) {
            return Ok(None);
        }
        let (a, b) = (a.row(row), b.row(row));
        if a.len() != b.len() {
            return exec_err!(
                "{NAME}: a list has {} features, another {}",
                a.len(),
                b.len()
            );
        }
        let finite = |row: &[f64]| row.iter().all(|x| x.is_finite());
        if !finite(a) || !finite(b) {
            return Err(failed(
                NAME,
                xai_core::Error::non_finite(input::FEATURES, &[]),
            ));
        }
        let rows = [a, b].map(|row| ArrayView2::from_shape((1, row.len()), row));
        for row in rows.into_iter().flatten() {
            distance
                .check_rows(input::FEATURES, row)
                .map_err(|error| failed(NAME, error))?;
        }
        Ok(Some(distance.distance(a, b)))
    };
    (0..columns[0].len()).map(between).collect()
}

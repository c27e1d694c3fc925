//! Correspondence of predictions with neighbours that are found already.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Float64Type, Int64Type};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use xai_casebased::CorrespondenceMetric;
use xai_core::Kernel;

use crate::aggregate::{Argument, Kind, Lists, coerced, failed, present};

const NAME: &str = "correspondence";
const ARGUMENTS: &[Argument] = &[
    Argument::new("distances", Kind::Numbers),
    Argument::new("labels", Kind::Classes),
    Argument::new("predicted", Kind::Class),
    Argument::optional("weighting", Kind::ConstantText),
];

/// `correspondence(distances, labels, predicted[, weighting])`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct CorrespondenceFunction {
    signature: Signature,
}

impl CorrespondenceFunction {
    pub(crate) fn new() -> Self {
        let signature = Signature::user_defined(Volatility::Immutable);
        Self { signature }
    }
}

impl ScalarUDFImpl for CorrespondenceFunction {
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
            metric(args.scalar_arguments[ARGUMENTS.len() - 1])?;
        }
        Ok(Arc::new(Field::new(NAME, DataType::Float64, true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let metric = match args.args.get(3) {
            Some(ColumnarValue::Scalar(weighting)) => metric(Some(weighting))?,
            Some(ColumnarValue::Array(_)) => metric(None)?,
            None => CorrespondenceMetric::new(),
        };
        let columns = ColumnarValue::values_to_arrays(&args.args)?;
        let scores: ArrayRef = Arc::new(scores(&metric, &columns)?);
        let is_constant = |arg: &ColumnarValue| matches!(arg, ColumnarValue::Scalar(_));
        Ok(match args.args.iter().all(is_constant) {
            true => ColumnarValue::Scalar(ScalarValue::try_from_array(&scores, 0)?),
            false => ColumnarValue::Array(scores),
        })
    }
}

/// The metric by the name of its weighting; a planning error where it is none.
fn metric(weighting: Option<&ScalarValue>) -> Result<CorrespondenceMetric> {
    let Some(weighting) = weighting else {
        return plan_err!(
            "{NAME}: the argument `weighting` must be a constant, the same for all rows"
        );
    };
    let metric = CorrespondenceMetric::new();
    let Some(name) = weighting.try_as_str().flatten() else {
        return Ok(metric);
    };
    match name.parse::<Kernel>() {
        Ok(kernel) => Ok(metric.weighting(kernel)),
        Err(error) => plan_err!("{NAME}: the argument `weighting` cannot be read: {error}"),
    }
}

fn scores(metric: &CorrespondenceMetric, columns: &[ArrayRef]) -> Result<Float64Array> {
    let distances = Lists::new::<Float64Type>(&columns[0]);
    let labels = Lists::new::<Int64Type>(&columns[1]);
    let predicted = columns[2].as_primitive::<Int64Type>().values();
    let present: Vec<_> = columns.iter().take(3).filter_map(present).collect();
    let score = |row: usize| {
        if present.iter().any(|nulls| nulls.is_null(row)) {
            return Ok(None);
        }
        let found = metric.evaluate(distances.row(row), labels.row(row), predicted[row]);
        Ok(found.map_err(|error| failed(NAME, error))?.score)
    };
    (0..columns[0].len()).map(score).collect()
}

//! Declaration of scalar functions.

use std::sync::{Arc, OnceLock};

use datafusion::arrow::array::{Array, ArrayRef, new_empty_array};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature,
    Volatility,
};
use xai_core::describe::MetricInfo;

use crate::function::{Argument, Call, coerced, documentation, known_by_name};

/// The values of the rows of a batch, from the columns of the arguments.
pub(crate) type RowValues = Box<dyn Fn(&[ArrayRef]) -> Result<ArrayRef>>;

/// A scalar function. Each function is a constant of this type.
pub(crate) struct ScalarDefinition {
    pub(crate) name: &'static str,
    /// The metric that it computes, whose summary, formula, range and extremes come before the description.
    pub(crate) metric: Option<&'static MetricInfo>,
    pub(crate) description: &'static str,
    pub(crate) example: &'static str,
    pub(crate) arguments: &'static [Argument],
    pub(crate) result: fn() -> DataType,
    /// Computes the values of a call. Wrong constant arguments are planning errors.
    pub(crate) values: fn(&Call) -> Result<RowValues>,
}

impl ScalarDefinition {
    /// Returns the documentation of the value: that of the metric, if there is one, and the description.
    fn described(&self) -> String {
        let Some(info) = self.metric else {
            return self.description.to_owned();
        };
        let (summary, formula, range) = (info.summary, info.formula, info.range);
        format!(
            "{summary}: {formula}; in {range}. {} {}",
            info.extremes, self.description
        )
    }
}

/// A [`ScalarDefinition`] as DataFusion knows it.
pub(crate) struct Scalar {
    definition: &'static ScalarDefinition,
    signature: Signature,
    documentation: OnceLock<Documentation>,
}

impl Scalar {
    pub(crate) fn new(definition: &'static ScalarDefinition) -> Self {
        Self {
            definition,
            signature: Signature::user_defined(Volatility::Immutable),
            documentation: OnceLock::new(),
        }
    }

    fn values(&self, constants: Vec<Option<ScalarValue>>) -> Result<RowValues> {
        let ScalarDefinition {
            name, arguments, ..
        } = *self.definition;
        (self.definition.values)(&Call::from_constants(name, arguments, constants))
    }
}

/// Returns whether there are rows and all are equal.
fn is_repeated(rows: &ArrayRef) -> bool {
    let others = rows.len().saturating_sub(1);
    !rows.is_empty() && rows.slice(0, others).to_data() == rows.slice(1, others).to_data()
}

known_by_name!(Scalar);

impl ScalarUDFImpl for Scalar {
    fn name(&self) -> &str {
        self.definition.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        coerced(self.definition.name, self.definition.arguments, arg_types)
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok((self.definition.result)())
    }

    /// Reads the constant arguments, too, so that a wrong one is an error before any row is read.
    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let constants = args.scalar_arguments.iter();
        let _ = self.values(constants.map(|constant| constant.cloned()).collect())?;
        let ScalarDefinition { name, result, .. } = self.definition;
        Ok(Arc::new(Field::new(*name, result(), true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        if args.number_rows == 0 {
            let result = (self.definition.result)();
            return Ok(ColumnarValue::Array(new_empty_array(&result)));
        }
        let is_constant = args
            .args
            .iter()
            .all(|it| matches!(it, ColumnarValue::Scalar(_)));
        let constant = |(argument, value): (&Argument, &ColumnarValue)| match value {
            ColumnarValue::Scalar(value) => Ok(Some(value.clone())),
            // An engine that has loaded this library repeats a constant for each row.
            ColumnarValue::Array(rows) if argument.is_constant() && is_repeated(rows) => {
                ScalarValue::try_from_array(rows, 0).map(Some)
            }
            ColumnarValue::Array(_) => Ok(None),
        };
        let arguments = self.definition.arguments.iter().zip(&args.args);
        let constants = arguments.map(constant).collect::<Result<_>>()?;
        let values = self.values(constants)?;
        let values = values(&ColumnarValue::values_to_arrays(&args.args)?)?;
        Ok(if is_constant {
            ColumnarValue::Scalar(ScalarValue::try_from_array(&values, 0)?)
        } else {
            ColumnarValue::Array(values)
        })
    }

    fn documentation(&self) -> Option<&Documentation> {
        let definition = self.definition;
        Some(self.documentation.get_or_init(|| {
            documentation(
                definition.name,
                definition.arguments,
                &definition.described(),
                definition.example,
            )
        }))
    }
}

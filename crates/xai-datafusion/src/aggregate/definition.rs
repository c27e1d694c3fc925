//! Declaration of aggregate functions.

use std::sync::{Arc, OnceLock};

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::function::{
    AccumulatorArgs, AggregateFunctionSimplification, StateFieldsArgs,
};
use datafusion::logical_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion::logical_expr::{
    Accumulator, AggregateUDFImpl, Documentation, Expr, GroupsAccumulator, Signature, Volatility,
};

use crate::aggregate::groups::{Frame, Grouped, Groups, OneGroup};
use crate::function::{Argument, Call, Stages, coerced, documentation, known_by_name};

/// An aggregate function. Each function is a constant of this type.
pub(crate) struct Definition {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) example: &'static str,
    pub(crate) arguments: &'static [Argument],
    pub(crate) result: fn() -> DataType,
    pub(crate) state: fn() -> Vec<(&'static str, DataType)>,
    /// States of a call; a planning error where a constant argument is wrong.
    pub(crate) groups: fn(&Call) -> Result<Box<dyn Groups>>,
}

/// A [`Definition`] as DataFusion knows it.
pub(crate) struct Aggregate {
    definition: &'static Definition,
    stages: Stages,
    memory: Option<usize>,
    signature: Signature,
    documentation: OnceLock<Documentation>,
}

impl Aggregate {
    /// Creates the function for queries whose stages run where `stages` says. `memory` is the limit of the states of a
    /// partition in bytes, `None` for the default of the function.
    pub(crate) fn new(
        definition: &'static Definition,
        stages: Stages,
        memory: Option<usize>,
    ) -> Self {
        Self {
            definition,
            stages,
            memory,
            signature: Signature::user_defined(Volatility::Immutable),
            documentation: OnceLock::new(),
        }
    }

    fn groups(&self, args: &AccumulatorArgs<'_>) -> Result<Box<dyn Groups>> {
        let Definition {
            name, arguments, ..
        } = *self.definition;
        if args.is_distinct {
            return plan_err!("{name}: DISTINCT is not supported");
        }
        let mut call = Call::from_accumulator(name, arguments, self.stages, args);
        call.memory = self.memory;
        (self.definition.groups)(&call)
    }
}

known_by_name!(Aggregate);

impl AggregateUDFImpl for Aggregate {
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

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let fields = (self.definition.state)()
            .into_iter()
            .map(|(name, of)| Arc::new(Field::new(format_state_name(args.name, name), of, true)));
        Ok(fields.collect())
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(OneGroup::new(self.groups(&args)?)))
    }

    /// For a window whose start moves.
    fn create_sliding_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        let groups = self.groups(&args)?;
        Ok(if groups.can_retract() {
            Box::new(OneGroup::new(groups))
        } else {
            Box::new(Frame::new(groups))
        })
    }

    /// The value of an empty frame: that of no rows, which is 0 for counts.
    fn default_value(&self, data_type: &DataType) -> Result<ScalarValue> {
        let Definition {
            name, arguments, ..
        } = *self.definition;
        match (self.definition.groups)(&Call::from_constants(name, arguments, Vec::new())) {
            Ok(groups) => OneGroup::new(groups).evaluate(),
            // A required constant argument is missing, but without rows it is not needed.
            Err(_) => ScalarValue::try_from(data_type),
        }
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        !args.is_distinct
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(Grouped(self.groups(&args)?)))
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    /// Rewrites nothing: it reads the constant arguments while the query is planned, so that a wrong
    /// one is an error before any row is read.
    fn simplify(&self) -> Option<AggregateFunctionSimplification> {
        let definition = self.definition;
        Some(Box::new(move |call, _| {
            (definition.groups)(&Call::from_plan(
                definition.name,
                definition.arguments,
                &call.params.args,
            ))?;
            Ok(Expr::AggregateFunction(call))
        }))
    }

    fn documentation(&self) -> Option<&Documentation> {
        let definition = self.definition;
        Some(self.documentation.get_or_init(|| {
            documentation(
                definition.name,
                definition.arguments,
                definition.description,
                definition.example,
            )
        }))
    }
}

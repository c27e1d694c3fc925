//! A call of a function: its types and its constant arguments.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::common::{DataFusionError, Result, ScalarValue, plan_datafusion_err, plan_err};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::{ColumnarValue, DocSection, Documentation, Expr};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Literal;
use xai_core::describe::{Parameters, Value};

use crate::function::argument::{Argument, Kind, usage};

/// Where the stages of a query run. The first stage turns parts of the rows into states, the next merges them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stages {
    /// In one process, as in a `SessionContext`.
    #[default]
    OneProcess,
    /// In several processes that send states to each other, as in a distributed engine.
    SeveralProcesses,
}

#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) function: &'static str,
    pub(crate) types: Vec<DataType>,
    pub(crate) stages: Stages,
    /// Bytes that the states of a partition may hold, where the memory of the session is limited.
    pub(crate) memory: Option<usize>,
    arguments: &'static [Argument],
    constants: Vec<Option<ScalarValue>>,
}

impl Call {
    pub(crate) fn from_accumulator(
        function: &'static str,
        arguments: &'static [Argument],
        stages: Stages,
        args: &AccumulatorArgs<'_>,
    ) -> Self {
        Self {
            function,
            types: args
                .expr_fields
                .iter()
                .map(|field| field.data_type().clone())
                .collect(),
            stages,
            memory: None,
            arguments,
            constants: args.exprs.iter().map(constant).collect(),
        }
    }

    /// Creates a call from the expressions of a plan, without checking their types.
    pub(crate) fn from_plan(
        function: &'static str,
        arguments: &'static [Argument],
        exprs: &[Expr],
    ) -> Self {
        let constant = |expr: &Expr| match expr {
            Expr::Literal(value, _) => Some(value.clone()),
            _ => None,
        };
        let constants = exprs.iter().map(constant).collect();
        Self::from_constants(function, arguments, constants)
    }

    /// Creates a call from constants, `None` for an argument that differs between rows, without checking types.
    pub(crate) fn from_constants(
        function: &'static str,
        arguments: &'static [Argument],
        constants: Vec<Option<ScalarValue>>,
    ) -> Self {
        Self {
            function,
            types: Vec::new(),
            stages: Stages::default(),
            memory: None,
            arguments,
            constants,
        }
    }

    /// Sets the parameters that the call gives.
    ///
    /// # Errors
    /// A planning error that names the argument, with what was expected.
    pub(crate) fn set<P: Parameters>(&self, mut defaults: P) -> Result<P> {
        let wrong = |error| self.wrong_value(&error);
        for (at, argument) in self.arguments.iter().enumerate() {
            let value = if argument.is_constant() {
                self.constant(at, argument)?
            } else {
                None
            };
            match (argument.kind, value) {
                (_, None) => {}
                (Kind::Words(_), Some(words)) => self.set_words(&mut defaults, argument, &words)?,
                (_, Some(value)) => drop(defaults.set(argument.name, &value).map_err(wrong)?),
            }
        }
        defaults.check_params().map_err(wrong)?;
        Ok(defaults)
    }

    fn set_words(
        &self,
        defaults: &mut impl Parameters,
        argument: &Argument,
        words: &Value,
    ) -> Result<()> {
        let params = argument.params();
        for word in words.word().unwrap_or_default().split_whitespace() {
            let value = Value::from(word);
            let Some(param) = params.iter().find(|param| param.kind.admits(&value)) else {
                let known: Vec<&str> = params
                    .iter()
                    .flat_map(|param| param.kind.words())
                    .map(|word| word.name)
                    .collect();
                let known = known.join(", ");
                let why = format!("has the word {word:?}, where {known} are known");
                return self.wrong(argument.name, &why);
            };
            let set = defaults.set(param.name, &value);
            set.map_err(|error| self.wrong_value(&error))?;
        }
        Ok(())
    }

    fn wrong_value(&self, error: &xai_core::Error) -> DataFusionError {
        plan_datafusion_err!("{}: the argument {error}", self.function)
    }

    fn wrong<T>(&self, name: &str, why: &str) -> Result<T> {
        plan_err!("{}: the argument `{name}` {why}", self.function)
    }

    /// The value of a constant argument, where it is given.
    fn constant(&self, at: usize, argument: &Argument) -> Result<Option<Value>> {
        let value = match self.constants.get(at) {
            None => return Ok(None),
            Some(None) => {
                return self.wrong(argument.name, "must be a constant, the same for all rows");
            }
            Some(Some(value)) => value,
        };
        match value {
            value if value.is_null() && argument.is_optional => Ok(None),
            value if value.is_null() => self.wrong(argument.name, "must not be NULL"),
            value => match value.try_as_str() {
                Some(text) => Ok(text.map(Value::from)),
                None => match value.cast_to(&DataType::Float64)? {
                    ScalarValue::Float64(number) => Ok(number.map(as_value)),
                    _ => self.wrong(argument.name, "must be a number"),
                },
            },
        }
    }

    /// The places of the arguments that differ between rows.
    pub(crate) fn columns(&self) -> Vec<usize> {
        let is_column = |at: &usize| !self.arguments[*at].is_constant();
        (0..self.types.len()).filter(is_column).collect()
    }
}

/// The value of an expression that is the same for all rows. One that came from another library, as from an engine
/// that has loaded this one, is not a literal here, but answers without rows.
fn constant(expr: &Arc<dyn PhysicalExpr>) -> Option<ScalarValue> {
    if let Some(literal) = expr.downcast_ref::<Literal>() {
        return Some(literal.value().clone());
    }
    let no_rows = RecordBatch::new_empty(Arc::new(Schema::empty()));
    match expr.evaluate(&no_rows) {
        Ok(ColumnarValue::Scalar(value)) if !expr.is_volatile_node() => Some(value),
        _ => None,
    }
}

/// A number; where it is whole, as a whole one.
fn as_value(number: f64) -> Value {
    /// 2^53. Below, different whole numbers are different doubles.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        Value::Integer(number as i64)
    } else {
        Value::Real(number)
    }
}

/// The entry of a function, under one heading with all others.
pub(crate) fn documentation(
    function: &str,
    arguments: &[Argument],
    description: &str,
    example: &str,
) -> Documentation {
    let section = DocSection {
        include: true,
        label: "Explanations",
        description: None,
    };
    let documentation = Documentation::builder(section, description, usage(function, arguments))
        .with_sql_example(example);
    let all = arguments
        .iter()
        .fold(documentation, |documentation, argument| {
            documentation.with_argument(argument.name, argument.described())
        });
    all.build()
}

/// An error of a metric, with the function that it came from. The index is left out: it is a place in
/// a batch, and batches are the engine's.
pub(crate) fn failed(function: &str, error: xai_core::Error) -> DataFusionError {
    let error = error.at(&[]);
    let mut text = format!("{function}: {}", error.problem());
    if let Some(help) = error.help() {
        text += "; ";
        text += &help.render(as_option);
    }
    DataFusionError::Execution(text)
}

/// A setting of a parameter as SQL has it: a word among the options.
fn as_option(name: &str, value: Option<&str>) -> String {
    format!("'{}'", value.unwrap_or(name))
}

/// Two functions of one name are the same function.
macro_rules! known_by_name {
    ($function:ty) => {
        impl std::fmt::Debug for $function {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_tuple(stringify!($function))
                    .field(&self.definition.name)
                    .finish()
            }
        }

        impl PartialEq for $function {
            fn eq(&self, other: &Self) -> bool {
                self.definition.name == other.definition.name
            }
        }

        impl Eq for $function {}

        impl std::hash::Hash for $function {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.definition.name.hash(state);
            }
        }
    };
}
pub(crate) use known_by_name;

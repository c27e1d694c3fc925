//! A call of a function: its types and its constant arguments.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result, ScalarValue, plan_err};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::{DocSection, Documentation, Expr};
use datafusion::physical_expr::expressions::Literal;

use crate::function::argument::{Argument, Kind};

/// Where the stages of a query run: the states that the first of them makes of parts of the rows are merged by the next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stages {
    /// In one process, as those of a `SessionContext`.
    #[default]
    OneProcess,
    /// In processes that exchange states, as the executors of a cluster.
    SeveralProcesses,
}

#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) function: &'static str,
    pub(crate) types: Vec<DataType>,
    pub(crate) stages: Stages,
    arguments: &'static [Argument],
    constants: Vec<Option<ScalarValue>>,
}

impl Call {
    pub(crate) fn of_accumulator(
        function: &'static str,
        arguments: &'static [Argument],
        stages: Stages,
        args: &AccumulatorArgs<'_>,
    ) -> Self {
        let constant = |at: usize| Some(args.exprs[at].downcast_ref::<Literal>()?.value().clone());
        Self {
            function,
            types: args
                .expr_fields
                .iter()
                .map(|field| field.data_type().clone())
                .collect(),
            stages,
            arguments,
            constants: (0..args.exprs.len()).map(constant).collect(),
        }
    }

    /// Of expressions of a plan; their types are not looked at.
    pub(crate) fn of_plan(
        function: &'static str,
        arguments: &'static [Argument],
        exprs: &[Expr],
    ) -> Self {
        let constant = |expr: &Expr| match expr {
            Expr::Literal(value, _) => Some(value.clone()),
            _ => None,
        };
        let constants = exprs.iter().map(constant).collect();
        Self::of_constants(function, arguments, constants)
    }

    /// Of the constants alone: `None` for an argument that differs between rows. Its types are not looked at.
    pub(crate) fn of_constants(
        function: &'static str,
        arguments: &'static [Argument],
        constants: Vec<Option<ScalarValue>>,
    ) -> Self {
        Self {
            function,
            types: Vec::new(),
            stages: Stages::default(),
            arguments,
            constants,
        }
    }

    /// A constant number, where it is given.
    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>> {
        match self.constant(name)? {
            Some(value) => match value.cast_to(&DataType::Float64)? {
                ScalarValue::Float64(value) => Ok(value),
                _ => self.wrong(name, "must be a number"),
            },
            None => Ok(None),
        }
    }

    /// A constant text, where it is given.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>> {
        Ok(self.constant(name)?.and_then(|value| value.try_as_str()?))
    }

    /// A constant text as what it stands for.
    pub(crate) fn parsed<T: std::str::FromStr<Err = xai_core::Error>>(
        &self,
        name: &str,
    ) -> Result<Option<T>> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let parsed = text.parse().map(Some);
        parsed
            .or_else(|error: xai_core::Error| self.wrong(name, &format!("cannot be read: {error}")))
    }

    pub(crate) fn wrong<T>(&self, name: &str, why: &str) -> Result<T> {
        plan_err!("{}: the argument `{name}` {why}", self.function)
    }

    fn constant(&self, name: &str) -> Result<Option<&ScalarValue>> {
        let Some(at) = self.arguments.iter().position(|a| a.name == name) else {
            let what = format!("{} has no argument {name}", self.function);
            return Err(DataFusionError::Internal(what));
        };
        match self.constants.get(at) {
            None => Ok(None),
            Some(Some(value)) => Ok(Some(value).filter(|value| !value.is_null())),
            Some(None) => self.wrong(name, "must be a constant, the same for all rows"),
        }
    }

    /// The places of the arguments that differ between rows.
    pub(crate) fn columns(&self) -> Vec<usize> {
        let is_column = |at: &usize| {
            let kind = self.arguments[*at].kind;
            !matches!(kind, Kind::ConstantNumber | Kind::ConstantText)
        };
        (0..self.types.len()).filter(is_column).collect()
    }
}

/// The entry of a function, under one heading with all others.
pub(crate) fn documentation(usage: String, description: &str, example: &str) -> Documentation {
    let section = DocSection {
        include: true,
        label: "Explanations",
        description: None,
    };
    Documentation::builder(section, description, usage)
        .with_sql_example(example)
        .build()
}

/// An error of a metric, with the function that it came from. The index is left out: it is a place in
/// a batch, and batches are the engine's.
pub(crate) fn failed(function: &str, error: xai_core::Error) -> DataFusionError {
    let error = error.at(&[]);
    let mut text = format!("{function}: {}", error.problem());
    if let Some(help) = error.help() {
        text += "; ";
        text += &help.in_terms_of(as_option);
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

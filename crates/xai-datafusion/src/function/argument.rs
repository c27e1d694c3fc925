//! Arguments, the types that they take, and lists.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray};
use datafusion::arrow::buffer::{BooleanBuffer, NullBuffer};
use datafusion::arrow::datatypes::{ArrowNativeType, DataType, Field};
use datafusion::common::{Result, plan_err};
use xai_core::describe::{Kind as Values, Param, Parameters, Value};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) is_optional: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// A number, read as double precision.
    Number,
    /// A number whose single precision is kept.
    Score,
    /// A number or a truth value, read as double precision.
    Truth,
    /// A class: an integer or a truth value.
    Class,
    /// A class, or a row of outputs.
    ClassOrOutputs,
    /// A row of outputs: a list of numbers whose single precision is kept.
    Outputs,
    /// A list of numbers, read as double precision.
    Numbers,
    /// A list of classes.
    Classes,
    /// A list of truth values.
    Truths,
    /// Anything.
    Any,
    /// A constant: the parameter of the argument's name among these.
    Parameter(fn() -> Vec<Param>),
    /// A constant text: words, each of which is the value of one of these parameters.
    Words(fn() -> Vec<Param>),
}

impl Argument {
    pub(crate) const fn new(name: &'static str, kind: Kind) -> Self {
        let is_optional = false;
        Self {
            name,
            kind,
            is_optional,
        }
    }

    pub(crate) const fn optional(name: &'static str, kind: Kind) -> Self {
        let is_optional = true;
        Self {
            name,
            kind,
            is_optional,
        }
    }

    /// The parameter of this name of `P`, a constant that need not be given.
    pub(crate) const fn parameter<P: Parameters + Default>(name: &'static str) -> Self {
        Self::optional(name, Kind::Parameter(|| P::default().params()))
    }

    /// Returns whether the argument must be the same for all rows.
    pub(crate) const fn is_constant(&self) -> bool {
        matches!(self.kind, Kind::Parameter(_) | Kind::Words(_))
    }

    /// The parameters that a constant sets; none where the argument differs between rows.
    pub(crate) fn params(&self) -> Vec<Param> {
        match self.kind {
            Kind::Words(params) => params(),
            Kind::Parameter(params) => {
                let mut params = params();
                params.retain(|param| param.name == self.name);
                params
            }
            _ => Vec::new(),
        }
    }

    /// Returns the description for the documentation.
    pub(crate) fn described(&self) -> String {
        let params = self.params();
        let described: Vec<String> = params.iter().map(described).collect();
        match self.kind {
            Kind::Words(_) => format!("words with spaces between them. {}", described.join(" ")),
            Kind::Parameter(_) => described.concat(),
            _ => self.kind.expected().to_owned(),
        }
    }

    /// The type that values of this type are read as.
    fn coerced(&self, given: &DataType) -> Option<DataType> {
        use DataType::{Boolean, Float32, Float64, Int64, Null, Utf8};
        let given = match given {
            DataType::Dictionary(_, values) => values,
            given => given,
        };
        let number = |given: &DataType| given.is_numeric() || *given == Null;
        let integer = |given: &DataType| given.is_integer() || matches!(given, Boolean | Null);
        let precision = |given: &DataType| match given {
            Float32 => Float32,
            _ => Float64,
        };
        let outputs = |given: &DataType| match (element(given), given) {
            (Some(of), _) if number(of) => Some(list(precision(of))),
            (_, Null) => Some(list(Float64)),
            _ => None,
        };
        let text = match given {
            Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(Utf8),
            _ => None,
        };
        match self.kind {
            Kind::Number => number(given).then_some(Float64),
            Kind::Score => number(given).then(|| precision(given)),
            Kind::Truth => (number(given) || *given == Boolean).then_some(Float64),
            Kind::Class => integer(given).then_some(Int64),
            Kind::ClassOrOutputs if integer(given) => Some(Int64),
            Kind::ClassOrOutputs | Kind::Outputs => outputs(given),
            Kind::Numbers => outputs(given).map(|_| list(Float64)),
            Kind::Classes => match element(given) {
                Some(of) => integer(of).then(|| list(Int64)),
                None => (*given == Null).then(|| list(Int64)),
            },
            Kind::Truths => match element(given) {
                Some(of) => matches!(of, Boolean | Null).then(|| list(Boolean)),
                None => (*given == Null).then(|| list(Boolean)),
            },
            Kind::Any => Some(given.clone()),
            // The type stays as it is: a cast literal is not recognised as a constant until the plan is simplified.
            Kind::Parameter(_) if self.is_number() => number(given).then(|| given.clone()),
            Kind::Parameter(_) | Kind::Words(_) => text,
        }
    }

    fn is_number(&self) -> bool {
        let of = |param: &Param| matches!(param.kind, Values::Real(_) | Values::Integer(_));
        self.params().iter().any(of)
    }

    fn expected(&self) -> &'static str {
        match self.kind {
            Kind::Parameter(_) if self.is_number() => "a constant number",
            kind => kind.expected(),
        }
    }
}

/// A parameter in sentences: what it is, its values, and the one where none is given.
fn described(param: &Param) -> String {
    let words: Vec<String> = param
        .kind
        .words()
        .map(|word| format!("'{word}' ({})", word.doc.trim_end_matches('.')))
        .collect();
    let values = if words.is_empty() {
        param.kind.to_string()
    } else {
        words.join(", ")
    };
    let doc = param.doc.trim_end_matches('.');
    match &param.value {
        Value::Text(word) => format!("{doc}: {values}; '{word}' unless given."),
        value => format!("{doc}: {values}; {value} unless given."),
    }
}

impl Kind {
    fn expected(self) -> &'static str {
        match self {
            Self::Number | Self::Score => "a number",
            Self::Truth => "a number or a Boolean",
            Self::Class => "a class (an integer or a Boolean)",
            Self::ClassOrOutputs => "a class (an integer or a Boolean) or a list of numbers",
            Self::Outputs | Self::Numbers => "a list of numbers",
            Self::Classes => "a list of classes (integers or Booleans)",
            Self::Truths => "a list of Booleans",
            Self::Any => "any type",
            Self::Parameter(_) | Self::Words(_) => "a constant text",
        }
    }
}

/// The types that the arguments of a call are read as.
///
/// # Errors
/// A planning error that names the argument.
pub(crate) fn coerced(
    function: &str,
    arguments: &[Argument],
    given: &[DataType],
) -> Result<Vec<DataType>> {
    let n_required = arguments.iter().filter(|a| !a.is_optional).count();
    if given.len() < n_required || given.len() > arguments.len() {
        let n = if n_required == arguments.len() {
            n_required.to_string()
        } else {
            format!("{n_required} to {}", arguments.len())
        };
        return plan_err!(
            "{}: expected {n} arguments, got {}",
            usage(function, arguments),
            given.len()
        );
    }
    let types = arguments
        .iter()
        .zip(given)
        .map(|(argument, given)| {
            let Some(coerced) = argument.coerced(given) else {
                return plan_err!(
                    "{}: the argument `{}` must be {}, got {given}",
                    usage(function, arguments),
                    argument.name,
                    argument.expected()
                );
            };
            Ok(coerced)
        })
        .collect();
    check_lengths(function, arguments, given)?;
    types
}

/// The lists of a row have one length. Where the type of a column tells its length, that is known without rows.
fn check_lengths(function: &str, arguments: &[Argument], given: &[DataType]) -> Result<()> {
    let mut fixed = arguments.iter().zip(given).filter_map(|(a, given)| {
        let DataType::FixedSizeList(_, length) = given else {
            return None;
        };
        (!matches!(a.kind, Kind::Any)).then_some((a.name, *length))
    });
    let Some((first, expected)) = fixed.next() else {
        return Ok(());
    };
    match fixed.find(|(_, length)| *length != expected) {
        Some((other, length)) => plan_err!(
            "{}: the lists of `{first}` have {expected} elements, those of `{other}` {length}; expected one length",
            usage(function, arguments)
        ),
        None => Ok(()),
    }
}

/// The call as documentation writes it: `f(a, b[, c])`, and `f(a, …)` where all arguments are alike.
pub(crate) fn usage(function: &str, arguments: &[Argument]) -> String {
    if let [first, second, ..] = arguments
        && first.name == second.name
    {
        return format!("{function}({}, …)", first.name);
    }
    let mut usage = format!("{function}(");
    for (i, argument) in arguments.iter().enumerate() {
        usage += match (i, argument.is_optional) {
            (0, _) => "",
            (_, false) => ", ",
            (_, true) => "[, ",
        };
        usage += argument.name;
    }
    usage += &"]".repeat(arguments.iter().filter(|a| a.is_optional).count());
    usage + ")"
}

/// Returns the element type of a list.
fn element(given: &DataType) -> Option<&DataType> {
    match given {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _) => Some(field.data_type()),
        _ => None,
    }
}

pub(crate) fn list(of: DataType) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(of, true)))
}

/// The lists of a column, by row.
pub(crate) struct Lists<'a, N> {
    offsets: &'a [i32],
    elements: &'a [N],
}

impl<'a, N: ArrowNativeType> Lists<'a, N> {
    /// A column of type `List` whose elements are of type `T`.
    pub(crate) fn new<T: ArrowPrimitiveType<Native = N>>(column: &'a ArrayRef) -> Self {
        let lists = column.as_list::<i32>();
        Self {
            offsets: lists.value_offsets(),
            elements: lists.values().as_primitive::<T>().values(),
        }
    }

    pub(crate) fn row(&self, row: usize) -> &'a [N] {
        self.rows(&(row..row + 1))
    }

    /// The elements of neighbouring rows, one row after the other.
    pub(crate) fn rows(&self, rows: &Range<usize>) -> &'a [N] {
        &self.elements[self.offsets[rows.start] as usize..self.offsets[rows.end] as usize]
    }

    /// Returns the elements of all rows one after the other and the length of a row, if all rows have the same.
    pub(crate) fn equal_length(&self) -> Option<(&'a [N], usize)> {
        let (first, last) = (*self.offsets.first()?, *self.offsets.last()?);
        let n = self.offsets.get(1)? - first;
        let is_regular = self.offsets.windows(2).all(|ends| ends[1] - ends[0] == n);
        is_regular.then(|| (&self.elements[first as usize..last as usize], n as usize))
    }
}

/// Returns the rows that have a value, `None` if all have one (it may also be a buffer without NULL). A list with a
/// NULL element counts as NULL.
pub(crate) fn present(column: &ArrayRef) -> Option<NullBuffer> {
    let nulls = column.logical_nulls();
    let DataType::List(_) = column.data_type() else {
        return nulls;
    };
    let lists = column.as_list::<i32>();
    let Some(elements) = lists
        .values()
        .logical_nulls()
        .filter(|n| n.null_count() > 0)
    else {
        return nulls;
    };
    let offsets = lists.value_offsets();
    let is_whole = |row: usize| {
        let (start, end) = (offsets[row] as usize, offsets[row + 1] as usize);
        (start..end).all(|element| elements.is_valid(element))
    };
    let whole = NullBuffer::new(BooleanBuffer::collect_bool(lists.len(), is_whole));
    NullBuffer::union(nulls.as_ref(), Some(&whole))
}

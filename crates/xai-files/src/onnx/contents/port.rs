//! Inputs and outputs that the file of a model declares.

use std::fmt;
use std::fmt::Display;

use crate::onnx::contents::element;
use crate::onnx::contents::proto::{self, Shape, ValueInfo};

/// An input or an output of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) kind: PortKind,
    /// The declared shape, if there is one.
    pub(crate) shape: Option<Vec<Dimension>>,
}

/// The type of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PortKind {
    /// An array with elements of this [type](element).
    Array(i32),
    /// A map from classes to scores for each sample, the output of `ZipMap`.
    Maps,
    /// Another type.
    Other,
    /// Not declared.
    Unknown,
}

/// The length of an axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dimension {
    Fixed(usize),
    /// Any length. In ONNX, axes with the same name have the same length; axes without a name are called `?` here.
    Named(String),
}

impl Port {
    /// Creates a port. `None` if it has no name.
    pub(super) fn new(info: &ValueInfo) -> Option<Self> {
        let name = info.name.clone()?;
        let tensor = info.of_type.as_ref().and_then(|it| it.tensor.as_ref());
        let kind = match (&info.of_type, tensor) {
            (None, _) => PortKind::Unknown,
            (_, Some(tensor)) => tensor.elem_type.map_or(PortKind::Unknown, PortKind::Array),
            (Some(other), None) => {
                let sequence = other.sequence.as_ref();
                let element = sequence.and_then(|it| it.elem_type.as_ref());
                let map = element.and_then(|it| it.map.as_ref());
                map.map_or(PortKind::Other, |_| PortKind::Maps)
            }
        };
        let axes = |shape: &Shape| shape.dim.iter().map(Dimension::new).collect();
        let shape = tensor.and_then(|it| it.shape.as_ref()).map(axes);
        Some(Self { name, kind, shape })
    }

    /// Checks the shape of an array against the declared one.
    pub(crate) fn check(&self, shape: &[usize]) -> Result<(), String> {
        let Some(declared) = &self.shape else {
            return Ok(());
        };
        let fits = |(declared, n): (&Dimension, &usize)| match declared {
            Dimension::Fixed(fixed) => fixed == n,
            Dimension::Named(_) => true,
        };
        if declared.len() == shape.len() && declared.iter().zip(shape).all(fits) {
            return Ok(());
        }
        let axes: Vec<String> = declared.iter().map(ToString::to_string).collect();
        Err(format!(
            "its input {:?} takes the shape [{}], got {shape:?}",
            self.name,
            axes.join(", ")
        ))
    }
}

impl Dimension {
    fn new(axis: &proto::Dimension) -> Self {
        let fixed = axis.dim_value.and_then(|n| usize::try_from(n).ok());
        let name = || axis.dim_param.clone().unwrap_or_else(|| "?".to_owned());
        fixed.map_or_else(|| Self::Named(name()), Self::Fixed)
    }
}

impl Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(n) => write!(f, "{n}"),
            Self::Named(name) => f.write_str(name),
        }
    }
}

impl Display for PortKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Array(elements) => f.write_str(&element::name(elements)),
            Self::Maps => f.write_str("maps from classes to scores"),
            Self::Other => f.write_str("sequence or map"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}

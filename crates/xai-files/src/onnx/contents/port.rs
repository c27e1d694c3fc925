//! Inputs and outputs of a model, as its file declares them.

use std::fmt;
use std::fmt::Display;

use crate::onnx::contents::element;
use crate::onnx::contents::wire::{Value, bytes_of, fields, number_of, text};

/// An input or an output of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The declared shape, where there is one.
    pub(crate) shape: Option<Vec<Dimension>>,
}

/// What goes through a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An array of elements of a type.
    Array(u64),
    /// A map per sample, from classes to their scores: what `ZipMap` makes.
    Maps,
    /// Something else.
    Other,
    /// The file does not say.
    Unknown,
}

/// The length of an axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dimension {
    Fixed(usize),
    /// Any length; axes of the same name have the same.
    Named(String),
}

impl Port {
    /// Reads a `ValueInfoProto`.
    pub(super) fn read(message: &[u8]) -> Option<Self> {
        let name = text(bytes_of(message, 1)?);
        let Some(declared) = bytes_of(message, 2) else {
            return Some(Self {
                name,
                kind: Kind::Unknown,
                shape: None,
            });
        };
        let array = bytes_of(declared, 1);
        let kind = match (array, bytes_of(declared, 4)) {
            (Some(array), _) => number_of(array, 1).map_or(Kind::Unknown, Kind::Array),
            (None, Some(sequence)) => {
                let of_maps = bytes_of(sequence, 1).and_then(|of| bytes_of(of, 5));
                of_maps.map_or(Kind::Other, |_| Kind::Maps)
            }
            (None, None) => Kind::Other,
        };
        let shape = array.and_then(|array| bytes_of(array, 2));
        Some(Self {
            name,
            kind,
            shape: shape.map(|shape| fields(shape).filter_map(dimension).collect()),
        })
    }

    /// Holds the shape of an array against the declared one.
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

/// A dimension of a `TensorShapeProto`.
fn dimension((number, value): (u64, Value<'_>)) -> Option<Dimension> {
    let (1, Value::Bytes(dimension)) = (number, value) else {
        return None;
    };
    let fixed = number_of(dimension, 1).and_then(|n| usize::try_from(n as i64).ok());
    Some(match fixed {
        Some(fixed) => Dimension::Fixed(fixed),
        None => Dimension::Named(bytes_of(dimension, 2).map_or_else(|| "?".to_owned(), text)),
    })
}

impl Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(n) => write!(f, "{n}"),
            Self::Named(name) => f.write_str(name),
        }
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Array(of) => f.write_str(&element::name(of)),
            Self::Maps => f.write_str("maps from classes to scores"),
            Self::Other => f.write_str("sequence or map"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}

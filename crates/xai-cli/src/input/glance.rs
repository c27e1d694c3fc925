//! What a file holds, by its beginning alone.

use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use super::npy::{self, Dtype};
use super::table::Table;
use super::{archive, arrays};
use crate::failure::{Failure, InFile};

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Glance {
    /// An array.
    Array { shape: Vec<usize>, numbers: Kind },
    /// A table, by its columns.
    Table(Vec<String>),
    /// A model.
    Model,
    /// Something that only its reader knows.
    Other,
}

/// What the numbers of an array are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Booleans,
    Integers,
    Floats,
}

impl Glance {
    /// Looks at a file. Arrays of archives are read whole, all others by their header.
    ///
    /// # Errors
    /// A file that cannot be opened, or does not begin as its name says.
    pub(crate) fn at(file: &Path) -> Result<Self, Failure> {
        if archive::entry_of(file).is_some() {
            let stored = arrays::read(file)?;
            let numbers = if stored.is_boolean() {
                Kind::Booleans
            } else {
                Kind::Floats
            };
            return Ok(Self::Array {
                shape: stored.shape().to_vec(),
                numbers,
            });
        }
        let opened = File::open(file)
            .map_err(Failure::cannot_be_opened)
            .in_file(file)?;
        let metadata = opened
            .metadata()
            .map_err(Failure::cannot_be_read)
            .in_file(file)?;
        // A pipe is read once, by the reader who needs what it holds.
        if !metadata.is_file() {
            return match metadata.is_dir() {
                true => Err(Failure::new("a folder: expected a file").in_file(file)),
                false => Ok(Self::Other),
            };
        }
        let extension = file
            .extension()
            .map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("npy") => array(opened).in_file(file),
            Some("csv") => Ok(Self::Table(Table::read(file)?.header().names().to_vec())),
            Some("onnx") if metadata.len() == 0 => Err(Failure::new("an empty file").in_file(file)),
            Some("onnx") => Ok(Self::Model),
            _ => Ok(Self::Other),
        }
    }

    /// The lengths of the axes of an array.
    pub(crate) fn shape(&self) -> Option<&[usize]> {
        match self {
            Self::Array { shape, .. } => Some(shape),
            _ => None,
        }
    }
}

fn array(file: File) -> Result<Glance, Failure> {
    let header = npy::header(&mut BufReader::new(file))?;
    let (dtype, _) = Dtype::of(&header)?;
    let numbers = match dtype {
        Dtype::Bool => Kind::Booleans,
        Dtype::F16 | Dtype::F32 | Dtype::F64 => Kind::Floats,
        _ => Kind::Integers,
    };
    Ok(Glance::Array {
        shape: header.shape,
        numbers,
    })
}

impl fmt::Display for Glance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Array { shape, numbers } => {
                let numbers = match numbers {
                    Kind::Booleans => "booleans",
                    Kind::Integers => "integers",
                    Kind::Floats => "floats",
                };
                let axes: Vec<String> = shape.iter().map(usize::to_string).collect();
                let comma = if shape.len() == 1 { "," } else { "" };
                write!(f, "{numbers} ({}{comma})", axes.join(", "))
            }
            Self::Table(columns) => write!(f, "table of {} columns", columns.len()),
            Self::Model => f.write_str("model"),
            Self::Other => f.write_str("not looked at"),
        }
    }
}

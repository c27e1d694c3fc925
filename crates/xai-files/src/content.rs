//! Recognition of the contents of a file by its name and header.

use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use super::arrays::{self, ElementType};
use super::npy::{self, Dtype};
use super::npz;
use super::table::Table;

use crate::failure::{Failure, InFile};

/// The contents of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// An array.
    Array {
        /// The length of each axis.
        shape: Vec<usize>,
        /// The type of its elements.
        elements: ElementType,
    },
    /// A table with its columns.
    Table(Vec<String>),
    /// A model.
    Model,
    /// A JSON document.
    Json,
    /// Another format (also an archive without the name of an array), a pipe or a device.
    Other,
}

impl Content {
    /// Recognizes a file by its extension. An array `file.npz:name` is read completely, and `.npy` and `.csv` files are
    /// read up to their header. Other files are not read.
    ///
    /// # Errors
    /// The file cannot be opened or read, is a folder, is an empty `.onnx` file, or its first bytes do not match its
    /// name.
    pub fn detect(file: &Path) -> Result<Self, Failure> {
        if npz::split_entry(file).is_some() {
            let stored = arrays::read(file)?;
            return Ok(Self::Array {
                shape: stored.shape().to_vec(),
                elements: stored.element_type(),
            });
        }
        let opened = File::open(file)
            .map_err(Failure::cannot_be_opened)
            .in_file(file)?;
        let metadata = opened
            .metadata()
            .map_err(Failure::cannot_be_read)
            .in_file(file)?;
        // A pipe can be read only once, by the reader that needs it.
        if !metadata.is_file() {
            return if metadata.is_dir() {
                Err(Failure::new("a folder: expected a file").in_file(file))
            } else {
                Ok(Self::Other)
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
            Some("json") => Ok(Self::Json),
            _ => Ok(Self::Other),
        }
    }

    /// The shape, if the file is an array.
    pub fn shape(&self) -> Option<&[usize]> {
        match self {
            Self::Array { shape, .. } => Some(shape),
            _ => None,
        }
    }
}

/// Recognizes an array by its header.
fn array(file: File) -> Result<Content, Failure> {
    let header = npy::read_header(&mut BufReader::new(file))?;
    let (dtype, _) = Dtype::from_header(&header)?;
    let elements = match dtype {
        Dtype::Bool => ElementType::Boolean,
        Dtype::F16 | Dtype::F32 | Dtype::F64 => ElementType::Float,
        _ => ElementType::Integer,
    };
    Ok(Content::Array {
        shape: header.shape,
        elements,
    })
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Array { shape, elements } => {
                let elements = match elements {
                    ElementType::Boolean => "booleans",
                    ElementType::Integer => "integers",
                    ElementType::Float => "floats",
                };
                let axes: Vec<String> = shape.iter().map(usize::to_string).collect();
                let comma = if shape.len() == 1 { "," } else { "" };
                write!(f, "{elements} ({}{comma})", axes.join(", "))
            }
            Self::Table(columns) => write!(f, "table of {} columns", columns.len()),
            Self::Model => f.write_str("model"),
            Self::Json => f.write_str("JSON"),
            Self::Other => f.write_str("not looked at"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use ndarray_npy::NpzWriter;

    #[test]
    fn arrays_of_archives_have_their_type_of_elements() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("arrays.npz");
        let mut writer = NpzWriter::new(File::create(&archive).unwrap());
        writer.add_array("labels", &array![1_i64, 2]).unwrap();
        writer.add_array("mask", &array![[true], [false]]).unwrap();
        writer.add_array("scores", &array![0.5_f32]).unwrap();
        writer.finish().unwrap();
        for (name, described) in [
            ("labels", "integers (2,)"),
            ("mask", "booleans (2, 1)"),
            ("scores", "floats (1,)"),
        ] {
            let entry = format!("{}:{name}", archive.display());
            assert_eq!(
                Content::detect(Path::new(&entry)).unwrap().to_string(),
                described
            );
        }
    }
}

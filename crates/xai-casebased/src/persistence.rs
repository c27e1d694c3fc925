//! Fitted explainers in files.

use std::io::{Read, Write};
use std::sync::Arc;

use ndarray::Array2;
use serde::{Deserialize, Serialize};
use xai_core::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

use crate::CaseExplainer;
use crate::explainer::Choices;

/// The first bytes of every file.
const MAGIC: &[u8; 8] = b"XAICASES";

/// Raised when the content changes its meaning; older builds then refuse newer files.
const VERSION: u32 = 1;

/// Magic, version, length of the content.
const HEADER: usize = 20;

/// The checksum at the end.
const TRAILER: usize = 8;

/// What is stored: the rows and the choices. Searches are built again from them, which takes less time
/// than reading them would, and leaves nothing in a file that could contradict the rows.
#[derive(Serialize)]
struct Stored<'a> {
    choices: &'a Choices,
    n_features: usize,
    labels: &'a [i64],
    rows: &'a [f64],
}

#[derive(Deserialize)]
struct Loaded {
    choices: Choices,
    n_features: usize,
    labels: Vec<i64>,
    rows: Vec<f64>,
}

impl CaseExplainer {
    /// Writes the explainer: its training rows, labels, metadata and choices. What
    /// [`load`](Self::load) makes of it gives the same explanations to the last bit.
    ///
    /// The file holds all training rows, redacted columns included: keep it where the training data
    /// may be.
    ///
    /// Format, all numbers little-endian: `XAICASES`, the version (`u32`), the length of the content
    /// (`u64`), the content in postcard encoding, and the XXH3 checksum (`u64`) of everything before.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] when the weighting or the similarity is a closure, which no file
    /// can hold; [`Error::Io`].
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::CaseExplainer;
    /// let explainer = CaseExplainer::builder().k(2).fit(array![[0.0], [1.0], [5.0]].view(), &[0, 0, 1])?;
    /// let mut file = Vec::new();
    /// explainer.save(&mut file)?;
    /// let again = CaseExplainer::load(&file[..])?;
    /// let sample = array![0.4];
    /// assert_eq!(again.explain(sample.view(), 0)?, explainer.explain(sample.view(), 0)?);
    /// file[40] ^= 1;
    /// assert!(CaseExplainer::load(&file[..]).unwrap_err().to_string().contains("damaged"));
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn save(&self, mut to: impl Write) -> Result<()> {
        let (choices, rows, labels, similarity) = self.stored_parts();
        if similarity != "features" {
            return Err(Error::parameter(
                "similarity",
                similarity,
                "features: a closure cannot be stored; fit the explainer again instead",
            ));
        }
        if choices.kernel.is_none() {
            return Err(Error::parameter(
                "weighting",
                "a closure",
                "one of the kernels: a closure cannot be stored",
            ));
        }
        let rows_in_order = rows.as_standard_layout();
        let content = postcard::to_stdvec(&Stored {
            choices,
            n_features: rows.ncols(),
            labels,
            rows: rows_in_order.as_slice().unwrap_or_default(),
        })
        .map_err(|e| io(std::io::Error::other(e)))?;
        let mut bytes = Vec::with_capacity(HEADER + content.len() + TRAILER);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&(content.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&content);
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        to.write_all(&bytes).and_then(|()| to.flush()).map_err(io)
    }

    /// Reads what [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// [`Error::Corrupt`] for a file that is foreign, of a newer version, cut off, or damaged;
    /// [`Error::Io`]; what [`fit`](crate::CaseExplainerBuilder::fit) says of the content.
    pub fn load(mut from: impl Read) -> Result<Self> {
        // What is foreign is not read to its end.
        let mut bytes = Vec::new();
        let mut header = from.by_ref().take(HEADER as u64);
        header.read_to_end(&mut bytes).map_err(io)?;
        let rest = announced_length(&bytes)?.saturating_add(TRAILER as u64 + 1);
        from.take(rest).read_to_end(&mut bytes).map_err(io)?;
        let content = checked_content(&bytes)?;
        let loaded: Loaded = postcard::from_bytes(content)
            .map_err(|_| {
            corrupt("damaged, or stored with a feature that this build lacks: the content cannot be read")
        })?;
        let n_rows = loaded.labels.len();
        if n_rows == 0 || loaded.n_features == 0 {
            return Err(corrupt("damaged: no training rows"));
        }
        let rows = Array2::from_shape_vec((n_rows, loaded.n_features), loaded.rows)
            .map_err(|_| corrupt("damaged: rows and labels do not belong together"))?;
        if loaded.choices.kernel.is_none() {
            return Err(corrupt("damaged: no weighting"));
        }
        loaded
            .choices
            .into_builder()
            .fit_rows(Arc::new(rows), loaded.labels)
    }
}

/// The length of the content that a header announces.
fn announced_length(bytes: &[u8]) -> Result<u64> {
    if !bytes.starts_with(MAGIC) {
        return Err(corrupt(
            "not a stored explainer: it does not begin with XAICASES",
        ));
    }
    let too_short = || corrupt("cut off: the file ends within its header");
    let version = bytes.get(8..12).ok_or_else(too_short)?;
    let version = u32::from_le_bytes(version.try_into().map_err(|_| too_short())?);
    if version != VERSION {
        return Err(corrupt(format!(
            "stored in version {version} of the format; this build reads version {VERSION}"
        )));
    }
    let length = bytes.get(12..HEADER).ok_or_else(too_short)?;
    Ok(u64::from_le_bytes(
        length.try_into().map_err(|_| too_short())?,
    ))
}

fn checked_content(bytes: &[u8]) -> Result<&[u8]> {
    let length = announced_length(bytes)?;
    let expected = length.checked_add((HEADER + TRAILER) as u64);
    if expected != Some(bytes.len() as u64) {
        return Err(corrupt(format!(
            "cut off or damaged: the header announces a content of {length} bytes"
        )));
    }
    let (checked, checksum) = bytes.split_at(bytes.len() - TRAILER);
    if xxh3_64(checked).to_le_bytes() != checksum {
        return Err(corrupt("damaged: the checksum does not match"));
    }
    Ok(&checked[HEADER..])
}

fn corrupt(why: impl Into<xai_core::Name>) -> Error {
    Error::Corrupt {
        what: "stored explainer".into(),
        why: why.into(),
    }
}

fn io(source: std::io::Error) -> Error {
    Error::Io {
        what: "stored explainer".into(),
        source,
    }
}

//! Storage of fitted explainers.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use xai_core::error::Name;
use xai_core::{Distance, Error, Kernel, Result};
use xai_neighbors::Engine;
use xxhash_rust::xxh3::xxh3_64;

use crate::correspondence::level::Thresholds;
use crate::correspondence::metric::CorrespondenceMetric;
use crate::explainer::case_explainer::CaseExplainer;
use crate::explainer::choices::{CaseExplainerBuilder, Choices, DisclosureChoices};
use crate::similarity::strategy::SimilarityKind;
use crate::training::Matrix;
use crate::training::metadata::Metadata;
use crate::{help, input};

/// The first bytes of every file.
const MAGIC: &[u8; 8] = b"XAICASES";

/// Version of the format. It increases when the format or the meaning of the content changes; files of other
/// versions are refused.
const VERSION: u32 = 2;

/// Length of the header: magic bytes, version, flags, length of the content.
const HEADER: usize = 24;

/// Flag of files that contain the values of redacted features.
const HOLDS_REDACTED: u32 = 1;

/// Length of the checksum at the end.
const TRAILER: usize = 8;

/// Stored content: the settings and the rows. The search is built again when a file is loaded, which is faster than
/// reading it would be, and nothing in a file can then contradict the rows.
#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    choices: StoredChoices<'a>,
    n_features: usize,
    labels: Cow<'a, [i64]>,
    rows: Cow<'a, [f64]>,
}

/// The settings. The order of the fields is part of the format.
#[derive(Serialize, Deserialize)]
struct StoredChoices<'a> {
    k: usize,
    distance: Cow<'a, Distance>,
    engine: Engine,
    scale: bool,
    provenance: bool,
    /// Always `Some` in files that `save` writes.
    kernel: Option<Kernel>,
    class_weights: Cow<'a, [(i64, f64)]>,
    /// Thresholds of high and medium.
    thresholds: (f64, f64),
    class_names: Cow<'a, BTreeMap<i64, Arc<str>>>,
    feature_names: Cow<'a, Option<Vec<String>>>,
    metadata: Cow<'a, Metadata>,
    redacted: Cow<'a, [String]>,
    aggregate_minimum: Option<usize>,
}

impl<'a> StoredChoices<'a> {
    fn new(explainer: &'a CaseExplainer, kernel: Kernel) -> Self {
        let (choices, disclosure) = (&explainer.choices, explainer.disclosure.choices());
        let thresholds = choices.correspondence.level_thresholds();
        Self {
            k: choices.k,
            distance: Cow::Borrowed(&explainer.distance),
            engine: choices.engine,
            scale: choices.scale,
            provenance: disclosure.provenance,
            kernel: Some(kernel),
            class_weights: Cow::Borrowed(&choices.class_weights),
            thresholds: (thresholds.high, thresholds.medium),
            class_names: Cow::Borrowed(&disclosure.class_names),
            feature_names: Cow::Borrowed(&disclosure.feature_names),
            metadata: Cow::Borrowed(&disclosure.metadata),
            redacted: Cow::Borrowed(&disclosure.redacted),
            aggregate_minimum: disclosure.aggregate_minimum,
        }
    }

    fn into_builder(self) -> Result<CaseExplainerBuilder> {
        let Some(kernel) = self.kernel else {
            return Err(corrupt("damaged: no weighting"));
        };
        let (high, medium) = self.thresholds;
        let choices = Choices {
            k: self.k,
            distance: self.distance.into_owned().into(),
            engine: self.engine,
            scale: self.scale,
            correspondence: CorrespondenceMetric::new()
                .weighting(kernel)
                .thresholds(Thresholds { high, medium }),
            class_weights: self.class_weights.into_owned(),
        };
        let disclosure = DisclosureChoices {
            provenance: self.provenance,
            class_names: self.class_names.into_owned(),
            feature_names: self.feature_names.into_owned(),
            metadata: self.metadata.into_owned(),
            redacted: self.redacted.into_owned(),
            aggregate_minimum: self.aggregate_minimum,
        };
        Ok(CaseExplainerBuilder::from_choices(choices, disclosure))
    }
}

impl CaseExplainer {
    /// Writes the explainer with its training rows, labels, metadata and settings. After [`load`](Self::load), it gives
    /// the same explanations to the last bit.
    ///
    /// The file contains all features of all training rows, so protect it like the training data. An explainer with
    /// [redacted](crate::CaseExplainerBuilder::redact) features is only written with
    /// [`SaveOptions::store_redacted`]. Redacted metadata is never in the file.
    ///
    /// Format, with little-endian numbers: `XAICASES`, the version (`u32`), flags (`u32`; 1 = the file contains the
    /// values of redacted features), the length of the content (`u64`), the content in postcard encoding, and the
    /// XXH3 checksum (`u64`) of everything before.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) if the weighting, the distance or the
    /// similarity is a function, which cannot be stored; [`ErrorKind::Refused`](xai_core::ErrorKind::Refused) for
    /// redacted features; and [`ErrorKind::Io`](xai_core::ErrorKind::Io) if writing fails. Nothing is written before
    /// the checks.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::CaseExplainer;
    /// use xai_core::ErrorKind;
    /// let explainer = CaseExplainer::builder().k(2).fit(array![[0.0], [1.0], [5.0]].view(), &[0, 0, 1])?;
    /// let mut file = Vec::new();
    /// explainer.save(&mut file)?;
    /// let again = CaseExplainer::load(&file[..])?;
    /// let sample = array![0.4];
    /// assert_eq!(again.explain(sample.view(), 0)?, explainer.explain(sample.view(), 0)?);
    /// file[40] ^= 1;
    /// assert!(matches!(CaseExplainer::load(&file[..]).unwrap_err().kind(), ErrorKind::Corrupt { .. }));
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn save(&self, to: impl Write) -> Result<()> {
        self.save_with(to, SaveOptions::new())
    }

    /// As [`save`](Self::save), with options.
    ///
    /// # Errors
    /// As [`save`](Self::save).
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::{CaseExplainer, SaveOptions};
    /// let explainer = CaseExplainer::builder().k(1).redact("feature_0").fit(array![[1.0], [5.0]].view(), &[0, 1])?;
    /// let mut file = Vec::new();
    /// assert!(explainer.save(&mut file).is_err());
    /// explainer.save_with(&mut file, SaveOptions::new().store_redacted(true))?;
    /// assert!(CaseExplainer::load(&file[..])?.training_info().file_holds_redacted);
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn save_with(&self, mut to: impl Write, options: SaveOptions) -> Result<()> {
        if self.similarity != SimilarityKind::Features {
            let error = Error::parameter(input::SIMILARITY, self.similarity, "features");
            return Err(error.with_help(help::FIT_AGAIN));
        }
        let Some(kernel) = self.correspondence.kernel() else {
            let error = Error::parameter(input::WEIGHTING, "a closure", "one of the kernels");
            return Err(error.with_help(help::CHOOSE_A_KERNEL));
        };
        if self.choices.distance.custom().is_some() {
            let error = Error::parameter(input::DISTANCE, "a function", "a distance by name");
            return Err(error.with_help(help::FIT_AGAIN));
        }
        let holds_redacted = self.disclosure.redacts_features();
        if holds_redacted && !options.store_redacted {
            let why = format!(
                "the file would contain all values of the redacted features ({}), because distances need them",
                self.disclosure.redacted_features().join(", ")
            );
            let error = Error::refused(input::STORED_EXPLAINER, why);
            return Err(error.with_help(help::STORE_REDACTED));
        }
        // Encoded in memory first: the header needs its length, and nothing is written if the encoding fails.
        let content = postcard::to_stdvec(&Stored {
            choices: StoredChoices::new(self, kernel),
            n_features: self.train.n_columns(),
            labels: Cow::Borrowed(&self.labels),
            rows: Cow::Borrowed(self.train.as_slice()),
        })
        .map_err(|e| io(std::io::Error::other(e)))?;
        let flags = if holds_redacted { HOLDS_REDACTED } else { 0 };
        let mut bytes = Vec::with_capacity(HEADER + content.len() + TRAILER);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&flags.to_le_bytes());
        bytes.extend_from_slice(&(content.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&content);
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        to.write_all(&bytes).and_then(|()| to.flush()).map_err(io)
    }

    /// Reads an explainer that [`save`](Self::save) wrote.
    ///
    /// [`TrainingInfo::file_holds_redacted`](crate::TrainingInfo::file_holds_redacted) of the explainer says
    /// whether the file contains the values of redacted features.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`](xai_core::ErrorKind::Corrupt) for a file of another format or
    /// version, or one that is truncated or damaged; [`ErrorKind::Io`](xai_core::ErrorKind::Io) if reading fails; and
    /// the errors of [`fit`](crate::CaseExplainerBuilder::fit) for invalid content.
    pub fn load(mut from: impl Read) -> Result<Self> {
        // The header is read and checked first, because a file of another format may be large or endless. One byte
        // more than announced shows whether something follows.
        let mut bytes = Vec::new();
        let mut header = from.by_ref().take(HEADER as u64);
        header.read_to_end(&mut bytes).map_err(io)?;
        let rest = content_length(&bytes)?.saturating_add(TRAILER as u64 + 1);
        from.take(rest).read_to_end(&mut bytes).map_err(io)?;
        let (holds_redacted, content) = verify_content(&bytes)?;
        let stored: Stored<'static> = postcard::from_bytes(content).map_err(|_| {
            corrupt("damaged, or stored with a feature that this build lacks: the content cannot be read")
        })?;
        // A checksum is no signature: the content may be crafted, so nothing about it is assumed.
        let n_rows = stored.labels.len();
        if n_rows == 0 || stored.n_features == 0 {
            return Err(corrupt("damaged: no training rows"));
        }
        if n_rows.checked_mul(stored.n_features) != Some(stored.rows.len()) {
            return Err(corrupt("damaged: rows and labels do not belong together"));
        }
        let rows = Matrix::from_vec(stored.rows.into_owned(), n_rows, stored.n_features);
        // Fitted like new data, so the settings and the values are checked again.
        let builder = stored.choices.into_builder()?;
        let explainer = builder.fit_matrix(rows, stored.labels.into_owned())?;
        if holds_redacted != explainer.disclosure.redacts_features() {
            return Err(corrupt(
                "damaged: the header and the content differ about redacted features",
            ));
        }
        Ok(Self {
            file_holds_redacted: holds_redacted,
            ..explainer
        })
    }
}

/// Options of [`CaseExplainer::save_with`].
///
/// ```
/// use xai_casebased::SaveOptions;
/// assert_eq!(SaveOptions::new(), SaveOptions::new().store_redacted(false));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SaveOptions {
    store_redacted: bool,
}

impl SaveOptions {
    /// Creates the default options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether the file may contain the values of redacted features, which everybody who has the file can then
    /// read. The header of the file records it. Default: false.
    #[must_use]
    pub fn store_redacted(mut self, store_redacted: bool) -> Self {
        self.store_redacted = store_redacted;
        self
    }
}

/// Checks the magic bytes and the version of a header, and returns the length of the content that it announces.
fn content_length(bytes: &[u8]) -> Result<u64> {
    if !bytes.starts_with(MAGIC) {
        return Err(corrupt(
            "not a stored explainer: it does not begin with XAICASES",
        ));
    }
    let too_short = || corrupt("cut off: the file ends within its header");
    let version_bytes = bytes.get(8..12).ok_or_else(too_short)?;
    let version = u32::from_le_bytes(version_bytes.try_into().map_err(|_| too_short())?);
    if version != VERSION {
        return Err(corrupt(format!(
            "stored in version {version} of the format; this build reads version {VERSION}"
        )));
    }
    let length = bytes.get(16..HEADER).ok_or_else(too_short)?;
    Ok(u64::from_le_bytes(
        length.try_into().map_err(|_| too_short())?,
    ))
}

/// Checks the length and the checksum of a file. Returns whether it contains redacted features, and its content.
fn verify_content(bytes: &[u8]) -> Result<(bool, &[u8])> {
    let length = content_length(bytes)?;
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
    // Unknown flags are refused, because they may change the meaning of the content.
    let holds_redacted = match bytes[12..16] {
        [0, 0, 0, 0] => false,
        [1, 0, 0, 0] => true,
        _ => return Err(corrupt("damaged: the header has unknown flags")),
    };
    Ok((holds_redacted, &checked[HEADER..]))
}

fn corrupt(why: impl Into<Name>) -> Error {
    Error::corrupt(input::STORED_EXPLAINER, why)
}

fn io(source: std::io::Error) -> Error {
    Error::io(input::STORED_EXPLAINER, source)
}

//! Remarks on a result: assumptions, and warnings about inputs.

use std::fmt;

/// Sentence about one choice or one input of an evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Remark {
    /// Choice or input, for example `explained_class` or ``maps of `shap` ``.
    pub about: String,
    /// Sentence.
    pub text: String,
}

impl Remark {
    /// Creates a remark.
    pub fn new(about: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            about: about.into(),
            text: text.into(),
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.about, self.text)
    }
}

/// Appends remarks, except those that are already present. Several different remarks about the same
/// thing are kept.
///
/// ```
/// use xai_core::evaluation::{Remark, add_remarks};
/// let mut remarks = vec![Remark::new("baseline", "0")];
/// add_remarks(&mut remarks, [Remark::new("baseline", "the mean"), Remark::new("baseline", "0")]);
/// assert_eq!(remarks.len(), 2);
/// ```
pub fn add_remarks(remarks: &mut Vec<Remark>, more: impl IntoIterator<Item = Remark>) {
    for remark in more {
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }
}

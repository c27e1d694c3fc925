//! The report, which is the content of `report.json` and the source of the page and of comparisons.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use xai_core::text::visible_json;

use crate::findings::{Finding, Verdict};
use crate::origin::{InputFile, Origin, SectionKind};
use crate::section::Section;
use crate::sections::with_sections;

/// Version of the schema of `report.json`.
///
/// It increases with changes that break programs that read the file: keys that are removed or
/// change their meaning, but not new keys. Version 2 renamed the values of
/// [`Verdict`](crate::Verdict); reports of version 1 can still be read.
pub const SCHEMA_VERSION: u32 = 2;

/// Defines [`Report`] and [`KINDS`], which have a field or an entry per kind of section.
macro_rules! define_report {
    ($($(#[$attribute:meta])* $key:ident: $Section:ident,)*) => {
        /// A report on a study, the content of `report.json`.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub struct Report {
            /// Version of this schema.
            pub schema_version: u32,
            /// Version of `xai` that wrote the report.
            pub xai_version: String,
            /// Title of the study.
            pub title: String,
            /// Random seed of the study.
            pub seed: u64,
            /// Study file.
            pub study: InputFile,
            /// Command that produces this report.
            pub command: String,
            /// Findings, which follow from the numbers by the rules of the documentation.
            pub findings: Vec<Finding>,
            $(
                #[doc = concat!("Sections of kind `", stringify!($key), "`.")]
                #[schemars(description = crate::sections::$key::$Section::KIND.question)]
                $(#[$attribute])*
                pub $key: Vec<crate::sections::$key::$Section>,
            )*
            /// Sections that could not be computed.
            pub missing: Vec<MissingSection>,
        }

        /// Kinds of sections, in the order of the page.
        pub const KINDS: &[&SectionKind] = &[$(&crate::sections::$key::$Section::KIND),*];

        impl Report {
            /// Creates a report without sections, with seed 1 and the version of this library.
            #[must_use]
            pub fn new(title: impl Into<String>) -> Self {
                Self {
                    schema_version: SCHEMA_VERSION,
                    xai_version: env!("CARGO_PKG_VERSION").to_owned(),
                    title: title.into(),
                    seed: 1,
                    study: InputFile::default(),
                    command: String::new(),
                    findings: Vec::new(),
                    $($key: Vec::new(),)*
                    missing: Vec::new(),
                }
            }

            /// Sections by kind, in the order of the page.
            pub(crate) fn kinds(&self) -> [(&'static SectionKind, Vec<&dyn Section>); KINDS.len()] {
                [$((
                    &crate::sections::$key::$Section::KIND,
                    self.$key.iter().map(|section| section as &dyn Section).collect(),
                )),*]
            }
        }
    };
}
with_sections!(define_report);

/// A section that could not be computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MissingSection {
    /// Name and inputs of the section.
    #[serde(flatten)]
    pub origin: Origin,
    /// Error: the file, the position and the expectation.
    pub error: String,
    /// Help for the error, if there is any.
    pub help: Option<String>,
}

/// Reason why bytes cannot be read as a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not JSON.
    #[error("not JSON")]
    Json(#[source] JsonError),
    /// The JSON has no `schema_version` that is a whole number of at least 0.
    #[error("not a report: it has no schema_version")]
    NoSchemaVersion,
    /// The report has a later version of the schema, or version 0, which does not exist.
    #[error("schema version {0}: expected at most {SCHEMA_VERSION}")]
    SchemaVersion(u64),
    /// The JSON has a known version of the schema, but does not follow it.
    #[error("not a report")]
    Schema(#[source] JsonError),
}

/// Error of the JSON parser or writer, with line and column.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct JsonError(#[from] serde_json::Error);

impl Report {
    /// Serialises the report as the text of `report.json`.
    ///
    /// Control characters in names are written as escapes, so that the text can be shown on a terminal.
    ///
    /// # Errors
    /// None in practice: maps of reports only have keys that JSON supports.
    ///
    /// ```
    /// use xai_report::Report;
    /// let report = Report::new("Digits");
    /// let json = report.to_json()?;
    /// assert_eq!(Report::from_json(json.as_bytes())?, report);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_json(&self) -> Result<String, JsonError> {
        let json = serde_json::to_string_pretty(self)?;
        Ok(visible_json(json + "\n"))
    }

    /// Reads the bytes of a `report.json`.
    ///
    /// # Errors
    /// [`Error`] if the bytes are not JSON, have a later version of the schema or none, or do not
    /// follow the schema.
    ///
    /// ```
    /// use xai_report::{Error, Report};
    /// assert!(matches!(Report::from_json(b"{}"), Err(Error::NoSchemaVersion)));
    /// assert!(matches!(Report::from_json(br#"{"schema_version": 9}"#), Err(Error::SchemaVersion(9))));
    /// ```
    pub fn from_json(json: &[u8]) -> Result<Self, Error> {
        // Some editors write a byte-order mark at the beginning of a file.
        let without_bom = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
        let value: Value =
            serde_json::from_slice(without_bom).map_err(|e| Error::Json(e.into()))?;
        match value.get("schema_version").and_then(Value::as_u64) {
            Some(version) if (1..=u64::from(SCHEMA_VERSION)).contains(&version) => {
                serde_json::from_value(value).map_err(|e| Error::Schema(e.into()))
            }
            Some(version) => Err(Error::SchemaVersion(version)),
            None => Err(Error::NoSchemaVersion),
        }
    }

    /// Returns the JSON Schema of `report.json`, with a description of every key.
    ///
    /// # Errors
    /// None in practice: the schema is plain JSON.
    pub fn json_schema() -> Result<String, JsonError> {
        Ok(serde_json::to_string_pretty(&schemars::schema_for!(Self))?)
    }

    /// Computed sections, in the order of the page.
    pub(crate) fn sections(&self) -> impl Iterator<Item = &dyn Section> {
        self.kinds().into_iter().flat_map(|(_, sections)| sections)
    }

    /// Origins of the computed sections, in the order of the page.
    pub fn origins(&self) -> impl Iterator<Item = &Origin> {
        self.sections().map(Section::origin)
    }
}

/// Findings of all sections: missing sections first, then the order of the page.
///
/// ```
/// use xai_report::{MissingSection, Origin, Report, findings, sections::graph::Graph};
/// let mut report = Report::new("Digits");
/// report.missing.push(MissingSection {
///     origin: Origin::new(&Graph::KIND, 1, "Molecules"),
///     error: "masks.npy: cannot be read".to_owned(),
///     help: None,
/// });
/// assert_eq!(findings(&report)[0].text, "“Molecules” could not be computed: masks.npy: cannot be read.");
/// ```
#[must_use]
pub fn findings(report: &Report) -> Vec<Finding> {
    let missing = report
        .missing
        .iter()
        .map(|MissingSection { origin, error, .. }| {
            let text = format!("“{}” could not be computed: {error}.", origin.name);
            Finding::new(origin, Verdict::Missing, text)
        });
    missing
        .chain(report.sections().flat_map(Section::findings))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Estimate;

    #[test]
    fn numbers_are_read_back_to_the_last_bit() {
        let mut report = Report::new("a \u{1b}[31m title");
        // Values that a reader that rounds gets wrong by one unit in the last place.
        let estimate = Estimate {
            value: Some(0.959_064_327_485_380_1),
            interval: Some([0.917_924_767_693_723_3, 0.980_031_592_651_043_9]),
            n: 171,
            ..Estimate::default()
        };
        report.findings.push(Finding {
            section: "casebased-1".to_owned(),
            verdict: Verdict::Note,
            text: String::new(),
            estimate: Some(estimate),
        });
        let json = report.to_json().unwrap();
        assert!(!json.contains('\u{1b}'));
        assert_eq!(Report::from_json(json.as_bytes()).unwrap(), report);
    }

    #[test]
    fn reports_of_version_1_are_read() {
        let finding =
            |verdict: &str| format!(r#"{{"section": "a-1", "verdict": "{verdict}", "text": "."}}"#);
        let old = [
            "above_chance",
            "not_told_apart",
            "below_chance",
            "described",
            "missing",
        ];
        let json = serde_json::to_string(&Report::new("old")).unwrap();
        let json = json.replace(r#""schema_version":2"#, r#""schema_version":1"#);
        let findings = format!(r#""findings":[{}]"#, old.map(finding).join(","));
        let json = json.replace(r#""findings":[]"#, &findings);
        let report = Report::from_json(json.as_bytes()).unwrap();
        let verdicts: Vec<Verdict> = report
            .findings
            .iter()
            .map(|finding| finding.verdict)
            .collect();
        use Verdict::{Better, Missing, NoDifference, Note, Worse};
        assert_eq!(verdicts, [Better, NoDifference, Worse, Note, Missing]);
    }
}

#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! - [`sections`]: the sections of a report, one module per kind. Each is created from results of a family.
//! - [`diff`]: what changed between two reports.
//! - [`text`]: numbers and names as the page shows them.
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]
#![warn(missing_docs)]

mod diff;
mod estimate;
mod findings;
mod markup;
mod origin;
mod page;
mod picture;
mod report;
mod section;
pub mod sections;
pub mod text;

pub use diff::{Change, ChangedFile, ChangedSetting, Diff, Outcome, diff};
pub use estimate::{Estimate, Histogram};
pub use findings::{Finding, Verdict};
pub use origin::{InputFile, Origin, SectionKind};
pub use page::{GENERATOR, page};
pub use report::{Error, JsonError, KINDS, MissingSection, Report, SCHEMA_VERSION, findings};

// Fails to compile if one of these types can no longer be sent to and shared with other threads.
const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<Diff>();
    crosses_threads::<Error>();
    crosses_threads::<Report>();
};

//! Why a file cannot be written.

use std::fmt;
use std::io::{Error, ErrorKind};

/// A reason in words that name no file: the message names the one that a person knows.
pub(crate) struct Reason(String);

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Error> for Reason {
    /// The operating system's reason. An error that says more than that is about the temporary file
    /// beside the output, whose name means nothing to anybody: of it only the kind is told.
    fn from(error: Error) -> Self {
        Self(match (error.raw_os_error(), error.kind()) {
            (None, kind) if kind != ErrorKind::Other => Error::from(kind).to_string(),
            _ => error.to_string(),
        })
    }
}

impl From<csv::Error> for Reason {
    fn from(error: csv::Error) -> Self {
        Error::from(error).into()
    }
}

impl From<&str> for Reason {
    fn from(reason: &str) -> Self {
        Self(reason.to_owned())
    }
}

impl From<fmt::Arguments<'_>> for Reason {
    fn from(reason: fmt::Arguments<'_>) -> Self {
        Self(reason.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_file_is_not_named() {
        let folder = tempfile::TempDir::new().unwrap();
        let nowhere = folder.path().join("nowhere");
        let mut beside = tempfile::Builder::new();
        let error = beside.prefix(".xai-").tempfile_in(nowhere).unwrap_err();
        assert!(error.to_string().contains(".xai-"));
        let reason = Reason::from(error).to_string();
        assert!(!reason.is_empty() && !reason.contains(".xai-"), "{reason}");
        let full = Reason::from(Error::from_raw_os_error(28)).to_string();
        assert_eq!(full, Error::from_raw_os_error(28).to_string());
    }
}

//! The two files of a report.

use std::path::Path;

use xai_files::failure::{Failure, InFile};
use xai_files::visible::visible_json;

use super::model::Report;
use crate::output::whole_file;

/// Writes the page and the JSON, both or neither: the JSON is on the disk under a temporary name before
/// the page gets its own.
///
/// # Errors
/// A folder that cannot be made, a file that cannot be written.
pub(super) fn write(report: &Report, html: &str, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::new(format!("cannot be made: {e}")))
        .in_file(folder)?;
    let json = serde_json::to_string_pretty(report).map_err(Failure::new)?;
    let json = visible_json(json + "\n");
    let (page, numbers) = (folder.join("index.html"), folder.join("report.json"));
    // The one reason that is known why the second of two names could not be given.
    if numbers.is_dir() {
        let failure = Failure::cannot_be_written("it is a folder");
        return Err(failure.in_file(&numbers));
    }
    whole_file::write(&numbers, |file| {
        file.write_all(json.as_bytes())
            .and_then(|()| file.flush())
            .map_err(Failure::cannot_be_written)
            .in_file(&numbers)?;
        whole_file::write_text(&page, html)
    })
}

//! Per-item rows as CSV.

use std::io::Write;
use std::path::Path;

use xai_files::Failure;

use crate::output::whole_file;

/// Where rows go: to a file, or nowhere.
pub(crate) struct Rows<'a>(Option<csv::Writer<&'a mut dyn Write>>);

impl Rows<'_> {
    /// Whether nobody reads the rows, so that they need not be made.
    pub(crate) fn go_nowhere(&self) -> bool {
        self.0.is_none()
    }

    /// Writes a row.
    pub(crate) fn write<C: AsRef<[u8]>>(
        &mut self,
        row: impl IntoIterator<Item = C>,
    ) -> Result<(), Failure> {
        match &mut self.0 {
            None => Ok(()),
            Some(writer) => writer
                .write_record(row)
                .map_err(|error| Failure::cannot_be_written(std::io::Error::from(error))),
        }
    }
}

/// Writes rows to a file, if one is given.
pub(crate) fn write<R, C>(
    out: Option<&Path>,
    header: impl IntoIterator<Item = impl AsRef<[u8]>>,
    rows: impl IntoIterator<Item = R>,
) -> Result<(), Failure>
where
    R: IntoIterator<Item = C>,
    C: AsRef<[u8]>,
{
    if out.is_none() {
        return Ok(());
    }
    stream(out, header, |file| {
        rows.into_iter().try_for_each(|row| file.write(row))
    })
}

/// Does work that writes rows on its way. Nothing is left of a file whose work fails.
pub(crate) fn stream<T>(
    out: Option<&Path>,
    header: impl IntoIterator<Item = impl AsRef<[u8]>>,
    work: impl FnOnce(&mut Rows<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let Some(path) = out else {
        return work(&mut Rows(None));
    };
    whole_file::write(path, |file| {
        let mut rows = Rows(Some(csv::Writer::from_writer(file)));
        rows.write(header)?;
        let done = work(&mut rows)?;
        if let Some(writer) = &mut rows.0 {
            writer.flush().map_err(Failure::cannot_be_written)?;
        }
        Ok(done)
    })
}

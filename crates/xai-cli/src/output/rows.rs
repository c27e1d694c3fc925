//! Per-item rows as CSV.

use std::io::Write;
use std::path::Path;

use xai_files::Failure;

use crate::output::{text, whole_file};

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

/// The columns of [`of_samples`].
pub(crate) const OF_SAMPLES: [&str; 4] = ["explainer", "metric", "sample", "score"];

/// A row for each sample of one explainer by one metric.
pub(crate) fn of_samples<'a>(
    explainer: &'a str,
    metric: &'a str,
    per_sample: &'a [Option<f64>],
) -> impl Iterator<Item = [String; 4]> + 'a {
    per_sample.iter().enumerate().map(move |(sample, score)| {
        [
            explainer.to_owned(),
            metric.to_owned(),
            sample.to_string(),
            text::cell(*score),
        ]
    })
}

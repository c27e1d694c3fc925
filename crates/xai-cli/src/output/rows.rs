//! Rows per item (sample, pair of runs, edge, …) as CSV.

use std::io::Write;
use std::path::Path;

use xai_files::Failure;

use crate::output::{text, whole_file};

/// Writer of rows to a file; without a file rows are discarded.
pub(crate) struct Rows<'a>(Option<csv::Writer<&'a mut dyn Write>>);

impl Rows<'_> {
    /// Returns `true` if rows are discarded, so that the caller need not format them.
    pub(crate) fn are_discarded(&self) -> bool {
        self.0.is_none()
    }

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

/// Writes a header and rows to `out`, if it is given.
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

/// Runs `work`, which writes rows to `out` if it is given. If the work fails, the file is not created or changed.
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

/// The columns of [`per_sample`].
pub(crate) const SAMPLE_COLUMNS: [&str; 4] = ["explainer", "metric", "sample", "score"];

/// Returns a row for each sample, with the explainer, the metric and the sample's score.
pub(crate) fn per_sample<'a>(
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

//! Which format a file has, by the end of its name.

use std::path::Path;
use std::sync::Arc;

use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::arrow::ArrowFormat;
use datafusion::datasource::file_format::csv::CsvFormat;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::json::JsonFormat;
use datafusion::datasource::file_format::parquet::ParquetFormat;

/// Rows of a text file that tell the types of its columns.
pub(super) const ROWS_FOR_TYPES: usize = 10_000;

/// What a person may give as a table.
pub(crate) const EXPECTED: &str = "a name that ends in .parquet, .csv, .tsv, .json, .jsonl, .ndjson (an object on each line) or .arrow; text may be compressed: .csv.gz, .jsonl.zst";

/// The format of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Format {
    kind: Kind,
    compression: FileCompressionType,
    /// The end of the name with its dots: `.csv.gz`.
    pub(crate) extension: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Parquet,
    Text { delimiter: u8 },
    JsonLines,
    Arrow,
}

impl Format {
    /// The format of a file of this name, if it has one.
    pub(crate) fn of(file: &Path) -> Option<Self> {
        let name = file.file_name()?.to_str()?.to_ascii_lowercase();
        let (stem, compression) = match name.rsplit_once('.') {
            Some((stem, "gz")) => (stem, FileCompressionType::GZIP),
            Some((stem, "zst")) => (stem, FileCompressionType::ZSTD),
            _ => (name.as_str(), FileCompressionType::UNCOMPRESSED),
        };
        let kind = match stem.rsplit_once('.')?.1 {
            "parquet" | "parq" | "pq" => Kind::Parquet,
            "csv" => Kind::Text { delimiter: b',' },
            "tsv" => Kind::Text { delimiter: b'\t' },
            "json" | "jsonl" | "ndjson" => Kind::JsonLines,
            "arrow" | "feather" | "ipc" => Kind::Arrow,
            _ => return None,
        };
        let is_text = matches!(kind, Kind::Text { .. } | Kind::JsonLines);
        if compression.is_compressed() && !is_text {
            return None;
        }
        let inner = stem.rfind('.')?;
        // As the name has it: the engine compares ends of names letter by letter.
        let extension = file.file_name()?.to_str()?.get(inner..)?.to_owned();
        Some(Self {
            kind,
            compression,
            extension,
        })
    }

    /// With another character between the values, where it is text with such a character.
    pub(super) fn divided_by(mut self, other: Option<u8>) -> Self {
        if let (Kind::Text { delimiter }, Some(other)) = (&mut self.kind, other) {
            *delimiter = other;
        }
        self
    }

    /// Whether it is text with characters between its values.
    pub(super) fn is_divided(&self) -> bool {
        matches!(self.kind, Kind::Text { .. })
    }

    /// Whether the engine takes the columns of a file by their places, not by their names.
    pub(super) fn is_by_place(&self) -> bool {
        matches!(self.kind, Kind::Text { .. } | Kind::Arrow)
    }

    /// Whether a file without a byte is one without rows.
    pub(super) fn may_be_empty(&self) -> bool {
        self.kind == Kind::JsonLines
    }

    /// Rows of a file that tell the names of its columns.
    pub(super) fn rows_for_names(&self) -> usize {
        match self.kind {
            Kind::Text { .. } => 1,
            _ => ROWS_FOR_TYPES,
        }
    }

    /// The reader of the engine, with the rows of a text file that tell its columns.
    pub(super) fn reader(&self, rows: usize) -> Arc<dyn FileFormat> {
        match self.kind {
            Kind::Parquet => Arc::new(ParquetFormat::default()),
            Kind::Text { delimiter } => Arc::new(
                CsvFormat::default()
                    .with_has_header(true)
                    .with_delimiter(delimiter)
                    .with_schema_infer_max_rec(rows)
                    .with_file_compression_type(self.compression),
            ),
            Kind::JsonLines => Arc::new(
                JsonFormat::default()
                    .with_schema_infer_max_rec(rows)
                    .with_file_compression_type(self.compression),
            ),
            Kind::Arrow => Arc::new(ArrowFormat),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_name_tells_the_format() {
        let kind = |name: &str| Format::of(Path::new(name)).map(|format| format.kind);
        assert_eq!(kind("a/b.parquet"), Some(Kind::Parquet));
        assert_eq!(kind("B.CSV.gz"), Some(Kind::Text { delimiter: b',' }));
        assert_eq!(kind("x.jsonl.zst"), Some(Kind::JsonLines));
        assert_eq!(kind("x.y.arrow"), Some(Kind::Arrow));
        for unknown in ["x", "x.txt", "x.parquet.gz", "x.gz", ".."] {
            assert_eq!(kind(unknown), None, "{unknown}");
        }
        let format = Format::of(Path::new("runs/B.CSV.gz")).expect("a format");
        assert_eq!(format.extension, ".CSV.gz");
    }
}

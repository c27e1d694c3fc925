//! File formats, by the extension of file names.

use std::path::Path;
use std::sync::Arc;

use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::arrow::ArrowFormat;
use datafusion::datasource::file_format::csv::CsvFormat;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::json::JsonFormat;
use datafusion::datasource::file_format::parquet::ParquetFormat;

/// Number of rows of a CSV or JSON file from which the types of its columns are inferred.
pub(super) const ROWS_FOR_TYPES: usize = 10_000;

/// Description of valid table names, for errors.
pub(crate) const EXPECTED: &str = "a name that ends in .parquet, .csv, .tsv, .json, .jsonl, .ndjson (an object on each line) or .arrow; text may be compressed: .csv.gz, .jsonl.zst";

/// The format of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Format {
    kind: Kind,
    compression: FileCompressionType,
    /// The extension with its dots, for example `.csv.gz`.
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
    /// The format of a file name, if it is known.
    pub(crate) fn from_name(file: &Path) -> Option<Self> {
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
        // In the case of the name, because the engine compares extensions exactly.
        let extension = file.file_name()?.to_str()?.get(inner..)?.to_owned();
        Some(Self {
            kind,
            compression,
            extension,
        })
    }

    /// Sets the delimiter of a CSV file. Other formats have none.
    pub(super) fn divided_by(mut self, other: Option<u8>) -> Self {
        if let (Kind::Text { delimiter }, Some(other)) = (&mut self.kind, other) {
            *delimiter = other;
        }
        self
    }

    /// Returns `true` for CSV.
    pub(super) fn is_divided(&self) -> bool {
        matches!(self.kind, Kind::Text { .. })
    }

    /// Returns `true` if the engine matches the columns of files by position, not by name.
    pub(super) fn is_by_place(&self) -> bool {
        matches!(self.kind, Kind::Text { .. } | Kind::Arrow)
    }

    /// Returns `true` if a file without bytes is a valid table without rows.
    pub(super) fn may_be_empty(&self) -> bool {
        self.kind == Kind::JsonLines
    }

    /// Number of rows that are needed to know the names of the columns.
    pub(super) fn rows_for_names(&self) -> usize {
        match self.kind {
            Kind::Text { .. } => 1,
            _ => ROWS_FOR_TYPES,
        }
    }

    /// The reader of the engine, which infers columns from this number of rows of a CSV or JSON file.
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
    fn the_extension_determines_the_format() {
        let kind = |name: &str| Format::from_name(Path::new(name)).map(|format| format.kind);
        assert_eq!(kind("a/b.parquet"), Some(Kind::Parquet));
        assert_eq!(kind("B.CSV.gz"), Some(Kind::Text { delimiter: b',' }));
        assert_eq!(kind("x.jsonl.zst"), Some(Kind::JsonLines));
        assert_eq!(kind("x.y.arrow"), Some(Kind::Arrow));
        for unknown in ["x", "x.txt", "x.parquet.gz", "x.gz", ".."] {
            assert_eq!(kind(unknown), None, "{unknown}");
        }
        let format = Format::from_name(Path::new("runs/B.CSV.gz")).expect("a format");
        assert_eq!(format.extension, ".CSV.gz");
    }
}

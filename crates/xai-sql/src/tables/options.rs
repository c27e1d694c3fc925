//! Options for reading tables.

use clap::Args;

/// Options for reading tables.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct ReadOptions {
    /// Fill columns that some files of a folder lack with NULL (Parquet and JSON lines only, whose columns are matched
    /// by name).
    #[arg(long)]
    pub(super) allow_missing_columns: bool,
    /// Delimiter of CSV files, a character or `tab` [default: a comma; a tab for .tsv].
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub(super) delimiter: Option<u8>,
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        b"\"" | b"\n" | b"\r" => Err("stands for something else in CSV files".to_owned()),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("expected one ASCII character, or `tab`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delimiter_is_a_character() {
        assert_eq!(delimiter(";"), Ok(b';'));
        assert_eq!(delimiter("tab"), Ok(b'\t'));
        assert_eq!(delimiter("\t"), Ok(b'\t'));
        for refused in ["", ";;", "é", "\""] {
            assert!(delimiter(refused).is_err(), "{refused}");
        }
    }
}

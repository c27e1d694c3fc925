//! How tables are read, as options of a command.

use clap::Args;

/// How tables are read.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct ReadOptions {
    /// Take a column that a file of a folder lacks for NULL: of Parquet and JSON lines, where columns are found by their names.
    #[arg(long)]
    pub(super) allow_missing_columns: bool,
    /// What stands between the values of CSV files, a character or `tab`; a comma where it is not given, and a tab in .tsv.
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

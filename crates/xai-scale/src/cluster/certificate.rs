//! `xai-scale certificate`.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use xai_files::{Failure, InFile, WholeFile};

use super::tls;
use crate::output;

/// Writes the certificate and the key of those who share a secret, for programs that connect by Arrow Flight SQL.
///
/// The certificate is also that of the authority. Servers have the name member.xai-scale.internal in it, whatever their
/// address is. Whoever has the key takes part: it is written so that you alone can read it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  xai-scale certificate --token-file secret --cert cert.pem --key key.pem")]
pub(crate) struct Arguments {
    /// File with the secret of the cluster.
    #[arg(long, value_name = "FILE")]
    token_file: PathBuf,
    /// File to write the certificate to.
    #[arg(long, value_name = "FILE")]
    cert: PathBuf,
    /// File to write the key to, which is not there yet.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
}

/// Writes them.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (certificate, key) = tls::of_token_file(&arguments.token_file)?;
    let mut file = WholeFile::create(&arguments.cert)?;
    let written = file.write_all(certificate.as_bytes());
    written
        .map_err(Failure::cannot_be_written)
        .in_file(&arguments.cert)?;
    file.finish()?;
    write_new(&arguments.key, &key)?;
    output::print(format!("servers have the name {}\n", tls::MEMBER).as_bytes())
}

/// A file that was not there, for its owner alone.
fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let written = options
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(Failure::cannot_be_written).in_file(path)
}

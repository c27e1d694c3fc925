//! The Python environments of the peers and of ONNX Runtime, made once under `target/peers`.

use crate::outcome::Result;
use crate::workspace;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Python environment and the requirement files it is made from.
pub(crate) struct Environment {
    folder: &'static str,
    requirements: &'static str,
    /// Installed last, without its own dependencies.
    alone: Option<&'static str>,
}

pub(crate) const PEERS: Environment = Environment {
    folder: "venv",
    requirements: "peers.txt",
    alone: None,
};

/// An environment of its own, because TensorFlow and torch need different versions of the same packages.
pub(crate) const XPLIQUE: Environment = Environment {
    folder: "venv-xplique",
    requirements: "xplique.txt",
    alone: Some("xplique-alone.txt"),
};

/// An environment of its own, because the peer needs an older numpy.
pub(crate) const QUANTUS: Environment = Environment {
    folder: "venv-quantus",
    requirements: "quantus.txt",
    alone: Some("quantus-alone.txt"),
};

/// The library that models are run with, as the feature `onnxruntime` of the command line does.
pub(crate) const ONNXRUNTIME: Environment = Environment {
    folder: "venv-onnxruntime",
    requirements: "onnxruntime.txt",
    alone: None,
};

/// The folder of the Python side.
pub(crate) fn scripts() -> PathBuf {
    workspace::root().join("xtask/peers")
}

impl Environment {
    /// The environment's Python, after making what is not there yet.
    ///
    /// A copy of the requirements, written last, marks a finished environment: an interrupted or
    /// outdated one is completed.
    pub(crate) fn python(&self) -> Result<PathBuf> {
        let folder = workspace::target().join("peers").join(self.folder);
        let python = folder.join(if cfg!(windows) {
            "Scripts/python.exe"
        } else {
            "bin/python"
        });
        let mut wanted = fs::read_to_string(scripts().join(self.requirements))?;
        if let Some(alone) = self.alone {
            wanted += &fs::read_to_string(scripts().join(alone))?;
        }
        let marker = folder.join("installed.txt");
        if fs::read_to_string(&marker).is_ok_and(|there| there == wanted) {
            return Ok(python);
        }
        eprintln!(
            "making {} (once; the peers are some gigabytes to download)",
            folder.display()
        );
        if !python.is_file() {
            let base = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
            run(Command::new(base).args(["-m", "venv"]).arg(&folder))?;
        }
        install(&python, &[], self.requirements)?;
        if let Some(alone) = self.alone {
            install(&python, &["--no-deps"], alone)?;
        }
        fs::write(marker, wanted)?;
        Ok(python)
    }
}

/// Installs from the index that the user has configured.
fn install(python: &Path, options: &[&str], requirements: &str) -> Result {
    run(Command::new(python)
        .args(["-m", "pip", "install", "--quiet"])
        .args(options)
        .arg("--requirement")
        .arg(scripts().join(requirements)))
}

fn run(command: &mut Command) -> Result {
    let status = command.status().map_err(|e| format!("{command:?}: {e}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command:?}: {status}").into())
    }
}

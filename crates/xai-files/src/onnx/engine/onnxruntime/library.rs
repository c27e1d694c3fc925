//! The shared library of ONNX Runtime.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ort::LoadDynamicError;
use ort::environment::Environment;

use crate::failure::{Failure, InFile};
use crate::onnx::engine::panics::caught;

/// Where the library is, where no option says it.
const VARIABLE: &str = "ORT_DYLIB_PATH";

const INSTALL: &str = "install ONNX Runtime (pip install onnxruntime), and name its library, libonnxruntime.so, onnxruntime.dll or libonnxruntime.dylib, or the folder of it (onnxruntime/capi), with --onnxruntime-lib PATH or in the environment variable ORT_DYLIB_PATH";

/// The library, loaded once.
///
/// # Errors
/// There is none, it is older than what this crate calls, or it is no such library.
pub(super) fn environment(option: Option<&Path>) -> Result<&'static Environment, Failure> {
    static LOADED: OnceLock<Environment> = OnceLock::new();
    if let Some(loaded) = LOADED.get() {
        return Ok(loaded);
    }
    let path = path(option)?;
    let builder = caught(|| ort::init_from(&path))
        .map_err(Failure::new)
        .and_then(|loaded| loaded.map_err(not_loaded))
        .in_file(&path)?;
    // What the library has to say of a model it says in its errors.
    let builder = builder
        .with_name("xai")
        .with_telemetry(false)
        .with_logger(Arc::new(|_, _, _, _, _| {}));
    let environment = caught(|| builder.build())
        .map_err(Failure::new)
        .and_then(|built| built.map_err(Failure::new))
        .in_file(&path)?;
    Ok(LOADED.get_or_init(|| environment))
}

/// The file of the library: the option's, the variable's, or the one that the system finds by its
/// name.
fn path(option: Option<&Path>) -> Result<PathBuf, Failure> {
    let variable = || std::env::var_os(VARIABLE).filter(|value: &OsString| !value.is_empty());
    let given = option.map(Path::to_owned);
    match given.or_else(|| variable().map(PathBuf::from)) {
        None => Ok(format!("{DLL_PREFIX}onnxruntime{DLL_SUFFIX}").into()),
        Some(folder) if folder.is_dir() => in_folder(&folder),
        // An absolute path, because a relative one would be looked for beside the program.
        Some(file) => file
            .canonicalize()
            .map_err(|error| Failure::cannot_be_opened(error).help(INSTALL))
            .in_file(&file),
    }
}

/// The library in a folder: of several versions, the one whose name is last.
fn in_folder(folder: &Path) -> Result<PathBuf, Failure> {
    let start = format!("{DLL_PREFIX}onnxruntime.");
    let is_library = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&start) && name.contains(DLL_SUFFIX)
    };
    let entries = std::fs::read_dir(folder.canonicalize().as_deref().unwrap_or(folder));
    let entries = entries.map_err(Failure::cannot_be_opened).in_file(folder)?;
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let library = files.filter(is_library).max();
    library
        .ok_or_else(|| {
            Failure::new(format_args!("no library {start}… in this folder")).help(INSTALL)
        })
        .in_file(folder)
}

fn not_loaded(error: LoadDynamicError) -> Failure {
    match error {
        LoadDynamicError::Dlopen { error, .. } => {
            Failure::new(format_args!("ONNX Runtime cannot be loaded: {error}")).help(INSTALL)
        }
        LoadDynamicError::BadVersion { version_str, .. } => Failure::new(format_args!(
            "ONNX Runtime {version_str}: expected 1.{} or newer",
            ort::MINOR_VERSION
        ))
        .help("pip install --upgrade onnxruntime"),
        LoadDynamicError::MissingApi { .. } | LoadDynamicError::InvalidVersionString => {
            Failure::new("a library, but not ONNX Runtime").help(INSTALL)
        }
    }
}

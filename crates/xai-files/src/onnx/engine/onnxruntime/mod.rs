//! Models run by ONNX Runtime: neural networks, and those of scikit-learn, LightGBM and XGBoost.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use half::f16;
use ndarray::ArrayD;
use ort::LoadDynamicError;
use ort::environment::Environment;
use ort::logging::LogLevel;
use ort::session::builder::SessionBuilder;
use ort::session::{HasSelectedOutputs, OutputSelector, RunOptions, Session, SessionInputValue};
use ort::value::{
    DynMapValueType, DynSequenceValueType, DynValue, IntoTensorElementType,
    PrimitiveTensorElementType, Tensor, TensorElementType, ValueType,
};

use crate::failure::{Failure, InFile};
use crate::onnx::contents::element;
use crate::onnx::contents::port::{Port, PortKind};
use crate::onnx::engine;
use crate::onnx::engine::panics::catch_panics;
use crate::onnx::engine::{Engine, File, Input, LoadFailure, Reason, unsupported};

/// Size in bytes up to which a model has one session per thread.
///
/// The operators of small models are too small to be distributed over threads, and their copies need little memory.
/// A larger model has one session, whose operators run on all threads.
const SMALL_MODEL: u64 = 4 << 20;

/// A model of ONNX Runtime.
pub(crate) struct OnnxRuntime {
    environment: &'static Environment,
    source: ModelSource,
    inputs: Vec<Port>,
    output: String,
    /// Number of threads of each session.
    threads: usize,
    /// Sessions, created when they are first needed. A thread uses the session with its index.
    sessions: Vec<Mutex<Option<LoadedSession>>>,
}

/// The model that sessions are created from.
enum ModelSource {
    /// A file, with files of weights in its folder.
    Path(PathBuf),
    Bytes(Vec<u8>),
}

/// A session, and the options that select its output.
struct LoadedSession {
    session: Session,
    options: RunOptions<HasSelectedOutputs>,
}

impl OnnxRuntime {
    pub(crate) fn load(file: File<'_>, library: Option<&Path>) -> Result<Self, LoadFailure> {
        let environment =
            crate::onnx::engine::onnxruntime::environment(library).map_err(LoadFailure::Engine)?;
        let folder = file.path.parent().unwrap_or(Path::new(""));
        let data_files = file.contents.data_files.iter();
        let data_sizes = data_files.filter_map(|name| folder.join(name).metadata().ok());
        let size = file.bytes.len() as u64 + data_sizes.map(|data| data.len()).sum::<u64>();
        let n_threads = rayon::current_num_threads();
        // The outputs have the same bits on any number of threads, in one session or in several.
        let (n_sessions, threads) = if size <= SMALL_MODEL {
            (n_threads, 1)
        } else {
            (1, n_threads)
        };
        let source = if file.contents.data_files.is_empty() {
            ModelSource::Bytes(file.bytes)
        } else {
            ModelSource::Path(file.path.to_owned())
        };
        let mut model = Self {
            environment,
            source,
            inputs: file.contents.inputs.clone(),
            output: file.output.name.clone(),
            threads,
            sessions: Vec::new(),
        };
        let first = model.session().map_err(|reason| {
            unsupported(
                reason,
                "export it again; ONNX Runtime of a newer version may know more",
            )
        })?;
        model.sessions = std::iter::once(Some(first))
            .chain(std::iter::repeat_with(|| None))
            .take(n_sessions)
            .map(Mutex::new)
            .collect();
        if n_sessions == 1 {
            // No further session will be created from it.
            model.source = ModelSource::Bytes(Vec::new());
        }
        Ok(model)
    }

    /// Creates a session.
    fn session(&self) -> Result<LoadedSession, Reason> {
        let load = || -> ort::Result<LoadedSession> {
            let mut builder = builder(self.environment, self.threads)?;
            let session = match &self.source {
                ModelSource::Path(path) => builder.commit_from_file(path)?,
                ModelSource::Bytes(bytes) => builder.commit_from_memory(bytes)?,
            };
            let output = OutputSelector::no_default().with(&self.output);
            let options = RunOptions::new()?.with_outputs(output);
            Ok(LoadedSession { session, options })
        };
        catch_panics(load)?.map_err(|error| error.to_string())
    }
}

fn builder(environment: &Environment, threads: usize) -> ort::Result<SessionBuilder> {
    Ok(Session::builder(environment)?
        .with_intra_threads(threads)?
        .with_inter_threads(1)?
        // Waiting threads of a session must not occupy the cores that the library's own threads need.
        .with_intra_op_spinning(false)?
        .with_log_level(LogLevel::Fatal)?)
}

impl Engine for OnnxRuntime {
    fn run(&self, inputs: Vec<Input>) -> Result<ArrayD<f64>, Reason> {
        let values = self
            .inputs
            .iter()
            .zip(inputs)
            .map(|(port, input)| value(port, input))
            .collect::<ort::Result<Vec<SessionInputValue<'_>>>>()
            .map_err(|error| error.to_string())?;
        let thread = rayon::current_thread_index().unwrap_or_default();
        let slot = &self.sessions[thread % self.sessions.len()];
        // A poisoned lock is fine: the state of a session is in its library, which a panic here does not damage.
        let mut session = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let loaded = match session.take() {
            Some(loaded) => loaded,
            None => self.session()?,
        };
        let LoadedSession {
            session: model,
            options,
        } = session.insert(loaded);
        let answer = catch_panics(|| {
            let mut outputs = model
                .run_with_options(values.as_slice(), options)
                .map_err(|error| error.to_string())?;
            crate::onnx::engine::onnxruntime::numbers(
                outputs.remove(&self.output).ok_or("it has no output")?,
            )
        });
        answer?
    }
}

/// Converts an array to the element type that the model takes.
fn value(port: &Port, input: Input) -> ort::Result<SessionInputValue<'static>> {
    let element_type = match port.kind {
        PortKind::Array(elements) => elements,
        _ => element::FLOAT,
    };
    Ok(match (input, element_type) {
        (Input::Real(array), element::DOUBLE) => tensor(array.mapv(f64::from))?.into(),
        (Input::Real(array), element::FLOAT16) => tensor(array.mapv(f16::from_f32))?.into(),
        (Input::Real(array), _) => tensor(array)?.into(),
        (Input::Integer(array), element::INT32) => {
            let integers: Vec<i32> = array
                .iter()
                .map(|&n| i32::try_from(n))
                .collect::<Result<_, _>>()
                .map_err(ort::Error::wrap)?;
            Tensor::from_array((array.shape().to_vec(), integers))?.into()
        }
        (Input::Integer(array), _) => tensor(array)?.into(),
    })
}

fn tensor<T>(array: ArrayD<T>) -> ort::Result<Tensor<T>>
where
    T: ort::value::PrimitiveTensorElementType + Clone + std::fmt::Debug + 'static,
{
    let shape = array.shape().to_vec();
    let row_major = array.as_standard_layout().into_owned();
    Tensor::from_array((shape, row_major.into_raw_vec_and_offset().0))
}

/// Converts an output to numbers. Maps from classes to scores become rows of scores.
pub(super) fn numbers(answer: DynValue) -> Result<ArrayD<f64>, Reason> {
    match answer.dtype() {
        ValueType::Tensor { ty, .. } => match ty {
            TensorElementType::Float32 => array::<f32>(&answer, f64::from),
            TensorElementType::Float64 => array::<f64>(&answer, |x| x),
            TensorElementType::Float16 => array::<f16>(&answer, f64::from),
            other => Err(format!(
                "it answers with values of the type {other}: expected scores"
            )),
        },
        ValueType::Sequence(elements) => match **elements {
            ValueType::Map {
                key: TensorElementType::Int64,
                value: TensorElementType::Float32,
            } => maps::<i64>(answer),
            ValueType::Map {
                key: TensorElementType::String,
                value: TensorElementType::Float32,
            } => maps::<String>(answer),
            ref other => Err(format!(
                "it answers with a sequence of {other}: expected scores"
            )),
        },
        other => Err(format!("it answers with {other}: expected scores")),
    }
}

fn array<T: PrimitiveTensorElementType + Copy>(
    answer: &DynValue,
    number: impl Fn(T) -> f64,
) -> Result<ArrayD<f64>, Reason> {
    let (lengths, numbers) = answer
        .try_extract_tensor::<T>()
        .map_err(|error| error.to_string())?;
    let shape = lengths
        .iter()
        .map(|&n| usize::try_from(n))
        .collect::<Result<Vec<usize>, _>>()
        .map_err(|error| error.to_string())?;
    engine::array(&shape, numbers.iter().map(|&x| number(x)).collect())
}

/// Converts maps from classes to scores, one per sample, to rows of scores in the order of the classes.
fn maps<K>(answer: DynValue) -> Result<ArrayD<f64>, Reason>
where
    K: IntoTensorElementType + Clone + std::hash::Hash + Ord,
{
    let extract = move || -> ort::Result<Vec<Vec<(K, f32)>>> {
        let sequence = answer.downcast::<DynSequenceValueType>()?;
        let maps = sequence.try_extract_sequence::<DynMapValueType>()?;
        maps.iter()
            .map(|map| map.try_extract_key_values())
            .collect()
    };
    let mut samples = extract().map_err(|error| error.to_string())?;
    for sample in &mut samples {
        sample.sort_by(|(a, _), (b, _)| a.cmp(b));
    }
    let classes = |sample: &Vec<(K, f32)>| sample.iter().map(|(class, _)| class.clone()).collect();
    let first: Vec<K> = samples.first().map(classes).unwrap_or_default();
    if samples.iter().any(|sample| classes(sample) != first) {
        return Err("its samples have scores of different classes".to_owned());
    }
    let shape = [samples.len(), first.len()];
    let scores = samples.iter().flatten().map(|&(_, score)| score.into());
    engine::array(&shape, scores.collect())
}

/// Environment variable with the path of the library, used without the option.
const VARIABLE: &str = "ORT_DYLIB_PATH";

const INSTALL: &str = "install ONNX Runtime (pip install onnxruntime), and name its library, libonnxruntime.so, onnxruntime.dll or libonnxruntime.dylib, or the folder of it (onnxruntime/capi), with --onnxruntime-lib PATH or in the environment variable ORT_DYLIB_PATH";

/// Loads the library once.
///
/// # Errors
/// The library is not found, is too old, or is not ONNX Runtime.
pub(super) fn environment(option: Option<&Path>) -> Result<&'static Environment, Failure> {
    static LOADED: OnceLock<Environment> = OnceLock::new();
    if let Some(loaded) = LOADED.get() {
        return Ok(loaded);
    }
    let path = path(option)?;
    // The log is dropped: problems of a model are in the errors of the library, too.
    let builder = catch_panics(|| ort::init_from(&path))
        .map_err(Failure::new)
        .and_then(|loaded| loaded.map_err(not_loaded))
        .in_file(&path)?
        .with_name("xai")
        .with_telemetry(false)
        .with_logger(Arc::new(|_, _, _, _, _| {}));
    let environment = catch_panics(|| builder.build())
        .map_err(Failure::new)
        .and_then(|built| built.map_err(Failure::new))
        .in_file(&path)?;
    Ok(LOADED.get_or_init(|| environment))
}

/// The file of the library: from the option, from the environment variable, or the name that the system resolves.
fn path(option: Option<&Path>) -> Result<PathBuf, Failure> {
    let variable = || std::env::var_os(VARIABLE).filter(|value: &OsString| !value.is_empty());
    let path = option.map(Path::to_owned);
    match path.or_else(|| variable().map(PathBuf::from)) {
        None => Ok(format!("{DLL_PREFIX}onnxruntime{DLL_SUFFIX}").into()),
        Some(folder) if folder.is_dir() => in_folder(&folder),
        // An absolute path, because a relative one would be relative to the program.
        Some(file) => file
            .canonicalize()
            .map_err(|error| Failure::cannot_be_opened(error).help(INSTALL))
            .in_file(&file),
    }
}

/// The library in a folder; with several versions, the one whose name is last in alphabetical order.
fn in_folder(folder: &Path) -> Result<PathBuf, Failure> {
    let start = format!("{DLL_PREFIX}onnxruntime.");
    let is_library = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&start) && name.contains(DLL_SUFFIX)
    };
    let entries = std::fs::read_dir(folder.canonicalize().as_deref().unwrap_or(folder))
        .map_err(Failure::cannot_be_opened)
        .in_file(folder)?;
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

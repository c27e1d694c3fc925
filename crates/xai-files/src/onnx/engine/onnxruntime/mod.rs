//! Models run by ONNX Runtime: neural networks, and those of scikit-learn, LightGBM and XGBoost.

mod answer;
mod library;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use half::f16;
use ndarray::ArrayD;
use ort::environment::Environment;
use ort::logging::LogLevel;
use ort::session::builder::SessionBuilder;
use ort::session::{HasSelectedOutputs, OutputSelector, RunOptions, Session, SessionInputValue};
use ort::value::Tensor;

use super::interface::{Engine, File, Input, NotLoaded, Reason, unsupported};
use super::panics::caught;
use crate::onnx::contents::element;
use crate::onnx::contents::port::{Kind, Port};

/// Models of fewer bytes have a session per thread.
///
/// Their operators are too small to be shared among threads, and their copies are small too. A
/// larger model has one session, whose operators run on all threads.
const SMALL: u64 = 4 << 20;

/// A model of ONNX Runtime.
pub(super) struct OnnxRuntime {
    environment: &'static Environment,
    source: Source,
    inputs: Vec<Port>,
    output: String,
    /// Threads of each session.
    threads: usize,
    /// Made when first needed: a thread takes the one of its number.
    sessions: Vec<Mutex<Option<Loaded>>>,
}

/// What sessions are made from.
enum Source {
    /// A file, with files of weights beside it.
    Path(PathBuf),
    Bytes(Vec<u8>),
}

/// A session, and which of its outputs it answers with.
struct Loaded {
    session: Session,
    options: RunOptions<HasSelectedOutputs>,
}

impl OnnxRuntime {
    pub(super) fn load(file: File<'_>, library: Option<&Path>) -> Result<Self, NotLoaded> {
        let environment = library::environment(library).map_err(NotLoaded::Engine)?;
        let folder = file.path.parent().unwrap_or(Path::new(""));
        let data_files = file.contents.data_files.iter();
        let beside = data_files.filter_map(|name| folder.join(name).metadata().ok());
        let size = file.bytes.len() as u64 + beside.map(|data| data.len()).sum::<u64>();
        let n_threads = rayon::current_num_threads();
        // The outputs have the same bits on any number of threads, in one session or in several.
        let (n_sessions, threads) = match size <= SMALL {
            true => (n_threads, 1),
            false => (1, n_threads),
        };
        let source = match file.contents.data_files.is_empty() {
            true => Source::Bytes(file.bytes),
            false => Source::Path(file.path.to_owned()),
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
            // Nothing is made from it any more.
            model.source = Source::Bytes(Vec::new());
        }
        Ok(model)
    }

    fn session(&self) -> Result<Loaded, Reason> {
        let load = || -> ort::Result<Loaded> {
            let mut builder = builder(self.environment, self.threads)?;
            let session = match &self.source {
                Source::Path(path) => builder.commit_from_file(path)?,
                Source::Bytes(bytes) => builder.commit_from_memory(bytes)?,
            };
            let output = OutputSelector::no_default().with(&self.output);
            let options = RunOptions::new()?.with_outputs(output);
            Ok(Loaded { session, options })
        };
        caught(load)?.map_err(|error| error.to_string())
    }
}

fn builder(environment: &Environment, threads: usize) -> ort::Result<SessionBuilder> {
    Ok(Session::builder(environment)?
        .with_intra_threads(threads)?
        .with_inter_threads(1)?
        // Threads that wait for work leave the processor to those of the library.
        .with_intra_op_spinning(false)?
        .with_log_level(LogLevel::Fatal)?)
}

impl Engine for OnnxRuntime {
    fn run(&self, inputs: Vec<Input>) -> Result<ArrayD<f64>, Reason> {
        let values = self.inputs.iter().zip(inputs);
        let values: ort::Result<Vec<SessionInputValue<'_>>> =
            values.map(|(port, input)| value(port, input)).collect();
        let values = values.map_err(|error| error.to_string())?;
        let thread = rayon::current_thread_index().unwrap_or_default();
        let session = &self.sessions[thread % self.sessions.len()];
        // A call that panicked leaves the session as it was: its library keeps its state.
        let mut session = session.lock().unwrap_or_else(PoisonError::into_inner);
        let loaded = match session.take() {
            Some(loaded) => loaded,
            None => self.session()?,
        };
        let Loaded {
            session: model,
            options,
        } = session.insert(loaded);
        let answer = caught(|| {
            let outputs = model.run_with_options(values.as_slice(), options);
            let mut outputs = outputs.map_err(|error| error.to_string())?;
            answer::numbers(outputs.remove(&self.output).ok_or("it has no output")?)
        });
        answer?
    }
}

/// An array as a value of the type that the model takes.
fn value(port: &Port, input: Input) -> ort::Result<SessionInputValue<'static>> {
    let of = match port.kind {
        Kind::Array(of) => of,
        _ => element::FLOAT,
    };
    Ok(match (input, of) {
        (Input::Real(array), element::DOUBLE) => tensor(array.mapv(f64::from))?.into(),
        (Input::Real(array), element::FLOAT16) => tensor(array.mapv(f16::from_f32))?.into(),
        (Input::Real(array), _) => tensor(array)?.into(),
        (Input::Integer(array), element::INT32) => {
            let numbers: Result<Vec<i32>, _> = array.iter().map(|&n| i32::try_from(n)).collect();
            let numbers = numbers.map_err(ort::Error::wrap)?;
            Tensor::from_array((array.shape().to_vec(), numbers))?.into()
        }
        (Input::Integer(array), _) => tensor(array)?.into(),
    })
}

fn tensor<T>(array: ArrayD<T>) -> ort::Result<Tensor<T>>
where
    T: ort::value::PrimitiveTensorElementType + Clone + std::fmt::Debug + 'static,
{
    let shape = array.shape().to_vec();
    let array = array.as_standard_layout().into_owned();
    Tensor::from_array((shape, array.into_raw_vec_and_offset().0))
}

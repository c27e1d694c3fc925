//! Neural networks run by `rten`, an engine in Rust.

use std::sync::Arc;

use ndarray::ArrayD;
use rten::{
    DataType, LoadError, LoadErrorKind, Model, ModelOptions, NodeId, RunError, RunErrorKind,
    RunOptions, ThreadPool, Value, ValueType,
};
use rten_gemm::GemmExecutor;
use rten_tensor::prelude::*;

use crate::failure::Failure;
use crate::onnx::contents::{Contents, element};
use crate::onnx::engine::panics::catch_panics;
use crate::onnx::engine::{Engine, File, Input, Reason, array, other_engine, unsupported};
use crate::onnx::threads;

/// Domains and names of operators that multiply 8-bit integers.
const INTEGER_PRODUCTS: [(&str, &str); 2] = [
    ("", "MatMulInteger"),
    ("com.microsoft", "DynamicQuantizeLSTM"),
];

/// A model of rten.
pub(crate) struct Rten {
    model: Model,
    inputs: Vec<NodeId>,
    output: NodeId,
    threads: Arc<ThreadPool>,
    /// The names of the operators of the model, for errors of nodes without a name.
    operators: String,
}

impl Rten {
    pub(crate) fn load(file: File<'_>) -> Result<Self, Failure> {
        check(file.contents)?;
        let options = ModelOptions::with_all_ops();
        let loaded = if file.contents.data_files.is_empty() {
            catch_panics(|| options.load(file.bytes))
        } else {
            check_data_files(&file)?;
            drop(file.bytes);
            catch_panics(|| options.load_file(file.path))
        };
        let failure = |reason: Reason| unsupported(reason, &help_for_operators());
        let model = loaded.map_err(failure)?.map_err(not_loaded)?;
        let node = |name: &str| {
            let id = model.node_id(name);
            id.map_err(|error| failure(error.to_string()))
        };
        let inputs = file.contents.inputs.iter();
        let inputs = inputs
            .map(|input| node(&input.name))
            .collect::<Result<_, _>>()?;
        let output = node(&file.output.name)?;
        Ok(Self {
            inputs,
            output,
            model,
            threads: threads::pool(),
            operators: operators(file.contents),
        })
    }
}

impl Engine for Rten {
    fn run(&self, inputs: Vec<Input>) -> Result<ArrayD<f64>, Reason> {
        let mut values = Vec::with_capacity(inputs.len());
        for (&id, input) in self.inputs.iter().zip(inputs) {
            values.push((id, value(input)?.into()));
        }
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.threads)));
        let result = catch_panics(|| self.model.run(values, &[self.output], Some(options)))?;
        let outputs = result.map_err(|error| self.reason(&error))?;
        numbers(outputs.into_iter().next().ok_or("it has no output")?)
    }
}

impl Rten {
    /// The reason why a run failed. The engine identifies operators by the names of their nodes, which many
    /// exporters omit.
    fn reason(&self, error: &RunError) -> Reason {
        let is_named = error
            .node_path()
            .last()
            .is_some_and(|name| name.is_some_and(|it| !it.is_empty()));
        match error.kind() {
            RunErrorKind::OperatorError if !is_named => format!(
                "{error}; the node has no name, the operators of the model are {}; an operator of an old opset may have other \
                 inputs: export with a newer one (opset_version=18)",
                self.operators
            ),
            _ => error.to_string(),
        }
    }
}

/// The names of a model's operators, or the first 20 of them.
fn operators(contents: &Contents) -> String {
    const LISTED: usize = 20;
    let names: Vec<&str> = contents
        .operators
        .iter()
        .map(|(_, name)| name.as_str())
        .take(LISTED)
        .collect();
    let more = if contents.operators.len() > LISTED {
        ", …"
    } else {
        ""
    };
    names.join(", ") + more
}

/// Converts an output to double precision.
fn numbers(answer: Value) -> Result<ArrayD<f64>, Reason> {
    let ValueType::Tensor(DataType::Float) = answer.dtype() else {
        return Err(format!(
            "it answers with values of the type {}: expected scores",
            answer.dtype()
        ));
    };
    let answer = answer
        .into_tensor::<f32>()
        .ok_or("its answer is no array")?;
    array(answer.shape(), answer.iter().map(|&x| x.into()).collect())
}

/// Converts an array to the types of the engine: single precision and integers of 32 bits.
fn value(input: Input) -> Result<Value, Reason> {
    fn in_order<T: Clone>(array: ArrayD<T>) -> (Vec<usize>, Vec<T>) {
        let shape = array.shape().to_vec();
        let array = array.as_standard_layout().into_owned();
        (shape, array.into_raw_vec_and_offset().0)
    }
    match input {
        Input::Real(array) => {
            let (shape, numbers) = in_order(array);
            Value::from_shape(shape, numbers).map_err(|error| error.to_string())
        }
        Input::Integer(array) => {
            let (shape, numbers) = in_order(array);
            let integers: Vec<i32> = numbers
                .into_iter()
                .map(i32::try_from)
                .collect::<Result<_, _>>()
                .map_err(|_| "integers of 32 bits are expected")?;
            Value::from_shape(shape, integers).map_err(|error| error.to_string())
        }
    }
}

/// Refuses operators and types that the engine does not support.
fn check(contents: &Contents) -> Result<(), Failure> {
    if let Some(operator) = contents.classical_operator() {
        return Err(Failure::new(format!(
            "operator ai.onnx.ml.{operator} (trees, support vectors, scalers): the engine rten runs neural networks only"
        ))
        .help(other_engine()));
    }
    // Version 0.27 of rten computes wrong numbers for kernels larger than one pixel.
    if contents.has_operator("", "ConvInteger") {
        return Err(unsupported(
            "operator ConvInteger, a convolution quantised while it runs",
            &format!(
                "{}; or quantise with quantize_static(…, quant_format=QuantFormat.QDQ)",
                other_engine()
            ),
        ));
    }
    let mut products = INTEGER_PRODUCTS.iter();
    if contents.has_full_bytes
        && GemmExecutor::<u8, i8, i32>::default().may_saturate()
        && let Some((_, name)) = products.find(|(domain, name)| contents.has_operator(domain, name))
    {
        return Err(unsupported(
            format_args!(
                "operator {name} with weights of 8 bits: this processor has no AVX-512 VNNI, and its sums of two products \
                 of 8 bits are cut off at 16"
            ),
            "quantise with reduce_range=True, so that weights have 7 bits; or with quantize_static(…, \
             quant_format=QuantFormat.QDQ)",
        ));
    }
    let known = [
        element::FLOAT,
        element::UINT8,
        element::INT8,
        element::INT32,
        element::INT64,
        element::BOOL,
        element::FLOAT16,
        element::DOUBLE,
    ];
    let mut constants = contents.constant_types.iter();
    match constants.find(|constant| !known.contains(constant)) {
        Some(&other) => Err(Failure::new(format!(
            "constants of the type {}, which the engine does not know",
            element::name(other)
        ))
        .help("export the model in single precision: model.float()")),
        None => Ok(()),
    }
}

/// Refuses files of weights that the engine does not open.
fn check_data_files(file: &File<'_>) -> Result<(), Failure> {
    let extension = file.path.extension().unwrap_or_default();
    if !extension.eq_ignore_ascii_case("onnx") {
        return Err(Failure::new(
            "weights in a file beside the model, whose own name does not end in .onnx",
        )
        .help("rename the model to NAME.onnx"));
    }
    let mut names = file.contents.data_files.iter();
    match names.find(|name| !is_opened(name)) {
        Some(name) => Err(Failure::new(format_args!(
            "weights in the file {name:?}: the engine opens files beside the model whose names end in .data or .onnx_data"
        ))
        .help(format_args!(
            "write the weights into the model, onnx.save(onnx.load(FILE), OTHER); or {}",
            other_engine()
        ))),
        None => Ok(()),
    }
}

/// Returns whether the engine opens a file of weights. It decides by the name, so that models cannot read arbitrary
/// files.
fn is_opened(name: &str) -> bool {
    if name.contains(['/', '\\']) {
        return false;
    }
    name.rsplit_once('.').is_some_and(|(_, extension)| {
        extension.starts_with("data") || extension.starts_with("onnx_data")
    })
}

/// Creates an error for a model that the engine cannot load.
fn not_loaded(error: LoadError) -> Failure {
    match error.kind() {
        LoadErrorKind::ExternalDataError => {
            Failure::new(error).help("export the model again, with its file of weights")
        }
        _ => unsupported(error, &help_for_operators()),
    }
}

fn help_for_operators() -> String {
    format!(
        "{}; or export it without this operator, or with another opset_version (18 does well)",
        other_engine()
    )
}

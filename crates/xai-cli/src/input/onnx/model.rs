//! A model in a file: what it takes, and what it answers.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use ndarray::{Array2, ArrayD};
use rten::{
    DataType, Dimension, LoadError, LoadErrorKind, Model, ModelOptions, NodeId, RunOptions,
    ThreadPool, Value, ValueOrView, ValueType,
};
use rten_tensor::prelude::*;

use super::contents::{Contents, element};
use super::panics::caught;
use super::threads;
use crate::failure::{Failure, InFile};

/// Why a model gives no answer, as text.
pub(super) type Reason = String;

/// Scores that were computed elsewhere go in as files.
const SCORES_FROM_FILES: &str = "score the whole and the masked inputs where the model runs, and pass the scores with --base and --masked";

/// A model of the ONNX format: of a batch of samples ([`of_rows`](Self::of_rows)) or of a graph
/// ([`of_graphs`](Self::of_graphs)).
pub(crate) struct OnnxModel {
    model: Model,
    pub(super) inputs: Vec<Input>,
    threads: Arc<ThreadPool>,
    /// The number of outputs per sample, once known.
    pub(super) n_outputs: OnceLock<usize>,
}

/// An input of a model.
pub(super) struct Input {
    pub(super) id: NodeId,
    pub(super) name: String,
    /// The stored shape, where there is one.
    pub(super) shape: Option<Vec<Dimension>>,
    pub(super) numbers: Numbers,
}

/// Which numbers an input takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// Floating-point numbers of 16, 32 or 64 bits; the engine computes with 32.
    Real,
    /// Integers of 32 or 64 bits; the engine computes with 32.
    Integer,
}

impl OnnxModel {
    /// Reads a model of one input `(batch, …)` and one output `(batch, classes)` or `(batch,)`;
    /// further axes of the output are 1. Files of weights stand beside it.
    ///
    /// # Errors
    /// The file cannot be read, is no ONNX model, holds operators or types that the engine has not,
    /// has another number of inputs or outputs, or takes integers, which cannot be masked.
    pub(crate) fn of_rows(file: &Path) -> Result<Self, Failure> {
        Self::of_rows_in(file, read(file)?)
    }

    /// As [`of_rows`](Self::of_rows), from the bytes of a file.
    pub(crate) fn of_rows_in(file: &Path, bytes: Vec<u8>) -> Result<Self, Failure> {
        let rows = || {
            let model = Self::load(file, bytes)?;
            let [input] = model.inputs.as_slice() else {
                let n = model.inputs.len();
                return Err(Failure::new(format!(
                    "{n} inputs: expected one, the samples"
                )));
            };
            let n_outputs = model.model.output_ids().len();
            if n_outputs != 1 {
                return Err(
                    Failure::new(format!("{n_outputs} outputs: expected one, the scores"))
                        .help("export the model with its scores as the only output"),
                );
            }
            if input.numbers == Numbers::Integer {
                return Err(Failure::new(format!(
                    "its input {:?} takes integers: masked or perturbed, token numbers are the numbers of other tokens",
                    input.name
                ))
                .help("export the part of the model that follows the embedding, and pass the embedded samples as inputs"));
            }
            Ok(model)
        };
        rows().in_file(file)
    }

    /// Reads a model of the inputs features `(n, f)`, edge index `(2, e)` and, if it takes them,
    /// edge weights `(e,)`, in this order, whose first output is `(rows, classes)`.
    ///
    /// # Errors
    /// The file cannot be read, is no ONNX model, holds operators or types that the engine has not,
    /// or has other inputs.
    pub(crate) fn of_graphs(file: &Path) -> Result<Self, Failure> {
        let graphs = || {
            let model = Self::load(file, read(file)?)?;
            let numbers: Vec<Numbers> = model.inputs.iter().map(|input| input.numbers).collect();
            match numbers.as_slice() {
                [_, Numbers::Integer] | [_, Numbers::Integer, Numbers::Real] => Ok(model),
                [_, _] | [_, _, _] => Err(Failure::new(
                    "expected the inputs features (n, f), edge_index (2, e) of integers and edge_weight (e,) of floats, in this order",
                )),
                _ => Err(Failure::new(format!(
                    "expected the inputs features (n, f), edge_index (2, e) and edge_weight (e,), got {} inputs",
                    numbers.len()
                ))),
            }
        };
        graphs().in_file(file)
    }

    fn load(file: &Path, bytes: Vec<u8>) -> Result<Self, Failure> {
        let contents = Contents::read(&bytes).ok_or_else(|| {
            Failure::new("not an ONNX model, or only a part of one")
                .help("export it again: torch.onnx.export(model, example, FILE.onnx)")
        })?;
        check(&contents)?;
        let options = ModelOptions::with_all_ops();
        let loaded = match contents.has_external_data {
            true => {
                let extension = Path::new(file).extension().unwrap_or_default();
                if !extension.eq_ignore_ascii_case("onnx") {
                    return Err(Failure::new(
                        "weights in a file beside the model, whose own name does not end in .onnx",
                    )
                    .help("rename the model to NAME.onnx"));
                }
                drop(bytes);
                caught(|| options.load_file(file))
            }
            false => caught(|| options.load(bytes)),
        };
        let model = loaded.map_err(unsupported)?.map_err(not_loaded)?;
        let inputs: Result<Vec<Input>, Failure> = model
            .input_ids()
            .iter()
            .map(|&id| Input::new(&model, id, &contents))
            .collect();
        Ok(Self {
            inputs: inputs?,
            model,
            threads: threads::pool(),
            n_outputs: OnceLock::new(),
        })
    }

    /// Whether the model of a graph has an input for edge weights.
    pub(crate) fn takes_weight(&self) -> bool {
        self.inputs.len() == 3
    }

    /// The first output, a row per sample, node, edge or graph.
    pub(super) fn run(&self, values: Vec<ValueOrView<'_>>) -> Result<Array2<f32>, Reason> {
        let Some(&output) = self.model.output_ids().first() else {
            return Err("it has no output".to_owned());
        };
        for (input, value) in self.inputs.iter().zip(&values) {
            input.check(&value.as_view().shape())?;
        }
        let ids = self.inputs.iter().map(|input| input.id);
        let values: Vec<(NodeId, ValueOrView<'_>)> = ids.zip(values).collect();
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.threads)));
        let outputs = caught(|| self.model.run(values, &[output], Some(options)))?;
        match outputs
            .map_err(|error| error.to_string())?
            .into_iter()
            .next()
        {
            Some(answer) => table(answer),
            None => Err("it has no output".to_owned()),
        }
    }
}

impl Input {
    fn new(model: &Model, id: NodeId, contents: &Contents) -> Result<Self, Failure> {
        let info = model.node_info(id);
        let name = info
            .as_ref()
            .and_then(|info| info.name())
            .unwrap_or_default();
        let numbers = match contents.input_types.get(name) {
            None | Some(&(element::FLOAT | element::FLOAT16 | element::DOUBLE)) => Numbers::Real,
            Some(&(element::INT32 | element::INT64)) => Numbers::Integer,
            Some(&other) => {
                return Err(Failure::new(format!(
                    "its input {name:?} takes numbers of the type {}: expected float, double, float16 or, of graphs, int64",
                    element::name(other)
                ))
                .help("export the model in single precision: model.float()"));
            }
        };
        Ok(Self {
            id,
            name: name.to_owned(),
            shape: info.as_ref().and_then(|info| info.shape()),
            numbers,
        })
    }

    /// Holds the shape of a value against the stored one.
    pub(super) fn check(&self, shape: &[usize]) -> Result<(), Reason> {
        let Some(stored) = &self.shape else {
            return Ok(());
        };
        let fits = |(stored, n): (&Dimension, &usize)| match stored {
            Dimension::Fixed(fixed) => fixed == n,
            Dimension::Symbolic(_) => true,
        };
        if stored.len() == shape.len() && stored.iter().zip(shape).all(fits) {
            return Ok(());
        }
        let axes = stored.iter().map(|axis| match axis {
            Dimension::Fixed(n) => n.to_string(),
            Dimension::Symbolic(name) => name.clone(),
        });
        let axes: Vec<String> = axes.collect();
        Err(format!(
            "its input {:?} takes the shape [{}], got {shape:?}",
            self.name,
            axes.join(", ")
        ))
    }
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(file)
        .map_err(Failure::cannot_be_opened)
        .in_file(file)
}

/// Refuses what the engine lacks, by name.
fn check(contents: &Contents) -> Result<(), Failure> {
    let classical = contents.operators.iter().find(|(d, _)| d == "ai.onnx.ml");
    if let Some((domain, operator)) = classical {
        return Err(Failure::new(format!(
            "operator {domain}.{operator} (trees, support vectors, scalers): the engine runs neural networks only"
        ))
        .help(SCORES_FROM_FILES));
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

/// A model that the engine does not load.
fn not_loaded(error: LoadError) -> Failure {
    match error.kind() {
        LoadErrorKind::ExternalDataError => Failure::new(error).help(
            "keep the file of weights beside the model, under the name that it was exported with; the name must end in .data",
        ),
        _ => unsupported(error),
    }
}

fn unsupported(reason: impl std::fmt::Display) -> Failure {
    Failure::new(format_args!("the engine cannot run the model: {reason}")).help(format_args!(
        "export it without this operator, or with another opset_version (18 does well); or {SCORES_FROM_FILES}"
    ))
}

/// An answer as rows of outputs.
fn table(answer: Value) -> Result<Array2<f32>, Reason> {
    let ValueType::Tensor(DataType::Float) = answer.dtype() else {
        return Err(format!(
            "it answers with values of the type {}: expected scores; export it with its logits or probabilities as the output",
            answer.dtype()
        ));
    };
    let Some(answer) = answer.into_tensor::<f32>() else {
        return Err("its answer is no array".to_owned());
    };
    let shape = answer.shape().to_vec();
    let refused = || {
        format!(
            "it answers with the shape {shape:?}: expected (n, classes) or (n,), further axes 1"
        )
    };
    let (&rows, rest) = shape.split_first().ok_or_else(refused)?;
    let (&columns, rest) = rest.split_first().unwrap_or((&1, &[]));
    if rest.iter().any(|&n| n != 1) {
        return Err(refused());
    }
    Array2::from_shape_vec((rows, columns), answer.to_vec()).map_err(|error| error.to_string())
}

/// A value of real numbers.
pub(super) fn real(array: ArrayD<f32>) -> Result<ValueOrView<'static>, Reason> {
    let shape = array.shape().to_vec();
    let numbers = array
        .as_standard_layout()
        .into_owned()
        .into_raw_vec_and_offset()
        .0;
    let value = Value::from_shape(shape, numbers).map_err(|error| error.to_string())?;
    Ok(value.into())
}

/// A value of integers, which the engine holds in 32 bits.
pub(super) fn integers(
    shape: &[usize],
    numbers: impl Iterator<Item = Option<i32>>,
) -> Result<ValueOrView<'static>, Reason> {
    let numbers: Option<Vec<i32>> = numbers.collect();
    let numbers = numbers.ok_or("integers of 32 bits are expected")?;
    let value = Value::from_shape(shape, numbers).map_err(|error| error.to_string())?;
    Ok(value.into())
}

//! Models in ONNX files, with their inputs and outputs.

use std::path::Path;
use std::sync::OnceLock;

use ndarray::{Array2, ArrayD};
use prost::bytes::Bytes;

use crate::failure::{Failure, InFile};
use crate::onnx::ImageLayout;
use crate::onnx::contents::port::{Dimension, Port, PortKind};
use crate::onnx::contents::{Contents, element};
#[cfg(feature = "onnxruntime")]
use crate::onnx::engine::onnxruntime::OnnxRuntime;
use crate::onnx::engine::rten::Rten;
use crate::onnx::engine::{Engine, EngineOptions, File, Input, LoadFailure, Reason, table};

/// Advice to pass scores as files.
const SCORES_FROM_FILES: &str = "or score the whole and the masked inputs where the model runs: `xai attribution average-drop`, and the metrics like it, take the scores with --base and --masked";

/// Largest fixed batch size. Batches are padded to it in memory, and a larger one is likely a mistake.
const MAX_FIXED_BATCH: usize = 1 << 16;

/// A model in ONNX format for batches of samples ([`open`](Self::open)) or for graphs
/// ([`open_graph_model`](Self::open_graph_model)), run by any engine.
pub struct OnnxModel {
    engine: Box<dyn Engine>,
    pub(super) inputs: Vec<Port>,
    /// Whether the outputs of a sample depend on the other samples of its batch, because dynamic quantisation takes
    /// its scale from the whole batch. Such a model gets one sample at a time.
    pub(super) mixes_samples: bool,
    /// The layout of images that the model takes, as far as the file reveals it.
    pub images: ImageLayout,
    /// The number of outputs per sample that the file declares.
    pub n_declared: Option<usize>,
    /// Remark that another engine is faster.
    pub faster_engine: Option<String>,
    /// The number of outputs per sample, once known.
    pub(super) n_outputs: OnceLock<usize>,
}

impl OnnxModel {
    /// Reads a model with one input `(batch, …)` of floats or token numbers, and scores of shape `(batch, classes)`
    /// or `(batch,)`. Further axes have length 1. Files of weights must be in the same folder.
    ///
    /// # Errors
    /// The file cannot be read, is not an ONNX model, has operators or types that the engine does not support, has
    /// several inputs, has no output or several outputs that may be the scores, or is a model of trees, support
    /// vectors or scalers that takes integers.
    pub fn open(file: &Path, options: &EngineOptions) -> Result<Self, Failure> {
        Self::from_bytes(file, read(file)?.into(), options)
    }

    /// As [`open`](Self::open), from the bytes of a file.
    pub fn from_bytes(
        file: &Path,
        bytes: Vec<u8>,
        options: &EngineOptions,
    ) -> Result<Self, Failure> {
        let rows = || {
            let bytes = Bytes::from(bytes);
            let contents = contents(file, bytes.clone())?;
            check_sample_input(&contents)?;
            let output = match options.model_output() {
                Some(name) => named_output(&contents, name)?,
                None => only_scores(&contents)?,
            };
            check_scores(output)?;
            Self::load(file, bytes, &contents, output, options).map_err(|error| match error {
                LoadFailure::Model(failure) => failure.and_help(SCORES_FROM_FILES),
                LoadFailure::Engine(failure) => failure,
            })
        };
        rows().in_file(file)
    }

    /// Reads a model of attribution maps, with the input `(batch, …)`, optionally classes `(batch,)`, and an output
    /// of any shape whose first axis is the batch.
    ///
    /// # Errors
    /// As [`open`](Self::open), and for other inputs.
    pub(super) fn open_map_model(file: &Path, options: &EngineOptions) -> Result<Self, Failure> {
        let maps = || {
            let bytes = read(file)?;
            let contents = contents(file, bytes.clone())?;
            match contents.inputs.as_slice() {
                [inputs] | [inputs, _] if is_integer(inputs) => {
                    return Err(Failure::new(format!(
                        "its input {:?} takes integers: expected the inputs, of floats",
                        inputs.name
                    )));
                }
                [inputs] => check_type(inputs)?,
                [inputs, targets] if is_integer(targets) => check_type(inputs)?,
                others => {
                    return Err(Failure::new(format!(
                        "{} inputs: expected the inputs of floats, and after them, if it takes them, the target classes (n,) of integers",
                        others.len()
                    )));
                }
            }
            let output = match contents.outputs.as_slice() {
                [output] => output,
                _ => only_scores(&contents).map_err(|_| {
                    Failure::new(format!(
                        "its outputs are {}: expected one, the attribution maps",
                        names(contents.outputs.iter())
                    ))
                    .help("export the explainer with its maps as the only output")
                })?,
            };
            Self::load(file, bytes, &contents, output, options)
                .map_err(|(LoadFailure::Model(failure) | LoadFailure::Engine(failure))| failure)
        };
        maps().in_file(file)
    }

    /// Reads a graph model with the inputs features `(n, f)`, edge index `(2, e)` and optionally edge weights
    /// `(e,)`, in this order, and the output `(rows, classes)`.
    ///
    /// # Errors
    /// The file cannot be read, is not an ONNX model, has operators or types that the engine does not support, or
    /// has other inputs or an output that cannot be the scores.
    pub fn open_graph_model(file: &Path, options: &EngineOptions) -> Result<Self, Failure> {
        let graphs = || {
            let bytes = read(file)?;
            let contents = contents(file, bytes.clone())?;
            for input in &contents.inputs {
                check_type(input)?;
            }
            let output = match options.model_output() {
                Some(name) => named_output(&contents, name)?,
                None => contents
                    .outputs
                    .first()
                    .ok_or_else(|| Failure::new("it has no output"))?,
            };
            match contents.inputs.as_slice() {
                [_, edges] if is_integer(edges) => {}
                [_, edges, weights] if is_integer(edges) && !is_integer(weights) => {}
                [_, _] | [_, _, _] => {
                    return Err(Failure::new(
                        "expected the inputs features (n, f), edge_index (2, e) of integers and edge_weight (e,) of floats, in this order",
                    ));
                }
                others => {
                    return Err(Failure::new(format!(
                        "expected the inputs features (n, f), edge_index (2, e) and edge_weight (e,), got {} inputs",
                        others.len()
                    )));
                }
            }
            check_scores(output)?;
            Self::load(file, bytes, &contents, output, options)
                .map_err(|(LoadFailure::Model(failure) | LoadFailure::Engine(failure))| failure)
        };
        graphs().in_file(file)
    }

    /// Loads the engine.
    fn load(
        path: &Path,
        bytes: Bytes,
        contents: &Contents,
        output: &Port,
        options: &EngineOptions,
    ) -> Result<Self, LoadFailure> {
        let file = File {
            path,
            // Without a copy, because the contents no longer share memory with the file.
            bytes: bytes.into(),
            contents,
            output,
        };
        let engine = engine(file, options)?;
        Ok(Self {
            engine,
            inputs: contents.inputs.clone(),
            mixes_samples: contents.quantises_dynamically(),
            images: contents.images,
            n_declared: match output.shape.as_deref() {
                Some([_]) => Some(1),
                // Further axes have length 1.
                Some([_, Dimension::Fixed(n), ..]) => Some(*n),
                _ => None,
            },
            faster_engine: options.faster_engine(contents.n_depthwise),
            n_outputs: OnceLock::new(),
        })
    }

    /// Returns whether a graph model takes edge weights.
    pub fn takes_weight(&self) -> bool {
        self.inputs.len() == 3
    }

    /// The shape of a sample with `n` numbers: the declared axes if they have `n` elements, otherwise one axis.
    pub fn sample_shape(&self, n: usize) -> Vec<usize> {
        let declared = self.inputs.first().and_then(|input| input.shape.as_deref());
        let axes = declared.unwrap_or_default().iter().skip(1);
        let lengths: Option<Vec<usize>> = axes
            .map(|axis| match axis {
                Dimension::Fixed(length) => Some(*length),
                Dimension::Named(_) => None,
            })
            .collect();
        let fits =
            |lengths: &Vec<usize>| !lengths.is_empty() && lengths.iter().product::<usize>() == n;
        lengths.filter(fits).unwrap_or_else(|| vec![n])
    }

    /// Checks the shape of samples against the declared one. A batch may have any length.
    ///
    /// # Errors
    /// Describes the shape that the model takes.
    pub fn check_samples(&self, shape: &[usize]) -> Result<(), String> {
        let mut batch_shape = shape.to_vec();
        if let (Some(first), Ok(Some(size))) = (batch_shape.first_mut(), self.fixed_batch()) {
            *first = size;
        }
        self.check_shapes(&[&batch_shape])
    }

    /// Checks the shapes of inputs, in their order, against the declared ones.
    ///
    /// # Errors
    /// Describes the shape that the model takes.
    pub fn check_shapes(&self, shapes: &[&[usize]]) -> Result<(), String> {
        let mut inputs = self.inputs.iter().zip(shapes);
        inputs.try_for_each(|(input, shape)| input.check(shape))
    }

    /// The fixed batch size, if the file declares one.
    ///
    /// # Errors
    /// The declared size is 0 or larger than [`MAX_FIXED_BATCH`].
    pub(super) fn fixed_batch(&self) -> Result<Option<usize>, Reason> {
        let shape = self.inputs.first().and_then(|input| input.shape.as_ref());
        match shape.and_then(|shape| shape.first()) {
            Some(&Dimension::Fixed(size)) if (1..=MAX_FIXED_BATCH).contains(&size) => {
                Ok(Some(size))
            }
            Some(Dimension::Fixed(size)) => Err(format!(
                "its file says batches of {size} samples: export it with a named batch axis"
            )),
            _ => Ok(None),
        }
    }

    /// Computes the scores, one row for each sample, node, edge or graph.
    pub(super) fn scores(&self, values: Vec<Input>) -> Result<Array2<f64>, Reason> {
        table(self.run(values)?)
    }

    /// Computes the output.
    pub(super) fn run(&self, values: Vec<Input>) -> Result<ArrayD<f64>, Reason> {
        for (input, value) in self.inputs.iter().zip(&values) {
            input.check(value.shape())?;
        }
        self.engine.run(values)
    }
}

/// Returns whether the scores of a model seem to be logits of several classes: its last operator is a sum or
/// product, not a softmax.
pub fn ends_in_logits(file: &Path) -> bool {
    let Some(contents) = std::fs::read(file)
        .ok()
        .and_then(|it| Contents::read(it.into()))
    else {
        return false;
    };
    let mut outputs = contents.outputs.iter().zip(&contents.last_operators);
    let scores = outputs.find(|(output, _)| may_be_scores(output));
    scores.is_some_and(|(output, operator)| {
        let classes = output.shape.as_deref().and_then(|shape| shape.get(1));
        let are_several = matches!(classes, Some(Dimension::Fixed(2..)));
        are_several && ["Add", "Gemm", "MatMul"].contains(&operator.as_str())
    })
}

/// Loads a model with the chosen engine.
fn engine(file: File<'_>, options: &EngineOptions) -> Result<Box<dyn Engine>, LoadFailure> {
    options.check().map_err(LoadFailure::Engine)?;
    #[cfg(feature = "onnxruntime")]
    if options.is_onnxruntime() {
        let model = OnnxRuntime::load(file, options.onnxruntime_lib())?;
        return Ok(Box::new(model));
    }
    Ok(Box::new(Rten::load(file)?))
}

fn read(file: &Path) -> Result<Bytes, Failure> {
    std::fs::read(file)
        .map(Bytes::from)
        .map_err(Failure::cannot_be_opened)
        .in_file(file)
}

/// Reads the contents of a model, and checks the sizes of its arrays and that its files of weights exist.
fn contents(file: &Path, bytes: Bytes) -> Result<Contents, Failure> {
    let contents = Contents::read(bytes).ok_or_else(|| {
        Failure::new("not an ONNX model, or only a part of one")
            .help("export it again: torch.onnx.export(model, example, FILE.onnx)")
    })?;
    // Engines create such arrays when they load a model, and the process would be aborted.
    if let Some(node) = &contents.too_large {
        return Err(
            Failure::new(format_args!("{node}, which does not fit into memory"))
                .help("export the model again with an example of the size that it is used with"),
        );
    }
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut data_files = contents.data_files.iter();
    match data_files.find(|name| !folder.join(name).exists()) {
        Some(name) => Err(Failure::new(format_args!(
            "its weights are in a file {name:?}, which is not in its folder"
        ))
        .help(
            "keep the file of weights in the folder of the model, with the name that it was exported with",
        )),
        None => Ok(contents),
    }
}

/// Refuses inputs other than one array of samples that can be masked.
fn check_sample_input(contents: &Contents) -> Result<(), Failure> {
    let [input] = contents.inputs.as_slice() else {
        let names: Vec<String> = contents
            .inputs
            .iter()
            .map(|input| format!("{:?}", input.name))
            .collect();
        let failure = Failure::new(format!(
            "the model has {} inputs, {}: expected one, the samples",
            names.len(),
            names.join(" and ")
        ));
        return Err(match contents.classical_operator() {
            Some(_) => failure.help(
                "convert the model with one input of all features: initial_types=[(\"X\", FloatTensorType([None, n_features]))]",
            ),
            None => failure.help(
                "export a model of the samples alone, with the other inputs fixed: in PyTorch, a module whose forward(x) calls the model with them",
            ),
        });
    };
    check_type(input)?;
    if is_integer(input) && contents.classical_operator().is_some() {
        return Err(Failure::new(format!(
            "its input {:?} takes integers, and masked or perturbed values are none",
            input.name
        ))
        .help("convert the model with FloatTensorType inputs"));
    }
    Ok(())
}

/// Refuses input types other than those of arrays.
fn check_type(input: &Port) -> Result<(), Failure> {
    let name = &input.name;
    match input.kind {
        PortKind::Unknown
        | PortKind::Array(
            element::FLOAT | element::FLOAT16 | element::DOUBLE | element::INT32 | element::INT64,
        ) => Ok(()),
        PortKind::Array(element::STRING) => Err(Failure::new(format!(
            "its input {name:?} takes texts: expected float, double, float16 or, of graphs, int64"
        ))
        .help("export the part of the model that follows the encoding of its texts")),
        other => Err(Failure::new(format!(
            "its input {name:?} takes numbers of the type {other}: expected float, double, float16 or, of graphs, int64"
        ))
        .help("export the model in single precision: model.float()")),
    }
}

pub(super) fn is_integer(input: &Port) -> bool {
    matches!(input.kind, PortKind::Array(element::INT32 | element::INT64))
}

/// Returns whether an output may be the scores. Predicted classes, in contrast, are integers or texts.
fn may_be_scores(output: &Port) -> bool {
    match output.kind {
        PortKind::Array(elements) => {
            [element::FLOAT, element::FLOAT16, element::DOUBLE].contains(&elements)
        }
        PortKind::Maps | PortKind::Unknown => true,
        PortKind::Other => false,
    }
}

fn check_scores(output: &Port) -> Result<(), Failure> {
    if may_be_scores(output) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "its output {:?} is of the type {}: expected scores",
        output.name, output.kind
    ))
    .help("export the model with its logits or probabilities as the output"))
}

/// The output with the requested name.
fn named_output<'a>(contents: &'a Contents, name: &str) -> Result<&'a Port, Failure> {
    let mut outputs = contents.outputs.iter();
    let output = outputs.find(|output| output.name == name);
    output.ok_or_else(|| {
        let names = names(contents.outputs.iter());
        Failure::new(format!("no output {name:?}: there are {names}"))
            .help("choose one with --model-output NAME")
    })
}

/// The only output that may be the scores.
fn only_scores(contents: &Contents) -> Result<&Port, Failure> {
    let scores: Vec<&Port> = contents
        .outputs
        .iter()
        .filter(|o| may_be_scores(o))
        .collect();
    match (scores.as_slice(), contents.outputs.first()) {
        (&[scores], _) => Ok(scores),
        // The type of the output explains why it is not the scores.
        (&[], Some(output)) => Ok(output),
        (&[], None) => Err(Failure::new("it has no output")),
        (several, _) => Err(Failure::new(format!(
            "{} outputs may be the scores: {}",
            several.len(),
            names(several.iter().copied())
        ))
        .help("choose one with --model-output NAME")),
    }
}

fn names<'a>(ports: impl Iterator<Item = &'a Port>) -> String {
    let names: Vec<String> = ports.map(|port| format!("{:?}", port.name)).collect();
    names.join(", ")
}

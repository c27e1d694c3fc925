//! `predict`: an ONNX model as an SQL function.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array, ListArray};
use datafusion::arrow::buffer::{NullBuffer, OffsetBuffer};
use datafusion::arrow::datatypes::{DataType, Field, Float64Type};
use datafusion::common::{Result, ScalarValue, exec_datafusion_err, exec_err, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};
use ndarray::ArrayViewD;
use xai_attribution::model::Model;
use xai_core::Activation;
use xai_core::describe::Parameter;
use xai_files::onnx::engine::EngineOptions;
use xai_files::onnx::model::OnnxModel;

const USAGE: &str = "predict(model, inputs[, activation[, output]])";

/// Largest number of inputs per call of a model (32 MiB of `f64`), because a batch of images could be gigabytes.
const AT_A_TIME: usize = 1 << 22;

/// Creates the function.
pub(crate) fn function() -> ScalarUDF {
    ScalarUDF::new_from_impl(Predict {
        signature: Signature::user_defined(Volatility::Stable),
    })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Predict {
    signature: Signature,
}

fn list() -> DataType {
    DataType::new_list(DataType::Float64, true)
}

static DOCUMENTATION: LazyLock<Documentation> = LazyLock::new(|| {
    use datafusion::logical_expr::DocSection;
    Documentation::builder(
        DocSection::default(),
        "The outputs of a model for the inputs of a row: a list. The model is an ONNX file; its input is (batch, inputs), or of the axes that \
         the file declares. NULL where an argument is, or where an input is NULL. Inputs that are not finite are an error.",
        USAGE,
    )
    .with_sql_example("SELECT class_score(predict('model.onnx', [age, income]), 1) AS score FROM samples")
    .with_argument(
        "model",
        "a constant text: the path of an ONNX file",
    )
    .with_argument("inputs", "a list of numbers")
    .with_argument(
        "activation",
        format!("a constant text, applied to the outputs: {}; may be left out", Activation::KIND),
    )
    .with_argument("output", "a constant text: the name of the output, where the model has several; may be left out")
    .build()
});

impl ScalarUDFImpl for Predict {
    fn name(&self) -> &str {
        "predict"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        let is_text = |given: &DataType| {
            matches!(
                given,
                DataType::Utf8 | DataType::Utf8View | DataType::LargeUtf8
            )
        };
        let (2..=4, [model, inputs, texts @ ..]) = (given.len(), given) else {
            return plan_err!("{USAGE}: expected 2 to 4 arguments, got {}", given.len());
        };
        if !is_text(model) || !texts.iter().all(is_text) {
            return plan_err!("{USAGE}: all arguments but `inputs` must be texts");
        }
        let element = match inputs {
            DataType::List(of)
            | DataType::LargeList(of)
            | DataType::ListView(of)
            | DataType::LargeListView(of)
            | DataType::FixedSizeList(of, _) => of.data_type().clone(),
            other => other.clone(),
        };
        let is_list = element != *inputs;
        if !(is_list && (element.is_numeric() || element == DataType::Null)) {
            return plan_err!(
                "{USAGE}: the argument `inputs` must be a list of numbers, got {inputs}"
            );
        }
        let texts = texts.iter().map(|_| DataType::Utf8);
        Ok([DataType::Utf8, list()].into_iter().chain(texts).collect())
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(list())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let (model, inputs) = (&args.args[0], &args.args[1]);
        let activation = args
            .args
            .get(2)
            .map(text)
            .transpose()?
            .map_or(Ok(Activation::None), str::parse)
            .map_err(|error| exec_datafusion_err!("predict: {error}"))?;
        let output = args.args.get(3).map(text).transpose()?;
        let model = model_of(Path::new(text(model)?), output)?;
        let inputs = inputs.to_array(args.number_rows)?;
        Ok(ColumnarValue::Array(predicted(
            &model, activation, &inputs,
        )?))
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&DOCUMENTATION)
    }
}

fn text(value: &ColumnarValue) -> Result<&str> {
    match value {
        ColumnarValue::Scalar(ScalarValue::Utf8(Some(text))) => Ok(text),
        _ => exec_err!("predict: all arguments but `inputs` must be constants"),
    }
}

/// Loaded models by file and output, with the time at which the file was written.
type Models = HashMap<(PathBuf, Option<String>), (SystemTime, Arc<Named>)>;

/// Largest number of models that are kept.
const MOST_MODELS: usize = 16;

struct Named {
    file: PathBuf,
    model: OnnxModel,
}

/// Loads a model, or returns the loaded one if the file has not changed.
fn model_of(file: &Path, output: Option<&str>) -> Result<Arc<Named>> {
    static MODELS: LazyLock<Mutex<Models>> = LazyLock::new(Mutex::default);
    let written = std::fs::metadata(file)
        .and_then(|metadata| metadata.modified())
        .map_err(|error| exec_datafusion_err!("{}: cannot be opened: {error}", file.display()))?;
    let key = (file.to_owned(), output.map(str::to_owned));
    // Other threads wait while one loads a model, because mostly they need the same file.
    let mut models = MODELS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, model)) = models.get(&key)
        && *of == written
    {
        return Ok(Arc::clone(model));
    }
    let options = EngineOptions {
        model_output: key.1.clone(),
        ..EngineOptions::default()
    };
    let model = OnnxModel::open(file, &options)
        .map_err(|failure| exec_datafusion_err!("{}", failure.what()))?;
    if models.len() >= MOST_MODELS {
        models.clear();
    }
    let file = file.to_owned();
    let named = Arc::new(Named { file, model });
    models.insert(key, (written, Arc::clone(&named)));
    Ok(named)
}

fn predicted(named: &Named, activation: Activation, inputs: &ArrayRef) -> Result<ArrayRef> {
    let lists = inputs.as_list::<i32>();
    let elements = lists.values().as_primitive::<Float64Type>();
    let offsets = lists.value_offsets();
    let row = |row: usize| offsets[row] as usize..offsets[row + 1] as usize;
    let is_whole = |of: usize| {
        let nulls = elements.nulls();
        lists.is_valid(of) && nulls.is_none_or(|nulls| row(of).all(|at| nulls.is_valid(at)))
    };
    let whole: Vec<usize> = (0..lists.len()).filter(|&row| is_whole(row)).collect();
    let n = whole.first().map_or(0, |&first| row(first).len());
    let (mut values, mut n_outputs) = (Vec::new(), 0);
    let refused =
        |reason: String| exec_datafusion_err!("predict: {}: {reason}", named.file.display());
    let rows_at_a_time = (AT_A_TIME / n.max(1)).max(1);
    for rows in whole.chunks(rows_at_a_time) {
        let mut batch = Vec::with_capacity(rows.len() * n);
        for &of in rows {
            let inputs = &elements.values()[row(of)];
            if inputs.len() != n {
                return exec_err!("predict: rows have {n} and {} inputs", inputs.len());
            }
            if inputs.iter().any(|input| !input.is_finite()) {
                return exec_err!("predict: inputs: not a finite number");
            }
            batch.extend_from_slice(inputs);
        }
        let mut shape = vec![rows.len()];
        shape.extend(named.model.sample_shape(n));
        named.model.check_samples(&shape).map_err(refused)?;
        let batch =
            ArrayViewD::from_shape(shape, &batch).map_err(|error| refused(error.to_string()))?;
        let outputs = named
            .model
            .outputs(batch)
            .map_err(|error| refused(error.to_string()))?;
        let outputs = activation
            .apply(outputs.view())
            .map_err(|error| refused(error.to_string()))?;
        n_outputs = outputs.ncols();
        values.extend(outputs);
    }
    let mut lengths = vec![0; lists.len()];
    for &row in &whole {
        lengths[row] = n_outputs;
    }
    let nulls: NullBuffer = (0..lists.len()).map(is_whole).collect();
    Ok(Arc::new(ListArray::new(
        Arc::new(Field::new_list_field(DataType::Float64, true)),
        OffsetBuffer::from_lengths(lengths),
        Arc::new(Float64Array::from(values)),
        Some(nulls),
    )))
}

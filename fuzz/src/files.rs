//! Targets that read files with `xai-files`.

use std::cell::RefCell;
use std::io::Cursor;
use std::path::Path;

use ndarray::{Array2, ArrayD, IxDyn, array};
use tempfile::TempDir;
use xai_files::arrays;
use xai_files::classes::ClassesBuilder;
use xai_files::content::Content;
use xai_files::npy_file::NpyFile;
use xai_files::onnx::engine::EngineOptions;
use xai_files::onnx::model::{OnnxModel, ends_in_logits};
use xai_files::samples::FileSamples;
use xai_files::table::{Columns, Table};
use xai_metrics::attribution::model::{Model, Samples};
use xai_metrics::graph::{Graph, GraphModel};

thread_local! {
    static FOLDER: RefCell<Option<TempDir>> = const { RefCell::new(None) };
}

/// Writes a file with a name into a temporary folder and passes its path to `read`.
fn with_file(name: &str, content: &[u8], read: impl FnOnce(&Path)) {
    FOLDER.with_borrow_mut(|folder| {
        let folder = folder.get_or_insert_with(|| TempDir::new().expect("a temporary folder"));
        let file = folder.path().join(name);
        std::fs::write(&file, content).expect("a file in a temporary folder");
        read(&file);
    });
}

/// Reads an array as each supported type.
fn read_array(file: &Path) {
    let _ = arrays::read_f64::<IxDyn>(file);
    let _ = arrays::read_f32::<IxDyn>(file);
    let _ = arrays::read_labels::<IxDyn>(file);
    let _ = arrays::read_positions::<IxDyn>(file);
    if let Ok(stored) = arrays::read(file) {
        let _ = stored.for_model();
    }
}

pub(crate) fn npy(bytes: &[u8]) {
    with_file("array.npy", bytes, |file| {
        let content = Content::detect(file).map(|content| content.to_string());
        read_array(file);
        if let Some(opened) = NpyFile::open(file) {
            assert!(content.is_ok(), "opened, but not recognised: {content:?}");
            let n = opened.shape()[0];
            // Booleans other than 0 and 1 are errors, so the results are not asserted.
            let _ = (opened.rows(0..n), opened.rows(n - 1..n));
            if opened.has_integers() {
                let all = opened.shape().iter().product();
                opened
                    .integers(0..all)
                    .expect("the numbers of a whole file");
            }
        }
        if let Ok(samples) = FileSamples::open(file)
            && samples.n_samples() > 0
        {
            let last = samples.n_samples() - 1;
            let _ = samples.gather(&[last, 0]);
            let _ = samples.batch(0..last);
        }
    });
}

pub(crate) fn npz(bytes: &[u8]) {
    with_file("arrays.npz", bytes, |file| {
        let _ = Content::detect(file);
        read_array(file);
        let entry = format!("{}:a", file.display());
        let _ = Content::detect(entry.as_ref());
        read_array(entry.as_ref());
    });
}

pub(crate) fn csv(bytes: &[u8]) {
    let Ok(table) = Table::parse("table.csv", Cursor::new(bytes.to_vec())) else {
        return;
    };
    let n_columns = table.header().n_columns();
    let all: Vec<usize> = (0..n_columns).collect();
    let both = Columns {
        numbers: all.clone(),
        texts: all,
    };
    let Ok(piece) = table.whole(&both) else {
        return;
    };
    assert_eq!(piece.numbers().dim(), (piece.n_rows(), n_columns));
    for (column, cell) in [piece.first_invalid(), piece.first_missing()]
        .into_iter()
        .flatten()
    {
        assert!(column < n_columns && cell.row < piece.n_rows(), "{cell:?}");
    }
    for column in 0..n_columns {
        let texts = piece.text(column).expect("a column of the selection");
        assert_eq!(texts.iter().count(), piece.n_rows());
        let mut builder = ClassesBuilder::default();
        let numbered: Result<Vec<i64>, _> = texts.iter().map(|text| builder.number(text)).collect();
        if let Ok(mut numbers) = numbered {
            let (renumbering, classes) = builder.finish();
            renumbering.apply(&mut numbers);
            for (number, text) in numbers.iter().zip(texts.iter()) {
                assert_eq!(classes.find(text), Ok(*number), "{text:?}");
            }
        }
    }
}

pub(crate) fn json(bytes: &[u8]) {
    let Ok(text) = xai_files::json::text(bytes) else {
        return;
    };
    let value = serde_json::from_slice::<serde_json::Value>(bytes);
    // Valid JSON has the same value for other readers.
    if let Ok(value) = value {
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).ok(),
            Some(value)
        );
    }
}

/// Returns JSON documents in the encodings and with the numbers that programs write.
pub(crate) fn documents() -> Vec<Vec<u8>> {
    let text = r#"{"a": [1, NaN, null, -2.5e3], "b\"NaN": "NaN \\ Infinity", "c": {"d": [true, "\u00e9"]}}"#;
    let wide = |unit: fn(u16) -> [u8; 2], mark: [u8; 2]| {
        let units = text.encode_utf16().flat_map(unit);
        mark.into_iter().chain(units).collect::<Vec<u8>>()
    };
    vec![
        text.into(),
        text.replace("NaN", "null").into(),
        format!("\u{feff}{text}").into(),
        text.replace("-2.5e3", "-Infinity").into(),
        wide(u16::to_le_bytes, [0xff, 0xfe]),
        wide(u16::to_be_bytes, [0xfe, 0xff]),
    ]
}

/// Returns tables in the encodings and with the separators that programs write.
pub(crate) fn tables() -> Vec<Vec<u8>> {
    let text = "a,b,label\n1,2.5,\"x, \"\"y\"\"\"\n,nan,z\r\n-1e300,inf,\n";
    let wide = |unit: fn(u16) -> [u8; 2], mark: [u8; 2]| {
        let units = text.encode_utf16().flat_map(unit);
        mark.into_iter().chain(units).collect::<Vec<u8>>()
    };
    vec![
        text.into(),
        format!("\u{feff}{text}").into(),
        text.replace(',', ";").replace('.', ",").into(),
        text.replace(',', "\t").into(),
        text.replace('\n', "\r").into(),
        wide(u16::to_le_bytes, [0xff, 0xfe]),
        wide(u16::to_be_bytes, [0xfe, 0xff]),
        b"caf\xe9,b\n1,2\n".to_vec(),
        b",x\n0,1\n1,2\n".to_vec(),
    ]
}

/// Operators whose output size depends on numbers in the file. Models with them are opened but not run, because they
/// may legitimately need any amount of memory and time.
const CHOOSE_SIZES: [&[u8]; 12] = [
    b"ConstantOfShape",
    b"ConvTranspose",
    b"Expand",
    b"Loop",
    b"OneHot",
    b"Pad",
    b"Pool",
    b"Range",
    b"Resize",
    b"Scan",
    b"Tile",
    b"Upsample",
];

pub(crate) fn onnx(bytes: &[u8]) {
    with_file("model.onnx", bytes, |file| {
        let _ = ends_in_logits(file);
        let options = EngineOptions::default();
        let has = |operator: &[u8]| bytes.windows(operator.len()).any(|part| part == operator);
        if CHOOSE_SIZES.into_iter().any(has) {
            let _ = OnnxModel::open_graph_model(file, &options);
            let _ = OnnxModel::open(file, &options);
            return;
        }
        if let Ok(model) = OnnxModel::open_graph_model(file, &options) {
            let edges = array![[0, 1, 2, 3, 3], [1, 0, 3, 2, 3]];
            for n_features in [1, 2, 3, 8] {
                let nodes = Array2::<f32>::ones((4, n_features));
                if model.check_shapes(&[nodes.shape(), edges.shape()]).is_ok() {
                    let graph = Graph::new(nodes.view(), edges.view());
                    let _ = GraphModel::outputs(&model, graph.expect("edges between its nodes"));
                }
            }
        }
        let Ok(model) = OnnxModel::open(file, &options) else {
            return;
        };
        for shape in [&[2, 3][..], &[2, 1, 8, 8], &[1, 3, 8, 8], &[2, 16]] {
            if model.check_samples(shape).is_ok() {
                let _ = Model::outputs(&model, ArrayD::<f64>::zeros(IxDyn(shape)).view());
            }
        }
    });
}

//! Arrays in the forms that NumPy, pandas and PyTorch write.

use std::io::Write;

use crate::harness::Files;
use ndarray::{Array2, Array3, ArrayD, Axis, ShapeBuilder, array};
use serde_json::Value;

/// Returns the bytes of an `.npy` file of version 1.0.
pub(crate) fn npy(dtype: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': {dtype}, 'fortran_order': {order}, 'shape': {shape}, }}");
    of_header(&header, data)
}

pub(crate) fn of_header(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len() + 1).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.push(b'\n');
    bytes.extend(data);
    bytes
}

/// Returns an archive of entries, and optionally of an entry with a wrong size.
pub(crate) fn archive(entries: &[(&str, &[u8])], size: Option<u32>) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let mut writer = zip::ZipWriter::new(&mut bytes);
    let options = zip::write::SimpleFileOptions::default();
    for (name, entry) in entries {
        writer.start_file(format!("{name}.npy"), options).unwrap();
        writer.write_all(entry).unwrap();
    }
    writer.finish().unwrap();
    let mut bytes = bytes.into_inner();
    if let Some(size) = size {
        let at = |magic: &[u8], bytes: &[u8]| {
            bytes.windows(4).position(|window| window == magic).unwrap()
        };
        let (local, central) = (at(b"PK\x03\x04", &bytes), at(b"PK\x01\x02", &bytes));
        bytes[local + 22..local + 26].copy_from_slice(&size.to_le_bytes());
        bytes[central + 24..central + 28].copy_from_slice(&size.to_le_bytes());
    }
    bytes
}

const VALUES: &str = "graph characterization --pos p.npy --neg q.npy";

#[test]
fn numeric_arrays_of_every_type_are_read() {
    let files = Files::new();
    files.array("q.npy", &array![0.5, 0.5]);
    let halves: [(&str, &[u8]); 6] = [
        ("'<f2'", &[0, 0x38, 0, 0x3c]),
        ("'>f2'", &[0x38, 0, 0x3c, 0]),
        ("'>f4'", &[0x3f, 0, 0, 0, 0x3f, 0x80, 0, 0]),
        ("'<f4'", &[0, 0, 0, 0x3f, 0, 0, 0x80, 0x3f]),
        (
            "'>f8'",
            &[0x3f, 0xe0, 0, 0, 0, 0, 0, 0, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0],
        ),
        (
            "'<f8'",
            &[0, 0, 0, 0, 0, 0, 0xe0, 0x3f, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f],
        ),
    ];
    let mut values = Vec::new();
    for (dtype, data) in halves {
        files.bytes("p.npy", &npy(dtype, false, "(2,)", data));
        values.push(files.json(VALUES)["values"].clone());
    }
    assert!(values.iter().all(|v| *v == values[0]), "{values:?}");
    let ones: [(&str, &[u8]); 4] = [
        ("'|b1'", &[0, 1]),
        ("'|u1'", &[0, 1]),
        ("'>i2'", &[0, 0, 0, 1]),
        ("'>i8'", &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
    ];
    let mut values = Vec::new();
    for (dtype, data) in ones {
        files.bytes("p.npy", &npy(dtype, false, "(2,)", data));
        values.push(files.json(VALUES)["values"].clone());
    }
    assert!(values.iter().all(|v| *v == values[0]), "{values:?}");
}

#[test]
fn arrays_in_fortran_order_equal_those_in_c_order() {
    let files = Files::new();
    let c = Array2::from_shape_fn((4, 3), |(i, j)| ((i * 3 + j * 5) % 7) as f64);
    let mut fortran = Array2::zeros((4, 3).f());
    fortran.assign(&c);
    files.array("c.npy", &c);
    files.array("fortran.npy", &fortran);
    let of = |file: &str| files.json(&format!("attribution complexity --explanations {file}"));
    assert_eq!(of("c.npy"), of("fortran.npy"));
}

#[test]
fn files_without_an_array_of_numbers_are_errors_with_help() {
    let files = Files::new();
    files.array("q.npy", &array![0.5, 0.5]);
    for (dtype, data, way_out) in [
        ("'|O'", 16, ".astype"),
        ("'<U3'", 24, "one list of classes"),
        ("'|S3'", 6, "one list of classes"),
        ("[('a', '<f8'), ('b', '<i4')]", 24, "array["),
        ("'<c16'", 32, ".real"),
        ("'<f16'", 32, ".astype"),
        ("'<M8[ns]'", 16, ".astype"),
    ] {
        files.bytes("p.npy", &npy(dtype, false, "(2,)", &vec![0; data]));
        let failed = files.bad_data("p.npy", VALUES);
        let help = failed.help().unwrap();
        assert!(help.contains(way_out), "{}", failed.text);
        // The help does not suggest a table, which this option does not take.
        assert!(!help.contains("csv"), "{}", failed.text);
    }
    files.array("p.npy", &ndarray::arr0(0.5));
    files.bad_data("p.npy", VALUES);
}

#[test]
fn an_archive_needs_the_name_of_an_array_unless_it_has_only_one() {
    let files = Files::new();
    let of = |values: [f64; 2]| {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        npy("'<f8'", false, "(2,)", &bytes)
    };
    let (a, b) = (of([0.5, 0.25]), of([1.0, 0.0]));
    files.bytes("one.npz", &archive(&[("arr_0", &a)], None));
    files.bytes("two.npz", &archive(&[("a", &a), ("b", &b)], None));
    files.bytes("none.npz", &archive(&[], None));
    files.bytes("no_archive.npz", &a);
    let values = |pos: &str| {
        let command = format!("graph characterization --pos {pos} --neg one.npz");
        files.json(&command)["values"].clone()
    };
    assert_eq!(values("one.npz"), values("two.npz:a"));
    assert_eq!(values("one.npz"), values("one.npz:arr_0"));
    files.bytes("LOUD.NPZ", &archive(&[("a", &a), ("b", &b)], None));
    assert_eq!(values("LOUD.NPZ:a"), values("one.npz"));
    assert_ne!(values("one.npz"), values("two.npz:b"));
    for pos in ["two.npz", "none.npz", "no_archive.npz", "two.npz:c"] {
        files.bad_data(
            pos,
            &format!("graph characterization --pos {pos} --neg one.npz"),
        );
    }
}

#[test]
fn labels_are_whole_numbers_of_any_type() {
    let files = Files::new();
    let labels = array![0.0, 1.0, 1.0, 0.0];
    files.array("full.npy", &labels);
    files.array("kept.npy", &labels.mapv(|x| x as f32));
    files.array("integers.npy", &labels.mapv(|x| x as u8));
    files.array("booleans.npy", &labels.mapv(|x| x > 0.5));
    files.array("shares.npy", &array![0.0, 0.7, 1.0, 0.0]);
    files.array("missing.npy", &array![0.0, f64::NAN, 1.0, 0.0]);
    files.array("large.npy", &array![0.0, 1e300, 1.0, 0.0]);
    let fidelity = |complement: &str| {
        format!("graph fidelity --full full.npy --kept kept.npy --complement {complement}")
    };
    let expected = files.json(&fidelity("integers.npy"));
    assert_eq!(expected["neg_fidelity"], 0.0);
    for same in ["booleans.npy", "full.npy", "kept.npy"] {
        assert_eq!(files.json(&fidelity(same)), expected, "{same}");
    }
    for other in ["shares.npy", "missing.npy", "large.npy"] {
        let failed = files.bad_data(other, &fidelity(other));
        assert!(!failed.text.contains(".astype(int)"), "{}", failed.text);
        let runs = format!("repro pairwise --predictions full.npy {other} --labels full.npy");
        let failed = files.bad_data(other, &runs);
        assert!(!failed.text.contains(".astype(int)"), "{}", failed.text);
    }
    let runs = files.json("repro pairwise --predictions full.npy kept.npy --labels booleans.npy");
    assert_eq!(runs["always_wrong"], 0);
}

#[test]
fn an_index_of_booleans_selects_the_true_rows() {
    let files = Files::new();
    let outputs = Array2::from_shape_fn((6, 3), |(i, j)| ((i * 7 + j * 5) % 11) as f32);
    let kept = outputs.mapv(|x| (x * 3.0) % 7.0);
    files.array("full.npy", &outputs);
    files.array("kept.npy", &kept);
    files.array("complement.npy", &kept.mapv(|x| 6.0 - x));
    let levels = |array: &Array2<f32>| -> Array3<f32> {
        ndarray::stack(Axis(0), &[array.view(), outputs.view()]).unwrap()
    };
    files.array("kepts.npy", &levels(&kept));
    files.array("complements.npy", &levels(&kept.mapv(|x| 6.0 - x)));
    files.array("levels.npy", &array![0.5, 1.0]);
    files.array("mask.npy", &array![false, true, false, false, true, true]);
    files.array("rows.npy", &array![1_i64, 4, 5]);
    files.array("short.npy", &array![false, true]);
    files.array(
        "square.npy",
        &array![[false, true, false, false, true, true]],
    );
    files.array(
        "nobody.npy",
        &array![false, false, false, false, false, false],
    );
    for command in [
        "graph fidelity --full full.npy --kept kept.npy --complement complement.npy",
        "graph unfaithfulness --full full.npy --kept kept.npy",
        "graph sweep --full full.npy --kept kepts.npy --complement complements.npy --levels levels.npy",
    ] {
        let by = |index: &str| files.json(&format!("{command} --index {index} --out {index}.csv"));
        assert_eq!(by("mask.npy"), by("rows.npy"), "{command}");
        assert_eq!(files.read("mask.npy.csv"), files.read("rows.npy.csv"));
        assert_ne!(files.json(command), by("rows.npy"), "{command}");
        for wrong in ["short.npy", "square.npy", "nobody.npy"] {
            files.bad_data(wrong, &format!("{command} --index {wrong}"));
        }
    }
    // Booleans are not accepted where positions are expected.
    files.array("edges.npy", &array![[false, true], [true, false]]);
    files.array("of_edges.npy", &array![0.5, 1.0]);
    files.bad_data(
        "edges.npy",
        "graph mask --mask of_edges.npy --edge-index edges.npy",
    );
}

#[test]
fn maps_without_inputs_need_channels_if_their_shape_is_ambiguous() {
    let files = Files::new();
    let last = ArrayD::from_shape_fn(vec![5, 8, 6, 3], |i| {
        ((i[0] + 3 * i[1] * i[2] + i[3] * i[3] * 7) % 13) as f32
    });
    let first = last
        .clone()
        .permuted_axes(vec![0, 3, 1, 2])
        .as_standard_layout()
        .into_owned();
    files.array("last.npy", &last);
    files.array("first.npy", &first);
    let gray = first.slice_axis(Axis(1), (0..1).into()).to_owned();
    files.array("gray.npy", &gray);
    files.array(
        "table.npy",
        &gray.clone().into_shape_with_order((5, 48)).unwrap(),
    );
    files.array("cube.npy", &ArrayD::<f32>::from_elem(vec![2, 8, 8, 8], 0.5));
    files.array("thin.npy", &ArrayD::<f32>::from_elem(vec![2, 3, 8, 1], 0.5));
    for metric in ["complexity", "sparseness"] {
        let read = |arguments: &str| {
            files.json(&format!("attribution {metric} --explanations {arguments}"))
        };
        let of = |arguments: &str| read(arguments)["per_sample"].clone();
        assert_eq!(of("first.npy"), of("last.npy"), "{metric}");
        let [mut first, last, table] = ["first.npy", "last.npy", "table.npy"].map(read);
        assert_eq!(first["assumed"][0]["about"], "channels");
        first["assumed"] = serde_json::json!([]);
        assert_eq!(first, read("first.npy --channels first"), "{metric}");
        assert_eq!(
            (&first["channels"], &last["channels"], &table["channels"]),
            (&"first".into(), &"last".into(), &Value::Null)
        );
        assert_eq!(of("gray.npy"), of("table.npy"), "{metric}");
        assert_eq!(of("gray.npy"), of("gray.npy --channels first"), "{metric}");
        assert_ne!(of("gray.npy"), of("gray.npy --channels last"), "{metric}");
        for file in ["cube.npy", "thin.npy"] {
            let command = format!("attribution {metric} --explanations {file}");
            let failed = files.wrong_usage("--channels", &command);
            assert!(failed.help().unwrap().contains("--channels"));
            files.json(&format!("{command} --channels last"));
        }
    }
    let said = files.remarks("attribution complexity --explanations gray.npy");
    assert!(said.contains("--channels"), "{said}");
}

#[test]
fn maps_beyond_single_precision_are_measured_or_named_in_an_error() {
    let files = Files::new();
    let maps = array![[1.0, 2.0, 0.0, 5.0], [3.0, 1.0, 1.0, 1.0]];
    files.array("maps.npy", &maps);
    files.array("large.npy", &maps.mapv(|x| x * 2f64.powi(400)));
    for metric in ["complexity", "sparseness"] {
        let of = |file: &str| {
            let result = files.json(&format!("attribution {metric} --explanations {file}"));
            result["value"].as_f64().unwrap()
        };
        // The entropy adds 1e-8 to each value, which does not matter for large maps.
        assert!((of("large.npy") - of("maps.npy")).abs() < 1e-8, "{metric}");
    }
}

#[test]
fn an_index_of_booleans_has_the_length_of_the_models_output() {
    use crate::graph::onnx::ring_files;

    let files = Files::new();
    let given = ring_files(&files);
    let chosen = ndarray::Array1::from_shape_fn(12, |node| node % 4 == 1);
    files.array("chosen.npy", &chosen);
    files.array("rows.npy", &array![1_i64, 5, 9]);
    files.array("short.npy", &array![true, false]);
    for command in [
        format!("graph sweep {given}"),
        format!("graph robust-fidelity {given} --fraction 0.5 --n-draws 3"),
    ] {
        let by = |index: &str| files.json(&format!("{command} --index {index}"));
        assert_eq!(by("chosen.npy"), by("rows.npy"), "{command}");
        files.bad_data("short.npy", &format!("{command} --index short.npy"));
    }
}

#[test]
fn numbers_beyond_the_precision_of_a_model_are_named() {
    use crate::harness::sample;

    let files = Files::new();
    let maps: ArrayD<f32> = ndarray_npy::read_npy(sample("attribution/saliency.npy")).unwrap();
    let mut large = maps.mapv(f64::from);
    large[[3, 0, 0]] = 1e100;
    files.array("large.npy", &large);
    let inputs: ArrayD<f32> = ndarray_npy::read_npy(sample("attribution/inputs.npy")).unwrap();
    files.array("inputs.npy", &inputs.mapv(|x| f64::from(x) * 1e100));
    let (model, targets) = (
        sample("attribution/model.onnx"),
        sample("attribution/targets.npy"),
    );
    let command = |inputs: &str, maps: &str| {
        format!(
            "attribution deletion --model {model} --targets {targets} --channels first \
             --inputs {inputs} --explanations {maps}"
        )
    };
    let sample_inputs = sample("attribution/inputs.npy");
    // Maps are not inputs of the model and keep their precision.
    files.json(&command(&sample_inputs, "large.npy"));
    let failed = files.bad_data("inputs.npy", &command("inputs.npy", "large.npy"));
    assert!(failed.text.contains("single precision"), "{}", failed.text);
    files.array("small.npy", &maps.mapv(|x| f64::from(x) * 1e-60));
    files.json(&command(&sample_inputs, "small.npy"));
}

//! The golden problems of the attribution metrics, with files and ONNX models, against values of other packages.

use serde::Deserialize;
use serde_json::Value;

use crate::harness::Files;

/// A command with the expected values.
#[derive(Debug, Deserialize)]
struct Expected {
    case: usize,
    /// The arguments; `@NAME` is a file.
    command: String,
    /// Key of the values in the JSON: `per_sample`, or `curve` for the scores of its points after the first.
    key: String,
    expected: Vec<Option<f64>>,
    tolerance: f64,
}

fn folder() -> String {
    format!("{}/tests/data/golden/", env!("CARGO_MANIFEST_DIR"))
}

impl Expected {
    fn answer(&self, files: &Files) -> Vec<Option<f64>> {
        let command = self.command.replace('@', &folder());
        let json = files.json(&format!("attribution {command} --quiet"));
        let values = json[&self.key].as_array().expect("a list");
        match self.key.as_str() {
            "curve" => values[1..]
                .iter()
                .map(|point| point["score"].as_f64())
                .collect(),
            _ => values.iter().map(Value::as_f64).collect(),
        }
    }

    /// Returns `true` if the values equal those of the other package up to single precision.
    fn agrees(&self, answer: &[Option<f64>]) -> bool {
        let near = |(ours, theirs): (&Option<f64>, &Option<f64>)| match (ours, theirs) {
            (Some(ours), Some(theirs)) => {
                (ours - theirs).abs() <= self.tolerance * theirs.abs().max(1.0)
            }
            (ours, theirs) => ours == theirs,
        };
        answer.len() == self.expected.len() && answer.iter().zip(&self.expected).all(near)
    }
}

#[test]
fn golden_problems_have_the_values_of_other_packages() {
    let expected = std::fs::read_to_string(folder() + "expected.json").expect("the file");
    let expected: Vec<Expected> = serde_json::from_str(&expected).expect("its JSON");
    assert!(expected.len() > 20);
    let files = Files::new();
    let mut wrong = Vec::new();
    for one in &expected {
        let answer = one.answer(&files);
        if !one.agrees(&answer) {
            wrong.push((one.case, &one.command, answer, &one.expected));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

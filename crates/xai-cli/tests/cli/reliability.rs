//! `xai attribution reliability`: the reliability of metrics from the scores of a comparison.

use serde_json::{Value, json};

use crate::harness::Files;

fn scores(metrics: Value) -> String {
    json!({ "metrics": metrics }).to_string()
}

/// Scores of two explainers on four samples, for a metric and its negative.
fn two_metrics() -> Value {
    let explainers = |sign: f64| {
        let row = |x: [f64; 4]| json!({ "per_sample": x.map(|x| sign * x) });
        json!({ "zeta": row([1.0, 2.0, 3.0, 4.0]), "alpha": row([0.0, 5.0, 2.0, 3.0]) })
    };
    json!({
        "up": { "better": "higher", "explainers": explainers(1.0) },
        "down": { "better": "lower", "explainers": explainers(-1.0) },
    })
}

#[test]
fn stored_scores_are_enough() {
    let files = Files::new();
    files.text("scores.json", &scores(two_metrics()));
    let judged = files.json("attribution reliability scores.json");
    assert_eq!(judged["n_samples"], 4);
    let (up, down) = (&judged["metrics"]["up"], &judged["metrics"]["down"]);
    assert_eq!(up["kendall_w"]["value"], 0.25); // rank sums 5 and 7 of 4 samples
    assert_eq!(up["inter_method_reliability"]["value"], 0.4); // ranks 1 2 3 4 and 1 4 2 3
    assert_eq!(up["rank_stability"]["ranks"], json!([1.5, 1.5])); // both means are 2.5
    assert_eq!(up["internal_consistency"], 1.0);
    assert_eq!(down["rank_stability"], up["rank_stability"]);
    let pair = &judged["pairs"][0];
    assert_eq!(
        pair["internal_consistency_reliability"]["per_explainer"],
        json!([1.0, 1.0])
    );
    let again = files.json("attribution reliability scores.json --threads 1 --seed 1");
    assert_eq!(judged, again);
    let without = files.json("attribution reliability scores.json --n-draws 0");
    assert_eq!(without["metrics"]["up"]["rank_stability"], Value::Null);
    let table = files.table("attribution reliability scores.json");
    assert!(
        table.contains("up ↑") && table.contains("down ↓"),
        "{table}"
    );
}

#[test]
fn names_stay_in_the_order_of_the_file() {
    let files = Files::new();
    let rows =
        r#""explainers": {"zeta": {"per_sample": [1, 2]}, "alpha": {"per_sample": [2, null]}}"#;
    let of = |name: &str| format!(r#""{name}": {{"better": "none", {rows}}}"#);
    files.text(
        "s.json",
        &format!(r#"{{"metrics": {{{}, {}}}}}"#, of("second"), of("first")),
    );
    let judged = files.json("attribution reliability s.json");
    assert_eq!(judged["explainers"], json!(["zeta", "alpha"]));
    assert_eq!(judged["metrics"]["first"]["kendall_w"]["n_undefined"], 1);
    assert_eq!(judged["pairs"], json!([])); // no metric has a better end
    let table = files.table("attribution reliability s.json");
    assert!(
        table.find("second").unwrap() < table.find("first").unwrap(),
        "{table}"
    );
}

#[test]
fn errors_in_scores_have_a_position() {
    let files = Files::new();
    let run = "attribution reliability scores.json";
    files.bad_data("scores.json", run);
    for (text, expected) in [
        ("{}".to_owned(), "missing field `metrics`"),
        (scores(json!({})), "there are no metrics"),
        (scores(json!([])), "an object of names"),
        (
            scores(json!({ "a": { "better": "up", "explainers": {} } })),
            "unknown variant `up`",
        ),
        (
            scores(json!({ "a": { "better": "lower", "explainers": {} } })),
            "empty, expected at least one",
        ),
        (
            r#"{"metrics": {"a": {"better": "none", "explainers": {"x": {"per_sample": []}, "x": {"per_sample": []}}}}}"#.to_owned(),
            "`x` is there twice",
        ),
        (
            scores(json!({ "a": { "better": "lower", "explainers": {
                "x": { "per_sample": [1, 2] }, "y": { "per_sample": [1] } } } })),
            "values of a: expected shape (2, 2), got (2, 1)",
        ),
        (
            scores(json!({
                "a": { "better": "lower", "explainers": { "x": { "per_sample": [1] } } },
                "b": { "better": "lower", "explainers": { "y": { "per_sample": [1] } } },
            })),
            "b has other explainers, or another order, than a",
        ),
    ] {
        files.text("scores.json", &text);
        let failed = files.bad_data("scores.json", run);
        assert!(failed.text.contains(expected), "{}", failed.text);
    }
    files.text("scores.json", &scores(two_metrics()));
    files.wrong_usage("--n-draws", &format!("{run} --n-draws 2000000"));
}

/// The command reads the output of a comparison.
#[test]
fn reliability_of_the_metrics_of_the_sample() {
    use crate::harness::sample;
    let files = Files::new();
    let file = |name: &str| sample(&format!("attribution/{name}"));
    let compared = files.json(&format!(
        "attribution compare --model {} --inputs {} --targets {} --activation softmax --channels first \
         --metrics sparseness,average_drop --explanations occlusion={} random={}",
        file("model.onnx"),
        file("inputs.npy"),
        file("targets.npy"),
        file("occlusion.npy"),
        file("random.npy"),
    ));
    files.text("scores.json", &compared.to_string());
    let judged = files.json("attribution reliability scores.json");
    let w = |metric: &str| {
        judged["metrics"][metric]["kendall_w"]["value"]
            .as_f64()
            .unwrap()
    };
    // Occlusion is sparser than noise in every image, but the loss of score differs among images.
    assert_eq!(w("sparseness"), 1.0);
    assert!(w("average_drop") < 0.5);
}

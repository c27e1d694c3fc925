//! The values of the stored cases, which other packages or a direct implementation of the definitions computed.

use std::collections::BTreeMap;

use ndarray::{Array2, ArrayView2};
use serde_json::Value;
use xai_core::describe::Value as Parameter;
use xai_counterfactual::{
    Change, CounterfactualData, Feature, FeatureKind, Reference, Rule, Schema, edit_distance,
    input, metric, registry,
};

/// Metrics of other crates.
const ELSEWHERE: [&str; 1] = ["edit-size"];

#[test]
fn values_of_stored_cases() {
    let file: Value = serde_json::from_str(include_str!("golden/counterfactual.json")).unwrap();
    let cases = file["cases"].as_array().unwrap();
    let mut wrong = Vec::new();
    for case in cases
        .iter()
        .filter(|case| !ELSEWHERE.contains(&text(&case["metric"])))
    {
        let found = computed(case, &file["models"]);
        for (field, expected) in case["expected"].as_object().unwrap() {
            let found = found.get(field.as_str()).unwrap_or(&Value::Null);
            if !near(expected, found, case["tolerance"].as_f64().unwrap()) {
                wrong.push(format!(
                    "{} {} {}: {field} {expected}, got {found}",
                    case["id"], case["metric"], case["params"]
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(cases.len() >= 338);
}

fn computed(case: &Value, models: &Value) -> BTreeMap<&'static str, Value> {
    let (inputs, name) = (&case["inputs"], text(&case["metric"]));
    match name {
        "group-gap" => {
            let values: Vec<Option<f64>> = items(&inputs["values"]).map(Value::as_f64).collect();
            let gap = metric::group_gap(&values, &integers(&inputs["groups"])).unwrap();
            let means: serde_json::Map<String, Value> = gap
                .means
                .iter()
                .map(|(group, mean)| (group.to_string(), (*mean).into()))
                .collect();
            return BTreeMap::from([
                ("means", means.into()),
                ("gap", gap.gap.into()),
                ("ratio", gap.ratio.into()),
            ]);
        }
        "edit-distance" => {
            let edits: Vec<_> = items(&inputs["sequences"])
                .map(|pair| edit_distance(&tokens(&pair[0]), &tokens(&pair[1])))
                .collect();
            let shares: Vec<f64> = edits.iter().map(|edit| edit.share).collect();
            let value = shares.iter().sum::<f64>() / shares.len() as f64;
            let counts: Vec<usize> = edits.iter().map(|edit| edit.count).collect();
            return BTreeMap::from([
                ("counts", counts.into()),
                ("per_query", shares.into()),
                ("value", value.into()),
            ]);
        }
        _ => {}
    }
    let queries = table(&inputs["queries"], None);
    let width = Some(queries.ncols());
    let schema = schema(&inputs["schema"], queries.ncols());
    let given = |name: &str| inputs.get(name).filter(|value| !value.is_null());
    let rows = given("counterfactuals").map_or_else(
        || Array2::zeros((0, queries.ncols())),
        |rows| table(rows, width),
    );
    let query = given("query").map(positions).unwrap_or_default();
    let reference = given("train").map(|train| {
        let labels = given("train_labels").map(integers);
        Reference::new(
            schema.clone(),
            table(train, width).view(),
            labels.as_deref(),
        )
        .unwrap()
    });
    let mut data = CounterfactualData::new(&schema, queries.view(), rows.view(), &query).unwrap();
    if let Some(reference) = &reference {
        data = data.reference(reference).unwrap();
    }
    for which in [
        input::CLASS,
        input::TARGET,
        input::PREDICTED,
        input::ROW_CLASS,
    ] {
        if let Some(classes) = given(which.name()) {
            data = data.classes(which, &integers(classes)).unwrap();
        }
    }
    for which in [
        input::P_TARGET,
        input::P_TARGET_QUERY,
        input::INPUT_DISTANCE,
    ] {
        if let Some(numbers) = given(which.name()) {
            let numbers: Vec<f64> = items(numbers).map(|x| x.as_f64().unwrap()).collect();
            data = data.numbers(which, &numbers).unwrap();
        }
    }
    for which in [
        input::RECONSTRUCTION_TARGET,
        input::RECONSTRUCTION_ORIGIN,
        input::RECONSTRUCTION_ALL,
    ] {
        if let Some(rows) = given(which.name()) {
            data = data
                .reconstruction(which, table(rows, width).view())
                .unwrap();
        }
    }
    for which in [input::NOISY_PREDICTIONS, input::MODEL_PREDICTIONS] {
        if let Some(classes) = given(which.name()) {
            let lines: Vec<Vec<i64>> = items(classes).map(integers).collect();
            let shape = (lines.len(), lines.first().map_or(0, Vec::len));
            data = data
                .predictions(
                    which,
                    Array2::from_shape_vec(shape, lines.concat())
                        .unwrap()
                        .view(),
                )
                .unwrap();
        }
    }
    if let Some(valid) = given("valid") {
        let valid: Vec<bool> = items(valid)
            .map(|value| value.as_bool().unwrap_or_else(|| value.as_i64() == Some(1)))
            .collect();
        data = data.valid(&valid).unwrap();
    }
    if let Some(requested) = given("requested") {
        data = data
            .requested(requested.as_u64().unwrap() as usize)
            .unwrap();
    }
    if let Some(rules) = given("constraints") {
        data = data.rules(items(rules).map(rule).collect()).unwrap();
    }
    if let Some(others) = given("others") {
        data = data
            .others(
                table(others, width).view(),
                &positions(&inputs["other_query"]),
            )
            .unwrap();
    }
    for run in given("runs").into_iter().flat_map(items) {
        data = data
            .run(
                table(&run["counterfactuals"], width).view(),
                &positions(&run["query"]),
            )
            .unwrap();
    }
    if let Some(model) = given("model") {
        let model = &models[text(model)];
        data = data.model(move |rows: ArrayView2<'_, f64>| {
            Ok(rows
                .rows()
                .into_iter()
                .map(|row| linear_class(model, &row.to_vec()))
                .collect())
        });
    }
    if name == "coverage" {
        let coverage = metric::Coverage::counts(&data);
        return BTreeMap::from([
            ("value", coverage.value.into()),
            ("success", coverage.success.into()),
            ("fill", coverage.fill.into()),
            ("counts", coverage.counts.into()),
        ]);
    }
    let settings: Vec<(String, Parameter)> = case["params"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.clone(), parameter(value)))
        .collect();
    let values = registry::find(name)
        .unwrap()
        .computation
        .evaluate(&settings, &data)
        .unwrap_or_else(|error| panic!("{}: {error}", case["id"]));
    BTreeMap::from([
        ("per_counterfactual", values.per_counterfactual.into()),
        ("per_query", values.per_query.into()),
        ("value", values.value.into()),
        ("pooled", values.pooled.into()),
        ("n_undefined", values.n_undefined.into()),
    ])
}

fn parameter(value: &Value) -> Parameter {
    match value {
        Value::Bool(flag) => (*flag).into(),
        Value::String(word) => word.as_str().into(),
        number => match number.as_u64() {
            Some(whole) => whole.into(),
            None => number.as_f64().unwrap().into(),
        },
    }
}

fn schema(described: &Value, n_columns: usize) -> Schema {
    if described.is_null() {
        return Schema::numeric(n_columns);
    }
    let at = |key: &str, column: usize| {
        described
            .get(key)
            .map_or(&Value::Null, |values| &values[column])
    };
    let mut features: Vec<(Value, Feature)> = Vec::new();
    for column in 0..n_columns {
        let kind = at("kind", column).as_str().unwrap_or("numeric");
        if kind == "one-hot" {
            let group = at("group", column).clone();
            if let Some((_, feature)) = features
                .iter_mut()
                .find(|(other, _)| *other == group && !group.is_null())
            {
                feature.columns.push(column);
                continue;
            }
        }
        let kind = match kind {
            "numeric" => FeatureKind::Numeric,
            "ordinal" => FeatureKind::Ordinal,
            "categorical" => FeatureKind::Categorical,
            _ => FeatureKind::OneHot,
        };
        let mut feature = Feature::new(kind, [column]);
        feature.change = match at("mutable", column).as_str() {
            Some("none") => Change::None,
            Some("increase") => Change::Increase,
            Some("decrease") => Change::Decrease,
            _ => Change::Any,
        };
        feature.low = at("low", column).as_f64();
        feature.high = at("high", column).as_f64();
        feature.step = at("step", column).as_f64();
        feature.categories = at("categories", column)
            .as_array()
            .map(|values| values.iter().map(|x| x.as_f64().unwrap()).collect());
        feature.cost = at("weight", column).as_f64().unwrap_or(1.0);
        features.push((at("group", column).clone(), feature));
    }
    Schema::new(
        n_columns,
        features.into_iter().map(|(_, feature)| feature).collect(),
    )
    .unwrap()
}

fn rule(rule: &Value) -> Rule {
    let whole = |key: &str| rule[key].as_i64().unwrap();
    Rule {
        cause: whole("cause") as usize,
        direction: whole("direction") as i8,
        effect: whole("effect") as usize,
        effect_direction: whole("effect_direction") as i8,
        strict: rule["strict"].as_bool().unwrap(),
    }
}

fn linear_class(model: &Value, row: &[f64]) -> i64 {
    let scores = items(&model["weights"])
        .zip(items(&model["bias"]))
        .map(|(weights, bias)| {
            let products = items(weights)
                .zip(row)
                .map(|(weight, x)| weight.as_f64().unwrap() * x);
            bias.as_f64().unwrap() + products.sum::<f64>()
        });
    let scores: Vec<f64> = scores.collect();
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter().position(|&score| score == largest).unwrap() as i64
}

fn near(expected: &Value, found: &Value, tolerance: f64) -> bool {
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| near(a, b, tolerance)))
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(a, b, tolerance))
        }
        (Value::Null, found) => found.is_null(),
        (expected, found) => found.as_f64().is_some_and(|found| {
            let expected = expected.as_f64().unwrap();
            (expected - found).abs() <= tolerance * expected.abs().max(1.0)
        }),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().unwrap().iter()
}

fn integers(value: &Value) -> Vec<i64> {
    items(value).map(|x| x.as_i64().unwrap()).collect()
}

fn tokens(value: &Value) -> Vec<Value> {
    items(value).cloned().collect()
}

fn positions(value: &Value) -> Vec<usize> {
    items(value).map(|x| x.as_u64().unwrap() as usize).collect()
}

fn table(value: &Value, width: Option<usize>) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = items(value)
        .map(|row| items(row).map(|x| x.as_f64().unwrap()).collect())
        .collect();
    let shape = (rows.len(), width.unwrap_or_else(|| rows[0].len()));
    Array2::from_shape_vec(shape, rows.concat()).unwrap()
}

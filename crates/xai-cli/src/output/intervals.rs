//! Intervals in JSON: `[low, high]`.

use serde::Serialize;
use serde_json::{Value, json};
use xai_files::Failure;

/// Converts a result to JSON with every interval as `[low, high]`. The library's intervals are objects that also name
/// their method.
pub(crate) fn as_pairs(result: &impl Serialize) -> Result<Value, Failure> {
    let mut json = serde_json::to_value(result).map_err(Failure::new)?;
    make_pairs(&mut json);
    Ok(json)
}

fn make_pairs(json: &mut Value) {
    match json {
        Value::Array(values) => values.iter_mut().for_each(make_pairs),
        Value::Object(fields) => {
            // `method` tells the library's intervals from other objects with these keys.
            match (fields.get("low"), fields.get("high"), fields.get("method")) {
                (Some(low), Some(high), Some(_)) => *json = json!([low, high]),
                _ => fields.values_mut().for_each(make_pairs),
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use xai_metrics::common::statistics::wilson;

    use super::*;

    #[test]
    fn intervals_are_pairs_wherever_they_are() {
        let interval = wilson(1, 2, 0.95).unwrap();
        let pair = json!([interval.low, interval.high]);
        let found = as_pairs(&json!({"a": [interval, null], "b": {"low": 1, "high": 2}})).unwrap();
        assert_eq!(
            found,
            json!({"a": [pair, null], "b": {"low": 1, "high": 2}})
        );
    }
}

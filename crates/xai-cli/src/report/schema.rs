//! The JSON Schema of a study, with which editors complete and check its keys.
//!
//! It is generated from the options of the commands and from the descriptions of the metrics.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use xai_metrics::common::describe::{End, Kind, Param, Range, Value as Default};

use crate::report::section::{MetricsKey, StudySection};
use crate::report::sections::SECTIONS;
use crate::report::study::keys::{self, ALIASES, KeyOption, KeyRole, KeyValue};
use crate::report::study::prepare::{Explainers, with_common};

/// Returns the schema of a study.
pub(crate) fn study_schema() -> Value {
    let mut properties = Map::new();
    properties.insert(
        "title".to_owned(),
        json!({ "type": "string", "description": "The title of the page." }),
    );
    let seed =
        json!({ "type": "integer", "minimum": 0, "description": "Seed of the random numbers." });
    properties.insert("seed".to_owned(), seed);
    for kind in SECTIONS {
        let section = one_or_several(&section(*kind));
        properties.insert(kind.kind().key.to_owned(), section);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A study of xai report",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

/// Returns a schema for one table, `[repro]`, or several, `[[repro]]`.
fn one_or_several(table: &Value) -> Value {
    json!({ "anyOf": [table, { "type": "array", "items": table, "minItems": 1 }] })
}

/// Returns the schema of a kind of section.
fn section(kind: &dyn StudySection) -> Value {
    let mut table = TableSchema::default();
    let name = json!({ "type": "string", "description": "The heading of the section." });
    table.add("name", name);
    for key in keys::from_commands(&with_common(&kind.commands())) {
        let metrics_key = kind.metrics().filter(|_| key.key == "metrics");
        let schema = match (metrics_key, key.options.first()) {
            (Some(metrics_key), _) => metrics_schema(&metrics_key),
            (None, Some(option)) => option_schema(option),
            (None, None) => continue,
        };
        table.add(&key.key, schema);
        let mut options = key.options.iter().take(1);
        if options.any(|option| option.argument.is_required_set()) {
            table.require(&[&key.key]);
        }
    }
    for (alias, key) in ALIASES {
        if let Some(schema) = table.properties.get(*key).cloned() {
            table.add(alias, schema);
        }
    }
    let mut explainer = TableSchema::default();
    match kind.explainers() {
        Explainers::None => {}
        Explainers::Files(files) => {
            let name = json!({ "type": "string", "minLength": 1, "description": "The name of the explainer." });
            explainer.add("name", name);
            explainer.require(&["name"]);
            for (key, _) in files {
                explainer.add(key, json!({ "type": "string", "minLength": 1 }));
            }
            explainer.require(&files.iter().map(|(key, _)| *key).collect::<Vec<_>>());
            table.add("explainers", one_or_several(&explainer.into_json()));
            table.require(&["explainers"]);
        }
        // Required keys of the section may be given by its explainers.
        Explainers::Keys { shared } => {
            explainer.properties.clone_from(&table.properties);
            let is_shared = |key: &String| shared.contains(&key.replace('-', "_").as_str());
            explainer.properties.retain(|key, _| !is_shared(key));
            table.add("explainers", one_or_several(&explainer.into_json()));
            table.required.clear();
        }
    }
    table.into_json()
}

/// Builder of the schema of a table that has no other keys.
#[derive(Default)]
struct TableSchema {
    properties: Map<String, Value>,
    /// Conditions that one of several keys is present, each with its spellings.
    required: Vec<Value>,
}

impl TableSchema {
    /// Adds a key, which may also be written with dashes.
    fn add(&mut self, key: &str, schema: Value) {
        self.properties
            .insert(key.replace('_', "-"), schema.clone());
        self.properties.insert(key.to_owned(), schema);
    }

    /// Requires that one of the keys is present.
    fn require(&mut self, keys: &[&str]) {
        let spellings: BTreeSet<String> = keys
            .iter()
            .flat_map(|key| [(*key).to_owned(), key.replace('_', "-")])
            .collect();
        let alternatives: Vec<Value> = spellings
            .into_iter()
            .map(|key| json!({ "required": [key] }))
            .collect();
        self.required.push(json!({ "anyOf": alternatives }));
    }

    fn into_json(self) -> Value {
        let mut table = json!({ "type": "object", "properties": self.properties, "additionalProperties": false });
        if !self.required.is_empty() {
            table["allOf"] = json!(self.required);
        }
        table
    }
}

/// Returns the schema of an option.
fn option_schema(option: &KeyOption) -> Value {
    let argument = &option.argument;
    let possible_values = argument.get_possible_values();
    let words: Vec<&str> = possible_values.iter().map(|word| word.get_name()).collect();
    let one = if words.is_empty() {
        json!({ "type": ["string", "number"] })
    } else {
        json!({ "enum": words })
    };
    let mut schema = match option.value_kind() {
        KeyValue::Nothing => json!({ "type": "boolean" }),
        KeyValue::Many => json!({ "anyOf": [one, { "type": "array", "items": one }] }),
        // Keys that only studies have take files or numbers.
        _ if !option.is_typed && option.role() == KeyRole::File => json!({ "type": "string" }),
        _ if !option.is_typed => json!({ "type": "integer", "minimum": 0 }),
        // The options that take a list as one word, `0.1,0.2`, take an array as keys.
        _ if words.is_empty() => json!({ "type": ["string", "number", "array"] }),
        _ if words == ["true", "false"] => json!({ "type": "boolean" }),
        _ => one,
    };
    let description = argument.get_help().map(ToString::to_string);
    schema["description"] = json!(description.unwrap_or_default());
    if let [default] = option.defaults().as_slice() {
        schema["default"] = json!(default);
    }
    schema
}

/// Returns the schema of the key `metrics`: names of metrics or groups, or tables with a name and settings of
/// parameters.
fn metrics_schema(MetricsKey { metrics, groups }: &MetricsKey) -> Value {
    let mut names: Vec<&str> = groups.to_vec();
    let (mut tables, mut all_params) = (Vec::new(), Map::new());
    for (info, params) in metrics {
        names.push(info.name);
        let properties: Map<String, Value> = params
            .iter()
            .map(|param| (param.name.to_owned(), param_schema(param)))
            .collect();
        all_params.extend(properties.clone());
        tables.push(table(names_schema(&[info.name]), info.summary, properties));
    }
    if !groups.is_empty() {
        let about = "Several metrics. A setting applies to every metric that has the parameter.";
        tables.push(table(names_schema(groups), about, all_params));
    }
    // Names separated by commas, with settings in brackets, as on the command line.
    let text = json!({ "type": "string", "pattern": list_pattern(&names) });
    let one = [std::slice::from_ref(&text), &tables].concat();
    json!({
        "description": "Metrics, optionally with settings of their parameters.",
        "anyOf": [text, { "type": "array", "items": { "anyOf": one }, "minItems": 1 }],
    })
}

/// Returns a schema for one of some names, each with dashes or underscores.
fn names_schema(names: &[&str]) -> Value {
    let spellings: BTreeSet<String> = names
        .iter()
        .flat_map(|name| [(*name).to_owned(), name.replace('-', "_")])
        .collect();
    json!({ "enum": spellings })
}

/// Returns a regular expression for names separated by commas, each optionally with settings in brackets.
fn list_pattern(names: &[&str]) -> String {
    let patterns: Vec<String> = names
        .iter()
        .map(|name| name.replace(['-', '_'], "[-_]"))
        .collect();
    // Settings may contain one level of nested brackets.
    let one = format!(
        r"\s*({})\s*(\([^()]*(\([^()]*\)[^()]*)*\))?\s*",
        patterns.join("|")
    );
    format!("^{one}(,{one})*$")
}

/// Returns the schema of a table with a name and other properties.
fn table(name: Value, description: &str, mut properties: Map<String, Value>) -> Value {
    properties.insert("name".to_owned(), name);
    json!({
        "type": "object",
        "description": description,
        "properties": properties,
        "required": ["name"],
        "additionalProperties": false,
    })
}

fn param_schema(param: &Param) -> Value {
    let mut schema = kind_schema(&param.kind);
    schema["description"] = json!(param.doc);
    if param.value != Default::Given {
        schema["default"] = json!(param.value);
    }
    schema
}

fn kind_schema(kind: &Kind) -> Value {
    match kind {
        Kind::Real(range) => range_schema("number", range),
        Kind::Integer(range) => range_schema("integer", range),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Words(words) if words.iter().all(|word| word.value.is_none()) => {
            let constants: Vec<Value> = words
                .iter()
                .map(|word| json!({ "const": word.name, "description": word.doc }))
                .collect();
            json!({ "oneOf": constants })
        }
        // A word may be followed by a value: `blur:2`.
        Kind::Words(_) => json!({ "type": "string" }),
        Kind::List(item) => {
            let one = kind_schema(item);
            json!({ "anyOf": [one, { "type": "array", "items": one }] })
        }
        Kind::OneOf(kinds) => json!({ "anyOf": kinds.iter().map(kind_schema).collect::<Vec<_>>() }),
        _ => json!({}),
    }
}

fn range_schema(type_name: &str, range: &Range) -> Value {
    let mut schema = json!({ "type": type_name });
    match range.low {
        End::Included(low) => schema["minimum"] = json!(low),
        End::Excluded(low) => schema["exclusiveMinimum"] = json!(low),
        End::Unbounded | End::OfData(_) => {}
    }
    match range.high {
        End::Included(high) => schema["maximum"] = json!(high),
        End::Excluded(high) => schema["exclusiveMaximum"] = json!(high),
        End::Unbounded | End::OfData(_) => {}
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_named(table: &Value, name: &str) -> bool {
        table["properties"]["name"]["enum"][0] == name
    }

    #[test]
    fn the_keys_of_the_sample_study_are_in_the_schema() {
        let schema = study_schema();
        let study: toml::Table = include_str!("../../sample/study.toml").parse().unwrap();
        for (family, sections) in study.iter().filter(|(_, value)| value.is_array()) {
            let known = &schema["properties"][family]["anyOf"][0]["properties"];
            for key in sections
                .as_array()
                .unwrap()
                .iter()
                .filter_map(toml::Value::as_table)
            {
                for key in key.keys() {
                    assert!(known.get(key).is_some(), "{family}: {key}");
                }
            }
        }
    }

    #[test]
    fn a_parameter_has_its_range_its_words_and_its_default() {
        let schema = study_schema();
        let metrics = &schema["properties"]["attribution"]["anyOf"][0]["properties"]["metrics"];
        let tables = metrics["anyOf"][1]["items"]["anyOf"].as_array().unwrap();
        let named = |name: &str| {
            let mut tables = tables.iter();
            &tables.find(|table| is_named(table, name)).unwrap()["properties"]
        };
        let radius = &named("pointing-game")["radius"];
        assert_eq!(
            (&radius["type"], &radius["minimum"]),
            (&json!("number"), &json!(0.0))
        );
        let policy = &named("average-drop")["base_score_policy"];
        assert_eq!(policy["oneOf"][1]["const"], "as-is");
        assert_eq!(policy["default"], "error");
    }

    #[test]
    fn metrics_of_training_cases_have_settings_and_one_group() {
        let schema = study_schema();
        let metrics =
            &schema["properties"]["data_attribution"]["anyOf"][0]["properties"]["metrics"];
        let tables = metrics["anyOf"][1]["items"]["anyOf"].as_array().unwrap();
        let names = tables.iter().map(|table| &table["properties"]["name"]);
        let detection = names
            .clone()
            .position(|name| name["enum"][0] == "class-detection")
            .unwrap();
        assert_eq!(tables[detection]["properties"]["k"]["minimum"], json!(1.0));
        let has_group = |group: &str| {
            names.clone().any(|name| {
                let words = name["enum"].as_array();
                words.is_some_and(|words| words.contains(&json!(group)))
            })
        };
        assert!(has_group("all") && !has_group("standard"));
    }

    /// Validates a value, for the keywords that the schema of studies uses.
    fn follows(value: &Value, schema: &Value) -> bool {
        let has_type = |name: &Value| match name.as_str() {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("boolean") => value.is_boolean(),
            Some("integer") => value.is_i64() || value.is_u64(),
            Some("number") => value.is_number(),
            other => panic!("{other:?}"),
        };
        let schemas = |rule: &Value| rule.as_array().unwrap().clone();
        let holds = |(keyword, rule): (&String, &Value)| match keyword.as_str() {
            "type" => match rule.as_array() {
                Some(types) => types.iter().any(has_type),
                None => has_type(rule),
            },
            "const" => value == rule,
            "enum" => schemas(rule).contains(value),
            "anyOf" => schemas(rule).iter().any(|one| follows(value, one)),
            "oneOf" => {
                schemas(rule)
                    .iter()
                    .filter(|one| follows(value, one))
                    .count()
                    == 1
            }
            "allOf" => schemas(rule).iter().all(|one| follows(value, one)),
            "minimum" => value.as_f64().is_none_or(|x| x >= rule.as_f64().unwrap()),
            "exclusiveMinimum" => value.as_f64().is_none_or(|x| x > rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|x| x <= rule.as_f64().unwrap()),
            "exclusiveMaximum" => value.as_f64().is_none_or(|x| x < rule.as_f64().unwrap()),
            "minLength" => value.as_str().is_none_or(|text| !text.is_empty()),
            "minItems" => value.as_array().is_none_or(|items| !items.is_empty()),
            "items" => value
                .as_array()
                .is_none_or(|items| items.iter().all(|item| follows(item, rule))),
            "required" => value.as_object().is_none_or(|object| {
                schemas(rule)
                    .iter()
                    .all(|key| object.contains_key(key.as_str().unwrap()))
            }),
            "properties" => value.as_object().is_none_or(|object| {
                object
                    .iter()
                    .all(|(key, value)| rule.get(key).is_none_or(|rule| follows(value, rule)))
            }),
            "additionalProperties" => value.as_object().is_none_or(|object| {
                object
                    .keys()
                    .all(|key| schema["properties"].get(key).is_some())
            }),
            "pattern" => value.as_str().is_none_or(|text| {
                regex::Regex::new(rule.as_str().unwrap())
                    .unwrap()
                    .is_match(text)
            }),
            "$schema" | "title" | "description" | "default" => true,
            other => panic!("{other}"),
        };
        schema.as_object().unwrap().iter().all(holds)
    }

    fn is_valid(study: &str) -> bool {
        let study: toml::Table = study.parse().unwrap();
        follows(&serde_json::to_value(study).unwrap(), &study_schema())
    }

    const RUNS: &str = "predictions = 'a.csv'\nlabels = 'y'\n";
    const MAPS: &str = "model = 'm'\ninputs = 'i'\ntargets = 't'\n";
    const EXPLAINER: &str = "[[attribution.explainers]]\nname = 'a'\nmaps = 'm.npy'\n";

    #[test]
    fn every_documented_form_follows_the_schema() {
        assert!(is_valid(include_str!("../../sample/study.toml")));
        for study in [
            format!("[repro]\n{RUNS}"),
            format!("[[repro]]\n{RUNS}seed = 0\nmetrics = 'pa_acc,ec_local'\n"),
            format!("[[repro]]\n{RUNS}metrics = ['pa-acc', 'ec_local']\ndrop-column = 'b'\n"),
            format!("[[repro]]\n{RUNS}metrics = 'all'\ndrop_columns = ['b']\n"),
            "[[repro]]\npredictions = ['a.npy', 'b.npy']\nlabels = 'y.npy'\n".to_owned(),
            format!("[attribution]\n{MAPS}batch-size = 8\n{EXPLAINER}"),
            format!("[attribution]\n{MAPS}metrics = 'deletion(steps=20), road(percentages=[10, 50])'\n{EXPLAINER}"),
            format!("[attribution]\n{MAPS}metrics = ['complexity', {{ name = 'deletion', steps = 20 }}]\n{EXPLAINER}"),
            format!("[attribution]\n{MAPS}metrics = 'standard(baseline=mean)'\n{}", EXPLAINER.replace("[[", "[").replace("]]", "]")),
            "[graph]\nfull = 'f'\nlevels = 'l'\n[[graph.explainers]]\nname = 'a'\nkept = 'k'\ncomplement = 'c'\n".to_owned(),
            "[simulation]\ndraws = 'd.csv'\n".to_owned(),
        ] {
            assert!(is_valid(&study), "{study}");
        }
    }

    #[test]
    fn studies_with_wrong_keys_do_not_follow_the_schema() {
        for study in [
            "titel = 'x'\n".to_owned(),
            format!("seed = -5\n[repro]\n{RUNS}"),
            format!("[repro]\n{RUNS}seed = -5\n"),
            format!("[repro]\n{RUNS}metrics = 'pa_acx'\n"),
            format!("[repro]\n{RUNS}methrics = 'all'\n"),
            "[repro]\nlabels = 'y'\n".to_owned(),
            format!("[attribution]\n{MAPS}"),
            format!("[attribution]\n{MAPS}explainers = []\n"),
            format!("[attribution]\n{MAPS}[[attribution.explainers]]\nname = 'a'\n"),
            format!("[attribution]\n{MAPS}metrics = 'complexity, deletionn'\n{EXPLAINER}"),
            format!(
                "[attribution]\n{MAPS}metrics = [{{ name = 'deletion', step = 20 }}]\n{EXPLAINER}"
            ),
            "[data_attribution]\ntrain_labels = 'y'\n".to_owned(),
        ] {
            assert!(!is_valid(&study), "{study}");
        }
    }
}

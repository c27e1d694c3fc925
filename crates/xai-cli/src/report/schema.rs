//! The JSON Schema of a study: what an editor needs to complete and to check its keys.
//!
//! It is made of what the commands say of their options, and of the descriptions of the metrics.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use xai_metrics::core::describe::{End, Kind, Param, Range, Value as Default};

use crate::report::section::{MetricsOfKey, StudySection};
use crate::report::sections::SECTIONS;
use crate::report::study::keys::{self, ALIASES, Is, OptionOfKey, Takes};
use crate::report::study::prepare::{Explainers, with_common};

/// The schema of a study.
pub(crate) fn of_study() -> Value {
    let mut properties = Map::new();
    properties.insert(
        "title".to_owned(),
        json!({ "type": "string", "description": "The title of the page." }),
    );
    let seed = json!({ "type": "integer", "minimum": 0, "description": "Seed of random choices." });
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

/// A table, `[repro]`, or several, `[[repro]]`.
fn one_or_several(table: &Value) -> Value {
    json!({ "anyOf": [table, { "type": "array", "items": table, "minItems": 1 }] })
}

/// The schema of the sections of a kind.
fn section(kind: &dyn StudySection) -> Value {
    let mut table = TableSchema::default();
    let name = json!({ "type": "string", "description": "The heading of the section." });
    table.add("name", name);
    for key in keys::of(&with_common(&kind.commands())) {
        let of_metrics = kind.metrics().filter(|_| key.key == "metrics");
        let schema = match (of_metrics, key.options.first()) {
            (Some(of_metrics), _) => metrics(&of_metrics),
            (None, Some(option)) => of_option(option),
            (None, None) => continue,
        };
        table.add(&key.key, schema);
        let mut options = key.options.iter().take(1);
        if options.any(|option| option.argument.is_required_set()) {
            table.require(&[&key.key]);
        }
    }
    for (alias, of) in ALIASES {
        if let Some(schema) = table.properties.get(*of).cloned() {
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
        // They decide over those of the section.
        Explainers::Keys => {
            explainer.properties.clone_from(&table.properties);
            table.add("explainers", one_or_several(&explainer.into_json()));
            table.required.clear();
        }
    }
    table.into_json()
}

/// The schema of a table without other keys.
#[derive(Default)]
struct TableSchema {
    properties: Map<String, Value>,
    /// Keys of which one is needed, each with its other spellings.
    required: Vec<Value>,
}

impl TableSchema {
    /// Adds a key, which may be written with dashes too.
    fn add(&mut self, key: &str, schema: Value) {
        self.properties
            .insert(key.replace('_', "-"), schema.clone());
        self.properties.insert(key.to_owned(), schema);
    }

    /// Needs one of some keys.
    fn require(&mut self, keys: &[&str]) {
        let spelled = keys
            .iter()
            .flat_map(|key| [(*key).to_owned(), key.replace('_', "-")]);
        let one: BTreeSet<String> = spelled.collect();
        let one = one.into_iter().map(|key| json!({ "required": [key] }));
        self.required
            .push(json!({ "anyOf": one.collect::<Vec<_>>() }));
    }

    fn into_json(self) -> Value {
        let mut table = json!({ "type": "object", "properties": self.properties, "additionalProperties": false });
        if !self.required.is_empty() {
            table["allOf"] = json!(self.required);
        }
        table
    }
}

/// The schema of an option.
fn of_option(option: &OptionOfKey) -> Value {
    let argument = &option.argument;
    let words = argument.get_possible_values();
    let words: Vec<&str> = words.iter().map(|word| word.get_name()).collect();
    let one = match words.is_empty() {
        true => json!({ "type": ["string", "number"] }),
        false => json!({ "enum": words }),
    };
    let mut schema = match option.takes() {
        Takes::Nothing => json!({ "type": "boolean" }),
        Takes::Many => json!({ "anyOf": [one, { "type": "array", "items": one }] }),
        // Of keys that only studies have, words are numbers.
        _ if !option.is_typed && option.is() == Is::File => json!({ "type": "string" }),
        _ if !option.is_typed => json!({ "type": "integer", "minimum": 0 }),
        // A list in one word, `0.1,0.2`, may be written as a list.
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

/// Metrics by name, and as tables with settings of their parameters; groups are words for several of them.
fn metrics(MetricsOfKey { metrics, groups }: &MetricsOfKey) -> Value {
    let mut names: Vec<&str> = groups.to_vec();
    let (mut tables, mut of_any) = (Vec::new(), Map::new());
    for (info, params) in metrics {
        names.push(info.name);
        let params = params
            .iter()
            .map(|param| (param.name.to_owned(), of_param(param)));
        let params: Map<String, Value> = params.collect();
        of_any.extend(params.clone());
        tables.push(table(name_of(&[info.name]), info.summary, params));
    }
    if !groups.is_empty() {
        let about = "Several metrics: settings are those of every metric that has the parameter.";
        tables.push(table(name_of(groups), about, of_any));
    }
    // A metric by its name or several of them, with settings as on the command line.
    let text = json!({ "type": "string", "pattern": list_of(&names) });
    let one = [std::slice::from_ref(&text), &tables].concat();
    json!({
        "description": "The metrics, with settings of their parameters.",
        "anyOf": [text, { "type": "array", "items": { "anyOf": one }, "minItems": 1 }],
    })
}

/// Names as they may be written: with dashes or underscores.
fn name_of(names: &[&str]) -> Value {
    let spelled = names
        .iter()
        .flat_map(|name| [(*name).to_owned(), name.replace('-', "_")]);
    let spelled: BTreeSet<String> = spelled.collect();
    json!({ "enum": spelled })
}

/// The pattern of names with settings in brackets, separated by commas.
fn list_of(names: &[&str]) -> String {
    let names: Vec<String> = names
        .iter()
        .map(|name| name.replace(['-', '_'], "[-_]"))
        .collect();
    let one = format!(
        r"\s*({})\s*(\([^()]*(\([^()]*\)[^()]*)*\))?\s*",
        names.join("|")
    );
    format!("^{one}(,{one})*$")
}

/// A table with a name and settings of parameters.
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

fn of_param(param: &Param) -> Value {
    let mut schema = of_kind(&param.kind);
    schema["description"] = json!(param.doc);
    if param.value != Default::Given {
        schema["default"] = json!(param.value);
    }
    schema
}

fn of_kind(kind: &Kind) -> Value {
    match kind {
        Kind::Real(range) => of_range("number", range),
        Kind::Integer(range) => of_range("integer", range),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Words(words) if words.iter().all(|word| word.value.is_none()) => {
            let words = words
                .iter()
                .map(|word| json!({ "const": word.name, "description": word.doc }));
            json!({ "oneOf": words.collect::<Vec<_>>() })
        }
        // A word with a value behind it, `blur:2`.
        Kind::Words(_) => json!({ "type": "string" }),
        Kind::List(item) => {
            let item = of_kind(item);
            json!({ "anyOf": [item, { "type": "array", "items": item }] })
        }
        Kind::OneOf(kinds) => json!({ "anyOf": kinds.iter().map(of_kind).collect::<Vec<_>>() }),
        _ => json!({}),
    }
}

fn of_range(type_name: &str, range: &Range) -> Value {
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
        let schema = of_study();
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
        let schema = of_study();
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
    fn metrics_of_training_cases_have_settings_and_no_groups() {
        let schema = of_study();
        let metrics =
            &schema["properties"]["data_attribution"]["anyOf"][0]["properties"]["metrics"];
        let tables = metrics["anyOf"][1]["items"]["anyOf"].as_array().unwrap();
        let names = tables.iter().map(|table| &table["properties"]["name"]);
        let detection = names
            .clone()
            .position(|name| name["enum"][0] == "class-detection")
            .unwrap();
        assert_eq!(tables[detection]["properties"]["k"]["minimum"], json!(1.0));
        let is_group = |name: &Value| {
            name["enum"]
                .as_array()
                .is_some_and(|of| of.contains(&json!("all")))
        };
        assert!(!names.clone().any(is_group));
    }

    /// Whether a value follows a schema, as far as the schema of studies has keywords.
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
        follows(&serde_json::to_value(study).unwrap(), &of_study())
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
    fn what_a_report_refuses_by_its_keys_does_not_follow_the_schema() {
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

//! The JSON Schema of a study: what an editor needs to complete and to check its keys.
//!
//! It is made of what the commands say of their options, and of the descriptions of the metrics.

use clap::{Arg, ArgAction};
use serde_json::{Map, Value, json};
use xai_metrics::attribution::metric::registry;
use xai_metrics::casebased::data_attribution;
use xai_metrics::core::MetricInfo;
use xai_metrics::core::describe::{End, Kind, Param, Range, Value as Default};
use xai_report::Family;

use crate::attribution::parameters::{ALL_WORD, STANDARD_WORD};
use crate::report::study::keys;
use crate::report::study::keys::{KeyInfo, commands, has_explainers};

/// The schema of a study.
pub(crate) fn of_study() -> Value {
    let mut properties = Map::new();
    properties.insert(
        "title".to_owned(),
        json!({ "type": "string", "description": "The title of the page." }),
    );
    properties.insert(
        keys::SEED.to_owned(),
        json!({ "type": "integer", "minimum": 0, "description": "What random choices depend on." }),
    );
    for family in Family::ALL {
        let section = section(family);
        let sections = json!({ "type": "array", "items": section });
        properties.insert(family.key().to_owned(), sections);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A study of xai report",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

/// The schema of the sections of a family.
fn section(family: Family) -> Value {
    let mut properties = Map::new();
    let name = json!({ "type": "string", "description": "The heading of the section." });
    properties.insert("name".to_owned(), name);
    if has_explainers(family) {
        let explainers = json!({ "type": "array", "items": { "type": "object" } });
        properties.insert("explainers".to_owned(), explainers);
    }
    for key in keys::of(family) {
        let schema = of_key(family, &key);
        properties.insert(key.key, schema);
    }
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

/// The schema of a key: that of the option that it stands for.
fn of_key(family: Family, key: &KeyInfo) -> Value {
    match (family, key.key.as_str()) {
        (Family::Attribution, "metrics") => {
            let entries = registry::metrics().iter().filter(|entry| entry.is_built());
            let groups = [STANDARD_WORD, ALL_WORD];
            return metrics(entries.map(|entry| (entry.info, entry.params())), &groups);
        }
        (Family::DataAttribution, "metrics") => {
            let entries = data_attribution::METRICS.iter();
            return metrics(entries.map(|entry| (entry.info, entry.params())), &[]);
        }
        _ => {}
    }
    let Some(option) = key.options.first() else {
        return json!({}); // a key that is no option
    };
    let command = (commands(family)[option.command].command)();
    let argument = command.get_arguments();
    let argument = argument
        .into_iter()
        .find(|argument| argument.get_long() == Some(&option.option));
    argument.map_or_else(|| json!({}), of_argument)
}

fn of_argument(argument: &Arg) -> Value {
    let description = argument.get_help().map(ToString::to_string);
    let words: Vec<String> = argument
        .get_possible_values()
        .iter()
        .map(|word| word.get_name().to_owned())
        .collect();
    let one = match words.is_empty() {
        true => json!({ "type": ["string", "number"] }),
        false => json!({ "enum": words }),
    };
    let mut schema = match argument.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse => json!({ "type": "boolean" }),
        ArgAction::Append => json!({ "anyOf": [one, { "type": "array", "items": one }] }),
        // A list in one word, `0.1,0.2`, may be written as a list.
        _ if words.is_empty() => json!({ "type": ["string", "number", "array"] }),
        _ if words == ["true", "false"] => json!({ "type": "boolean" }),
        _ => one,
    };
    schema["description"] = json!(description.unwrap_or_default());
    let defaults: Vec<String> = argument
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy().into_owned())
        .collect();
    if let [default] = defaults.as_slice() {
        schema["default"] = json!(default);
    }
    schema
}

/// Metrics by name, and as tables with settings of their parameters; groups are words for several of them.
fn metrics(
    entries: impl Iterator<Item = (&'static MetricInfo, Vec<Param>)>,
    groups: &[&str],
) -> Value {
    // A metric by its name, several of them, or one with settings, as on the command line.
    let mut one = vec![json!({ "type": "string" })];
    let mut of_any = Map::new();
    for (info, params) in entries {
        let params = params
            .iter()
            .map(|param| (param.name.to_owned(), of_param(param)));
        let params: Map<String, Value> = params.collect();
        of_any.extend(params.clone());
        one.push(table(json!({ "const": info.name }), info.question, params));
    }
    if !groups.is_empty() {
        let about = "Several metrics: settings are those of every metric that has the parameter.";
        one.push(table(json!({ "enum": groups }), about, of_any));
    }
    json!({
        "description": "The metrics, with settings of their parameters.",
        "anyOf": [{ "type": "string" }, { "type": "array", "items": { "anyOf": one } }],
    })
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

    #[test]
    fn the_keys_of_the_sample_study_are_in_the_schema() {
        let schema = of_study();
        let study: toml::Table = include_str!("../../../sample/study.toml").parse().unwrap();
        for (family, sections) in study.iter().filter(|(_, value)| value.is_array()) {
            let known = &schema["properties"][family]["items"]["properties"];
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
        let metrics = &schema["properties"]["attribution"]["items"]["properties"]["metrics"];
        let tables = metrics["anyOf"][1]["items"]["anyOf"].as_array().unwrap();
        let named = |name: &str| {
            let mut tables = tables.iter();
            &tables
                .find(|table| table["properties"]["name"]["const"] == name)
                .unwrap()["properties"]
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
        let metrics = &schema["properties"]["data_attribution"]["items"]["properties"]["metrics"];
        let tables = metrics["anyOf"][1]["items"]["anyOf"].as_array().unwrap();
        let names = tables.iter().map(|table| &table["properties"]["name"]);
        let detection = names
            .clone()
            .position(|name| name["const"] == "class-detection")
            .unwrap();
        assert_eq!(tables[detection]["properties"]["k"]["minimum"], json!(1.0));
        assert!(names.clone().all(|name| name.get("enum").is_none()));
    }
}

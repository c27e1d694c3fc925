//! Settings on which the figures of a section depend besides files and seeds.

use std::collections::BTreeMap;

use crate::report::study::arguments::is_file_name;
use crate::report::study::document::{Key, Section, Value};
use crate::report::study::keys::{KeyInfo, KeyRole, canonical};

/// Keys that do not change the values of figures (`n_replicates` changes only their intervals), or that are recorded
/// elsewhere: the metrics with each figure, and the channels that were used with the section.
const LEFT_OUT: [&str; 6] = [
    "metrics",
    "batch_size",
    "engine",
    "allow_batch_dependence",
    "n_replicates",
    "channels",
];

/// Returns the settings of a section by key: the value in the study, or the default of the option. The keys of settings
/// of an explainer begin with its name.
pub(super) fn collect(section: &Section, keys: &[KeyInfo]) -> BTreeMap<String, String> {
    let setting_keys: Vec<&KeyInfo> = keys.iter().filter(is_setting).collect();
    let mut settings = BTreeMap::new();
    for info in &setting_keys {
        let study_value = section.key(&info.key).and_then(text);
        let default = || {
            let defaults = info.options.first()?.defaults();
            (!defaults.is_empty()).then(|| defaults.join(","))
        };
        let value = study_value.or_else(default);
        settings.extend(value.map(|value| (info.key.clone(), value)));
    }
    for table in &section.explainers {
        let name = table.key("name").and_then(text);
        let own = table.keys.iter().filter(|key| {
            let name = canonical(&key.name);
            setting_keys.iter().any(|info| info.key == name)
        });
        settings.extend(own.filter_map(|key| {
            let name = name.as_deref().unwrap_or_default();
            Some((format!("{name}: {}", canonical(&key.name)), text(key)?))
        }));
    }
    settings
}

/// Returns `true` for a key of a command whose value need not be a file, except those in [`LEFT_OUT`].
fn is_setting(key: &&KeyInfo) -> bool {
    let is_word = key
        .options
        .first()
        .is_some_and(|option| option.is_typed && option.role() != KeyRole::File);
    is_word && !LEFT_OUT.contains(&key.key.as_str())
}

/// Formats the value of a key in one line; `None` for `labels` if it is a file. Other keys of files are no settings.
fn text(key: &Key) -> Option<String> {
    fn format(value: &Value) -> String {
        match value {
            Value::Word(word) => word.clone(),
            Value::Truth(truth) => truth.to_string(),
            Value::List(values) => values.iter().map(format).collect::<Vec<_>>().join(","),
            Value::Tables(_) | Value::Other(_) => String::new(),
        }
    }
    let text = format(&key.value);
    let is_file = canonical(&key.name) == "labels" && is_file_name(&text);
    (!is_file).then_some(text)
}

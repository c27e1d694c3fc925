//! What the numbers of a section depend on besides files and seeds.

use std::collections::BTreeMap;

use crate::report::study::arguments::is_file_name;
use crate::report::study::document::{Key, Section, Value};
use crate::report::study::keys::{Is, KeyInfo, canonical};

/// Keys that change no number, or that figures have settings of their own for.
const LEFT_OUT: [&str; 6] = [
    "metrics",
    "batch_size",
    "engine",
    "allow_batch_dependence",
    "n_replicates",
    "channels",
];

/// The settings of a section by key: what the study says, else the default of the option. Those of one explainer stand behind
/// its name.
pub(super) fn of(section: &Section, keys: &[KeyInfo]) -> BTreeMap<String, String> {
    let keys: Vec<&KeyInfo> = keys.iter().filter(is_setting).collect();
    let mut settings = BTreeMap::new();
    for info in &keys {
        let given = section.key(&info.key).and_then(text);
        let default = || {
            let defaults = info.options.first()?.defaults();
            (!defaults.is_empty()).then(|| defaults.join(","))
        };
        let value = given.or_else(default);
        settings.extend(value.map(|value| (info.key.clone(), value)));
    }
    for table in &section.explainers {
        let name = table.key("name").and_then(text);
        let own = table.keys.iter().filter(|key| {
            let name = canonical(&key.name);
            keys.iter().any(|info| info.key == name)
        });
        settings.extend(own.filter_map(|key| {
            let name = name.as_deref().unwrap_or_default();
            Some((format!("{name}: {}", canonical(&key.name)), text(key)?))
        }));
    }
    settings
}

/// Whether a key has a word as its value, not a file.
fn is_setting(key: &&KeyInfo) -> bool {
    let mut options = key.options.iter();
    let is_word = options
        .next()
        .is_some_and(|it| it.is_typed && it.is() != Is::File);
    is_word && !LEFT_OUT.contains(&key.key.as_str())
}

/// The value of a key in one line; a file is none.
fn text(key: &Key) -> Option<String> {
    fn of(value: &Value) -> String {
        match value {
            Value::Word(word) => word.clone(),
            Value::Truth(truth) => truth.to_string(),
            Value::List(values) => values.iter().map(of).collect::<Vec<_>>().join(","),
            Value::Tables(_) | Value::Other(_) => String::new(),
        }
    }
    let text = of(&key.value);
    let is_file = canonical(&key.name) == "labels" && is_file_name(&text);
    (!is_file).then_some(text)
}

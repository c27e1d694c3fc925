//! The keys of a section, which are the options of its commands.

use clap::{Arg, ArgAction, Args, Command, ValueHint};

/// A key that a section may have.
#[derive(Debug, Clone)]
pub(crate) struct KeyInfo {
    pub(crate) key: String,
    /// The options of the section's commands that it sets, at least one.
    pub(crate) options: Vec<KeyOption>,
}

/// An option that a key sets.
#[derive(Debug, Clone)]
pub(crate) struct KeyOption {
    /// Index of the command among those of the section.
    pub(crate) command: usize,
    /// Is `true` for an option of a command of `xai`, and `false` for a key that only studies have.
    pub(crate) is_typed: bool,
    pub(crate) argument: Arg,
}

/// Number of values that a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyValue {
    /// The option is a flag: the key is true or false.
    Nothing,
    One,
    /// One value or a list. The option is repeated for each value.
    Many,
}

/// Meaning of the value of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyRole {
    Word,
    File,
    /// A file if it has an extension, otherwise a column.
    FileOrColumn,
}

/// Other names of keys, as `(alias, key)`: an old name, and the plural of an option that may be repeated.
pub(crate) const ALIASES: &[(&str, &str)] =
    &[("drop_columns", "drop_column"), ("kept_fraction", "levels")];

/// Returns the canonical name of a key: with underscores instead of dashes, and without aliases.
pub(crate) fn canonical(key: &str) -> String {
    let key = key.replace('-', "_");
    let alias = ALIASES.iter().find(|(alias, _)| *alias == key);
    alias.map_or(key.clone(), |(_, name)| (*name).to_owned())
}

/// Returns the keys for the options of some commands. Options with the same key are combined.
pub(crate) fn from_commands(commands: &[SectionCommand]) -> Vec<KeyInfo> {
    let mut keys: Vec<KeyInfo> = Vec::new();
    for (index, command) in commands.iter().enumerate() {
        for (key, argument) in command.keys() {
            let option = KeyOption {
                command: index,
                is_typed: !command.path.is_empty(),
                argument,
            };
            match keys.iter_mut().find(|other| other.key == key) {
                Some(other) => other.options.push(option),
                None => keys.push(KeyInfo {
                    key,
                    options: vec![option],
                }),
            }
        }
    }
    keys
}

impl KeyOption {
    /// Returns its name without dashes.
    pub(crate) fn name(&self) -> &str {
        self.argument.get_long().unwrap_or_default()
    }

    pub(crate) fn value_kind(&self) -> KeyValue {
        match self.argument.get_action() {
            ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count => KeyValue::Nothing,
            ArgAction::Append => KeyValue::Many,
            _ => KeyValue::One,
        }
    }

    pub(crate) fn role(&self) -> KeyRole {
        let names = self.argument.get_value_names().unwrap_or_default();
        match self.argument.get_value_hint() {
            ValueHint::AnyPath | ValueHint::FilePath => {
                if names.iter().any(|name| name.contains("COLUMN")) {
                    KeyRole::FileOrColumn
                } else {
                    KeyRole::File
                }
            }
            _ => KeyRole::Word,
        }
    }

    /// Returns its default values.
    pub(crate) fn defaults(&self) -> Vec<String> {
        let values = self.argument.get_default_values().iter();
        values
            .map(|value| value.to_string_lossy().into_owned())
            .collect()
    }
}

/// A command whose options are keys of a section.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SectionCommand {
    /// `["graph", "sweep"]`; empty for keys that only studies have.
    pub(crate) path: &'static [&'static str],
    /// Creates the `clap` command with its options.
    pub(crate) command: fn() -> Command,
    /// Options that are not keys, for example `--out`.
    pub(crate) left_out: &'static [&'static str],
    /// Options whose key has another name: `(option, key)`.
    pub(crate) renamed: &'static [(&'static str, &'static str)],
}

impl SectionCommand {
    /// Creates a command. Every option, except those that are left out, is a key of the same name.
    pub(crate) const fn new<A: Args>(
        path: &'static [&'static str],
        left_out: &'static [&'static str],
    ) -> Self {
        Self {
            path,
            command: || {
                A::augment_args(
                    Command::new("xai")
                        .no_binary_name(true)
                        .disable_help_flag(true)
                        .disable_version_flag(true),
                )
            },
            left_out,
            renamed: &[],
        }
    }

    /// Creates keys that only studies have.
    pub(crate) const fn study_keys<A: Args>() -> Self {
        Self::new::<A>(&[], &[])
    }

    /// Returns its keys with their options.
    fn keys(&self) -> Vec<(String, Arg)> {
        let command = (self.command)();
        let arguments = command.get_arguments().filter_map(|argument| {
            let option = argument.get_long()?;
            let mut renamed = self.renamed.iter();
            let key = match renamed.find(|(name, _)| *name == option) {
                Some((_, key)) => (*key).to_owned(),
                None => option.replace('-', "_"),
            };
            (!self.left_out.contains(&option)).then(|| (key, argument.clone()))
        });
        arguments.collect()
    }
}

//! The rules, one file each, and the list of them.

mod circles;
mod dependencies;
mod error_text;
mod folder_size;
mod input_names;
mod module_paths;
mod root_names;
mod rule;
mod unsafe_code;

use rule::Rule;

pub(super) const RULES: &[Rule] = &[
    circles::RULE,
    dependencies::RULE,
    root_names::RULE,
    unsafe_code::RULE,
    error_text::RULE,
    folder_size::RULE,
    input_names::RULE,
    module_paths::RULE,
];

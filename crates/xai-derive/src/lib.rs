//! The macros of `xai_core::describe`: the documentation of a metric is its description, a parameter is a documented field, and
//! a word of a choice a documented variant.
#![forbid(unsafe_code)]

mod attributes;
mod doc;
mod metric;
mod parameter;
mod parameters;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Derives `Parameters` for a struct: every field is a parameter with the name of the field, what the first
/// paragraph of its documentation says, the kind of its type, and a setter of its name.
///
/// On a field, in `#[param(…)]`:
/// - `at_least = 0`, `above = 0`, `at_most = 1`, `below = 1`: the range of a number; with `items` of the numbers of a list;
/// - `name = "k"`: another name than that of the field;
/// - `none = "auto"`, `none_doc = "…"`: the word for `None`, and what it means, for an `Option`;
/// - `flatten`: a group of parameters, whose names are among those of the struct; with `setter` it has one as a whole;
/// - `skip`: no parameter;
/// - `default = 10`: the default of the field, where it is not that of its type: a struct with such a field has `Default`, and the
///   documentation of the setter says it;
/// - `no_setter`: a setter that is written by hand; `into`: one that takes what turns into the value.
///
/// On the struct, `#[params(of = Metric, at = formula)]` puts the setters on the type `Metric`, which holds the struct in
/// its field `formula`.
#[proc_macro_derive(Parameters, attributes(param, params))]
pub fn parameters(input: TokenStream) -> TokenStream {
    expanded(parameters::derive, parse_macro_input!(input as DeriveInput))
}

/// Derives `Parameter` and `FromStr` for an enum: every variant is a word, its name in kebab-case; a variant with one
/// field is a word with a value behind a colon, `grid:7`.
///
/// On a variant, in `#[param(…)]`:
/// - `name = "top-1"`: another word; `alias = "first"`: a second one that is read;
/// - `plain`: no word: the value of its field alone;
/// - `at_least`, `above`, `at_most`, `below`: the range of that value; with `items` of those of a list;
/// - `value_name = "CELLS"`: what the value behind the colon stands for;
/// - `default = 10`: the value where the word stands alone;
/// - `skip`: nothing that can be written down: an array or a function of the caller.
///
/// On the enum, `#[param(name = "similarity")]` is what errors of `FromStr` are about; by default the enum's name in
/// snake_case.
#[proc_macro_derive(Parameter, attributes(param))]
pub fn parameter(input: TokenStream) -> TokenStream {
    expanded(parameter::derive, parse_macro_input!(input as DeriveInput))
}

/// Describes a metric by its documentation: implements `Described` for a struct, or for the type that `describes` names on a
/// type alias; in the value of a constant, `INFO` is the description.
///
/// The first paragraph is the summary, one sentence; the first `text` block the formula; the sections `# Extremes`,
/// `# Limits` (optional), `# Source` (its first paragraph) and `# Elsewhere` (optional: the names in other packages, between
/// backticks) are what they are called. What a documentation cannot express is in the attribute:
/// - `name = "average-drop"`: the name on the command line; `title = "…"`: the heading, by default the name in words;
/// - `direction = Direction::Lower`: the better end, with the defaults of the parameters;
/// - `range = Range::SHARE`, `invariance = Invariance::SCALE` (default: none), `needs = &[input::MODEL]`;
/// - `example = 0.0458`: the value on the data of the documentation's examples.
///
/// `Direction`, `Range` and `Invariance` need no import.
#[proc_macro_attribute]
pub fn metric(attributes: TokenStream, item: TokenStream) -> TokenStream {
    metric::expand(attributes.into(), item.into())
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

fn expanded(
    derive: fn(&DeriveInput) -> syn::Result<proc_macro2::TokenStream>,
    input: DeriveInput,
) -> TokenStream {
    derive(&input)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

//! Macros of `xai_core::describe`: the documentation of a metric is its description, documented
//! fields are its parameters, and documented variants are the words of a choice.
//!
//! Depend on `xai-core`, which re-exports them in `describe`.
#![forbid(unsafe_code)]

mod attributes;
mod doc;
mod metric;
mod parameter;
mod parameters;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Derives `Parameters` for a struct. Every field is a parameter with the field's name, the first
/// paragraph of its documentation, the kind of its type, and a setter.
///
/// On a field, in `#[param(…)]`:
/// - `at_least = 0`, `above = 0`, `at_most = 1`, `below = 1`: the range of a number; with `items`,
///   the range of the items of a list;
/// - `name = "k"`: a name that differs from that of the field;
/// - `none = "auto"`, `none_doc = "…"`: the word for `None` of an `Option`, and its documentation;
/// - `flatten`: a group of parameters, which are parameters of the struct; with `setter` the group
///   also has a setter as a whole;
/// - `skip`: no parameter;
/// - `default = 10`: a default other than that of the field's type. A struct with such a field
///   implements `Default`, and the documentation of the setter states the default if it is a literal
///   or a path or call that callers can write;
/// - `no_setter`: no generated setter, because it is written by hand; `into`: the setter takes
///   `impl Into` of the type.
///
/// On the struct, `#[params(of = Metric, at = formula)]` implements the setters on the type
/// `Metric`, which contains the struct in its field `formula`.
#[proc_macro_derive(Parameters, attributes(param, params))]
pub fn parameters(input: TokenStream) -> TokenStream {
    expand(parameters::derive, parse_macro_input!(input as DeriveInput))
}

/// Derives `Parameter` and `FromStr` for an enum. Every variant is a word: its name in kebab-case.
/// A variant with one field is a word with a value behind a colon, for example `grid:7`.
///
/// On a variant, in `#[param(…)]`:
/// - `name = "top-1"`: a word that differs from the variant's name; `alias = "first"`: a second
///   word that is accepted, for a variant without a field;
/// - `plain`: no word, only the value of the field;
/// - `at_least`, `above`, `at_most`, `below`: the range of that value; with `items`, the range of
///   the items of a list;
/// - `value_name = "CELLS"`: the name of the value behind the colon in help texts;
/// - `default = 10`: the value if the word stands alone;
/// - `skip`: a variant without text, such as an array or a function of the caller.
///
/// On the enum, `#[param(name = "similarity")]` sets the input that errors of `FromStr` are about;
/// by default the enum's name in snake_case.
#[proc_macro_derive(Parameter, attributes(param))]
pub fn parameter(input: TokenStream) -> TokenStream {
    expand(parameter::derive, parse_macro_input!(input as DeriveInput))
}

/// Describes a metric by its documentation. Implements `Described` for a struct, or for the type
/// that `describes` names on a type alias. In the value of a constant, `INFO` is the description.
///
/// The first paragraph, one sentence, is the summary, and the first `text` block the formula. The
/// sections `# Extremes`, `# Limits` (optional), `# Source` (its first paragraph) and `# Elsewhere`
/// (optional: names in other packages, between backticks) become the parts of the same name. The
/// attribute has the rest:
/// - `name = "average-drop"`: the name on the command line; `title = "…"`: the heading, by default
///   the name in words;
/// - `direction = Direction::Lower`: the better end, with the defaults of the parameters;
/// - `range = Range::SHARE`, `invariance = Invariance::SCALE` (default: none), `needs =
///   &[input::MODEL]`;
/// - `example = 0.0458`: the value on the data of the documentation's examples;
/// - `constructor = false`: no function `new`. Otherwise a struct gets one that returns its default.
///
/// `Direction`, `Range` and `Invariance` need no import.
#[proc_macro_attribute]
pub fn metric(attributes: TokenStream, item: TokenStream) -> TokenStream {
    metric::expand(attributes.into(), item.into())
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Runs a derive function and converts its error to a compile error.
fn expand(
    derive: fn(&DeriveInput) -> syn::Result<proc_macro2::TokenStream>,
    input: DeriveInput,
) -> TokenStream {
    derive(&input)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

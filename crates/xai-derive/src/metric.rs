//! The attribute `#[metric(…)]`: description of a metric from its documentation.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::{Attribute, Expr, Ident, Item, LitBool, LitStr, Type};

use crate::doc::{self, Documentation};

/// Sections that every metric must have.
const REQUIRED: [&str; 2] = ["Extremes", "Source"];

/// Expands the attribute on a struct, a type alias or a constant.
pub(crate) fn expand(attributes: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let mut arguments = Arguments::default();
    let parser = syn::meta::parser(|meta| arguments.read(&meta));
    parser.parse2(attributes)?;
    let item: Item = syn::parse2(item)?;
    match &item {
        Item::Struct(metric) => {
            let info = arguments.info(&metric.attrs, &metric.ident)?;
            let (ident, generics) = (&metric.ident, &metric.generics);
            let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
            let described = quote!(impl #impl_generics ::xai_core::describe::Described for #ident #type_generics #where_clause);
            let constructor = (!arguments.without_constructor).then(|| {
                quote!(
                    impl #impl_generics #ident #type_generics #where_clause {
                        /// Creates the metric with the defaults of its parameters.
                        #[must_use]
                        pub fn new() -> Self {
                            Self::default()
                        }
                    }
                )
            });
            Ok(
                quote!(#item #[automatically_derived] #described { const INFO: &'static ::xai_core::describe::MetricInfo = &#info; } #constructor),
            )
        }
        Item::Type(alias) => {
            let info = arguments.info(&alias.attrs, &alias.ident)?;
            let Some(described) = &arguments.describes else {
                let expected = "`#[metric]` on a type alias needs `describes = T`: the type that gets the description";
                return Err(syn::Error::new_spanned(&alias.ident, expected));
            };
            let described = quote!(impl ::xai_core::describe::Described for #described);
            Ok(
                quote!(#item #[automatically_derived] #described { const INFO: &'static ::xai_core::describe::MetricInfo = &#info; }),
            )
        }
        Item::Const(constant) => {
            let info = arguments.info(&constant.attrs, &constant.ident)?;
            let mut constant = constant.clone();
            let value = &constant.expr;
            *constant.expr = syn::parse2(quote!({
                const INFO: &::xai_core::describe::MetricInfo = &#info;
                #value
            }))?;
            Ok(quote!(#constant))
        }
        item => {
            let expected = "expected a struct, a type alias or a constant";
            Err(syn::Error::new_spanned(item, expected))
        }
    }
}

/// Arguments of the attribute: the parts of a description that are not in the documentation.
#[derive(Default)]
struct Arguments {
    name: Option<LitStr>,
    title: Option<LitStr>,
    describes: Option<Type>,
    direction: Option<Expr>,
    range: Option<Expr>,
    invariance: Option<Expr>,
    needs: Option<Expr>,
    example: Option<Expr>,
    without_constructor: bool,
}

impl Arguments {
    /// Parses one argument.
    fn read(&mut self, meta: &syn::meta::ParseNestedMeta<'_>) -> syn::Result<()> {
        let key = meta.path.get_ident().map(Ident::to_string);
        match key.as_deref() {
            Some("name") => self.name = Some(meta.value()?.parse()?),
            Some("title") => self.title = Some(meta.value()?.parse()?),
            Some("describes") => self.describes = Some(meta.value()?.parse()?),
            Some("direction") => self.direction = Some(meta.value()?.parse()?),
            Some("range") => self.range = Some(meta.value()?.parse()?),
            Some("invariance") => self.invariance = Some(meta.value()?.parse()?),
            Some("needs") => self.needs = Some(meta.value()?.parse()?),
            Some("example") => self.example = Some(meta.value()?.parse()?),
            Some("constructor") => {
                self.without_constructor = !meta.value()?.parse::<LitBool>()?.value;
            }
            _ => {
                let expected = "expected one of name, title, describes, direction, range, invariance, needs, example, constructor";
                return Err(meta.error(expected));
            }
        }
        Ok(())
    }

    /// Expression of a `MetricInfo`. Errors point to the item whose documentation is incomplete.
    fn info(&self, attributes: &[Attribute], item: &Ident) -> syn::Result<TokenStream> {
        let missing = |what: &str| syn::Error::new_spanned(item, what.to_owned());
        let documentation = Documentation::read(attributes);
        let (Some(name), Some(direction), Some(range)) = (&self.name, &self.direction, &self.range)
        else {
            return Err(missing("a metric needs `name`, `direction` and `range`"));
        };
        let summary = doc::first_paragraph(attributes);
        let Some(summary) = summary.strip_suffix('.').filter(|one| !one.contains(". ")) else {
            return Err(missing(
                "the documentation of a metric begins with a paragraph of one sentence: its summary",
            ));
        };
        let Some(formula) = &documentation.formula else {
            return Err(missing(
                "the documentation of a metric needs a `text` block with its formula",
            ));
        };
        for title in REQUIRED {
            if documentation.section(title).is_empty() {
                let what = format!("the documentation of a metric needs a section `# {title}`");
                return Err(missing(&what));
            }
        }
        let title = match &self.title {
            Some(title) => title.value(),
            None => title_from_name(&name.value()),
        };
        let extremes = documentation.section("Extremes");
        let limits = documentation.section("Limits");
        let source_paragraph = documentation.first_paragraph_of("Source");
        let source = source_paragraph.trim_end_matches('.');
        let elsewhere = documentation.code_in("Elsewhere");
        let none = syn::parse_quote!(Invariance::NONE);
        let invariance = self.invariance.as_ref().unwrap_or(&none);
        let nothing = syn::parse_quote!(&[]);
        let needs = self.needs.as_ref().unwrap_or(&nothing);
        let example = match &self.example {
            Some(example) => quote!(Some(#example)),
            None => quote!(None),
        };
        Ok(quote!({
            #[allow(unused_imports)]
            use ::xai_core::{Direction, describe::{End, Invariance, Range}};
            ::xai_core::describe::MetricInfo {
                name: #name,
                title: #title,
                summary: #summary,
                direction: #direction,
                invariance: #invariance,
                range: #range,
                needs: #needs,
                source: #source,
                formula: #formula,
                extremes: #extremes,
                limits: #limits,
                elsewhere: &[#(#elsewhere),*],
                example: #example,
            }
        }))
    }
}

/// Heading from the name of a metric: `average-drop` becomes "Average drop".
fn title_from_name(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand_error(item: TokenStream) -> String {
        let attributes = quote!(
            name = "a",
            direction = Direction::Lower,
            range = Range::REAL
        );
        expand(attributes, item).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_missing_section() {
        let summary = quote!(#[doc = " Share of hits."] #[doc = ""]);
        let formula = quote!(#[doc = " ```text"] #[doc = " a / b"] #[doc = " ```"]);
        let extremes = quote!(#[doc = " # Extremes"] #[doc = " 0: none."]);
        assert!(
            expand_error(quote!(
                struct A;
            ))
            .contains("one sentence")
        );
        assert!(expand_error(quote!(#summary struct A;)).contains("formula"));
        assert!(expand_error(quote!(#summary #formula struct A;)).contains("# Extremes"));
        assert!(expand_error(quote!(#summary #formula #extremes struct A;)).contains("# Source"));
        assert!(
            expand_error(quote!(
                enum A {}
            ))
            .contains("expected a struct")
        );
    }

    #[test]
    fn a_struct_has_a_constructor_unless_it_writes_its_own() {
        let expand_struct = |constructor| {
            let attributes = quote!(
                name = "a",
                direction = Direction::Lower,
                range = Range::REAL,
                constructor = #constructor
            );
            let metric = quote!(
                #[doc = " Share of hits."]
                #[doc = ""]
                #[doc = " ```text"]
                #[doc = " a / b"]
                #[doc = " ```"]
                #[doc = " # Extremes"]
                #[doc = " 0: none."]
                #[doc = " # Source"]
                #[doc = " A paper."]
                struct A;
            );
            expand(attributes, metric).unwrap().to_string()
        };
        assert!(expand_struct(true).contains("fn new"));
        assert!(!expand_struct(false).contains("fn new"));
    }

    #[test]
    fn titles_are_names_in_words() {
        assert_eq!(title_from_name("average-drop"), "Average drop");
        assert_eq!(title_from_name(""), "");
    }
}

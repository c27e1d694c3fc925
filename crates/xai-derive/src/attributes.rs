//! Keys of `#[param(…)]`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, Expr, LitStr};

/// Parsed `#[param(…)]` of a field, a variant or an enum.
#[derive(Default)]
pub(crate) struct ParamAttributes {
    pub(crate) name: Option<String>,
    pub(crate) alias: Option<String>,
    pub(crate) none: Option<String>,
    pub(crate) none_doc: Option<String>,
    pub(crate) value_name: Option<String>,
    pub(crate) default: Option<Expr>,
    /// Calls that restrict a kind, for example `.at_least((0) as f64)`.
    pub(crate) limits: TokenStream,
    /// `true` if the limits apply to the items of a list.
    pub(crate) items: bool,
    pub(crate) skip: bool,
    pub(crate) plain: bool,
    pub(crate) flatten: bool,
    pub(crate) no_setter: bool,
    pub(crate) setter: bool,
    pub(crate) into: bool,
}

impl ParamAttributes {
    /// Parses all `#[param(…)]` attributes.
    pub(crate) fn read(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut read = Self::default();
        for attribute in attributes.iter().filter(|a| a.path().is_ident("param")) {
            attribute.parse_nested_meta(|meta| {
                let Some(key) = meta.path.get_ident().map(Ident::to_string) else {
                    return Err(meta.error("expected a word"));
                };
                let text = || -> syn::Result<Option<String>> {
                    Ok(Some(meta.value()?.parse::<LitStr>()?.value()))
                };
                match key.as_str() {
                    "name" => read.name = text()?,
                    "alias" => read.alias = text()?,
                    "none" => read.none = text()?,
                    "none_doc" => read.none_doc = text()?,
                    "value_name" => read.value_name = text()?,
                    "default" => read.default = Some(meta.value()?.parse()?),
                    "at_least" | "above" | "at_most" | "below" => {
                        // Limits are `f64` in a kind, also for integers.
                        let limit: Expr = meta.value()?.parse()?;
                        let call = meta.path.get_ident();
                        read.limits.extend(quote!(.#call((#limit) as f64)));
                    }
                    "items" => read.items = true,
                    "skip" => read.skip = true,
                    "plain" => read.plain = true,
                    "flatten" => read.flatten = true,
                    "setter" => read.setter = true,
                    "no_setter" => read.no_setter = true,
                    "into" => read.into = true,
                    _ => return Err(meta.error("unknown key of `param`")),
                }
                Ok(())
            })?;
        }
        Ok(read)
    }

    /// Expression for the kind of a type, restricted to the limits.
    pub(crate) fn kind(&self, ty: &syn::Type) -> TokenStream {
        let limits = &self.limits;
        let kind = quote!(<#ty as ::xai_core::describe::Parameter>::KIND);
        if self.items {
            quote!(::xai_core::describe::Kind::List(const { &((#kind).item() #limits) }))
        } else {
            quote!((#kind) #limits)
        }
    }
}

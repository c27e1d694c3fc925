//! The derive macro `Parameter` for enums.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Fields, Variant};

use crate::attributes::ParamAttributes;
use crate::doc::{first_paragraph, lower_case};

/// Implements `Parameter` and `FromStr` for an enum.
///
/// Returns an error for items that are not enums, for a word (a variant that is neither `plain` nor
/// skipped) without documentation, for a `plain` variant without a field, and for a variant that is not
/// skipped and whose parentheses or braces do not contain exactly one field. Invalid `#[param(…)]` attributes are
/// errors as well.
///
/// In the generated code the variable `x` is the value of a variant's field.
pub(crate) fn derive(input: &DeriveInput) -> syn::Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(syn::Error::new_spanned(
            &input.ident,
            "expected an enum; for the fields of a struct derive `Parameters`",
        ));
    };
    let ident = &input.ident;
    let enum_attributes = ParamAttributes::read(&input.attrs)?;
    let name = enum_attributes
        .name
        .unwrap_or_else(|| lower_case(&ident.to_string(), '_'));
    let path = quote!(::xai_core::describe);
    let (mut words, mut plain_kinds) = (Vec::new(), Vec::new());
    let (mut from_plain, mut from_words, mut to_value) = (Vec::new(), Vec::new(), Vec::new());
    for variant in &data.variants {
        let attributes = ParamAttributes::read(&variant.attrs)?;
        let pattern = Pattern::new(ident, variant)?;
        if attributes.skip {
            let any = &pattern.any;
            to_value.push(quote!(#any => #path::Value::Given,));
            continue;
        }
        if attributes.plain {
            let (kind, make, bind) = (pattern.kind(&attributes)?, &pattern.make, &pattern.bind);
            from_plain.push(quote! {
                if (#kind).admits(value) && let Some(x) = #path::Parameter::from_value(value) {
                    return Some(#make);
                }
            });
            to_value.push(quote!(#bind => #path::Parameter::to_value(x),));
            plain_kinds.push(kind);
            continue;
        }
        let word = attributes
            .name
            .clone()
            .unwrap_or_else(|| lower_case(&variant.ident.to_string(), '-'));
        let doc = first_paragraph(&variant.attrs);
        if doc.is_empty() {
            let expected = "a word needs a documentation: front ends show it";
            return Err(syn::Error::new_spanned(&variant.ident, expected));
        }
        let index = words.len();
        let (make, bind) = (&pattern.make, &pattern.bind);
        match pattern.field {
            None => {
                let alias = attributes.alias.as_deref().unwrap_or_default();
                words.push(
                    quote!(#path::Word { name: #word, alias: #alias, doc: #doc, value: None }),
                );
                from_words.push(quote!((#index, None) => return Some(#make),));
                to_value.push(quote!(#bind => #path::Value::from(#word),));
            }
            Some(_) => {
                let kind = pattern.kind(&attributes)?;
                let value_name = attributes.value_name.clone().unwrap_or_else(|| "N".into());
                let has_default = attributes.default.is_some();
                words.push(quote!(#path::Word {
                    name: #word,
                    alias: "",
                    doc: #doc,
                    value: Some(#path::WordValue {
                        name: #value_name,
                        kind: const { &(#kind) },
                        has_default: #has_default,
                    }),
                }));
                from_words.push(quote! {
                    (#index, Some(argument)) => {
                        let argument = #path::Value::from(argument);
                        let x = (#kind).admits(&argument).then(|| #path::Parameter::from_value(&argument));
                        return x.flatten().map(|x| #make);
                    }
                });
                if let Some(default) = &attributes.default {
                    from_words.push(quote!((#index, None) => {
                        let x = #default;
                        return Some(#make);
                    }));
                }
                to_value.push(quote! {
                    #bind => #path::Value::Text(
                        format!("{}:{}", #word, #path::Parameter::to_value(x))
                    ),
                });
            }
        }
    }
    let words_kind = quote!(#path::Kind::Words(const { &[#(#words),*] }));
    let kind = match (plain_kinds.is_empty(), words.is_empty()) {
        (true, _) => words_kind,
        (false, true) => quote!(#path::Kind::OneOf(const { &[#(#plain_kinds),*] })),
        (false, false) => quote!(#path::Kind::OneOf(const { &[#(#plain_kinds,)* #words_kind] })),
    };
    Ok(quote! {
        #[automatically_derived]
        impl #path::Parameter for #ident {
            const KIND: #path::Kind = #kind;

            fn from_value(value: &#path::Value) -> Option<Self> {
                #(#from_plain)*
                let text = value.word()?;
                // Values of plain variants were tried above; here follow the words.
                const WORDS: &[#path::Word] = &[#(#words),*];
                for (index, word) in WORDS.iter().enumerate() {
                    if let Some(argument) = word.match_text(&text) {
                        match (index, argument) {
                            #(#from_words)*
                            _ => return None,
                        }
                    }
                }
                None
            }

            fn to_value(&self) -> #path::Value {
                match self {
                    #(#to_value)*
                }
            }
        }

        #[automatically_derived]
        impl ::core::str::FromStr for #ident {
            type Err = ::xai_core::Error;

            /// Parses a value as written on a command line.
            fn from_str(text: &str) -> ::xai_core::Result<Self> {
                #path::parse(::xai_core::Input::new(#name), text)
            }
        }
    })
}

/// Expressions and patterns of a variant in generated code.
struct Pattern<'a> {
    variant: &'a Variant,
    /// Field of the variant, if it has exactly one.
    field: Option<&'a syn::Field>,
    /// Expression that creates the variant, from the value `x` of its field if it has one. Unused for skipped variants,
    /// which may have any fields.
    make: TokenStream,
    /// Pattern that matches the variant and binds its field to `x`. It has the same tokens as `make`.
    bind: TokenStream,
    /// Pattern that matches the variant with any fields.
    any: TokenStream,
}

impl<'a> Pattern<'a> {
    fn new(ident: &syn::Ident, variant: &'a Variant) -> syn::Result<Self> {
        let name = &variant.ident;
        let any = quote!(#ident::#name { .. });
        let fields: Vec<_> = variant.fields.iter().collect();
        let (field, make) = match (&variant.fields, fields.as_slice()) {
            (Fields::Unit, _) => (None, quote!(#ident::#name)),
            (Fields::Unnamed(_), [field]) => (Some(*field), quote!(#ident::#name(x))),
            (Fields::Named(_), [field]) => {
                let field_name = &field.ident;
                (Some(*field), quote!(#ident::#name { #field_name: x }))
            }
            _ if ParamAttributes::read(&variant.attrs)?.skip => (None, any.clone()),
            _ => {
                let expected = "a word has one value behind it, or none";
                return Err(syn::Error::new_spanned(name, expected));
            }
        };
        Ok(Self {
            variant,
            field,
            bind: make.clone(),
            make,
            any,
        })
    }

    /// Expression for the kind of the field's value. Limits on the field take precedence over those on
    /// the variant.
    fn kind(&self, attributes: &ParamAttributes) -> syn::Result<TokenStream> {
        let Some(field) = self.field else {
            let expected = "expected a variant with a value";
            return Err(syn::Error::new_spanned(&self.variant.ident, expected));
        };
        let field_attributes = ParamAttributes::read(&field.attrs)?;
        let limiting = if field_attributes.limits.is_empty() {
            attributes
        } else {
            &field_attributes
        };
        Ok(limiting.kind(&field.ty))
    }
}

//! The derive macro `Parameters` for structs.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{Data, DeriveInput, Expr, Field, Fields, GenericArgument, PathArguments, Token, Type};

use crate::attributes::ParamAttributes;
use crate::doc::first_paragraph;

/// Implements `Parameters`, the setters and, if a field has a default, `Default` for a struct.
pub(crate) fn derive(input: &DeriveInput) -> syn::Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(syn::Error::new_spanned(
            &input.ident,
            "expected a struct; for the words of an enum derive `Parameter`",
        ));
    };
    let fields: Vec<&Field> = match &data.fields {
        Fields::Named(fields) => fields.named.iter().collect(),
        Fields::Unit => Vec::new(),
        Fields::Unnamed(_) => {
            let expected = "expected named fields, for their names are those of the parameters";
            return Err(syn::Error::new_spanned(&input.ident, expected));
        }
    };
    let (mut describe, mut set, mut setters) = (Vec::new(), Vec::new(), Vec::new());
    let (mut defaults, mut has_default) = (Vec::new(), false);
    let mut generics = input.generics.clone();
    let target = Target::read(input)?;
    for field in fields {
        let attributes = ParamAttributes::read(&field.attrs)?;
        let ident = field.ident.as_ref().expect("named fields");
        let ty = &field.ty;
        has_default |= attributes.default.is_some();
        defaults.push(match &attributes.default {
            Some(default) => quote!(#ident: #default),
            None => quote!(#ident: ::core::default::Default::default()),
        });
        if attributes.skip {
            continue;
        }
        if attributes.flatten {
            let parameters = quote!(::xai_core::describe::Parameters);
            describe.push(quote!(#parameters::describe(&self.#ident, params);));
            set.push(quote! {
                if #parameters::set(&mut self.#ident, name, value)? {
                    return Ok(true);
                }
            });
            if attributes.setter {
                setters.push(setter(field, ident, &attributes, &target));
            }
            if let Some(bounded) = type_parameter(&input.generics, ty) {
                let bound = syn::parse_quote!(#bounded: #parameters);
                generics.make_where_clause().predicates.push(bound);
            }
            continue;
        }
        let doc = first_paragraph(&field.attrs);
        if doc.is_empty() {
            let expected = "a parameter needs a documentation: front ends show it";
            return Err(syn::Error::new_spanned(ident, expected));
        }
        let name = attributes.name.clone().unwrap_or_else(|| ident.to_string());
        let access = Access::new(field, &attributes)?;
        let Access {
            kind,
            value,
            from_value,
        } = &access;
        describe.push(quote! {
            params.push(::xai_core::describe::Param {
                name: #name,
                doc: #doc,
                kind: #kind,
                value: { let field = &self.#ident; #value },
            });
        });
        set.push(quote! {
            if ::xai_core::describe::same_word(name, #name) {
                let parsed: ::core::option::Option<#ty> = #from_value;
                self.#ident = parsed.ok_or_else(|| {
                    ::xai_core::describe::refused(#name, value, &#kind)
                })?;
                return Ok(true);
            }
        });
        if !attributes.no_setter {
            setters.push(setter(field, ident, &attributes, &target));
        }
    }
    let ident = &input.ident;
    let (impl_generics, type_generics, _) = input.generics.split_for_impl();
    let where_clause = &generics.where_clause;
    let own = &input.generics.where_clause;
    // Setters are generated for every parameter and are `pub`, so in a private type some are
    // unreachable or unused.
    let setters = match (&target.of, setters.is_empty()) {
        (_, true) => TokenStream::new(),
        (Some(of), false) => {
            quote!(#[allow(dead_code, unreachable_pub)] impl #of { #(#setters)* })
        }
        (None, false) => {
            quote! {
                #[allow(dead_code, unreachable_pub)]
                impl #impl_generics #ident #type_generics #own { #(#setters)* }
            }
        }
    };
    let default = has_default.then(|| {
        quote! {
            #[automatically_derived]
            impl #impl_generics ::core::default::Default for #ident #type_generics #own {
                fn default() -> Self {
                    Self { #(#defaults),* }
                }
            }
        }
    });
    Ok(quote! {
        #setters

        #default

        #[automatically_derived]
        impl #impl_generics ::xai_core::describe::Parameters for #ident #type_generics #where_clause {
            fn describe(&self, params: &mut ::std::vec::Vec<::xai_core::describe::Param>) {
                let _ = &params;
                #(#describe)*
            }

            fn set(
                &mut self,
                name: &str,
                value: &::xai_core::describe::Value,
            ) -> ::xai_core::Result<bool> {
                let _ = (name, value);
                #(#set)*
                Ok(false)
            }
        }
    })
}

/// Type that gets the setters, and the path of its field that contains the struct.
#[derive(Default)]
struct Target {
    of: Option<Type>,
    at: Vec<Ident>,
}

impl Target {
    /// Parses `#[params(of = …, at = …)]`.
    fn read(input: &DeriveInput) -> syn::Result<Self> {
        let mut target = Self::default();
        for attribute in input.attrs.iter().filter(|a| a.path().is_ident("params")) {
            attribute.parse_nested_meta(|meta| {
                match () {
                    () if meta.path.is_ident("of") => target.of = Some(meta.value()?.parse()?),
                    () if meta.path.is_ident("at") => {
                        let path = Punctuated::<Ident, Token![.]>::parse_separated_nonempty;
                        target.at = path(meta.value()?)?.into_iter().collect();
                    }
                    () => return Err(meta.error("expected `of` or `at`")),
                }
                Ok(())
            })?;
        }
        Ok(target)
    }
}

/// Expressions that describe, read and write a field.
struct Access {
    kind: TokenStream,
    /// Expression for the value of the field behind the reference `field`.
    value: TokenStream,
    /// Expression that parses the reference `value`.
    from_value: TokenStream,
}

impl Access {
    fn new(field: &Field, attributes: &ParamAttributes) -> syn::Result<Self> {
        let parameter = quote!(::xai_core::describe::Parameter);
        let Some(none) = &attributes.none else {
            let ty = &field.ty;
            return Ok(Self {
                kind: attributes.kind(ty),
                value: quote!(#parameter::to_value(field)),
                from_value: quote!(#parameter::from_value(value)),
            });
        };
        let Some(inner) = inside_option(&field.ty) else {
            let expected = "`none` is the word of an `Option` without a value";
            return Err(syn::Error::new_spanned(&field.ty, expected));
        };
        let none_doc = attributes.none_doc.clone().unwrap_or_default();
        let path = quote!(::xai_core::describe);
        let kind = attributes.kind(inner);
        Ok(Self {
            kind: quote!(#path::Kind::OneOf(const { &[
                #path::Kind::Words(&[#path::Word { name: #none, alias: "", doc: #none_doc, value: None }]),
                #kind,
            ] })),
            value: quote! {
                match field {
                    Some(field) => #parameter::to_value(field),
                    None => #path::Value::from(#none),
                }
            },
            from_value: quote! {
                match value {
                    #path::Value::Text(text) if #path::same_word(text.trim(), #none) => Some(None),
                    value => <#inner as #parameter>::from_value(value).map(Some),
                }
            },
        })
    }
}

/// Setter of a field, documented like the field and with its default.
fn setter(
    field: &Field,
    ident: &Ident,
    attributes: &ParamAttributes,
    target: &Target,
) -> TokenStream {
    let ty = &field.ty;
    let docs = field.attrs.iter().filter(|a| a.path().is_ident("doc"));
    let default_sentence = attributes.default.as_ref().and_then(default_sentence);
    let default = default_sentence.map(|sentence| quote!(#[doc = #sentence]));
    let (argument, value) = if attributes.into {
        (quote!(impl Into<#ty>), quote!(#ident.into()))
    } else {
        (quote!(#ty), quote!(#ident))
    };
    let at = &target.at;
    quote! {
        #(#docs)*
        #default
        #[must_use]
        pub fn #ident(mut self, #ident: #argument) -> Self {
            self #(.#at)* .#ident = #value;
            self
        }
    }
}

/// Sentence about a default for the documentation of a setter, if the default is a number, a word
/// or a variant that callers can write.
fn default_sentence(default: &Expr) -> Option<String> {
    // Tokens are printed with spaces in between, which source code does not have.
    let tokens = quote!(#default).to_string();
    let code = tokens.replace(" :: ", "::").replace(" (", "(");
    let is_public = code.contains("::") && !code.contains("()");
    let is_readable = match default {
        Expr::Lit(_) => true,
        Expr::Path(_) | Expr::Call(_) => is_public,
        _ => false,
    };
    is_readable.then(|| format!(" Default: `{code}`."))
}

/// Type `T` of `Option<T>`.
fn inside_option(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(inner) if last.ident == "Option" => Some(inner),
        _ => None,
    }
}

/// Type parameter of the struct that `ty` consists of, if any.
fn type_parameter(generics: &syn::Generics, ty: &Type) -> Option<Ident> {
    let Type::Path(path) = ty else { return None };
    let ident = path.path.get_ident()?;
    let found = generics.type_params().find(|param| param.ident == *ident);
    found.map(|param| param.ident.clone())
}

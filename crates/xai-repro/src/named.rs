//! Macros for types that are written as a word: metrics by their name, settings by the word of their variant.

/// Implements `Display` of a setting by the word of its variant.
macro_rules! impl_display_by_word {
    ($($choice:ident),+) => {$(
        impl std::fmt::Display for $choice {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(xai_core::describe::word_of(self))
            }
        }
    )+};
}

/// Implements the traits of a metric type that follow from its name: metrics are equal if their names are, and are
/// shown, stored and parsed by name. `$all` is the list of all metrics of the type.
macro_rules! impl_by_name {
    ($metric:ident, $all:path) => {
        impl xai_core::describe::Parameter for $metric {
            const KIND: xai_core::describe::Kind = {
                use xai_core::describe::Word;
                const WORDS: [Word; $all.len()] = {
                    let mut words = [Word {
                        name: "",
                        alias: "",
                        doc: "",
                        value: None,
                    }; $all.len()];
                    // `for` loops are not allowed in constants.
                    let mut index = 0;
                    while index < $all.len() {
                        let info = $all[index].info();
                        words[index].name = info.name;
                        words[index].doc = info.summary;
                        index += 1;
                    }
                    words
                };
                xai_core::describe::Kind::Words(&WORDS)
            };

            fn from_value(value: &xai_core::describe::Value) -> Option<Self> {
                let text = value.word()?;
                let mut all = $all.iter().copied();
                all.find(|metric| xai_core::describe::same_word(text.trim(), metric.name()))
            }

            fn to_value(&self) -> xai_core::describe::Value {
                self.name().into()
            }
        }

        impl std::str::FromStr for $metric {
            type Err = xai_core::Error;

            /// Returns the metric of this crate with this name.
            fn from_str(name: &str) -> xai_core::Result<Self> {
                xai_core::describe::parse($crate::input::METRIC, name)
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $metric {
            fn deserialize<D: serde::Deserializer<'de>>(
                deserializer: D,
            ) -> std::result::Result<Self, D::Error> {
                let name = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                name.parse().map_err(serde::de::Error::custom)
            }
        }

        impl PartialEq for $metric {
            fn eq(&self, other: &Self) -> bool {
                self.name() == other.name()
            }
        }

        impl Eq for $metric {}

        impl std::hash::Hash for $metric {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.name().hash(state);
            }
        }

        impl std::fmt::Debug for $metric {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($metric), "({})"), self.name())
            }
        }

        impl std::fmt::Display for $metric {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        #[cfg(feature = "serde")]
        impl serde::Serialize for $metric {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}

pub(crate) use {impl_by_name, impl_display_by_word};

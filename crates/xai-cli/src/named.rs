//! JSON objects with names as keys.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

/// Entries of a JSON object with names as keys, in the order of the file. A name that occurs twice is an error.
pub(crate) struct Named<V>(pub(crate) Vec<(String, V)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Named<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<V>(PhantomData<V>);

        impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
            type Value = Vec<(String, V)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of names")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries: Self::Value = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, V>()? {
                    if entries.iter().any(|(other, _)| *other == name) {
                        let twice = format_args!("`{name}` is there twice");
                        return Err(serde::de::Error::custom(twice));
                    }
                    entries.push((name, value));
                }
                Ok(entries)
            }
        }
        deserializer.deserialize_map(Entries(PhantomData)).map(Self)
    }
}

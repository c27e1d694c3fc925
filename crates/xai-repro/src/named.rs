//! Metrics that are known by their names.

/// Writes what follows from a metric's `name()`: two of one name are the same metric, and it is shown
/// and stored as its name.
macro_rules! known_by_name {
    ($metric:ident) => {
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

pub(crate) use known_by_name;

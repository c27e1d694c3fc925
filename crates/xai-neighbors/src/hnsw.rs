//! Parameters of the graph of an approximate search.

use xai_core::describe::{Kind, Parameter, Parameters, Value};

/// Parameters of a hierarchical navigable small world (HNSW) graph.
///
/// More connections and larger candidate lists find more of the neighbours and cost more. The recall is
/// measured, see [`ApproximateSearch`](crate::ApproximateSearch).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Parameters)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Hnsw {
    /// Number of neighbours that a row is linked to on each layer.
    #[param(at_least = 2, at_most = 256, default = 16)]
    pub connections: usize,
    /// Number of candidates that are kept while a row is linked.
    #[param(at_least = 1, at_most = 1 << 20, default = 200)]
    pub ef_construction: usize,
    /// Number of candidates that are kept during a search; at least `k` are always kept.
    #[param(at_least = 1, at_most = 1 << 20, default = 64)]
    pub ef_search: usize,
}

/// Reads and writes the three parameters as a list, in the order of the fields.
///
/// ```
/// use xai_neighbors::Hnsw;
/// use xai_core::describe::{Parameter, Value};
/// let hnsw = Hnsw::from_value(&Value::from("8,100,32")).unwrap();
/// assert_eq!((hnsw.connections, hnsw.ef_construction, hnsw.ef_search), (8, 100, 32));
/// assert_eq!(hnsw.to_value().to_string(), "8,100,32");
/// assert_eq!(Hnsw::from_value(&Value::from("8,100")), None);
/// ```
impl Parameter for Hnsw {
    const KIND: Kind = <Vec<usize> as Parameter>::KIND;

    fn from_value(value: &Value) -> Option<Self> {
        let mut hnsw = Self::default();
        let (items, params) = (value.items()?, hnsw.params());
        if items.len() != params.len() {
            return None;
        }
        // Set by name, so that the range of each parameter is checked.
        for (param, item) in params.iter().zip(&items) {
            hnsw.set(param.name, item).ok()?;
        }
        Some(hnsw)
    }

    fn to_value(&self) -> Value {
        Value::List(self.params().into_iter().map(|param| param.value).collect())
    }
}

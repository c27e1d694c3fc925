//! The parameters of the graph of an approximate search.

use xai_core::describe::{Kind, Parameter, Parameters, Value};

/// The parameters of a hierarchical navigable small world graph.
///
/// More connections and wider searches find more of the neighbours and cost more; the recall that
/// they reach is measured, see
/// [`ApproximateSearch`](crate::search::ApproximateSearch).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Parameters)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hnsw {
    /// Neighbours that a row is linked to on each layer.
    #[param(at_least = 2, at_most = 256, default = 16)]
    pub connections: usize,
    /// Candidates that are kept while a row is linked.
    #[param(at_least = 1, at_most = 1 << 20, default = 200)]
    pub ef_construction: usize,
    /// Candidates that are kept during a search, raised to `k` where it is larger.
    #[param(at_least = 1, at_most = 1 << 20, default = 64)]
    pub ef_search: usize,
}

/// The three parameters as a list, in the order of the fields:
///
/// ```
/// use xai_casebased::search::Hnsw;
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
        for (param, item) in params.iter().zip(&items) {
            hnsw.set(param.name, item).ok()?;
        }
        Some(hnsw)
    }

    fn to_value(&self) -> Value {
        Value::List(self.params().into_iter().map(|param| param.value).collect())
    }
}

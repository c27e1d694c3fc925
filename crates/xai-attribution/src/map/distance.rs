//! How far apart two maps are.

use std::sync::Arc;

/// How far apart two maps are, in [`Stability`](crate::Stability). Both come flattened in row-major order.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum MapDistance {
    /// `Σ |a − b|`.
    L1,
    /// `√Σ (a − b)²`.
    #[default]
    L2,
    /// A function of the caller's.
    Function(MapDistanceFunction),
}

/// A distance of two flattened maps.
pub type MapDistanceFunction = Arc<dyn Fn(&[f64], &[f64]) -> f64 + Send + Sync>;

impl MapDistance {
    /// A distance of one's own.
    pub fn from_fn(distance: impl Fn(&[f64], &[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self::Function(Arc::new(distance))
    }

    pub(crate) fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        let pairs = a.iter().zip(b);
        match self {
            Self::L1 => pairs.map(|(a, b)| (a - b).abs()).sum(),
            Self::L2 => pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt(),
            Self::Function(distance) => distance(a, b),
        }
    }
}

/// Functions are equal when they are the same one.
impl PartialEq for MapDistance {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::L1, Self::L1) | (Self::L2, Self::L2) => true,
            (Self::Function(a), Self::Function(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl std::fmt::Debug for MapDistance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::L1 => "L1",
            Self::L2 => "L2",
            Self::Function(_) => "Function(..)",
        })
    }
}

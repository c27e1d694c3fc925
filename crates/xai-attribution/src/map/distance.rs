//! How far apart two maps are.

use std::sync::Arc;

/// How far apart two maps are, in [`Stability`](crate::metric::Stability) and its relatives. Both come
/// flattened in row-major order, that of the sample first.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum MapDistance {
    /// `Σ |a − b|`.
    L1,
    /// `√Σ (a − b)²`.
    #[default]
    L2,
    /// `√Σ (a − b)² / √Σ a²`; undefined for an `a` of zeros.
    Relative,
    /// `√Σ ((a − b) / a)²`, an `a` of 0 replaced by this number: what Quantus has.
    Elementwise(f64),
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

    /// NaN where it is undefined.
    pub(crate) fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        let pairs = a.iter().zip(b);
        match self {
            Self::L1 => pairs.map(|(a, b)| (a - b).abs()).sum(),
            Self::L2 => pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt(),
            Self::Relative => {
                let size = a.iter().map(|a| a * a).sum::<f64>().sqrt();
                match size > 0.0 {
                    true => Self::L2.between(a, b) / size,
                    false => f64::NAN,
                }
            }
            Self::Elementwise(zero) => {
                let quotient = |(a, b): (&f64, &f64)| {
                    let by = if *a == 0.0 { *zero } else { *a };
                    ((a - b) / by) * ((a - b) / by)
                };
                pairs.map(quotient).sum::<f64>().sqrt()
            }
            Self::Function(distance) => distance(a, b),
        }
    }
}

/// Functions are equal when they are the same one.
impl PartialEq for MapDistance {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::L1, Self::L1) | (Self::L2, Self::L2) | (Self::Relative, Self::Relative) => true,
            (Self::Elementwise(a), Self::Elementwise(b)) => a == b,
            (Self::Function(a), Self::Function(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl std::fmt::Debug for MapDistance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::L1 => f.write_str("L1"),
            Self::L2 => f.write_str("L2"),
            Self::Relative => f.write_str("Relative"),
            Self::Elementwise(zero) => f.debug_tuple("Elementwise").field(zero).finish(),
            Self::Function(_) => f.write_str("Function(..)"),
        }
    }
}

//! How far apart two maps are.

use std::sync::Arc;

use ndarray::ArrayViewD;
use xai_core::describe::Parameter;
use xai_core::tensor::Rows;
use xai_core::{Error, Real, Result, parallel};

use crate::input;

/// How far apart two maps are, in [`Stability`](crate::metric::Stability) and its relatives. Both come
/// flattened in row-major order, that of the sample first.
#[derive(Clone, Default, Parameter)]
#[param(name = "distance")]
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
    #[param(value_name = "ZERO")]
    Elementwise(f64),
    /// A function of the caller's.
    #[param(skip)]
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

/// Whether every element of a map is within `absolute + relative · |b|` of that of a second one, for each
/// sample of two sets of maps.
///
/// # Errors
/// A shape mismatch between the two.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::map::maps_within;
/// let (a, b) = (array![[1.0, 2.0], [1.0, 2.0]].into_dyn(), array![[1.0, 2.1], [1.0, 4.0]].into_dyn());
/// assert_eq!(maps_within(a.view(), b.view(), 0.0, 0.1)?, [true, false]);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub fn maps_within<T: Real>(
    a: ArrayViewD<'_, T>,
    b: ArrayViewD<'_, T>,
    absolute: f64,
    relative: f64,
) -> Result<Vec<bool>> {
    if a.shape() != b.shape() {
        return Err(Error::shape(input::EXPLANATIONS, a.shape(), b.shape()));
    }
    let (a, b) = (Rows::of_samples(a), Rows::of_samples(b));
    Ok(parallel::map(a.n_rows(), |sample| {
        let mut pairs = a.row(sample).iter().zip(b.row(sample));
        pairs.all(|(a, b)| {
            let (a, b) = (a.to_f64_exact(), b.to_f64_exact());
            (a - b).abs() <= absolute + relative * b.abs()
        })
    }))
}

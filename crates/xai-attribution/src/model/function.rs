//! Functions provided by the caller.

use std::fmt::{Debug, Formatter};
use std::ops::Deref;
use std::sync::Arc;

/// A function as a parameter of a metric. Two are equal if they are the same function object.
///
/// ```
/// use std::sync::Arc;
/// use xai_attribution::model::Function;
/// let double: Function<dyn Fn(f64) -> f64> = Function(Arc::new(|x| 2.0 * x));
/// let again: Function<dyn Fn(f64) -> f64> = Function(Arc::new(|x| 2.0 * x));
/// assert_eq!(double(1.5), 3.0);
/// assert!(double == double.clone() && double != again);
/// ```
pub struct Function<F: ?Sized>(pub Arc<F>);

impl<F: ?Sized> Clone for Function<F> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<F: ?Sized> PartialEq for Function<F> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<F: ?Sized> Debug for Function<F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("..")
    }
}

impl<F: ?Sized> Deref for Function<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.0
    }
}

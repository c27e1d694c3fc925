//! Outputs of a model that Python computed before it called this library.
//!
//! A similarity calls a closure for the activations or the leaves of rows, in order and batch by batch. Here Python has
//! already called the model, once and on the calling thread, and the closure returns parts of these outputs. The
//! outputs are on a stack of the working thread, because a thread that waits for others may start work of another
//! caller, which it finishes first.

use std::cell::RefCell;

use ndarray::{Array2, ArrayView2, Axis, Slice};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use serde::Deserialize;
use xai_casebased::Similarity;
use xai_casebased::similarity::{Embedding, ForestProximity, Overflow, TreeLeaf};

thread_local! {
    static GIVEN: RefCell<Vec<(Given, usize)>> = const { RefCell::new(Vec::new()) };
}

/// One row per row of the samples.
pub(super) enum Given {
    Activations(Array2<f64>),
    Leaves(Array2<u32>),
}

/// The outputs as arrays from Python.
#[derive(FromPyObject)]
pub(super) enum GivenArray<'py> {
    Activations(PyReadonlyArray2<'py, f64>),
    Leaves(PyReadonlyArray2<'py, u32>),
}

impl GivenArray<'_> {
    pub(super) fn to_owned(&self) -> Given {
        match self {
            Self::Activations(array) => Given::Activations(array.as_array().to_owned()),
            Self::Leaves(array) => Given::Leaves(array.as_array().to_owned()),
        }
    }
}

/// Runs `work`, in which the closures of similarities return parts of `given`.
pub(super) fn with<R>(given: Option<Given>, work: impl FnOnce() -> R) -> R {
    struct Pop;
    impl Drop for Pop {
        fn drop(&mut self) {
            GIVEN.with_borrow_mut(Vec::pop);
        }
    }
    let Some(given) = given else {
        return work();
    };
    GIVEN.with_borrow_mut(|stack| stack.push((given, 0)));
    let _pop = Pop;
    work()
}

/// Use of the given outputs by a similarity.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Use {
    Activations {
        standardize: bool,
        feature_share: f64,
        weights: Option<Vec<f64>>,
        class_weights: Vec<(i64, Vec<f64>)>,
    },
    TreeLeaf {
        fill_from_other_leaves: bool,
    },
    ForestProximity,
}

impl Use {
    pub(super) fn similarity(self) -> Similarity {
        match self {
            Self::Activations {
                standardize,
                feature_share,
                weights,
                class_weights,
            } => {
                let embedding = Embedding::new(activations)
                    .standardize(standardize)
                    .feature_share(feature_share);
                let embedding = weights.into_iter().fold(embedding, Embedding::weights);
                let of_class = |e: Embedding, (class, weights)| e.class_weights(class, weights);
                class_weights.into_iter().fold(embedding, of_class).into()
            }
            Self::TreeLeaf {
                fill_from_other_leaves,
            } => {
                let overflow = if fill_from_other_leaves {
                    Overflow::Nearest
                } else {
                    Overflow::Truncate
                };
                let leaf = |rows: ArrayView2<'_, f64>| Ok(leaves(rows)?.column(0).to_vec());
                TreeLeaf::new::<Missing>(leaf).overflow(overflow).into()
            }
            Self::ForestProximity => ForestProximity::new(leaves).into(),
        }
    }
}

fn activations(rows: ArrayView2<'_, f64>) -> Result<Array2<f64>, Missing> {
    next(|given, from| match given {
        Given::Activations(all) => Some(take(all, from, rows.nrows())),
        Given::Leaves(_) => None,
    })
}

fn leaves(rows: ArrayView2<'_, f64>) -> Result<Array2<u32>, Missing> {
    next(|given, from| match given {
        Given::Leaves(all) => Some(take(all, from, rows.nrows())),
        Given::Activations(_) => None,
    })
}

fn next<T>(part: impl Fn(&Given, usize) -> Option<Array2<T>>) -> Result<Array2<T>, Missing> {
    GIVEN.with_borrow_mut(|stack| {
        let (given, next) = stack.last_mut().ok_or(Missing)?;
        let part = part(given, *next).ok_or(Missing)?;
        *next += part.nrows();
        Ok(part)
    })
}

/// Takes up to `n` rows. If the model returned too few, the caller reports a shape error.
fn take<T: Clone>(all: &Array2<T>, from: usize, n: usize) -> Array2<T> {
    let end = (from + n).min(all.nrows());
    let slice = Slice::from(from.min(end)..end);
    all.slice_axis(Axis(0), slice).to_owned()
}

/// Error if no outputs were given, or outputs of the other kind: an explainer was called without its model.
#[derive(Debug)]
struct Missing;

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the model of the similarity was not asked")
    }
}

impl std::error::Error for Missing {}

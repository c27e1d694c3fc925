//! Training rows, and searches among them.

use std::sync::{Arc, Mutex, PoisonError};

use ndarray::{Array2, ArrayView2};
use xai_core::Label;
use xai_core::number::{check_finite, labels_to_i64};
use xai_core::tensor::check_shape;
use xai_core::{Error, Result};

use crate::distance::{DistanceOptions, RowDistance};
use crate::input;
use crate::schema::Schema;
use crate::searches::Searches;

/// Training rows with their classes, among which neighbours are searched and by which distances are scaled.
///
/// Scales, engines and the distances of training rows to each other are computed when a metric first needs them, once
/// per distance, and shared by all metrics and all methods.
///
/// ```
/// use ndarray::array;
/// use xai_counterfactual::{Reference, Schema};
/// let train = array![[0.0, 0.0], [1.0, 0.0], [4.0, 3.0]];
/// let reference = Reference::new(Schema::numeric(2), train.view(), Some(&[0, 0, 1]))?;
/// assert_eq!((reference.n_rows(), reference.classes()), (3, &[0, 1][..]));
/// # Ok::<(), xai_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Reference {
    schema: Schema,
    train: Arc<Array2<f64>>,
    labels: Option<Arc<Vec<i64>>>,
    classes: Vec<i64>,
    searches: Mutex<Vec<(DistanceOptions, Arc<Searches>)>>,
}

impl Reference {
    /// Takes training rows `(T, d)` and their classes.
    ///
    /// The classes are labels of the data or, better, predictions of the model that is explained: the metrics of
    /// plausibility ask where the model's classes are. Without classes only distances can be scaled, and neighbours of
    /// any class searched.
    ///
    /// # Errors
    /// `Empty` without rows, `ShapeMismatch` for another number of columns or labels, `NonFinite`, `OutOfDomain` for a
    /// row that breaks a one-hot group, and `InvalidParameter` for 2³² rows or more.
    pub fn new<L: Label>(
        schema: Schema,
        train: ArrayView2<'_, f64>,
        labels: Option<&[L]>,
    ) -> Result<Self> {
        if train.nrows() == 0 {
            return Err(Error::empty(input::TRAIN));
        }
        if u32::try_from(train.nrows()).is_err() {
            let error = Error::parameter(input::TRAIN, train.nrows(), "fewer than 2^32 rows");
            return Err(error.part("number of rows"));
        }
        check_shape(
            input::TRAIN,
            &[train.nrows(), schema.n_columns()],
            train.shape(),
        )?;
        check_finite(input::TRAIN, train)?;
        schema.check_rows(input::TRAIN, train)?;
        let labels = match labels {
            Some(labels) => {
                check_shape(input::TRAIN_LABELS, &[train.nrows()], &[labels.len()])?;
                Some(labels_to_i64(input::TRAIN_LABELS, labels.iter().copied())?)
            }
            None => None,
        };
        let mut classes: Vec<i64> = labels.clone().unwrap_or_default();
        classes.sort_unstable();
        classes.dedup();
        Ok(Self {
            schema,
            train: Arc::new(train.as_standard_layout().into_owned()),
            labels: labels.map(Arc::new),
            classes,
            searches: Mutex::default(),
        })
    }

    /// The features.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The training rows, `(T, d)`.
    #[must_use]
    pub fn rows(&self) -> ArrayView2<'_, f64> {
        self.train.view()
    }

    /// Number of training rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.train.nrows()
    }

    /// The classes that training rows have, ascending; empty without labels.
    #[must_use]
    pub fn classes(&self) -> &[i64] {
        &self.classes
    }

    /// The classes of the training rows.
    ///
    /// # Errors
    /// `Missing` if the reference was made without them.
    pub fn labels(&self) -> Result<&[i64]> {
        let labels = self.labels.as_deref();
        Ok(labels.ok_or_else(|| Error::missing(input::TRAIN_LABELS))?)
    }

    /// The searches with a distance, made when they are first needed.
    pub(crate) fn searches(&self, options: DistanceOptions) -> Result<Arc<Searches>> {
        let lock = || self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock()
            .iter()
            .find(|(other, _)| *other == options)
            .map(|of| Arc::clone(&of.1));
        if let Some(known) = known {
            return Ok(known);
        }
        // Not under the lock: a thread that waits for its part of the work may take up a task that needs the lock.
        let distance = RowDistance::new(options, &self.schema, Some(self.rows()))?;
        let labels = self.labels.clone();
        let labels = labels.unwrap_or_else(|| Arc::new(vec![0; self.n_rows()]));
        let made = Arc::new(Searches::new(distance, Arc::clone(&self.train), labels)?);
        lock().push((options, Arc::clone(&made)));
        Ok(made)
    }
}

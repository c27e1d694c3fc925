//! What fidelity compares, and on which samples.

use std::fmt;
use std::ops::Range;

use xai_core::number::class_index;
use xai_core::{Error, Input, Result};

use crate::input;
use crate::outputs::predictions::Predictions;
use crate::outputs::row_subset::RowSubset;

/// A target, if there is one, and the samples that are visited.
#[derive(Clone, Copy, Default)]
pub(crate) struct Compared<'a> {
    /// True labels; `None` where the prediction on the full graph is the reference.
    pub(crate) target: Option<&'a dyn Predictions>,
    pub(crate) rows: RowSubset<'a>,
}

impl fmt::Debug for Compared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compared")
            .field("phenomenon", &self.target.is_some())
            .field("index", &self.rows.index())
            .finish()
    }
}

impl Compared<'_> {
    /// Checks target and index against the number of samples; returns how many are visited.
    pub(crate) fn check(&self, n_samples: usize) -> Result<usize> {
        match self.target {
            Some(target) if target.n_samples() != n_samples => Err(Error::shape(
                input::TARGET,
                &[n_samples],
                &[target.n_samples()],
            )),
            _ => self.rows.n_rows(n_samples),
        }
    }

    /// The targets of the visited rows `range`, each one of `n_classes` where that is known; the
    /// rest may be anything (−1 for "no label"). Does nothing without a target.
    pub(crate) fn gather_target(
        &self,
        n_classes: Option<usize>,
        range: Range<usize>,
        truth: &mut [i64],
    ) -> Result<()> {
        let Some(target) = self.target else {
            return Ok(());
        };
        self.gather(input::TARGET, target, range.clone(), truth)?;
        if let Some(n_classes) = n_classes {
            for (visited, &class) in range.zip(&*truth) {
                class_index(input::TARGET, self.rows.row(visited), class, n_classes)?;
            }
        }
        Ok(())
    }

    /// The classes of the visited rows `range`.
    pub(crate) fn gather(
        &self,
        input: Input,
        predictions: &dyn Predictions,
        range: Range<usize>,
        classes: &mut [i64],
    ) -> Result<()> {
        match self.rows.index() {
            None => predictions.classes(input, range, classes),
            Some(index) => {
                for (&row, class) in index[range].iter().zip(classes) {
                    predictions.classes(input, row..row + 1, std::slice::from_mut(class))?;
                }
                Ok(())
            }
        }
    }

    /// `mean_i (1[ŷ_i = y_i] − 1[ŷ'_i = y_i])`: how much less often the answer holds, where `y` is
    /// the target or, for explanations of the model, `ŷ` itself.
    pub(crate) fn signed_change(
        &self,
        full: &dyn Predictions,
        other: &dyn Predictions,
    ) -> Result<f64> {
        let n = self.check(full.n_samples())?;
        let mut classes = [vec![0; n], vec![0; n], vec![0; n]];
        let [reference, changed, truth] = &mut classes;
        self.gather(input::FULL, full, 0..n, reference)?;
        self.gather(input::OUTPUTS, other, 0..n, changed)?;
        match self.target {
            Some(_) => self.gather_target(full.n_classes(), 0..n, truth)?,
            None => truth.copy_from_slice(reference),
        }
        let right = |classes: &[i64]| {
            std::iter::zip(classes, &*truth)
                .filter(|(class, truth)| class == truth)
                .count()
        };
        Ok((right(reference) as f64 - right(changed) as f64) / n as f64)
    }
}

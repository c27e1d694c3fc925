//! Changes of predictions and probabilities between the whole graph and its parts.

use std::fmt;
use std::ops::Range;

use ndarray::ArrayView2;
use xai_core::number::class_index;
use xai_core::tensor::check_shape;
use xai_core::{ExactSum, Input, Real, Result, parallel};

use crate::fidelity::change_kinds::ChangeKinds;
use crate::input;
use crate::outputs::output_rows::{OutputRows, ReturnType, RowSubset};
use crate::outputs::predictions::Predictions;

/// Number of rows that a thread compares at a time: the buffers of classes (8 KiB each) stay in the L1 cache.
const BLOCK: usize = 1024;
/// Number of rows whose probabilities are computed at a time.
const PIECE: usize = 128;

/// Sums of changes over samples.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Changes {
    pub(crate) pos: ExactSum,
    pub(crate) neg: ExactSum,
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    pub(crate) n_samples: u64,
}

impl Changes {
    pub(crate) fn merge(&mut self, other: &Self) {
        self.pos.add_sum(&other.pos);
        self.neg.add_sum(&other.neg);
        self.n_samples += other.n_samples;
    }
}

#[derive(Clone, Copy)]
pub(crate) struct ThreePredictions<'a> {
    pub(crate) full: &'a dyn Predictions,
    pub(crate) kept: &'a dyn Predictions,
    pub(crate) complement: &'a dyn Predictions,
}

impl ThreePredictions<'_> {
    /// Counts samples whose predicted class changes.
    pub(crate) fn changes(&self, compared: &Compared<'_>) -> Result<Changes> {
        let kinds = self.kinds(compared)?;
        let mut changes = Changes {
            n_samples: kinds.n_samples,
            ..Changes::default()
        };
        // Counts below 2^53 are exact as `f64`, so the sums are the same as with a 0 or 1 per sample.
        changes.pos.add(kinds.pos as f64);
        changes.neg.add(kinds.neg as f64);
        Ok(changes)
    }

    /// Counts samples by the graphs on which their predicted class changes.
    pub(crate) fn kinds(&self, compared: &Compared<'_>) -> Result<ChangeKinds> {
        let n_classes = self.check()?;
        let n = compared.check(self.full.n_samples())?;
        // Buffers are zeroed on creation. With many rows, up to 16 blocks share them, as long as at least 64 ranges
        // are left for the threads.
        let rows = BLOCK * (n / (64 * BLOCK)).clamp(1, 16);
        let blocks = parallel::map_blocks(n, rows, |range| {
            self.kinds_in_range(compared, n_classes, range)
        });
        // Merged in order, so that of several errors the first one is reported on any number of threads.
        let mut kinds = ChangeKinds::default();
        for block in blocks {
            kinds.merge(block?);
        }
        Ok(kinds)
    }

    /// Checks that the three inputs agree. Returns the number of classes if any of them determines it.
    fn check(&self) -> Result<Option<usize>> {
        let n_samples = self.full.n_samples();
        for (input, predictions) in [
            (input::KEPT, self.kept),
            (input::COMPLEMENT, self.complement),
        ] {
            check_shape(input, &[n_samples], &[predictions.n_samples()])?;
        }
        // Outputs have a number of columns, labels do not. Outputs of one model have the same number.
        let mut n_classes = None;
        for (input, predictions) in [
            (input::FULL, self.full),
            (input::KEPT, self.kept),
            (input::COMPLEMENT, self.complement),
        ] {
            if let Some(actual) = predictions.n_classes() {
                let expected = *n_classes.get_or_insert(actual);
                check_shape(input, &[n_samples, expected], &[n_samples, actual])?;
            }
        }
        Ok(n_classes)
    }

    /// Counts changed classes in a range of the visited samples.
    fn kinds_in_range(
        &self,
        compared: &Compared<'_>,
        n_classes: Option<usize>,
        range: Range<usize>,
    ) -> Result<ChangeKinds> {
        let mut kinds = ChangeKinds::default();
        let mut buffers = [[0i64; BLOCK]; 4];
        for start in range.clone().step_by(BLOCK) {
            let block = start..range.end.min(start + BLOCK);
            let [on_full, on_kept, on_complement, truth] =
                buffers.each_mut().map(|buffer| &mut buffer[..block.len()]);
            for (input, predictions, classes) in [
                (input::FULL, self.full, &mut *on_full),
                (input::KEPT, self.kept, &mut *on_kept),
                (input::COMPLEMENT, self.complement, &mut *on_complement),
            ] {
                compared.gather(input, predictions, block.clone(), classes)?;
            }
            // Targets are checked against the number of classes only if outputs determine it.
            compared.gather_target(n_classes, block, truth)?;
            let truth = compared.target.map(|_| &*truth);
            kinds.merge(ChangeKinds::count(on_full, on_kept, on_complement, truth));
        }
        Ok(kinds)
    }
}

/// Outputs on the three graphs, for comparison of probabilities.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThreeOutputs<'a, T> {
    pub(crate) full: ArrayView2<'a, T>,
    pub(crate) kept: ArrayView2<'a, T>,
    pub(crate) complement: ArrayView2<'a, T>,
    pub(crate) returns: ReturnType,
}

impl<T: Real> ThreeOutputs<'_, T> {
    /// Changes of the probability of the target, or of the class predicted on the whole graph.
    pub(crate) fn changes(&self, compared: &Compared<'_>) -> Result<Changes> {
        for (input, outputs) in [
            (input::KEPT, self.kept),
            (input::COMPLEMENT, self.complement),
        ] {
            check_shape(input, self.full.shape(), outputs.shape())?;
        }
        let n = compared.check(self.full.nrows())?;
        let rows = [
            OutputRows::new(input::FULL, self.full, self.returns)?,
            OutputRows::new(input::KEPT, self.kept, self.returns)?,
            OutputRows::new(input::COMPLEMENT, self.complement, self.returns)?,
        ];
        let blocks =
            parallel::map_blocks(n, BLOCK, |range| changes_in_range(&rows, compared, range));
        // Exact sums do not depend on the split into blocks.
        let mut changes = Changes::default();
        for block in blocks {
            changes.merge(&block?);
        }
        Ok(changes)
    }
}

/// Changes of probabilities in a range of visited rows.
fn changes_in_range<T: Real>(
    [full, kept, complement]: &[OutputRows<'_, T>; 3],
    compared: &Compared<'_>,
    range: Range<usize>,
) -> Result<Changes> {
    let mut changes = Changes::default();
    for_each_change(
        compared,
        range,
        full,
        [kept, complement],
        |p, [kept, complement]| {
            changes.pos.add((p - complement).abs());
            changes.neg.add((p - kept).abs());
            changes.n_samples += 1;
        },
    )?;
    Ok(changes)
}

/// Mean signed change `mean_i (p_i(y) − p'_i(y))` of the probability of class `y`: the target or, for explanations of
/// the model, the class predicted by `full`.
pub(crate) fn signed_probability_change<T: Real>(
    compared: &Compared<'_>,
    full: ArrayView2<'_, T>,
    other: ArrayView2<'_, T>,
    returns: ReturnType,
) -> Result<f64> {
    let n = compared.check(full.nrows())?;
    let full = OutputRows::new(input::FULL, full, returns)?;
    let other = OutputRows::new(input::OUTPUTS, other, returns)?;
    let mut sum = ExactSum::new();
    for_each_change(compared, 0..n, &full, [&other], |p, [other]| {
        // One thread is enough here, because robust fidelity evaluates its draws in parallel.
        sum.add(p - other)
    })?;
    Ok(sum.value() / n as f64)
}

/// Calls `each` for each visited sample with the probabilities of its class by `full` and by the others. The class is
/// the target, or the one predicted on the whole graph.
fn for_each_change<T: Real, const N: usize>(
    compared: &Compared<'_>,
    range: Range<usize>,
    full: &OutputRows<'_, T>,
    others: [&OutputRows<'_, T>; N],
    mut each: impl FnMut(f64, [f64; N]),
) -> Result<()> {
    let n_classes = full.n_classes();
    let mut truth = vec![0; range.len()];
    compared.gather_target(Some(n_classes), range.clone(), &mut truth)?;
    let (mut p, mut predicted) = (Vec::new(), Vec::new());
    let mut changed = [(); N].map(|()| Vec::new());
    // As many rows as fit into the L1 cache with ten classes.
    for (first, truth) in range.step_by(PIECE).zip(truth.chunks(PIECE)) {
        let rows = (first..first + truth.len()).map(|visited| compared.rows.row(visited));
        full.read(rows.clone(), &mut p, Some(&mut predicted))?;
        for (other, changed) in others.iter().zip(&mut changed) {
            other.read(rows.clone(), changed, None)?;
        }
        for (index, (row, (&class, &predicted))) in
            rows.zip(truth.iter().zip(&predicted)).enumerate()
        {
            let class = match compared.target {
                // Does not fail: `gather_target` has checked these labels before any outputs were read.
                Some(_) => class_index(input::TARGET, row, class, n_classes)?,
                None => predicted,
            };
            let of_class = |probabilities: &[f64]| probabilities[index * n_classes + class];
            each(
                of_class(&p),
                changed.each_ref().map(|changed| of_class(changed)),
            );
        }
    }
    Ok(())
}

/// The target, if any, and the visited samples.
#[derive(Clone, Copy, Default)]
pub(crate) struct Compared<'a> {
    /// True labels. `None` if the prediction on the full graph is the reference.
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
    /// Checks target and index against the number of samples. Returns the number of visited samples.
    pub(crate) fn check(&self, n_samples: usize) -> Result<usize> {
        if let Some(target) = self.target {
            check_shape(input::TARGET, &[n_samples], &[target.n_samples()])?;
        }
        self.rows.n_rows(n_samples)
    }

    /// Reads the targets of the visited rows `range` and checks them if the number of classes is known. Targets of
    /// other rows may be anything (such as −1 for "no label"). Does nothing without a target.
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

    /// Reads the classes of the visited rows `range`.
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
                // Row by row, because an index may be in any order and repeat rows.
                for (&row, class) in index[range].iter().zip(classes) {
                    predictions.classes(input, row..row + 1, std::slice::from_mut(class))?;
                }
                Ok(())
            }
        }
    }

    /// Mean signed change `mean_i (1[ŷ_i = y_i] − 1[ŷ'_i = y_i])` of correctness, where `y` is the target or, for
    /// explanations of the model, `ŷ` itself.
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
        let n_correct = |classes: &[i64]| {
            std::iter::zip(classes, &*truth)
                .filter(|(class, truth)| class == truth)
                .count()
        };
        // Counts are exact, so their difference has no rounding error.
        Ok((n_correct(reference) as f64 - n_correct(changed) as f64) / n as f64)
    }
}

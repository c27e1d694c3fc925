//! Running of models on batches of samples.

use ndarray::{Array1, ArrayD, ArrayViewD, Axis, IxDyn, Slice, concatenate};

use xai_attribution::Real;

use super::engine::{Input, Reason};
use super::model::{OnnxModel, is_integer};

impl OnnxModel {
    /// Computes the output for a batch, with the samples as the first axis. A model with two inputs also gets a
    /// class per sample.
    pub(super) fn run_batch<T: Real>(
        &self,
        batch: &ArrayViewD<'_, T>,
        classes: Option<&[i64]>,
    ) -> Result<ArrayD<f64>, Reason> {
        let fixed = self.fixed_batch()?;
        let n = batch.len_of(Axis(0));
        // At least two rows: engines multiply a single row with another order of additions than several. With two
        // rows or more, the outputs of a sample have the same bits in every batch.
        let (piece, size) = if self.mixes_samples {
            (1, fixed.unwrap_or(2))
        } else {
            let size = fixed.unwrap_or_else(|| n.max(2));
            (size, size)
        };
        if n <= piece {
            return self.run_piece(batch, classes, size);
        }
        let outputs = batch
            .axis_chunks_iter(Axis(0), piece)
            .enumerate()
            .map(|(i, samples)| {
                let last = (i * piece + piece).min(n);
                let piece_classes = classes.map(|classes| &classes[i * piece..last]);
                self.run_piece(&samples, piece_classes, size)
            })
            .collect::<Result<Vec<_>, Reason>>()?;
        let views: Vec<_> = outputs.iter().map(|output| output.view()).collect();
        concatenate(Axis(0), &views)
            .map_err(|_| "the shape of its output changes between batches".to_owned())
    }

    /// Converts samples or node features to the type of the first input.
    pub(super) fn input<T: Real>(&self, numbers: &ArrayViewD<'_, T>) -> Result<Input, Reason> {
        if self.inputs.first().is_some_and(is_integer) {
            integers(numbers)
        } else {
            single(numbers)
        }
    }

    /// Computes the output for samples in a batch of `size`. The last sample is repeated to fill the batch, and the
    /// outputs of its copies are dropped.
    fn run_piece<T: Real>(
        &self,
        samples: &ArrayViewD<'_, T>,
        classes: Option<&[i64]>,
        size: usize,
    ) -> Result<ArrayD<f64>, Reason> {
        let n = samples.len_of(Axis(0));
        let rows: Vec<usize> = (0..size).map(|row| row.min(n.saturating_sub(1))).collect();
        let mut inputs = vec![if n == size {
            self.input(samples)?
        } else {
            self.input(&samples.select(Axis(0), &rows).view())?
        }];
        if let (Some(classes), Some(port)) = (classes, self.inputs.get(1)) {
            let row_classes: Array1<i64> = rows.iter().map(|&row| classes[row]).collect();
            // A second axis has length 1.
            let n_axes = port.shape.as_ref().map_or(1, Vec::len);
            let shape = if n_axes == 2 {
                vec![size, 1]
            } else {
                vec![size]
            };
            let shaped = row_classes
                .into_shape_with_order(IxDyn(&shape))
                .map_err(|error| error.to_string())?;
            inputs.push(Input::Integer(shaped));
        }
        let output = self.run(inputs)?;
        if output.shape().first() != Some(&size) {
            return Err(format!(
                "it answers {size} samples with the shape {:?}: expected a row per sample",
                output.shape()
            ));
        }
        Ok(output.slice_axis(Axis(0), Slice::from(..n)).to_owned())
    }
}

/// 2^24: up to this magnitude, single precision represents every integer.
const MAX_EXACT: f64 = 16_777_216.0;

/// Converts numbers to single precision, in which engines take real inputs.
fn single<T: Real>(numbers: &ArrayViewD<'_, T>) -> Result<Input, Reason> {
    let single = numbers.mapv(|x| x.to_f64_exact() as f32);
    if single.iter().any(|x| x.is_infinite()) {
        Err("a number of its inputs is beyond the range of single precision".to_owned())
    } else {
        Ok(Input::Real(single))
    }
}

/// Converts whole numbers to integers.
fn integers<T: Real>(numbers: &ArrayViewD<'_, T>) -> Result<Input, Reason> {
    let mut values = numbers.iter().map(|x| x.to_f64_exact());
    match values.find(|x| x.fract() != 0.0 || x.abs() > MAX_EXACT) {
        None => Ok(Input::Integer(numbers.mapv(|x| x.to_f64_exact() as i64))),
        Some(other) => Err(format!(
            "it takes integers, got {other}: a token is removed by the number of another, as that of padding (--baseline)"
        )),
    }
}

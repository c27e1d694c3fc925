//! Runs a model on batches of samples.

use ndarray::{Array1, ArrayD, ArrayViewD, Axis, IxDyn, Slice, concatenate};

use xai_attribution::Real;

use super::engine::{Input, Reason};
use super::model::{OnnxModel, is_integer};

impl OnnxModel {
    /// Computes the output for a batch, samples first. A model with two inputs also gets a class for each sample.
    pub(super) fn of_samples<T: Real>(
        &self,
        batch: &ArrayViewD<'_, T>,
        classes: Option<&[i64]>,
    ) -> Result<ArrayD<f64>, Reason> {
        let fixed = self.fixed_batch()?;
        let n = batch.len_of(Axis(0));
        // The product with a single row adds in another order than with several. With two rows or more, the outputs of a sample
        // have the same bits in every batch.
        let size = fixed.unwrap_or_else(|| n.max(2));
        let (piece, size) = match self.mixes_samples {
            true => (1, fixed.unwrap_or(2)),
            false => (size, size),
        };
        if n <= piece {
            return self.of_piece(batch, classes, size);
        }
        let pieces = batch.axis_chunks_iter(Axis(0), piece).enumerate();
        let pieces = pieces.map(|(i, samples)| {
            let last = (i * piece + piece).min(n);
            self.of_piece(&samples, classes.map(|of| &of[i * piece..last]), size)
        });
        let pieces = pieces.collect::<Result<Vec<_>, Reason>>()?;
        let views: Vec<_> = pieces.iter().map(|piece| piece.view()).collect();
        concatenate(Axis(0), &views)
            .map_err(|_| "the shape of its output changes between batches".to_owned())
    }

    /// Converts samples or node features to the type of the first input.
    pub(super) fn input<T: Real>(&self, numbers: &ArrayViewD<'_, T>) -> Result<Input, Reason> {
        match self.inputs.first().is_some_and(is_integer) {
            true => integers(numbers),
            false => single(numbers),
        }
    }

    /// Computes the output for samples in a batch of `size`: the last sample is repeated, and the outputs of its copies are dropped.
    fn of_piece<T: Real>(
        &self,
        samples: &ArrayViewD<'_, T>,
        classes: Option<&[i64]>,
        size: usize,
    ) -> Result<ArrayD<f64>, Reason> {
        let n = samples.len_of(Axis(0));
        let rows: Vec<usize> = (0..size).map(|row| row.min(n.saturating_sub(1))).collect();
        let mut inputs = vec![match n == size {
            true => self.input(samples)?,
            false => self.input(&samples.select(Axis(0), &rows).view())?,
        }];
        if let (Some(classes), Some(port)) = (classes, self.inputs.get(1)) {
            let of_rows: Array1<i64> = rows.iter().map(|&row| classes[row]).collect();
            // A second axis has length 1.
            let n_axes = port.shape.as_ref().map_or(1, Vec::len);
            let shape = if n_axes == 2 {
                vec![size, 1]
            } else {
                vec![size]
            };
            let of_rows = of_rows.into_shape_with_order(IxDyn(&shape));
            inputs.push(Input::Integer(of_rows.map_err(|error| error.to_string())?));
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

/// Up to 2^24, single precision represents every integer.
const LARGEST_EXACT: f64 = 16_777_216.0;

/// Converts numbers to single precision, in which the engines compute.
fn single<T: Real>(numbers: &ArrayViewD<'_, T>) -> Result<Input, Reason> {
    let single = numbers.mapv(|x| x.to_f64_exact() as f32);
    match single.iter().any(|x| x.is_infinite()) {
        false => Ok(Input::Real(single)),
        true => Err("a number of its inputs is beyond the range of single precision".to_owned()),
    }
}

/// Converts whole numbers to integers.
fn integers<T: Real>(numbers: &ArrayViewD<'_, T>) -> Result<Input, Reason> {
    let mut values = numbers.iter().map(|x| x.to_f64_exact());
    match values.find(|x| x.fract() != 0.0 || x.abs() > LARGEST_EXACT) {
        None => Ok(Input::Integer(numbers.mapv(|x| x.to_f64_exact() as i64))),
        Some(other) => Err(format!(
            "it takes integers, got {other}: a token is removed by the number of another, as that of padding (--baseline)"
        )),
    }
}

//! Mean of all inputs.

use xai_core::sum::CompactSum;
use xai_core::tensor::Rows;
use xai_core::{Real, Result, parallel};

use crate::batch::{Dataset, DatasetWork};

/// Mean of every element over all inputs of a run. Exact, so independent of the order of the samples. Needs one more
/// pass over the inputs, batch by batch, but no call of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatasetMean;

impl<T: Real> DatasetWork<T> for DatasetMean {
    type Output = Vec<f64>;

    fn compute(&self, dataset: &Dataset<'_, T>) -> Result<Vec<f64>> {
        let size = dataset.shape()[1..].iter().product();
        let mut sums = vec![CompactSum::new(); size];
        for samples in dataset.batches() {
            let batch = dataset.inputs(samples)?;
            add_samples(&mut sums, Rows::from_samples(batch.view()).as_slice());
        }
        let n_samples = dataset.n_samples() as u64;
        Ok(sums.iter().map(|sum| sum.mean(n_samples)).collect())
    }
}

/// Adds whole samples. Threads split the elements, not the samples, so no sums have to be merged.
fn add_samples<T: Real>(sums: &mut [CompactSum], samples: &[T]) {
    // Whole blocks per thread, so that sums of neighbouring elements stay in the cache of one core.
    const BLOCK: usize = 256;
    let size = sums.len();
    parallel::for_each_chunk(sums, BLOCK, |block, sums| {
        let first = block * BLOCK;
        for sample in samples.chunks_exact(size) {
            for (sum, &x) in sums.iter_mut().zip(&sample[first..]) {
                sum.add(x);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_exact_in_any_order() {
        let samples: Vec<f64> = (0..1200)
            .map(|i| f64::from((i * 37) % 101) * 1e10)
            .collect();
        let backwards: Vec<f64> = samples.chunks(400).rev().flatten().copied().collect();
        let mean = |values: &[f64]| -> Vec<f64> {
            let mut sums = vec![CompactSum::new(); 400];
            add_samples(&mut sums, values);
            sums.iter().map(|sum| sum.mean(3)).collect()
        };
        assert_eq!(mean(&samples), mean(&backwards));
        assert_eq!(
            mean(&samples)[0],
            (samples[0] + samples[400] + samples[800]) / 3.0
        );
    }
}

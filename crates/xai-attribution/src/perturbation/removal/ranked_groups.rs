//! Groups of positions that follow each other in the order of their attributions.

use std::rc::Rc;

use xai_core::{Error, Real, Result};

use crate::batch::{ExplainedBatch, RunData};
use crate::input;
use crate::perturbation::{Features, OrderedPositions, RemovalOrder};

/// Groups of so many positions that follow each other in an order; the last one may be smaller.
pub(crate) struct RankedGroups {
    orders: Rc<Vec<Vec<u32>>>,
    group_size: usize,
    n_positions: usize,
}

/// Checks a size of groups, of which 1 stands for features instead.
pub(crate) fn check_group_size<T: Real>(
    group_size: usize,
    features: Features,
    run: &RunData<'_, T>,
) -> Result<()> {
    let expected = match group_size {
        0 | 1 => return Ok(()),
        _ if features != Features::Positions => "1, or single positions as features",
        _ if group_size >= run.n_positions() => {
            "less than all positions, so that there are two groups"
        }
        _ => return Ok(()),
    };
    Err(Error::parameter(input::GROUP_SIZE, group_size, expected))
}

/// The number of groups of so many positions.
pub(crate) fn n_groups<T: Real>(group_size: usize, run: &RunData<'_, T>) -> usize {
    run.n_positions().div_ceil(group_size.max(1))
}

impl RankedGroups {
    pub(crate) fn new<T: Real>(
        explained: &ExplainedBatch<'_, T>,
        order: RemovalOrder,
        group_size: usize,
    ) -> Result<Self> {
        let n_positions = explained.batch().run().n_positions();
        Ok(Self {
            orders: explained.shared(&OrderedPositions {
                order,
                n: n_positions,
            })?,
            group_size,
            n_positions,
        })
    }

    /// What gives the positions of a group of a sample, on any thread.
    pub(crate) fn positions<'a>(&'a self) -> impl Fn(usize, usize) -> &'a [u32] + Send + Sync {
        let (orders, size): (&[Vec<u32>], _) = (&self.orders, self.group_size);
        move |sample, group| {
            let of_sample = &orders[sample];
            &of_sample[group * size..((group + 1) * size).min(of_sample.len())]
        }
    }

    /// The sums over the groups of every sample of a function of its attributions.
    pub(crate) fn sums<T: Real>(
        &self,
        attributions: &[T],
        of: impl Fn(f64) -> f64,
    ) -> Vec<Vec<f64>> {
        let of_samples = self
            .orders
            .iter()
            .zip(attributions.chunks_exact(self.n_positions));
        let sums = of_samples.map(|(order, attributions)| {
            let sum = |group: &[u32]| {
                let of_group = group.iter().map(|&p| attributions[p as usize]);
                of_group.map(|a| of(a.to_f64_exact())).sum()
            };
            order.chunks(self.group_size).map(sum).collect()
        });
        sums.collect()
    }
}

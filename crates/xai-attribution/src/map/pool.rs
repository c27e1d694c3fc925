//! Reduces the attributions of the channels of a position to one.

use xai_core::Real;
use xai_core::describe::Parameter;

/// Reduction of the channels of a position to one attribution. A map without channels has one channel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "pool")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum ChannelPool {
    /// Signed mean. (The sum has the same ranking of positions and the same shares.)
    #[default]
    Mean,
    /// Sum if positive, otherwise 0.
    PositiveSum,
    /// Largest absolute value.
    MaxNorm,
    /// Square root of the sum of squares.
    #[param(name = "l2-norm")]
    L2Norm,
}

impl ChannelPool {
    fn pool(self, channels: impl Iterator<Item = f64>, n_channels: usize) -> f64 {
        match self {
            Self::Mean => channels.sum::<f64>() / n_channels as f64,
            Self::PositiveSum => channels.sum::<f64>().max(0.0),
            Self::MaxNorm => channels.fold(0.0, |largest, x| largest.max(x.abs())),
            // `hypot` keeps the squares from overflowing.
            Self::L2Norm => channels.fold(0.0f64, f64::hypot),
        }
    }

    /// Reduces one map to a value per position. The map has one value per position, one per position and channel, or,
    /// for a time series, one per time step, which is repeated for all features of the step.
    pub(crate) fn pool_map<T: Real>(
        self,
        map: &[T],
        n_positions: usize,
        channels_first: bool,
    ) -> Vec<f64> {
        let value = |at: usize| map[at].to_f64_exact();
        if map.len() < n_positions {
            let features = n_positions / map.len();
            let pooled = |p: usize| self.pool(std::iter::once(value(p / features)), 1);
            return (0..n_positions).map(pooled).collect();
        }
        let channels = map.len() / n_positions;
        let at = |p: usize, c: usize| {
            if channels_first {
                c * n_positions + p
            } else {
                p * channels + c
            }
        };
        let pooled = |p: usize| self.pool((0..channels).map(|c| value(at(p, c))), channels);
        (0..n_positions).map(pooled).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_pooled_wherever_they_lie() {
        // Two positions of three channels: (1, −2, 4) and (0, −3, 0).
        let (last, first) = (
            [1.0, -2.0, 4.0, 0.0, -3.0, 0.0],
            [1.0, 0.0, -2.0, -3.0, 4.0, 0.0],
        );
        for (pool, expected) in [
            (ChannelPool::Mean, [1.0, -1.0]),
            (ChannelPool::PositiveSum, [3.0, 0.0]),
            (ChannelPool::MaxNorm, [4.0, 3.0]),
            (ChannelPool::L2Norm, [21f64.sqrt(), 3.0]),
        ] {
            for (map, channels_first) in [(last, false), (first, true)] {
                let pooled = pool.pool_map(&map, 2, channels_first);
                assert!(
                    pooled
                        .iter()
                        .zip(expected)
                        .all(|(a, b)| (a - b).abs() < 1e-15),
                    "{pool:?}"
                );
            }
        }
        assert_eq!(
            ChannelPool::Mean.pool_map(&[1.0, 2.0], 4, false),
            [1.0, 1.0, 2.0, 2.0]
        );
    }
}

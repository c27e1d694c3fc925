//! What rows are compared by before their distance is taken.

use xai_core::Distance;
use xai_core::distance::{DistanceFunction, REGULAR_SQUARES};

/// What rows are compared by before their distance is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rank {
    /// `Σ (a − b)²`
    SquaredEuclidean,
    /// `Σ |a − b|`
    Manhattan,
    /// `max |a − b|`
    Chebyshev,
    /// `1 − a·b / (‖a‖ ‖b‖)`
    Cosine,
    /// `Σ |a − b| / (|a| + |b|)`
    Canberra,
    /// `Σ |a − b| / Σ |a + b|`
    BrayCurtis,
    /// The share of features that differ.
    Hamming,
    /// 0: every row is looked at.
    Unranked,
}

/// How the distance comes from the rank.
#[derive(Debug, Clone)]
enum FromRank {
    /// It is the rank.
    Itself,
    /// It is the root of the rank.
    Root,
    /// It is taken by itself, and no less than `least` times the norm that the rank stands for.
    Computed {
        /// The distance.
        distance: Distance,
        /// 0 where nothing bounds it.
        least: f64,
    },
}

/// A rank and the way from it to the distance.
#[derive(Debug, Clone)]
pub(crate) struct Ranking {
    pub(crate) rank: Rank,
    from_rank: FromRank,
}

impl Ranking {
    /// For the distances with a vectorised kernel the rank decides; for Minkowski's, whose powers cost
    /// most of the time, it leaves out the rows that are too far by a norm that never exceeds it: `d`
    /// features and `1 ≤ q ≤ p` give `‖x‖_p ≥ d^(1/p − 1/q) ‖x‖_q`, and `q > p` gives
    /// `‖x‖_p ≥ ‖x‖_q`. A distance that this file does not know is taken of every row.
    pub(crate) fn of(distance: &Distance, n_features: usize) -> Self {
        let itself = |rank| Self {
            rank,
            from_rank: FromRank::Itself,
        };
        let computed = |rank, least| Self {
            rank,
            from_rank: FromRank::Computed {
                distance: distance.clone(),
                least,
            },
        };
        match distance {
            Distance::SquaredEuclidean => itself(Rank::SquaredEuclidean),
            Distance::Euclidean => Self {
                rank: Rank::SquaredEuclidean,
                from_rank: FromRank::Root,
            },
            Distance::Manhattan => itself(Rank::Manhattan),
            Distance::Chebyshev => itself(Rank::Chebyshev),
            Distance::Cosine => itself(Rank::Cosine),
            Distance::Canberra => itself(Rank::Canberra),
            Distance::BrayCurtis => itself(Rank::BrayCurtis),
            Distance::Hamming => itself(Rank::Hamming),
            Distance::Minkowski(p) => {
                // The norm that is nearest in kind; measured at 30 normal features and p = 3, the
                // Euclidean one leaves out 60 times as many rows as the largest difference.
                let (rank, q) = match *p {
                    p if p < 1.5 => (Rank::Manhattan, 1.0),
                    p if p <= 8.0 => (Rank::SquaredEuclidean, 2.0),
                    _ => (Rank::Chebyshev, f64::INFINITY),
                };
                computed(rank, (n_features as f64).powf((1.0 / p - 1.0 / q).min(0.0)))
            }
            _ => Self::unranked(distance),
        }
    }

    /// For any distance: it is taken of every row.
    fn unranked(distance: &Distance) -> Self {
        Self {
            rank: Rank::Unranked,
            from_rank: FromRank::Computed {
                distance: distance.clone(),
                least: 0.0,
            },
        }
    }

    /// The rank that no row within the distance `limit` exceeds.
    #[inline]
    pub(crate) fn limit(&self, limit: f64) -> f64 {
        // A root rounds by half a unit in the last place, so squares up to two units above the
        // rounded square of the limit can have it as their root.
        let square = |limit: f64, slack: f64| limit * limit * (1.0 + slack) + f64::MIN_POSITIVE;
        match &self.from_rank {
            FromRank::Itself => limit,
            FromRank::Root => square(limit, 4.0 * f64::EPSILON),
            FromRank::Computed { least, .. } => {
                // Powers and their sum round; 1e-10 is room for 10^5 features.
                let norm = limit * (1.0 + 1e-10) / least;
                match self.rank {
                    _ if *least == 0.0 => f64::INFINITY,
                    Rank::SquaredEuclidean => square(norm, 1e-10),
                    _ => norm,
                }
            }
        }
    }

    /// The distance of a query from the row of this rank, which is gathered where the rank does not
    /// tell it.
    #[inline]
    pub(crate) fn distance(&self, rank: f64, row: impl FnOnce() -> Vec<f64>, query: &[f64]) -> f64 {
        match &self.from_rank {
            FromRank::Itself => rank,
            FromRank::Root => rank.sqrt(),
            FromRank::Computed { distance, .. } => match distance {
                Distance::Minkowski(2.0) if REGULAR_SQUARES.contains(&rank) => rank.sqrt(),
                _ => distance.distance(&row(), query),
            },
        }
    }

    /// Whether the rank nearly always tells the distance.
    pub(crate) fn tells_distance(&self) -> bool {
        match &self.from_rank {
            FromRank::Computed { distance, .. } => matches!(distance, Distance::Minkowski(2.0)),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_without_a_kernel_is_taken_of_every_row() {
        let ranking = Ranking::unranked(&Distance::Canberra);
        assert_eq!(ranking.limit(1e-3), f64::INFINITY);
        let (row, query) = (vec![1.0, -2.0], [3.0, 5.0]);
        let expected = Distance::Canberra.distance(&row, &query);
        assert_eq!(ranking.distance(0.0, || row, &query), expected);
    }
}

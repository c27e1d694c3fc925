//! Table of all statistics and their error bounds.

use xai_core::Distance;
use xai_core::distance::{DistanceFunction, Mahalanobis};
use xai_core::statistics::{
    Centred, auroc, average_precision, jackknife, jackknife_with_counts, kendall, pearson,
    quantile, spearman,
};
use xai_core::sum::{CompactSum, dot};
use xai_core::{ExactMean, ExactSum};

use crate::exact::{Exact, abs, count, exact, ratio, spread, sqrt, std, sum};
use crate::truth::*;

pub(crate) struct Statistic {
    pub(crate) name: &'static str,
    pub(crate) ours: fn(&[f64], &[f64]) -> Option<f64>,
    pub(crate) truth: fn(&[f64], &[f64]) -> Option<Exact>,
    pub(crate) bound: Bound,
    /// Returns `true` for data on which the statistic is defined; on other data it must be `None`.
    pub(crate) domain: fn(&[f64], &[f64]) -> bool,
}

pub(crate) enum Bound {
    /// Error bound in units in the last place of the true value.
    Ulps(f64),
    /// Absolute error bound in units of `u`.
    Absolute(f64),
    /// Error bound in units of `u` times a magnitude of the data.
    Of(fn(&[f64], &[f64]) -> Exact),
}

pub(crate) fn anywhere(_: &[f64], _: &[f64]) -> bool {
    true
}

pub(crate) const fn row(
    name: &'static str,
    bound: Bound,
    ours: fn(&[f64], &[f64]) -> Option<f64>,
    truth: fn(&[f64], &[f64]) -> Option<Exact>,
) -> Statistic {
    Statistic {
        name,
        ours,
        truth,
        bound,
        domain: anywhere,
    }
}

pub(crate) fn statistics() -> Vec<Statistic> {
    vec![
        // One rounding.
        row(
            "ExactSum",
            Bound::Ulps(0.5),
            |x, _| Some(x.iter().copied().collect::<ExactSum>().value()),
            total,
        ),
        row(
            "CompactSum",
            Bound::Ulps(0.5),
            |x, _| Some(x.iter().copied().collect::<CompactSum>().value()),
            total,
        ),
        row(
            "ExactSum::add_rows",
            Bound::Ulps(0.5),
            |x, _| {
                let mut sums = vec![ExactSum::new(); 5];
                let rows: Vec<f64> = x.iter().flat_map(|x| [*x; 5]).collect();
                ExactSum::add_rows(&mut sums, &rows, |_, x| x);
                Some(sums[4].value())
            },
            total,
        ),
        // Rounding of the sum and of the quotient.
        row(
            "ExactMean",
            Bound::Ulps(1.5),
            |x, _| x.iter().copied().collect::<ExactMean>().value(),
            mean,
        ),
        row(
            "Moments::mean",
            Bound::Ulps(1.5),
            |x, _| moments(x).mean(),
            mean,
        ),
        row(
            "Summary::mean",
            Bound::Ulps(1.5),
            |x, _| summary(x).mean,
            mean,
        ),
        // Relative errors: u for a deviation, 3 u for a square, 4 u for their sum, 5 u for the quotient, 3.5 u for the
        // root.
        row(
            "Summary::std",
            Bound::Ulps(4.0),
            |x, _| summary(x).std,
            deviation,
        ),
        Statistic {
            domain: |x, y| has_squares(x, y) || x.iter().all(|value| *value == x[0]),
            ..row(
                "Moments::std",
                Bound::Ulps(4.0),
                |x, _| moments(x).std(),
                deviation,
            )
        },
        row(
            "jackknife",
            Bound::Ulps(12.0),
            |x, _| {
                relative_to_known(x, |x| {
                    jackknife(0.0, x, 0.95).map_or(f64::NAN, |interval| interval.high)
                })
            },
            deviation_relative_to_known,
        ),
        Statistic {
            domain: |x, _| {
                differences(x, &x[..1].repeat(x.len())).all(|d| d.to_f64().value().is_finite())
            },
            ..row(
                "jackknife_with_counts",
                // Uses plain sums of differences from the first value, which round.
                Bound::Ulps(200.0),
                |x, _| {
                    relative_to_known(x, |x| {
                        let kinds: Vec<(f64, u64)> = x.iter().map(|x| (*x, 1)).collect();
                        jackknife_with_counts(0.0, &kinds, 0.95)
                            .map_or(f64::NAN, |interval| interval.high)
                    })
                },
                deviation_relative_to_known,
            )
        },
        row(
            "covariance",
            Bound::Of(|x, y| exact(6.0) * std(x) * std(y)),
            |x, y| Some(Centred::new(x).covariance(&Centred::new(y)).value()),
            |x, y| Some(ratio(spread(x, y), count(x.len()) * count(x.len() - 1))),
        ),
        // Relative to √(Σ x² Σ y²), the error of the sum of products is 4 u and that of the root 5.5 u.
        row(
            "pearson",
            Bound::Absolute(12.0),
            |x, y| pearson(x, y).unwrap(),
            correlation,
        ),
        row(
            "concordance",
            Bound::Absolute(16.0),
            |x, y| Centred::new(x).covariance(&Centred::new(y)).concordance(),
            concordance,
        ),
        // Integers are exact; one product, one root and one quotient round.
        row(
            "spearman",
            Bound::Ulps(3.0),
            |x, y| spearman(x, y).unwrap(),
            |x, y| correlation(&ranks(x), &ranks(y)),
        ),
        row(
            "kendall",
            Bound::Ulps(3.0),
            |x, y| kendall(x, y).unwrap(),
            |x, y| {
                let (difference, in_x, in_y) = pair_orders(x, y);
                let room = exact(in_x as f64) * exact(in_y as f64);
                (room > Exact::ZERO).then(|| ratio(exact(difference as f64), sqrt(room)))
            },
        ),
        row(
            "auroc",
            Bound::Ulps(0.5),
            |x, y| auroc(x, &flags(y)),
            |x, y| {
                let of_kind = |second: bool| -> Vec<f64> {
                    x.iter()
                        .zip(flags(y))
                        .filter(|(_, flag)| *flag == second)
                        .map(|(x, _)| *x)
                        .collect()
                };
                let (first, second) = (of_kind(false), of_kind(true));
                let twice = second.iter().flat_map(|s| {
                    first
                        .iter()
                        .map(move |f| usize::from(s > f) + usize::from(s >= f))
                });
                let pairs = 2 * first.len() * second.len();
                (pairs > 0).then(|| ratio(count(twice.sum()), count(pairs)))
            },
        ),
        row(
            "average_precision",
            Bound::Ulps(4.0),
            |x, y| average_precision(x, &flags(y)),
            |x, y| {
                let flags = flags(y);
                let n_second = flags.iter().filter(|second| **second).count();
                let found =
                    x.iter()
                        .zip(&flags)
                        .filter(|(_, second)| **second)
                        .map(|(found, _)| {
                            let above = x.iter().zip(&flags).filter(|(x, _)| *x >= found);
                            let (all, second) = above.fold((0, 0), |n, (_, second)| {
                                (n.0 + 1, n.1 + usize::from(*second))
                            });
                            ratio(count(second), count(all))
                        });
                (n_second > 0).then(|| sum(found) / count(n_second))
            },
        ),
        // The position is exact. Three operations round relative to a gap of up to twice the largest value, and one
        // relative to the result.
        row(
            "quantile at a quarter",
            Bound::Of(|x, _| exact(8.0) * exact(largest(x))),
            |x, _| quantile(x, 0.25).unwrap(),
            |x, _| quantile_of(x, 0.25),
        ),
        row(
            "quantile at a tenth",
            Bound::Of(|x, _| (exact(8.0) + exact(2.0) * count(x.len())) * exact(largest(x))),
            |x, _| quantile(x, 0.1).unwrap(),
            |x, _| quantile_of(x, 0.1),
        ),
        // Shares of sign patterns are multiples of 2^-50, so their sums are exact.
        row(
            "signed-rank test, exact",
            Bound::Ulps(0.5),
            |x, y| signed_rank(x, y, 40),
            |x, y| {
                let (ranks, smaller) = signed_ranks(x, y, 40);
                let mut patterns = vec![0u64; ranks.iter().sum::<usize>() + 1];
                patterns[0] = 1;
                for rank in &ranks {
                    for at in (*rank..patterns.len()).rev() {
                        patterns[at] += patterns[at - rank];
                    }
                }
                let small: u64 = patterns[..=smaller].iter().sum();
                let share = ratio(
                    exact(2.0) * exact(small as f64),
                    exact(2f64.powi(ranks.len() as i32)),
                );
                (!ranks.is_empty()).then(|| share.min(exact(1.0)))
            },
        ),
        // The error of 4 u of the argument of erfc is multiplied by up to twice its square, which is 15 here.
        row(
            "signed-rank test, normal",
            Bound::Ulps(20.0),
            |x, y| signed_rank(x, y, 200).filter(|_| signed_ranks(x, y, 200).0.len() > 50),
            |x, y| {
                let (ranks, smaller) = signed_ranks(x, y, 200);
                if ranks.len() <= 50 {
                    return None;
                }
                let n = count(ranks.len());
                let of_ties = sum(ranks.iter().map(|rank| {
                    let ties = count(ranks.iter().filter(|other| *other == rank).count());
                    ties.clone() * ties - exact(1.0)
                }));
                // Computed from doubled rank sums.
                let mean = n.clone() * (n.clone() + exact(1.0)) * exact(0.5);
                let variance = exact(2.0)
                    * n.clone()
                    * (n.clone() + exact(1.0))
                    * (exact(2.0) * n + exact(1.0))
                    - of_ties;
                let z = (mean - count(smaller)) / sqrt(ratio(variance, exact(12.0)));
                Some(erfc(z * sqrt(exact(0.5))))
            },
        ),
        // Sums in eight lanes: each of n terms takes part in at most n / 8 + 10 additions.
        Statistic {
            domain: |x, y| largest(x) < 1e154 && largest(y) < 1e154,
            ..row(
                "dot",
                Bound::Of(|x, y| {
                    let sizes = sum(x.iter().zip(y).map(|(x, y)| abs(exact(*x) * exact(*y))));
                    (ratio(count(x.len()), exact(8.0)) + exact(12.0)) * (sizes + exact(1e-290))
                }),
                |x, y| Some(dot(x, y)).filter(|_| largest(x) < 1e154 && largest(y) < 1e154),
                |x, y| Some(sum(x.iter().zip(y).map(|(x, y)| exact(*x) * exact(*y)))),
            )
        },
        row(
            "Manhattan",
            Bound::Ulps(40.0),
            |x, y| distance(Distance::Manhattan)(x, y),
            |x, y| Some(sum(differences(x, y).map(abs))),
        ),
        Statistic {
            domain: has_squared_distance,
            ..row(
                "Euclidean",
                Bound::Ulps(20.0),
                |x, y| distance(Distance::Euclidean)(x, y).filter(|_| has_squared_distance(x, y)),
                |x, y| Some(sqrt(squared_distance(x, y))),
            )
        },
        row(
            "Minkowski of 2",
            Bound::Ulps(80.0),
            |x, y| distance(Distance::Minkowski(2.0))(x, y),
            |x, y| Some(sqrt(squared_distance(x, y))),
        ),
        row(
            "Chebyshev",
            Bound::Ulps(0.5),
            |x, y| distance(Distance::Chebyshev)(x, y),
            |x, y| differences(x, y).map(abs).max(),
        ),
        row(
            "cosine distance",
            Bound::Absolute(80.0),
            |x, y| distance(Distance::Cosine)(x, y),
            |x, y| {
                let dot =
                    |x: &[f64], y: &[f64]| sum(x.iter().zip(y).map(|(x, y)| exact(*x) * exact(*y)));
                Some(exact(1.0) - ratio(dot(x, y), sqrt(dot(x, x) * dot(y, y))))
            },
        ),
        row(
            "correlation distance",
            Bound::Absolute(200.0),
            |x, y| distance(Distance::Correlation)(x, y),
            |x, y| Some(exact(1.0) - correlation(x, y)?),
        ),
        // Both rows are divided by the deviation before they are subtracted.
        Statistic {
            domain: |x, _| (1e-140..1e150).contains(&std(x).to_f64().value()),
            ..row(
                "Mahalanobis",
                Bound::Of(|x, _| ratio(exact(8.0 * largest(x)), std(x))),
                |x, _| {
                    let rows = ndarray::ArrayView2::from_shape((x.len(), 1), x).unwrap();
                    let by = Distance::Mahalanobis(Mahalanobis::from_rows(rows).ok()?);
                    Some(by.distance(&x[..1], &x[x.len() - 1..]))
                },
                |x, _| Some(ratio(abs(exact(x[0]) - exact(x[x.len() - 1])), std(x))),
            )
        },
    ]
}

//! Check whether signed maps explain the class whose score is used.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::evaluation::Remark;
use crate::statistics::ranks::spearman_finite;

/// Largest two-sided p-value of a negative correlation that causes a warning.
const SIGNIFICANT: f64 = 0.01;

/// Critical values of Spearman's correlation for this p-value and few samples without ties, from the exact
/// distribution: the largest `Σ d²` in `1 − 6 Σ d² / (n (n² − 1))`, where `d` are differences of ranks. Five samples or
/// fewer are never significant; from ten samples on, Student's t distribution is close enough.
const CRITICAL: [(usize, usize); 4] = [(6, 0), (7, 4), (8, 10), (9, 20)];

/// Smallest number of samples whose correlation is compared with Student's t distribution.
const FEWEST_FOR_T: usize = 10;

/// Target scores and sums of maps, for a model of two classes whose maps have no class axis.
///
/// The attributions of a sample add up to the difference between its score and a reference (exactly
/// for SHAP). If all maps were made for class 1 but are used for each sample's target, they have
/// the wrong sign wherever the target is class 0. Then their sums fall where the score rises.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MapClassCheck {
    /// Score of each sample's target.
    pub scores: Vec<f64>,
    /// For each sample, whether its target is class 1.
    pub is_class_one: Vec<bool>,
    /// Sum of each map, `[explainer][sample]`. `None` for an explainer that computes its maps for the
    /// targets itself, and for maps without negative values, whose sums have no sign.
    pub map_sums: Vec<Option<Vec<f64>>>,
}

impl MapClassCheck {
    /// Returns a warning for each explainer whose maps seem to explain the other class.
    ///
    /// These are explainers whose sums of maps have a negative rank correlation with the scores, with `p < 0.01`
    /// (two-sided; exact for 6 to 9 samples without ties, by Student's t distribution for more). All samples are
    /// tested together, then those of each target class, because agreement within one class may hide a contradiction
    /// within the other. So an explainer is tested up to three times, but warned about at most once.
    ///
    /// ```
    /// use xai_core::evaluation::MapClassCheck;
    /// let scores: Vec<f64> = (0..20).map(f64::from).collect();
    /// let falling = scores.iter().map(|score| -score).collect();
    /// let check = MapClassCheck {
    ///     is_class_one: vec![true; 20],
    ///     map_sums: vec![Some(scores.clone()), Some(falling)],
    ///     scores,
    /// };
    /// let warnings = check.warnings(&["right".to_owned(), "wrong".to_owned()]);
    /// assert_eq!(warnings.len(), 1);
    /// assert_eq!(warnings[0].about, "maps of `wrong`");
    /// ```
    #[must_use]
    pub fn warnings(&self, explainers: &[String]) -> Vec<Remark> {
        let named = explainers.iter().zip(&self.map_sums);
        named
            .filter_map(|(name, sums)| {
                let about = format!("maps of `{name}`");
                Some(Remark::new(about, self.warning(sums.as_deref()?)?))
            })
            .collect()
    }

    /// Warning about one explainer, if its sums fall where the scores rise.
    fn warning(&self, sums: &[f64]) -> Option<String> {
        let test_class = |class: Option<bool>| {
            let samples = self.scores.iter().zip(sums).zip(&self.is_class_one);
            let (scores, sums): (Vec<f64>, Vec<f64>) = samples
                .filter(|(_, is_one)| class.is_none_or(|class| class == **is_one))
                .map(|((score, sum), _)| (score, sum))
                .unzip();
            let correlation = significantly_negative(&scores, &sums)?;
            let subset = match class {
                None => "",
                Some(false) => " with target class 0",
                Some(true) => " with target class 1",
            };
            Some(format!(
                "they seem to explain the other class: their sums fall where the score of the target rises (rank correlation \
                 {correlation:.2} over {} samples{subset}); if all maps are of one class, set explained_class to it",
                scores.len()
            ))
        };
        [None, Some(false), Some(true)]
            .into_iter()
            .find_map(test_class)
    }

    /// Sorts the samples: element `i` belongs to sample `order[i]`.
    pub(super) fn reorder(&mut self, order: &[usize]) {
        let sums = self.map_sums.iter_mut().flatten();
        for values in std::iter::once(&mut self.scores).chain(sums) {
            let mut sorted = vec![0.0; values.len()];
            for (&sample, &value) in order.iter().zip(&*values) {
                sorted[sample] = value;
            }
            *values = sorted;
        }
        let mut sorted = vec![false; self.is_class_one.len()];
        for (&sample, &is_one) in order.iter().zip(&self.is_class_one) {
            sorted[sample] = is_one;
        }
        self.is_class_one = sorted;
    }

    /// Appends later samples of the same explainers.
    pub(super) fn merge(&mut self, next: Self) {
        self.scores.extend(next.scores);
        self.is_class_one.extend(next.is_class_one);
        for (sums, next) in self.map_sums.iter_mut().zip(next.map_sums) {
            *sums = match (sums.take(), next) {
                (Some(mut sums), Some(next)) => {
                    sums.extend(next);
                    Some(sums)
                }
                _ => None,
            };
        }
    }
}

/// Spearman's correlation, if it is significantly negative.
fn significantly_negative(scores: &[f64], sums: &[f64]) -> Option<f64> {
    let correlation = spearman_finite(sums, scores)?;
    if scores.len() < FEWEST_FOR_T {
        let (n, largest) = CRITICAL.iter().find(|(n, _)| *n == scores.len())?;
        // Rounding must not hide a correlation that is just critical.
        return (-correlation >= rank_correlation(*n, *largest) - 1e-9).then_some(correlation);
    }
    let freedom = scores.len() as f64 - 2.0;
    // −∞ for a correlation of −1, whose p-value is 0.
    let t = correlation * (freedom / (1.0 - correlation * correlation)).sqrt();
    let p = 2.0 * StudentsT::new(0.0, 1.0, freedom).ok()?.cdf(t);
    (correlation < 0.0 && p < SIGNIFICANT).then_some(correlation)
}

/// Spearman's correlation of `n` samples without ties from the sum of the squared differences of ranks.
fn rank_correlation(n: usize, sum_of_squares: usize) -> f64 {
    1.0 - 6.0 * sum_of_squares as f64 / (n * (n * n - 1)) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warned(scores: &[f64], sums: &[f64]) -> bool {
        let check = MapClassCheck {
            scores: scores.to_vec(),
            is_class_one: vec![true; scores.len()],
            map_sums: vec![Some(sums.to_vec())],
        };
        !check.warnings(&["a".to_owned()]).is_empty()
    }

    #[test]
    fn few_samples_warn_if_the_exact_test_is_significant() {
        let rising: Vec<f64> = (0..9).map(f64::from).collect();
        let falling: Vec<f64> = rising.iter().map(|x| -x * x).collect();
        assert!(!warned(&rising[..5], &falling[..5])); // p = 2 / 5! = 0.017
        assert!(warned(&rising[..6], &falling[..6])); // p = 2 / 6! = 0.003
        assert!(!warned(&rising, &rising));
        // One swap of neighbours: 1 - 6 * 2 / (n (n² - 1)) = 0.943 for 6 samples, 0.964 for 7.
        let mut swapped = falling.clone();
        swapped.swap(2, 3);
        assert!(!warned(&rising[..6], &swapped[..6])); // p = 0.017
        assert!(warned(&rising[..7], &swapped[..7])); // p = 0.003
        // Two swaps are just significant for 7 samples: 1 - 6 * 4 / 336 = 0.929, p = 0.0068; three are not.
        swapped.swap(4, 5);
        assert!(warned(&rising[..7], &swapped[..7]));
        swapped.swap(0, 1);
        assert!(!warned(&rising[..7], &swapped[..7]));
    }

    #[test]
    fn critical_correlations_are_the_smallest_with_p_of_at_most_one_percent() {
        for (n, critical) in CRITICAL {
            // Sums of squared rank differences of all orders.
            let mut counts = std::collections::BTreeMap::<usize, usize>::new();
            let mut order: Vec<usize> = (0..n).collect();
            count_differences(&mut order, 0, &mut counts);
            let n_orders = counts.values().sum::<usize>() as f64;
            let p_of = |largest: usize| {
                let extreme = counts.range(..=largest).map(|(_, count)| *count);
                2.0 * extreme.sum::<usize>() as f64 / n_orders
            };
            let significant = counts
                .keys()
                .filter(|largest| p_of(**largest) <= SIGNIFICANT);
            assert_eq!(significant.max(), Some(&critical), "{n}");
        }
    }

    /// Counts the sums of squared differences between the places and the elements of all orders.
    fn count_differences(
        order: &mut [usize],
        at: usize,
        counts: &mut std::collections::BTreeMap<usize, usize>,
    ) {
        if at == order.len() {
            let differences = order
                .iter()
                .enumerate()
                .map(|(i, rank)| i.abs_diff(*rank).pow(2));
            *counts.entry(differences.sum()).or_default() += 1;
            return;
        }
        for other in at..order.len() {
            order.swap(at, other);
            count_differences(order, at + 1, counts);
            order.swap(at, other);
        }
    }

    #[test]
    fn negative_correlations_warn_if_p_is_below_one_percent() {
        let rising: Vec<f64> = (0..20).map(f64::from).collect();
        let falling: Vec<f64> = rising.iter().map(|x| -x * x).collect();
        assert!(warned(&rising, &falling));
        assert!(!warned(&rising, &rising));
        assert!(warned(&rising[..10], &falling[..10]));
        assert!(!warned(&rising, &[1.0; 20]));
        // scipy.stats.spearmanr: the critical correlation of 20 samples at p = 0.01 is 0.5614.
        let shuffled = |moved: usize| -> Vec<f64> {
            (0..20)
                .map(|i| {
                    if i < moved {
                        i as f64
                    } else {
                        100.0 - i as f64
                    }
                })
                .collect()
        };
        let correlation = |sums: &[f64]| spearman_finite(sums, &rising).unwrap();
        for moved in 0..20 {
            let sums = shuffled(moved);
            assert_eq!(
                warned(&rising, &sums),
                correlation(&sums) < -0.5614,
                "{moved}"
            );
        }
    }

    /// All maps explain class 1. Over both classes together, their sums do not correlate with the
    /// scores.
    #[test]
    fn each_class_is_tested_separately_too() {
        let margins: Vec<f64> = (0..50).map(|i| f64::from(i) - 24.5).collect();
        let check = |sums: Vec<f64>| MapClassCheck {
            scores: margins.iter().map(|margin| margin.abs()).collect(),
            is_class_one: margins.iter().map(|&margin| margin > 0.0).collect(),
            map_sums: vec![Some(sums)],
        };
        let names = ["a".to_owned()];
        let wrong = check(margins.clone()).warnings(&names);
        assert!(
            wrong[0].text.contains("25 samples with target class 0"),
            "{}",
            wrong[0]
        );
        let right = margins.iter().map(|margin| margin.abs()).collect();
        assert!(check(right).warnings(&names).is_empty());
    }

    #[test]
    fn merged_parts_have_the_warnings_of_the_whole() {
        let scores: Vec<f64> = (0..30).map(f64::from).collect();
        let sums: Vec<f64> = scores.iter().map(|x| 5.0 - x).collect();
        let part = |range: std::ops::Range<usize>| MapClassCheck {
            scores: scores[range.clone()].to_vec(),
            is_class_one: vec![false; range.len()],
            map_sums: vec![Some(sums[range].to_vec())],
        };
        let mut joined = part(0..10);
        joined.merge(part(10..25));
        joined.merge(part(25..30));
        assert_eq!(joined, part(0..30));
        let names = ["a".to_owned()];
        assert_eq!(joined.warnings(&names), part(0..30).warnings(&names));
        assert_eq!(joined.warnings(&names).len(), 1);
    }
}

//! The weights of neighbours, summed by class.

use xai_core::Kernel;

use crate::correspondence::class_weights::ClassWeights;
use crate::correspondence::level::Thresholds;
use crate::correspondence::score::{ClassWeightsSum, Correspondence};

/// How the weights of two neighbours compare, each given by one number: its distance for a kernel, its weight otherwise.
///
/// Only ratios of weights enter a score, and they can be computed where the weights themselves are below the range of
/// `f64`: `exp(−746)` is 0.
pub(crate) trait WeightRatio {
    /// Returns true if `a` is the larger weight.
    fn exceeds(&self, a: f64, b: f64) -> bool;

    /// `weight(a) / weight(b)`
    fn ratio(&self, a: f64, b: f64) -> f64;

    /// The natural logarithm of the ratio.
    fn ln_ratio(&self, a: f64, b: f64) -> f64;
}

impl WeightRatio for Kernel {
    #[inline]
    fn exceeds(&self, a: f64, b: f64) -> bool {
        // Kernels do not increase with the distance.
        a < b
    }

    #[inline]
    fn ratio(&self, a: f64, b: f64) -> f64 {
        Self::ratio(self, a, b)
    }

    fn ln_ratio(&self, a: f64, b: f64) -> f64 {
        Self::ln_ratio(self, a, b)
    }
}

/// Weights that are given as such: finite and at least 0.
pub(crate) struct OwnWeights;

impl WeightRatio for OwnWeights {
    fn exceeds(&self, a: f64, b: f64) -> bool {
        a > b
    }

    fn ratio(&self, a: f64, b: f64) -> f64 {
        if a == 0.0 { 0.0 } else { a / b }
    }

    fn ln_ratio(&self, a: f64, b: f64) -> f64 {
        if a == 0.0 {
            f64::NEG_INFINITY
        } else {
            a.ln() - b.ln()
        }
    }
}

/// Replaces what is known of each neighbour's weight by the weight in units of the largest one, which becomes 1. If every
/// class weight is 0, all weights are 0.
pub(crate) fn relate(
    neighbors: &mut [(i64, f64)],
    class_weights: &ClassWeights,
    by: &impl WeightRatio,
) {
    if class_weights.is_empty() {
        let mut values = neighbors.iter().map(|(_, value)| *value);
        let Some(first) = values.next() else { return };
        let largest = values.fold(first, |a, b| if by.exceeds(b, a) { b } else { a });
        for (_, value) in neighbors {
            *value = by.ratio(*value, largest);
        }
        return;
    }
    let mut largest: Option<(f64, f64)> = None;
    for &(label, value) in &*neighbors {
        let class_weight = class_weights.weight(label);
        if class_weight > 0.0
            && largest.is_none_or(|(most, of)| {
                class_weight.ln() - most.ln() + by.ln_ratio(value, of) > 0.0
            })
        {
            largest = Some((class_weight, value));
        }
    }
    for (label, value) in neighbors {
        let class_weight = class_weights.weight(*label);
        *value = match largest {
            Some((most, of)) if class_weight > 0.0 => {
                let (of_class, of_distance) = (class_weight / most, by.ratio(*value, of));
                // Factors this near to 1 have a product within the range, which is more precise than the logarithms.
                let is_regular = |factor: f64| (1e-150..1e150).contains(&factor);
                if is_regular(of_class) && is_regular(of_distance) {
                    of_class * of_distance
                } else {
                    (class_weight.ln() - most.ln() + by.ln_ratio(*value, of)).exp()
                }
            }
            _ => 0.0,
        };
    }
}

/// `W(c)` by ascending class, in units of the largest weight of a neighbour.
///
/// The weights of a class are added in ascending order with compensation for rounding, so that the result does not depend
/// on the order of the neighbours.
pub(crate) struct Tally<'a> {
    by_class: &'a [(i64, f64)],
    total: f64,
    n_neighbors: usize,
}

impl<'a> Tally<'a> {
    /// Sums relative weights, at most 1 each, by class.
    pub(crate) fn new(weights: &'a mut [(i64, f64)]) -> Self {
        let n_neighbors = weights.len();
        weights.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        // In place: an explanation allocates little else, and this runs for each.
        let (mut n_classes, mut first) = (0, 0);
        while let Some(&(class, _)) = weights.get(first) {
            let own = weights[first..].iter().take_while(|w| w.0 == class);
            let n = own.clone().count();
            weights[n_classes] = (class, ascending_sum(own.map(|(_, w)| *w)));
            n_classes += 1;
            first += n;
        }
        let by_class = &weights[..n_classes];
        Self {
            by_class,
            total: ascending_sum(by_class.iter().map(|(_, w)| *w)),
            n_neighbors,
        }
    }

    /// Returns the class of the largest weight, the lowest one of several; `None` without any weight.
    pub(crate) fn vote(&self) -> Option<i64> {
        let mut best: Option<(f64, i64)> = None;
        for &(label, weight) in self.by_class {
            if weight > 0.0 && best.is_none_or(|(most, _)| weight > most) {
                best = Some((weight, label));
            }
        }
        best.map(|(_, label)| label)
    }

    /// The share of the weight that a predicted class has; `None` without one, or without any weight.
    pub(crate) fn score(&self, predicted: Option<i64>) -> Option<f64> {
        predicted.filter(|_| self.total > 0.0).map(|predicted| {
            let agreeing = self.by_class.iter().find(|(class, _)| *class == predicted);
            // The total is rounded by itself.
            agreeing.map_or(0.0, |(_, weight)| (weight / self.total).min(1.0))
        })
    }

    /// The correspondence of a predicted class; undefined without one.
    pub(crate) fn correspondence(
        &self,
        predicted: Option<i64>,
        thresholds: Thresholds,
    ) -> Correspondence {
        let score = self.score(predicted);
        Correspondence {
            score,
            level: thresholds.level(score),
            n_neighbors: self.n_neighbors,
            class_weights_sum: ClassWeightsSum::of_sorted(self.by_class),
        }
    }
}

/// Neumaier's compensated sum of non-negative numbers.
fn ascending_sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0);
    for value in values {
        let next = sum + value;
        lost += if sum >= value {
            (sum - next) + value
        } else {
            (value - next) + sum
        };
        sum = next;
    }
    sum + lost
}

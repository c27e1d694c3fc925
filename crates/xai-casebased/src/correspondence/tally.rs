//! Sums of the weights of neighbours by class.

use xai_core::Kernel;

use crate::correspondence::class_weights::ClassWeights;
use crate::correspondence::level::Thresholds;
use crate::correspondence::score::{ClassWeightsSum, Correspondence};

/// Comparison of the weights of two neighbours. Each is given by one number: its distance for a kernel, otherwise
/// its weight.
///
/// A score only depends on ratios of weights. These can be computed even where the weights themselves underflow:
/// `exp(−746)` is 0 in `f64`.
pub(crate) trait WeightRatio {
    /// Returns true if `a` is the larger weight.
    fn exceeds(&self, a: f64, b: f64) -> bool;

    /// `weight(a) / weight(b)`
    fn ratio(&self, a: f64, b: f64) -> f64;

    /// Natural logarithm of the ratio.
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

/// Comparison of neighbours that are given by their weights, which are finite and at least 0.
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

/// Replaces the distance or weight of each neighbour by its weight relative to the largest one, including class
/// weights. If every class weight is 0, all weights are 0.
pub(crate) fn make_relative(
    neighbors: &mut [(i64, f64)],
    class_weights: &ClassWeights,
    by: &impl WeightRatio,
) {
    // Without class weights the largest weight is found by comparisons, which are faster than logarithms.
    if class_weights.is_empty() {
        let mut values = neighbors.iter().map(|(_, value)| *value);
        let Some(first) = values.next() else { return };
        let largest = values.fold(first, |a, b| if by.exceeds(b, a) { b } else { a });
        for (_, value) in neighbors {
            *value = by.ratio(*value, largest);
        }
        return;
    }
    // Class weight and value of the neighbour with the largest product. Products are compared by their logarithms,
    // because they may leave the range of `f64`.
    let mut largest: Option<(f64, f64)> = None;
    for &(label, value) in &*neighbors {
        let class_weight = class_weights.weight(label);
        if class_weight > 0.0
            && largest.is_none_or(|(largest_class_weight, largest_value)| {
                let ln_class_ratio = class_weight.ln() - largest_class_weight.ln();
                ln_class_ratio + by.ln_ratio(value, largest_value) > 0.0
            })
        {
            largest = Some((class_weight, value));
        }
    }
    for (label, value) in neighbors {
        let class_weight = class_weights.weight(*label);
        *value = match largest {
            Some((largest_class_weight, largest_value)) if class_weight > 0.0 => {
                let class_ratio = class_weight / largest_class_weight;
                let value_ratio = by.ratio(*value, largest_value);
                // Factors in this range have a product in the range of `f64`, which is more precise than the
                // logarithms.
                let is_regular = |factor: f64| (1e-150..1e150).contains(&factor);
                if is_regular(class_ratio) && is_regular(value_ratio) {
                    class_ratio * value_ratio
                } else {
                    let ln_class_ratio = class_weight.ln() - largest_class_weight.ln();
                    (ln_class_ratio + by.ln_ratio(*value, largest_value)).exp()
                }
            }
            _ => 0.0,
        };
    }
}

/// `W(c)` by ascending class, relative to the largest weight of a neighbour.
///
/// The weights of a class are added in ascending order, with compensation for rounding. The sums therefore do not
/// depend on the order of the neighbours.
pub(crate) struct Tally {
    by_class: Vec<(i64, f64)>,
    total: f64,
    n_neighbors: usize,
}

impl Tally {
    /// Sums relative weights, from 0 to 1 each, by class.
    pub(crate) fn new(mut weights: Vec<(i64, f64)>) -> Self {
        let n_neighbors = weights.len();
        // Numbers of at least 0 sort like their bits.
        weights.sort_unstable_by_key(|&(class, weight)| (class, weight.to_bits()));
        // In place, because this runs for every explanation, which allocates little else.
        let (mut n_classes, mut first) = (0, 0);
        while let Some(&(class, _)) = weights.get(first) {
            let class_weights = weights[first..].iter().take_while(|w| w.0 == class);
            let n = class_weights.clone().count();
            // Classes are never more than the weights read so far, so no unread weight is overwritten.
            weights[n_classes] = (class, ascending_sum(class_weights.map(|(_, w)| *w)));
            n_classes += 1;
            first += n;
        }
        weights.truncate(n_classes);
        Self {
            total: ascending_sum(weights.iter().map(|(_, w)| *w)),
            by_class: weights,
            n_neighbors,
        }
    }

    /// Returns the memory of the weights, to be used again.
    pub(crate) fn into_buffer(self) -> Vec<(i64, f64)> {
        self.by_class
    }

    /// Returns the class with the largest total weight, ties by lower class; `None` if all weights are 0.
    pub(crate) fn vote(&self) -> Option<i64> {
        let mut best: Option<(f64, i64)> = None;
        for &(label, weight) in &self.by_class {
            if weight > 0.0 && best.is_none_or(|(most, _)| weight > most) {
                best = Some((weight, label));
            }
        }
        best.map(|(_, label)| label)
    }

    /// Share of the predicted class in the total weight; `None` without a predicted class, or if all weights are 0.
    pub(crate) fn score(&self, predicted: Option<i64>) -> Option<f64> {
        predicted.filter(|_| self.total > 0.0).map(|predicted| {
            let agreeing = self.by_class.iter().find(|(class, _)| *class == predicted);
            // The total is rounded separately, so the quotient can exceed 1 by its last bit.
            agreeing.map_or(0.0, |(_, weight)| (weight / self.total).min(1.0))
        })
    }

    /// Correspondence of a predicted class; undefined without one.
    pub(crate) fn correspondence(
        self,
        predicted: Option<i64>,
        thresholds: Thresholds,
    ) -> Correspondence {
        let score = self.score(predicted);
        Correspondence {
            score,
            level: thresholds.level(score),
            n_neighbors: self.n_neighbors,
            class_weights_sum: ClassWeightsSum::from_sorted(self.by_class),
        }
    }
}

/// Neumaier's compensated sum of non-negative numbers.
fn ascending_sum(mut values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (values.next().unwrap_or(0.0), 0.0);
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

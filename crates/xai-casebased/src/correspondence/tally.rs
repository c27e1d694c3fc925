//! The weights of the neighbours, added up.

use std::collections::BTreeMap;

use xai_core::{Error, Result};

use crate::correspondence::level::Thresholds;
use crate::correspondence::score::Correspondence;
use crate::{help, input};

/// `W(c)` by ascending class. The weights of a class are added in ascending order with what
/// rounding loses carried along, so that the order of the neighbours cannot show.
pub(crate) struct Tally<'a> {
    by_class: &'a [(i64, f64)],
    total: f64,
    n_neighbors: usize,
}

impl<'a> Tally<'a> {
    /// Of the class and the weight of every neighbour.
    pub(crate) fn new(weights: &'a mut [(i64, f64)]) -> Result<Self> {
        let n_neighbors = weights.len();
        weights.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        // In place: an explanation allocates little else, and this is called for each.
        let (mut n_classes, mut first) = (0, 0);
        while let Some(&(class, _)) = weights.get(first) {
            let own = weights[first..].iter().take_while(|w| w.0 == class);
            let n = own.clone().count();
            weights[n_classes] = (class, ascending_sum(own.map(|(_, w)| *w)));
            n_classes += 1;
            first += n;
        }
        let by_class = &weights[..n_classes];
        let total = ascending_sum(by_class.iter().map(|(_, w)| *w));
        if !total.is_finite() {
            return Err(Error::out_of_domain(
                input::WEIGHTS,
                &[],
                total,
                "a sum within the range of f64",
            )
            .part("sum")
            .with_help(help::SCALE_WEIGHTS_DOWN));
        }
        Ok(Self {
            by_class,
            total,
            n_neighbors,
        })
    }

    /// The class of the largest weight, the lower label of several; `None` without any weight.
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
        // Collecting would go through a list of its own.
        let mut class_weights_sum = BTreeMap::new();
        for &(class, weight) in self.by_class {
            class_weights_sum.insert(class, weight);
        }
        Correspondence {
            score,
            level: thresholds.level(score),
            n_neighbors: self.n_neighbors,
            class_weights_sum,
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
    if sum.is_finite() { sum + lost } else { sum }
}

use std::collections::BTreeMap;

use xai_core::Label;
use xai_core::Result;
use xai_core::describe::{MetricInfo, metric};
use xai_core::number::labels_to_i64;
use xai_core::tensor::check_shape;

use crate::input;
use crate::values::mean;

/// Difference between the largest and the smallest mean of a group.
///
/// ```text
/// gap: max_g mean_g − min_g mean_g   ratio: min_g mean_g / max_g mean_g
/// ```
///
/// # Extremes
/// gap 0, ratio 1: the groups are treated alike.
///
/// # Limits
/// A mean over few queries is uncertain; a test over group labels tells whether the gap is more than chance.
///
/// # Source
/// von Kügelgen et al., *On the fairness of causal algorithmic recourse*, 2022; Sharma et al., *CERTIFAI*, 2020
/// (burden).
#[metric(
    name = "group-gap",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    needs = &[input::VALUES, input::GROUPS],
)]
pub const GROUP_GAP: &MetricInfo = INFO;

/// Means of groups, and how far they are apart.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GroupGap {
    /// Mean of each group; `None` if none of its values is defined.
    pub means: BTreeMap<i64, Option<f64>>,
    /// Difference between the largest and the smallest mean; `None` for fewer than two means.
    pub gap: Option<f64>,
    /// Smallest mean divided by the largest; `None` for fewer than two means, a negative one, or a largest of 0.
    pub ratio: Option<f64>,
}

/// Compares the means of groups by any value per query, such as the cost or the success of recourse.
///
/// ```
/// use xai_counterfactual::metric::group_gap;
/// let costs = [Some(1.0), Some(3.0), None, Some(4.0)];
/// let gap = group_gap(&costs, &[0, 0, 1, 1])?;
/// assert_eq!((gap.gap, gap.ratio), (Some(2.0), Some(0.5)));
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Errors
/// `ShapeMismatch` for another number of groups than of values.
pub fn group_gap<L: Label>(values: &[Option<f64>], groups: &[L]) -> Result<GroupGap> {
    check_shape(input::GROUPS, &[values.len()], &[groups.len()])?;
    let groups = labels_to_i64(input::GROUPS, groups.iter().copied())?;
    let mut by_group: BTreeMap<i64, Vec<Option<f64>>> = BTreeMap::new();
    for (&value, group) in values.iter().zip(groups) {
        by_group.entry(group).or_default().push(value);
    }
    let means: BTreeMap<i64, Option<f64>> = by_group
        .into_iter()
        .map(|(group, values)| (group, mean(values)))
        .collect();
    let defined: Vec<f64> = means.values().copied().flatten().collect();
    let ends = defined
        .iter()
        .copied()
        .reduce(f64::min)
        .zip(defined.iter().copied().reduce(f64::max));
    let ends = ends.filter(|_| defined.len() > 1);
    Ok(GroupGap {
        gap: ends.map(|(low, high)| high - low),
        ratio: ends
            .filter(|&(low, high)| low >= 0.0 && high > 0.0)
            .map(|(low, high)| low / high),
        means,
    })
}

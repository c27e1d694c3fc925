//! Nearest unlike neighbours: training rows as counterfactuals.

use xai_core::{Result, parallel};

use crate::data::CounterfactualData;
use crate::distance::{DistanceOptions, MixedDistance};
use crate::input;
use crate::reference::{Among, Reference};

/// Returns the `k` training rows of another class nearest to each query: counterfactuals that every method should beat in distance.
///
/// Each is a pair of the query and the index of the training row. They have the target class, or without targets any class but that of
/// the query. A query whose distance to a training row is undefined, and one without training rows of such a class, has none.
///
/// ```
/// use ndarray::{Array2, array};
/// use xai_counterfactual::{CounterfactualData, MixedDistance, Reference, Schema, input, nearest_unlike_neighbors};
/// let train = array![[0.0], [1.0], [4.0]];
/// let reference = Reference::new(Schema::numeric(1), train.view(), Some(&[0, 1, 1]))?;
/// let none = Array2::zeros((0, 1));
/// let data = CounterfactualData::new(reference.schema(), array![[0.5]].view(), none.view(), &[])?
///     .reference(&reference)?
///     .classes(input::CLASS, &[0])?;
/// assert_eq!(nearest_unlike_neighbors(&data, 2, MixedDistance::Gower)?, [(0, 1), (0, 2)]);
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Errors
/// `InvalidParameter` without training rows, their classes, or classes of the queries.
pub fn nearest_unlike_neighbors(
    data: &CounterfactualData<'_>,
    k: usize,
    distance: MixedDistance,
) -> Result<Vec<(usize, usize)>> {
    let options = DistanceOptions {
        distance,
        ..DistanceOptions::default()
    };
    let reference = data.require_reference()?;
    let among = unlike(data, reference)?;
    let found = reference
        .searches(options)?
        .nearest(data.queries.view(), &among, k)?;
    let pairs = parallel::map_owned(found, |query, near| {
        let near = near.unwrap_or_default().into_iter();
        near.map(|near| (query, near.index)).collect::<Vec<_>>()
    });
    Ok(pairs.concat())
}

/// The training rows with a class that each query could change to.
pub(crate) fn unlike(data: &CounterfactualData<'_>, reference: &Reference) -> Result<Vec<Among>> {
    reference.labels()?;
    let classes =
        |classes: &[i64], among: fn(i64) -> Among| classes.iter().copied().map(among).collect();
    Ok(match data.known_classes(input::TARGET) {
        Some(target) => classes(target, Among::Class),
        None => classes(data.require_classes(input::CLASS)?, Among::Except),
    })
}

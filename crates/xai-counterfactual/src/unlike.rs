//! Nearest unlike neighbours: training rows as counterfactuals.

use xai_core::{Result, parallel};
use xai_neighbors::Nearest;

use crate::data::CounterfactualData;
use crate::distance::{DistanceOptions, MixedDistance};
use crate::input;
use crate::neighborhood::{Among, Wanted};
use crate::searches::RowNeighbors;

/// Returns the `k` training rows of another class nearest to each query: counterfactuals that every method should beat
/// in distance.
///
/// Each is a pair of the query and the index of the training row. They have the target class, or without targets any
/// class but that of the query. A query whose distance to a training row is undefined, and one without training rows
/// of such a class, has none.
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
/// `Missing` without training rows, their classes, or classes of the queries.
pub fn nearest_unlike_neighbors(
    data: &CounterfactualData<'_>,
    k: usize,
    distance: MixedDistance,
) -> Result<Vec<(usize, usize)>> {
    let options = DistanceOptions {
        distance,
        ..DistanceOptions::default()
    };
    let unlike = UnlikeNeighbors::search(data, options, k)?;
    let pairs = parallel::map(data.n_queries(), |query| {
        let near = unlike.neighbors(query).unwrap_or_default().into_iter();
        near.map(|near| (query, near.index)).collect::<Vec<_>>()
    });
    Ok(pairs.concat())
}

/// The nearest training rows with a class that each query could change to.
pub(crate) struct UnlikeNeighbors<'a> {
    neighbors: RowNeighbors<'a>,
    among: Vec<Among>,
    k: usize,
}

impl<'a> UnlikeNeighbors<'a> {
    pub(crate) fn search(
        data: &'a CounterfactualData<'_>,
        distance: DistanceOptions,
        k: usize,
    ) -> Result<Self> {
        data.require_reference()?.labels()?;
        let (classes, among, wanted): (_, fn(i64) -> Among, _) =
            match data.known_classes(input::TARGET) {
                Some(target) => (target, Among::Class, Wanted::own(k)),
                None => {
                    let class = data.require_classes(input::CLASS)?;
                    (class, Among::Except, Wanted::others(k))
                }
            };
        Ok(Self {
            neighbors: data.query_neighbors(distance, classes, wanted)?,
            among: classes.iter().copied().map(among).collect(),
            k,
        })
    }

    /// Returns the unlike neighbours of a query; `None` if there are none, or if the distance to one of them is
    /// undefined.
    pub(crate) fn neighbors(&self, query: usize) -> Option<Vec<Nearest>> {
        self.neighbors.nearest(query, self.among[query], self.k)
    }
}

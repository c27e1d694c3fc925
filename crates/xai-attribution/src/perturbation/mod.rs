//! Perturbed inputs and the model's response to them, as work that metrics share.
//!
//! | work | result |
//! |---|---|
//! | [`BaselineInputs`], [`BaselineOutputs`], [`BaselineScores`] | the [`Baseline`] of every sample, and the outputs and scores of the model for it |
//! | [`Features`] | positions grouped into features: single positions, cells, patches, segments |
//! | [`OrderedPositions`], [`OrderedFeatures`] | positions or features of every sample in a [`RemovalOrder`] |
//! | [`RemovalCurve`] | scores along the removal of features, in any order, from either end |
//! | [`SingleRemoval`], [`RankedRemoval`], [`SquareRemoval`] | drops when a single feature, group or square is removed |
//! | [`TopRemoval`] | outputs without the top features, or with only these |
//! | [`RandomSubsets`], [`SubsetDrops`], [`SubsetDropRanks`] | subsets of [`Features`], and the drops when they are removed |
//! | [`Neighbors`], [`NeighborDistances`] | noisy copies of every sample, and the distances of their maps |
//! | [`Shifts`] | copies of every sample shifted by whole positions |
//! | [`NeighborDrops`] | drops of the score from a sample to its neighbours |
//! | [`InputChanges`], [`OutputChanges`], [`RepresentationChanges`] | distances of neighbours, of their outputs and of their representations |
//! | [`DatasetMean`] | the mean of all inputs |
//!
//! [`impute`] imputes pixels of images without a metric.
//!
//! The first request, through [`SampleBatch::shared`](crate::batch::SampleBatch::shared) or its counterparts,
//! computes the result; later ones read it. To score any other change of the inputs, use
//! [`SampleBatch::score_changed`](crate::batch::SampleBatch::score_changed).

pub(crate) mod absence;
pub(crate) mod features;
pub(crate) mod neighborhood;
pub(crate) mod removal;
pub(crate) mod subsets;
pub(crate) mod value_changes;

pub use absence::baseline::{
    Baseline, BaselineFunction, BaselineInputs, BaselineOutputs, BaselineRows, BaselineScores,
    PrecomputedBaselines,
};
pub use absence::dataset_mean::DatasetMean;
pub use absence::impute::impute;
pub use features::{Cells, FeatureCells, Features};
pub use neighborhood::neighbor_changes::{
    InputChanges, NeighborDistances, NeighborDrops, OutputChanges, OutputsOfNeighbors,
    Representation, RepresentationChanges, RepresentationFunction,
};
pub use neighborhood::neighbors::{
    NeighborSet, Neighborhood, Neighbors, PrecomputedNeighbors, ShiftAxes, Shifts,
};
pub use removal::removal_curve::{CurveScores, RemovalCurve, Start};
pub use removal::removal_order::{
    OrderedFeatures, OrderedPositions, PrecomputedOrders, RankBy, RemovalOrder, RemovalTies,
};
pub use removal::single_removal::{
    FeatureDrops, RankedDrops, RankedRemoval, SingleRemoval, SquareRemoval,
};
pub use removal::steps::{StepCount, Steps};
pub use removal::top_removal::{ShareRounding, TopRemoval};
pub use subsets::{
    PrecomputedSubsets, RandomSubsets, SubsetDropRanks, SubsetDrops, SubsetSampling, SubsetSize,
    Subsets,
};
pub use value_changes::{PrecomputedValues, ValueRange};

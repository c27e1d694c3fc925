//! Changed inputs and what the model says to them: work that metrics share.
//!
//! | work | what comes of it |
//! |---|---|
//! | [`BaselineInputs`], [`BaselineOutputs`], [`BaselineScores`] | the [`Baseline`] of every sample, and what the model says to it |
//! | [`Features`] | which positions go together: single ones, cells, patches, segments |
//! | [`OrderedPositions`], [`OrderedFeatures`] | what is removed of every sample in a [`RemovalOrder`] |
//! | [`RemovalCurve`] | scores along the removal of features, in any order, from either end |
//! | [`SingleRemoval`], [`RankedRemoval`], [`SquareRemoval`] | the drops without one feature at a time, or one square |
//! | [`TopRemoval`] | outputs without the top features, or with these alone |
//! | [`RandomSubsets`], [`SubsetDrops`], [`SubsetDropRanks`] | subsets of [`Features`], and the drops without them |
//! | [`Neighbors`], [`NeighborDistances`] | noisy copies of every sample, and how far their maps are |
//! | [`Shifts`] | copies of every sample moved by whole positions |
//! | [`NeighborDrops`] | how far their scores are below those of their samples |
//! | [`InputChanges`], [`OutputChanges`], [`RepresentationChanges`] | how far they are, and what the model says to them |
//! | [`DatasetMean`] | the mean of all inputs |
//!
//! Whoever asks first, in [`SampleBatch::shared`](crate::batch::SampleBatch::shared) or its
//! siblings, has it computed; all others read it. Any other change of the inputs is scored by
//! [`SampleBatch::score_changed`](crate::batch::SampleBatch::score_changed).

pub(crate) mod absence;
pub(crate) mod features;
pub(crate) mod neighborhood;
pub(crate) mod removal;
pub(crate) mod subsets;
pub(crate) mod value_changes;

pub use absence::baseline::{
    Baseline, BaselineFunction, BaselineInputs, BaselineOutputs, BaselineRows, BaselineScores,
    GivenBaselines,
};
pub use absence::dataset_mean::DatasetMean;
pub use features::{Cells, FeatureCells, Features};
pub use neighborhood::neighbor_changes::{
    InputChanges, NeighborDistances, NeighborDrops, OutputChanges, OutputsOfNeighbors,
    Representation, RepresentationChanges, RepresentationFunction,
};
pub use neighborhood::neighbors::{
    GivenNeighbors, NeighborSet, Neighborhood, Neighbors, ShiftAxes, Shifts,
};
pub use removal::removal_curve::{CurveScores, RemovalCurve, Start};
pub use removal::removal_order::{
    GivenOrders, OrderedFeatures, OrderedPositions, RankBy, RemovalOrder, RemovalTies,
};
pub use removal::single_removal::{
    FeatureDrops, RankedDrops, RankedRemoval, SingleRemoval, SquareRemoval,
};
pub use removal::steps::{StepCount, Steps};
pub use removal::top_removal::{ShareRounding, TopRemoval};
pub use subsets::{
    GivenSubsets, RandomSubsets, SubsetDropRanks, SubsetDrops, SubsetSampling, SubsetSize, Subsets,
};
pub use value_changes::{GivenValues, ValueRange};

//! The inputs of the metrics, each described once.
//!
//! Options of `xai`, keys of studies and keywords in Python derive from [`INPUTS`], and [`EvaluationData::with_array`]
//! takes their arrays. A new input is a line here and the metric that reads it with [`Dataset::array`].

use ndarray::{Array, ArrayD, Axis, Dimension, Ix1, Ix2, Ix3};
use xai_core::describe::{Element, InputSpec};
use xai_core::{Error, Input, InputLayout, Real, Result};

use crate::batch::Dataset;
use crate::batch::run_data::missing;
use crate::metric::PrecomputedTargets;
use crate::model::Targets;
use crate::perturbation::{
    PrecomputedBaselines, PrecomputedNeighbors, PrecomputedOrders, PrecomputedSubsets,
    PrecomputedValues,
};
use crate::side::{Masks, ReferenceMaps, SecondMaps, Segments};
use crate::{EvaluationData, input};

/// The option of random draws that were made elsewhere. A metric takes draws of one kind.
const DRAWS: &str = "draws";
/// The option of maps that those of an explainer are compared with.
const OTHER_EXPLANATIONS: &str = "other_explanations";

/// All inputs of metrics that are computed batch by batch, in the order of the documentation.
///
/// ```
/// use xai_attribution::metric::registry::metrics;
/// use xai_attribution::{INPUTS, input_spec};
/// let mut built = metrics().iter().filter(|entry| entry.is_built());
/// assert!(built.all(|entry| entry.info.needs.iter().all(|&need| input_spec(need).is_some())));
/// let masks = INPUTS.iter().find(|spec| spec.option_key() == "masks").unwrap();
/// assert_eq!(
///     masks.to_string(),
///     "Where the object is: booleans or numbers from 0 to 1 (n, height, width) or (n, features)"
/// );
/// ```
pub const INPUTS: &[InputSpec] = &[
    InputSpec::model(input::MODEL, Element::Model, "The model"),
    InputSpec::new(
        input::INPUTS,
        Element::Number,
        &["n", "features"],
        "Inputs of the model",
    )
    .or(&[
        &["n", "time", "features"],
        &["n", "height", "width", "channels"],
        &["n", "channels", "height", "width"],
    ]),
    InputSpec::new(
        input::EXPLANATIONS,
        Element::Number,
        &["n", "…"],
        "Attribution maps, shaped like the inputs or without channels",
    )
    .per_explainer(),
    InputSpec::model(
        input::EXPLAINER,
        Element::Model,
        "Explainer from inputs, and target classes (n,) if it takes them, to maps; it makes the maps that no file has",
    )
    .per_explainer(),
    InputSpec::new(
        input::TARGETS,
        Element::Target,
        &["n"],
        "Targets that the maps explain",
    )
    .or(&[&["n", "outputs"]]),
    InputSpec::new(
        input::MASKS,
        Element::Share,
        &["n", "height", "width"],
        "Where the object is",
    )
    .or(&[&["n", "features"]]),
    InputSpec::new(
        input::SEGMENTS,
        Element::Integer,
        &["n", "height", "width"],
        "Segment of each position",
    )
    .or(&[&["n", "features"], &["height", "width"]])
    .required_when("segments"),
    InputSpec::new(
        input::BASELINE,
        Element::Number,
        &["n", "…"],
        "Values that removed positions are set to, shaped like the inputs",
    )
    .or(&[&["1", "…"]])
    .option("baselines")
    .required_when("given"),
    InputSpec::new(
        input::SECOND_MAPS,
        Element::Number,
        &["n", "…"],
        "Maps of the same samples by a second explainer, or of the randomized or the shifted model",
    )
    .option(OTHER_EXPLANATIONS),
    InputSpec::new(
        input::REFERENCE_MAPS,
        Element::Number,
        &["n", "…"],
        "Maps that others are compared with, such as true ones",
    )
    .or(&[&["1", "…"]])
    .option(OTHER_EXPLANATIONS),
    InputSpec::new(
        input::SUBSETS,
        Element::Integer,
        &["draws", "n", "size"],
        "Subsets drawn elsewhere, as positions of features",
    )
    .option(DRAWS),
    InputSpec::new(
        input::NEIGHBORS,
        Element::Number,
        &["draws", "n", "…"],
        "Noise drawn elsewhere, which is added to the inputs",
    )
    .option(DRAWS),
    InputSpec::new(
        input::GIVEN_VALUES,
        Element::Number,
        &["draws", "n", "features"],
        "Values drawn elsewhere, which features are set to",
    )
    .option(DRAWS),
    InputSpec::new(
        input::ORDERS,
        Element::Integer,
        &["n", "features"],
        "Orders of removal drawn elsewhere, as positions of features",
    )
    .option(DRAWS),
    InputSpec::new(
        input::OTHER_TARGETS,
        Element::Target,
        &["n"],
        "Other targets drawn elsewhere",
    )
    .option(DRAWS),
    InputSpec::model(
        input::REPRESENTATION,
        Element::Function,
        "Layer of the model, from a batch of inputs to (batch, size)",
    ),
];

/// The description of an input.
#[must_use]
pub fn input_spec(input: Input) -> Option<&'static InputSpec> {
    INPUTS.iter().find(|spec| spec.input == input)
}

/// An array of an input, as a front end reads it by its [description](INPUTS).
#[derive(Debug, Clone, PartialEq)]
pub enum InputArray {
    /// Numbers.
    Numbers(ArrayD<f64>),
    /// Integers.
    Integers(ArrayD<i64>),
    /// Truth values.
    Booleans(ArrayD<bool>),
}

impl InputArray {
    fn shape(&self) -> &[usize] {
        match self {
            Self::Numbers(array) => array.shape(),
            Self::Integers(array) => array.shape(),
            Self::Booleans(array) => array.shape(),
        }
    }

    fn ndim(&self) -> usize {
        self.shape().len()
    }

    fn insert_axis(self, axis: usize) -> Self {
        let axis = Axis(axis);
        match self {
            Self::Numbers(array) => Self::Numbers(array.insert_axis(axis)),
            Self::Integers(array) => Self::Integers(array.insert_axis(axis)),
            Self::Booleans(array) => Self::Booleans(array.insert_axis(axis)),
        }
    }

    /// Checks the kind of the elements against the description of the input, so that no array is ignored for its type.
    fn check_elements(&self, input: Input) -> Result<()> {
        let Some(spec) = input_spec(input) else {
            return Ok(());
        };
        let (is_right, elements) = match self {
            Self::Numbers(_) => {
                let kinds = [Element::Number, Element::Share, Element::Target];
                (kinds.contains(&spec.element), "numbers")
            }
            Self::Integers(_) => {
                let kinds = [Element::Integer, Element::Class, Element::Target];
                (kinds.contains(&spec.element), "integers")
            }
            Self::Booleans(_) => {
                let kinds = [Element::Boolean, Element::Share];
                (kinds.contains(&spec.element), "booleans")
            }
        };
        if is_right {
            Ok(())
        } else {
            let expected = spec.element.to_string();
            Err(Error::parameter(input, elements, expected))
        }
    }
}

impl<'a, T: Real> EvaluationData<'a, T> {
    /// Adds an array by its input, for callers that read inputs by their descriptions in [`INPUTS`]. Inputs without a
    /// type of their own are read with [`Dataset::array`].
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_attribution::EvaluationData;
    /// use xai_attribution::metric::PointingGame;
    /// use xai_attribution::{Evaluate, InputArray, input};
    /// let maps = array![[[0.1, 0.9]]];
    /// let masks = InputArray::Booleans(array![[[false, true]]].into_dyn());
    /// let data = EvaluationData::from_maps(maps.view()).with_array(input::MASKS, masks)?;
    /// assert_eq!(PointingGame::new().evaluate_on(data)?.value, 1.0);
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    ///
    /// # Errors
    /// An invalid parameter for elements of another kind than the input has, such as integers for masks; a shape
    /// mismatch for another number of axes; out of domain for positions of features or labels of segments that are
    /// negative or do not fit into `u32`.
    pub fn with_array(self, input: Input, array: InputArray) -> Result<Self> {
        use InputArray::{Booleans, Integers, Numbers};
        array.check_elements(input)?;
        // A row of a table is a plane of height 1. A single row of segments stands for all samples.
        let is_shared = input == input::SEGMENTS && array.shape().first() == Some(&1);
        let is_plane = [input::MASKS, input::SEGMENTS].contains(&input) && !is_shared;
        let array = if self.has_tables() && is_plane && array.ndim() == 2 {
            array.insert_axis(1)
        } else {
            array
        };
        Ok(match (input, array) {
            (input::MASKS, Booleans(masks)) => {
                self.with(Masks::new(with_axes::<_, Ix3>(input, masks)?))
            }
            (input::MASKS, Numbers(masks)) => {
                self.with(Masks::from_numbers(with_axes::<_, Ix3>(input, masks)?))
            }
            (input::SEGMENTS, Integers(segments)) if segments.ndim() == 2 => {
                let n = self.n_samples();
                self.with(Segments::shared(positions::<Ix2>(input, segments)?, n))
            }
            (input::SEGMENTS, Integers(segments)) => {
                self.with(Segments::new(positions::<Ix3>(input, segments)?))
            }
            (input::BASELINE, Numbers(baselines)) => {
                self.with(PrecomputedBaselines(vec![baselines]))
            }
            (input::SECOND_MAPS, Numbers(maps)) => self.with(SecondMaps::from_maps(maps)),
            (input::REFERENCE_MAPS, Numbers(maps)) => self.with(ReferenceMaps::new(maps)),
            (input::SUBSETS, Integers(subsets)) => {
                self.with(PrecomputedSubsets(positions::<Ix3>(input, subsets)?))
            }
            (input::ORDERS, Integers(orders)) => {
                self.with(PrecomputedOrders(positions::<Ix2>(input, orders)?))
            }
            (input::NEIGHBORS, Numbers(noise)) => self.with(PrecomputedNeighbors(noise)),
            (input::GIVEN_VALUES, Numbers(values)) => {
                self.with(PrecomputedValues(with_axes::<_, Ix3>(input, values)?))
            }
            (input::OTHER_TARGETS, Integers(classes)) => {
                let classes = with_axes::<_, Ix1>(input, classes)?.to_vec();
                self.with(PrecomputedTargets(Targets::Classes(classes)))
            }
            (input::OTHER_TARGETS, Numbers(rows)) => {
                self.with(PrecomputedTargets(Targets::Rows(with_axes(input, rows)?)))
            }
            (_, array) => self.with_side(input, UntypedInput { input, array }, UntypedInput::check),
        })
    }
}

/// An array of an input that has no type of its own.
pub(crate) struct UntypedInput {
    input: Input,
    array: InputArray,
}

impl UntypedInput {
    /// Checks the number of axes, and that the axis `n` of its description is as long as the inputs.
    fn check(&self, shape: &[usize], _: InputLayout) -> Result<()> {
        let Some(spec) = input_spec(self.input) else {
            return Ok(());
        };
        let fits = |axes: &[&str]| {
            let lengths = self.array.shape().iter().zip(axes);
            axes.len() == self.array.shape().len()
                && lengths
                    .into_iter()
                    .all(|(&length, &axis)| axis != "n" || length == shape[0])
        };
        if fits(spec.axes) || spec.other_axes.iter().any(|axes| fits(axes)) {
            return Ok(());
        }
        Err(Error::shape_described(
            self.input,
            spec.shape(),
            self.array.shape(),
        ))
    }
}

impl<T: Real> Dataset<'_, T> {
    /// The array of an input that has no type of its own.
    ///
    /// # Errors
    /// As [`side`](Self::side).
    pub fn array(&self, input: Input) -> Result<&InputArray> {
        let mut arrays = self.sides_of::<UntypedInput>();
        let found = arrays.find(|side| side.input == input);
        found.map(|side| &side.array).ok_or_else(|| missing(input))
    }
}

fn with_axes<V, D: Dimension>(input: Input, array: ArrayD<V>) -> Result<Array<V, D>> {
    let shape = array.shape().to_vec();
    let expected = || input_spec(input).map_or_else(String::new, InputSpec::shape);
    array
        .into_dimensionality()
        .map_err(|_| Error::shape_described(input, expected(), &shape))
}

/// Converts positions of features or labels of segments to `u32`.
fn positions<D: Dimension>(input: Input, array: ArrayD<i64>) -> Result<Array<u32, D>> {
    let mut elements = array.indexed_iter();
    if let Some((index, &x)) = elements.find(|(_, x)| u32::try_from(**x).is_err()) {
        use ndarray::IntoDimension;
        let index = index.into_dimension().slice().to_vec();
        let expected = "a whole number from 0 to 4294967295";
        return Err(Error::out_of_domain(input, &index, x as f64, expected));
    }
    with_axes(input, array.mapv(|x| u32::try_from(x).unwrap_or_default()))
}

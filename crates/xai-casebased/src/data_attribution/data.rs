//! Attributions, and the arrays that metrics compare them with.

use std::fmt;

use ndarray::{ArrayView, ArrayView2, ArrayView3, Dimension, Ix2, Ix3};
use xai_core::describe::InputSpec;
use xai_core::number::check_finite;
use xai_core::tensor::check_shape;
use xai_core::{Error, Input, Result};

use crate::data_attribution::array::{InputArray, IntoInput, TooLarge};
#[cfg(doc)]
use crate::data_attribution::inputs::INPUTS;
use crate::data_attribution::inputs::spec;
use crate::data_attribution::rows::AttributionRows;
use crate::data_attribution::subsets::{Subsets, check_cases, is_mask_row, looks_like_a_mask};
use crate::{help, input};

/// Attributions of `n_test` test rows to `n_train` training rows, and the arrays that metrics compare them with.
///
/// A metric takes what it needs ([`MetricInfo::needs`](xai_core::MetricInfo)); the rest may be missing. [`INPUTS`] describes
/// all inputs.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, ClassDetection};
/// use xai_casebased::input;
/// let attributions = array![[0.9, 0.1, 0.4], [0.2, 0.3, 0.8]];
/// let data = AttributionData::new(attributions.view())
///     .with(input::TRAIN_LABELS, &[0, 1, 1])
///     .with(input::TEST_CLASSES, &[0, 0]);
/// let value = ClassDetection::new().evaluate(&data)?;
/// assert_eq!(value.per_sample, [Some(1.0), Some(0.0)]);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
#[derive(Default)]
pub struct AttributionData<'a> {
    /// Each input once; one that could not be read is an error for the metric that needs it.
    arrays: Vec<(Input, Result<InputArray<'a>, TooLarge>)>,
}

impl<'a> AttributionData<'a> {
    /// Attributions, `(n_test, n_train)`; above 0 = the training row raised the score of the test row. Negate attributions of a
    /// *loss* first.
    #[must_use]
    pub fn new(attributions: impl AttributionRows + 'a) -> Self {
        Self::default().with(
            input::ATTRIBUTIONS,
            InputArray::Rows(Box::new(attributions)),
        )
    }

    /// Attributions by the same explainer of a model with random weights, `(n_test, n_train)`.
    #[must_use]
    pub fn random_attributions(self, attributions: impl AttributionRows + 'a) -> Self {
        self.with(
            input::RANDOM_ATTRIBUTIONS,
            InputArray::Rows(Box::new(attributions)),
        )
    }

    /// Adds an input, or replaces it. Numbers are `f64`, classes and positions integers of any type, masks truth values or 0
    /// and 1; see [`INPUTS`] for their shapes.
    #[must_use]
    pub fn with(mut self, input: Input, array: impl IntoInput<'a>) -> Self {
        self.insert(input, array);
        self
    }

    /// Adds an input, or replaces it, as [`with`](Self::with).
    pub fn insert(&mut self, input: Input, array: impl IntoInput<'a>) {
        let array = array.into_input();
        let array = match spec(input) {
            Some(spec) => array.map(|array| array.with_element(spec.element)),
            None => array,
        };
        self.arrays.retain(|(other, _)| *other != input);
        self.arrays.push((input, array));
    }

    /// `(n_test, n_train)` of the attributions, if they were given.
    #[must_use]
    pub fn n_cases(&self) -> Option<(usize, usize)> {
        let rows = self.row_source(input::ATTRIBUTIONS).ok()?;
        Some(rows.shape())
    }

    /// The elements of a list of integers, if that input was given.
    #[must_use]
    pub fn integers(&self, input: Input) -> Option<&[i64]> {
        match self.get(input)? {
            Ok(InputArray::Integers(array)) => array.as_slice(),
            _ => None,
        }
    }

    /// The elements of a list of truth values, if that input was given.
    #[must_use]
    pub fn booleans(&self, input: Input) -> Option<&[bool]> {
        match self.get(input)? {
            Ok(InputArray::Booleans(array)) => array.as_slice(),
            _ => None,
        }
    }

    fn get(&self, wanted: Input) -> Option<&Result<InputArray<'a>, TooLarge>> {
        let mut arrays = self.arrays.iter();
        arrays.find_map(|(input, array)| (*input == wanted).then_some(array))
    }
}

/// Accessors for one kind of element: an array of some axes, and a list of a length.
macro_rules! accessors {
    ($array:ident, $list:ident, $variant:ident: $element:ty) => {
        fn $array<D: Dimension>(&self, input: Input) -> Result<ArrayView<'_, $element, D>> {
            let InputArray::$variant(array) = self.required(input)? else {
                return Err(self.wrong_kind_error(input));
            };
            let view = array.view().into_dimensionality();
            view.map_err(|_| Error::shape_described(input, described_shape(input), array.shape()))
        }

        #[allow(dead_code, reason = "each kind of element has both")]
        fn $list(&self, input: Input) -> Result<&[$element]> {
            let InputArray::$variant(array) = self.required(input)? else {
                return Err(self.wrong_kind_error(input));
            };
            match (array.ndim(), array.as_slice()) {
                (1, Some(list)) => Ok(list),
                _ => Err(Error::shape_described(
                    input,
                    described_shape(input),
                    array.shape(),
                )),
            }
        }
    };
}

/// The shape of an input as its description has it.
fn described_shape(input: Input) -> String {
    spec(input).map_or_else(String::new, InputSpec::shape)
}

/// What metrics read, checked.
impl<'a> AttributionData<'a> {
    accessors!(number_array, number_list, Numbers: f64);
    accessors!(integer_array, integer_list, Integers: i64);
    accessors!(boolean_array, boolean_list, Booleans: bool);

    fn required(&self, input: Input) -> Result<&InputArray<'a>> {
        match self.get(input) {
            Some(Ok(array)) => Ok(array),
            Some(Err(TooLarge { index, value })) => {
                let expected = "a label of at most 2^63 - 1";
                Err(Error::out_of_domain(input, &[*index], *value, expected))
            }
            None => Err(Error::parameter(
                input,
                "none",
                "to be given, for the metric needs it",
            )),
        }
    }

    fn wrong_kind_error(&self, input: Input) -> Error {
        let kind = self.required(input).map_or("", InputArray::kind);
        let expected = spec(input).map_or_else(String::new, |spec| {
            format!("{} {}", spec.element, spec.shape())
        });
        Error::parameter(input, kind, expected)
    }

    fn row_source(&self, input: Input) -> Result<&dyn AttributionRows> {
        match self.required(input)? {
            InputArray::Rows(rows) => Ok(&**rows),
            _ => Err(self.wrong_kind_error(input)),
        }
    }

    /// Positions of rows: integers of at least 0.
    fn positions(&self, input: Input) -> Result<Vec<usize>> {
        let positions = self.integer_list(input)?.iter().enumerate();
        let position = |(i, &position): (usize, &i64)| {
            usize::try_from(position).map_err(|_| {
                Error::out_of_domain(input, &[i], position as f64, "positions of at least 0")
            })
        };
        positions.map(position).collect()
    }

    pub(super) fn rows(&self) -> Result<&dyn AttributionRows> {
        let rows = self.row_source(input::ATTRIBUTIONS)?;
        match rows.shape() {
            (_, 0) => Err(Error::empty(input::ATTRIBUTIONS).part("training cases")),
            // Positions of training rows are kept as `u32`.
            (n_test, n_train) if u32::try_from(n_train).is_err() => {
                let expected = "(n_test, n_train) with n_train below 2^32";
                let shape = [n_test, n_train];
                Err(Error::shape_described(
                    input::ATTRIBUTIONS,
                    expected,
                    &shape,
                ))
            }
            _ => Ok(rows),
        }
    }

    /// `(n_test, n_train)`.
    pub(super) fn shape(&self) -> Result<(usize, usize)> {
        self.rows().map(AttributionRows::shape)
    }

    pub(super) fn random_rows(&self) -> Result<&dyn AttributionRows> {
        let rows = self.row_source(input::RANDOM_ATTRIBUTIONS)?;
        let ((n, d), (n_random, d_random)) = (self.shape()?, rows.shape());
        check_shape(input::RANDOM_ATTRIBUTIONS, &[n, d], &[n_random, d_random])?;
        Ok(rows)
    }

    /// Classes of the training rows, and of the test rows.
    pub(super) fn classes(&self) -> Result<(Vec<i64>, Vec<i64>)> {
        let (n_test, n_train) = self.shape()?;
        let labels = self.integer_list(input::TRAIN_LABELS)?;
        let classes = self.integer_list(input::TEST_CLASSES)?;
        check_shape(input::TRAIN_LABELS, &[n_train], &[labels.len()])?;
        check_shape(input::TEST_CLASSES, &[n_test], &[classes.len()])?;
        Ok((labels.to_vec(), classes.to_vec()))
    }

    /// Test rows that count; `None` where all do.
    pub(super) fn keep_mask(&self) -> Result<Option<&[bool]>> {
        if self.get(input::KEEP).is_none() {
            return Ok(None);
        }
        let keep = self.boolean_list(input::KEEP)?;
        check_shape(input::KEEP, &[self.shape()?.0], &[keep.len()])?;
        Ok(Some(keep))
    }

    /// The number of test rows that count.
    pub(super) fn n_kept(&self) -> Result<usize> {
        let n_test = self.shape()?.0;
        let kept = |keep: &[bool]| keep.iter().filter(|&&kept| kept).count();
        Ok(self.keep_mask()?.map_or(n_test, kept))
    }

    pub(super) fn flags(&self) -> Result<&[bool]> {
        let flags = self.boolean_list(input::FLAGS)?;
        check_shape(input::FLAGS, &[self.shape()?.1], &[flags.len()])?;
        Ok(flags)
    }

    /// Subsets of the training rows there are.
    pub(super) fn checked_subsets(&self) -> Result<&Subsets> {
        let subsets = match self.required(input::SUBSETS)? {
            InputArray::Subsets(subsets) => subsets,
            other => {
                let expected = "booleans (n_subsets, n_train), or `Subsets` made of positions";
                return Err(Error::parameter(input::SUBSETS, other.kind(), expected));
            }
        };
        let (n_train, n_of_subsets) = (self.shape()?.1, subsets.n_train());
        if n_train == n_of_subsets {
            Ok(subsets)
        } else {
            Err(Error::shape(input::SUBSETS, &[n_train], &[n_of_subsets]).part("training cases"))
        }
    }

    /// Outputs as they are given, `(n_subsets, n_test)`.
    pub(super) fn outputs(&self, n_subsets: usize) -> Result<Option<ArrayView2<'_, f64>>> {
        if self.get(input::OUTPUTS).is_none() {
            return Ok(None);
        }
        let outputs = self.number_array::<Ix2>(input::OUTPUTS)?;
        let expected = [n_subsets, self.shape()?.0];
        check_shape(input::OUTPUTS, &expected, outputs.shape())?;
        check_finite(input::OUTPUTS, outputs)?;
        Ok(Some(outputs))
    }

    /// Logits `(n_subsets, n_test, n_classes)`, and the class of each test row.
    pub(super) fn logits_and_targets(
        &self,
        n_subsets: usize,
    ) -> Result<(ArrayView3<'_, f64>, Vec<i64>)> {
        // Without both, it is the outputs that are missing.
        if self.get(input::LOGITS).is_none() {
            self.required(input::OUTPUTS)?;
        }
        let logits = self.number_array::<Ix3>(input::LOGITS)?;
        let targets = self.integer_list(input::TARGETS)?;
        let n_test = self.shape()?.0;
        let expected = [n_subsets, n_test, logits.dim().2.max(1)];
        check_shape(input::LOGITS, &expected, logits.shape())?;
        check_finite(input::LOGITS, logits)?;
        check_shape(input::TARGETS, &[n_test], &[targets.len()])?;
        Ok((logits, targets.to_vec()))
    }

    /// The training rows that were left out, and the falls of the outputs, `(n_removed, n_test)`.
    pub(super) fn removed_and_drops(&self) -> Result<(Vec<usize>, ArrayView2<'_, f64>)> {
        let (n_test, n_train) = self.shape()?;
        let removed = self.positions(input::REMOVED)?;
        let drops = self.number_array::<Ix2>(input::DROPS)?;
        check_cases(input::REMOVED, &removed, n_train)?;
        if n_train > 2 && is_mask_row(&removed, n_train) {
            return Err(looks_like_a_mask(
                input::REMOVED,
                n_train,
                help::POSITIONS_OF_MASK,
            ));
        }
        check_shape(input::DROPS, &[removed.len(), n_test], drops.shape())?;
        check_finite(input::DROPS, drops)?;
        Ok((removed, drops))
    }

    pub(super) fn relevance(&self) -> Result<ArrayView2<'_, bool>> {
        let relevant = self.boolean_array::<Ix2>(input::RELEVANT)?;
        let (n_test, n_train) = self.shape()?;
        check_shape(input::RELEVANT, &[n_test, n_train], relevant.shape())?;
        Ok(relevant)
    }

    pub(super) fn scores_and_flags(&self) -> Result<(&[f64], &[bool])> {
        let scores = self.number_list(input::SCORES)?;
        Ok((scores, self.boolean_list(input::FLAGS)?))
    }

    pub(super) fn given_log_probs(&self) -> Result<(&[f64], ArrayView2<'_, f64>)> {
        let before = self.number_list(input::LOG_PROB)?;
        Ok((before, self.number_array(input::LOG_PROB_AFTER)?))
    }

    pub(super) fn given_predictions(&self) -> Result<(Vec<usize>, ArrayView2<'_, i64>)> {
        let ks = self.positions(input::KS)?;
        Ok((ks, self.integer_array(input::PREDICTIONS)?))
    }
}

impl fmt::Debug for AttributionData<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = self.arrays.iter().map(|(input, _)| input.name());
        f.debug_list().entries(given).finish()
    }
}

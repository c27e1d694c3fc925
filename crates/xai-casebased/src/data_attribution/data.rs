//! Input data of the metrics: attributions, and the arrays that they are compared with.

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
/// A metric reads the inputs that it needs ([`MetricInfo::needs`](xai_core::describe::MetricInfo)); others may be
/// missing. [`INPUTS`] describes all inputs.
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
    /// Each input at most once. An input that could not be converted is an error of the metrics that need it.
    arrays: Vec<(Input, Result<InputArray<'a>, TooLarge>)>,
}

impl<'a> AttributionData<'a> {
    /// Creates the data from attributions, `(n_test, n_train)`. A value above 0 means that the training row raised
    /// the score of the test row; negate attributions of a *loss*.
    #[must_use]
    pub fn new(attributions: impl AttributionRows + 'a) -> Self {
        Self::default().with(
            input::ATTRIBUTIONS,
            InputArray::Rows(Box::new(attributions)),
        )
    }

    /// As [`new`](Self::new), for attributions in one slice, row after row, with `n_train` values per test row.
    ///
    /// # Errors
    /// `ShapeMismatch` unless the number of values is a multiple of `n_train`.
    ///
    /// ```
    /// use xai_casebased::data_attribution::{AttributionData, TopKCardinality};
    /// let data = AttributionData::from_slice(&[0.9, 0.1, 0.0, 0.8, 0.0, 0.1], 3)?;
    /// assert_eq!(TopKCardinality::new().evaluate(&data)?.unique, 1);
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn from_slice<T>(attributions: &'a [T], n_train: usize) -> Result<Self>
    where
        ArrayView2<'a, T>: AttributionRows,
    {
        let n_test = attributions.len().checked_div(n_train).unwrap_or(0);
        let rows = ArrayView2::from_shape((n_test, n_train), attributions);
        match rows {
            // A view may be shorter than its slice.
            Ok(rows) if rows.len() == attributions.len() => Ok(Self::new(rows)),
            _ => {
                let expected = format!("a multiple of n_train = {n_train} values");
                let shape = [attributions.len()];
                Err(Error::shape_described(
                    input::ATTRIBUTIONS,
                    expected,
                    &shape,
                ))
            }
        }
    }

    /// Adds the attributions of the same explainer for a model with random weights, `(n_test, n_train)`.
    #[must_use]
    pub fn random_attributions(self, attributions: impl AttributionRows + 'a) -> Self {
        self.with(
            input::RANDOM_ATTRIBUTIONS,
            InputArray::Rows(Box::new(attributions)),
        )
    }

    /// Adds or replaces an input. Numbers are `f64`, classes are integers of any type or truth values, positions are
    /// integers of any type, and masks are truth values or the integers 0 and 1. [`INPUTS`] lists the shapes.
    #[must_use]
    pub fn with(mut self, input: Input, array: impl IntoInput<'a>) -> Self {
        self.insert(input, array);
        self
    }

    /// Adds or replaces an input, as [`with`](Self::with).
    pub fn insert(&mut self, input: Input, array: impl IntoInput<'a>) {
        let mut converted = array.into_input();
        if let Some(spec) = spec(input) {
            converted = converted.map(|array| array.with_element(spec.element));
        }
        // An error of the conversion is kept: `insert` returns none, and a metric may not need the input.
        self.arrays.retain(|(other, _)| *other != input);
        self.arrays.push((input, converted));
    }

    /// Shape of the attributions, `(n_test, n_train)`; `None` without attributions.
    #[must_use]
    pub fn n_cases(&self) -> Option<(usize, usize)> {
        let rows = self.row_source(input::ATTRIBUTIONS).ok()?;
        Some(rows.shape())
    }

    /// Integers of an input, those of an array with several axes in row-major order. `None` if the input is missing,
    /// has other elements, or is an array with several axes that is not contiguous.
    #[must_use]
    pub fn integers(&self, input: Input) -> Option<&[i64]> {
        match self.get(input)? {
            Ok(InputArray::Integers(array)) => array.as_slice(),
            _ => None,
        }
    }

    /// Truth values of an input; `None` as for [`integers`](Self::integers).
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

/// Defines the accessors of one element type: an array with `D` axes, and a list as a slice.
macro_rules! accessors {
    ($array:ident, $list:ident, $variant:ident: $element:ty) => {
        fn $array<D: Dimension>(&self, input: Input) -> Result<ArrayView<'_, $element, D>> {
            let InputArray::$variant(array) = self.required(input)? else {
                return Err(self.wrong_kind_error(input));
            };
            let view = array.view().into_dimensionality();
            view.map_err(|_| Error::shape_described(input, described_shape(input), array.shape()))
        }

        #[allow(dead_code, reason = "every element type has both accessors")]
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

/// Shape of an input in its description, for example `(n_test, n_train)`.
fn described_shape(input: Input) -> String {
    spec(input).map_or_else(String::new, InputSpec::shape)
}

/// Checked access for metrics.
impl<'a> AttributionData<'a> {
    accessors!(number_array, number_list, Numbers: f64);
    accessors!(integer_array, integer_list, Integers: i64);
    accessors!(boolean_array, boolean_list, Booleans: bool);

    /// An input; `Missing` if it is not given, `OutOfDomain` if it could not be converted.
    fn required(&self, input: Input) -> Result<&InputArray<'a>> {
        match self.get(input) {
            Some(Ok(array)) => Ok(array),
            Some(Err(TooLarge { index, value })) => {
                let expected = "a label of at most 2^63 - 1";
                Err(Error::out_of_domain(input, &[*index], *value, expected))
            }
            None => Err(Error::missing(input)),
        }
    }

    /// Error about an input with another element type or shape than described.
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

    /// A list of positions: integers of at least 0.
    fn positions(&self, input: Input) -> Result<Vec<usize>> {
        let integers = self.integer_list(input)?.iter().enumerate();
        let to_position = |(i, &integer): (usize, &i64)| {
            usize::try_from(integer).map_err(|_| {
                Error::out_of_domain(input, &[i], integer as f64, "positions of at least 0")
            })
        };
        integers.map(to_position).collect()
    }

    /// The attributions; there is at least one training row, and fewer than 2³².
    pub(super) fn rows(&self) -> Result<&dyn AttributionRows> {
        let rows = self.row_source(input::ATTRIBUTIONS)?;
        match rows.shape() {
            (_, 0) => Err(Error::empty(input::ATTRIBUTIONS).part("training cases")),
            // Metrics store positions of training rows as `u32`.
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

    /// Shape of the attributions, `(n_test, n_train)`.
    pub(super) fn shape(&self) -> Result<(usize, usize)> {
        self.rows().map(AttributionRows::shape)
    }

    /// The attributions for a model with random weights.
    pub(super) fn random_rows(&self) -> Result<&dyn AttributionRows> {
        let rows = self.row_source(input::RANDOM_ATTRIBUTIONS)?;
        let ((n, d), (n_random, d_random)) = (self.shape()?, rows.shape());
        check_shape(input::RANDOM_ATTRIBUTIONS, &[n, d], &[n_random, d_random])?;
        Ok(rows)
    }

    /// Classes of the training rows and of the test rows.
    pub(super) fn classes(&self) -> Result<(Vec<i64>, Vec<i64>)> {
        let (n_test, n_train) = self.shape()?;
        let labels = self.integer_list(input::TRAIN_LABELS)?;
        let classes = self.integer_list(input::TEST_CLASSES)?;
        check_shape(input::TRAIN_LABELS, &[n_train], &[labels.len()])?;
        check_shape(input::TEST_CLASSES, &[n_test], &[classes.len()])?;
        Ok((labels.to_vec(), classes.to_vec()))
    }

    /// Mask of the test rows that are evaluated; `None` if all are.
    pub(super) fn keep_mask(&self) -> Result<Option<&[bool]>> {
        if self.get(input::KEEP).is_none() {
            return Ok(None);
        }
        let keep = self.boolean_list(input::KEEP)?;
        check_shape(input::KEEP, &[self.shape()?.0], &[keep.len()])?;
        Ok(Some(keep))
    }

    /// Number of test rows that are evaluated.
    pub(super) fn n_kept(&self) -> Result<usize> {
        let n_test = self.shape()?.0;
        let count = |keep: &[bool]| keep.iter().filter(|&&is_kept| is_kept).count();
        Ok(self.keep_mask()?.map_or(n_test, count))
    }

    /// Mask of the flagged training rows.
    pub(super) fn flags(&self) -> Result<&[bool]> {
        let flags = self.boolean_list(input::FLAGS)?;
        check_shape(input::FLAGS, &[self.shape()?.1], &[flags.len()])?;
        Ok(flags)
    }

    /// Subsets of the training rows.
    pub(super) fn checked_subsets(&self) -> Result<&Subsets> {
        let subsets = match self.required(input::SUBSETS)? {
            InputArray::Subsets(subsets) => subsets,
            other => {
                let expected = "booleans (n_subsets, n_train), or `Subsets` made of positions";
                return Err(Error::parameter(input::SUBSETS, other.kind(), expected));
            }
        };
        let (expected, actual) = (self.shape()?.1, subsets.n_train());
        if expected == actual {
            Ok(subsets)
        } else {
            Err(Error::shape(input::SUBSETS, &[expected], &[actual]).part("training cases"))
        }
    }

    /// Outputs, `(n_subsets, n_test)`; `None` if logits take their place.
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
        // If outputs and logits are both missing, the error is about the outputs.
        if self.get(input::LOGITS).is_none() {
            self.required(input::OUTPUTS)?;
        }
        let logits = self.number_array::<Ix3>(input::LOGITS)?;
        let targets = self.integer_list(input::TARGETS)?;
        let n_test = self.shape()?.0;
        // Any number of classes but 0.
        let expected = [n_subsets, n_test, logits.dim().2.max(1)];
        check_shape(input::LOGITS, &expected, logits.shape())?;
        check_finite(input::LOGITS, logits)?;
        check_shape(input::TARGETS, &[n_test], &[targets.len()])?;
        Ok((logits, targets.to_vec()))
    }

    /// Positions of the training rows that were left out, and the drops of the outputs, `(n_removed, n_test)`.
    pub(super) fn removed_and_drops(&self) -> Result<(Vec<usize>, ArrayView2<'_, f64>)> {
        let (n_test, n_train) = self.shape()?;
        let removed = self.positions(input::REMOVED)?;
        let drops = self.number_array::<Ix2>(input::DROPS)?;
        check_cases(input::REMOVED, &removed, n_train)?;
        // One or two cases may really have the positions 0 and 1; repeated zeros and ones for more cases are a mask.
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

    /// Mask of the relevant training rows, `(n_test, n_train)`.
    pub(super) fn relevance(&self) -> Result<ArrayView2<'_, bool>> {
        let relevant = self.boolean_array::<Ix2>(input::RELEVANT)?;
        let (n_test, n_train) = self.shape()?;
        check_shape(input::RELEVANT, &[n_test, n_train], relevant.shape())?;
        Ok(relevant)
    }

    /// Scores and flags of the training rows. Their lengths are not compared.
    pub(super) fn scores_and_flags(&self) -> Result<(&[f64], &[bool])> {
        let scores = self.number_list(input::SCORES)?;
        Ok((scores, self.boolean_list(input::FLAGS)?))
    }

    /// Log-probabilities before and after the training steps. Their shapes are not compared.
    pub(super) fn given_log_probs(&self) -> Result<(&[f64], ArrayView2<'_, f64>)> {
        let before = self.number_list(input::LOG_PROB)?;
        Ok((before, self.number_array(input::LOG_PROB_AFTER)?))
    }

    /// Numbers of top cases, and predictions without them. Their shapes are not compared.
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

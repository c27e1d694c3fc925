//! Inputs by their description, for front ends that read them from files or other languages.

use ndarray::{ArrayViewD, Dimension, Ix1, Ix2};
use xai_core::describe::{Element, InputSpec};
use xai_core::tensor::check_shape;
use xai_core::{Input, Result};

use crate::data::{CounterfactualData, not_of_kind};
use crate::input;
use crate::schema::Schema;

/// An array of an [input](input::INPUTS).
#[derive(Debug, Clone)]
pub enum InputArray<'a> {
    /// Finite numbers.
    Numbers(ArrayViewD<'a, f64>),
    /// Classes or positions.
    Integers(ArrayViewD<'a, i64>),
    /// Booleans.
    Booleans(ArrayViewD<'a, bool>),
}

/// The description of an input, if it is an array.
#[must_use]
pub fn spec(which: Input) -> Option<&'static InputSpec> {
    input::INPUTS.iter().find(|spec| spec.input == which)
}

impl CounterfactualData<'_> {
    /// Sets the array of an input that describes the queries or the counterfactuals.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_counterfactual::{CounterfactualData, InputArray, Schema, input};
    /// let (schema, row) = (Schema::numeric(1), array![[0.0]]);
    /// let class = array![3].into_dyn();
    /// let data = CounterfactualData::new(&schema, row.view(), row.view(), &[0])?
    ///     .with(input::CLASS, InputArray::Integers(class.view()))?;
    /// assert!(data.has(input::CLASS) && !data.has(input::PREDICTED));
    /// # Ok::<(), xai_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidParameter` for an input with a method of its own ([`new`](Self::new), [`others`](Self::others),
    /// [`reference`](Self::reference)) and for an array of another type, `ShapeMismatch`, and as the methods of the
    /// input.
    pub fn with(self, which: Input, array: InputArray<'_>) -> Result<Self> {
        let element = spec(which).map(|spec| spec.element);
        match (element, array) {
            (Some(Element::Class), InputArray::Integers(array)) if array.ndim() == 1 => {
                self.classes(which, &array.iter().copied().collect::<Vec<i64>>())
            }
            (Some(Element::Class), InputArray::Integers(array)) => {
                self.predictions(which, with_axes::<_, Ix2>(which, array)?)
            }
            (Some(Element::Number), InputArray::Numbers(array)) if array.ndim() == 1 => {
                self.numbers(which, &array.iter().copied().collect::<Vec<f64>>())
            }
            (Some(Element::Number), InputArray::Numbers(array)) => {
                self.reconstruction(which, with_axes::<_, Ix2>(which, array)?)
            }
            (Some(Element::Boolean), InputArray::Booleans(array)) => {
                let valid = with_axes::<_, Ix1>(which, array)?;
                self.valid(&valid.to_vec())
            }
            (_, InputArray::Numbers(_)) => Err(not_of_kind(which, "numbers")),
            (_, InputArray::Integers(_)) => Err(not_of_kind(which, "integers")),
            (_, InputArray::Booleans(_)) => Err(not_of_kind(which, "booleans")),
        }
    }

    /// Returns whether an input is known, given or derived: metrics that need known inputs only can be computed.
    ///
    /// [`TARGET`](input::TARGET) is also known by the class of the queries (any other one is wanted),
    /// [`ROW_CLASS`](input::ROW_CLASS) by the target or the predicted class.
    #[must_use]
    pub fn has(&self, which: Input) -> bool {
        match which {
            input::QUERIES | input::COUNTERFACTUALS | input::QUERY => true,
            input::SCHEMA => *self.schema() != Schema::numeric(self.schema().n_columns()),
            input::TRAIN => self.known_reference().is_some(),
            input::TRAIN_LABELS => self
                .known_reference()
                .is_some_and(|reference| reference.labels().is_ok()),
            input::TARGET => [input::TARGET, input::CLASS]
                .iter()
                .any(|&which| self.known_classes(which).is_some()),
            input::ROW_CLASS => self.row_class().is_ok(),
            input::VALID => self.validity().is_some(),
            input::MODEL => self.require_model().is_ok(),
            input::CONSTRAINTS => self.require_rules().is_ok(),
            input::REQUESTED => self.known_requested().is_some(),
            input::OTHERS | input::OTHER_QUERY => self.require_others().is_ok(),
            input::RUNS => !self.runs().is_empty(),
            _ => {
                self.known_classes(which).is_some()
                    || self.known_numbers(which).is_some()
                    || self.require_table(which).is_ok()
                    || self.require_predictions(which).is_ok()
            }
        }
    }
}

impl CounterfactualData<'_> {
    /// Returns those of some inputs that are not [known](Self::has): a metric can be computed if none of its inputs is
    /// missing.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_counterfactual::{CounterfactualData, Schema, input, registry};
    /// let schema = Schema::numeric(1);
    /// let data = CounterfactualData::new(&schema, array![[0.0]].view(), array![[2.0]].view(), &[0])?;
    /// let ynn = registry::find("ynn")?;
    /// assert!(data.missing(ynn.info.needs).contains(&input::TRAIN));
    /// # Ok::<(), xai_core::Error>(())
    /// ```
    #[must_use]
    pub fn missing(&self, needs: &[Input]) -> Vec<Input> {
        needs
            .iter()
            .copied()
            .filter(|&need| !self.has(need))
            .collect()
    }
}

fn with_axes<T, D: Dimension>(
    which: Input,
    array: ArrayViewD<'_, T>,
) -> Result<ndarray::ArrayView<'_, T, D>> {
    let shape = array.shape().to_vec();
    array.into_dimensionality().map_err(|_| {
        let expected = vec![0; D::NDIM.unwrap_or_default()];
        check_shape(which, &expected, &shape).expect_err("another number of axes")
    })
}

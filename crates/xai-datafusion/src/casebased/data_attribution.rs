//! Metrics of training-data attribution: a row is a test case, with the list of its attributions.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Float64Array};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use ndarray::ArrayView2;
use xai_casebased::data_attribution::{
    AttributionData, AttributionMetric, AttributionRandomization, ClassAuroc, ClassDetection,
    ClassRecall, HitAtK, LeaveOneOutCorrelation, LinearDatamodelingScore, MeanReciprocalRank,
    MixedDatasets, RecallAtK, ShortcutDetection, SubclassDetection, Subsets,
};
use xai_casebased::input;
use xai_core::describe::Described;
use xai_core::parallel;

use crate::function::{Argument, Kind, Lists, failed, present};
use crate::scalar::ScalarDefinition;

const ATTRIBUTIONS: Argument = Argument::new("attributions", Kind::Numbers);

macro_rules! functions {
    ($($name:literal: $metric:ty, $sides:ident ($($argument:expr),+), $example:literal;)+) => {
        /// One function each, by the name of the metric.
        pub(crate) static FUNCTIONS: &[ScalarDefinition] = &[$(ScalarDefinition {
            name: $name,
            metric: Some(<$metric>::INFO),
            description: $sides::DESCRIPTION,
            example: $example,
            arguments: &[$($argument),+],
            result: || DataType::Float64,
            values: |call| {
                let metric = call.set(<$metric>::default())?;
                Ok(Box::new(move |columns| {
                    let values = values::<_, $sides<'_>>(&metric, columns);
                    Ok(Arc::new(values.map_err(|error| failed($name, error))?))
                }))
            },
        }),+];
    };
}

functions! {
    "class_detection": ClassDetection,
        Classes(ATTRIBUTIONS, Classes::LABELS, Classes::CLASS, Argument::parameter::<ClassDetection>("k")),
        "SELECT exact_avg(class_detection(attributions, train_labels, predicted, 5)) FROM explained";
    "subclass_detection": SubclassDetection,
        Classes(ATTRIBUTIONS, Classes::LABELS, Classes::CLASS, Argument::parameter::<SubclassDetection>("k")),
        "SELECT exact_avg(subclass_detection(attributions, train_subclasses, subclass)) FROM explained WHERE predicted = class";
    "class_auroc": ClassAuroc, Classes(ATTRIBUTIONS, Classes::LABELS, Classes::CLASS),
        "SELECT exact_avg(class_auroc(attributions, train_labels, predicted)) FROM explained";
    "class_recall": ClassRecall, Classes(ATTRIBUTIONS, Classes::LABELS, Classes::CLASS),
        "SELECT exact_avg(class_recall(attributions, train_labels, predicted)) FROM explained";
    "shortcut_detection": ShortcutDetection, Flags(ATTRIBUTIONS, Flags::LIST),
        "SELECT exact_avg(shortcut_detection(attributions, has_shortcut)) FROM explained WHERE predicted = 3 AND class <> 3";
    "mixed_datasets": MixedDatasets, Flags(ATTRIBUTIONS, Flags::LIST),
        "SELECT exact_avg(mixed_datasets(attributions, is_foreign)) FROM explained";
    "mean_reciprocal_rank": MeanReciprocalRank, Relevant(ATTRIBUTIONS, Relevant::LIST),
        "SELECT exact_avg(mean_reciprocal_rank(attributions, relevant)) FROM explained";
    "hit_at_k": HitAtK, Relevant(ATTRIBUTIONS, Relevant::LIST, Argument::parameter::<HitAtK>("k")),
        "SELECT exact_avg(hit_at_k(attributions, relevant, 10)) FROM explained";
    "recall_at_k": RecallAtK, Relevant(ATTRIBUTIONS, Relevant::LIST, Argument::parameter::<RecallAtK>("k")),
        "SELECT exact_avg(recall_at_k(attributions, relevant, 10)) FROM explained";
    "attribution_randomization": AttributionRandomization,
        Random(ATTRIBUTIONS, Random::LIST, Argument::parameter::<AttributionRandomization>("correlation")),
        "SELECT exact_avg(attribution_randomization(attributions, random_attributions)) FROM explained";
    "leave_one_out_correlation": LeaveOneOutCorrelation,
        Drops(ATTRIBUTIONS, Drops::LIST, Argument::parameter::<LeaveOneOutCorrelation>("correlation")),
        "SELECT test, leave_one_out_correlation(array_agg(attribution ORDER BY removed), array_agg(drop ORDER BY removed)) \
         FROM retrained GROUP BY test";
    "linear_datamodeling_score": LinearDatamodelingScore,
        Outputs(
            Argument::new("sums", Kind::Numbers), Outputs::LIST,
            Argument::parameter::<LinearDatamodelingScore>("correlation")
        ),
        "SELECT test, linear_datamodeling_score(array_agg(sum ORDER BY subset), array_agg(output ORDER BY subset)) \
         FROM (SELECT test, subset, exact_sum(attribution) AS sum FROM attributions JOIN subsets USING (train) \
         GROUP BY test, subset) JOIN outputs USING (test, subset) GROUP BY test";
}

/// Inputs of a metric in addition to the attributions.
trait SideInputs<'a> {
    /// Number of columns, including that of the attributions.
    const COLUMNS: usize;

    fn new(columns: &'a [ArrayRef]) -> Self;

    /// Returns whether a row can be evaluated in one batch with the rows from `first` on, which have the same number
    /// of attributions.
    fn can_join(&self, first: usize, row: usize) -> bool;

    /// Returns the values of a batch of rows.
    fn values<M: AttributionMetric>(
        &self,
        metric: &M,
        attributions: ArrayView2<'_, f64>,
        rows: Range<usize>,
    ) -> xai_core::Result<Vec<Option<f64>>>;
}

/// The values of all rows. Consecutive rows that [can be joined](SideInputs::can_join) are evaluated together, as the
/// rows of an array.
fn values<'a, M: AttributionMetric, B: SideInputs<'a>>(
    metric: &M,
    columns: &'a [ArrayRef],
) -> xai_core::Result<Float64Array> {
    let attributions = Lists::new::<Float64Type>(&columns[0]);
    let sides = B::new(columns);
    let columns = &columns[..B::COLUMNS];
    let nulls: Vec<_> = columns.iter().filter_map(present).collect();
    let is_present = |row: usize| nulls.iter().all(|nulls| nulls.is_valid(row));
    let n_rows = columns[0].len();
    let mut values = Vec::with_capacity(n_rows);
    while values.len() < n_rows {
        let first = values.len();
        if !is_present(first) {
            values.push(None);
            continue;
        }
        let n = attributions.row(first).len();
        let can_join = |row: &usize| {
            is_present(*row) && attributions.row(*row).len() == n && sides.can_join(first, *row)
        };
        let rows = first
            ..(first + 1..n_rows)
                .find(|row| !can_join(row))
                .unwrap_or(n_rows);
        let matrix = attributions.matrix(&rows);
        // The engine has a thread for each of its partitions.
        let computed = parallel::with_work_size(0, || sides.values(metric, matrix, rows));
        values.extend(computed?);
    }
    Ok(values.into())
}

impl<'a> Lists<'a, f64> {
    /// Neighbouring rows of one length.
    fn matrix(&self, rows: &Range<usize>) -> ArrayView2<'a, f64> {
        let shape = (rows.len(), self.row(rows.start).len());
        ArrayView2::from_shape(shape, self.rows(rows)).expect("rows of one length")
    }
}

/// Classes of the training cases, and of the test case.
struct Classes<'a> {
    labels: Lists<'a, i64>,
    classes: &'a [i64],
}

impl Classes<'_> {
    const LABELS: Argument = Argument::new("train_labels", Kind::Classes);
    const CLASS: Argument = Argument::new("test_class", Kind::Class);
    const DESCRIPTION: &'static str = "A row is a test case: its attributions to all training cases, their classes, and its class, the true or the \
         predicted one. NULL if an argument is NULL.";
}

impl<'a> SideInputs<'a> for Classes<'a> {
    const COLUMNS: usize = 3;

    fn new(columns: &'a [ArrayRef]) -> Self {
        Self {
            labels: Lists::new::<Int64Type>(&columns[1]),
            classes: columns[2].as_primitive::<Int64Type>().values(),
        }
    }

    /// The classes of the training cases are most often those of all rows.
    fn can_join(&self, first: usize, row: usize) -> bool {
        self.labels.row(first) == self.labels.row(row)
    }

    fn values<M: AttributionMetric>(
        &self,
        metric: &M,
        attributions: ArrayView2<'_, f64>,
        rows: Range<usize>,
    ) -> xai_core::Result<Vec<Option<f64>>> {
        let data = AttributionData::new(attributions)
            .with(input::TRAIN_LABELS, self.labels.row(rows.start))
            .with(input::TEST_CLASSES, &self.classes[rows]);
        Ok(metric.evaluate(&data)?.per_sample)
    }
}

/// The truth values of a column of lists.
struct TruthLists<'a> {
    offsets: &'a [i32],
    elements: &'a BooleanArray,
}

impl<'a> TruthLists<'a> {
    fn new(column: &'a ArrayRef) -> Self {
        let lists = column.as_list::<i32>();
        Self {
            offsets: lists.value_offsets(),
            elements: lists.values().as_boolean(),
        }
    }

    fn len(&self, row: usize) -> usize {
        (self.offsets[row + 1] - self.offsets[row]) as usize
    }

    /// Returns the truth values of consecutive rows.
    fn rows(&self, rows: &Range<usize>) -> impl Iterator<Item = bool> + use<'_> {
        let elements = self.offsets[rows.start] as usize..self.offsets[rows.end] as usize;
        elements.map(|element| self.elements.value(element))
    }
}

/// Flags of the training rows.
struct Flags<'a>(TruthLists<'a>);

impl Flags<'_> {
    const LIST: Argument = Argument::new("flags", Kind::Truths);
    const DESCRIPTION: &'static str = "A row is a test case: its attributions to all training cases, and which of those are flagged. NULL if an argument is NULL.";
}

impl<'a> SideInputs<'a> for Flags<'a> {
    const COLUMNS: usize = 2;

    fn new(columns: &'a [ArrayRef]) -> Self {
        Self(TruthLists::new(&columns[1]))
    }

    /// The flags are most often those of all rows.
    fn can_join(&self, first: usize, row: usize) -> bool {
        let of = |row: usize| self.0.rows(&(row..row + 1));
        of(first).eq(of(row))
    }

    fn values<M: AttributionMetric>(
        &self,
        metric: &M,
        attributions: ArrayView2<'_, f64>,
        rows: Range<usize>,
    ) -> xai_core::Result<Vec<Option<f64>>> {
        let flags: Vec<bool> = self.0.rows(&(rows.start..rows.start + 1)).collect();
        let data = AttributionData::new(attributions).with(input::FLAGS, &flags);
        Ok(metric.evaluate(&data)?.per_sample)
    }
}

/// Relevance of the training rows to the test row.
struct Relevant<'a>(TruthLists<'a>);

impl Relevant<'_> {
    const LIST: Argument = Argument::new("relevant", Kind::Truths);
    const DESCRIPTION: &'static str = "A row is a test case: its attributions to all training cases, and which of those are relevant to it. NULL if an argument is NULL or if nothing is relevant.";
}

impl<'a> SideInputs<'a> for Relevant<'a> {
    const COLUMNS: usize = 2;

    fn new(columns: &'a [ArrayRef]) -> Self {
        Self(TruthLists::new(&columns[1]))
    }

    fn can_join(&self, first: usize, row: usize) -> bool {
        self.0.len(first) == self.0.len(row)
    }

    fn values<M: AttributionMetric>(
        &self,
        metric: &M,
        attributions: ArrayView2<'_, f64>,
        rows: Range<usize>,
    ) -> xai_core::Result<Vec<Option<f64>>> {
        let shape = (rows.len(), self.0.len(rows.start));
        let relevant: Vec<bool> = self.0.rows(&rows).collect();
        let relevant = ArrayView2::from_shape(shape, &relevant).expect("rows of one length");
        let data = AttributionData::new(attributions).with(input::RELEVANT, relevant);
        Ok(metric.evaluate(&data)?.per_sample)
    }
}

/// Declares side inputs that are one list of numbers per row.
macro_rules! numbers {
    ($($name:ident($argument:literal, $description:literal): |$metric:ident, $attributions:ident, $numbers:ident| $values:expr;)+) => {$(
        struct $name<'a>(Lists<'a, f64>);

        impl $name<'_> {
            const LIST: Argument = Argument::new($argument, Kind::Numbers);
            const DESCRIPTION: &'static str = $description;
        }

        impl<'a> SideInputs<'a> for $name<'a> {
            const COLUMNS: usize = 2;

            fn new(columns: &'a [ArrayRef]) -> Self {
                Self(Lists::new::<Float64Type>(&columns[1]))
            }

            fn can_join(&self, first: usize, row: usize) -> bool {
                self.0.row(first).len() == self.0.row(row).len()
            }

            fn values<M: AttributionMetric>(
                &self,
                $metric: &M,
                $attributions: ArrayView2<'_, f64>,
                rows: Range<usize>,
            ) -> xai_core::Result<Vec<Option<f64>>> {
                let $numbers = self.0.matrix(&rows);
                Ok($values?.per_sample)
            }
        }
    )+};
}

numbers! {
    Random("random_attributions",
        "A row is a test case: its attributions to all training cases, and those by the model with random weights. NULL if an argument is NULL or if either list is constant."):
        |metric, attributions, random| metric.evaluate(&AttributionData::new(attributions).random_attributions(random));
    Drops("drops",
        "A row is a test case: its attributions to the training cases that were left out, one after the other, and how far \
         its output falls without each. NULL if an argument is NULL or if either list is constant."):
        |metric, attributions, drops| {
            let removed: Vec<usize> = (0..attributions.ncols()).collect();
            metric.evaluate(&AttributionData::new(attributions).with(input::REMOVED, &removed).with(input::DROPS, drops.t()))
        };
    Outputs("outputs",
        "A row is a test case: the sums of its attributions over the cases of each subset, and what the model that was \
         trained on the subset answers. A case that a subset has twice counts twice in the sum. NULL if an argument is NULL or if either list is constant."):
        |metric, attributions, outputs| {
            // The sums are there already: each is a subset of one.
            let n = attributions.ncols();
            let subsets = Subsets::from_cases(n, (0..n).map(|at| [at]))?;
            metric.evaluate(&AttributionData::new(attributions).with(input::SUBSETS, &subsets).with(input::OUTPUTS, outputs.t()))
        };
}

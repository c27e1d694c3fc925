//! The nearest training rows, as an aggregate over their distances.

use std::cmp::Ordering;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Float64Builder, Int64Builder, ListBuilder, StructArray,
};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, Field, Fields, Float64Type, Int64Type};
use datafusion::common::{Result, exec_err};
use serde::{Deserialize, Serialize};

use crate::aggregate::{Definition, Metric, Rows, StoredStates, bytes_state};
use crate::casebased::explain::ExplainCases;
use crate::function::{Argument, Call, Kind, list};

pub(crate) const NEAREST_CASES: Definition = Definition {
    name: "nearest_cases",
    description: "The k training rows at the least distances, nearest first, equal distances by the lower id: a struct \
                  of three lists, ids, labels and distances; NULL without rows, all rows where there are fewer. Every \
                  partition keeps its own nearest k, which are then merged, so that the training rows may lie on any \
                  number of machines. ids are integers, all different; a distance below 0 or NaN is an error.",
    example: "SELECT s.id, nearest_cases(t.id, t.label, feature_distance(s.features, t.features), 5) AS nearest \
              FROM samples AS s CROSS JOIN training AS t GROUP BY s.id",
    arguments: &[
        Argument::new("id", Kind::Class),
        Argument::new("label", Kind::Class),
        Argument::new("distance", Kind::Number),
        Argument {
            is_optional: false,
            ..Argument::parameter::<ExplainCases>("k")
        },
    ],
    result: || DataType::Struct(near_cases_fields()),
    state: bytes_state,
    groups: |call: &Call| {
        Ok(Box::new(StoredStates::new(NearestMetric {
            function: call.function,
            k: call.set(ExplainCases::default())?.k,
        })))
    },
};

/// The lists of a struct of cases.
pub(crate) fn near_cases_fields() -> Fields {
    Fields::from(vec![
        Field::new("ids", list(DataType::Int64), true),
        Field::new("labels", list(DataType::Int64), true),
        Field::new("distances", list(DataType::Float64), true),
    ])
}

#[derive(Clone)]
struct NearestMetric {
    function: &'static str,
    k: usize,
}

/// A training row beside a sample.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct NearCase {
    pub(crate) distance: f64,
    pub(crate) id: i64,
    pub(crate) label: i64,
}

impl NearCase {
    /// Ascending distance, equal distances by the lower id.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let by_id = || self.id.cmp(&other.id);
        self.distance.total_cmp(&other.distance).then_with(by_id)
    }
}

/// The nearest so far, and what may be among them: sorted out once there are twice as many as asked for.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct NearCases {
    cases: Vec<NearCase>,
    /// No case beyond it is among the nearest; only where it is known.
    bound: Option<f64>,
}

impl NearCases {
    #[inline]
    pub(crate) fn add(&mut self, case: NearCase, k: usize) {
        if self.bound.is_some_and(|bound| case.distance > bound) {
            return;
        }
        self.cases.push(case);
        if self.cases.len() >= 2 * k.max(16) {
            self.keep(k);
        }
    }

    /// Keeps the nearest alone, nearest first.
    pub(crate) fn keep(&mut self, k: usize) {
        if self.cases.len() > k {
            self.cases.select_nth_unstable_by(k, NearCase::order);
            self.cases.truncate(k);
        }
        self.cases.sort_unstable_by(NearCase::order);
        if self.cases.len() == k {
            self.bound = self.cases.last().map(|case| case.distance);
        }
    }

    /// The nearest, after [`keep`](Self::keep).
    pub(crate) fn cases(&self) -> &[NearCase] {
        &self.cases
    }
}

impl Metric for NearestMetric {
    type State = NearCases;

    fn empty(&self) -> NearCases {
        NearCases::default()
    }

    fn update(&mut self, states: &mut [NearCases], rows: &Rows<'_>) -> Result<()> {
        let [ids, labels] =
            [0, 1].map(|at| rows.arguments[at].as_primitive::<Int64Type>().values());
        let distances = rows.arguments[2].as_primitive::<Float64Type>().values();
        let mut wrong = None;
        let counted = rows.counted(&[0, 1, 2]);
        rows.for_each(counted.as_ref(), |row, group| {
            // Adding 0 makes -0 the 0 it is equal to.
            let distance = distances[row] + 0.0;
            if distance >= 0.0 {
                let (id, label) = (ids[row], labels[row]);
                states[group].add(
                    NearCase {
                        distance,
                        id,
                        label,
                    },
                    self.k,
                );
            } else {
                wrong = Some(distance);
            }
        });
        match wrong {
            Some(distance) => exec_err!(
                "{}: distance = {distance}: expected a distance, at least 0",
                self.function
            ),
            None => Ok(()),
        }
    }

    fn settle(&self, state: &mut NearCases) -> Result<()> {
        state.keep(self.k);
        Ok(())
    }

    fn merge(&self, state: &mut NearCases, other: NearCases) -> Result<()> {
        for &case in other.cases() {
            state.add(case, self.k);
        }
        Ok(())
    }

    fn values(&self, states: &[NearCases]) -> Result<ArrayRef> {
        near_cases_column(states.iter().map(NearCases::cases))
    }

    fn allocated(&self, state: &NearCases) -> usize {
        state.cases.capacity() * size_of::<NearCase>()
    }
}

/// Structs of lists.
pub(crate) fn near_cases_column<'a>(
    lists: impl Iterator<Item = &'a [NearCase]>,
) -> Result<ArrayRef> {
    let mut ids = ListBuilder::new(Int64Builder::new());
    let mut labels = ListBuilder::new(Int64Builder::new());
    let mut distances = ListBuilder::new(Float64Builder::new());
    let mut present = Vec::new();
    for cases in lists {
        for case in cases {
            ids.values().append_value(case.id);
            labels.values().append_value(case.label);
            distances.values().append_value(case.distance);
        }
        let is_present = !cases.is_empty();
        ids.append(is_present);
        labels.append(is_present);
        distances.append(is_present);
        present.push(is_present);
    }
    let columns: Vec<ArrayRef> = vec![
        Arc::new(ids.finish()),
        Arc::new(labels.finish()),
        Arc::new(distances.finish()),
    ];
    debug_assert!(columns.iter().all(|column| column.len() == present.len()));
    let nulls = NullBuffer::from(present);
    Ok(Arc::new(StructArray::try_new(
        near_cases_fields(),
        columns,
        Some(nulls),
    )?))
}

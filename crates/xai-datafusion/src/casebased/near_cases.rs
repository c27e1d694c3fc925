//! Lists of the training rows that are nearest to a sample.

use std::cmp::Ordering;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, Float64Builder, Int64Builder, ListBuilder, StructArray,
};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, Field, Fields};
use datafusion::common::Result;
use serde::{Deserialize, Serialize};

use crate::function::list;

/// A training row with its distance from a sample.
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

/// Candidates for the `k` nearest cases, reduced to the nearest `k` whenever there are `2 * max(k, 16)`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct NearCases {
    pub(super) cases: Vec<NearCase>,
    /// Upper bound of the distances of the nearest cases. `None` until a reduction has kept `k` cases.
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

    /// Reduces the candidates to the nearest `k`, sorted by distance.
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

    /// The candidates. Directly after [`keep`](Self::keep), these are the nearest cases, sorted.
    pub(crate) fn cases(&self) -> &[NearCase] {
        &self.cases
    }
}

/// Fields of a struct of cases: one list each of ids, labels and distances.
pub(crate) fn near_cases_fields() -> Fields {
    Fields::from(vec![
        Field::new("ids", list(DataType::Int64), true),
        Field::new("labels", list(DataType::Int64), true),
        Field::new("distances", list(DataType::Float64), true),
    ])
}

/// A column of structs of lists, NULL where a list of cases is empty.
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

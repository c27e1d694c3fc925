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

/// The nearest so far, and what may be among them: reduced to the nearest `k` once there are `2 * max(k, 16)`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct NearCases {
    pub(super) cases: Vec<NearCase>,
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

/// The lists of a struct of cases.
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

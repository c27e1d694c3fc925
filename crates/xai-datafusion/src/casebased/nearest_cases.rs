//! The nearest training rows, as an aggregate over their distances.

use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::{Result, exec_err};

use crate::aggregate::{Definition, Metric, Rows, StoredStates, bytes_state};
use crate::casebased::explain::ExplainCases;
use crate::casebased::near_cases::{NearCase, NearCases, near_cases_column, near_cases_fields};
use crate::function::{Argument, Call, Kind};

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

#[derive(Clone)]
struct NearestMetric {
    function: &'static str,
    k: usize,
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

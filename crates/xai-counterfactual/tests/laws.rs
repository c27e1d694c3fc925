//! Laws of the metrics, on drawn data with numeric, categorical and one-hot features.

use ndarray::{Array2, Axis, array};
use proptest::prelude::*;
use xai_core::Direction;
use xai_core::describe::{Setting, Value};
use xai_counterfactual::metric::*;
use xai_counterfactual::{
    CounterfactualData, CounterfactualMetric, CounterfactualValues, Feature, MixedDistance,
    Reference, Rule, Schema, ZeroScale, input, registry,
};

/// Data for all metrics: features are two numbers, a category and a one-hot group.
#[derive(Debug, Clone)]
struct Drawn {
    queries: Array2<f64>,
    rows: Array2<f64>,
    query: Vec<usize>,
    train: Array2<f64>,
    labels: Vec<i64>,
    class: Vec<i64>,
    predicted: Vec<i64>,
}

fn schema() -> Schema {
    let features = vec![
        Feature::numeric(0).range(-4.0, 4.0),
        Feature::ordinal(1).step(1.0),
        Feature::categorical(2),
        Feature::one_hot(3..5).named("hot"),
    ];
    Schema::new(5, features).unwrap()
}

fn rows(n: impl Into<proptest::collection::SizeRange>) -> impl Strategy<Value = Array2<f64>> {
    // Few values, so that rows tie and repeat as in real tables.
    let row = (-8..=8_i32, 0..4_i32, 0..3_i32, any::<bool>());
    prop::collection::vec(row, n).prop_map(|rows| {
        let values = rows.iter().flat_map(|&(a, b, c, hot)| {
            [
                f64::from(a) / 2.0,
                f64::from(b),
                f64::from(c),
                f64::from(hot),
                f64::from(!hot),
            ]
        });
        Array2::from_shape_vec((rows.len(), 5), values.collect()).unwrap()
    })
}

fn drawn() -> impl Strategy<Value = Drawn> {
    (rows(1..5), rows(0..9), rows(6..25)).prop_flat_map(|(queries, counterfactuals, train)| {
        let (n, m, t) = (queries.nrows(), counterfactuals.nrows(), train.nrows());
        let lists = (
            prop::collection::vec(0..n, m),
            prop::collection::vec(0..2_i64, t),
            prop::collection::vec(0..2_i64, n),
            prop::collection::vec(0..2_i64, m),
        );
        lists.prop_map(move |(query, labels, class, predicted)| Drawn {
            queries: queries.clone(),
            rows: counterfactuals.clone(),
            query,
            train: train.clone(),
            labels,
            class,
            predicted,
        })
    })
}

impl Drawn {
    fn reference(&self) -> Reference {
        Reference::new(schema(), self.train.view(), Some(&self.labels)).unwrap()
    }

    fn data<'a>(&self, schema: &'a Schema, reference: &'a Reference) -> CounterfactualData<'a> {
        let (n, m) = (self.queries.nrows(), self.rows.nrows());
        let twice = |classes: &[i64]| {
            Array2::from_shape_fn((m, 2), |(row, copy)| (classes[row] + copy as i64) % 2)
        };
        CounterfactualData::new(schema, self.queries.view(), self.rows.view(), &self.query)
            .and_then(|data| data.reference(reference))
            .and_then(|data| data.classes(input::CLASS, &self.class))
            .and_then(|data| data.classes(input::PREDICTED, &self.predicted))
            .and_then(|data| data.requested(m.max(1)))
            .and_then(|data| data.numbers(input::P_TARGET, &vec![0.75; m]))
            .and_then(|data| data.numbers(input::P_TARGET_QUERY, &vec![0.25; n]))
            .and_then(|data| {
                data.reconstruction(input::RECONSTRUCTION_TARGET, (&self.rows + 0.5).view())
            })
            .and_then(|data| {
                data.reconstruction(input::RECONSTRUCTION_ORIGIN, (&self.rows - 1.0).view())
            })
            .and_then(|data| data.reconstruction(input::RECONSTRUCTION_ALL, self.rows.view()))
            .and_then(|data| {
                data.predictions(input::NOISY_PREDICTIONS, twice(&self.predicted).view())
            })
            .and_then(|data| data.predictions(input::MODEL_PREDICTIONS, twice(&self.predicted).t()))
            .and_then(|data| {
                data.rules(vec![Rule {
                    cause: 0,
                    direction: 1,
                    effect: 1,
                    effect_direction: 1,
                    strict: false,
                }])
            })
            .and_then(|data| data.others(self.rows.view(), &self.query))
            .unwrap()
            .model(|rows| {
                Ok(rows
                    .rows()
                    .into_iter()
                    .map(|row| i64::from(row[0] > 0.0))
                    .collect())
            })
    }

    fn evaluate(&self, name: &str, settings: &[(String, Value)]) -> CounterfactualValues {
        let (schema, reference) = (schema(), self.reference());
        registry::find(name)
            .unwrap()
            .computation
            .evaluate(settings, &self.data(&schema, &reference))
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The same counterfactuals in another order.
    fn reordered(&self, order: &[usize]) -> Self {
        let pick = |values: &[i64]| order.iter().map(|&row| values[row]).collect();
        Self {
            rows: self.rows.select(Axis(0), order),
            query: order.iter().map(|&row| self.query[row]).collect(),
            predicted: pick(&self.predicted),
            ..self.clone()
        }
    }
}

fn setting(text: &str) -> Setting {
    text.parse().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn values_lie_in_the_range_and_summaries_follow(drawn in drawn()) {
        for entry in registry::METRICS {
            let found = drawn.evaluate(entry.info.name, &[]);
            prop_assert_eq!(found.per_query.len(), drawn.queries.nrows());
            prop_assert_eq!(found.n_undefined, found.per_query.iter().filter(|value| value.is_none()).count());
            for value in found.per_query.iter().chain(found.per_counterfactual.iter().flatten()).flatten() {
                prop_assert!(entry.info.range.contains(*value), "{}: {} is not in {}", entry.info.name, value, entry.info.range);
            }
        }
    }

    #[test]
    fn the_order_of_the_rows_permutes_values_and_changes_no_mean(
        (drawn, order) in drawn().prop_flat_map(|drawn| {
            let order: Vec<usize> = (0..drawn.rows.nrows()).collect();
            (Just(drawn), Just(order).prop_shuffle())
        })
    ) {
        let other = drawn.reordered(&order);
        for entry in registry::METRICS {
            let (a, b) = (drawn.evaluate(entry.info.name, &[]), other.evaluate(entry.info.name, &[]));
            // A determinant is rounded by the order of its rows, and so is the sum of two means.
            let close = |a: Option<f64>, b: Option<f64>| a.is_some() == b.is_some() && (a.unwrap_or(0.0) - b.unwrap_or(0.0)).abs() < 1e-12;
            prop_assert!(close(a.value, b.value), "{}: {:?} and {:?}", entry.info.name, a.value, b.value);
            if let (Some(a), Some(b)) = (a.per_counterfactual, b.per_counterfactual) {
                prop_assert!(order.iter().zip(b).all(|(&row, b)| a[row] == b), "{}", entry.info.name);
            }
        }
    }

    #[test]
    fn the_query_as_its_counterfactual_costs_and_changes_nothing(drawn in drawn()) {
        let n = drawn.queries.nrows();
        let own = Drawn { rows: drawn.queries.clone(), query: (0..n).collect(), predicted: drawn.class.clone(), ..drawn };
        let all = ("rows".to_owned(), Value::from("all"));
        for name in ["proximity", "sparsity", "cost"] {
            prop_assert!(own.evaluate(name, std::slice::from_ref(&all)).per_query.iter().all(|value| *value == Some(0.0)), "{name}");
        }
        let count = [("score".to_owned(), Value::from("count")), all.clone()];
        prop_assert!(own.evaluate("redundancy", &count).per_query.iter().all(|value| *value == Some(0.0)));
        prop_assert!(own.evaluate("validity", &[]).per_query.iter().all(|value| *value == Some(0.0)));
        let relative = own.evaluate("relative-distance", &[all]);
        prop_assert!(relative.per_query.iter().flatten().all(|value| *value == 0.0));
    }

    #[test]
    fn training_rows_are_plausible(drawn in drawn()) {
        // Each query gets the training rows of its target as counterfactuals.
        let wanted: Vec<(usize, usize)> = (0..drawn.queries.nrows())
            .flat_map(|query| (0..drawn.train.nrows()).map(move |row| (query, row)))
            .filter(|&(query, row)| drawn.labels[row] != drawn.class[query])
            .collect();
        let picked: Vec<usize> = wanted.iter().map(|&(_, row)| row).collect();
        let real = Drawn {
            rows: drawn.train.select(Axis(0), &picked),
            query: wanted.iter().map(|&(query, _)| query).collect(),
            predicted: picked.iter().map(|&row| drawn.labels[row]).collect(),
            ..drawn.clone()
        };
        let nearest = real.evaluate("nearest-distance", &setting("m(k=1)").params);
        prop_assert!(nearest.per_counterfactual.unwrap().iter().all(|value| *value == Some(0.0)));
        // On a row of its class; undefined if a row of the other class is the same.
        let trust = real.evaluate("trust-score", &[]).per_counterfactual.unwrap();
        prop_assert!(trust.iter().flatten().all(|value| *value == 1.0));
        let relative = real.evaluate("relative-distance", &setting("m(over=best)").params);
        prop_assert!(relative.per_query.iter().flatten().all(|value| (value - 1.0).abs() < 1e-12), "{:?}", relative.per_query);
    }

    #[test]
    fn sparsity_is_the_distance_by_changes_and_ynn_of_all_rows_the_share_of_the_class(drawn in drawn()) {
        let changed = drawn.evaluate("proximity", &setting("m(distance=changed)").params);
        prop_assert_eq!(drawn.evaluate("sparsity", &[]).per_counterfactual, changed.per_counterfactual);
        let k = drawn.train.nrows();
        let all = drawn.evaluate("ynn", &setting(&format!("m(k={k}, rows=all)")).params).per_counterfactual.unwrap();
        for (value, class) in all.into_iter().zip(&drawn.predicted) {
            let share = drawn.labels.iter().filter(|label| *label == class).count() as f64 / k as f64;
            prop_assert_eq!(value, Some(share));
        }
        let ratio = drawn.evaluate("trust-score", &setting("m(score=ratio)").params).per_counterfactual.unwrap();
        let share = drawn.evaluate("trust-score", &[]).per_counterfactual.unwrap();
        for (ratio, share) in ratio.into_iter().zip(share) {
            if let (Some(ratio), Some(share)) = (ratio, share) {
                prop_assert!((ratio - share / (1.0 - share)).abs() <= 1e-9 * ratio.max(1.0));
            }
        }
    }

    #[test]
    fn mixed_distances_do_not_depend_on_the_unit_of_a_number_or_the_names_of_categories(drawn in drawn()) {
        let renamed = |rows: &Array2<f64>| {
            let mut rows = rows.clone();
            rows.column_mut(1).mapv_inplace(|x| 8.0 * x - 3.0);
            rows.column_mut(2).mapv_inplace(|x| [7.0, -1.0, 0.0][x as usize]);
            rows
        };
        let other = Drawn { queries: renamed(&drawn.queries), rows: renamed(&drawn.rows), train: renamed(&drawn.train), ..drawn.clone() };
        for distance in ["gower", "heom", "mad"] {
            for name in ["proximity", "diversity", "nearest-distance", "ynn"] {
                let options = setting(&format!("m(distance={distance}, rows=all)")).params;
                let (a, b) = (drawn.evaluate(name, &options), other.evaluate(name, &options));
                for (a, b) in a.per_query.iter().zip(&b.per_query) {
                    prop_assert_eq!(a.is_some(), b.is_some(), "{} {}", name, distance);
                    prop_assert!((a.unwrap_or(0.0) - b.unwrap_or(0.0)).abs() < 1e-9, "{} {}: {:?} {:?}", name, distance, a, b);
                }
            }
        }
    }

    #[test]
    fn searches_equal_a_scan_of_all_distances(drawn in drawn()) {
        for distance in [MixedDistance::Gower, MixedDistance::Heom, MixedDistance::Mad, MixedDistance::Changed, MixedDistance::Manhattan, MixedDistance::Chebyshev] {
            let (schema, reference) = (schema(), drawn.reference());
            let data = drawn.data(&schema, &reference);
            let found = NearestDistance::new().k(1).among(AmongRows::All).distance(distance).zero_scale(ZeroScale::One).rows(xai_counterfactual::Rows::All).evaluate(&data).unwrap();
            // Proximity of every training row as if it were a counterfactual of the row.
            for (row, nearest) in found.per_counterfactual.unwrap().into_iter().enumerate() {
                let query = drawn.rows.select(Axis(0), &[row]);
                if query.index_axis(Axis(0), 0).iter().skip(3).sum::<f64>() != 1.0 {
                    continue;
                }
                let all = vec![0; drawn.train.nrows()];
                let pairs = CounterfactualData::new(&schema, query.view(), drawn.train.view(), &all).unwrap().reference(&reference).unwrap();
                let pairs = Proximity::new().distance(distance).zero_scale(ZeroScale::One).evaluate(&pairs).unwrap();
                let least = pairs.per_counterfactual.unwrap().into_iter().flatten().fold(f64::INFINITY, f64::min);
                prop_assert!((nearest.unwrap() - least).abs() < 1e-12, "{:?}: {:?} and {}", distance, nearest, least);
            }
        }
    }

    #[test]
    fn a_set_is_at_distance_0_from_itself_and_as_far_from_another_as_that_from_it(drawn in drawn(), others in rows(1..6)) {
        let (schema, reference) = (schema(), drawn.reference());
        let same = SetDistance::new().evaluate(&drawn.data(&schema, &reference)).unwrap();
        prop_assert!(same.per_query.iter().flatten().all(|value| *value == 0.0));
        let (zeros, queries) = (vec![0; others.nrows()], &drawn.queries);
        let set = |a: &Array2<f64>, of_a: &[usize], b: &Array2<f64>, of_b: &[usize]| {
            let data = CounterfactualData::new(&schema, queries.view(), a.view(), of_a).unwrap().reference(&reference).unwrap();
            SetDistance::new().evaluate(&data.others(b.view(), of_b).unwrap()).unwrap().per_query
        };
        prop_assert_eq!(set(&drawn.rows, &drawn.query, &others, &zeros), set(&others, &zeros, &drawn.rows, &drawn.query));
    }
}

#[test]
fn a_duplicate_takes_the_determinant_to_0_and_leaves_the_neighbours_of_others() {
    let schema = Schema::numeric(1);
    let train = array![[0.0], [1.0], [5.0], [6.0]];
    let reference = Reference::new(schema.clone(), train.view(), Some(&[0, 0, 1, 1])).unwrap();
    let evaluate = |rows: Array2<f64>| {
        let query = vec![0; rows.nrows()];
        let data =
            CounterfactualData::new(&schema, array![[0.0]].view(), rows.view(), &query).unwrap();
        let data = data
            .reference(&reference)
            .unwrap()
            .classes(input::PREDICTED, &vec![1; rows.nrows()])
            .unwrap();
        (
            DppDiversity::new().evaluate(&data).unwrap().value,
            Ynn::new()
                .k(2)
                .evaluate(&data)
                .unwrap()
                .per_counterfactual
                .unwrap(),
        )
    };
    let (before, neighbors) = evaluate(array![[4.0], [6.0]]);
    let (after, with_twin) = evaluate(array![[4.0], [6.0], [6.0]]);
    assert!(before > Some(0.0));
    assert_eq!((after, with_twin[..2].to_vec()), (Some(0.0), neighbors));
}

#[test]
fn every_metric_has_a_direction_a_range_and_sections() {
    for info in registry::FAMILY.infos() {
        assert!(
            !info.summary.is_empty()
                && !info.formula.is_empty()
                && !info.extremes.is_empty()
                && !info.limits.is_empty()
                && !info.source.is_empty(),
            "{}",
            info.name
        );
        assert!(
            info.direction != Direction::None || info.name == "change-agreement",
            "{}",
            info.name
        );
    }
    assert_eq!(registry::FAMILY.infos().count(), 29);
}

//! Engines over classes, and rows with mixed columns.

use std::sync::Arc;

use ndarray::{Array2, Axis, array};
use proptest::prelude::*;
use xai_neighbors::{
    ClassSearch, Distance, Engine, ErrorKind, MixedAggregation, MixedEmbedding, MixedFeature,
    Nearest, input,
};

use crate::engines::{bits, plain_scan};

fn table(n: std::ops::Range<usize>) -> impl Strategy<Value = Array2<f64>> {
    // Few values, so that rows tie. The last two columns are indicators of one category.
    let row = (-4..=4_i8, 0..3_u8, 0..2_u8);
    prop::collection::vec(row, n).prop_map(|rows| {
        let values = rows.iter().flat_map(|&(number, code, indicator)| {
            let indicator = f64::from(indicator);
            [
                f64::from(number) / 2.0,
                f64::from(code),
                indicator,
                1.0 - indicator,
            ]
        });
        Array2::from_shape_vec((rows.len(), 4), values.collect()).unwrap()
    })
}

fn features(weight: f64) -> Vec<MixedFeature> {
    vec![
        MixedFeature::Number {
            column: 0,
            factor: 0.3 * weight,
        },
        MixedFeature::Category {
            columns: vec![1],
            weight,
        },
        MixedFeature::Category {
            columns: vec![2, 3],
            weight,
        },
    ]
}

fn mixed_scan(
    aggregation: MixedAggregation,
    features: &[MixedFeature],
    query: &[f64],
    train: &Array2<f64>,
    k: usize,
) -> Vec<Nearest> {
    let rows = train.rows().into_iter().enumerate();
    let distances = rows.map(|(index, row)| Nearest {
        index,
        distance: aggregation.distance(features, query, &row.to_vec()),
    });
    let mut all: Vec<Nearest> = distances.collect();
    all.sort_by(|a, b| {
        a.distance
            .total_cmp(&b.distance)
            .then(a.index.cmp(&b.index))
    });
    all.truncate(k);
    all
}

proptest! {
    #[test]
    fn merged_classes_give_the_neighbours_among_all_rows(
        train in table(2..40),
        labels in prop::collection::vec(0..3_i64, 40),
        queries in table(1..4),
        k in 1_usize..8,
    ) {
        let labels = &labels[..train.nrows()];
        let distance = Distance::Manhattan;
        let plain = MixedEmbedding::identity(distance.clone());
        let train = Arc::new(train);
        let search = ClassSearch::new(&train, labels, plain, k).unwrap();
        let mut merged: Vec<Vec<Nearest>> = vec![Vec::new(); queries.nrows()];
        for (position, class) in search.classes().enumerate() {
            let found = search.nearest_batch(position, queries.view(), k).unwrap();
            for (all, found) in merged.iter_mut().zip(found) {
                prop_assert!(found.iter().all(|near| labels[near.index] == class));
                all.extend(found);
            }
            // Without the row itself.
            let own = search.indices(position);
            let others = search.leave_one_out(position, train.select(Axis(0), own).view(), own, k).unwrap();
            for (&row, others) in own.iter().zip(others) {
                prop_assert_eq!(others.len(), k.min(own.len() - 1));
                prop_assert!(others.iter().all(|near| near.index != row && labels[near.index] == class));
            }
        }
        for (query, mut merged) in queries.rows().into_iter().zip(merged) {
            merged.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.index.cmp(&b.index)));
            merged.truncate(k);
            let expected = plain_scan(train.view(), &distance, &query.to_vec(), k);
            prop_assert_eq!(bits(&merged), bits(&expected));
        }
    }

    #[test]
    fn neighbours_are_those_of_a_scan_by_the_mixed_distance(
        train in table(1..40),
        mut queries in table(1..4),
        unknown in any::<bool>(),
        k in 1_usize..8,
    ) {
        if unknown {
            queries[[0, 1]] = 77.0;
        }
        for aggregation in [MixedAggregation::Sum, MixedAggregation::Norm, MixedAggregation::FractionDifferent] {
            let features = features(if aggregation == MixedAggregation::Sum { 1.0 / 3.0 } else { 1.0 });
            let embedding = MixedEmbedding::fit(&features, aggregation, train.view());
            let rows = Arc::new(train.clone());
            let search = ClassSearch::new(&rows, &vec![0; rows.nrows()], embedding, 5).unwrap();
            let found = search.nearest_batch(0, queries.view(), k).unwrap();
            for (query, found) in queries.rows().into_iter().zip(found) {
                let expected = mixed_scan(aggregation, &features, &query.to_vec(), &rows, k);
                prop_assert_eq!(bits(&found), bits(&expected));
            }
        }
    }
}

#[test]
fn different_categories_differ_by_their_weight() {
    // 1/√2 per indicator would give 0.9999999999999998 and 1.0000000000000002 by the order of the columns.
    let train = array![[0.0], [1.0], [2.0]];
    let category = [MixedFeature::Category {
        columns: vec![0],
        weight: 1.0,
    }];
    for aggregation in [MixedAggregation::Sum, MixedAggregation::Norm] {
        let embedding = MixedEmbedding::fit(&category, aggregation, train.view());
        let rows = embedding.embed(train.view());
        let search = Engine::Auto
            .build(rows.view(), embedding.distance().clone())
            .unwrap();
        let found = search
            .nearest(&embedding.embed(array![[1.0]].view()).row(0).to_vec(), 3)
            .unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|near| (near.index, near.distance))
            .collect();
        assert_eq!(found, [(1, 0.0), (0, 1.0), (2, 1.0)]);
    }
}

#[test]
fn missing_classes_and_wrong_rows_are_errors() {
    let train = Arc::new(array![[0.0], [1.0], [2.0]]);
    let plain = || MixedEmbedding::identity(Distance::Euclidean);
    let error = ClassSearch::new(&train, &[0, 1], plain(), 1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::ShapeMismatch { .. }));
    let error = ClassSearch::new(&Arc::default(), &[], plain(), 1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Empty));
    let minkowski = MixedEmbedding::identity(Distance::Minkowski(0.5));
    let error = ClassSearch::new(&train, &[0, 1, 0], minkowski, 1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidParameter { .. }));
    let search = ClassSearch::new(&train, &[0, 1, 0], plain(), 1).unwrap();
    assert_eq!(
        (search.position_of(1), search.position_of(2)),
        (Some(1), None)
    );
    let error = search
        .leave_one_out(0, train.select(Axis(0), &[2, 1]).view(), &[2, 1], 1)
        .unwrap_err();
    assert_eq!((error.input(), error.index()), (input::TRAIN, &[1][..]));
    let broken = Arc::new(array![[0.0], [1.0], [f64::NAN]]);
    let error = ClassSearch::new(&broken, &[0, 1, 0], plain(), 1).unwrap_err();
    assert_eq!((error.input(), error.index()), (input::TRAIN, &[2, 0][..]));
}

#[test]
fn queries_are_checked_before_they_are_embedded() {
    let train = Arc::new(array![[0.0, 1.0], [1.0, 2.0]]);
    let embedding = MixedEmbedding::fit(&two_features(0.1), MixedAggregation::Sum, train.view());
    let search = ClassSearch::new(&train, &[0, 0], embedding, 1).unwrap();
    let narrow = search
        .nearest_batch(0, array![[0.0]].view(), 1)
        .unwrap_err();
    assert!(matches!(narrow.kind(), ErrorKind::ShapeMismatch { .. }));
    let missing = search
        .nearest_batch(0, array![[0.0, f64::NAN]].view(), 1)
        .unwrap_err();
    assert_eq!(
        (missing.input(), missing.index()),
        (input::QUERIES, &[0, 1][..])
    );
}

/// A number and a category.
fn two_features(factor: f64) -> [MixedFeature; 2] {
    [
        MixedFeature::Number { column: 0, factor },
        MixedFeature::Category {
            columns: vec![1],
            weight: 0.5,
        },
    ]
}

#[test]
fn rows_on_both_sides_of_a_query_tie() {
    // In f64, 2 · 0.1 − 1 · 0.1 is not 3 · 0.1 − 2 · 0.1.
    for first in [0.0, 1.7e9] {
        let train = Arc::new(array![[first + 3.0], [first + 1.0], [first + 9.0], [first]]);
        for factor in [0.1, 1.0 / 3.0, 1.0 / 73.0] {
            let features = [MixedFeature::Number { column: 0, factor }];
            for aggregation in [MixedAggregation::Sum, MixedAggregation::Norm] {
                let embedding = MixedEmbedding::fit(&features, aggregation, train.view());
                let search = ClassSearch::new(&train, &[0; 4], embedding, 1).unwrap();
                let found = search
                    .nearest_batch(0, array![[first + 2.0]].view(), 1)
                    .unwrap();
                assert_eq!(
                    found[0].nearest,
                    [Nearest {
                        index: 0,
                        distance: factor
                    }]
                );
            }
        }
    }
}

#[test]
fn rows_with_many_categories_are_scanned() {
    // Embedded, they would take 72 MB.
    let train = Array2::from_shape_fn(
        (3_000, 2),
        |(i, j)| if j == 0 { (i % 7) as f64 } else { i as f64 },
    );
    let train = Arc::new(train);
    let features = two_features(0.1);
    for aggregation in [
        MixedAggregation::Sum,
        MixedAggregation::Norm,
        MixedAggregation::FractionDifferent,
    ] {
        let embedding = MixedEmbedding::fit(&features, aggregation, train.view());
        let search = ClassSearch::new(&train, &[0; 3_000], embedding, 3).unwrap();
        let queries = array![[3.2, 2_999.0], [6.0, 5_000.0]];
        let found = search.nearest_batch(0, queries.view(), 4).unwrap();
        for (query, found) in queries.rows().into_iter().zip(found) {
            let expected = mixed_scan(aggregation, &features, &query.to_vec(), &train, 4);
            assert_eq!(bits(&found), bits(&expected));
        }
        let own = search
            .leave_one_out(0, train.select(Axis(0), &[5]).view(), &[5], 1)
            .unwrap();
        assert_eq!(own[0][0].index, 12); // the next row with the same number
    }
}

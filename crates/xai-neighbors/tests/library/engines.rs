//! Every engine gives the answer of a plain scan, to the last bit.

use ndarray::{Array2, ArrayView2, Axis};
use proptest::prelude::*;
use xai_core::distance::{DistanceFunction, Mahalanobis};
use xai_neighbors::{
    BruteForce, Distance, Engine, ErrorKind, KdTree, Nearest, NeighborSearch, Neighbors, distances,
    help, input,
};

/// The answer that every engine promises: the neighbours and how many rows tie at rank `k`.
pub(crate) fn plain_scan(
    train: ArrayView2<'_, f64>,
    distance: &Distance,
    query: &[f64],
    k: usize,
) -> Neighbors {
    let mut all: Vec<Nearest> = train
        .rows()
        .into_iter()
        .enumerate()
        .map(|(index, row)| Nearest {
            index,
            distance: distance.distance(&row.to_vec(), query),
        })
        .collect();
    all.sort_by(|a, b| {
        a.distance
            .total_cmp(&b.distance)
            .then(a.index.cmp(&b.index))
    });
    let cut = all.split_off(k.min(all.len()));
    let tied = |near: &&Nearest| {
        all.last()
            .is_some_and(|last| last.distance == near.distance)
    };
    let n_left_out = cut.iter().filter(tied).count();
    let n_kept = all.iter().filter(tied).count();
    Neighbors {
        ties_at_k: if n_left_out > 0 {
            n_left_out + n_kept
        } else {
            0
        },
        nearest: all,
    }
}

fn engines(
    train: ArrayView2<'_, f64>,
    distance: &Distance,
) -> Vec<(&'static str, Box<dyn NeighborSearch>)> {
    let mut engines: Vec<(&'static str, Box<dyn NeighborSearch>)> = vec![
        (
            "brute",
            Box::new(BruteForce::new(train, distance.clone()).unwrap()),
        ),
        (
            "direct",
            Box::new(BruteForce::without_filter(train, distance.clone()).unwrap()),
        ),
        (
            "filtered",
            Box::new(BruteForce::with_filter(train, distance.clone()).unwrap()),
        ),
    ];
    engines.push(("auto", Engine::Auto.build(train, distance.clone()).unwrap()));
    if KdTree::supports(distance) {
        engines.push((
            "kd-tree",
            Box::new(KdTree::new(train, distance.clone()).unwrap()),
        ));
    }
    engines
}

pub(crate) fn bits(found: &[Nearest]) -> Vec<(usize, u64)> {
    found
        .iter()
        .map(|n| (n.index, n.distance.to_bits()))
        .collect()
}

#[derive(Debug, Clone)]
struct Problem {
    train: Array2<f64>,
    queries: Array2<f64>,
    distance: Distance,
    k: usize,
}

/// Values of very different kinds: smooth ones, a coarse grid full of ties, far from the origin,
/// very large and very small.
fn value(kind: u8) -> BoxedStrategy<f64> {
    match kind {
        0 => (-3.0..3.0f64).boxed(),
        1 => (0i8..4).prop_map(f64::from).boxed(),
        2 => (0i8..100).prop_map(|x| 1e6 + f64::from(x) * 1e-3).boxed(),
        3 => (-1e150..1e150f64).boxed(),
        4 => (1e-160..9e-160f64).boxed(),
        _ => prop_oneof![Just(0.0), -1e-3..1e-3f64, -1e5..1e5f64].boxed(),
    }
}

fn problem() -> impl Strategy<Value = Problem> {
    let distance = (0usize..14, 1.0..12.0f64).prop_map(|(which, p)| match which {
        0 | 1 => Distance::Euclidean,
        2 => Distance::SquaredEuclidean,
        3 => Distance::Manhattan,
        4 => Distance::Chebyshev,
        5 => Distance::Minkowski(p),
        6 | 7 => Distance::Cosine,
        8 => Distance::Canberra,
        9 => Distance::BrayCurtis,
        10 => Distance::Correlation,
        11 => Distance::Minkowski(1.0),
        12 => Distance::Minkowski(2.0),
        _ => Distance::Hamming,
    });
    (
        1usize..300,
        1usize..40,
        1usize..6,
        0u8..6,
        distance,
        1usize..40,
    )
        .prop_flat_map(|(n, d, m, kind, distance, k)| {
            (
                prop::collection::vec(value(kind), n * d),
                prop::collection::vec(value(kind), m * d),
                prop::collection::vec(any::<prop::sample::Index>(), 8),
            )
                .prop_map(move |(train, queries, picks)| {
                    let mut train = Array2::from_shape_vec((n, d), train).unwrap();
                    let mut queries = Array2::from_shape_vec((m, d), queries).unwrap();
                    // Duplicates among the rows, and a query that is a row.
                    for pair in picks[..6].chunks(2) {
                        let from = train.row(pair[0].index(n)).to_owned();
                        train.row_mut(pair[1].index(n)).assign(&from);
                    }
                    let from = train.row(picks[6].index(n)).to_owned();
                    queries.row_mut(picks[7].index(m)).assign(&from);
                    // A row of one feature is constant.
                    let distance = match &distance {
                        Distance::Correlation if d == 1 => Distance::Cosine,
                        distance => distance.clone(),
                    };
                    if matches!(distance, Distance::Correlation) {
                        for mut row in train.rows_mut().into_iter().chain(queries.rows_mut()) {
                            let first = row[0];
                            if row.iter().all(|&x| x == first) {
                                row[0] = if first == 0.0 { 1.0 } else { -first };
                            }
                        }
                    }
                    if matches!(distance, Distance::Cosine) {
                        for mut row in train.rows_mut().into_iter().chain(queries.rows_mut()) {
                            if row.iter().all(|&x| x == 0.0) {
                                row[0] = 1.0;
                            }
                        }
                    }
                    Problem {
                        train,
                        queries,
                        distance,
                        k,
                    }
                })
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn every_engine_gives_the_bits_of_a_plain_scan(p in problem()) {
        check_all_pairs(&p.queries, &p.train, &p.distance);
        for (name, engine) in engines(p.train.view(), &p.distance) {
            let found = match engine.nearest_batch(p.queries.view(), p.k) {
                Ok(found) => found,
                // Squares of 1e150 are beyond f64; who takes them says so.
                Err(e) => {
                    let beyond = matches!(e.kind(), ErrorKind::OutOfDomain { value, .. } if value.is_infinite());
                    prop_assert!(beyond);
                    prop_assert_eq!(e.help(), Some(help::SCALE_FEATURES_DOWN));
                    continue;
                }
            };
            for (query, found) in p.queries.rows().into_iter().zip(found) {
                let expected = plain_scan(p.train.view(), &p.distance, &query.to_vec(), p.k);
                prop_assert_eq!(bits(&found), bits(&expected), "{} {:?}", name, p.distance);
                prop_assert_eq!(found.ties_at_k, expected.ties_at_k, "{} {:?}", name, p.distance);
            }
        }
    }

    #[test]
    fn mahalanobis_of_every_engine_is_that_of_a_plain_scan(
        values in prop::collection::vec(-3.0..3.0f64, 60 * 4),
        queries in prop::collection::vec(-4.0..4.0f64, 3 * 4),
        k in 1usize..20,
    ) {
        let train = Array2::from_shape_vec((60, 4), values).unwrap();
        let queries = Array2::from_shape_vec((3, 4), queries).unwrap();
        let distance = Distance::Mahalanobis(Mahalanobis::from_rows(train.view()).unwrap());
        check_all_pairs(&queries, &train, &distance);
        for (name, engine) in engines(train.view(), &distance) {
            let found = engine.nearest_batch(queries.view(), k).unwrap();
            for (query, found) in queries.rows().into_iter().zip(found) {
                let expected = plain_scan(train.view(), &distance, &query.to_vec(), k);
                prop_assert_eq!(bits(&found), bits(&expected), "{}", name);
                prop_assert_eq!(found.ties_at_k, expected.ties_at_k, "{}", name);
            }
        }
    }
}

proptest! {
    #[test]
    fn a_row_left_out_is_the_answer_of_a_scan_without_it(p in problem()) {
        let indices: Vec<usize> = (0..p.train.nrows()).rev().collect();
        let rows = p.train.select(Axis(0), &indices);
        let scans: Vec<_> = indices.iter().map(|&index| {
            let others: Vec<usize> = (0..indices.len()).filter(|&row| row != index).collect();
            let query = p.train.row(index).to_vec();
            plain_scan(p.train.select(Axis(0), &others).view(), &p.distance, &query, p.k)
        }).collect();
        for (name, engine) in engines(p.train.view(), &p.distance) {
            let Ok(found) = engine.leave_one_out(rows.view(), &indices, p.k) else {
                continue; // distances beyond f64, as above
            };
            for ((&index, mut found), expected) in indices.iter().zip(found).zip(&scans) {
                for near in &mut found.nearest {
                    // The scan does not have the row itself.
                    near.index -= usize::from(near.index > index);
                }
                prop_assert_eq!(bits(&found), bits(expected), "{} {:?} {}", name, p.distance, index);
                prop_assert_eq!(found.ties_at_k, expected.ties_at_k, "{} {:?} {}", name, p.distance, index);
            }
        }
    }
}

/// All distances are those of the pairs, to the last bit.
fn check_all_pairs(from: &Array2<f64>, to: &Array2<f64>, distance: &Distance) {
    let found = distances(from.view(), to.view(), distance).unwrap();
    for ((i, j), found) in found.indexed_iter() {
        let expected = distance.distance(&from.row(i).to_vec(), &to.row(j).to_vec());
        assert_eq!(found.to_bits(), expected.to_bits(), "{distance:?} {i} {j}");
    }
}

#[test]
fn distances_of_no_rows_are_empty_and_bad_rows_are_errors() {
    let (rows, none) = (
        ndarray::array![[1.0, 2.0], [3.0, 3.0]],
        Array2::zeros((0, 2)),
    );
    let of = |from: &Array2<f64>, to: &Array2<f64>| {
        distances(from.view(), to.view(), &Distance::Correlation)
    };
    assert_eq!(
        of(&none, &rows.slice(ndarray::s![..1, ..]).to_owned())
            .unwrap()
            .dim(),
        (0, 1)
    );
    let featureless = Array2::zeros((3, 0));
    let zeros = distances(featureless.view(), featureless.view(), &Distance::Hamming);
    assert_eq!(zeros.unwrap(), Array2::<f64>::zeros((3, 3)));
    let error = of(&none, &rows).unwrap_err();
    assert_eq!((error.input(), error.index()), (input::ROWS, &[1][..]));
    let error = of(&rows, &featureless).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::ShapeMismatch { .. }));
    let error = distances(rows.view(), rows.view(), &Distance::Minkowski(0.5)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidParameter { .. }));
}

/// Several tiles of the matrix product, several levels of the tree, several blocks of queries and of all pairs.
#[test]
fn all_engines_agree_on_large_problems() {
    let mut state = 7u64;
    let mut value = |coarse: bool| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let x = (state >> 33) as f64 / f64::from(1u32 << 31);
        if coarse { (x * 6.0).floor() } else { x }
    };
    for (n, d, m, coarse) in [
        (6000, 3, 300, false),
        (6000, 3, 40, true),
        (3000, 12, 300, false),
        (5000, 25, 40, true),
    ] {
        let train = Array2::from_shape_simple_fn((n, d), || value(coarse));
        let queries = Array2::from_shape_simple_fn((m, d), || value(coarse));
        for distance in [
            Distance::Euclidean,
            Distance::Manhattan,
            Distance::Chebyshev,
            Distance::Correlation,
        ] {
            if distance.check_rows(input::ROWS, train.view()).is_err() {
                continue; // three coarse values are often equal
            }
            // More rows and queries than all pairs take at a time.
            let some = train.slice(ndarray::s![..700, ..]).to_owned();
            check_all_pairs(&queries, &some, &distance);
            for (name, engine) in engines(train.view(), &distance) {
                let found = engine.nearest_batch(queries.view(), 7).unwrap();
                assert_eq!(found.len(), m);
                for (query, found) in queries.rows().into_iter().zip(found).step_by(9) {
                    let expected = plain_scan(train.view(), &distance, &query.to_vec(), 7);
                    assert_eq!(bits(&found), bits(&expected), "{name} {distance}");
                }
            }
        }
    }
}

#[test]
fn bad_queries_are_errors_with_their_index() {
    let train = ndarray::array![[1.0, 2.0], [3.0, 4.0]];
    for (_, engine) in engines(train.view(), &Distance::Cosine) {
        let error = engine.nearest(&[0.0, 0.0], 1).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::OutOfDomain { .. }));
        assert_eq!((error.input(), error.index()), (input::QUERIES, &[0][..]));
    }
    for (_, engine) in engines(train.view(), &Distance::Euclidean) {
        let error = engine.nearest(&[1e200, 0.0], 1).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::OutOfDomain { .. }));
        assert_eq!((error.input(), error.index()), (input::QUERIES, &[0][..]));
        assert_eq!(error.help(), Some(help::SCALE_FEATURES_DOWN));
        assert!(engine.nearest(&[f64::NAN, 0.0], 1).is_err());
        assert!(engine.nearest(&[0.0], 1).is_err());
        assert_eq!(
            engine.nearest(&[0.0, 0.0], 0).unwrap(),
            Neighbors::default()
        );
        assert_eq!(engine.nearest(&[0.0, 0.0], 9).unwrap().len(), 2);
    }
}

/// Values that the single-precision filter cannot represent are compared in double precision.
#[test]
fn extreme_rows_are_found_by_all_engines() {
    let agree = |train: Array2<f64>, query: &[f64], distance: Distance| {
        let expected = plain_scan(train.view(), &distance, query, 3);
        for (name, engine) in engines(train.view(), &distance) {
            let found = engine.nearest(query, 3).unwrap();
            assert_eq!(bits(&found), bits(&expected), "{name} {distance}");
        }
    };
    // A centre at the query, and a row whose norm is beyond the filter.
    let mut wide = Array2::from_shape_fn((40, 3), |(i, _)| (i + 1) as f64);
    wide.row_mut(0).fill(1e308);
    wide.row_mut(39).fill(-1e308);
    wide.row_mut(30).fill(0.25);
    agree(wide, &[0.0; 3], Distance::Euclidean);
    // Squares that underflow: distances of 0 between rows that differ.
    let tiny = Array2::from_shape_fn((40, 30), |(i, _)| if i == 20 { 1.5e-162 } else { 3.1e-162 });
    agree(tiny.clone(), &[0.0; 30], Distance::Euclidean);
    agree(tiny.clone(), &[0.0; 30], Distance::SquaredEuclidean);
    agree(tiny, &[1.0; 30], Distance::Cosine);
}

#[test]
fn overflow_while_whitening_is_an_error_with_the_row() {
    let covariance = ndarray::array![[1e-30, 0.0], [0.0, 1e-30]];
    let distance = Distance::Mahalanobis(Mahalanobis::from_covariance(covariance.view()).unwrap());
    let train = ndarray::array![[1e300, 0.0], [0.0, 1.0]];
    let error = BruteForce::new(train.view(), distance.clone()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NonFinite));
    assert_eq!(
        (error.input(), error.index()),
        (input::TRAIN_WHITENED, &[0, 0][..])
    );
    let near = ndarray::array![[1.0, 0.0], [0.0, 1.0]];
    for (_, engine) in engines(near.view(), &distance) {
        let error = engine.nearest(&[0.0, 1e300], 1).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NonFinite));
        assert_eq!(
            (error.input(), error.index()),
            (input::QUERIES, &[0, 1][..])
        );
    }
}

//! The approximate search: recall, exact distances and order, parameters.

use ndarray::{Array2, array};
use xai_core::Input;
use xai_core::distance::DistanceFunction;
use xai_neighbors::{
    ApproximateSearch, BruteForce, Distance, Engine, ErrorKind, Hnsw, NeighborSearch, input,
};

fn rows(n: usize, d: usize, item: u64) -> Array2<f64> {
    let mut stream = xai_core::random::random_stream(6, item);
    Array2::from_shape_simple_fn((n, d), || xai_core::random::uniform(&mut stream))
}

#[test]
fn approximate_search_finds_most_neighbours_with_exact_distances() {
    let (train, queries) = (rows(600, 8, 0), rows(50, 8, 1));
    for distance in "euclidean manhattan cosine correlation minkowski:1 minkowski:2".split(' ') {
        let distance: Distance = distance.parse().unwrap();
        let search =
            ApproximateSearch::new(train.view(), distance.clone(), Hnsw::default()).unwrap();
        let recall = search.recall().unwrap();
        assert!((0.9..=1.0).contains(&recall), "{distance}: {recall}");
        let measured = search.measure_recall(queries.view(), 10).unwrap();
        assert!((0.9..=1.0).contains(&measured), "{distance}: {measured}");
        let exact = BruteForce::new(train.view(), distance.clone()).unwrap();
        let exact = exact.nearest_batch(queries.view(), 10).unwrap();
        let found = search.nearest_batch(queries.view(), 10).unwrap();
        let mut hits = 0;
        for ((found, exact), query) in found.iter().zip(&exact).zip(queries.rows()) {
            for pair in found.windows(2) {
                assert!((pair[0].distance, pair[0].index) < (pair[1].distance, pair[1].index));
            }
            for n in found {
                let own = distance.distance(&train.row(n.index).to_vec(), &query.to_vec());
                assert_eq!(n.distance.to_bits(), own.to_bits());
            }
            hits += found.iter().filter(|n| exact.contains(n)).count();
        }
        assert_eq!(measured, hits as f64 / 500.0);
    }
}

#[test]
fn building_twice_gives_the_same_graph() {
    let (train, queries) = (rows(600, 6, 2), rows(40, 6, 3));
    let found = || {
        let search = ApproximateSearch::new(train.view(), Distance::Euclidean, Hnsw::default());
        search.unwrap().nearest_batch(queries.view(), 5).unwrap()
    };
    assert_eq!(found(), found());
}

/// Rows and queries far outside the range of single precision keep their neighbours.
#[test]
fn recall_does_not_depend_on_the_scale() {
    let rows = rows(300, 4, 8);
    for (distance, by) in [
        (Distance::Euclidean, 1e30),
        (Distance::Manhattan, 1e-30),
        (Distance::Cosine, 1e120),
        (Distance::Cosine, 1e-120),
    ] {
        let train = rows.mapv(|x| x * by);
        let search =
            ApproximateSearch::new(train.view(), distance.clone(), Hnsw::default()).unwrap();
        let found = search.nearest(train.row(7).as_slice().unwrap(), 1).unwrap();
        assert!(
            found[0].distance < 1e-15 * by.max(1.0),
            "{distance} {by}: {found:?}"
        );
    }
    let search = ApproximateSearch::new(rows.view(), Distance::Cosine, Hnsw::default()).unwrap();
    let far: Vec<f64> = rows.row(3).iter().map(|x| x * 1e200).collect();
    assert!(search.nearest(&far, 1).unwrap()[0].distance < 1e-15);
}

#[test]
fn invalid_options_are_errors_with_the_parameter() {
    let train = array![[1.0, 2.0], [3.0, 4.0]];
    let refused = |distance, hnsw| {
        let error = ApproximateSearch::new(train.view(), distance, hnsw).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidParameter { .. }));
        error.input()
    };
    assert_eq!(
        refused(Distance::Canberra, Hnsw::default()),
        input::DISTANCE
    );
    let none = Hnsw::default().ef_search(0);
    assert_eq!(refused(Distance::Euclidean, none), Input::new("ef_search"));
    let lonely = Hnsw::default().connections(1);
    assert_eq!(
        refused(Distance::Euclidean, lonely),
        Input::new("connections")
    );
    let vast = Hnsw::default().ef_construction(usize::MAX);
    assert_eq!(
        refused(Distance::Euclidean, vast),
        Input::new("ef_construction")
    );
    let error = Engine::Approximate(vast).build(train.view(), Distance::Euclidean);
    assert_eq!(error.err().unwrap().input(), Input::new("ef_construction"));
    let search =
        ApproximateSearch::new(train.view(), Distance::Euclidean, Hnsw::default()).unwrap();
    assert!(search.nearest(&[f64::NAN, 0.0], 1).is_err());
    assert_eq!(search.nearest(&[1.0, 2.0], 9).unwrap().len(), 2);
    assert!(search.measure_recall(train.view(), 0).is_err());
}

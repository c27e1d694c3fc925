//! Which engine `Engine::Auto` becomes.

use ndarray::{Array2, ArrayView2, Axis, concatenate};
use xai_core::random::{random_stream, uniform, uniform_index};
use xai_neighbors::{Distance, Engine};

const MINKOWSKI: [Distance; 3] = [
    Distance::Euclidean,
    Distance::Manhattan,
    Distance::Chebyshev,
];

/// Independent features, uniform in [0, 1).
fn uniforms(n: usize, d: usize) -> Array2<f64> {
    let mut stream = random_stream(5, 0);
    Array2::from_shape_simple_fn((n, d), || uniform(&mut stream))
}

/// Cubes of edge 2 around 50 centres that are uniform in a cube of edge 20.
fn clusters(n: usize, d: usize) -> Array2<f64> {
    let centres = 20.0 * uniforms(50, d);
    let mut stream = random_stream(6, 0);
    let mut rows = Array2::zeros((n, d));
    for mut row in rows.rows_mut() {
        let centre = centres.row(uniform_index(&mut stream, 50));
        for (x, centre) in row.iter_mut().zip(centre) {
            *x = centre + 2.0 * uniform(&mut stream);
        }
    }
    rows
}

fn chosen(train: ArrayView2<'_, f64>, distance: &Distance, k: usize) -> Engine {
    let search = Engine::Auto.build_for(train, distance.clone(), k).unwrap();
    search.engine()
}

#[test]
fn tree_is_chosen_for_clusters_of_any_dimension() {
    for (n, d) in [(3_000, 12), (20_000, 12), (20_000, 24)] {
        let train = clusters(n, d);
        for distance in &MINKOWSKI {
            let engine = chosen(train.view(), distance, 5);
            assert_eq!(engine, Engine::KdTree, "{n} × {d}, {distance}");
        }
    }
}

#[test]
fn scan_is_chosen_for_many_independent_features() {
    for (n, d, k, engine) in [
        (20_000, 3, 5, Engine::KdTree),
        (20_000, 20, 5, Engine::BruteForce),
        (20_000, 20, 50, Engine::BruteForce),
        (600, 3, 5, Engine::KdTree),
        (600, 20, 5, Engine::BruteForce),
        (500, 3, 5, Engine::BruteForce),
    ] {
        let train = uniforms(n, d);
        for distance in &MINKOWSKI[..2] {
            assert_eq!(
                chosen(train.view(), distance, k),
                engine,
                "{n} × {d}, {k}, {distance}"
            );
        }
    }
}

#[test]
fn scan_is_chosen_when_all_rows_are_neighbours() {
    let train = uniforms(10_000, 4);
    assert_eq!(
        chosen(train.view(), &Distance::Euclidean, 5),
        Engine::KdTree
    );
    assert_eq!(
        chosen(train.view(), &Distance::Euclidean, 20_000),
        Engine::BruteForce
    );
}

#[test]
fn scan_is_chosen_for_distances_without_bounds() {
    let train = clusters(3_000, 4);
    for distance in ["cosine", "canberra", "braycurtis", "hamming", "correlation"] {
        let engine = chosen(train.view(), &distance.parse().unwrap(), 5);
        assert_eq!(engine, Engine::BruteForce, "{distance}");
    }
}

#[test]
fn choice_is_deterministic() {
    // Around the place where the engines cost the same, where a clock would waver.
    for d in 4..14 {
        let train = uniforms(9_000, d);
        let first = chosen(train.view(), &Distance::Euclidean, 5);
        for _ in 0..3 {
            assert_eq!(chosen(train.view(), &Distance::Euclidean, 5), first, "{d}");
        }
    }
}

/// Rows in a rhythm, equal rows, constant features, one that dwarfs the others, one-hot features.
#[test]
fn every_input_gets_an_engine() {
    let n = 40_000;
    // The last coordinate of a grid repeats every 16 rows.
    let grid = Array2::from_shape_fn((n, 3), |(i, j)| [i / 256, i / 16 % 16, i % 16][j] as f64);
    assert_eq!(chosen(grid.view(), &Distance::Euclidean, 5), Engine::KdTree);
    let equal = Array2::from_elem((n, 3), 7.0);
    // Each row ties with all others, so that both engines look at all of them.
    assert_eq!(
        chosen(equal.view(), &Distance::Manhattan, 5),
        Engine::BruteForce
    );
    let constant = concatenate![Axis(1), uniforms(n, 2), Array2::from_elem((n, 30), 3.0)];
    assert_eq!(
        chosen(constant.view(), &Distance::Euclidean, 5),
        Engine::KdTree
    );
    let mut dwarfing = uniforms(n, 20);
    dwarfing.column_mut(7).mapv_inplace(|x| x * 1e12);
    assert_eq!(
        chosen(dwarfing.view(), &Distance::Euclidean, 5),
        Engine::KdTree
    );
    let one_hot = Array2::from_shape_fn((n, 24), |(i, j)| {
        f64::from(u8::from(
            i.wrapping_mul(2_654_435_761) >> (3 * (j / 8)) & 7 == j % 8,
        ))
    });
    chosen(one_hot.view(), &Distance::Chebyshev, 5);
    let vast = 1e200 * uniforms(2_000, 3);
    chosen(vast.view(), &Distance::Euclidean, 5);
}

//! Bad input is named, with its place.

use xai_core::error::ErrorKind;
use xai_core::reliability::{
    Draws, MetaEvaluation, Perturbed, RankedValues, RatingLevel, inter_consistency,
    internal_consistency_reliability, intra_consistency, kendall_w, krippendorff_alpha,
    parameter_sensitivity, rank_stability,
};
use xai_core::{Direction, Error, input};

const GOOD: [[Option<f64>; 2]; 2] = [[Some(1.0), Some(2.0)], [Some(0.5), None]];
const NONE: [[Option<f64>; 2]; 0] = [];
const INFINITE: [[Option<f64>; 2]; 2] = [[Some(1.0), Some(2.0)], [Some(f64::INFINITY), None]];

fn is_about(error: Option<Error>, input: xai_core::Input, index: &[usize]) {
    let error = error.expect("an error");
    assert_eq!((error.input(), error.index()), (input, index), "{error}");
}

#[test]
fn what_is_wrong_with_a_table_has_its_place() {
    is_about(kendall_w(&NONE).err(), input::VALUES, &[]);
    is_about(kendall_w(&INFINITE).err(), input::VALUES, &[1, 0]);
    let ragged = [vec![Some(1.0)], vec![]];
    is_about(kendall_w(&ragged).err(), input::VALUES, &[1]);
    let perturbed = Perturbed::minor(&INFINITE[1][..]);
    is_about(
        intra_consistency(&GOOD[0], &perturbed).err(),
        input::PERTURBED,
        &[0],
    );
    is_about(
        krippendorff_alpha(&INFINITE, RatingLevel::Nominal).err(),
        input::RATINGS,
        &[1, 0],
    );
    is_about(
        parameter_sensitivity(&[GOOD, INFINITE], Direction::Lower).err(),
        input::SETTINGS,
        &[1, 1, 0],
    );
    let other = vec![vec![Some(1.0); 2]];
    let settings = [GOOD.map(Vec::from).to_vec(), other];
    is_about(
        parameter_sensitivity(&settings, Direction::Lower).err(),
        input::SETTINGS,
        &[1],
    );
    is_about(
        parameter_sensitivity::<[[Option<f64>; 2]; 2], _>(&[], Direction::Lower).err(),
        input::SETTINGS,
        &[],
    );
}

#[test]
fn tables_and_masks_of_other_shapes_are_refused() {
    let short = [[Some(1.0)], [Some(1.0)]];
    let perturbed = Perturbed::minor(&short[..]);
    is_about(
        inter_consistency(&GOOD, Direction::None, &perturbed).err(),
        input::PERTURBED,
        &[],
    );
    let perturbed = Perturbed::minor(&short[0][..]);
    is_about(
        intra_consistency(&GOOD[0], &perturbed).err(),
        input::PERTURBED,
        &[],
    );
    let perturbed = Perturbed::minor(&GOOD[..]).keep(&[true]);
    is_about(
        inter_consistency(&GOOD, Direction::None, &perturbed).err(),
        input::KEEP,
        &[],
    );
    let mut meta = MetaEvaluation::new(&GOOD, Direction::Lower).unwrap();
    is_about(meta.add(0, &perturbed).err(), input::KEEP, &[]);
    assert_eq!(meta.finish().iterations, []);
    let (a, b) = (
        RankedValues::new(&GOOD, Direction::Lower),
        RankedValues::new(&short, Direction::Lower),
    );
    is_about(
        internal_consistency_reliability(&a.unwrap(), &b.unwrap()).err(),
        input::VALUES,
        &[],
    );
}

#[test]
fn where_an_explainer_has_to_be_better_a_metric_needs_a_better_end() {
    let none = Direction::None;
    is_about(
        MetaEvaluation::new(&GOOD, none).err(),
        input::DIRECTION,
        &[],
    );
    is_about(
        rank_stability(&GOOD, none, Draws::default()).err(),
        input::DIRECTION,
        &[],
    );
    is_about(
        parameter_sensitivity(&[GOOD], none).err(),
        input::DIRECTION,
        &[],
    );
    let disruptive = Perturbed::disruptive(&GOOD[..]);
    is_about(
        inter_consistency(&GOOD, none, &disruptive).err(),
        input::DIRECTION,
        &[],
    );
}

#[test]
fn draws_are_of_samples_that_there_are() {
    let given = [vec![0, 1], vec![1, 2]];
    let error = rank_stability(&GOOD, Direction::Higher, Draws::Given(&given)).unwrap_err();
    assert!(matches!(
        error.kind(),
        ErrorKind::OutOfDomain { value: 2.0, .. }
    ));
    is_about(Some(error), input::DRAWS, &[1, 1]);
    for n_draws in [0, 1_000_001] {
        let draws = Draws::Seeded { n_draws, seed: 1 };
        is_about(
            rank_stability(&GOOD, Direction::Higher, draws).err(),
            input::N_DRAWS,
            &[],
        );
    }
    // A draw of what is left out is no draw.
    let stability = rank_stability(
        &GOOD,
        Direction::Higher,
        Draws::Given(&[vec![1], vec![0, 1]]),
    )
    .unwrap();
    assert_eq!(
        (
            stability.n_draws,
            stability.n_samples,
            stability.n_undefined
        ),
        (1, 1, 1)
    );
}

//! Errors of the reliability metrics: input, index and help.

use xai_core::ErrorKind;
use xai_core::reliability::{
    Draws, EXPLAINERS_IN_ROWS, MetaEvaluation, PerturbedValues, RATERS_IN_ROWS, RankedValues,
    RatingLevel, inter_consistency, inter_method_reliability, internal_consistency_reliability,
    intra_consistency, kendall_w, krippendorff_alpha, krippendorff_alpha_of_ranks,
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
fn errors_of_tables_have_input_and_index() {
    is_about(kendall_w(&NONE).err(), input::VALUES, &[]);
    is_about(kendall_w(&INFINITE).err(), input::VALUES, &[1, 0]);
    let ragged = [vec![Some(1.0)], vec![]];
    is_about(kendall_w(&ragged).err(), input::VALUES, &[1]);
    let perturbed = PerturbedValues::minor(&INFINITE[1][..]);
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
fn tables_and_masks_of_other_shapes_are_an_error() {
    let short = [[Some(1.0)], [Some(1.0)]];
    let perturbed = PerturbedValues::minor(&short[..]);
    is_about(
        inter_consistency(&GOOD, Direction::None, &perturbed).err(),
        input::PERTURBED,
        &[],
    );
    let perturbed = PerturbedValues::minor(&short[0][..]);
    is_about(
        intra_consistency(&GOOD[0], &perturbed).err(),
        input::PERTURBED,
        &[],
    );
    let perturbed = PerturbedValues::minor(&GOOD[..]).keep(&[true]);
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
fn comparisons_need_a_metric_with_a_better_end() {
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
    let disruptive = PerturbedValues::disruptive(&GOOD[..]);
    is_about(
        inter_consistency(&GOOD, none, &disruptive).err(),
        input::DIRECTION,
        &[],
    );
}

#[test]
fn draws_with_invalid_indices_or_numbers_are_an_error() {
    let given = [vec![0, 1], vec![1, 2]];
    let error = rank_stability(&GOOD, Direction::Higher, Draws::Indices(&given)).unwrap_err();
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
    // A draw that has only incomplete samples is not counted.
    let stability = rank_stability(
        &GOOD,
        Direction::Higher,
        Draws::Indices(&[vec![1], vec![0, 1]]),
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

/// Ranks of three explainers on four samples, one row per explainer.
const RANKS: [[f64; 4]; 3] = [
    [1.0, 1.0, 2.0, 1.0],
    [2.0, 3.0, 1.0, 2.0],
    [3.0, 2.0, 3.0, 3.0],
];

#[test]
fn ranks_with_exchanged_axes_are_an_error() {
    let by_explainer = RANKS.map(|row| row.map(Some));
    let by_sample: Vec<Vec<Option<f64>>> = (0..4)
        .map(|i| RANKS.iter().map(|row| Some(row[i])).collect())
        .collect();
    assert!(kendall_w(&by_explainer).unwrap().value > Some(0.5));
    let error = kendall_w(&by_sample).unwrap_err();
    assert_eq!(error.help(), Some(EXPLAINERS_IN_ROWS));
    is_about(Some(error), input::VALUES, &[]);
    let rated = krippendorff_alpha(&by_sample, RatingLevel::Ordinal).unwrap();
    assert_eq!(
        rated.value,
        krippendorff_alpha_of_ranks(&by_explainer).unwrap().value
    );
    let error = krippendorff_alpha(&by_explainer, RatingLevel::Ordinal).unwrap_err();
    assert_eq!(error.help(), Some(RATERS_IN_ROWS));
    is_about(Some(error), input::RATINGS, &[]);
}

#[test]
fn too_many_explainers_for_pairs_are_an_error() {
    let many = vec![[Some(1.0)]; 10_000];
    let draws = Draws::default();
    let error = rank_stability(&many, Direction::Higher, draws).err();
    is_about(error, input::EXPLAINERS, &[]);
    let ranked = RankedValues::new(&many, Direction::Higher).unwrap();
    is_about(
        inter_method_reliability(&ranked).err(),
        input::EXPLAINERS,
        &[],
    );
    // Metrics that compare no pairs have no limit.
    let consistency = internal_consistency_reliability(&ranked, &ranked).unwrap();
    assert_eq!(consistency.n_undefined, 10_000);
    assert_eq!(kendall_w(&many).unwrap().n_samples, 1);
    assert_eq!(krippendorff_alpha_of_ranks(&many).unwrap().n_units, 0);
}

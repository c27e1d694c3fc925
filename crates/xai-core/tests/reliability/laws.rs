//! Laws that the reliability metrics satisfy.

use proptest::prelude::*;
use xai_core::describe::{MetricInfo, Scores};
use xai_core::random::{random_stream, uniform};
use xai_core::reliability::{
    Draws, FAMILY, MetaEvaluation, PerturbedValues, RankedValues, RatingLevel, inter_consistency,
    inter_method_reliability, internal_consistency_reliability, intra_consistency, kendall_w,
    krippendorff_alpha, krippendorff_alpha_of_ranks, parameter_sensitivity, rank_stability,
};
use xai_core::statistics::mid_ranks;
use xai_core::statistics::spearman;
use xai_core::{Direction, parallel};

type Rows = Vec<Vec<Option<f64>>>;

/// Table of explainers by samples. Values are quarters of small integers, so there are ties and
/// sums are exact.
fn rows(undefined: bool) -> impl Strategy<Value = Rows> {
    (2usize..5, 2usize..15).prop_flat_map(move |(k, m)| {
        let value = (0..if undefined { 6u8 } else { 1 }, -8i8..8)
            .prop_map(move |(u, x)| (!undefined || u > 0).then(|| f64::from(x) / 4.0));
        prop::collection::vec(prop::collection::vec(value, m), k)
    })
}

/// Two such tables of equal shape.
fn two(undefined: bool) -> impl Strategy<Value = (Rows, Rows)> {
    (rows(undefined), 0usize..20).prop_map(|(q, turn)| {
        let mut other = q.clone();
        for (e, row) in other.iter_mut().enumerate() {
            let by = (turn + e) % row.len();
            row.rotate_left(by);
        }
        (q, other)
    })
}

/// Table of explainers by samples without ties within a sample.
fn untied() -> impl Strategy<Value = Rows> {
    (2usize..6, 2usize..9).prop_flat_map(|(k, m)| {
        let ranking = Just((0..k).map(|x| x as f64).collect::<Vec<f64>>()).prop_shuffle();
        prop::collection::vec(ranking, m).prop_map(move |samples| {
            let of_explainer = |e: usize| samples.iter().map(|sample| Some(sample[e])).collect();
            (0..k).map(of_explainer).collect()
        })
    })
}

fn map(rows: &Rows, f: impl Fn(f64) -> f64) -> Rows {
    let of_row = |row: &Vec<Option<f64>>| row.iter().map(|x| x.map(&f)).collect();
    rows.iter().map(of_row).collect()
}

fn ranked(rows: &Rows) -> RankedValues<'_> {
    RankedValues::new(rows, Direction::Higher).unwrap()
}

/// Values of a metric, values of the same explainers and samples after perturbations, and draws of
/// samples.
#[derive(Clone)]
struct Tables {
    values: Rows,
    minor: Rows,
    disruptive: Rows,
    better: Direction,
    draws: Vec<Vec<usize>>,
}

type AllScores = Vec<(&'static MetricInfo, Option<f64>)>;

/// All scores of two tables, the second of which serves as another metric and as values after a
/// perturbation.
fn all_scores(q: &Rows, r: &Rows) -> AllScores {
    Tables::new(q, r).scores()
}

impl Tables {
    fn new(q: &Rows, r: &Rows) -> Self {
        let m = q[0].len();
        let draw = |b: usize| (0..m).map(|i| (i * (b + 1) + i * i + b) % m).collect();
        Self {
            values: q.clone(),
            minor: r.clone(),
            disruptive: r.clone(),
            better: Direction::Higher,
            draws: (0..10).map(draw).collect(),
        }
    }

    /// Random tables, also after perturbations, with one undefined value.
    fn example(seed: u64) -> Self {
        let table = |of: u64| -> Rows {
            let value =
                |e: u64, i| Some(uniform(&mut random_stream(seed, 1000 * of + 100 * e + i)));
            (0..4)
                .map(|e| (0..12).map(|i| value(e, i)).collect())
                .collect()
        };
        let mut tables = Self::new(&table(1), &table(2));
        tables.disruptive = table(3);
        tables.values[1][5] = None;
        tables
    }

    fn for_each_table(&mut self, change: impl Fn(&mut Rows)) {
        [&mut self.values, &mut self.minor, &mut self.disruptive]
            .into_iter()
            .for_each(change);
    }

    fn scores(&self) -> AllScores {
        fn add<R: Scores>(all: &mut AllScores, result: &R) {
            all.extend(
                R::SCORES
                    .iter()
                    .map(|score| (score.info, score.value(result))),
            );
        }
        let (q, r, better) = (&self.values, &self.minor, self.better);
        let minor = PerturbedValues::minor(&r[..]);
        let ranked = |rows| RankedValues::new(rows, better).unwrap();
        let mut meta = MetaEvaluation::new(q, better).unwrap();
        meta.add(0, &minor).unwrap();
        meta.add(0, &PerturbedValues::disruptive(&self.disruptive[..]))
            .unwrap();
        let mut all = Vec::new();
        add(
            &mut all,
            &intra_consistency(&q[0], &PerturbedValues::minor(&r[0][..])).unwrap(),
        );
        add(&mut all, &inter_consistency(q, better, &minor).unwrap());
        add(&mut all, &meta.finish());
        add(&mut all, &krippendorff_alpha_of_ranks(q).unwrap());
        add(&mut all, &kendall_w(q).unwrap());
        add(&mut all, &inter_method_reliability(&ranked(q)).unwrap());
        add(
            &mut all,
            &internal_consistency_reliability(&ranked(q), &ranked(r)).unwrap(),
        );
        add(
            &mut all,
            &rank_stability(q, better, Draws::Indices(&self.draws)).unwrap(),
        );
        add(
            &mut all,
            &parameter_sensitivity(&[q.clone(), r.clone()], better).unwrap(),
        );
        all
    }
}

/// Returns `true` if both values are equal up to rounding.
fn near(a: Option<f64>, b: Option<f64>) -> bool {
    a.zip(b).map_or(a == b, |(a, b)| (a - b).abs() <= 1e-12)
}

#[test]
fn every_score_satisfies_the_laws() {
    let q = vec![vec![Some(1.0)]; 2];
    let judged = all_scores(&q, &q).into_iter().map(|(info, _)| info);
    assert!(judged.eq(FAMILY.infos()));
}

proptest! {
    #[test]
    fn unchanged_values_have_extreme_consistencies(q in rows(true)) {
        let n = q[0].iter().filter(|x| x.is_some()).count();
        let defined: Vec<Option<f64>> = q[0].iter().copied().filter(Option::is_some).collect();
        let minor = intra_consistency(&defined, &PerturbedValues::minor(&defined[..])).unwrap();
        let disruptive = intra_consistency(&defined, &PerturbedValues::disruptive(&defined[..])).unwrap();
        prop_assert_eq!((minor.value, minor.effect), ((n > 0).then_some(1.0), (n > 0).then_some(1.0)));
        prop_assert_eq!((disruptive.value, disruptive.effect), ((n > 0).then_some(0.0), (n > 0).then_some(0.0)));
        let minor = inter_consistency(&q, Direction::None, &PerturbedValues::minor(&q[..])).unwrap();
        prop_assert!(minor.value.is_none_or(|share| share == 1.0));
        prop_assert_eq!(minor.n_pairs + minor.n_undefined, q.len() * q[0].len());
        let disruptive = inter_consistency(&q, Direction::Lower, &PerturbedValues::disruptive(&q[..])).unwrap();
        prop_assert!(disruptive.value.is_none_or(|share| share == 0.0));
    }

    #[test]
    fn values_are_finite_and_in_their_range((q, r) in two(true)) {
        for (info, value) in all_scores(&q, &r) {
            let within = |value: f64| value.is_finite() && info.range.contains(value);
            prop_assert!(value.is_none_or(within), "{}: {:?}", info.name, value);
        }
    }

    #[test]
    fn results_have_the_same_bits_on_one_thread((q, r) in two(true)) {
        prop_assert_eq!(parallel::with_work_size(1, || all_scores(&q, &r)), all_scores(&q, &r));
    }

    #[test]
    fn a_pair_without_both_values_has_no_p_value_and_is_left_out_of_the_effect(q in rows(true)) {
        let (before, after) = (&q[0], &q[1]);
        let all = intra_consistency(before, &PerturbedValues::minor(&after[..])).unwrap();
        let keep: Vec<bool> = before.iter().zip(after).map(|(a, b)| a.is_some() && b.is_some()).collect();
        let kept = intra_consistency(before, &PerturbedValues::minor(&after[..]).keep(&keep)).unwrap();
        prop_assert_eq!((all.effect, all.test), (kept.effect, kept.test));
        prop_assert_eq!(all.n_undefined, keep.iter().filter(|kept| !**kept).count());
        prop_assert_eq!(all.value, kept.value.filter(|_| all.n_undefined == 0));
    }

    #[test]
    fn the_direction_decides_which_value_is_worse((q, r) in two(false)) {
        let share = |q: &Rows, r: &Rows, better| inter_consistency(q, better, &PerturbedValues::disruptive(&r[..])).unwrap();
        let up = share(&q, &r, Direction::Higher);
        prop_assert_eq!(up, share(&map(&q, |x| -x), &map(&r, |x| -x), Direction::Lower));
        prop_assert_eq!(up.value, share(&r, &q, Direction::Lower).value);
    }

    #[test]
    fn rank_based_scores_are_invariant_to_increasing_maps((q, r) in two(true)) {
        let f = |x: f64| x * x * x + 10.0 * x - 3.0; // exact in these numbers
        let g = map(&q, f);
        prop_assert_eq!(kendall_w(&q).unwrap(), kendall_w(&g).unwrap());
        prop_assert_eq!(krippendorff_alpha_of_ranks(&q).unwrap(), krippendorff_alpha_of_ranks(&g).unwrap());
        for level in [RatingLevel::Nominal, RatingLevel::Ordinal] {
            prop_assert_eq!(krippendorff_alpha(&q, level).unwrap(), krippendorff_alpha(&g, level).unwrap());
        }
        prop_assert_eq!(inter_method_reliability(&ranked(&q)).unwrap(), inter_method_reliability(&ranked(&g)).unwrap());
            let h = map(&r, f);
            prop_assert_eq!(
                internal_consistency_reliability(&ranked(&q), &ranked(&r)).unwrap(),
                internal_consistency_reliability(&ranked(&g), &ranked(&h)).unwrap()
            );
            let (minor, mapped) = (PerturbedValues::minor(&r[..]), PerturbedValues::minor(&h[..]));
            prop_assert_eq!(
                inter_consistency(&q, Direction::None, &minor).unwrap(),
                inter_consistency(&g, Direction::None, &mapped).unwrap()
            );
    }

    /// The first explainer keeps its position, because intra-consistency uses its values.
    #[test]
    fn results_do_not_depend_on_the_order_of_samples_and_explainers((q, r) in two(true), turn in 0usize..20) {
        let (tables, m) = (Tables::new(&q, &r), q[0].len());
        let mut turned = tables.clone();
        turned.for_each_table(|rows| {
            rows.iter_mut().for_each(|row| row.rotate_left(turn % m));
            rows[1..].reverse();
        });
        turned.draws.iter_mut().flatten().for_each(|i| *i = (*i + m - turn % m) % m);
        for ((info, one), (_, other)) in tables.scores().into_iter().zip(turned.scores()) {
            prop_assert!(near(one, other), "{} {:?} {:?}", info.name, one, other);
        }
        for level in [RatingLevel::Nominal, RatingLevel::Ordinal, RatingLevel::Interval] {
            prop_assert_eq!(krippendorff_alpha(&q, level).unwrap(), krippendorff_alpha(&turned.values, level).unwrap());
        }
    }

    #[test]
    fn negated_values_with_the_opposite_direction_have_equal_scores((q, r) in two(true)) {
        let tables = Tables::new(&q, &r);
        let mut opposite = tables.clone();
        opposite.for_each_table(|rows| *rows = map(rows, |x| -x));
        opposite.better = Direction::Lower;
        for ((info, one), (_, other)) in tables.scores().into_iter().zip(opposite.scores()) {
            prop_assert_eq!(one, other, "{}", info.name);
        }
    }

    #[test]
    fn alpha_equals_the_definition_over_all_pairs(q in rows(true), level in 0usize..3) {
        let level = [RatingLevel::Nominal, RatingLevel::Ordinal, RatingLevel::Interval][level];
        let units: Vec<Vec<f64>> = (0..q[0].len())
            .map(|u| q.iter().filter_map(|row| row[u]).collect::<Vec<f64>>())
            .filter(|unit| unit.len() > 1)
            .collect();
        let all = units.concat();
        let distance = |a: f64, b: f64| match level {
            RatingLevel::Nominal => f64::from(u8::from(a != b)),
            RatingLevel::Interval => (a - b) * (a - b),
            _ => {
                let (low, high) = (a.min(b), a.max(b));
                let between = all.iter().filter(|x| (low..=high).contains(*x)).count() as f64;
                let ends = all.iter().filter(|x| **x == a).count() + all.iter().filter(|x| **x == b).count();
                (between - ends as f64 / 2.0).powi(2)
            }
        };
        let sum = |unit: &[f64]| -> f64 { unit.iter().flat_map(|a| unit.iter().map(|b| distance(*a, *b))).sum() };
        let observed: f64 = units.iter().map(|unit| sum(unit) / (unit.len() - 1) as f64).sum();
        let expected = sum(&all) / (all.len().max(2) - 1) as f64;
        match krippendorff_alpha(&q, level).unwrap().value {
            None => prop_assert_eq!(expected, 0.0),
            Some(alpha) => prop_assert!((alpha - (1.0 - observed / expected)).abs() < 1e-12),
        }
    }

    #[test]
    fn without_ties_alpha_and_w_follow_from_the_mean_correlation(q in untied()) {
        let (k, m) = (q.len(), q[0].len());
        let sample = |i: usize| q.iter().filter_map(|row| row[i]).collect::<Vec<f64>>();
        let mut correlations = Vec::new();
        for i in 0..m {
            correlations.extend((0..i).map(|j| spearman(&sample(i), &sample(j)).unwrap().unwrap()));
        }
        let mean = correlations.iter().sum::<f64>() / correlations.len() as f64;
        prop_assert!((kendall_w(&q).unwrap().mean_correlation.unwrap() - mean).abs() < 1e-12);
        let n = (m * k) as f64;
        let alpha = krippendorff_alpha_of_ranks(&q).unwrap().value.unwrap();
        prop_assert!((alpha - (1.0 - (1.0 - mean) * (n - 1.0) / n)).abs() < 1e-12);
        // Each sample is a rater, whose ratings are its ranks.
        let ratings: Rows = (0..m).map(|i| mid_ranks(&sample(i)).into_iter().map(Some).collect()).collect();
        for level in [RatingLevel::Ordinal, RatingLevel::Interval] {
            let rated = krippendorff_alpha(&ratings, level).unwrap().value.unwrap();
            prop_assert!((rated - alpha).abs() < 1e-12);
        }
    }

    #[test]
    fn w_is_one_where_all_samples_rank_alike(sample in prop::collection::vec(0u8..4, 2..6), m in 1usize..6) {
        let q: Rows = sample.iter().map(|&x| vec![Some(f64::from(x)); m]).collect();
        let w = kendall_w(&q).unwrap().value;
        prop_assert_eq!(w, sample.iter().any(|x| *x != sample[0]).then_some(1.0));
    }

    #[test]
    fn shares_of_wins_add_up_and_a_draw_of_all_samples_agrees(q in rows(true), seed in any::<u64>()) {
        let draws = Draws::Seeded { n_draws: 20, seed };
        let stability = rank_stability(&q, Direction::Higher, draws).unwrap();
        for (a, row) in stability.wins.iter().enumerate() {
            prop_assert!(row.iter().enumerate().all(|(b, share)| share + stability.wins[b][a] == 1.0));
        }
        prop_assert_eq!(stability.n_samples + stability.n_undefined, q[0].len());
        let all: Vec<usize> = (0..q[0].len()).collect();
        let itself = rank_stability(&q, Direction::Higher, Draws::Indices(&[all])).unwrap();
        prop_assert_eq!(itself.n_draws, usize::from(itself.n_samples > 0));
        prop_assert!(itself.mean_tau.is_none_or(|tau| tau == 1.0) && itself.top_share.is_none_or(|s| s == 1.0));
        prop_assert!(itself.rank_std.iter().all(|std| *std == 0.0));
        prop_assert_eq!(&itself.rank_mean, &itself.ranks);
    }

    #[test]
    fn settings_without_effect_have_full_agreement(q in rows(true), n in 1usize..4) {
        let settings = vec![q.clone(); n];
        let sensitivity = parameter_sensitivity(&settings, Direction::Lower).unwrap();
        let of_all = rank_stability(&q, Direction::Lower, Draws::Seeded { n_draws: 1, seed: 1 }).unwrap();
        if of_all.n_samples == 0 {
            prop_assert_eq!((sensitivity.ranks.len(), sensitivity.max_rank_change), (0, None));
        } else {
            prop_assert!(sensitivity.ranks.iter().all(|ranks| *ranks == of_all.ranks));
            prop_assert_eq!(sensitivity.max_rank_change, Some(0.0));
            prop_assert_eq!(sensitivity.same_top, (n > 1).then_some(1.0));
            prop_assert!(sensitivity.mean_tau.is_none_or(|tau| tau == 1.0));
        }
    }

    #[test]
    fn results_do_not_depend_on_the_order_of_perturbations(q in rows(false), shift in -3i8..3) {
        let moved = map(&q, |x| x + f64::from(shift));
        let add = |order: &[(usize, bool)]| {
            let mut meta = MetaEvaluation::new(&q, Direction::Higher).unwrap();
            for &(iteration, is_minor) in order {
                let perturbed = if is_minor { PerturbedValues::minor(&moved[..]) } else { PerturbedValues::disruptive(&moved[..]) };
                meta.add(iteration, &perturbed).unwrap();
            }
            meta.finish()
        };
        let result = add(&[(0, true), (0, false), (3, true)]);
        prop_assert_eq!(&result, &add(&[(3, true), (0, false), (0, true)]));
        prop_assert_eq!((result.iterations.len(), result.n_undefined), (2, 2));
        let [a, b] = [0, 1].map(|i| result.iterations[i].value.unwrap());
        prop_assert!((result.std.unwrap() - (a - b).abs() / 2.0).abs() < 1e-12, "{:?}", result);
        prop_assert_eq!(result.iterations[0].iec_minor, Some(1.0)); // a shift keeps all ranks
        prop_assert_eq!(result.iterations[0].iec_disruptive, Some(f64::from(u8::from(shift < 0))));
        prop_assert_eq!(result.iterations[0].effect_disruptive, Some(f64::from(u8::from(shift != 0))));
    }
}

/// Table of explainers by samples with arbitrary values, without ties among differences.
fn generic() -> impl Strategy<Value = Rows> {
    (2usize..5, 2usize..9).prop_flat_map(|(k, m)| {
        let value = (-1e3..1e3f64).prop_map(Some);
        prop::collection::vec(prop::collection::vec(value, m), k)
    })
}

proptest! {
    #[test]
    fn the_result_does_not_depend_on_the_unit_of_values(
        (q, r) in two(true), exponent in -100i32..100, (g, h) in (generic(), -30i32..30),
    ) {
        let unit = 2f64.powi(exponent);
        let scaled = all_scores(&map(&q, |x| x * unit), &map(&r, |x| x * unit));
        for ((info, one), (_, other)) in all_scores(&q, &r).into_iter().zip(scaled) {
            prop_assert!(info.invariance.scale, "{}", info.name);
            prop_assert_eq!(one, other, "{}", info.name);
        }
        // Decimal factors round, but arbitrary values do not tie.
        let unit = 10f64.powi(h);
        let turned: Rows = g.iter().rev().cloned().collect();
        let scaled = all_scores(&map(&g, |x| x * unit), &map(&turned, |x| x * unit));
        for ((info, one), (_, other)) in all_scores(&g, &turned).into_iter().zip(scaled) {
            let apart = one.zip(other).map_or(0.0, |(one, other)| (one - other).abs());
            prop_assert!(one.is_some() == other.is_some() && apart <= 1e-12, "{}: {:?} {:?}", info.name, one, other);
        }
    }

    #[test]
    fn the_value_is_the_mean_over_iterations(
        kinds in prop::collection::vec((any::<bool>(), any::<bool>()), 1..5), q in rows(true), turn in 0usize..20,
    ) {
        let mut meta = MetaEvaluation::new(&q, Direction::Higher).unwrap();
        let mut moved = q.clone();
        for (t, (minor, disruptive)) in kinds.into_iter().enumerate() {
            moved.iter_mut().for_each(|row| { let by = turn % row.len(); row.rotate_left(by) });
            if minor {
                meta.add(t, &PerturbedValues::minor(&moved[..])).unwrap();
            }
            if disruptive {
                meta.add(t, &PerturbedValues::disruptive(&moved[..])).unwrap();
            }
        }
        let result = meta.finish();
        let defined: Vec<f64> = result.iterations.iter().filter_map(|of| of.value).collect();
        let n = defined.len() as f64;
        let mean = defined.iter().sum::<f64>() / n;
        let variance = defined.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        prop_assert_eq!((result.value.is_some(), result.std.is_some()), (n > 0.0, n > 0.0));
        prop_assert!(result.value.is_none_or(|value| (value - mean).abs() < 1e-15));
        prop_assert!(result.std.is_none_or(|std| (std - variance.sqrt()).abs() < 1e-12));
    }

    #[test]
    fn alpha_of_many_explainers_equals_that_of_their_ranks(q in rows(true), times in 17usize..30) {
        // Above 64 explainers ranks are sorted and not counted. Copies tie and stretch all ranks linearly.
        let copies: Rows = q.iter().flat_map(|row| vec![row.clone(); times]).collect();
        let samples: Rows = (0..copies[0].len())
            .filter_map(|i| {
                let values: Option<Vec<f64>> = copies.iter().map(|row| row[i]).collect();
                values.map(|values| mid_ranks(&values).into_iter().map(Some).collect())
            })
            .collect();
        let many = krippendorff_alpha_of_ranks(&copies).unwrap();
        if !samples.is_empty() {
            let rated = krippendorff_alpha(&samples, RatingLevel::Ordinal).unwrap();
            prop_assert_eq!(many.n_ratings, rated.n_ratings);
            let apart = many.value.zip(rated.value).map_or(0.0, |(a, b)| (a - b).abs());
            prop_assert!(many.value.is_some() == rated.value.is_some() && apart < 1e-12);
        }
    }
}

/// Every score compares explainers sample by sample, or leaves out samples without all values.
#[test]
fn scores_depend_on_the_pairing_of_samples() {
    let n_scores = FAMILY.infos().count();
    let mut is_changed = vec![false; n_scores];
    for seed in 0..100 {
        let tables = Tables::example(seed);
        let mut turned = tables.clone();
        turned.values[0].rotate_left(5);
        let pairs = tables.scores().into_iter().zip(turned.scores());
        for (is_changed, ((_, one), (_, other))) in is_changed.iter_mut().zip(pairs) {
            *is_changed |= !near(one, other);
        }
    }
    for (info, is_changed) in FAMILY.infos().zip(is_changed) {
        assert!(is_changed, "{}", info.name);
    }
}

/// Compares a metric that ranks explainers alike on all samples, keeps its values under noise and
/// gets worse after a disruption with a metric of random values that reverse.
#[test]
fn reliable_metrics_are_better_than_random_ones() {
    let random = {
        let mut random = Tables::example(1);
        random.minor = map(&random.values, |x| 5.0 - x);
        random.disruptive = map(&random.values, |x| x + 1.0);
        random
    };
    let mut reliable = random.clone();
    for (e, row) in reliable.values.iter_mut().enumerate() {
        row.iter_mut()
            .for_each(|x| *x = x.map(|x| 2.0 * e as f64 + x));
    }
    reliable.minor = reliable.values.clone();
    reliable.disruptive = map(&reliable.values, |x| x - 9.0);
    for ((info, reliable), (_, random)) in reliable.scores().into_iter().zip(random.scores()) {
        let is_better = match info.direction {
            Direction::Higher => reliable > random,
            Direction::Lower => reliable.is_some() && reliable < random,
            Direction::None => continue,
        };
        assert!(is_better, "{}: {reliable:?} {random:?}", info.name);
    }
}

#[test]
fn tiny_values_are_ranked_like_large_ones() {
    let values = [[3.0, 1.0, 3.0], [2.0, 2.0, 2.0], [1.0, 1.5, 1.0]];
    for unit in [1e-30, 1e-14, 1.0, 1e30] {
        let rows = values.map(|row| row.map(|x| Some(x * unit)));
        let stability = rank_stability(&rows, Direction::Higher, Draws::default()).unwrap();
        assert_eq!(stability.ranks, [1.0, 2.0, 3.0], "{unit}");
        let settings = [rows, rows];
        let sensitivity = parameter_sensitivity(&settings, Direction::Lower).unwrap();
        assert_eq!(sensitivity.ranks[0], [3.0, 2.0, 1.0], "{unit}");
    }
}

#[test]
fn alpha_does_not_depend_on_the_distance_from_zero() {
    let near = [[1.0, 2.0, 4.0], [1.0, 3.0, 4.0]];
    let rated = |offset: f64| {
        let ratings = near.map(|row| row.map(|x| Some(x + offset)));
        krippendorff_alpha(&ratings, RatingLevel::Interval)
            .unwrap()
            .value
    };
    assert_eq!(rated(0.0), rated(1e12));
}

#[test]
fn explainers_with_permuted_values_tie() {
    let first: Vec<Option<f64>> = (0..1000).map(|i| Some(1.0 / f64::from(i + 1))).collect();
    let second: Vec<Option<f64>> = first.iter().rev().copied().collect();
    let all = [(0..1000).collect::<Vec<usize>>()];
    let stability =
        rank_stability(&[first, second], Direction::Higher, Draws::Indices(&all)).unwrap();
    assert_eq!(
        (&stability.ranks[..], stability.mean_tau),
        (&[1.5, 1.5][..], None)
    );
    assert_eq!(
        (stability.rank_mean[0], stability.n_undefined_tau),
        (1.5, 1)
    );
}

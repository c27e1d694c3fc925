//! The error table, row by row, and the policies for what is undefined.

use ndarray::{Array2, array};
use xai_core::describe::{MetricInfo, Range};
use xai_repro::metrics::PAIR_METRICS;
use xai_repro::pair_metric::{PairDefinition, PairFormula};
use xai_repro::simulate::{
    AliasTable, ClassDistribution, LabelSimulator, PredictionSimulator, RunErrors,
};
use xai_repro::{
    Accumulator, Agreement, EmptyUnion, Error, ErrorKind, PackedRuns, PackedRunsBuilder,
    PairMetric, Pairwise, PairwiseAccumulator, RegressionReproducibility, help, input, metrics,
};

fn error<T: std::fmt::Debug>(result: Result<T, Error>) -> Error {
    result.unwrap_err()
}

#[test]
fn bad_predictions_are_named() {
    let of = |p: Array2<i64>, y: &[i64]| error(Pairwise::new().evaluate(p.view(), y));
    let few = of(array![[1, 2]], &[1, 2]);
    assert_eq!(few.input(), input::RUNS);
    assert!(matches!(
        few.kind(),
        ErrorKind::TooFew {
            needed: 2,
            actual: 1
        }
    ));
    let empty = of(Array2::zeros((3, 0)), &[]);
    assert_eq!(empty.input(), input::SAMPLES);
    assert!(matches!(empty.kind(), ErrorKind::Empty));
    let shape = of(Array2::zeros((3, 2)), &[0]);
    assert_eq!(shape.input(), input::LABELS);
    assert!(matches!(shape.kind(), ErrorKind::ShapeMismatch { actual, .. } if *actual == [1]));
    // A row for each sample, as tables have it.
    let by_sample = of(Array2::zeros((3, 2)), &[0, 1, 0]);
    assert_eq!(by_sample.help(), Some(help::RUNS_IN_ROWS));
    let numbers = Array2::<f64>::zeros((3, 2));
    let targets = array![0.0, 1.0, 0.0];
    let by_sample = error(RegressionReproducibility::new(
        numbers.view(),
        targets.view(),
    ));
    assert_eq!(
        (by_sample.input(), by_sample.help()),
        (input::TARGETS, Some(help::RUNS_IN_ROWS))
    );
    let large =
        error(Pairwise::new().evaluate(array![[1, 2], [1, u64::MAX], [0, 0]].view(), &[0u8, 0]));
    assert_eq!(
        (large.input(), large.index()),
        (input::PREDICTIONS, &[1, 1][..])
    );
    let label = error(Pairwise::new().evaluate(array![[1], [1]].view(), &[u64::MAX]));
    assert_eq!((label.input(), label.index()), (input::LABELS, &[0][..]));
    let few = error(Agreement::new(array![[1u8, 2]].view()));
    assert_eq!(few.input(), input::RUNS);
}

#[test]
fn runs_that_come_one_at_a_time_are_named_by_their_number() {
    let mut packing = PackedRunsBuilder::new(PAIR_METRICS, &[0, 1]).unwrap();
    packing.push(&[0, 1]).unwrap();
    let shape = error(packing.push(&[0, 1, 1]));
    assert_eq!(shape.input(), input::PREDICTIONS);
    assert_eq!(shape.owner_name(), Some("run 1"));
    assert!(matches!(shape.kind(), ErrorKind::ShapeMismatch { actual, .. } if *actual == [3]));
    let large = error(packing.push(&[0, u64::MAX]));
    assert_eq!(large.index(), [1, 1]);
    assert_eq!(error(packing.build()).input(), input::RUNS);
}

#[test]
fn metrics_that_cannot_be_taken_are_named() {
    let none = Pairwise::new().metrics(&[]);
    let runs = Array2::<u8>::zeros((2, 2));
    for empty in [
        error(none.evaluate(runs.view(), &[0, 0])),
        error(PairwiseAccumulator::new(&none)),
        error(PackedRunsBuilder::new(&[], &[0, 0])),
    ] {
        assert_eq!(empty.input(), input::METRICS);
        assert!(matches!(empty.kind(), ErrorKind::Empty));
    }
    let unknown = error("kappa".parse::<PairMetric>());
    assert_eq!(unknown.input(), input::METRIC);
    assert!(matches!(
        unknown.kind(),
        ErrorKind::InvalidParameter { value, .. } if value == "kappa"
    ));
    let errors = PackedRuns::new(&metrics::error_metrics(), runs.view(), &[0, 0]).unwrap();
    let kappa = Pairwise::new().metrics(&[PairMetric::PA_KAPPA]);
    for other in [
        error(kappa.evaluate_packed(&errors)),
        error(kappa.summarize(&errors)),
    ] {
        assert_eq!(other.input(), input::METRIC);
        assert_eq!(other.help(), Some(help::PACK_FOR_METRIC));
    }
    let agreement = error(Agreement::from_packed(&errors));
    assert_eq!(agreement.input(), input::PACKED_RUNS);
    assert_eq!(agreement.help(), Some(help::PACK_FOR_AGREEMENT));
}

#[test]
fn a_formula_that_gives_no_number_is_named_with_the_pair() {
    const BROKEN: PairMetric = PairMetric::new(&PairDefinition {
        info: &MetricInfo {
            range: Range::SHARE,
            needs: &[input::PREDICTIONS, input::LABELS],
            ..MetricInfo::named("broken")
        },
        formula: PairFormula::Errors(|errors| Some(errors.both as f64 / errors.second as f64)),
        undefined_without_errors: true,
    });
    let runs = array![[0u8, 1, 0], [0, 0, 0], [0, 1, 1]];
    let pairwise = Pairwise::new().metrics(&[PairMetric::EC_ACC, BROKEN]);
    let packed = PackedRuns::new(&[BROKEN], runs.view(), &[0u8, 1, 1]).unwrap();
    let mut state = PairwiseAccumulator::new(&pairwise).unwrap();
    state.update_labels(runs.view(), &[0u8, 1, 1]).unwrap();
    for broken in [
        error(pairwise.evaluate_packed(&packed)),
        error(pairwise.summarize(&packed)),
        error(state.finish()),
    ] {
        assert_eq!(
            (broken.input(), broken.index()),
            (input::METRIC, &[0, 2][..])
        );
        assert!(matches!(
            broken.kind(),
            ErrorKind::InvalidParameter { value, .. } if value == "broken"
        ));
    }
}

#[test]
fn the_lowest_pair_is_named_with_any_number_of_threads() {
    // Run `i` has `i + 1` errors, so that the counts tell which pair it is.
    const TWO_FAIL: PairMetric = PairMetric::new(&PairDefinition {
        info: &MetricInfo {
            range: Range::SHARE,
            needs: &[input::PREDICTIONS, input::LABELS],
            ..MetricInfo::named("two_fail")
        },
        formula: PairFormula::Errors(|errors| match (errors.first, errors.second) {
            (65, 200) | (71, 76) => Some(f64::NAN),
            _ => Some(0.0),
        }),
        undefined_without_errors: false,
    });
    let runs = Array2::from_shape_fn((200, 256), |(run, sample)| u8::from(sample <= run));
    let pairwise = Pairwise::new().metrics(&[TWO_FAIL]);
    let packed = PackedRuns::new(&[TWO_FAIL], runs.view(), &[0u8; 256]).unwrap();
    let mut state = PairwiseAccumulator::new(&pairwise).unwrap();
    state.update_labels(runs.view(), &[0u8; 256]).unwrap();
    for n_threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads);
        let failed = pool.build().unwrap().install(|| {
            [
                error(pairwise.evaluate_packed(&packed)),
                error(pairwise.summarize(&packed)),
                error(state.finish()),
            ]
        });
        for error in failed {
            assert_eq!(error.index(), [64, 199], "{n_threads} threads");
        }
    }
}

#[test]
fn two_runs_without_errors_follow_the_policy() {
    let y = [0u8, 1, 1];
    let p = array![[0u8, 1, 1], [0, 1, 1], [0, 1, 0]];
    let with = |policy| {
        let pairwise = Pairwise::new().empty_union(policy);
        pairwise.evaluate(p.view(), &y)
    };
    let local = |policy| with(policy).unwrap().pairs(PairMetric::EC_LOCAL)[0];
    assert_eq!(local(EmptyUnion::Undefined), None);
    assert_eq!(local(EmptyUnion::Zero), Some(0.0));
    assert_eq!(local(EmptyUnion::One), Some(1.0));
    let undefined = with(EmptyUnion::Undefined)
        .unwrap()
        .summary(PairMetric::EC_LOCAL);
    assert_eq!((undefined.n_defined, undefined.n_undefined), (2, 1));
    let dropped = with(EmptyUnion::Drop).unwrap();
    let dropped = dropped.summary(PairMetric::EC_LOCAL);
    assert_eq!((dropped.n_defined, dropped.n_undefined), (2, 0));
    let refused = error(with(EmptyUnion::Error));
    assert_eq!(
        (refused.input(), refused.index()),
        (input::ERRORS, &[0, 1][..])
    );
    assert!(matches!(refused.kind(), ErrorKind::OutOfDomain { value, .. } if *value == 0.0));
    assert_eq!(refused.help(), Some(help::CHOOSE_EMPTY_UNION));
    for (text, policy) in [("0", EmptyUnion::Zero), ("one", EmptyUnion::One)] {
        assert_eq!(text.parse::<EmptyUnion>().unwrap(), policy);
        assert_eq!(policy.to_string().parse::<EmptyUnion>().unwrap(), policy);
    }
    let unknown = error("none".parse::<EmptyUnion>());
    assert_eq!(unknown.input(), input::EMPTY_UNION);
}

#[test]
fn undefined_values_are_none_and_counted() {
    let y = [0u8, 0, 0];
    let constant = array![[1u8, 1, 1], [1, 1, 1], [1, 1, 1]];
    let runs = Pairwise::new().evaluate(constant.view(), &y).unwrap();
    for metric in [
        PairMetric::EC_CORR,
        PairMetric::EC_KAPPA,
        PairMetric::PA_KAPPA,
        PairMetric::PA_CRAMERS_V,
    ] {
        let summary = runs.summary(metric);
        assert_eq!((summary.mean, summary.n_undefined), (None, 3), "{metric}");
        assert_eq!(runs.interval(metric, 0.95).unwrap(), None);
    }
    let agreement = Agreement::new(constant.view()).unwrap();
    assert_eq!(agreement.fleiss_kappa(), None);
    assert_eq!(agreement.krippendorff_alpha(), None);
    assert_eq!(agreement.gwet_ac1(), None);
    // Two runs have no interval over runs.
    let two = array![[0u8, 1, 0], [1, 1, 0]];
    let runs = Pairwise::new().evaluate(two.view(), &y).unwrap();
    assert_eq!(runs.interval(PairMetric::EC_ACC, 0.95).unwrap(), None);
    let three = array![[0u8, 1], [1, 0], [0, 0]];
    let runs = Pairwise::new().evaluate(three.view(), &[0, 1]).unwrap();
    let level = error(runs.interval(PairMetric::EC_ACC, 1.0));
    assert_eq!(level.input(), input::LEVEL);
    assert!(matches!(level.kind(), ErrorKind::InvalidParameter { .. }));
}

#[test]
fn bad_laws_are_named() {
    let classes = error(ClassDistribution::Flat.draw(0, 1, 0));
    assert_eq!(classes.input(), input::N_CLASSES);
    let lowest = error(ClassDistribution::Exponential { lowest: 2.0 }.draw(3, 1, 0));
    assert_eq!(lowest.input().name(), "kind");
    let name = error("gauss".parse::<ClassDistribution>());
    assert_eq!(name.input().name(), "kind");
    for invalid in [&classes, &lowest, &name] {
        assert!(matches!(invalid.kind(), ErrorKind::InvalidParameter { .. }));
    }
    let sum = error(AliasTable::new(&[0.5, 0.6]));
    assert_eq!(
        (sum.input(), sum.part_name()),
        (input::PROBABILITIES, Some("sum"))
    );
    assert!(matches!(sum.kind(), ErrorKind::OutOfDomain { value, .. } if *value == 1.1));
    let negative = error(AliasTable::new(&[1.5, -0.5]));
    assert_eq!(
        (negative.input(), negative.index()),
        (input::PROBABILITIES, &[1][..])
    );
    assert!(matches!(negative.kind(), ErrorKind::OutOfDomain { value, .. } if *value == -0.5));
    let empty = error(AliasTable::new(&[]));
    assert_eq!(empty.input(), input::CLASSES);
    assert!(matches!(empty.kind(), ErrorKind::Empty));
}

#[test]
fn bad_simulations_are_named() {
    let few = error(LabelSimulator::with_every_class(&[0.5, 0.5], 1));
    assert_eq!(few.input(), input::N_SAMPLES);
    assert!(matches!(
        few.kind(),
        ErrorKind::TooFew {
            needed: 2,
            actual: 1
        }
    ));
    let rare = error(LabelSimulator::with_every_class(&[1.0, 0.0], 5));
    assert_eq!(rare.input(), input::PROBABILITIES);
    assert_eq!(rare.help(), Some(help::DRAW_MORE_LABELS));
    assert!(matches!(rare.kind(), ErrorKind::InvalidParameter { .. }));
    let simulator = |max_error_share, copied| {
        let errors = RunErrors::default().max_error_share(max_error_share);
        PredictionSimulator::new(&[0.5, 0.5], errors.copied(copied))
    };
    let share = error(simulator(1.5, None));
    assert_eq!(share.input().name(), "max_error_share");
    let copied = error(simulator(0.5, Some(-0.5)));
    assert_eq!(copied.input().name(), "copied");
    let simulator = simulator(0.5, None).unwrap();
    assert_eq!(
        error(simulator.simulate(&[], 2, 1, 0)).input(),
        input::LABELS
    );
    assert_eq!(
        error(simulator.simulate(&[0], 0, 1, 0)).input(),
        input::N_RUNS
    );
}

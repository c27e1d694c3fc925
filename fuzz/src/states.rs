//! Targets that read stored states.

use std::fmt::Debug;

use ndarray::{ArrayView1, ArrayView2, array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use xai_metrics::Accumulator;
use xai_metrics::attribution::metric::{AverageDrop, DropFormula, ScoreAccumulator};
use xai_metrics::casebased::{Audit, CaseExplainer, Explanation};
use xai_metrics::common::sum::Moments;
use xai_metrics::common::{ExactMean, ExactSum, Kernel};
use xai_metrics::graph::fidelity::FidelityAccumulator;
use xai_metrics::graph::ground_truth::GroundTruthAccumulator;
use xai_metrics::graph::unfaithfulness::UnfaithfulnessAccumulator;
use xai_metrics::graph::{FidelityMetric, GroundTruthMetric, OverGraphs, UnfaithfulnessMetric};
use xai_metrics::repro::study::{
    AccuracyProfile, StudySettings, StudySummary, read_draws, write_draws,
};
use xai_metrics::repro::{
    Agreement, Pairwise, PairwiseAccumulator, RegressionReproducibility, SimulationStudy,
};
use xxhash_rust::xxh3::xxh3_64;

/// Size of the header of a stored explainer: mark, version and length.
const HEADER: usize = 20;

/// Reads a stored explainer. If the first byte is 0, the rest is the content of one, to which the header and a correct
/// checksum are added.
pub(crate) fn explainer(bytes: &[u8]) {
    let framed = match bytes.split_first() {
        Some((0, content)) => {
            let mut file = b"XAICASES".to_vec();
            file.extend(1u32.to_le_bytes());
            file.extend((content.len() as u64).to_le_bytes());
            file.extend(content);
            file.extend(xxh3_64(&file).to_le_bytes());
            file
        }
        _ => bytes.to_vec(),
    };
    let Ok(explainer) = CaseExplainer::load(&framed[..]) else {
        return;
    };
    let n_features = explainer.training_info().n_features;
    let sample = ndarray::Array1::<f64>::zeros(n_features);
    let explained = format!("{:?}", explainer.explain(sample.view(), 0));
    let mut stored = Vec::new();
    explainer.save(&mut stored).expect("a vector takes it");
    let loaded = CaseExplainer::load(&stored[..]).expect("a file that was just stored");
    let explained_again = format!("{:?}", loaded.explain(sample.view(), 0));
    assert_eq!(explained_again, explained);
}

pub(crate) fn explainers() -> Vec<Vec<u8>> {
    let rows = array![[0.0, 1.0], [1.0, 3.0], [5.0, -1.0], [0.5, 0.5]];
    let labels = [0, 0, 1, 1];
    let builders = [
        CaseExplainer::builder().k(2),
        CaseExplainer::builder()
            .k(1)
            .weighting(Kernel::Gaussian { bandwidth: 1.0 }),
    ];
    let stored = builders.into_iter().flat_map(|builder| {
        let mut file = Vec::new();
        let explainer = builder.fit(rows.view(), &labels).expect("an explainer");
        explainer.save(&mut file).expect("a vector takes it");
        let content = [&[0], &file[HEADER..file.len() - 8]].concat();
        [file, content]
    });
    stored.collect()
}

/// Reads a state, finishes it, stores and reads it again, merges it with itself, and updates it.
fn check_accumulator<
    A: Accumulator<Output: Debug> + Clone + Debug + Serialize + DeserializeOwned,
>(
    bytes: &[u8],
    update: impl FnOnce(&mut A),
) {
    let Some(mut state) = read::<A>(bytes) else {
        return;
    };
    let finished = format!("{:?}", state.finish());
    let stored = postcard::to_stdvec(&state).expect("a state as bytes");
    let loaded: A = match postcard::from_bytes(&stored) {
        Ok(loaded) => loaded,
        Err(error) => panic!("{state:?} was stored but cannot be read: {error}"),
    };
    assert_eq!(format!("{:?}", loaded.finish()), finished);
    let _ = state.merge(loaded);
    let _ = state.finish();
    update(&mut state);
    let _ = state.finish();
}

/// Reads a value from JSON if the bytes begin like JSON, otherwise from the format of postcard.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    match bytes.first() {
        Some(b'{' | b'[') => serde_json::from_slice(bytes).ok(),
        _ => postcard::from_bytes(bytes).ok(),
    }
}

/// Reads a state, whose type depends on the first byte.
pub(crate) fn state(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else {
        return;
    };
    let (single, double) = (array![0.5f32, 0.1, 0.5], array![0.5, 0.1, 0.5]);
    let truth = (array![1.0f32, 0.0, 0.0], array![1.0, 0.0, 0.0]);
    let rows = array![[0.0, 1.0], [2.0, 0.0]];
    match kind % 14 {
        0 => {
            if let Some(mut sum) = read::<ExactSum>(rest) {
                let original = sum.clone();
                sum.add(1e300);
                sum.add_sum(&original);
                let _ = (sum.value(), original.value());
            }
        }
        1 => check_accumulator::<ExactMean>(rest, |mean| drop(mean.update(&[1.0]))),
        2 => {
            if let Some(mut moments) = read::<Moments>(rest) {
                let original = moments.clone();
                moments.add(0.5);
                moments.merge(&original);
                let _ = (moments.mean(), moments.std(), moments.n_ones());
            }
        }
        3 => check_accumulator::<GroundTruthAccumulator<f32>>(rest, |state| {
            drop(state.update((single.view(), truth.0.view())));
            let _ = state.clone().curves();
        }),
        4 => check_accumulator::<GroundTruthAccumulator<f64>>(rest, |state| {
            drop(state.update((double.view(), truth.1.view())));
            let _ = state.clone().curves();
        }),
        5 => check_accumulator::<FidelityAccumulator>(rest, fidelity),
        6 => check_accumulator::<UnfaithfulnessAccumulator<f64>>(rest, |state| {
            drop(state.update((rows.view(), rows.view())));
        }),
        7 => check_accumulator::<OverGraphs<FidelityAccumulator>>(rest, over_graphs),
        8 => check_accumulator::<OverGraphs<UnfaithfulnessAccumulator<f64>>>(rest, |state| {
            drop(state.update((rows.view(), rows.view())));
        }),
        9 => check_accumulator::<OverGraphs<GroundTruthAccumulator<f32>>>(rest, |state| {
            drop(state.update((single.view(), truth.0.view())));
        }),
        10 => check_accumulator::<PairwiseAccumulator>(rest, |state| {
            let (runs, labels) = runs();
            drop(state.update((runs.view(), labels.view())));
        }),
        11 => check_accumulator::<ScoreAccumulator<DropFormula>>(rest, |state| {
            drop(state.update((&[0.5], &[0.25])));
        }),
        12 => check_accumulator::<Audit>(rest, |audit| {
            let explanations = explanations();
            drop(audit.update(&explanations));
        }),
        _ => {
            if let Some(agreement) = read::<Agreement>(rest) {
                let _ = format!("{agreement:?}");
            }
            let _ = read::<RegressionReproducibility>(rest);
        }
    }
}

fn fidelity(state: &mut FidelityAccumulator) {
    let metric = FidelityMetric::model();
    let _ = state.update(metric.batch(&[1, 1], &[1, 0], &[0, 1]));
}

fn over_graphs(state: &mut OverGraphs<FidelityAccumulator>) {
    let metric = FidelityMetric::model();
    let _ = state.update(metric.batch(&[1, 1], &[1, 0], &[0, 1]));
}

fn runs() -> (ndarray::Array2<i64>, ndarray::Array1<i64>) {
    (array![[0, 1, 2], [0, 1, 1], [5, 1, 2]], array![0, 1, 2])
}

fn explanations() -> Vec<Explanation> {
    let explainer = CaseExplainer::builder()
        .k(1)
        .fit(array![[0.0], [1.0]].view(), &[0, 1])
        .expect("an explainer of two cases");
    let explanations = explainer
        .explain_batch(array![[0.1], [0.8]].view(), &[0, 0])
        .expect("explanations of two samples");
    explainer
        .with_truth(explanations, &[0, 1])
        .expect("true classes of two samples")
}

/// Returns a state of each type, in both formats.
pub(crate) fn stored() -> Vec<Vec<u8>> {
    fn both<T: Serialize>(kind: u8, state: &T) -> [Vec<u8>; 2] {
        let bytes = postcard::to_stdvec(state).expect("a state as bytes");
        let json = serde_json::to_vec(state).expect("a state as JSON");
        [bytes, json].map(|stored| [&[kind], &stored[..]].concat())
    }
    fn updated<A: Accumulator>(mut state: A, batch: A::Batch<'_>) -> A {
        state.update(batch).expect("a batch");
        state
    }
    let (mask_values, truth_values) = (array![0.5, 0.1, 0.5], array![1.0, 0.0, 0.0]);
    let (mask_singles, truth_singles) = (
        mask_values.mapv(|x| x as f32),
        truth_values.mapv(|x| x as f32),
    );
    let (mask, truth): (ArrayView1<'_, f64>, _) = (mask_values.view(), truth_values.view());
    let (mask32, truth32): (ArrayView1<'_, f32>, _) = (mask_singles.view(), truth_singles.view());
    let outputs = array![[0.0, 1.0], [2.0, 0.0]];
    let rows: ArrayView2<'_, f64> = outputs.view();
    let (runs, labels) = runs();
    let mean = updated(ExactMean::new(), &[1e300, -0.5, 1e-300][..]);
    let mut sum = ExactSum::new();
    sum.add(1e300);
    sum.add(-1e-300);
    let mut moments = Moments::new();
    for x in [1.0, 2.0, 4.0] {
        moments.add(x);
    }
    let mut fidelities = FidelityAccumulator::new();
    fidelity(&mut fidelities);
    let mut graphs = OverGraphs::new(FidelityAccumulator::new());
    over_graphs(&mut graphs);
    let truths = GroundTruthMetric::new();
    let kl = UnfaithfulnessMetric::new();
    let pairs = PairwiseAccumulator::new(&Pairwise::new()).expect("all metrics");
    let audit = Audit::new().with_cases().with_distribution();
    let agreement = Agreement::new(runs.view()).expect("agreement of runs");
    [
        both(0, &sum),
        both(1, &mean),
        both(2, &moments),
        both(
            3,
            &updated(
                truths.accumulator::<f32, f32>().expect("a state"),
                (mask32, truth32),
            ),
        ),
        both(
            4,
            &updated(
                truths.accumulator::<f64, f64>().expect("a state"),
                (mask, truth),
            ),
        ),
        both(5, &fidelities),
        both(6, &updated(kl.accumulator::<f64>(), (rows, rows))),
        both(7, &graphs),
        both(
            8,
            &updated(OverGraphs::new(kl.accumulator::<f64>()), (rows, rows)),
        ),
        both(
            9,
            &updated(
                OverGraphs::new(truths.accumulator::<f32, f32>().expect("a state")),
                (mask32, truth32),
            ),
        ),
        both(10, &updated(pairs, (runs.view(), labels.view()))),
        both(
            11,
            &updated(
                AverageDrop::new().accumulator(),
                (&[0.5, 0.8][..], &[0.25, 0.9][..]),
            ),
        ),
        both(12, &updated(audit, &explanations()[..])),
        both(13, &agreement),
    ]
    .concat()
}

pub(crate) fn draws(bytes: &[u8]) {
    let Ok((draws, n_bytes)) = read_draws(bytes) else {
        return;
    };
    assert!(n_bytes <= bytes.len() as u64);
    let _ = StudySummary::new(&draws);
    let _ = AccuracyProfile::per_metric(&draws, 3);
    let mut written = Vec::new();
    write_draws(&draws, &mut written).expect("a vector takes it");
}

pub(crate) fn stored_draws() -> Vec<Vec<u8>> {
    let settings = StudySettings::default()
        .n_samples(20)
        .n_runs(3)
        .max_classes(4);
    let study = SimulationStudy::new(settings).expect("a small study");
    let draws = study.simulate(0..8).expect("eight draws");
    let mut file = Vec::new();
    xai_metrics::repro::study::write_header(&mut file).expect("a vector takes it");
    write_draws(&draws, &mut file).expect("a vector takes it");
    vec![file]
}

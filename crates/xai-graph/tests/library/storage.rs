//! States and results travel: what comes back from storage goes on as if it had never left.
use ndarray::array;
use xai_graph::dataset::DatasetScores;
use xai_graph::fidelity::FidelityAccumulator;
use xai_graph::ground_truth::GroundTruthAccumulator;
use xai_graph::unfaithfulness::UnfaithfulnessAccumulator;
use xai_graph::{
    Accumulator, Fidelity, FidelityMetric, GroundTruthMetric, KlDirection, OverGraphs,
    UnfaithfulnessMetric,
};

fn stored<S: serde::Serialize + serde::de::DeserializeOwned>(state: &S) -> S {
    let text = serde_json::to_string(state).expect("serialises");
    serde_json::from_str(&text).expect("comes back")
}

#[test]
fn fidelity_goes_on_after_storage() {
    let metric = FidelityMetric::model();
    let mut whole = OverGraphs::new(FidelityAccumulator::new());
    whole
        .update(metric.batch(&[0, 1], &[0, 0], &[1, 1]))
        .unwrap();
    let mut back: OverGraphs<FidelityAccumulator> = stored(&whole);
    assert_eq!(back, whole);
    for state in [&mut whole, &mut back] {
        state.update(metric.batch(&[2], &[2], &[1])).unwrap();
    }
    let scores: DatasetScores<Fidelity> = back.finish().unwrap();
    assert_eq!(scores, whole.finish().unwrap());
    assert_eq!(stored(&scores.micro), scores.micro);
}

#[test]
fn unfaithfulness_goes_on_after_storage() {
    let metric = UnfaithfulnessMetric::new().kl_direction(KlDirection::Reverse);
    let (full, kept) = (array![[0.1f32, 2.0]], array![[1.0f32, 0.3]]);
    let mut state = metric.accumulator();
    state.update((full.view(), kept.view())).unwrap();
    let mut back: UnfaithfulnessAccumulator<f32> = stored(&state);
    back.merge(state.clone()).unwrap();
    let once = state.finish().unwrap();
    let twice = back.finish().unwrap();
    assert_eq!((twice.value, twice.n_samples), (once.value, 2));
    assert_eq!(stored(&once), once);
}

#[test]
fn ground_truth_goes_on_after_storage() {
    let mut state = GroundTruthMetric::new().accumulator().unwrap();
    state
        .update((array![0.9f32, 0.4].view(), array![1.0, 1.0].view()))
        .unwrap();
    let mut back: GroundTruthAccumulator<f32> = stored(&state);
    back.update((array![0.6, 0.1].view(), array![0.0, 0.0].view()))
        .unwrap();
    let scores = back.finish().unwrap();
    assert_eq!(scores.auroc, Some(0.75));
    assert_eq!(stored(&scores), scores);
}

//! Workloads of `xai-graph`.

use ndarray::{Array1, Array2, aview1};
use xai_graph::ground_truth::ZeroDivision;
use xai_graph::{GroundTruthMetric, KlDirection, UnfaithfulnessMetric, fidelity};

use crate::workload::{Data, Prepared, Result, Workload};

/// The workloads. `benches/README.md` lists their data files and answers.
pub(crate) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "groundtruth",
        data: "groundtruth",
        prepare: ground_truth,
    },
    Workload {
        name: "gef",
        data: "gef",
        prepare: unfaithfulness,
    },
    Workload {
        name: "fidelity",
        data: "fidelity",
        prepare: fidelities,
    },
];

/// Computes all seven statistics. The five that the peer has are compared.
fn ground_truth(data: &Data) -> Result<Prepared> {
    let predicted: Array1<f32> = data.read("predicted")?;
    let target: Array1<f32> = data.read("target")?;
    let metric = GroundTruthMetric::new().zero_division(ZeroDivision::Zero);
    Ok(Prepared::new(
        1.0,
        move || Ok(metric.evaluate(predicted.view(), target.view())?),
        |scores, answers| {
            let compared = [
                Some(scores.accuracy),
                scores.recall,
                scores.precision,
                scores.f1_score,
                scores.auroc,
            ];
            let values = compared.map(|score| score.unwrap_or(f64::NAN));
            answers.write("metrics", &aview1(&values))
        },
    ))
}

/// Uses the direction of the peer, which computes `KL(softmax b ‖ softmax a)`.
fn unfaithfulness(data: &Data) -> Result<Prepared> {
    let full: Array2<f32> = data.read("a")?;
    let kept: Array2<f32> = data.read("b")?;
    let metric = UnfaithfulnessMetric::new().kl_direction(KlDirection::Reverse);
    Ok(Prepared::new(
        1.0,
        move || Ok(metric.evaluate(full.view(), kept.view())?),
        |gef, answers| answers.write("value", &aview1(&[gef.value])),
    ))
}

fn fidelities(data: &Data) -> Result<Prepared> {
    let full: Array2<f32> = data.read("full")?;
    let kept: Array2<f32> = data.read("kept")?;
    let complement: Array2<f32> = data.read("complement")?;
    Ok(Prepared::new(
        1.0,
        move || Ok(fidelity(&full, &kept, &complement)?),
        |scores, answers| answers.write("fidelity", &aview1(&[scores.pos, scores.neg])),
    ))
}

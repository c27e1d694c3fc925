//! Our side of the workloads of `xai-repro`, packing included.

use ndarray::{Array2, aview1};
use xai_repro::{PairMetric, PairwiseReproducibility};

use crate::{Data, Prepared, Result, Workload};

/// The workloads; names, data files and answers as in `benches/README.md`.
pub(crate) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "ec_pairs_raw",
        data: "ec_pairs",
        prepare: error_consistency,
    },
    Workload {
        name: "agreement_raw",
        data: "agreement_pairs",
        prepare: agreement,
    },
];

/// Undefined values as NaN, which the other side reads.
fn values(runs: &PairwiseReproducibility, metrics: &[PairMetric]) -> Vec<f64> {
    let values = metrics.iter().flat_map(|&metric| runs.pairs(metric));
    values.map(|value| value.unwrap_or(f64::NAN)).collect()
}

fn error_consistency(data: &Data) -> Result<Prepared> {
    let errors: Array2<u8> = data.read("errors")?;
    let (k, n) = errors.dim();
    let right = vec![0u8; n];
    let builder = PairwiseReproducibility::builder().metrics(&[PairMetric::EcLocal]);
    #[allow(clippy::cast_precision_loss)]
    let pairs = (k * (k - 1) / 2) as f64;
    Ok(Prepared::new(
        pairs,
        move || {
            Ok(values(
                &builder.from_predictions(errors.view(), &right)?,
                &[PairMetric::EcLocal],
            ))
        },
        |values, answers| answers.write("ec_local", &aview1(&values)),
    ))
}

fn agreement(data: &Data) -> Result<Prepared> {
    const METRICS: [PairMetric; 3] = [
        PairMetric::PaAcc,
        PairMetric::PaKappa,
        PairMetric::PaCramersV,
    ];
    let predictions: Array2<i64> = data.read("predictions")?;
    let (k, n) = predictions.dim();
    let labels = vec![0i64; n];
    let builder = PairwiseReproducibility::builder().metrics(&METRICS);
    #[allow(clippy::cast_precision_loss)]
    let pairs = (k * (k - 1) / 2) as f64;
    Ok(Prepared::new(
        pairs,
        move || {
            Ok(values(
                &builder.from_predictions(predictions.view(), &labels)?,
                &METRICS,
            ))
        },
        |values, answers| answers.write("values", &aview1(&values)),
    ))
}

//! Our side of the workloads of `xai-repro`.

use ndarray::{Array2, Array3, Axis, aview1};
use xai_repro::study::{MeanMetrics, StudySettings};
use xai_repro::{PackedRuns, PairMetric, Pairwise, PairwiseReproducibility, SimulationStudy};

use crate::workload::{Data, Prepared, Result, Workload};

/// The workloads; names, data files and answers as in `benches/README.md`.
pub(crate) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "ec_pairs",
        data: "ec_pairs",
        prepare: |data| packed("errors", "ec_local", &[PairMetric::EC_LOCAL], data),
    },
    Workload {
        name: "ec_pairs_raw",
        data: "ec_pairs",
        prepare: |data| raw("errors", "ec_local", &[PairMetric::EC_LOCAL], data),
    },
    Workload {
        name: "agreement_pa",
        data: "agreement_pairs",
        prepare: |data| packed("predictions", "values", &[PairMetric::PA_ACC], data),
    },
    Workload {
        name: "agreement_kappa",
        data: "agreement_pairs",
        prepare: |data| packed("predictions", "values", &[PairMetric::PA_KAPPA], data),
    },
    Workload {
        name: "agreement_v",
        data: "agreement_pairs",
        prepare: |data| packed("predictions", "values", &[PairMetric::PA_CRAMERS_V], data),
    },
    Workload {
        name: "agreement_raw",
        data: "agreement_pairs",
        prepare: |data| raw("predictions", "values", &AGREEMENT, data),
    },
    Workload {
        name: "study",
        data: "study",
        prepare: study,
    },
];

const AGREEMENT: [PairMetric; 3] = [
    PairMetric::PA_ACC,
    PairMetric::PA_KAPPA,
    PairMetric::PA_CRAMERS_V,
];

/// The predictions of a workload, and labels that are all 0: an error is what is not 0.
enum Predictions {
    Errors(Array2<u8>),
    Classes(Array2<i64>),
}

impl Predictions {
    fn read(array: &str, data: &Data) -> Result<Self> {
        Ok(match array {
            "errors" => Self::Errors(data.read(array)?),
            _ => Self::Classes(data.read(array)?),
        })
    }

    fn n_pairs(&self) -> f64 {
        let k = match self {
            Self::Errors(runs) => runs.nrows(),
            Self::Classes(runs) => runs.nrows(),
        };
        (k * (k - 1) / 2) as f64
    }

    fn pack(&self, metrics: &[PairMetric]) -> Result<PackedRuns> {
        Ok(match self {
            Self::Errors(runs) => PackedRuns::new(metrics, runs.view(), &vec![0u8; runs.ncols()])?,
            Self::Classes(runs) => {
                PackedRuns::new(metrics, runs.view(), &vec![0i64; runs.ncols()])?
            }
        })
    }
}

/// Metrics of runs that are packed already.
fn packed(
    array: &str,
    answer: &'static str,
    metrics: &'static [PairMetric],
    data: &Data,
) -> Result<Prepared> {
    let predictions = Predictions::read(array, data)?;
    let packed = predictions.pack(metrics)?;
    prepared(predictions.n_pairs(), answer, metrics, move |pairwise| {
        Ok(pairwise.evaluate_packed(&packed)?)
    })
}

/// The same from predictions as they come.
fn raw(
    array: &str,
    answer: &'static str,
    metrics: &'static [PairMetric],
    data: &Data,
) -> Result<Prepared> {
    let predictions = Predictions::read(array, data)?;
    prepared(predictions.n_pairs(), answer, metrics, move |pairwise| {
        Ok(pairwise.evaluate_packed(&predictions.pack(metrics)?)?)
    })
}

fn prepared(
    n_pairs: f64,
    answer: &'static str,
    metrics: &'static [PairMetric],
    run: impl Fn(&Pairwise) -> Result<PairwiseReproducibility> + 'static,
) -> Result<Prepared> {
    let pairwise = Pairwise::new().metrics(metrics);
    Ok(Prepared::new(
        n_pairs,
        move || run(&pairwise),
        move |runs, answers| {
            // Undefined values as NaN, which the other side reads.
            let values = metrics.iter().flat_map(|&metric| runs.pairs(metric));
            let values: Vec<f64> = values.map(|value| value.unwrap_or(f64::NAN)).collect();
            answers.write(answer, &aview1(&values))
        },
    ))
}

/// Draws of the study as it is; random draws cannot be compared with the peer's, so what is compared is
/// the metrics of the peer's draws, taken by the same function.
fn study(data: &Data) -> Result<Prepared> {
    const DRAWS: u32 = 400;
    let labels: Array2<i64> = data.read("labels")?;
    let predictions: Array3<i64> = data.read("predictions")?;
    let study = SimulationStudy::new(StudySettings::default())?;
    Ok(Prepared::new(
        DRAWS.into(),
        move || Ok(study.simulate(0..DRAWS.into())?),
        move |_, answers| answers.write("metrics", &of_peer(&labels, &predictions)?.view()),
    ))
}

/// The peer's metrics, in its order, of its draws.
fn of_peer(labels: &Array2<i64>, predictions: &Array3<i64>) -> Result<Array2<f64>> {
    const METRICS: [&str; 7] = [
        "pa_acc",
        "pa_kappa",
        "pa_cramers_v",
        "ec_corr",
        "ec_acc",
        "ec_global",
        "ec_local",
    ];
    let mut values = Array2::zeros((labels.nrows(), METRICS.len()));
    for (draw, mut row) in values.axis_iter_mut(Axis(0)).enumerate() {
        let labels = labels
            .row(draw)
            .mapv(|label| u32::try_from(label).unwrap_or(u32::MAX));
        let runs = predictions.index_axis(Axis(0), draw);
        let runs = runs.mapv(|label| u32::try_from(label).unwrap_or(u32::MAX));
        let means = MeanMetrics::new(runs.view(), &labels.to_vec())?;
        for (value, name) in row.iter_mut().zip(METRICS) {
            *value = means.metric(name).unwrap_or(f64::NAN);
        }
    }
    Ok(values)
}

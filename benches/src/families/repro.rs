//! Workloads of `xai-repro`.

use ndarray::{Array2, Array3, Axis, aview1};
use xai_repro::study::{MeanMetrics, StudySettings};
use xai_repro::{PackedRuns, PairMetric, Pairwise, PairwiseReproducibility, SimulationStudy};

use crate::workload::{Data, Prepared, Result, Workload};

/// The workloads. `benches/README.md` lists their data files and answers.
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

/// The predictions of a workload. All labels are 0, so that every prediction other than 0 is an error.
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

/// Prepares metrics of runs that are packed before the timed run.
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

/// Prepares the same, with packing as a part of the timed run.
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
            // Undefined values are written as NaN.
            let values: Vec<f64> = metrics
                .iter()
                .flat_map(|&metric| runs.pairs(metric))
                .map(|value| value.unwrap_or(f64::NAN))
                .collect();
            answers.write(answer, &aview1(&values))
        },
    ))
}

/// Times draws of the study with default settings. Random draws cannot be compared with the peer's, so the answer is
/// the metrics of the peer's draws, computed by the same function.
fn study(data: &Data) -> Result<Prepared> {
    const DRAWS: u32 = 400;
    let labels: Array2<i64> = data.read("labels")?;
    let predictions: Array3<i64> = data.read("predictions")?;
    let study = SimulationStudy::new(StudySettings::default())?;
    Ok(Prepared::new(
        DRAWS.into(),
        move || Ok(study.simulate(0..DRAWS.into())?),
        move |_, answers| answers.write("metrics", &metrics(&labels, &predictions)?.view()),
    ))
}

/// Computes the metrics that the peer has, in its order, for its draws.
fn metrics(labels: &Array2<i64>, predictions: &Array3<i64>) -> Result<Array2<f64>> {
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
        let to_u32 = |label: i64| u32::try_from(label).unwrap_or(u32::MAX);
        let draw_labels = labels.row(draw).mapv(to_u32);
        let runs = predictions.index_axis(Axis(0), draw).mapv(to_u32);
        let means = MeanMetrics::new(runs.view(), &draw_labels.to_vec())?;
        for (value, name) in row.iter_mut().zip(METRICS) {
            *value = means.metric(name).unwrap_or(f64::NAN);
        }
    }
    Ok(values)
}

//! Workloads of `xai-casebased`.

use ndarray::{Array1, Array2, Ix1, Ix2};
use xai_casebased::{CaseExplainer, Distance, Engine};

use crate::workload::{Data, Prepared, Result, Workload};

/// The workloads. `benches/README.md` lists their data files and answers.
pub(crate) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "knn_5d",
        data: "knn_5d",
        prepare: nearest,
    },
    Workload {
        name: "knn_5d_explain",
        data: "knn_5d",
        prepare: explanations,
    },
    Workload {
        name: "knn_30d",
        data: "knn_30d",
        prepare: nearest,
    },
    Workload {
        name: "knn_30d_explain",
        data: "knn_30d",
        prepare: explanations,
    },
    Workload {
        name: "knn_784d",
        data: "knn_784d",
        prepare: nearest,
    },
    Workload {
        name: "clusters_chebyshev",
        data: "clusters_12d",
        prepare: |data| nearest_by(data, Distance::Chebyshev, K),
    },
    Workload {
        name: "clusters_euclidean",
        data: "clusters_12d",
        prepare: nearest,
    },
    Workload {
        name: "digits_64d",
        data: "digits_64d",
        prepare: nearest,
    },
    Workload {
        name: "uniform_20d",
        data: "uniform_20d",
        prepare: |data| nearest_by(data, Distance::Euclidean, 50),
    },
    Workload {
        name: "uniform_3d",
        data: "uniform_3d",
        prepare: |data| nearest_by(data, Distance::Euclidean, 1),
    },
];

/// Number of neighbours per query in most workloads.
const K: usize = 5;

fn nearest(data: &Data) -> Result<Prepared> {
    nearest_by(data, Distance::Euclidean, K)
}

fn nearest_by(data: &Data, distance: Distance, k: usize) -> Result<Prepared> {
    let train: Array2<f64> = data.read::<f64, Ix2>("train")?;
    let queries: Array2<f64> = data.read::<f64, Ix2>("queries")?;
    let search = Engine::Auto.build_for(train.view(), distance, k)?;
    let n_queries = queries.nrows();
    Ok(Prepared::new(
        n_queries as f64,
        move || Ok(search.nearest_batch(queries.view(), k)?),
        move |found, answers| {
            let neighbor = |(query, rank): (usize, usize)| found[query][rank];
            let shape = (n_queries, k);
            let neighbors = Array2::from_shape_fn(shape, |at| neighbor(at).index as i64);
            answers.write("neighbors", &neighbors.view())?;
            let distances = Array2::from_shape_fn(shape, |at| neighbor(at).distance);
            answers.write("distances", &distances.view())
        },
    ))
}

fn explanations(data: &Data) -> Result<Prepared> {
    let train: Array2<f64> = data.read::<f64, Ix2>("train")?;
    let queries: Array2<f64> = data.read::<f64, Ix2>("queries")?;
    let labels = data.read::<i64, Ix1>("labels")?.to_vec();
    let predicted = data.read::<i64, Ix1>("predicted")?.to_vec();
    let explainer = CaseExplainer::builder().k(K).fit(train.view(), &labels)?;
    Ok(Prepared::new(
        queries.nrows() as f64,
        move || Ok(explainer.explain_batch(queries.view(), &predicted)?),
        |explanations, answers| {
            let scores: Array1<f64> = explanations
                .iter()
                .map(|e| e.correspondence.score.unwrap_or(f64::NAN))
                .collect();
            answers.write("correspondence", &scores.view())
        },
    ))
}

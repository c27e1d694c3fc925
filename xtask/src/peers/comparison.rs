//! What is compared with what, and the ratio of times to reach.

use super::environment::{Environment, PEERS, QUANTUS, XPLIQUE};

/// One peer on one workload.
pub(crate) struct Peer {
    /// As the Python side names it.
    pub(crate) name: &'static str,
    /// The ratio of its time to ours to reach; `None` where the peer is shown for comparison only.
    pub(crate) target: Option<f64>,
}

/// A workload of ours, and the peers that do the same.
pub(crate) struct Comparison {
    pub(crate) family: &'static str,
    pub(crate) environment: &'static Environment,
    /// The module of the Python side.
    pub(crate) script: &'static str,
    /// The folder of the data, and the Python side's name of the workload.
    pub(crate) data: &'static str,
    /// Our name of the workload.
    pub(crate) ours: &'static str,
    /// What is timed, and per which unit.
    pub(crate) work: &'static str,
    pub(crate) peers: &'static [Peer],
}

const fn peer(name: &'static str, target: f64) -> Peer {
    Peer {
        name,
        target: Some(target),
    }
}

const fn without_target(name: &'static str) -> Peer {
    Peer { name, target: None }
}

/// Comparisons that share data stand next to each other, so that the data are made once.
pub(crate) const COMPARISONS: &[Comparison] = &[
    Comparison {
        family: "casebased",
        environment: &PEERS,
        script: "casebased",
        data: "knn_5d",
        ours: "knn_5d",
        work: "5 nearest of 56 959 × 5, per query",
        peers: &[
            peer("sklearn kd_tree", 3.0),
            without_target("sklearn brute"),
            without_target("faiss flat f32"),
        ],
    },
    Comparison {
        family: "casebased",
        environment: &PEERS,
        script: "casebased",
        data: "knn_5d",
        ours: "knn_5d_explain",
        work: "explain, 56 959 × 5, k = 5, per explanation",
        peers: &[peer("case-explainer", 3000.0)],
    },
    Comparison {
        family: "casebased",
        environment: &PEERS,
        script: "casebased",
        data: "knn_30d",
        ours: "knn_30d",
        work: "5 nearest of 284 807 × 30, per query",
        peers: &[peer("sklearn brute", 3.0), peer("faiss flat f32", 3.0)],
    },
    Comparison {
        family: "casebased",
        environment: &PEERS,
        script: "casebased",
        data: "knn_30d",
        ours: "knn_30d_explain",
        work: "explain, 284 807 × 30, k = 5, per explanation",
        peers: &[without_target("case-explainer")],
    },
    Comparison {
        family: "casebased",
        environment: &PEERS,
        script: "casebased",
        data: "knn_784d",
        ours: "knn_784d",
        work: "5 nearest of 60 000 × 784, per query",
        peers: &[peer("sklearn brute", 4.0), peer("faiss flat f32", 0.9)],
    },
    Comparison {
        family: "casebased",
        environment: &PEERS,
        script: "casebased",
        data: "clusters_12d",
        ours: "clusters_chebyshev",
        work: "5 nearest of 200 000 × 12 in 100 clusters, chebyshev, per query",
        peers: &[peer("sklearn kd_tree chebyshev", 3.0)],
    },
    Comparison {
        family: "casebased",
        environment: &PEERS,
        script: "casebased",
        data: "clusters_12d",
        ours: "clusters_euclidean",
        work: "5 nearest of 200 000 × 12 in 100 clusters, euclidean, per query",
        peers: &[peer("sklearn kd_tree", 6.0)],
    },
    Comparison {
        family: "casebased",
        environment: &PEERS,
        script: "casebased",
        data: "digits_64d",
        ours: "digits_64d",
        work: "5 nearest of 60 000 × 64, digits and noise, per query",
        peers: &[peer("faiss flat f32", 5.0)],
    },
    Comparison {
        family: "casebased",
        environment: &PEERS,
        script: "casebased",
        data: "uniform_20d",
        ours: "uniform_20d",
        work: "50 nearest of 100 000 × 20, uniform, per query",
        peers: &[peer("faiss flat f32", 3.0)],
    },
    Comparison {
        family: "casebased",
        environment: &PEERS,
        script: "casebased",
        data: "uniform_3d",
        ours: "uniform_3d",
        work: "nearest of 1 000 000 × 3, uniform, per query",
        peers: &[peer("sklearn kd_tree", 6.0)],
    },
    Comparison {
        family: "repro",
        environment: &PEERS,
        script: "repro",
        data: "ec_pairs",
        ours: "ec_pairs",
        work: "error consistency of 200 runs × 100 000 samples, packed before, per pair",
        peers: &[peer("numba", 100.0)],
    },
    Comparison {
        family: "repro",
        environment: &PEERS,
        script: "repro",
        data: "ec_pairs",
        ours: "ec_pairs_raw",
        work: "error consistency of 200 runs × 100 000 samples, packing included, per pair",
        peers: &[without_target("numba")],
    },
    Comparison {
        family: "repro",
        environment: &PEERS,
        script: "repro",
        data: "agreement_pairs",
        ours: "agreement_pa",
        work: "percent agreement, 100 000 samples, 10 classes, packed before, per pair",
        peers: &[peer("numpy PA", 30.0)],
    },
    Comparison {
        family: "repro",
        environment: &PEERS,
        script: "repro",
        data: "agreement_pairs",
        ours: "agreement_kappa",
        work: "Cohen's κ, 100 000 samples, 10 classes, packed before, per pair",
        peers: &[peer("sklearn kappa", 400.0)],
    },
    Comparison {
        family: "repro",
        environment: &PEERS,
        script: "repro",
        data: "agreement_pairs",
        ours: "agreement_v",
        work: "Cramér's V, 100 000 samples, 10 classes, packed before, per pair",
        peers: &[peer("scipy Cramer V", 250.0)],
    },
    Comparison {
        family: "repro",
        environment: &PEERS,
        script: "repro",
        data: "agreement_pairs",
        ours: "agreement_raw",
        work: "PA, κ and V of 6 runs × 100 000 samples, packing included, per pair",
        peers: &[without_target("numpy + sklearn + scipy")],
    },
    Comparison {
        family: "repro",
        environment: &PEERS,
        script: "repro",
        data: "study",
        ours: "study",
        work: "one draw of the simulation study: 5 runs × 1000 samples, 7 metrics",
        peers: &[peer("numpy/sklearn/scipy", 250.0)],
    },
    Comparison {
        family: "graph",
        environment: &PEERS,
        script: "graph",
        data: "groundtruth",
        ours: "groundtruth",
        work: "ground-truth metrics, 5 M edges",
        peers: &[peer("PyG + torchmetrics", 10.0)],
    },
    Comparison {
        family: "graph",
        environment: &PEERS,
        script: "graph",
        data: "gef",
        ours: "gef",
        work: "unfaithfulness, 1 M × 10, f32",
        peers: &[peer("torch as in PyG", 6.0)],
    },
    Comparison {
        family: "graph",
        environment: &PEERS,
        script: "graph",
        data: "fidelity",
        ours: "fidelity",
        work: "both fidelities from outputs, 1 M × 10, f32",
        peers: &[peer("torch as in PyG", 3.0)],
    },
    Comparison {
        family: "attribution",
        environment: &PEERS,
        script: "attribution",
        data: "mask",
        ours: "mask",
        work: "mask and multiply, 64 × 224 × 224 × 3, f32",
        peers: &[peer("torch", 2.0)],
    },
    Comparison {
        family: "attribution",
        environment: &XPLIQUE,
        script: "attribution_xplique",
        data: "linear",
        ours: "average_drop",
        work: "Average Drop, 64 images 64 × 64 × 3, a linear model",
        peers: &[without_target("xplique average_drop")],
    },
    Comparison {
        family: "attribution",
        environment: &XPLIQUE,
        script: "attribution_xplique",
        data: "linear",
        ours: "deletion",
        work: "Deletion, 64 images 64 × 64 × 3, 50 steps, a linear model",
        peers: &[peer("xplique deletion", 10.0)],
    },
    Comparison {
        family: "attribution",
        environment: &QUANTUS,
        script: "attribution_quantus",
        data: "quantus_linear",
        ours: "quantus_pixel_flipping",
        work: "Pixel-Flipping, 48 steps, 64 images 3 × 64 × 64, a linear model",
        peers: &[peer("quantus pixel_flipping", 30.0)],
    },
    Comparison {
        family: "attribution",
        environment: &QUANTUS,
        script: "attribution_quantus",
        data: "quantus_linear",
        ours: "quantus_pixel_flipping_384",
        work: "Pixel-Flipping, 384 steps, 64 images 3 × 64 × 64, a linear model",
        peers: &[peer("quantus pixel_flipping_384", 30.0)],
    },
    Comparison {
        family: "attribution",
        environment: &QUANTUS,
        script: "attribution_quantus",
        data: "quantus_linear",
        ours: "quantus_faithfulness_correlation",
        work: "Faithfulness Correlation, 100 subsets of 224, 64 images 3 × 64 × 64, a linear model",
        peers: &[peer("quantus faithfulness_correlation", 20.0)],
    },
    Comparison {
        family: "attribution",
        environment: &QUANTUS,
        script: "attribution_quantus",
        data: "quantus_linear",
        ours: "quantus_max_sensitivity",
        work: "Max-Sensitivity, 200 neighbours, 64 images 3 × 64 × 64, a linear model",
        peers: &[peer("quantus max_sensitivity", 100.0)],
    },
];

//! What people read when something is wrong.

use ndarray::{Array2, array};
use xai_graph::mask::{Sparsity, sparsify};
use xai_graph::model::EdgeRemoval;
use xai_graph::{
    Characterization, Error, Explanation, FidelityMetric, Graph, ReturnType, UnfaithfulnessMetric,
    explained_outputs, fidelity, fidelity_curve_auc, ground_truth, unfaithfulness,
};

fn message<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn messages_name_the_input_the_place_the_expectation_and_the_way_out() {
    let rows = array![[0.0, 1.0], [1.0, 0.0]];
    let nan = array![[0.0, 1.0], [f64::NAN, 0.0]];
    let single = Array2::<f64>::zeros((2, 1));
    let probs = UnfaithfulnessMetric::new().return_type(ReturnType::Probs);
    let off = array![[0.0, 1.0], [1.0, 1.0]];
    let cases = [
        (
            message(fidelity(&[1, 2], &[1], &[1, 2])),
            "kept: expected shape (2), got (1)",
        ),
        (
            message(
                FidelityMetric::model()
                    .index(&[0, 2])
                    .evaluate(&[1, 2], &[1, 2], &[1, 2]),
            ),
            "index[1] = 2: expected a sample of 0 or 1",
        ),
        (
            message(FidelityMetric::phenomenon(&[0, 2]).evaluate(&rows, &rows, &rows)),
            "target[1] = 2: expected a class of 0 or 1",
        ),
        (
            message(fidelity(&rows, &nan, &rows)),
            "kept[1, 0]: not a finite number",
        ),
        (
            message(fidelity(&single, &single, &single)),
            "full: expected shape (n, c) with c >= 2, got (2, 1); \
             compare a single score with its threshold and pass the labels",
        ),
        (
            message(unfaithfulness(single.view(), single.view())),
            "full: expected shape (n, c) with c >= 2, got (2, 1); \
             for a single score per row choose output_distribution = bernoulli",
        ),
        (
            message(probs.evaluate(rows.view(), off.view())),
            "sum of the probabilities of kept[1] = 2: expected 1; for raw scores choose \
             return_type = logits, for independent columns output_distribution = bernoulli",
        ),
        (
            message(Characterization::new().scores(&[0.5, 1.5], &[0.0; 2])),
            "pos_fidelity[1] = 1.5: expected a fidelity in [0, 1]",
        ),
        (
            message(Characterization::new().neg_weight(0.6).score(0.5, 0.5)),
            "pos_weight + neg_weight = 1.1: expected weights that sum to 1",
        ),
        (
            message(fidelity_curve_auc(&[0.5; 2], &[0.5, 1.0], &[0.0, 1.0])),
            "neg_fidelity[1] = 1: expected less than 1, the curve divides by 1 - fid-; \
             leave the point out",
        ),
        (
            message(ground_truth(
                array![0.5, 1.5].view(),
                array![0.0, 1.0].view(),
            )),
            "predicted[1] = 1.5: expected a score in [0, 1]; \
             for raw scores choose logits = true",
        ),
        (
            message(sparsify(array![0.5, 0.1].view(), Sparsity::TopK(3))),
            "top_k = 3: expected 0 to 2, the number of elements",
        ),
    ];
    for (message, expected) in cases {
        assert_eq!(message, expected);
    }
}

#[test]
fn errors_of_models_name_the_input_they_were_called_with() {
    let (features, edges) = (array![[1.0], [2.0]], array![[0, 1], [1, 0]]);
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let mask = array![1.0, 0.0];
    let explanation = Explanation::edges(mask.view());
    let failing = |_: Graph<'_, f64>| Err::<Array2<f64>, _>("out of memory");
    assert_eq!(
        explained_outputs(&failing, graph, explanation, EdgeRemoval::Weight)
            .unwrap_err()
            .problem(),
        "model: failed on the whole graph: out of memory"
    );
    let shrinking = |graph: Graph<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        Ok(Array2::zeros((graph.n_edges(), 2)))
    };
    assert_eq!(
        message(explained_outputs(
            &shrinking,
            graph,
            explanation,
            EdgeRemoval::Remove
        )),
        "outputs on the explanation alone of model: expected shape (2, 2), got (1, 2)"
    );
}

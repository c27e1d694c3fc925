//! Deletion of a smartcore model, and the training cases that are nearest to its predictions.

use smartcore::linalg::basic::arrays::Array;
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::tree::decision_tree_classifier::DecisionTreeClassifier;
use xai_attribution::Evaluate;
use xai_attribution::metric::Deletion;
use xai_attribution::model::{samples_from_slice, slice_model_fn};
use xai_casebased::CaseExplainer;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Rows of two features. The first tells the classes apart, and the second is constant.
    let train = vec![0.0, 5.0, 1.0, 5.0, 8.0, 5.0, 9.0, 5.0];
    let labels = vec![0, 0, 1, 1];
    let matrix = |rows: &[f64]| DenseMatrix::new(rows.len() / 2, 2, rows.to_vec(), false);
    let tree = DecisionTreeClassifier::fit(&matrix(&train)?, &labels, Default::default())?;
    let samples = [10.0, 5.0, 2.0, 5.0];

    // Adapter
    let model = slice_model_fn(|rows: &[f64], shape| {
        let rows = DenseMatrix::new(shape[0], shape[1], rows.to_vec(), false)?;
        let predicted = tree.predict_proba(&rows)?;
        Ok(predicted.iterator(0).copied().collect::<Vec<f64>>()) // row by row
    });
    let predicted: Vec<i32> = tree.predict(&matrix(&samples)?)?;
    let explainer = CaseExplainer::builder()
        .k(2)
        .fit_slice(&train, 2, &labels)?;
    let explanations = explainer.explain_batch_slice(&samples, &predicted)?;
    // End of the adapter

    // Without its first feature, sample 0 is of class 0.
    let maps = samples_from_slice(&[2, 2], &[1.0, 0.0, 1.0, 0.0])?;
    let inputs = samples_from_slice(&[2, 2], &samples)?;
    let deletion = Deletion::new().evaluate(&model, inputs, &predicted, maps)?;
    assert_eq!(
        deletion.per_sample,
        [Some((1.0 / 2.0 + 0.0 + 0.0) / 2.0), Some(1.0)]
    );
    // The two nearest cases of each sample have the predicted class.
    assert_eq!(predicted, [1, 0]);
    assert_eq!(explanations[0].correspondence.score, Some(1.0));
    assert_eq!(explanations[0].cases[0].index, 3);
    assert_eq!(explanations[1].cases[0].index, 1);
    Ok(())
}

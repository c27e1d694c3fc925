//! The neighbours of this crate, judged as attributions.

use ndarray::{Array2, ArrayView2, array};
use xai_casebased::data_attribution::{
    AttributionData, AttributionMetric, AttributionRows, ClassAuroc, ClassDetection, RetrievedRows,
};
use xai_casebased::input;
use xai_casebased::similarity::{Embedding, ForestProximity, Overflow, TreeLeaf};
use xai_casebased::{CaseExplainer, Similarity};

/// Two groups, in the second feature; the first is noise. One row of each is in the class of the other.
fn train() -> (Array2<f64>, Vec<i64>) {
    let rows = Array2::from_shape_fn((40, 2), |(i, j)| match j {
        0 => (i * 37 % 40) as f64,
        _ => (i / 20) as f64 + (i % 7) as f64 / 100.0,
    });
    let labels = (0..40).map(|i| i64::from((i >= 20) != (i == 3 || i == 30)));
    (rows, labels.collect())
}

fn leaf(rows: ArrayView2<'_, f64>) -> Result<Vec<u32>, std::fmt::Error> {
    Ok(rows.column(1).iter().map(|&x| u32::from(x > 0.5)).collect())
}

fn similarities() -> Vec<Option<Similarity>> {
    let second = |rows: ArrayView2<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        Ok(rows.slice(ndarray::s![.., 1..]).to_owned())
    };
    let leaves = |rows: ArrayView2<'_, f64>| -> Result<Array2<u32>, std::fmt::Error> {
        let leaf = leaf(rows)?;
        let leaf_of = |i: usize, tree: usize| match tree {
            0 => leaf[i],
            _ => u32::from(rows[[i, 0]] > 20.0),
        };
        Ok(Array2::from_shape_fn((rows.nrows(), 2), |(i, tree)| {
            leaf_of(i, tree)
        }))
    };
    vec![
        None,
        Some(Embedding::new(second).into()),
        Some(TreeLeaf::new(leaf).overflow(Overflow::Nearest).into()),
        Some(ForestProximity::new(leaves).into()),
    ]
}

#[test]
fn every_retrieval_is_judged_by_the_metrics_of_attributions() {
    let (rows, labels) = train();
    let samples = array![[5.0, 0.02], [35.0, 1.01]];
    for similarity in similarities() {
        let builder = CaseExplainer::builder().k(3);
        let builder = similarity
            .into_iter()
            .fold(builder, |builder, of| builder.similarity(of));
        let explainer = builder.fit(rows.view(), &labels).unwrap();
        let attributions = explainer.attributions(samples.view(), &[0, 1]).unwrap();
        assert_eq!(attributions.shape(), (2, 40));
        // Signed by the class, all cases of it are above all others.
        let auroc = |rows: &RetrievedRows<'_>| {
            let data = AttributionData::new(rows)
                .with(input::TRAIN_LABELS, &labels)
                .with(input::TEST_CLASSES, &[0, 1]);
            ClassAuroc::new().evaluate(&data).unwrap().value.unwrap()
        };
        assert_eq!(auroc(&attributions), 1.0);
        // Without the sign, what is known of the second feature tells: 38 of 40 labels follow it.
        let plain = attributions.unsigned();
        assert!((0.6..1.0).contains(&auroc(&plain)));
        let data = AttributionData::new(&plain)
            .with(input::TRAIN_LABELS, &labels)
            .with(input::TEST_CLASSES, &[0, 1]);
        let found = ClassDetection::new().k(3).evaluate(&data).unwrap();
        // The top cases are the neighbours that an explanation shows.
        let shown = explainer.explain_batch(samples.view(), &[0, 1]).unwrap();
        for (share, explanation) in found.per_sample.iter().zip(&shown) {
            let same = explanation
                .cases
                .iter()
                .filter(|case| Some(case.label) == explanation.predicted);
            assert_eq!(*share, Some(same.count() as f64 / 3.0));
        }
    }
}

#[test]
fn weights_are_those_of_correspondence() {
    let (rows, labels) = train();
    let explainer = CaseExplainer::builder()
        .k(40)
        .fit(rows.view(), &labels)
        .unwrap();
    let samples = array![[5.0, 0.02]];
    let attributions = explainer.attributions(samples.view(), &[0]).unwrap();
    let weights = attributions.to_array().unwrap();
    assert_eq!(attributions.rows(0..1).unwrap(), weights);
    let (with, against): (Vec<f64>, Vec<f64>) = weights.iter().partition(|&&weight| weight > 0.0);
    let score = explainer
        .explain(samples.row(0), 0)
        .unwrap()
        .correspondence
        .score
        .unwrap();
    let share = with.iter().sum::<f64>() / (with.iter().sum::<f64>() - against.iter().sum::<f64>());
    assert!((score - share).abs() < 1e-12, "{score} {share}");
}

#[test]
fn predictions_are_one_a_sample() {
    let (rows, labels) = train();
    let explainer = CaseExplainer::builder().fit(rows.view(), &labels).unwrap();
    let error = explainer.attributions(rows.view(), &[0]).unwrap_err();
    assert_eq!(error.to_string(), "predicted: expected shape (40), got (1)");
}

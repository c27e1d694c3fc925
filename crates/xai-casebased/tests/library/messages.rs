//! What errors say to people. Nothing else depends on these words.

use ndarray::array;
use xai_casebased::{
    CaseExplainer, ClassWeights, CorrespondenceMetric, Distance, Engine, Error, correspondence,
};

fn message<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn messages_name_the_thing_the_place_the_expectation_and_the_way_out() {
    assert_eq!(
        message(correspondence(&[0.1], &[1, 2], 1)),
        "labels: expected shape (1), got (2)"
    );
    assert_eq!(
        message(correspondence(&[0.1, -0.5], &[1, 2], 1)),
        "distances[1] = -0.5: expected a distance, at least 0"
    );
    let negative = CorrespondenceMetric::new().weighting_with(|d: f64| 1.0 - d);
    assert_eq!(
        message(negative.evaluate(&[0.5, 2.0], &[0, 0], 0)),
        "weights[1] = -1: expected a finite weight, at least 0, at distance 2"
    );
    assert_eq!(
        message(ClassWeights::new([(4, -1.0)])),
        "class_weights of class 4 = -1: expected a finite weight, at least 0"
    );
    let train = array![[0.0], [1.0]];
    let builder = CaseExplainer::builder;
    assert_eq!(
        message(builder().k(0).fit(train.view(), &[0, 1])),
        "k = 0: expected a whole number, at least 1"
    );
    let tree = builder().engine(Engine::KdTree).distance(Distance::Cosine);
    assert_eq!(
        message(tree.scale(false).fit(array![[1.0]].view(), &[0])),
        "distance = cosine: expected euclidean, squared-euclidean, manhattan, chebyshev, \
         minkowski or mahalanobis, which a k-d tree can bound; choose engine = brute-force"
    );
    assert_eq!(
        message(
            builder()
                .metadata("age", vec![1.0])
                .fit(train.view(), &[0, 1])
        ),
        "column age of metadata: expected shape (2), got (1)"
    );
    let plain = builder().scale(false).fit(train.view(), &[0, 1]).unwrap();
    assert_eq!(
        message(plain.explain(array![1e200].view(), 0)),
        "distance of samples[0] = inf: expected a distance within the range of f64 from train[0]; scale the \
         features down"
    );
    let model = |_: ndarray::ArrayView2<'_, f64>| Err::<Vec<i32>, _>("out of memory");
    assert_eq!(
        plain
            .explain_with(train.view(), model)
            .unwrap_err()
            .problem(),
        "model: failed on samples 0 to 1: out of memory"
    );
}

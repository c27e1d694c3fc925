//! Metrics of another crate: what they share with those of this one, and what they bring.

use ndarray::{Array2, Array3, ArrayD, ArrayViewD, array};
use xai_attribution::batch::{BatchWork, Dataset, ExplainedBatch, SampleBatch};
use xai_attribution::metric::{
    AverageDrop, CurveKind, CurveMetric, Deletion, Described, Direction, Measure, Metric,
    MetricInfo, MuFidelity, Parameters, SCORE_NEEDS,
};
use xai_attribution::model::{Concurrent, Targets};
use xai_attribution::perturbation::{
    Baseline, BaselineInputs, BaselineRows, PrecomputedBaselines, RemovalOrder, Start,
};
use xai_attribution::side::Masks;
use xai_attribution::{Benchmark, Error, Evaluate, EvaluationData, Real, Result, input};
use xai_core::ErrorKind;
use xai_core::describe::Range;
use xai_core::statistics::pearson;

type Answer = Result<Array2<f64>, std::fmt::Error>;

/// A linear model of one output.
fn linear(batch: ArrayViewD<'_, f64>) -> Answer {
    let rows = batch.outer_iter();
    let rows = rows.map(|x| x.iter().zip(1..).map(|(x, w)| x * f64::from(w)).sum());
    Ok(Array2::from_shape_vec((batch.shape()[0], 1), rows.collect()).unwrap())
}

fn table() -> (ArrayD<f64>, ArrayD<f64>) {
    let x = ArrayD::from_shape_fn(vec![6, 5], |i| ((i[0] * 5 + i[1] * 3) % 7 + 1) as f64);
    let mut terms = x.clone();
    for mut row in terms.outer_iter_mut() {
        row.iter_mut()
            .zip(1..)
            .for_each(|(x, w)| *x *= f64::from(w));
    }
    (x, terms)
}

/// The drop of every position by itself: single removal, shared by all explainers.
#[derive(Debug, Clone, PartialEq)]
struct SingleRemoval(Baseline);

impl<T: Real> BatchWork<T> for SingleRemoval {
    type Output = Vec<f64>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<f64>> {
        let blank = batch.shared(&BaselineInputs(self.0.clone()))?;
        let (blank, places): (&BaselineRows<T>, _) = (&blank, batch.dataset().positions());
        let n = places.positions;
        let scores = batch.score_changed(
            batch.n_samples() * n,
            |row| row / n,
            |row, values| {
                let sample = row / n;
                places.copy(values, blank.row(sample), row % n);
            },
            ", without one position",
        )?;
        let base = batch.base_scores()?.iter();
        let drops = base.zip(scores.chunks_exact(n));
        Ok(drops
            .flat_map(|(base, scores)| scores.iter().map(move |score| base - score))
            .collect())
    }
}

/// Correlation of attributions with the drops of single removals.
#[derive(Parameters)]
struct FaithfulnessEstimate {
    #[param(skip)]
    removal: SingleRemoval,
}

impl Metric for FaithfulnessEstimate {
    fn info(&self) -> &'static MetricInfo {
        const {
            &MetricInfo {
                direction: Direction::Higher,
                range: Range::SIGNED_SHARE,
                needs: SCORE_NEEDS,
                ..MetricInfo::named("faithfulness-estimate")
            }
        }
    }
}

impl<T: Real> Measure<T> for FaithfulnessEstimate {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.removal.0.prepare(dataset)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let drops = explained.batch().shared(&self.removal)?;
        let n = explained.batch().dataset().n_positions();
        let attributions = explained.attributions()?.chunks_exact(n);
        attributions
            .zip(drops.chunks_exact(n))
            .map(|(a, drops)| {
                let a: Vec<f64> = a.iter().map(|x| x.to_f64_exact()).collect();
                pearson(&a, drops)
            })
            .collect()
    }
}

#[test]
fn a_perturbation_metric_of_another_crate_shares_its_work_in_an_evaluation() {
    let (x, terms) = table();
    let wrong = terms.mapv(|v| -v);
    let removal = SingleRemoval(Baseline::Value(0.0));
    let metric = || FaithfulnessEstimate {
        removal: removal.clone(),
    };
    let table = Benchmark::new(&linear, x.view(), &[0; 6])
        .batch_size(4)
        .maps("terms", terms.view())
        .maps("wrong", wrong.view())
        .metric(metric())
        .metric(AverageDrop::new())
        .evaluate()
        .unwrap();
    let of = |name| table.result(name, "faithfulness_estimate").unwrap();
    assert!((of("terms").value.unwrap() - 1.0).abs() < 1e-12);
    assert!((of("wrong").value.unwrap() + 1.0).abs() < 1e-12);
    assert_eq!(
        table.metric("faithfulness_estimate").unwrap().ranking,
        [0, 1]
    );
    // Base scores once, single removals once for both explainers, masked inputs of each.
    assert_eq!(table.model_calls.rows, 6 * (1 + 5 + 2));
    let alone = metric()
        .evaluate(&linear, x.view(), &[0; 6], terms.view())
        .unwrap();
    assert_eq!(alone.per_sample, of("terms").per_sample);
    // A model that fails is named with what was done to the inputs.
    let fails = |batch: ArrayViewD<'_, f64>| match batch[[0, 0]] {
        0.0 => Err("out of memory"),
        _ => Ok(linear(batch).unwrap()),
    };
    let stopped = metric()
        .evaluate(&fails, x.view(), &[0; 6], terms.view())
        .unwrap_err();
    let ErrorKind::Model { call, .. } = stopped.error().kind() else {
        panic!("{stopped}")
    };
    assert!(call.ends_with(", without one position"));
}

/// Deletion from the least relevant position on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Parameters)]
struct LeastRelevantFirst;

impl Described for LeastRelevantFirst {
    const INFO: &'static MetricInfo = &MetricInfo {
        direction: Direction::Higher,
        range: Range::REAL.when("as the scores"),
        needs: SCORE_NEEDS,
        ..MetricInfo::named("lerf")
    };
}

impl CurveKind for LeastRelevantFirst {
    const START: Start = Start::Input;
    const ORDER: RemovalOrder = RemovalOrder::LeastRelevantFirst;
}

#[test]
fn removal_curves_run_in_any_order() {
    let (x, terms) = table();
    let negated = terms.mapv(|v| -v);
    let lerf = CurveMetric::<LeastRelevantFirst>::new().steps(None);
    let lerf = |maps: &ArrayD<f64>| {
        lerf.evaluate(&linear, x.view(), &[0; 6], maps.view())
            .unwrap()
    };
    let deletion = Deletion::new().steps(None);
    let deletion = |maps: &ArrayD<f64>| {
        deletion
            .evaluate(&linear, x.view(), &[0; 6], maps.view())
            .unwrap()
    };
    // Distinct attributions: the least relevant first is the most relevant of the negated map.
    assert!(lerf(&terms).value > deletion(&terms).value);
    let distinct = ArrayD::from_shape_fn(vec![6, 5], |i| (i[1] * 3 % 5) as f64 + i[0] as f64);
    assert_eq!(lerf(&distinct), deletion(&distinct.mapv(|v| -v)));
    assert_eq!(lerf(&distinct.mapv(|v| -v)), deletion(&distinct));
    assert!(lerf(&negated).value < deletion(&negated).value);
}

/// The share of positive attribution inside a mask: a further input, and no model.
#[derive(Parameters)]
struct MassInside;

impl Metric for MassInside {
    fn info(&self) -> &'static MetricInfo {
        const {
            &MetricInfo {
                direction: Direction::Higher,
                range: Range::SHARE,
                needs: &[input::EXPLANATIONS, input::MASKS],
                ..MetricInfo::named("mass-inside")
            }
        }
    }
}

impl<T: Real> Measure<T> for MassInside {
    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let dataset = explained.batch().dataset();
        let masks = dataset.side::<Masks>()?.read(explained.batch().samples())?;
        let attributions = explained
            .attributions()?
            .chunks_exact(dataset.n_positions());
        Ok(masks
            .outer_iter()
            .zip(attributions)
            .map(|(inside, attributions)| {
                let (mut mass, mut total) = (0.0, 0.0);
                for (a, &inside) in attributions.iter().zip(&inside) {
                    let a = a.to_f64_exact().max(0.0);
                    total += a;
                    mass += if inside { a } else { 0.0 };
                }
                (total > 0.0).then(|| mass / total)
            })
            .collect())
    }
}

#[test]
fn a_metric_may_need_a_further_input_and_no_model() {
    let (x, _) = table();
    let masks = Masks::new(Array3::from_shape_fn((6, 1, 5), |(_, _, j)| j == 0));
    let data = |masks| {
        EvaluationData::new(x.view(), &[0; 6])
            .maps(x.view())
            .with(masks)
    };
    let of = MassInside.evaluate_on(data(masks)).unwrap();
    let first = x[[0, 0]] / (0..5).map(|j| x[[0, j]]).sum::<f64>();
    assert_eq!(of.per_sample[0], Some(first));
    let small = Masks::new(Array3::from_elem((6, 1, 4), true));
    let error = MassInside
        .evaluate_on(data(small))
        .unwrap_err()
        .into_error();
    assert_eq!(error.input(), input::MASKS);
    let none = EvaluationData::new(x.view(), &[0; 6]).maps(x.view());
    let error = MassInside.evaluate_on(none).unwrap_err().into_error();
    assert_eq!(error.input(), input::MASKS);
    assert!(matches!(error.kind(), ErrorKind::Missing));
}

#[test]
fn explainers_are_called_again_for_stability_metrics() {
    use xai_attribution::metric::{AverageStability, MaximumStability};
    let (x, _) = table();
    let rows = std::sync::atomic::AtomicUsize::new(0);
    let explainer = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
        rows.fetch_add(x.shape()[0], std::sync::atomic::Ordering::Relaxed);
        Ok(x.mapv(|v| 2.0 * v))
    };
    let table = Benchmark::new(&linear, x.view(), &[0; 6])
        .explainer("twice", &explainer)
        .metric(AverageStability::default())
        .metric(MaximumStability::default())
        .metric(MuFidelity::new().n_subsets(10))
        .evaluate()
        .unwrap();
    // Maps once, and 20 neighbours of each sample once for both statistics.
    assert_eq!(rows.into_inner(), 6 * 21);
    let value = |metric| table.result("twice", metric).unwrap().value.unwrap();
    assert!(value("average_stability") < value("maximum_stability"));
    let alone = AverageStability::default().evaluate_explainer(
        &|x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
            Ok(x.mapv(|v| 2.0 * v))
        },
        x.view(),
        &[0; 6],
    );
    assert_eq!(alone.unwrap().value, value("average_stability"));
}

/// A score that is more than a sum of outputs by weights finds the sample of each row.
#[test]
fn models_can_receive_the_sample_index_of_each_row() {
    struct Told {
        sizes: [f64; 3],
    }
    impl xai_attribution::model::Model<f64> for Told {
        fn outputs(
            &self,
            _: ArrayViewD<'_, f64>,
        ) -> Result<Array2<f64>, xai_attribution::model::BoxError> {
            Err("every row is made of a sample".into())
        }

        fn outputs_for_samples(
            &self,
            batch: ArrayViewD<'_, f64>,
            sample_of: &dyn Fn(usize) -> usize,
        ) -> Result<Array2<f64>, xai_attribution::model::BoxError> {
            let rows = batch.outer_iter().enumerate();
            let scores = rows.map(|(row, x)| x.sum() * self.sizes[sample_of(row)]);
            Ok(Array2::from_shape_vec(
                (batch.shape()[0], 1),
                scores.collect(),
            )?)
        }
    }
    let model = Told {
        sizes: [1.0, 10.0, 100.0],
    };
    let inputs = array![[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]];
    let maps = array![[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]];
    for batch_size in 1..4 {
        let deletion = Deletion::new().steps(None).batch_size(batch_size);
        let one = deletion.evaluate(&model, inputs.view(), &[0, 0, 0], maps.view());
        let several = Concurrent(&model);
        let many = deletion.evaluate(&several, inputs.view(), &[0, 0, 0], maps.view());
        for value in [one.unwrap(), many.unwrap()] {
            // From 2 by 1 to 0, times the size of the sample.
            assert_eq!(value.per_sample, [Some(1.0), Some(10.0), Some(100.0)]);
        }
    }
}

#[test]
fn baselines_may_be_given_for_every_sample() {
    let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        let sums = batch
            .sum_axis(ndarray::Axis(1))
            .insert_axis(ndarray::Axis(1));
        Ok(sums.into_dimensionality().unwrap())
    };
    let inputs = array![[4.0, 2.0], [4.0, 2.0]];
    let own = array![[1.0, 1.0], [4.0, 2.0]].into_dyn();
    let shared = array![[0.0, 0.0]].into_dyn();
    let value = |text: &str, given: Vec<ndarray::ArrayD<f64>>| {
        let deletion = Deletion::new()
            .steps(None)
            .baseline(text.parse::<Baseline>()?);
        let data = EvaluationData::new(inputs.view(), &[0, 0])
            .model(&sum)
            .maps(inputs.view());
        let data = data.with(PrecomputedBaselines(given)).batch_size(1);
        deletion.evaluate_on(data).map_err(Error::from)
    };
    let given = || vec![own.clone(), shared.clone()];
    let of_own = value("given:0", given()).unwrap();
    assert_eq!(of_own.per_sample, [Some((4.5 + 2.5) / 2.0), Some(6.0)]);
    let of_shared = value("given:1", given()).unwrap();
    assert_eq!(of_shared.per_sample, [Some(2.5), Some(2.5)]);
    // A place that there is not, a number of samples that fits nothing, a shape, NaN.
    for wrong in [
        value("given:2", given()),
        value(
            "given:0",
            vec![array![[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]].into_dyn()],
        ),
        value("given:0", vec![array![[0.0], [0.0]].into_dyn()]),
        value("given:0", vec![array![[0.0, f64::NAN]].into_dyn()]),
    ] {
        assert_eq!(wrong.unwrap_err().input(), xai_attribution::input::BASELINE);
    }
    assert!("given:x".parse::<Baseline>().is_err());
}

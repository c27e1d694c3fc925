//! Workloads of `xai-attribution` that are compared with Quantus and Captum, with their parameters.

use std::fmt::Error as NoError;

use ndarray::{Array1, Array2, ArrayD, ArrayViewD, Axis, Ix1, Ix2, IxDyn, ShapeError, aview1};
use xai_attribution::map::MapDistance;
use xai_attribution::metric::{
    Deletion, Infidelity, MaximumStability, MetricValue, MuFidelity, Perturbation,
    RoadMostRelevantFirst,
};
use xai_attribution::model::{Concurrent, Targets};
use xai_attribution::perturbation::{Baseline, Features, Neighborhood, Neighbors, SubsetSize};
use xai_attribution::{Activation, Evaluate, EvaluationData, EvaluationError, InputLayout};
use xai_core::statistics::Correlation;

use crate::workload::{self, Prepared, Result, Workload};

/// The workloads. `benches/README.md` lists their data files and answers.
pub(crate) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "quantus_pixel_flipping",
        data: "quantus_linear",
        prepare: |data| pixel_flipping(data, 256),
    },
    Workload {
        name: "quantus_pixel_flipping_384",
        data: "quantus_linear",
        prepare: |data| pixel_flipping(data, 32),
    },
    Workload {
        name: "quantus_faithfulness_correlation",
        data: "quantus_linear",
        prepare: faithfulness_correlation,
    },
    Workload {
        name: "quantus_max_sensitivity",
        data: "quantus_linear",
        prepare: max_sensitivity,
    },
    Workload {
        name: "captum_infidelity",
        data: "quantus_linear",
        prepare: infidelity,
    },
    Workload {
        name: "quantus_road",
        data: "quantus_grey",
        prepare: road,
    },
];

/// Images as rows (the peer's features are their elements), and a linear model.
struct Linear {
    inputs: ArrayD<f32>,
    maps: ArrayD<f32>,
    targets: Vec<i64>,
    weights: Array2<f32>,
    bias: Array1<f32>,
}

impl Linear {
    fn read(data: &workload::Data) -> Result<Self> {
        let rows = |name: &str| -> Result<ArrayD<f32>> {
            let images: ArrayD<f32> = data.read::<f32, IxDyn>(name)?;
            let n = images.len_of(Axis(0));
            let size = images.len() / n;
            Ok(images.into_shape_with_order(IxDyn(&[n, size]))?)
        };
        Ok(Self {
            inputs: rows("inputs")?,
            maps: rows("maps")?,
            targets: data.read::<i64, Ix1>("targets")?.to_vec(),
            weights: data.read::<f32, Ix2>("weights")?,
            bias: data.read::<f32, Ix1>("bias")?,
        })
    }

    fn outputs(&self, batch: ArrayViewD<'_, f32>) -> Result<Array2<f32>, ShapeError> {
        let rows = batch.to_shape((batch.shape()[0], self.weights.nrows()))?;
        Ok(rows.dot(&self.weights) + &self.bias)
    }

    /// Returns the maps of input × gradient.
    fn explain(
        &self,
        inputs: ArrayViewD<'_, f32>,
        targets: &Targets,
    ) -> Result<ArrayD<f32>, NoError> {
        let Targets::Classes(classes) = targets else {
            return Err(NoError);
        };
        let mut maps = inputs.to_owned();
        for (mut map, &class) in maps.outer_iter_mut().zip(classes) {
            map *= &self.weights.column(class as usize).into_dyn();
        }
        Ok(maps)
    }
}

/// Prepares a metric of the model and the maps.
fn prepare_with_maps(
    data: &workload::Data,
    evaluate: impl Fn(EvaluationData<'_, f32>) -> Result<MetricValue, EvaluationError> + 'static,
    answer: impl Fn(&MetricValue) -> f64 + 'static,
) -> Result<Prepared> {
    prepare_linear(Linear::read(data)?, evaluate, answer)
}

fn prepare_linear(
    linear: Linear,
    evaluate: impl Fn(EvaluationData<'_, f32>) -> Result<MetricValue, EvaluationError> + 'static,
    answer: impl Fn(&MetricValue) -> f64 + 'static,
) -> Result<Prepared> {
    let run = move || {
        let outputs = |batch: ArrayViewD<'_, f32>| linear.outputs(batch);
        let model = Concurrent(&outputs);
        let data = EvaluationData::new(linear.inputs.view(), &linear.targets)
            .model(&model)
            .maps(linear.maps.view());
        Ok(answer(&evaluate(data)?))
    };
    Ok(Prepared::new(1.0, run, |value, answers| {
        answers.write("value", &aview1(&[value]))
    }))
}

fn pixel_flipping(data: &workload::Data, step: usize) -> Result<Prepared> {
    let metric = Deletion::new()
        .step_size(step)
        .baseline(Baseline::SampleMin);
    let evaluate = move |data: EvaluationData<'_, f32>| {
        metric.evaluate_on(data.activation(Activation::Softmax))
    };
    // The peer's area leaves out the point of the complete input, and its unit is a step.
    let area = |value: &MetricValue| {
        let points = value.curve.as_deref().unwrap_or_default();
        let pairs = points.windows(2).skip(1);
        pairs
            .map(|pair| f64::midpoint(pair[0].score, pair[1].score))
            .sum()
    };
    prepare_with_maps(data, evaluate, area)
}

fn faithfulness_correlation(data: &workload::Data) -> Result<Prepared> {
    let metric = MuFidelity::new()
        .features(Features::Positions)
        .subset_size(SubsetSize::Count(224))
        .n_subsets(100)
        .correlation(Correlation::Pearson)
        .baseline(Baseline::SampleMin);
    prepare_with_maps(
        data,
        move |data| metric.evaluate_on(data),
        |value| value.value,
    )
}

fn infidelity(data: &workload::Data) -> Result<Prepared> {
    let mut linear = Linear::read(data)?;
    let random: ArrayD<f32> = data.read::<f32, IxDyn>("random")?;
    linear.maps = random.into_shape_with_order(linear.inputs.raw_dim())?;
    let metric = Infidelity::new()
        .perturbation(Perturbation::Gaussian { sigma: 0.1 })
        .n_draws(64);
    prepare_linear(
        linear,
        move |data| metric.evaluate_on(data),
        |value| value.value,
    )
}

fn road(data: &workload::Data) -> Result<Prepared> {
    let images = |name: &str| data.read::<f32, IxDyn>(name);
    let linear = Linear {
        inputs: images("inputs")?,
        maps: images("maps")?,
        targets: data.read::<i64, Ix1>("targets")?.to_vec(),
        weights: data.read::<f32, Ix2>("weights")?,
        bias: data.read::<f32, Ix1>("bias")?,
    };
    let metric = RoadMostRelevantFirst::default().percentages(&[10.0, 30.0, 50.0, 70.0, 90.0]);
    let run = move || {
        let outputs = |batch: ArrayViewD<'_, f32>| linear.outputs(batch);
        let model = Concurrent(&outputs);
        let data = EvaluationData::new(linear.inputs.view(), &linear.targets)
            .model(&model)
            .maps(linear.maps.view())
            .layout(InputLayout::ChannelsFirst);
        let curve = metric.evaluate_on(data)?.curve.unwrap_or_default();
        Ok(curve.iter().map(|point| point.score).collect::<Vec<f64>>())
    };
    Ok(Prepared::new(1.0, run, |accuracies, answers| {
        answers.write("accuracies", &aview1(&accuracies))
    }))
}

fn max_sensitivity(data: &workload::Data) -> Result<Prepared> {
    let linear = Linear::read(data)?;
    let metric = MaximumStability::default()
        .distance(MapDistance::Relative)
        .neighbors(
            Neighbors::above(0.1)
                .neighborhood(Neighborhood::Around)
                .radius(0.2)
                .n_neighbors(200),
        );
    let run = move || {
        let explainer = |x: ArrayViewD<'_, f32>, y: &Targets| linear.explain(x, y);
        let data = EvaluationData::new(linear.inputs.view(), &linear.targets).explainer(&explainer);
        Ok(metric.evaluate_on(data)?.value)
    };
    Ok(Prepared::new(1.0, run, |value, answers| {
        answers.write("value", &aview1(&[value]))
    }))
}

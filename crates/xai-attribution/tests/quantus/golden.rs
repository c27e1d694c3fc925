//! The golden file.

use ndarray::{Array1, Array2, Array3, ArrayD, ArrayViewD};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use xai_attribution::metric::{Measure, MetricValue};
use xai_attribution::model::{Scoring, Targets};
use xai_attribution::perturbation::Baseline;
use xai_attribution::{Activation, Evaluate, EvaluationData, InputLayout};

#[derive(Deserialize)]
pub(crate) struct Golden {
    problems: BTreeMap<String, Problem>,
    cases: Vec<Case>,
    randomised_layers: BTreeMap<String, Vec<Layer>>,
}

/// The model with some layers randomized.
#[derive(Deserialize)]
pub(crate) struct Layer {
    pub(crate) layer: String,
    #[serde(flatten)]
    pub(crate) weights: Weights,
}

/// Inputs with their targets, maps and masks, and the weights of a model.
#[derive(Deserialize)]
pub(crate) struct Problem {
    x: Array,
    pub(crate) targets: Vec<i64>,
    #[serde(flatten)]
    pub(crate) weights: Weights,
    pub(crate) maps: BTreeMap<String, Array>,
    #[serde(default)]
    pub(crate) mask: Option<Array>,
}

/// Those of a linear model, or of one with a hidden layer of rectified sums.
#[derive(Clone, Deserialize)]
pub(crate) struct Weights {
    #[serde(rename = "W")]
    w: Option<Array>,
    b: Option<Array>,
    #[serde(rename = "W1")]
    w1: Option<Array>,
    b1: Option<Array>,
    #[serde(rename = "W2")]
    w2: Option<Array>,
    b2: Option<Array>,
    /// Kernels and their biases, of a model that begins with a convolution.
    #[serde(rename = "K")]
    k: Option<Array>,
    c: Option<Array>,
}

impl Weights {
    /// The logits of flat inputs.
    pub(crate) fn logits(&self, x: &Array2<f64>) -> Array2<f64> {
        let layer =
            |x: &Array2<f64>, w: &Option<Array>, b: &Option<Array>| x.dot(&matrix(w)) + &vector(b);
        match self.w1 {
            None => layer(x, &self.w, &self.b),
            Some(_) => layer(
                &layer(x, &self.w1, &self.b1).mapv(|h| h.max(0.0)),
                &self.w2,
                &self.b2,
            ),
        }
    }
}

impl Weights {
    /// The gradient of the targets' logits, or the input times it.
    pub(crate) fn maps(&self, x: &Array2<f64>, targets: &[i64], explainer: &str) -> Array2<f64> {
        let of_targets = |w: &Option<Array>| {
            let w = matrix(w);
            let columns: Vec<_> = targets
                .iter()
                .map(|&t| w.column(t as usize).to_owned())
                .collect();
            let views: Vec<_> = columns.iter().map(|column| column.view()).collect();
            ndarray::stack(ndarray::Axis(0), &views).unwrap()
        };
        let gradient = match self.w1 {
            None => of_targets(&self.w),
            Some(_) => {
                let hidden = x.dot(&matrix(&self.w1)) + &vector(&self.b1);
                let is_on = hidden.mapv(|h| f64::from(u8::from(h > 0.0)));
                (of_targets(&self.w2) * is_on).dot(&matrix(&self.w1).t())
            }
        };
        match explainer {
            "gradient" => gradient,
            "input_x_gradient" => gradient * x,
            other => panic!("{other}"),
        }
    }

    /// What the layers make of flat inputs: the first alone, or it, its positive part and the logits.
    pub(crate) fn representation(&self, x: &Array2<f64>, first_only: bool) -> Array2<f64> {
        if self.w1.is_none() {
            return self.logits(x);
        }
        let hidden = x.dot(&matrix(&self.w1)) + &vector(&self.b1);
        match first_only {
            true => hidden,
            false => {
                let positive = hidden.mapv(|h| h.max(0.0));
                let logits = self.logits(x);
                let all = [hidden.view(), positive.view(), logits.view()];
                ndarray::concatenate(ndarray::Axis(1), &all).unwrap()
            }
        }
    }
}

fn matrix(array: &Option<Array>) -> Array2<f64> {
    given(array)
}

fn vector(array: &Option<Array>) -> Array1<f64> {
    given(array)
}

fn given<D: ndarray::Dimension>(array: &Option<Array>) -> ndarray::Array<f64, D> {
    let array = array.as_ref().expect("an array").array();
    array.into_dimensionality().expect("its axes")
}

#[derive(Clone, Deserialize)]
pub(crate) struct Array {
    shape: Vec<usize>,
    data: Vec<f64>,
}

/// What a peer answered.
#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) metric: String,
    pub(crate) problem: String,
    #[serde(default)]
    pub(crate) map: String,
    #[serde(default)]
    pub(crate) params: Value,
    #[serde(default)]
    pub(crate) explainer: String,
    pub(crate) tolerance: f64,
    pub(crate) output: Value,
    #[serde(default)]
    pub(crate) softmax: Value,
    #[serde(default)]
    pub(crate) quadrants: Value,
    #[serde(default)]
    segmentation: Option<Array>,
    #[serde(default)]
    batch_size: usize,
    #[serde(default)]
    pub(crate) draws: BTreeMap<String, Value>,
    #[serde(default)]
    pub(crate) layer_order: String,
    ground_truth: Option<Array>,
    #[serde(default)]
    predictions: Vec<i64>,
    #[serde(default)]
    sample: usize,
    #[serde(default)]
    pixels: Vec<usize>,
}

impl Golden {
    pub(crate) fn read() -> Self {
        serde_json::from_str(include_str!("../golden/quantus.json")).unwrap()
    }

    /// The model with layers randomized in an order, as far as a layer.
    pub(crate) fn randomized(&self, order: &str, layer: &str) -> &Weights {
        let steps = &self.randomised_layers[order];
        &steps
            .iter()
            .find(|step| step.layer == layer)
            .unwrap()
            .weights
    }

    /// Explains other classes of a problem.
    pub(crate) fn retarget(&mut self, problem: &str, targets: Vec<i64>) {
        self.problems.get_mut(problem).unwrap().targets = targets;
    }

    pub(crate) fn problem(&self, case: &Case) -> &Problem {
        &self.problems[&case.problem]
    }

    /// The cases of a metric, of which there are so many.
    pub(crate) fn cases(&self, metric: &str, n: usize) -> impl Iterator<Item = &Case> {
        let cases: Vec<&Case> = self.cases.iter().filter(|c| c.metric == metric).collect();
        assert_eq!(cases.len(), n, "{metric}");
        cases.into_iter()
    }
}

impl Array {
    pub(crate) fn array(&self) -> ArrayD<f64> {
        ArrayD::from_shape_vec(self.shape.clone(), self.data.clone()).unwrap()
    }
}

/// Samples as rows: every element is a feature, as the peers have it.
pub(crate) fn flat(samples: ArrayD<f64>) -> Array2<f64> {
    let n = samples.shape()[0];
    let size = samples.len() / n;
    samples.into_shape_with_order((n, size)).unwrap()
}

impl Problem {
    /// Some weights by their name.
    pub(crate) fn array(&self, name: &str) -> ArrayD<f64> {
        let array = match name {
            "K" => &self.weights.k,
            "c" => &self.weights.c,
            "W" => &self.weights.w,
            other => panic!("{other}"),
        };
        array.as_ref().unwrap().array()
    }

    pub(crate) fn inputs(&self) -> ArrayD<f64> {
        self.x.array()
    }

    /// What an explainer says, shaped as the inputs.
    pub(crate) fn explained(&self, explainer: &str) -> ArrayD<f64> {
        let x = self.inputs();
        let shape = x.raw_dim();
        let maps = self.weights.maps(&flat(x), &self.targets, explainer);
        maps.into_shape_with_order(shape).unwrap()
    }

    /// `(n, height, width)`
    pub(crate) fn masks(&self) -> Array3<bool> {
        let mask = self.mask.as_ref().unwrap();
        let [n, _, height, width] = mask.shape[..] else {
            panic!("{:?}", mask.shape)
        };
        let inside = mask.data.iter().map(|&x| x != 0.0).collect();
        Array3::from_shape_vec((n, height, width), inside).unwrap()
    }
}

/// Some samples of a problem, under study.
pub(crate) struct Run<'a> {
    case: &'a Case,
    x: ArrayD<f64>,
    maps: ArrayD<f64>,
    targets: Vec<i64>,
    weights: Weights,
}

impl Run<'_> {
    /// The same samples with other maps.
    pub(crate) fn with_maps(self, maps: ArrayD<f64>) -> Self {
        Self { maps, ..self }
    }

    /// A metric, of rows whose features are elements (`is_flat`), or of images whose are positions.
    pub(crate) fn evaluate(
        &self,
        metric: &impl Measure<f64>,
        is_flat: bool,
        with: impl for<'a> FnOnce(EvaluationData<'a, f64>) -> EvaluationData<'a, f64>,
    ) -> MetricValue {
        self.try_evaluate(metric, is_flat, with).unwrap()
    }

    /// The same, where no sample may have a value.
    pub(crate) fn try_evaluate(
        &self,
        metric: &impl Measure<f64>,
        is_flat: bool,
        with: impl for<'a> FnOnce(EvaluationData<'a, f64>) -> EvaluationData<'a, f64>,
    ) -> Result<MetricValue, xai_attribution::EvaluationError> {
        let (x, maps) = (self.x.clone(), self.maps.clone());
        let (x, maps, layout) = match is_flat {
            true => (
                flat(x).into_dyn(),
                flat(maps).into_dyn(),
                InputLayout::Tabular,
            ),
            false => (x, maps, InputLayout::ChannelsFirst),
        };
        let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
            Ok(self.weights.logits(&flat(batch.to_owned())))
        };
        let data = EvaluationData::new(x.view(), &self.targets)
            .model(&model)
            .maps(maps.view())
            .scoring(self.case.scoring(layout));
        metric.evaluate_on(with(data))
    }
}

impl Case {
    /// The maps that the metric saw: absolute, if the peer made them so.
    pub(crate) fn maps(&self, problem: &Problem) -> ArrayD<f64> {
        let maps = match self.map.as_str() {
            "" => problem.explained(&self.explainer),
            map => problem.maps[map].array(),
        };
        let largest = maps.iter().fold(0.0f64, |largest, a| largest.max(a.abs()));
        let maps = match self.is("normalise") {
            true => maps / largest,
            false => maps,
        };
        match self.is("abs") {
            true => maps.mapv(f64::abs),
            false => maps,
        }
    }

    /// Whether a parameter is on.
    pub(crate) fn is(&self, param: &str) -> bool {
        self.params[param].as_bool().unwrap_or(false)
    }

    /// How scores are taken.
    pub(crate) fn scoring(&self, layout: InputLayout) -> Scoring {
        Scoring {
            activation: match self.softmax.as_bool() {
                Some(true) => Activation::Softmax,
                _ => Activation::None,
            },
            layout: Some(layout),
            ..Scoring::default()
        }
    }

    /// All samples.
    pub(crate) fn all(&self, golden: &Golden) -> Run<'_> {
        let problem = golden.problem(self);
        Run {
            case: self,
            x: problem.inputs(),
            maps: self.maps(problem),
            targets: problem.targets.clone(),
            weights: problem.weights.clone(),
        }
    }

    /// One sample by itself.
    pub(crate) fn of_sample(&self, golden: &Golden, sample: usize) -> Run<'_> {
        let all = self.all(golden);
        let one = |array: &ArrayD<f64>| {
            let row = array.index_axis(ndarray::Axis(0), sample);
            row.insert_axis(ndarray::Axis(0)).to_owned()
        };
        Run {
            x: one(&all.x),
            maps: one(&all.maps),
            targets: vec![all.targets[sample]],
            ..all
        }
    }

    /// A metric of maps with elements as features.
    pub(crate) fn evaluate_flat(&self, golden: &Golden, metric: &impl Measure<f64>) -> MetricValue {
        self.all(golden).evaluate(metric, true, |data| data)
    }

    /// The segment of every position.
    pub(crate) fn segmentation(&self) -> ArrayD<f64> {
        self.segmentation.as_ref().unwrap().array()
    }

    /// The map that the peer compared with.
    pub(crate) fn ground_truth(&self) -> Array1<f64> {
        vector(&self.ground_truth)
    }

    /// The classes that the peer was told.
    pub(crate) fn predictions(&self) -> Vec<i64> {
        self.predictions.clone()
    }

    /// How many samples the peer saw at once.
    pub(crate) fn batch_size(&self) -> usize {
        self.batch_size
    }

    /// A metric of an explainer, of rows whose features are elements. Maps are divided by the largest of
    /// a call where the peer did so.
    pub(crate) fn evaluate_explainer(
        &self,
        golden: &Golden,
        metric: &impl Measure<f64>,
        with: impl for<'a> FnOnce(EvaluationData<'a, f64>) -> EvaluationData<'a, f64>,
    ) -> Result<MetricValue, xai_attribution::EvaluationError> {
        let problem = golden.problem(self);
        let x = flat(problem.inputs());
        let weights = &problem.weights;
        let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
            Ok(weights.logits(&flat(batch.to_owned())))
        };
        let explainer = |batch: ArrayViewD<'_, f64>,
                         targets: &Targets|
         -> Result<ArrayD<f64>, std::fmt::Error> {
            let Targets::Classes(classes) = targets else {
                return Err(std::fmt::Error);
            };
            let maps = weights.maps(&flat(batch.to_owned()), classes, &self.explainer);
            let largest = maps.iter().fold(0.0f64, |largest, a| largest.max(a.abs()));
            Ok(match self.is("normalise") {
                true => maps / largest,
                false => maps,
            }
            .into_dyn())
        };
        let data = EvaluationData::new(x.view(), &problem.targets)
            .model(&model)
            .explainer(&explainer)
            .scoring(self.scoring(InputLayout::Tabular));
        metric.evaluate_on(with(data))
    }

    /// What stands for absence.
    pub(crate) fn baseline(&self) -> Baseline {
        match &self.params["perturb_baseline"] {
            Value::String(name) if name == "black" => Baseline::SampleMin,
            Value::String(name) if name == "mean" => Baseline::SampleMean,
            value => Baseline::Value(value.as_f64().unwrap()),
        }
    }

    /// A whole number among the parameters.
    pub(crate) fn count(&self, param: &str) -> usize {
        usize::try_from(self.params[param].as_u64().unwrap()).unwrap()
    }

    /// Recorded draws.
    pub(crate) fn draws(&self, name: &str) -> ArrayD<f64> {
        let draws: Array = serde_json::from_value(self.draws[name].clone()).unwrap();
        draws.array()
    }

    /// The sample that a case is about.
    pub(crate) fn sample(&self) -> usize {
        self.sample
    }

    /// The pixels that are missing.
    pub(crate) fn pixels(&self) -> Vec<usize> {
        self.pixels.clone()
    }

    /// What was answered, as an array.
    pub(crate) fn output_array(&self) -> ArrayD<f64> {
        let output: Array = serde_json::from_value(self.output.clone()).unwrap();
        output.array()
    }

    /// Noise that was drawn call by call, if any was.
    pub(crate) fn noise_by_call(&self) -> Option<Vec<Vec<f64>>> {
        let calls: Vec<Array> = serde_json::from_value(self.draws.get("noise")?.clone()).unwrap();
        Some(calls.into_iter().map(|call| call.data).collect())
    }

    /// One row of values per sample.
    pub(crate) fn rows(&self) -> Vec<Vec<f64>> {
        serde_json::from_value(self.output.clone()).unwrap()
    }

    /// Whether two values are equal within the tolerance of the case.
    pub(crate) fn near(&self, ours: f64, theirs: f64) -> bool {
        (ours - theirs).abs() <= self.tolerance * theirs.abs().max(1.0)
    }

    /// One value per sample; `None` for NaN.
    pub(crate) fn values(&self) -> Vec<Option<f64>> {
        let values = self.output.as_array().unwrap().iter();
        values
            .map(|value| match value {
                Value::Bool(value) => Some(f64::from(u8::from(*value))),
                value => value.as_f64(),
            })
            .collect()
    }

    /// Compares values, within the tolerance of the case.
    pub(crate) fn assert(&self, ours: &[Option<f64>]) {
        let theirs = self.values();
        let near = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
            (Some(a), Some(b)) => self.near(*a, *b),
            (a, b) => a == b,
        };
        assert_eq!(ours.len(), theirs.len());
        assert!(
            ours.iter().zip(&theirs).all(near),
            "{} {} {}: {ours:?} {theirs:?}",
            self.metric,
            self.map,
            self.params
        );
    }
}

//! A problem that every metric of the registry can be asked about, and what each asks of the model.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::{Array2, Array3, ArrayD, ArrayViewD, Axis};
use xai_attribution::metric::registry::{find, metrics};
use xai_attribution::metric::{Entry, Measure, MetricValue, Value};
use xai_attribution::model::{BoxError, Counted, Explainer, Model, Scoring, Targets};
use xai_attribution::perturbation::PrecomputedSubsets;
use xai_attribution::side::{Masks, ReferenceMaps, SecondMaps, Segments};
use xai_attribution::{
    Activation, Benchmark, Error, ErrorKind, Evaluate, EvaluationData, EvaluationError,
    InputLayout, PlannedRows, Real, input,
};

/// Images with maps, masks and segments.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) x: ArrayD<f64>,
    pub(crate) maps: ArrayD<f64>,
    pub(crate) masks: Array3<bool>,
    pub(crate) segments: Array3<u32>,
    pub(crate) layout: InputLayout,
    /// What all maps are multiplied by: those that are given, second maps, reference maps, and answers of the
    /// explainer.
    pub(crate) unit: f64,
    /// Whether the columns of all arrays are in reverse order; the model puts them back.
    pub(crate) is_mirrored: bool,
}

pub(crate) const SIDE: usize = 4;

impl Problem {
    /// With inputs in the precision of the model.
    fn data<'a, T: Real>(
        &'a self,
        x: &'a ArrayD<T>,
        model: &'a (impl Model<T> + ?Sized),
        batch_size: usize,
    ) -> EvaluationData<'a, T> {
        EvaluationData::new(x.view(), &vec![0u8; x.shape()[0]])
            .model(model)
            .with(Masks::new(self.masks.clone()))
            .with(Segments::new(self.segments.clone()))
            .with(SecondMaps::from_maps(
                x.mapv(|x| self.unit * (2.0 * x.to_f64_exact() + 0.25)),
            ))
            .with(ReferenceMaps::new(
                x.mapv(|x| T::from_f64_nearest(self.unit) * (x * x - T::ONE)),
            ))
            .scoring(Scoring {
                activation: Activation::Softmax,
                batch_size: Some(batch_size),
                // What is planned does not count the row of that check.
                allow_batch_dependence: true,
                layout: Some(self.layout),
                ..Scoring::default()
            })
    }

    /// The value, those of the samples, and the rows that the model has seen; no values where no sample has one.
    pub(crate) fn evaluate<T: Real>(
        &self,
        metric: &dyn Measure<T>,
        batch_size: usize,
    ) -> (Option<f64>, Vec<Option<f64>>, u64) {
        let (outcome, rows) = self.outcome(metric, batch_size);
        match outcome {
            Ok(value) => (Some(value.value), value.per_sample, rows),
            Err(error) => {
                let is_undefined = matches!(error.kind(), ErrorKind::Empty);
                assert!(is_undefined, "{}: {error}", metric.info().name);
                (None, vec![None; self.x.shape()[0]], rows)
            }
        }
    }

    /// The result, with an explainer beside the maps, and the rows that the model has seen.
    pub(crate) fn outcome<T: Real>(
        &self,
        metric: &dyn Measure<T>,
        batch_size: usize,
    ) -> (Result<MetricValue, Error>, u64) {
        let x = self.x.mapv(T::from_f64_nearest);
        let maps = self.maps.mapv(|a| T::from_f64_nearest(self.unit * a));
        let double = |batch: ArrayViewD<'_, T>| {
            let mut batch = match self.layout {
                InputLayout::ChannelsFirst => batch.permuted_axes(vec![0, 2, 3, 1]),
                _ => batch,
            };
            if self.is_mirrored {
                batch.invert_axis(Axis(2));
            }
            model(batch.mapv(T::to_f64_exact).view())
        };
        let counted = Counted::new(&double);
        let asked = |inputs: ArrayViewD<'_, T>, _: &Targets| -> Result<_, std::fmt::Error> {
            Ok(inputs.mapv(|x| T::from_f64_nearest(self.unit * (2.0 * x.to_f64_exact() + 0.25))))
        };
        let data = self.data(&x, &counted, batch_size).maps(maps.view());
        let outcome = metric.evaluate_on(data.explainer(&asked));
        (
            outcome.map_err(EvaluationError::into_error),
            counted.calls().rows,
        )
    }

    /// The same with an explainer beside the maps.
    pub(crate) fn with_explainer(
        &self,
        metric: &dyn Measure<f64>,
        explainer: &dyn Explainer<f64>,
    ) -> Result<Vec<Option<f64>>, EvaluationError> {
        let data = self.data(&self.x, &model, 3).maps(self.maps.view());
        Ok(metric.evaluate_on(data.explainer(explainer))?.per_sample)
    }
}

/// Two classes by weighted sums of the elements.
fn model(batch: ArrayViewD<'_, f64>) -> Result<Array2<f64>, std::fmt::Error> {
    let logits = batch.outer_iter().flat_map(|x| {
        let weighted = |by: f64| {
            let terms = x.iter().zip(1..).map(|(x, w)| x * (by - f64::from(w % 5)));
            terms.sum::<f64>()
        };
        [weighted(1.5), weighted(3.0) / 4.0]
    });
    Ok(Array2::from_shape_vec((batch.shape()[0], 2), logits.collect()).unwrap())
}

/// The maps of a problem, whatever is asked; it counts the rows.
struct Asked(AtomicU64);

impl Explainer<f64> for Asked {
    fn explain(&self, inputs: ArrayViewD<'_, f64>, _: &Targets) -> Result<ArrayD<f64>, BoxError> {
        let rows = inputs.shape()[0] as u64;
        self.0.fetch_add(rows, Ordering::Relaxed);
        Ok(inputs.mapv(|x| 2.0 * x + 0.25))
    }
}

/// The metrics that need no explainer.
fn entries() -> impl Iterator<Item = &'static Entry> {
    let asks = |entry: &Entry| entry.info.needs.contains(&input::EXPLAINER);
    metrics()
        .iter()
        .filter(move |entry| entry.is_built() && !asks(entry))
}

/// Two explainers, of which one is asked, the other has maps, too.
fn planned_and_counted(
    problem: &Problem,
    metrics: Vec<Box<dyn Measure<f64>>>,
    batch_size: usize,
) -> (PlannedRows, PlannedRows) {
    let counted = Counted::new(&model);
    let (first, second) = (Asked(AtomicU64::new(0)), Asked(AtomicU64::new(0)));
    let planned = Mutex::new(PlannedRows::default());
    let mut evaluation = Benchmark::on(problem.data(&problem.x, &counted, batch_size))
        .explainer("asked", &first)
        .maps_and_explainer("both", problem.maps.view(), &second)
        .on_plan(|rows| *planned.lock().unwrap() = rows.clone());
    for metric in metrics {
        evaluation = evaluation.metric(metric);
    }
    evaluation.values().unwrap();
    let explained = [first, second].map(|asked| asked.0.into_inner());
    let planned = planned.into_inner().unwrap();
    let mut made = PlannedRows::default();
    made.model = counted.calls().rows;
    made.whole = planned.whole;
    made.explainers = explained.iter().sum();
    (planned, made)
}

/// With the parameters that metrics cannot do without.
pub(crate) fn settings(entry: &Entry) -> Vec<(String, Value)> {
    let classes = ("n_classes".to_owned(), Value::Integer(2));
    let has_classes = entry.has_param(&classes.0);
    has_classes.then_some(classes).into_iter().collect()
}

pub(crate) fn built(entry: &Entry) -> Box<dyn Measure<f64>> {
    entry.build::<f64>(&settings(entry)).unwrap()
}

/// What needs nothing but what the tests here have.
pub(crate) fn can_be_judged(entry: &&Entry) -> bool {
    let given = [
        input::MODEL,
        input::INPUTS,
        input::TARGETS,
        input::EXPLANATIONS,
        input::EXPLAINER,
        input::MASKS,
        input::SEGMENTS,
        input::SECOND_MAPS,
        input::REFERENCE_MAPS,
    ];
    entry.is_built() && entry.info.needs.iter().all(|need| given.contains(need))
}

#[test]
fn the_planned_rows_are_those_that_model_and_explainers_see() {
    let problem = example();
    let mut wrong = Vec::new();
    for entry in metrics().iter().filter(can_be_judged) {
        for batch_size in [2, 64] {
            let (planned, counted) = planned_and_counted(&problem, vec![built(entry)], batch_size);
            if planned != counted {
                wrong.push((entry.info.name, planned, counted));
            }
        }
    }
    assert_eq!(wrong, []);
}

/// Metrics share work: the plan of all of them counts it once.
#[test]
fn the_planned_rows_of_all_metrics_together_are_those_that_are_seen() {
    let problem = example();
    let all: Vec<_> = metrics().iter().filter(can_be_judged).map(built).collect();
    let alone = metrics().iter().filter(can_be_judged).map(|entry| {
        let (planned, _) = planned_and_counted(&problem, vec![built(entry)], 64);
        planned.model
    });
    let sum: u64 = alone.sum();
    let (planned, counted) = planned_and_counted(&problem, all, 64);
    assert_eq!(planned, counted);
    assert!(planned.model < sum, "{} of {sum}", planned.model);
}

/// Subsets that are given are as many as there are, whatever the parameter says.
#[test]
fn the_planned_rows_of_given_subsets_are_those_that_are_seen() {
    let problem = example();
    let n = problem.x.shape()[0];
    let subsets = Array3::from_shape_fn((3, n, 2), |(draw, _, place)| (draw + place) as u32);
    let counted = Counted::new(&model);
    let planned = Mutex::new(0);
    let metric = find("mu-fidelity").unwrap().build_with_draws::<f64>(&[]);
    Benchmark::on(problem.data(&problem.x, &counted, 64))
        .with(PrecomputedSubsets(subsets))
        .maps("maps", problem.maps.view())
        .metric(metric.unwrap())
        .on_plan(|rows| *planned.lock().unwrap() = rows.model)
        .values()
        .unwrap();
    assert_eq!(planned.into_inner().unwrap(), counted.calls().rows);
    assert_eq!(counted.calls().rows, 4 * n as u64);
}

pub(crate) fn example() -> Problem {
    Problem {
        x: ArrayD::from_shape_fn(vec![5, SIDE, SIDE, 1], |i| {
            ((i[0] * 7 + i[1] * 3 + i[2]) % 5) as f64 - 1.5
        }),
        maps: ArrayD::from_shape_fn(vec![5, SIDE, SIDE, 1], |i| {
            ((i[0] + i[1] * 5 + i[2] * 3) % 11) as f64 - 4.5
        }),
        masks: Array3::from_shape_fn((5, SIDE, SIDE), |(_, r, _)| r < 2),
        segments: Array3::from_shape_fn((5, SIDE, SIDE), |(_, r, _)| (r % 3) as u32),
        layout: InputLayout::ChannelsLast,
        unit: 1.0,
        is_mirrored: false,
    }
}

/// Rows of the model per sample, of an image of 16 positions in 3 segments.
#[test]
fn the_model_receives_the_documented_rows() {
    let problem = example();
    let mut wrong = Vec::new();
    for entry in entries() {
        let expected: u64 = match entry.info.name {
            "average-drop" | "average-increase" | "average-gain" | "completeness" => 2,
            // A patch of 4 x 4 is the whole image.
            "infidelity" => 2,
            // The input, the blank, and nine steps between them.
            "deletion"
            | "insertion"
            | "region-perturbation"
            | "monotonicity"
            | "effective-complexity" => 11,
            // The ends are the same.
            "symmetric-relevance-gain" => 20,
            // 1, 5, 10, 20 and 50 % of 16 positions are 1, 1, 2, 3 and 8.
            "comprehensiveness" => 5,
            "rationale-sufficiency" => 6,
            // What is left, and the input.
            "log-odds" | "cross-entropy" | "masked-accuracy" | "output-mae" | "output-mse" => 2,
            "irof" => 4,
            // Nine percentages, from both ends.
            "road" => 18,
            "road-most-relevant-first" | "road-least-relevant-first" => 9,
            "faithfulness-estimate" | "violations" | "non-sensitivity" => 17,
            "mu-fidelity" => 201,
            "sufficiency" | "consistency" => 1,
            // Subsets of nine cells but none and all.
            "naopc" => 510,
            // The nine steps between the ends, of the map and of 20 random orders.
            "random-order-reference" => 2 + 9 * 21,
            // Nine sizes of 1 to 13 positions of 100 subsets: three of twelve are the same.
            "sensitivity-n" => 901,
            "monotonicity-correlation" => 161,
            "prediction-gap-important" | "prediction-gap-unimportant" => 21,
            // Ten steps of 20 draws.
            "f-fidelity" => 401,
            "f-fidelity-positive" | "f-fidelity-negative" => 201,
            _ if !entry.info.needs.contains(&input::MODEL) => 0,
            name => panic!("{name}: how many rows?"),
        };
        let metric = entry.build::<f64>(&[]).unwrap();
        let (_, _, rows) = problem.evaluate(&*metric, 64);
        if rows != 5 * expected {
            wrong.push((entry.info.name, rows, 5 * expected));
        }
    }
    assert_eq!(wrong, []);
}

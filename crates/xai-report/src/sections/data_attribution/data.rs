//! The section of training-data attribution.

use std::collections::BTreeMap;

use ndarray::{Array2, ArrayD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_casebased::data_attribution::{AttributionComparison, Mislabeling, Outcome};
use xai_core::evaluation::EvaluationTable;
use xai_core::{Direction, InputLayout, Result};

use crate::estimate::Estimate;
use crate::origin::Origin;
use crate::sections::compared::Compared;
use crate::sections::compared::shown::{image, range, scaled, shown};

/// Number of top cases of each sample by each explainer.
const N_TOP: usize = 5;
/// Approximate largest number of points of a curve in the report.
const MAX_POINTS: usize = 200;

/// Section about training-data attribution: how good are explanations by training cases?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct DataAttribution {
    /// Name and inputs of the section.
    #[serde(flatten)]
    pub origin: Origin,
    /// Number of training cases.
    pub n_train: usize,
    /// Comparison of the explainers by metrics with a value per test case.
    #[serde(flatten)]
    pub compared: Compared,
    /// Metrics with one value for all test cases.
    pub whole: Vec<DatasetMetric>,
    /// Detection of mislabeled training cases; `null` if not evaluated.
    pub mislabeling: Option<MislabeledCases>,
    /// The training cases with the largest attributions to some test cases.
    pub top_cases: Vec<TopCasesOfSample>,
}

/// A metric with one value for all test cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct DatasetMetric {
    /// Name of the metric, for example `top_k_cardinality`.
    pub metric: String,
    /// Title.
    pub title: String,
    /// Summary of what the metric measures.
    pub question: String,
    /// Direction in which values are better.
    #[schemars(with = "String", extend("enum" = ["higher", "lower", "none"]))]
    pub better: Direction,
    /// Range of possible values.
    pub range: String,
    /// Values of the parameters, including defaults; empty if unknown.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Value of each explainer. Intervals treat training cases as independent.
    pub values: Vec<Estimate>,
}

/// Detection of mislabeled training cases by inspecting cases in the order of a score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MislabeledCases {
    /// Number of mislabeled training cases.
    pub n_flagged: usize,
    /// The curve of each explainer.
    pub curves: Vec<DetectionCurve>,
}

/// Share of the mislabeled cases found, by share of all cases inspected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct DetectionCurve {
    /// The explainer.
    pub explainer: String,
    /// Probability that a mislabeled case has a higher score than a case with a correct label.
    pub auroc: Estimate,
    /// Area under the curve: ½ = as by chance.
    pub area: Option<f64>,
    /// Points of the curve, thinned out if there are many.
    pub points: Vec<DetectionPoint>,
}

/// A point of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct DetectionPoint {
    /// Share of all training cases that are inspected.
    pub inspected: f64,
    /// Share of all mislabeled cases that are among the inspected ones.
    pub found: f64,
}

/// The training cases with the largest attributions to one test case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct TopCasesOfSample {
    /// Index of the test case, from 0.
    pub sample: usize,
    /// Class of the test case.
    pub class: Option<String>,
    /// Top cases of each explainer in descending order of attribution.
    pub explainers: Vec<Vec<TopCase>>,
    /// The test case as an image, for the page only.
    #[serde(skip)]
    pub image: Option<CaseImage>,
}

/// A training case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct TopCase {
    /// Index of the training case, from 0.
    pub case: usize,
    /// Attribution of the case.
    pub attribution: f64,
    /// Class of the case.
    pub class: Option<String>,
    /// True if it is flagged, for example as mislabeled, with a shortcut, or from another data set.
    pub is_flagged: bool,
    /// The case as an image, for the page only.
    #[serde(skip)]
    pub image: Option<CaseImage>,
}

/// A case as an image: rows of pixels in [0, 1], one value each, or three (red, green, blue).
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct CaseImage {
    /// Rows.
    pub height: usize,
    /// Pixels in a row.
    pub width: usize,
    /// The values.
    pub pixels: Vec<f32>,
    /// True if there are three values per pixel.
    pub is_colored: bool,
}

/// Known labels and flags of the cases.
#[derive(Debug, Clone, Copy, Default)]
pub struct KnownCases<'a> {
    /// Classes of the training cases.
    pub train_labels: Option<&'a [i64]>,
    /// Classes of the test cases.
    pub test_classes: Option<&'a [i64]>,
    /// True for each flagged training case.
    pub flags: Option<&'a [bool]>,
    /// Names of classes that are not integers, by their numbers.
    pub class_names: Option<&'a BTreeMap<i64, String>>,
}

impl DataAttribution {
    /// Creates the section from a comparison and its table. The last argument has the numbers of test and training
    /// cases.
    ///
    /// # Errors
    /// `NonFinite` for a value that is NaN or infinite, which evaluations never return.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::data_attribution::{AttributionComparison, AttributionData, evaluate_all};
    /// use xai_casebased::input;
    /// use xai_core::evaluation::Statistics;
    /// use xai_report::sections::data_attribution::{DataAttribution, KnownCases};
    /// use xai_report::Origin;
    /// let attributions = array![[0.9, 0.1, 0.4], [0.2, 0.3, 0.8]];
    /// let (labels, classes) = ([0, 0, 1], [0, 1]);
    /// let data = AttributionData::new(attributions.view()).with(input::TRAIN_LABELS, &labels).with(input::TEST_CLASSES, &classes);
    /// let metrics = ["class-detection".parse()?];
    /// let outcomes = vec![evaluate_all(&data, &metrics)?];
    /// let comparison = AttributionComparison::new(&["mine"], &metrics, outcomes)?;
    /// let table = comparison.values.table(&Statistics::default())?;
    /// let origin = Origin::new(&DataAttribution::KIND, 1, "Three cases");
    /// let mut section = DataAttribution::new(origin, &comparison, &table, (2, 3))?;
    /// let known = KnownCases { train_labels: Some(&labels), ..KnownCases::default() };
    /// section.show(&DataAttribution::shown(&table, 2), std::slice::from_ref(&attributions), known);
    /// let top = &section.top_cases[0].explainers[0][0];
    /// assert_eq!((top.case, top.class.as_deref()), (0, Some("0")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        origin: Origin,
        comparison: &AttributionComparison,
        table: &EvaluationTable,
        (n_test, n_train): (usize, usize),
    ) -> Result<Self> {
        let whole = comparison
            .dataset_results
            .iter()
            .map(|result| DatasetMetric {
                metric: result.metric.clone(),
                title: result.info.title.to_owned(),
                question: result.info.summary.to_owned(),
                better: result.info.direction,
                range: result.info.range.to_string(),
                settings: result.settings.iter().cloned().collect(),
                values: result
                    .outcomes
                    .iter()
                    .map(|of| estimate(of, n_train))
                    .collect(),
            });
        let mislabeled = |outcomes: &[Outcome]| {
            let of_explainers = table.explainers.iter().zip(outcomes);
            let found = of_explainers.filter_map(|(explainer, outcome)| match outcome {
                Outcome::Mislabeling(of) => Some((of.n_flagged, curve(explainer, of, n_train)?)),
                _ => None,
            });
            let (n_flagged, curves): (Vec<usize>, Vec<DetectionCurve>) = found.unzip();
            let n_flagged = *n_flagged.first()?;
            Some(MislabeledCases { n_flagged, curves })
        };
        let mut results = comparison.dataset_results.iter();
        Ok(Self {
            origin,
            n_train,
            whole: whole.collect(),
            mislabeling: results.find_map(|result| mislabeled(&result.outcomes)),
            top_cases: Vec::new(),
            compared: Compared {
                n_samples: n_test,
                ..Compared::new(table)?
            },
        })
    }

    /// The test cases whose top cases are shown: the best and the worst by the first metric with a
    /// better end, of the explainer that it ranks first. Test cases that are evenly spread if there is
    /// no such metric, explainer or value.
    #[must_use]
    pub fn shown(table: &EvaluationTable, n_test: usize) -> Vec<usize> {
        shown(table, n_test)
    }

    /// Adds the top cases of some test cases. `attributions` has an array for each explainer, with a row for each of
    /// these test cases.
    pub fn show(&mut self, samples: &[usize], attributions: &[Array2<f64>], known: KnownCases<'_>) {
        let name = |class: &i64| {
            let name = known.class_names.and_then(|names| names.get(class));
            name.map_or_else(|| class.to_string(), String::clone)
        };
        let class = |of: Option<&[i64]>, case: usize| of.and_then(|of| Some(name(of.get(case)?)));
        let of_sample = |(place, &sample): (usize, &usize)| {
            let top = |of: &Array2<f64>| {
                let row = of.row(place).to_vec();
                let mut order: Vec<usize> = (0..row.len()).collect();
                order.sort_by(|&i, &j| row[j].total_cmp(&row[i]));
                let top = order.into_iter().take(N_TOP).map(|case| TopCase {
                    case,
                    attribution: row[case],
                    class: class(known.train_labels, case),
                    is_flagged: known.flags.and_then(|flags| flags.get(case)) == Some(&true),
                    image: None,
                });
                top.collect()
            };
            TopCasesOfSample {
                sample,
                class: class(known.test_classes, sample),
                explainers: attributions.iter().map(top).collect(),
                image: None,
            }
        };
        self.top_cases = samples.iter().enumerate().map(of_sample).collect();
    }

    /// The training cases that are shown, ascending.
    #[must_use]
    pub fn shown_cases(&self) -> Vec<usize> {
        let shown = self.top_cases.iter().flat_map(|sample| &sample.explainers);
        let mut cases: Vec<usize> = shown.flatten().map(|top| top.case).collect();
        cases.sort_unstable();
        cases.dedup();
        cases
    }

    /// Adds images of the cases. `train` has a row for each of [`shown_cases`](Self::shown_cases), `test` one for each
    /// test case that is shown.
    pub fn show_images(&mut self, train: &ArrayD<f32>, test: &ArrayD<f32>, layout: InputLayout) {
        let cases = self.shown_cases();
        for (row, sample) in self.top_cases.iter_mut().enumerate() {
            sample.image = CaseImage::from_row(test, layout, row);
            for top in sample.explainers.iter_mut().flatten() {
                let row = cases.binary_search(&top.case).ok();
                top.image = row.and_then(|row| CaseImage::from_row(train, layout, row));
            }
        }
    }
}

impl CaseImage {
    /// One of several images; `None` if the row is not an image.
    fn from_row(images: &ArrayD<f32>, layout: InputLayout, row: usize) -> Option<Self> {
        let image = image(images, layout, row)?;
        let (pixels, (height, width), is_colored) = scaled(&image, range(&image));
        Some(Self {
            height,
            width,
            pixels,
            is_colored,
        })
    }
}

fn estimate(outcome: &Outcome, n_train: usize) -> Estimate {
    match outcome {
        Outcome::Mislabeling(of) => auroc(of, n_train),
        other => Estimate::new(other.value(), None, 0),
    }
}

fn auroc(of: &Mislabeling, n_train: usize) -> Estimate {
    Estimate::new(of.auroc, of.interval, n_train as u64)
}

fn curve(explainer: &str, of: &Mislabeling, n_train: usize) -> Option<DetectionCurve> {
    let found = of.curve.as_deref()?;
    let last = found.len() - 1;
    let step = last.div_ceil(MAX_POINTS).max(1);
    let places = (0..last).step_by(step).chain([last]);
    let points = places.map(|place| DetectionPoint {
        inspected: place as f64 / last.max(1) as f64,
        found: found[place],
    });
    Some(DetectionCurve {
        explainer: explainer.to_owned(),
        auroc: auroc(of, n_train),
        area: of.area,
        points: points.collect(),
    })
}

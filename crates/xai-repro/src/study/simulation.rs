//! The simulation study: how the metrics behave where the truth is known.

mod accuracy_profile;
mod association;
mod draw;
mod summary;

pub use accuracy_profile::{AccuracyProfile, ProfilePoint};
pub use draw::StudyDraw;
pub use summary::{MetricBehavior, StudySummary};

use std::ops::Range;

use ndarray::ArrayView2;
use xai_core::{Error, ExactMean, Result, parallel, random_stream, uniform, uniform_index};

use crate::agreement::Agreement;
use crate::error_sets::accuracies;
use crate::pair_tiles::{Tile, TileBuffers, count_tile};
use crate::pairwise::Evaluation;
use crate::simulate::{PredictionBuffers, sample};
use crate::{
    AliasTable, ClassDistribution, Dependence, EmptyUnion, ErrorSet, InstructionSet, PackedRuns,
    PairMetric, PredictionSimulator,
};

/// The simulation study of reproducibility metrics.
///
/// Each draw takes a setting at random, simulates labels and runs, and takes every metric:
///
/// | | law |
/// |---|---|
/// | classes | uniform on `2..=50` |
/// | distribution of labels, and of errors | each one of the six [`ClassDistribution`]s; that of errors reversed in half of the draws |
/// | maximum error share `s` | uniform on [0, 1) |
/// | errors | independent or dependent, one half each; copied share `r` uniform on [0, 1) |
/// | error set | fixed or variable, one half each |
///
/// A draw depends on the seed and its number alone: draws can be made in any order, on any number of
/// threads, and an interrupted study goes on where it stopped with the same draws.
///
/// ```
/// use xai_repro::{Study, StudySummary};
/// let study = Study::builder().seed(1).n_samples(200).build()?;
/// let draws = study.draws(0..50)?;
/// assert_eq!(study.draws(20..50)?, draws[20..]);
/// let summary = StudySummary::of(&draws)?;
/// // More accurate runs share fewer errors: plain counts follow accuracy, which is what the study shows.
/// assert!(summary.metric("ec_global").unwrap().spearman_with_accuracy.unwrap() < -0.5);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Study {
    seed: u64,
    n_samples: usize,
    n_runs: usize,
    max_classes: usize,
}

/// The choices of [`Study`].
#[derive(Debug, Clone, PartialEq)]
pub struct StudyBuilder(Study);

impl StudyBuilder {
    /// The seed; 1 by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.0.seed = seed;
        self
    }

    /// The number of samples a draw; 1000 by default.
    #[must_use]
    pub fn n_samples(mut self, n_samples: usize) -> Self {
        self.0.n_samples = n_samples;
        self
    }

    /// The number of runs a draw; 5 by default.
    #[must_use]
    pub fn n_runs(mut self, n_runs: usize) -> Self {
        self.0.n_runs = n_runs;
        self
    }

    /// The largest number of classes; 50 by default.
    #[must_use]
    pub fn max_classes(mut self, max_classes: usize) -> Self {
        self.0.max_classes = max_classes;
        self
    }

    /// The study.
    ///
    /// # Errors
    /// [`Error::Empty`] without samples, [`Error::TooFew`] below two runs or classes,
    /// [`Error::InvalidParameter`] for 2³² samples or classes and more.
    pub fn build(self) -> Result<Study> {
        let study = self.0;
        if study.n_samples == 0 {
            return Err(Error::empty("samples"));
        }
        for (what, n) in [("runs", study.n_runs), ("classes", study.max_classes)] {
            if n < 2 {
                return Err(Error::too_few(what, 2, n));
            }
        }
        let all = study.n_samples.checked_mul(study.n_runs);
        for (what, n) in [
            ("runs times samples", all.unwrap_or(usize::MAX)),
            ("n_samples", study.n_samples),
            ("max_classes", study.max_classes),
        ] {
            if u32::try_from(n).is_err() {
                return Err(Error::parameter(what, n, "fewer than 2^32"));
            }
        }
        Ok(study)
    }
}

/// Draws that share their buffers.
const DRAWS_A_BLOCK: usize = 16;

/// Buffers that are used again from draw to draw.
#[derive(Debug, Default)]
struct Buffers {
    labels: Vec<u32>,
    runs: Vec<u32>,
    predictions: PredictionBuffers,
}

impl Study {
    /// 1000 samples, 5 runs, 2 to 50 classes, seed 1.
    #[must_use]
    pub fn builder() -> StudyBuilder {
        StudyBuilder(Self {
            seed: 1,
            n_samples: 1000,
            n_runs: 5,
            max_classes: 50,
        })
    }

    /// One draw.
    ///
    /// # Errors
    /// None for a study that was built; the type is that of [`draws`](Self::draws).
    pub fn draw(&self, draw: u64) -> Result<StudyDraw> {
        self.draw_with(draw, &mut Buffers::default())
    }

    /// Draws in parallel, in order.
    ///
    /// # Errors
    /// As [`draw`](Self::draw).
    pub fn draws(&self, range: Range<u64>) -> Result<Vec<StudyDraw>> {
        let n = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
        let blocks = parallel::map_blocks(n, DRAWS_A_BLOCK, |block| {
            let mut buffers = Buffers::default();
            block
                .map(|i| self.draw_with(range.start + i as u64, &mut buffers))
                .collect::<Result<Vec<_>>>()
        });
        let blocks: Vec<Vec<StudyDraw>> = blocks.into_iter().collect::<Result<_>>()?;
        Ok(blocks.into_iter().flatten().collect())
    }

    fn draw_with(&self, draw: u64, buffers: &mut Buffers) -> Result<StudyDraw> {
        let mut stream = random_stream(self.seed, draw);
        let n_classes = 2 + uniform_index(&mut stream, self.max_classes - 1);
        let mut distribution =
            || ClassDistribution::ALL[uniform_index(&mut stream, ClassDistribution::ALL.len())];
        let (label_distribution, error_distribution) = (distribution(), distribution());
        let mut coin = || uniform_index(&mut stream, 2) == 1;
        let (error_reversed, dependent, variable) = (coin(), coin(), coin());
        let max_error_share = uniform(&mut stream);
        let copied = uniform(&mut stream);
        let error_set = if variable {
            ErrorSet::Variable
        } else {
            ErrorSet::Fixed
        };
        let dependence = if dependent {
            Dependence::Dependent { copied }
        } else {
            Dependence::Independent
        };

        let label_law = AliasTable::new(&label_distribution.draw_from(n_classes, &mut stream)?)?;
        sample(&label_law, self.n_samples, &mut stream, &mut buffers.labels);
        let mut errors = error_distribution.draw_from(n_classes, &mut stream)?;
        if error_reversed {
            errors.reverse();
        }
        let simulator = PredictionSimulator::new(&errors, max_error_share, self.seed)?
            .error_set(error_set)
            .dependence(dependence)?;
        buffers.runs.resize(self.n_runs * self.n_samples, 0);
        simulator.draw_into(
            &buffers.labels,
            &mut stream,
            &mut buffers.predictions,
            &mut buffers.runs,
        );
        let runs = ArrayView2::from_shape((self.n_runs, self.n_samples), &buffers.runs)
            .map_err(|e| Error::parameter("runs", self.n_runs, e.to_string()))?;
        let (accuracy, metrics) = mean_metrics(runs, &buffers.labels)?;
        Ok(StudyDraw {
            draw,
            n_classes,
            label_distribution,
            error_distribution,
            error_reversed,
            error_set,
            max_error_share,
            copied: dependent.then_some(copied),
            accuracy,
            metrics,
        })
    }
}

/// The mean accuracy of runs, and each metric of [`StudyDraw::METRICS`] as its mean over the pairs.
///
/// # Errors
/// As [`PackedRuns::new`].
///
/// ```
/// use ndarray::array;
/// let predictions = array![[0u32, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
/// let (accuracy, metrics) = xai_repro::mean_metrics(predictions.view(), &[0, 1, 1, 0])?;
/// assert!((accuracy - 7.0 / 12.0).abs() < 1e-15);
/// assert!((metrics[0].unwrap() - 5.0 / 18.0).abs() < 1e-15); // ec_local: 1/3, 1/2, 0
/// # Ok::<(), xai_repro::Error>(())
/// ```
pub fn mean_metrics(
    predictions: ArrayView2<'_, u32>,
    labels: &[u32],
) -> Result<(f64, Vec<Option<f64>>)> {
    let packed = PackedRuns::new(predictions, labels)?;
    let k = packed.n_runs();
    let evaluation = Evaluation {
        totals: &packed.totals,
        empty_union: EmptyUnion::Undefined,
    };
    let mut means = vec![ExactMean::new(); PairMetric::ALL.len()];
    let mut agreeing = 0u128;
    let everything = Tile {
        rows: 0..k,
        columns: 0..k,
    };
    let mut outcome = Ok(());
    count_tile(
        &packed,
        &everything,
        packed.wanted,
        InstructionSet::fastest(),
        &mut TileBuffers::default(),
        |pair| {
            agreeing += 2 * u128::from(pair.equal);
            for (mean, metric) in means.iter_mut().zip(PairMetric::ALL) {
                match evaluation.value(metric, &pair) {
                    Ok(Some(value)) => mean.add(value),
                    Ok(None) => {}
                    Err(error) => outcome = Err(error),
                }
            }
        },
    );
    outcome?;
    let agreement = Agreement::of_counts(&packed.totals, agreeing);
    let of_all_runs = [
        agreement.fleiss_kappa(),
        agreement.krippendorff_alpha(),
        agreement.gwet_ac1(),
    ];
    let of_pairs = means.iter().map(ExactMean::value);
    let accuracy: ExactMean = accuracies(packed.totals.n_samples, &packed.totals.n_wrong)
        .into_iter()
        .collect();
    Ok((
        accuracy.value().unwrap_or_default(),
        of_pairs.chain(of_all_runs).collect(),
    ))
}

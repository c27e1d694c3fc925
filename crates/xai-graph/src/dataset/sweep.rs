//! Scores of an explanation over a range of sizes.

use std::fmt;
use std::mem::discriminant;

use ndarray::{Array1, ArrayView1, ArrayView2, ArrayView3, Axis};
use xai_core::describe::{Score, Scores, metric};
use xai_core::tensor::check_shape;
use xai_core::{Error, Interval, Real, Result, parallel};

use crate::fidelity::curve_auc::{check_ascending, fidelity_curve_auc};
use crate::fidelity::metric::FidelityMetric;
use crate::input;
use crate::mask::sparsify::{Sparsity, sparsify, sparsify_undirected, tied_share};
use crate::model::edge_choices::EdgeChoices;
use crate::model::explanation::Explanation;
use crate::model::graph::{Graph, OwnedGraph};
use crate::model::graph_model::{GraphModel, call, check_removal};
use crate::unfaithfulness::metric::UnfaithfulnessMetric;

/// Scores of an explanation at several sizes, with the options of the metrics.
///
/// ```
/// use ndarray::{array, stack, Axis};
/// use xai_graph::SparsitySweep;
/// let full = array![[0.0, 2.0], [2.0, 0.0]];
/// let flat = array![[0.0, 0.0], [0.0, 0.0]];
/// // The smaller explanation keeps nothing; the larger one keeps the whole answer.
/// let kept = stack![Axis(0), flat, full];
/// let complement = stack![Axis(0), full, flat];
/// let curve = SparsitySweep::new().evaluate(full.view(), kept.view(), complement.view(), &[0.1, 0.5])?;
/// assert_eq!(curve.best, 1);
/// assert_eq!((curve.points[1].pos_fidelity, curve.points[1].neg_fidelity), (0.5, 0.0));
/// assert_eq!(curve.points[1].unfaithfulness, 0.0);
/// // One of two by Wilson: (1 + 1.92 − 1.96 √(1/2 + 0.96)) / (2 + 3.84).
/// let interval = curve.points[1].pos_interval.expect("samples");
/// assert!((interval.low - 0.0945).abs() < 1e-4);
/// # Ok::<(), xai_graph::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct SparsitySweep<'a> {
    fidelity: FidelityMetric<'a>,
    unfaithfulness: UnfaithfulnessMetric<'a>,
    edges: EdgeChoices,
}

impl<'a> SparsitySweep<'a> {
    /// Explanations of the model, logits, all rows, directed edges, removal by weight.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the options of fidelity. If they contain a subset of rows, it also applies to unfaithfulness.
    #[must_use]
    pub fn fidelity(mut self, metric: FidelityMetric<'a>) -> Self {
        self.fidelity = metric;
        self
    }

    /// Sets the options of unfaithfulness.
    #[must_use]
    pub fn unfaithfulness(mut self, metric: UnfaithfulnessMetric<'a>) -> Self {
        self.unfaithfulness = metric;
        self
    }

    /// Sets how edges are removed, and whether their two directions are kept together.
    #[must_use]
    pub fn edges(mut self, edges: EdgeChoices) -> Self {
        self.edges = edges;
        self
    }

    /// Computes the curve from existing outputs.
    ///
    /// - `full`: outputs on the whole graph, `(n_rows, n_classes)`
    /// - `kept`, `complement`: outputs at each level, `(n_levels, n_rows, n_classes)`
    /// - `levels`: explanation size at each level (for example the share of edges kept), ascending
    ///
    /// # Errors
    /// Those of the metrics; `ShapeMismatch`, `Empty` without levels, `NonFinite` and `OutOfDomain` for levels that are
    /// not finite or descend.
    pub fn evaluate<T: Real>(
        &self,
        full: ArrayView2<'_, T>,
        kept: ArrayView3<'_, T>,
        complement: ArrayView3<'_, T>,
        levels: &[f64],
    ) -> Result<SweepCurve> {
        let (n, c) = full.dim();
        for (input, outputs) in [(input::KEPT, kept), (input::COMPLEMENT, complement)] {
            check_shape(input, &[levels.len(), n, c], outputs.shape())?;
        }
        check_levels(levels)?;
        let points = levels.iter().enumerate().map(|(i, &level)| {
            let (kept, complement) = (
                kept.index_axis(Axis(0), i),
                complement.index_axis(Axis(0), i),
            );
            self.point(level, full, kept, complement)
                .map_err(|error| at_level(error, i))
        });
        curve(points.collect::<Result<_>>()?)
    }

    /// Computes the curve for a soft edge mask: at each level the mask is sparsified, and the model is called on the
    /// kept edges and on the rest.
    ///
    /// `mask` has the shape `(n_edges,)`. `levels` are of one kind and ascend as numbers, so with thresholds the
    /// explanation gets smaller from level to level. The model is called once on the whole graph and twice per level,
    /// with levels in parallel; and twice more if no output changes, to find out whether it reads the weights of edges.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate), [`sparsify`](crate::mask::sparsify()) and
    /// [`explained_outputs`](crate::explained_outputs()); `InvalidParameter` also for levels of different kinds.
    pub fn evaluate_model<T: Real, M: Real>(
        &self,
        model: &(impl GraphModel<T> + Sync + ?Sized),
        graph: Graph<'_, T>,
        mask: ArrayView1<'_, M>,
        levels: &[Sparsity],
    ) -> Result<SweepCurve> {
        // Checked before the first call of the model.
        check_kinds(levels)?;
        check_levels(&levels.iter().map(|level| level.level()).collect::<Vec<_>>())?;
        let masks = parallel::try_map(levels.len(), |i| self.hard(mask, graph, levels[i]))?;
        let undirected = self.edges.is_undirected().then_some(graph.edge_index);
        let full = call(model, graph, "the whole graph", None)?;
        let computed = parallel::try_map(levels.len(), |i| {
            let explanation = Explanation::edges(masks[i].view());
            let outputs = |part: &OwnedGraph<T>, name: &str| {
                let name = format!("{name} at level {i}");
                call(model, part.view(), name, Some(full.dim()))
            };
            let kept_graph = explanation.kept(graph, self.edges.removal)?;
            let kept = outputs(&kept_graph, "the explanation")?;
            let complement = explanation.complement(graph, self.edges.removal)?;
            let rest = outputs(&complement, "the complement")?;
            let is_changed = kept != full || rest != full;
            let tied_share = tied_share(mask, undirected, levels[i])?;
            let (point, n_samples) = self
                .point(levels[i].level(), full.view(), kept.view(), rest.view())
                .map_err(|error| at_level(error, i))?;
            let point = SweepPoint {
                tied_share: Some(tied_share),
                ..point
            };
            Ok(((point, n_samples), is_changed))
        })?;
        if computed.iter().all(|(_, is_changed)| !is_changed) {
            check_removal(model, graph, &full, self.edges.removal)?;
        }
        curve(computed.into_iter().map(|(point, _)| point).collect())
    }

    fn hard<T: Real, M: Real>(
        &self,
        mask: ArrayView1<'_, M>,
        graph: Graph<'_, T>,
        level: Sparsity,
    ) -> Result<Array1<M>> {
        if self.edges.is_undirected() {
            sparsify_undirected(mask, graph.edge_index, level)
        } else {
            sparsify(mask, level)
        }
    }

    /// Scores at one level, and the number of samples.
    fn point<T: Real>(
        &self,
        level: f64,
        full: ArrayView2<'_, T>,
        kept: ArrayView2<'_, T>,
        complement: ArrayView2<'_, T>,
    ) -> Result<(SweepPoint, u64)> {
        let kinds = self.fidelity.batch(&full, &kept, &complement).kinds()?;
        let fidelity = kinds.fidelity();
        // A subset of rows of fidelity also applies to unfaithfulness. Without one, unfaithfulness keeps its own.
        let unfaithfulness = match self.fidelity.compared().rows.index() {
            Some(index) => self.unfaithfulness.index(index),
            None => self.unfaithfulness,
        };
        let point = SweepPoint {
            level,
            pos_fidelity: fidelity.pos,
            pos_interval: Some(kinds.pos_interval()?),
            neg_fidelity: fidelity.neg,
            neg_interval: Some(kinds.neg_interval()?),
            characterization: fidelity.characterization(),
            characterization_interval: kinds.characterization_interval()?,
            unfaithfulness: unfaithfulness.evaluate(full, kept)?.value,
            tied_share: None,
        };
        Ok((point, fidelity.n_samples))
    }
}

/// Adds the level to errors about the outputs at a level. Outputs on the whole graph have none.
fn at_level(error: Error, level: usize) -> Error {
    if [input::KEPT, input::COMPLEMENT].contains(&error.input()) {
        error.owner(format!("level {level}"))
    } else {
        error
    }
}

/// Creates the curve from points that all compare the same samples.
fn curve(points: Vec<(SweepPoint, u64)>) -> Result<SweepCurve> {
    let n_samples = points.first().map_or(0, |(_, n_samples)| *n_samples);
    SweepCurve::new(
        points.into_iter().map(|(point, _)| point).collect(),
        n_samples,
    )
}

/// Checks that all levels are of one kind.
fn check_kinds(levels: &[Sparsity]) -> Result<()> {
    let differs = |pair: &[Sparsity]| discriminant(&pair[0]) != discriminant(&pair[1]);
    match levels.windows(2).position(differs) {
        None => Ok(()),
        Some(i) => {
            let expected = format!("levels of one kind, as {:?}", levels[i]);
            let value = format!("{:?}", levels[i + 1]);
            Err(Error::parameter(input::LEVELS, value, expected).at(&[i + 1]))
        }
    }
}

/// Checks that there is at least one level, and that levels are finite and ascending.
fn check_levels(levels: &[f64]) -> Result<()> {
    if levels.is_empty() {
        return Err(Error::empty(input::LEVELS));
    }
    check_ascending(input::LEVELS, levels)
}

/// Scores of an explanation at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SweepPoint {
    /// Explanation size as given: `k`, a share, or a threshold.
    pub level: f64,
    /// fid₊ in [0, 1].
    pub pos_fidelity: f64,
    /// 95 % [Wilson](xai_core::statistics::wilson) interval of fid₊ over samples.
    #[cfg_attr(feature = "serde", serde(default))]
    pub pos_interval: Option<Interval>,
    /// fid₋ in [0, 1].
    pub neg_fidelity: f64,
    /// 95 % [Wilson](xai_core::statistics::wilson) interval of fid₋ over samples.
    #[cfg_attr(feature = "serde", serde(default))]
    pub neg_interval: Option<Interval>,
    /// Characterization score in [0, 1]; higher is better.
    pub characterization: f64,
    /// 95 % [jackknife](xai_core::statistics::jackknife) interval of the characterization over samples. `None` for
    /// fewer than two samples, and if no left-out sample changes the score, as at 0 and 1. The ends may lie outside
    /// [0, 1].
    #[cfg_attr(feature = "serde", serde(default))]
    pub characterization_interval: Option<Interval>,
    /// `1 − exp(−KL)` in [0, 1]; lower is better.
    pub unfaithfulness: f64,
    /// Share of the edges [that tie at the cut](crate::mask::tied_share()), of which the first ones are kept. `None`
    /// for given outputs.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub tied_share: Option<f64>,
}

/// Scores of an explanation over its sizes.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SweepCurve {
    /// One point per level, in the given order.
    pub points: Vec<SweepPoint>,
    /// Area under fid₊/(1 − fid₋). `None` if fid₋ is 1 at some level, and for a single level.
    pub fidelity_auc: Option<f64>,
    /// Index of the point with the highest characterization, the first one in case of ties.
    pub best: usize,
    /// Number of samples compared at each level.
    pub n_samples: u64,
}

impl SweepCurve {
    /// Creates a curve from at least one point at ascending levels.
    pub(crate) fn new(points: Vec<SweepPoint>, n_samples: u64) -> Result<Self> {
        let column = |field: fn(&SweepPoint) -> f64| points.iter().map(field).collect::<Vec<_>>();
        let (pos, neg) = (column(|p| p.pos_fidelity), column(|p| p.neg_fidelity));
        // The curve divides by 1 − fid₋.
        let is_defined = points.len() > 1 && neg.iter().all(|&neg| neg < 1.0);
        let fidelity_auc = if is_defined {
            Some(fidelity_curve_auc(&pos, &neg, &column(|p| p.level))?)
        } else {
            None
        };
        let mut best = 0;
        for (i, point) in points.iter().enumerate() {
            // Strictly larger, so that the first of equally good points wins.
            if point.characterization > points[best].characterization {
                best = i;
            }
        }
        Ok(Self {
            points,
            fidelity_auc,
            best,
            n_samples,
        })
    }
}

impl fmt::Display for SweepCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = "     level   fid+ ↑   fid- ↓   characterization ↑   unfaithfulness ↓";
        writeln!(f, "{header}\n{}", "─".repeat(header.chars().count()))?;
        for (i, point) in self.points.iter().enumerate() {
            let mark = if i == self.best { "  best" } else { "" };
            writeln!(
                f,
                "{:>10.4}   {:>6.4}   {:>6.4}   {:>18.4}   {:>16.4}{mark}",
                point.level,
                point.pos_fidelity,
                point.neg_fidelity,
                point.characterization,
                point.unfaithfulness,
            )?;
        }
        match self.fidelity_auc {
            Some(area) => write!(f, "area under fid+ / (1 - fid-): {area:.4}")?,
            None => write!(f, "area under fid+ / (1 - fid-): undefined")?,
        }
        let tied = self.points.iter().filter_map(|point| point.tied_share);
        match tied.fold(0.0, f64::max) {
            0.0 => Ok(()),
            most => write!(
                f,
                "\nup to {most:.4} of the edges tie at a cut: the first of them are kept"
            ),
        }
    }
}

impl SweepCurve {
    /// Area under the curve of fid₊ / (1 − fid₋) over the sizes of the explanation.
    ///
    /// ```text
    /// ∫ fid₊ / (1 − fid₋) over the levels, by trapezoids
    /// ```
    ///
    /// # Extremes
    /// 0: no level changes the prediction. Larger: the explanation is necessary (fid₊) and sufficient (fid₋) at small
    /// sizes; there is no upper end.
    ///
    /// # Limits
    /// Undefined where fid₋ is 1 at some level.
    ///
    /// # Source
    /// PyTorch Geometric, `fidelity_curve_auc`.
    ///
    /// # Elsewhere
    /// `torch_geometric.explain.metric.fidelity_curve_auc`
    #[metric(
        name = "fidelity_auc",
        title = "Fidelity curve AUC",
        direction = Direction::Higher,
        range = Range::NON_NEGATIVE,
        needs = &[input::FULL, input::KEPT, input::COMPLEMENT, input::LEVELS],
    )]
    pub const FIDELITY_AUC: Score<Self> = Score::new(INFO, |curve| curve.fidelity_auc);
}

impl Scores for SweepCurve {
    const SCORES: &'static [Score<Self>] = &[Self::FIDELITY_AUC];
}

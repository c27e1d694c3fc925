//! From a mask to a curve: every score at every explanation size.

use std::fmt;
use std::mem::discriminant;

use ndarray::{ArrayView1, ArrayView2, ArrayView3, Axis};
use xai_core::{Error, Real, Result, parallel};

use crate::characterization::fidelity_curve_auc;
use crate::graph::{EdgeRemoval, Explanation, Graph, GraphModel, call};
use crate::sparsify::{Sparsity, sparsify, sparsify_undirected};
use crate::{FidelityMetric, UnfaithfulnessMetric};

/// The scores of an explanation at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SweepPoint {
    /// The size: `k`, a share, a threshold, as the levels were given.
    pub level: f64,
    /// fid₊ in [0, 1].
    pub pos_fidelity: f64,
    /// fid₋ in [0, 1].
    pub neg_fidelity: f64,
    /// Both in one, in [0, 1], higher is better.
    pub characterization: f64,
    /// `1 − exp(−KL)` in [0, 1], lower is better.
    pub unfaithfulness: f64,
}

/// The scores of an explanation over its sizes.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SweepCurve {
    /// One point a level, in the order given.
    pub points: Vec<SweepPoint>,
    /// Area under fid₊/(1 − fid₋); `None` where fid₋ is 1 at some level, or with one level only.
    pub fidelity_auc: Option<f64>,
    /// The point of the highest characterization, the first of several.
    pub best: usize,
}

impl fmt::Display for SweepCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "level     fid+    fid-    characterization  unfaithfulness"
        )?;
        for (i, point) in self.points.iter().enumerate() {
            let mark = if i == self.best { "  best" } else { "" };
            writeln!(
                f,
                "{:<8.4}  {:.4}  {:.4}  {:<16.4}  {:.4}{mark}",
                point.level,
                point.pos_fidelity,
                point.neg_fidelity,
                point.characterization,
                point.unfaithfulness,
            )?;
        }
        match self.fidelity_auc {
            Some(area) => write!(f, "area under fid+ / (1 - fid-): {area:.4}"),
            None => write!(f, "area under fid+ / (1 - fid-): undefined"),
        }
    }
}

/// A sweep with its choices: what is compared at each size.
///
/// ```
/// use ndarray::{array, stack, Axis};
/// use xai_graph::Sweep;
/// let full = array![[0.0, 2.0], [2.0, 0.0]];
/// let flat = array![[0.0, 0.0], [0.0, 0.0]];
/// // The smaller explanation keeps nothing; the larger one keeps the whole answer.
/// let kept = stack![Axis(0), flat, full];
/// let complement = stack![Axis(0), full, flat];
/// let curve = Sweep::new().evaluate(full.view(), kept.view(), complement.view(), &[0.1, 0.5])?;
/// assert_eq!(curve.best, 1);
/// assert_eq!((curve.points[1].pos_fidelity, curve.points[1].neg_fidelity), (0.5, 0.0));
/// assert_eq!(curve.points[1].unfaithfulness, 0.0);
/// # Ok::<(), xai_graph::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Sweep<'a> {
    fidelity: FidelityMetric<'a>,
    unfaithfulness: UnfaithfulnessMetric<'a>,
    removal: EdgeRemoval,
    undirected: bool,
}

impl<'a> Sweep<'a> {
    /// Explanations of the model, logits, all rows, directed edges, removal by weight.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What fidelity compares; its subset of the rows goes for unfaithfulness too.
    #[must_use]
    pub fn fidelity(mut self, metric: FidelityMetric<'a>) -> Self {
        self.fidelity = metric;
        if let Some(index) = metric.rows() {
            self.unfaithfulness = self.unfaithfulness.index(index);
        }
        self
    }

    /// How unfaithfulness reads the outputs.
    #[must_use]
    pub fn unfaithfulness(mut self, metric: UnfaithfulnessMetric<'a>) -> Self {
        self.unfaithfulness = match self.fidelity.rows() {
            Some(index) => metric.index(index),
            None => metric,
        };
        self
    }

    /// How edges are taken away.
    #[must_use]
    pub fn removal(mut self, removal: EdgeRemoval) -> Self {
        self.removal = removal;
        self
    }

    /// Keeps the two directions of an edge together, see
    /// [`sparsify_undirected`].
    #[must_use]
    pub fn undirected(mut self, undirected: bool) -> Self {
        self.undirected = undirected;
        self
    }

    /// The curve from outputs that exist already.
    ///
    /// - `full`: `(n_rows, n_classes)` on the whole graph
    /// - `kept`, `complement`: `(n_levels, n_rows, n_classes)`
    /// - `levels`: the size at each level, ascending
    ///
    /// # Errors
    /// Those of the metrics; [`Error::ShapeMismatch`], [`Error::Empty`] without levels,
    /// [`Error::OutOfDomain`] for levels that descend.
    pub fn evaluate<T: Real>(
        &self,
        full: ArrayView2<'_, T>,
        kept: ArrayView3<'_, T>,
        complement: ArrayView3<'_, T>,
        levels: &[f64],
    ) -> Result<SweepCurve> {
        let (n, c) = full.dim();
        for (what, outputs) in [("kept", kept), ("complement", complement)] {
            if outputs.dim() != (levels.len(), n, c) {
                return Err(Error::shape(what, &[levels.len(), n, c], outputs.shape()));
            }
        }
        check_levels(levels)?;
        let points = levels.iter().enumerate().map(|(i, &level)| {
            let (kept, complement) = (
                kept.index_axis(Axis(0), i),
                complement.index_axis(Axis(0), i),
            );
            self.point(level, full, kept, complement)
        });
        curve(points.collect::<Result<_>>()?)
    }

    /// The curve of a soft edge mask: the mask is sparsified at each level and the model called on
    /// what is kept and on the rest.
    ///
    /// `mask` is `(n_edges,)`, `levels` ascend. The model is called once on the whole graph and
    /// twice a level, levels in parallel.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate), [`sparsify`] and
    /// [`explained_outputs`](crate::explained_outputs).
    pub fn run<T: Real>(
        &self,
        model: &(impl GraphModel<T> + ?Sized),
        graph: Graph<'_, T>,
        mask: ArrayView1<'_, T>,
        levels: &[Sparsity],
    ) -> Result<SweepCurve> {
        // Before the model is called at all.
        if let Some(i) =
            (1..levels.len()).find(|&i| discriminant(&levels[i]) != discriminant(&levels[i - 1]))
        {
            return Err(Error::parameter(
                format!("levels[{i}]"),
                format!("{:?}", levels[i]),
                format!("levels of one kind, as {:?}", levels[i - 1]),
            ));
        }
        check_levels(&levels.iter().map(|level| level.level()).collect::<Vec<_>>())?;
        for &level in levels {
            sparsify(mask, level)?;
        }
        let full = call(model, graph, "the whole graph", None)?;
        let shape = Some(full.dim());
        let points = parallel::try_map(levels.len(), |i| {
            let hard = if self.undirected {
                sparsify_undirected(mask, graph.edge_index, levels[i])?
            } else {
                sparsify(mask, levels[i])?
            };
            let explanation = Explanation::edges(hard.view());
            let kept = explanation.kept(graph, self.removal)?;
            let kept = call(
                model,
                kept.view(),
                format!("the explanation at level {i}"),
                shape,
            )?;
            let rest = explanation.complement(graph, self.removal)?;
            let rest = call(
                model,
                rest.view(),
                format!("the complement at level {i}"),
                shape,
            )?;
            self.point(levels[i].level(), full.view(), kept.view(), rest.view())
        })?;
        curve(points)
    }

    fn point<T: Real>(
        &self,
        level: f64,
        full: ArrayView2<'_, T>,
        kept: ArrayView2<'_, T>,
        complement: ArrayView2<'_, T>,
    ) -> Result<SweepPoint> {
        let fidelity = self.fidelity.evaluate(&full, &kept, &complement)?;
        Ok(SweepPoint {
            level,
            pos_fidelity: fidelity.pos,
            neg_fidelity: fidelity.neg,
            characterization: fidelity.characterization(),
            unfaithfulness: self.unfaithfulness.evaluate(full, kept)?.value,
        })
    }
}

/// Levels that make an axis: at least one, finite, ascending.
fn check_levels(levels: &[f64]) -> Result<()> {
    if levels.is_empty() {
        return Err(Error::empty("levels"));
    }
    xai_core::check_finite_slice("levels", levels)?;
    if let Some(i) = (1..levels.len()).find(|&i| levels[i] < levels[i - 1]) {
        let expected = format!("ascending levels, at least {}", levels[i - 1]);
        return Err(Error::out_of_domain("levels", &[i], levels[i], expected));
    }
    Ok(())
}

fn curve(points: Vec<SweepPoint>) -> Result<SweepCurve> {
    let column = |of: fn(&SweepPoint) -> f64| points.iter().map(of).collect::<Vec<_>>();
    let (pos, neg) = (column(|p| p.pos_fidelity), column(|p| p.neg_fidelity));
    let levels = column(|p| p.level);
    let defined = points.len() > 1 && neg.iter().all(|&neg| neg < 1.0);
    let fidelity_auc = if defined {
        Some(fidelity_curve_auc(&pos, &neg, &levels)?)
    } else {
        None
    };
    let mut best = 0;
    for (i, point) in points.iter().enumerate() {
        if point.characterization > points[best].characterization {
            best = i;
        }
    }
    Ok(SweepCurve {
        points,
        fidelity_auc,
        best,
    })
}

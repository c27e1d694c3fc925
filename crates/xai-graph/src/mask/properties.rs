//! Properties of a mask by itself: size, entropy, connectivity.

use std::fmt;

use ndarray::{ArrayView, ArrayView1, ArrayView2, Dimension};
use xai_core::describe::{Parameters, Score, Scores, metric};
use xai_core::number::{check_finite, elementary};
use xai_core::simd::{InstructionSet, Simd, SimdKernel};
use xai_core::tensor::check_shape;
use xai_core::{Error, Input, Real, Result};

use crate::edge_index::check_edge_index;
use crate::input;

/// Properties of one mask.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MaskProperties {
    /// Number of elements.
    pub n_elements: usize,
    /// Number of selected elements, those above the threshold.
    pub size: usize,
    /// Share of elements that are *not* selected, in [0, 1]; 1 = none is selected.
    pub sparsity: f64,
    /// Entropy of the mask as a distribution, `−Σ p ln p` with `p = mask / Σ mask`, in nats: 0 = all on one element,
    /// `ln n` = spread evenly. Undefined for a mask of zeros.
    pub entropy: Option<f64>,
    /// Number of connected components of the selected edges; 0 without a selected edge. Undefined for masks over
    /// other elements than edges.
    pub n_components: Option<usize>,
    /// Share of the nodes at selected edges that belong to the largest component, in (0, 1]; 1 = the explanation is
    /// connected. Undefined without a selected edge, and for masks over other elements than edges.
    pub component_share: Option<f64>,
    /// Number of components per node at a selected edge, in (0, 1]: ½ = every edge by itself; lower = larger
    /// components. Undefined like [`component_share`](Self::component_share).
    pub component_ratio: Option<f64>,
    /// Number of components of selected edges per node of the whole graph, in [0, 1]; 0 without a selected edge.
    /// Undefined for masks over other elements than edges.
    pub components_per_node: Option<f64>,
}

impl fmt::Display for MaskProperties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} elements selected, sparsity {:.4}",
            self.size, self.n_elements, self.sparsity
        )?;
        if let Some(entropy) = self.entropy {
            write!(f, ", entropy {entropy:.4} nats")?;
        }
        if let (Some(n), Some(share)) = (self.n_components, self.component_share) {
            write!(
                f,
                ", {n} components, the largest with {share:.4} of the nodes"
            )?;
        }
        if let (Some(touched), Some(all)) = (self.component_ratio, self.components_per_node) {
            write!(
                f,
                ", {touched:.4} components per node touched, {all:.4} per node of the graph"
            )?;
        }
        Ok(())
    }
}

/// Computes properties of masks.
///
/// # Source
/// Properties of this kind are reported by Amara et al., *GraphFramEx*, arXiv 2206.09677; the
/// entropy here is that of the mask divided by its sum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Parameters)]
pub struct MaskMetric {
    /// An element is selected if it is above this threshold, in [0, 1].
    #[param(at_least = 0, at_most = 1)]
    threshold: f64,
}

impl MaskMetric {
    /// Selects every element above 0.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Evaluates a mask over any elements.
    ///
    /// `mask` has the shape `(n_elements,)` and values in [0, 1].
    ///
    /// # Errors
    /// `Empty` without elements; `NonFinite` and `OutOfDomain` for a mask outside [0, 1]; `InvalidParameter` for a
    /// threshold outside [0, 1].
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_graph::mask::MaskMetric;
    /// let properties = MaskMetric::new().evaluate(array![0.5, 0.5, 0.0, 0.0].view())?;
    /// assert_eq!((properties.size, properties.sparsity), (2, 0.5));
    /// assert_eq!(properties.entropy, Some(2f64.ln()));
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    pub fn evaluate<T: Real>(&self, mask: ArrayView1<'_, T>) -> Result<MaskProperties> {
        self.check_params()?;
        if mask.is_empty() {
            return Err(Error::empty(input::MASK).part("elements"));
        }
        check_unit(input::MASK, mask)?;
        let threshold = T::from_f64_nearest(self.threshold);
        // Compared in the precision of the mask: a threshold of 0.3 does not select a single-precision 0.3.
        let size = mask.iter().filter(|&&x| x > threshold).count();
        let sparsity = 1.0 - size as f64 / mask.len() as f64;
        Ok(MaskProperties {
            n_elements: mask.len(),
            size,
            sparsity,
            entropy: entropy(mask),
            n_components: None,
            component_share: None,
            component_ratio: None,
            components_per_node: None,
        })
    }

    /// Evaluates a mask over edges, including its connected components.
    ///
    /// `edge_index` has the shape `(2, n_edges)` with nodes in `0..n_nodes`. Directions are ignored. Nodes without a
    /// selected edge are not counted as components.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate); `ShapeMismatch` if mask and edges do not fit; `OutOfDomain` for an edge to a
    /// node that does not exist.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_graph::mask::MaskMetric;
    /// let edges = array![[0, 1, 3], [1, 2, 4]]; // 0–1–2 and 3–4
    /// let mask = array![1.0, 1.0, 1.0];
    /// let properties = MaskMetric::new().evaluate_edges(mask.view(), edges.view(), 8)?;
    /// assert_eq!(properties.n_components, Some(2));
    /// assert_eq!(properties.component_share, Some(0.6)); // 3 of the 5 nodes that are touched
    /// assert_eq!(properties.component_ratio, Some(0.4)); // 2 components over these 5
    /// assert_eq!(properties.components_per_node, Some(0.25)); // and over all 8
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    ///
    /// # Source
    /// Amara et al., *GraphFramEx*, arXiv 2206.09677, report the number of components per node; their
    /// code counts the nodes at selected edges
    /// ([`component_ratio`](MaskProperties::component_ratio)). The share of the largest component is ours.
    pub fn evaluate_edges<T: Real>(
        &self,
        mask: ArrayView1<'_, T>,
        edge_index: ArrayView2<'_, i64>,
        n_nodes: usize,
    ) -> Result<MaskProperties> {
        let properties = self.evaluate(mask)?;
        check_shape(input::EDGE_INDEX, &[2, mask.len()], edge_index.shape())?;
        check_edge_index(edge_index, n_nodes)?;
        let threshold = T::from_f64_nearest(self.threshold);
        let selected = std::iter::zip(edge_index.columns(), mask)
            .filter(|&(_, &value)| value > threshold)
            // The cast is safe: all nodes were checked to be in 0..n_nodes.
            .map(|(ends, _)| (ends[0] as usize, ends[1] as usize));
        // `mask.len()` is an upper bound of the number of selected edges, which is not known before iterating.
        let sizes = component_sizes(selected, mask.len(), n_nodes);
        let n_touched = sizes.iter().sum::<usize>() as f64;
        let n_components = sizes.len() as f64;
        let largest = sizes.iter().max();
        Ok(MaskProperties {
            n_components: Some(sizes.len()),
            component_share: largest.map(|&largest| largest as f64 / n_touched),
            component_ratio: largest.map(|_| n_components / n_touched),
            components_per_node: Some(n_components / n_nodes as f64),
            ..properties
        })
    }
}

/// Number of nodes of each connected component of edges among `n_nodes` nodes.
///
/// Memory is proportional to the number of edges, because a subgraph may use the node numbers of a graph with
/// billions of nodes. In that case nodes are renumbered; if there are not many more nodes than edges, their numbers
/// are used as they are.
fn component_sizes(
    edges: impl Iterator<Item = (usize, usize)> + Clone,
    n_edges: usize,
    n_nodes: usize,
) -> Vec<usize> {
    if n_nodes <= 4 * n_edges {
        return numbered_component_sizes(edges, n_nodes);
    }
    let mut nodes: Vec<usize> = edges.clone().flat_map(|(a, b)| [a, b]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let number = |node: usize| nodes.binary_search(&node).expect("a node of an edge");
    numbered_component_sizes(edges.map(|(a, b)| (number(a), number(b))), nodes.len())
}

/// Number of nodes of each connected component, with memory proportional to `n_nodes`.
fn numbered_component_sizes(
    edges: impl Iterator<Item = (usize, usize)>,
    n_nodes: usize,
) -> Vec<usize> {
    let mut components = Components::new(n_nodes);
    let mut is_touched = vec![false; n_nodes];
    for (a, b) in edges {
        components.join(a, b);
        (is_touched[a], is_touched[b]) = (true, true);
    }
    // Nodes without a selected edge are no components of the explanation. All others are counted at their roots.
    (0..n_nodes)
        .filter(|&node| is_touched[node] && components.parents[node] == node)
        .map(|root| components.sizes[root])
        .collect()
}

/// Disjoint sets of nodes, as trees whose roots stand for their sets (union-find).
struct Components {
    /// Parent of each node. A root is its own parent.
    parents: Vec<usize>,
    /// Number of nodes below and including each root.
    sizes: Vec<usize>,
}

impl Components {
    fn new(n_nodes: usize) -> Self {
        Self {
            parents: (0..n_nodes).collect(),
            sizes: vec![1; n_nodes],
        }
    }

    fn root(&mut self, mut node: usize) -> usize {
        while self.parents[node] != node {
            // Halves the path for later searches.
            self.parents[node] = self.parents[self.parents[node]];
            node = self.parents[node];
        }
        node
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            // The smaller tree is attached, so that paths have at most log2(n) steps.
            let (small, large) = if self.sizes[a] < self.sizes[b] {
                (a, b)
            } else {
                (b, a)
            };
            self.parents[small] = large;
            self.sizes[large] += self.sizes[small];
        }
    }
}

/// Entropy `−Σ p ln p` with `p = mask / Σ mask`, in nats.
fn entropy<T: Real>(mask: ArrayView1<'_, T>) -> Option<f64> {
    let total: f64 = mask.iter().map(|x| x.to_f64_exact()).sum();
    let mut terms: Vec<f64> = mask.iter().map(|x| x.to_f64_exact()).collect();
    InstructionSet::fastest().run(EntropyTerms {
        values: &mut terms,
        total,
    });
    // Rounding may leave a result below 0.
    (total > 0.0).then(|| (-terms.iter().sum::<f64>()).max(0.0))
}

/// Replaces each value by `p ln p` with `p = value / total`, and by 0 if `p` is 0.
struct EntropyTerms<'a> {
    values: &'a mut [f64],
    total: f64,
}

impl SimdKernel for EntropyTerms<'_> {
    type Output = ();

    // Logarithms are computed before any sum, because a sum in order would keep this loop from vectorising.
    #[inline(always)]
    fn run<S: Simd>(self) {
        for value in self.values {
            let p = *value / self.total;
            // For `p = 0` this is 0 · −∞ = NaN, which the select below replaces without a branch.
            let term = p * elementary::ln(p);
            *value = if p > 0.0 { term } else { 0.0 };
        }
    }
}

impl MaskProperties {
    /// Number of elements that the mask selects.
    ///
    /// ```text
    /// |{ i : m_i above the threshold }|
    /// ```
    ///
    /// # Extremes
    /// 0: nothing is selected. n: everything is.
    ///
    /// # Source
    /// After Amara et al., *GraphFramEx*, 2022, arXiv 2206.09677.
    #[metric(
        name = "size",
        direction = Direction::None,
        range = Range::NON_NEGATIVE.up_to_data("n"),
        invariance = Invariance::SCALE,
        needs = &[input::MASK],
    )]
    pub const SIZE: Score<Self> = Score::new(INFO, |mask| Some(mask.size as f64));

    /// Share of the elements that the mask does not select.
    ///
    /// ```text
    /// 1 − size / n
    /// ```
    ///
    /// # Extremes
    /// 0: everything is selected. 1: nothing is.
    ///
    /// # Source
    /// After Amara et al., *GraphFramEx*, 2022, arXiv 2206.09677.
    #[metric(
        name = "sparsity",
        direction = Direction::None,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::MASK],
    )]
    pub const SPARSITY: Score<Self> = Score::new(INFO, |mask| Some(mask.sparsity));

    /// Entropy of the mask as a distribution over its elements, in nats.
    ///
    /// ```text
    /// −Σ p ln p, p = m / Σ m
    /// ```
    ///
    /// # Extremes
    /// 0: all on one element. ln n: spread evenly.
    ///
    /// # Source
    /// After Amara et al., *GraphFramEx*, 2022, arXiv 2206.09677.
    #[metric(
        name = "entropy",
        direction = Direction::None,
        range = Range::NON_NEGATIVE.up_to_data("ln n"),
        invariance = Invariance::SCALE,
        needs = &[input::MASK],
    )]
    pub const ENTROPY: Score<Self> = Score::new(INFO, |mask| mask.entropy);

    /// Share of the nodes at selected edges that the largest connected component holds.
    ///
    /// ```text
    /// nodes of the largest component / nodes at selected edges
    /// ```
    ///
    /// # Extremes
    /// Near 0: many small pieces. 1: the explanation is connected.
    ///
    /// # Source
    /// After Amara et al., *GraphFramEx*, 2022, arXiv 2206.09677.
    #[metric(
        name = "component_share",
        direction = Direction::Higher,
        range = Range::above(0.0).up_to(1.0),
        invariance = Invariance::SCALE,
        needs = &[input::MASK, input::EDGE_INDEX],
    )]
    pub const COMPONENT_SHARE: Score<Self> = Score::new(INFO, |mask| mask.component_share);

    /// Number of connected components per node at a selected edge.
    ///
    /// ```text
    /// components of the selected edges / nodes at selected edges
    /// ```
    ///
    /// # Extremes
    /// Near 0: large pieces. ½: every edge by itself. 1: self-loops alone.
    ///
    /// # Source
    /// Amara et al., *GraphFramEx*, 2022, arXiv 2206.09677.
    #[metric(
        name = "component_ratio",
        direction = Direction::Lower,
        range = Range::above(0.0).up_to(1.0),
        invariance = Invariance::SCALE,
        needs = &[input::MASK, input::EDGE_INDEX],
    )]
    pub const COMPONENT_RATIO: Score<Self> = Score::new(INFO, |mask| mask.component_ratio);

    /// Number of connected components of the selected edges per node of the graph.
    ///
    /// ```text
    /// components of the selected edges / nodes of the graph
    /// ```
    ///
    /// # Extremes
    /// 0: no edge is selected. Near 0: few pieces. 1: a self-loop at every node.
    ///
    /// # Source
    /// After Amara et al., *GraphFramEx*, 2022, arXiv 2206.09677.
    #[metric(
        name = "components_per_node",
        direction = Direction::Lower,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::MASK, input::EDGE_INDEX, input::NODES],
    )]
    pub const COMPONENTS_PER_NODE: Score<Self> = Score::new(INFO, |mask| mask.components_per_node);
}

impl Scores for MaskProperties {
    const SCORES: &'static [Score<Self>] = &[
        Self::SIZE,
        Self::SPARSITY,
        Self::ENTROPY,
        Self::COMPONENT_SHARE,
        Self::COMPONENT_RATIO,
        Self::COMPONENTS_PER_NODE,
    ];
}

pub(crate) fn check_unit<T: Real, D: Dimension>(
    input: Input,
    mask: ArrayView<'_, T, D>,
) -> Result<()> {
    check_finite(input, mask.view())?;
    let outside = |x: &T| *x < T::ZERO || *x > T::ONE;
    // The position is only searched for an error, because iteration with indices is much slower.
    if !mask.iter().any(outside) {
        return Ok(());
    }
    let mask = mask.into_dyn();
    match mask.indexed_iter().find(|(_, x)| outside(x)) {
        Some((index, value)) => {
            let (value, expected) = (value.to_f64_exact(), "a mask in [0, 1]");
            Err(Error::out_of_domain(input, index.slice(), value, expected))
        }
        None => Ok(()),
    }
}

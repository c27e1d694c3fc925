"""Properties of masks: size, entropy, connectivity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from .. import _arrays, _native
from .._alignment import Alignment
from .._arguments import number, threads, whole
from .._display import Display, fields_of
from .._results import Result
from ._inputs import edges


@dataclass(frozen=True, repr=False)
class MaskProperties(Result):
    """Properties of one mask.

    Attributes
    ----------
    n_elements, size : int
        Number of elements, and of those above the threshold.
    sparsity : float
        Share of elements that is not selected, in [0, 1].
    entropy : float or None
        Entropy of the mask as a distribution, in nats; low if the mass is on few elements. ``None``
        for a mask of zeros.
    n_components : int or None
        Number of connected components of the selected edges; like the following attributes, only
        for masks over edges.
    component_share : float or None
        Share of the touched nodes in the largest component, in (0, 1]; higher is better.
    component_ratio : float or None
        Components per touched node, in (0, 1]; lower is better.
    components_per_node : float or None
        Components per node of the graph, in [0, 1]; lower is better.
    """

    n_elements: int
    size: int
    sparsity: float
    entropy: float | None
    n_components: int | None
    component_share: float | None
    component_ratio: float | None
    components_per_node: float | None

    def _display(self) -> Display:
        # The last fields are of masks over edges.
        rows = fields_of(self) if self.n_components is not None else fields_of(self)[:4]
        return Display("Mask properties", rows=rows)


def mask_properties(
    mask: Any,
    threshold: float = 0.0,
    *,
    edge_index: Any = None,
    n_nodes: int | None = None,
    n_jobs: int | None = None,
) -> MaskProperties:
    """Compute the size, entropy and, for edges, connectivity of a mask.

    Parameters
    ----------
    mask : array_like
        In [0, 1], any shape; ``(n_edges,)`` with an edge index.
    threshold : float
        Elements above the threshold are selected: by default every element that is not 0.
    edge_index : array_like, optional
        ``(2, n_edges)``: the mask is one over these edges.
    n_nodes : int, optional
        How many nodes the graph has; the nodes that edges name by default.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    MaskProperties
        Properties of the mask.

    Raises
    ------
    ValueError
        For a mask outside [0, 1], and edges that do not fit it or name a node that there is
        not.

    Examples
    --------
    >>> from xai_metrics.graph import mask_properties
    >>> of = mask_properties([0.9, 0.8, 0.1], 0.5, edge_index=[[0, 2, 1], [1, 3, 2]])
    >>> of.size, of.n_components, of.component_share
    (2, 2, 0.5)
    """
    mask, edge_index = _align_edges(mask, edge_index)
    values = _arrays.reals(mask, "mask").reshape(-1)
    threshold, n_jobs = number("threshold", threshold), threads(n_jobs)
    if edge_index is None:
        return MaskProperties(**_native.graph_mask_properties(values, threshold, n_jobs=n_jobs))
    index = edges(edge_index)
    if n_nodes is None:
        n_nodes = int(index.max()) + 1 if index.size else 1
    n_nodes = whole("n_nodes", n_nodes, 0)
    properties = _native.graph_mask_properties(values, threshold, index, n_nodes, n_jobs)
    return MaskProperties(**properties)


def sparsify(
    mask: Any,
    *,
    top_k: int | None = None,
    fraction: float | None = None,
    threshold: float | None = None,
    edge_index: Any = None,
    n_jobs: int | None = None,
) -> npt.NDArray[Any]:
    """Make a hard mask with 1 for kept elements and 0 for the rest; ties go to the lower index.

    Parameters
    ----------
    mask : array_like
        ``(n_elements,)``.
    top_k, fraction, threshold : number
        One of them: how many elements are kept, the share that is, or above what they are.
    edge_index : array_like, optional
        ``(2, n_edges)``: the two directions of an edge are kept or left together, and count as
        one.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    numpy.ndarray
        Of the shape and precision of the mask.

    Raises
    ------
    ValueError
        For none or several of ``top_k``, ``fraction`` and ``threshold``, one that is out of
        range, and edges that do not fit the mask.

    Examples
    --------
    >>> from xai_metrics.graph import sparsify
    >>> sparsify([0.2, 0.9, 0.5], top_k=2)
    array([0., 1., 1.])
    """
    asked = {"top_k": top_k, "fraction": fraction, "threshold": threshold}
    given = [(kind, level) for kind, level in asked.items() if level is not None]
    if len(given) != 1:
        raise ValueError("expected one of top_k, fraction and threshold")
    mask, edge_index = _align_edges(mask, edge_index)
    values = _arrays.reals(mask, "mask", ndim=1)
    index = None if edge_index is None else edges(edge_index)
    kind, level = given[0]
    hard: npt.NDArray[Any] = _native.graph_sparsify(
        values, kind, number(kind, level), index, threads(n_jobs)
    )
    return hard


def _align_edges(mask: Any, edge_index: Any) -> tuple[Any, Any]:
    """Align a mask and its edges by their labels."""
    alignment = Alignment()
    mask = alignment.take(mask, "mask", "edges")
    return mask, alignment.take(edge_index, "edge_index", None, "edges")

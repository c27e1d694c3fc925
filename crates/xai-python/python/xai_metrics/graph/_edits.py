"""Edits from graphs to their counterfactuals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from .._arguments import whole
from .._arrays import integers
from .._display import Display, Estimate, count
from .._results import Result

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, eq=False, repr=False)
class EditSizes(Result):
    """Numbers of edges and nodes that differ between graphs and their counterfactuals.

    Attributes
    ----------
    sizes : numpy.ndarray of shape (n,)
        Number of each pair of graphs.
    per_query : numpy.ndarray of shape (n,)
        Number relative to the edges and nodes of the first graph; NaN if it has neither.
    value : float or None
        Mean of the defined ``per_query``.
    """

    sizes: npt.NDArray[np.int64]
    per_query: npt.NDArray[np.float64]
    value: float | None

    def _display(self) -> Display:
        edits = count(int(self.sizes.sum()), "edit")
        title = f"{Estimate(self.value)} edits relative to the first graph, {edits} of {count(len(self.sizes), 'pair')} of graphs"
        return Display(title)


def edit_size(graphs: Sequence[Mapping[str, Any]], *, directed: bool = False) -> EditSizes:
    """Count the edges and nodes that differ between graphs and their counterfactuals.

    ``|E Δ E'| + | |V| - |V'| |``; lower is better.

    Parameters
    ----------
    graphs : sequence of mappings
        Pairs of graphs: ``nodes`` and ``counterfactual_nodes`` are numbers of nodes, ``edges`` and ``counterfactual_edges`` pairs
        of nodes ``(n_edges, 2)``.
    directed : bool
        Whether an edge and its reverse are different edges.

    Returns
    -------
    EditSizes
        Sizes, and sizes relative to the first graph.

    Raises
    ------
    ValueError
        For an edge at a node that the graph does not have, and for edges that are not pairs.

    Examples
    --------
    >>> edit_size([{"nodes": 2, "edges": [[0, 1]], "counterfactual_nodes": 3, "counterfactual_edges": [[1, 0], [1, 2]]}]).sizes
    array([2])
    """
    pairs = []
    for position, graph in enumerate(graphs):
        name = f"graphs[{position}]"
        sides = [
            (whole(f"{name}[{nodes!r}]", graph[nodes], 0), _edges(graph[edges], f"{name}[{edges!r}]"))
            for nodes, edges in (("nodes", "edges"), ("counterfactual_nodes", "counterfactual_edges"))
        ]
        pairs.append(tuple(sides))
    edits = _native.graph_edit_size(pairs, bool(directed))
    shares = np.array([share for _, share in edits], np.float64)
    defined = shares[~np.isnan(shares)]
    sizes = np.array([size for size, _ in edits], np.int64)
    return EditSizes(sizes, shares, float(defined.mean()) if len(defined) else None)


def _edges(edges: Any, name: str) -> list[list[int]]:
    array = integers(edges, name)
    if not array.size:
        return []
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"{name}: expected pairs of nodes (n_edges, 2), got shape {array.shape}")
    if (array < 0).any():
        raise ValueError(f"{name}: expected nodes counted from 0, got {int(array.min())}")
    pairs: list[list[int]] = array.tolist()
    return pairs

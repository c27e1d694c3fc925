"""Access to explainers and explanations of PyTorch Geometric.

The package is not imported: only attributes and methods of the given objects are used.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from xai_metrics.graph._inputs import positions


def word(value: Any) -> str:
    """Return the value of an enumeration member, or a string unchanged."""
    return str(getattr(value, "value", value))


class Explained:
    """Explainer with one of its explanations."""

    def __init__(self, explainer: Any, explanation: Any) -> None:
        if word(explainer.model_config.mode) == "regression":
            raise ValueError(
                "explainer: fidelity and unfaithfulness compare answers of a classification, "
                "and the model is one of regression"
            )
        self.explainer = explainer
        self.explanation = explanation
        self._arguments = {
            name: explanation[name] for name in getattr(explanation, "_model_args", ())
        }

    def _get(self, name: str) -> Any:
        return self.explanation.get(name)

    @property
    def explains_model(self) -> bool:
        """True if the explanation type is ``model`` rather than ``phenomenon``."""
        return word(self.explainer.explanation_type) == "model"

    @property
    def is_binary(self) -> bool:
        """True if an output is one score, that of the positive class."""
        return word(self.explainer.model_config.mode) == "binary_classification"

    @property
    def return_type(self) -> str:
        """Kind of the outputs: ``raw``, ``probs`` or ``log_probs``."""
        return word(self.explainer.model_config.return_type)

    def target(self) -> Any:
        """Return the explained classes.

        Returns
        -------
        tensor
            Classes.
        """
        return self._get("target")

    def index(self) -> npt.NDArray[Any] | None:
        """Return the positions of the explained samples; ``None`` for all.

        Returns
        -------
        numpy.ndarray or None
            Positions.
        """
        return positions(self._get("index"))

    def index_is_a_number(self) -> bool:
        """Return whether a single sample is explained, given as a number.

        Returns
        -------
        bool
            Whether the index is a number.
        """
        index = self._get("index")
        return index is not None and getattr(index, "ndim", 0) == 0

    def prediction(self) -> Any:
        """Compute the outputs for the whole graph.

        Returns
        -------
        tensor
            Outputs.
        """
        return self.explainer.get_prediction(
            self._get("x"), self._get("edge_index"), **self._arguments
        )

    def explained_prediction(self) -> Any:
        """Return the outputs for the whole graph that the explanation stores, or compute them.

        Returns
        -------
        tensor
            Outputs.
        """
        known = self._get("prediction")
        return self.prediction() if known is None else known

    def masked_prediction(self, *, complement: bool = False, node_mask: Any = None) -> Any:
        """Compute the outputs for the explanation alone, or for the rest (both masks subtracted
        from 1).

        ``node_mask`` takes the place of the explanation's own.

        Parameters
        ----------
        complement : bool
            Whether to use the rest.
        node_mask : tensor, optional
            Replaces the node mask of the explanation.

        Returns
        -------
        tensor
            Outputs.
        """
        nodes = self._get("node_mask") if node_mask is None else node_mask
        edges = self._get("edge_mask")
        if complement:
            nodes = None if nodes is None else 1.0 - nodes
            edges = None if edges is None else 1.0 - edges
        return self.explainer.get_masked_prediction(
            self._get("x"), self._get("edge_index"), nodes, edges, **self._arguments
        )

    def labels(self, outputs: Any) -> Any:
        """Return the classes of outputs by the rule of the explainer.

        Parameters
        ----------
        outputs : tensor
            Outputs.

        Returns
        -------
        tensor
            Classes.
        """
        return self.explainer.get_target(outputs)

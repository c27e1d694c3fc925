"""Attributes of a fitted explainer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt

    from .._types import Bool
    from ._fitting.classes import Classes
    from ._fitting.encoding import Encoding
    from ._fitting.similarity import Space


class Fitted:
    """Attributes of :class:`.CaseExplainer` that its results access."""

    n_features: int
    n_samples: int
    k: int
    n_jobs: int | None
    distance: str
    scale: Bool
    feature_names: list[str]
    #: Columns of the table of training rows; ``None`` for an array, whose columns are
    #: ``feature_names``.
    _columns: list[Any] | None = None
    #: Encoding of text columns.
    _encoding: Encoding | None = None
    class_names: Mapping[Any, str] | Sequence[str]
    metadata: dict[str, Any]
    y_train: npt.NDArray[Any]
    _model: Any
    _native: Any
    _space: Space
    _classes: Classes
    #: Native parameters that were given.
    _chosen: dict[str, Any]
    _redact: list[str]

    @property
    def shown_feature_names(self) -> list[str]:
        """Names of the features that explanations show, without redacted ones."""
        hidden = self._redact
        return [name for name in self.feature_names if str(name) not in hidden]

    @property
    def _class_name_of(self) -> dict[Any, str]:
        names = self.class_names
        return dict(names) if isinstance(names, Mapping) else dict(enumerate(names))

    def _shown(self, sample: npt.NDArray[Any]) -> npt.NDArray[Any]:
        hidden = self._redact
        if not hidden:
            return sample
        return sample[[str(name) not in hidden for name in self.feature_names]]

"""Values per sample, including metrics that are undefined for all samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xai_metrics import _native
from xai_metrics._arguments import threads
from xai_metrics._progress import bar
from xai_metrics.attribution._data import Run
from xai_metrics.attribution._models import is_explainer

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from xai_metrics.attribution._metric import Metric


def per_sample(
    metric: Metric, run: dict[str, Any], progress: bool = False
) -> npt.NDArray[np.float64]:
    """Compute a metric from the fields of a run and its side inputs; NaN where undefined.

    ``explanations`` are maps or an explainer; with maps, ``explainer`` may be given too.
    """
    run = dict(run)
    n_jobs = threads(run.pop("n_jobs", None))
    maps, explainer = run.pop("explanations", None), run.pop("explainer", None)
    if is_explainer(maps):
        maps, explainer = None, maps
    asked = Run.from_keywords(**run, metrics=[("metric", metric)])
    asked.explainers = [("maps", maps, explainer)]
    metric.check(asked)
    with bar(len(asked.array) if asked.inputs is not None else None, "sample", progress) as shown:
        asked.progress = shown.update if progress else None
        values = _native.attribution_evaluate(asked.request(), n_jobs)
    found: npt.NDArray[np.float64] = values.per_sample("metric")[0]
    return found

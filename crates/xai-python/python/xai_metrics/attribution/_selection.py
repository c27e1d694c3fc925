"""Selection of metrics: by name, by text with settings as on the command line, or as objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .. import _native
from .._arguments import names_in, suggestion
from .._arrays import to_numpy
from .._registry import metrics_of, near_names
from . import _padding
from ._baselines import check_word
from ._data import Run
from ._layout import WORDS
from ._masked import MaskedRun
from ._metric import Metric
from ._own import OwnMetric
from .metrics import by_name

#: Metrics that ``"standard"`` selects: one of each kind that needs few model rows, whatever the size
#: of the inputs.
STANDARD = tuple(WORDS["standard"])

#: Words that select several metrics.
_SEVERAL = ("standard", "all")


@dataclass
class _Selected:
    """A metric of a run."""

    metric: Metric
    #: Name in the table; ``None`` if the caller has not chosen one.
    name: str | None
    #: Its own parameters as they were given.
    settings: Mapping[str, Any]
    #: True if a word such as ``"all"`` selected it.
    by_word: bool


def select(metrics: Any, run: Run | MaskedRun, baseline: Any = None) -> tuple[list[tuple[str, Metric]], dict[str, str]]:
    """Return the requested metrics as pairs of name in the table and metric, and why metrics of
    ``"standard"`` or ``"all"`` were skipped, by name.

    ``baseline`` is that of all metrics that have one and were not given another.
    """
    check_word(baseline)
    named = list(_named(metrics))
    selected: list[_Selected] = []
    skipped: dict[str, str] = {}
    for name, value in named:
        for metric, by_word in _metrics_of(name, value):
            settings, metric = metric.given, metric.with_baseline(baseline)
            reason = _reason(metric, run) if by_word else None
            if reason is not None:
                skipped[metric.name] = reason
                continue
            if not by_word:
                _check(metric, run)
            unnamed = (one for one in selected if name is None and one.name is None)
            twin = next((one for one in unnamed if one.metric == metric), None)
            if twin is None:
                selected.append(_Selected(metric, name, settings, by_word))
            elif not (by_word or twin.by_word):
                raise ValueError(f"metrics: {metric.name} is asked for twice; name every metric once, or with other settings")
    if _has_word((value for _, value in named), "all"):
        functions = (info.name for info in metrics_of("attribution") if info.has_call_of_its_own)
        skipped |= {name: f"has a function of its own, {name}()" for name in functions}
    names = _distinct_names(selected)
    return [(name, one.metric) for name, one in zip(names, selected)], skipped


def has_word(metrics: Any, word: str) -> bool:
    """Return whether a word such as ``"all"`` is among the requested metrics.

    Examples
    --------
    >>> has_word("deletion, all(baseline=mean)", "all"), has_word(["deletion"], "all")
    (True, False)
    """
    return _has_word((value for _, value in _named(metrics)), word)


def _has_word(values: Iterable[Any], word: str) -> bool:
    texts = (value for value in values if isinstance(value, str))
    return any(name == word for text in texts for name, _ in _settings(text))


def _named(metrics: Any) -> Iterator[tuple[str | None, Any]]:
    """Iterate over the requested metrics with the names that the caller chose."""
    if isinstance(metrics, Mapping):
        yield from ((str(name), metric) for name, metric in metrics.items())
        return
    yield from ((None, metric) for metric in names_in([metrics] if isinstance(metrics, Metric) else metrics))


def _settings(text: str) -> list[tuple[str, dict[str, str]]]:
    """Parse text as on the command line to names with values of parameters.

    >>> _settings("deletion(steps=20, max-fraction=0.5), complexity")
    [('deletion', {'steps': '20', 'max_fraction': '0.5'}), ('complexity', {})]
    """
    if not set(text) & set("(),="):
        # Names of other packages have dots, and an unknown name gets a suggestion.
        return [(text.strip(), {})]
    parsed = _native.metric_settings(text)
    return [(name, {key.replace("-", "_"): value for key, value in params}) for name, params in parsed]


def _metrics_of(name: str | None, value: Any) -> Iterator[tuple[Metric, bool]]:
    """Iterate over the metrics that an element stands for, and whether a word selected them."""
    if not isinstance(value, str):
        yield _from_object(value), False
        return
    settings = _settings(value)
    several = len(settings) > 1 or settings[0][0] in _SEVERAL
    if name is not None and several:
        raise ValueError(f"metrics[{name!r}]: expected one metric, got {value!r}")
    for metric_name, parameters in settings:
        if metric_name in _SEVERAL:
            yield from ((metric, True) for metric in _by_word(metric_name, parameters))
        else:
            yield _from_settings(metric_name, parameters), False


def _by_word(word: str, parameters: dict[str, str]) -> list[Metric]:
    """Return the metrics of a word, each with those of the parameters that it has."""
    infos = metrics_of("attribution")
    names = STANDARD if word == "standard" else [info.name for info in infos if not info.has_call_of_its_own]
    known = {info.name: {parameter.name for parameter in info.parameters} for info in infos if info.name in names}
    unknown = next((name for name in parameters if not any(name in params for params in known.values())), None)
    if unknown is not None:
        hint = suggestion(unknown, sorted({name for params in known.values() for name in params}))
        asked = _as_text(word, parameters)
        raise ValueError(f"metrics: {asked}: none of these metrics has a parameter {unknown!r}{hint}")
    return [
        _from_settings(name, {key: value for key, value in parameters.items() if key in known[name]}) for name in names
    ]


def _from_settings(name: str, parameters: dict[str, str]) -> Metric:
    kind = by_name(name)
    try:
        return kind(**parameters)
    except (TypeError, ValueError) as error:
        raise ValueError(f"metrics: {_as_text(name, parameters)}: {error}") from None


def _from_object(value: Any) -> Metric:
    if isinstance(value, type) and (issubclass(value, Metric) or hasattr(value, "per_sample")):
        value = value()
    if hasattr(value, "per_sample"):
        value = OwnMetric(value)
    if isinstance(value, Metric):
        return value
    theirs = (value if isinstance(value, type) else type(value)).__name__
    near = near_names(theirs, "attribution")
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise TypeError(f"metrics: expected names and metrics, got {theirs}{hint}")


def _distinct_names(selected: list[_Selected]) -> list[str]:
    """Return the names in the table: those that the caller chose, else those of the metrics, with
    settings where a metric is selected more than once.
    """
    unnamed = [one.metric.name for one in selected if one.name is None]
    names: list[str] = []
    for one in selected:
        name = one.metric.name if one.name is None else one.name
        if one.name is None and unnamed.count(name) > 1:
            name = _as_text(name, one.settings)
        if name in names:
            twin = selected[names.index(name)].metric
            raise ValueError(
                f"metrics: {name!r} occurs twice; give names of your own by a mapping, "
                f'{{"first": {twin!r}, "second": {one.metric!r}}}'
            )
        names.append(name)
    return names


def _as_text(name: str, parameters: Mapping[str, Any]) -> str:
    """Return a metric with settings as text.

    >>> _as_text("road", {"percentages": (10, 50), "noise": True}), _as_text("road", {})
    ('road(percentages=[10, 50], noise=true)', 'road')
    """

    def text(value: Any) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(map(text, value))}]"
        return str(value) if isinstance(value, (str, int, float)) else "..."

    inside = ", ".join(f"{key}={text(value)}" for key, value in parameters.items())
    return f"{name}({inside})" if inside else name


def _check(metric: Metric, run: Run | MaskedRun) -> None:
    """Raise ``ValueError`` if a metric cannot be computed for a run."""
    if isinstance(run, MaskedRun):
        run.check(metric)
        return
    metric.check(run)
    obstacle = _padding_obstacle(metric, run)
    if obstacle is not None:
        raise ValueError(f"{metric.name}: {obstacle}; the inputs have padding")


def _padding_obstacle(metric: Metric, run: Run) -> str | None:
    """Return why a metric cannot be computed with the padding of a run, or ``None`` if it can."""
    return None if run.features is None else _padding.obstacle(metric)


def _reason(metric: Metric, run: Run | MaskedRun) -> str | None:
    """Return why a metric that a word selects cannot be computed for a run, or ``None`` if it can.
    """
    info = metric.info
    if isinstance(run, MaskedRun):
        return run.obstacle(info) or run.obstacle(info, metric)
    obstacle = _padding_obstacle(metric, run)
    if obstacle is not None:
        return obstacle
    missing = metric.missing(run)
    if missing:
        return f"needs {', '.join(missing)}"
    if "explainer" in info.needs and run.explainer_obstacle is not None:
        return run.explainer_obstacle
    rows = run.targets is not None and to_numpy(run.targets, "targets").ndim == 2
    names = {parameter.name for parameter in info.parameters}
    if not rows and "n_classes" in names and "n_classes" not in metric.given:
        return "needs n_classes, or targets that are rows of weights"
    if {"model", "explainer"} & set(info.needs) and run.has_tokens and "baseline" not in names:
        return "may put fractions in the place of whole numbers"
    if run.read_layout is not None and run.read_layout not in info.layouts:
        return f"has values for {' and '.join(info.layouts)} inputs, these are {run.read_layout}"
    baseline = str(metric.parameters.get("baseline", ""))
    if baseline.startswith("blur") and run.read_layout == "tabular":
        return "cannot blur tables, whose features have no neighbours"
    if baseline == "linear-imputation" and not (run.read_layout or "").startswith("channels"):
        return "has a baseline of images, linear-imputation"
    return None

"""Base class of the metrics."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from .. import _native
from .._arguments import suggestion, threads
from .._arrays import column_names, to_numpy
from .._described import MetricInfo
from .._registry import metric_of
from ._baselines import Background
from ._data import Run, explained
from ._keywords import Scoring
from ._masked import MaskedModel, MaskedRun
from ._models import is_explainer
from ._texts import FAST_METRICS, is_ragged, measure_ragged
from ._value import Curve, MetricValue, pairs_of, undefined_value, warn, with_remarks

if TYPE_CHECKING:
    import numpy.typing as npt


class Metric:
    """Metric with its parameters.

    The metrics of the registry are in :mod:`xai_metrics.attribution.metrics`. Metrics with equal
    parameters compare equal.

    Examples
    --------
    >>> from xai_metrics.attribution.metrics import Deletion
    >>> Deletion(steps=20)
    Deletion(steps=20)
    >>> Deletion(steps=20) == Deletion(steps="20"), Deletion().info.direction
    (True, 'lower')
    """

    #: Name in tables.
    name: str

    def __init__(self, **parameters: Any) -> None:
        known = {parameter.name: parameter for parameter in self.info.parameters}
        #: Parameters as they were given.
        self.given: dict[str, Any] = {}
        #: Parameters that are arrays or functions.
        self.arrays: dict[str, Any] = {}
        texts_and_numbers = []
        taken = [*known, *(["draws"] if self.info.draws is not None else [])]
        for name, value in parameters.items():
            is_draws = name not in known
            if name not in taken:
                names = (", ".join(taken) or "none") + suggestion(name, taken)
                raise TypeError(f"{type(self).__name__} has no parameter {name!r}; it has {names}")
            if name == "steps" and (value is None or str(value) == "-1"):
                value = "all"
            if value is None:
                continue
            self.given[name] = value
            if isinstance(value, (bytes, bytearray)):
                # Else they are read as a list of numbers.
                value = repr(value)
            if is_draws or (known[name].takes_functions and _is_array_or_function(name, value)):
                self.arrays[name] = value
            else:
                texts_and_numbers.append((name, value))
        values = _native.attribution_parameters(self.name, texts_and_numbers)
        #: Parameters that differ from their defaults.
        self.parameters: dict[str, Any] = {
            # 1 and 1.0 may be two values: so many, and a share.
            name: value
            for name, value in values.items()
            if repr(value) != repr(known[name].default)
        }

    @property
    def info(self) -> MetricInfo:
        """Description of the metric."""
        return metric_of("attribution", self.name)

    @property
    def direction(self) -> Literal["higher", "lower", "none"]:
        """Better end of the scale with these parameters; ``info.direction`` is for the defaults.

        Examples
        --------
        >>> from xai_metrics.attribution.metrics import LogOdds
        >>> LogOdds().direction, LogOdds(keep=True).direction
        ('lower', 'higher')
        """
        direction: Literal["higher", "lower", "none"]
        direction = _native.attribution_direction(self.name, list(self.parameters.items()))
        return direction

    @property
    def functions(self) -> dict[str, Any]:
        """Python functions that the native part calls, by their role."""
        distance, key = self.arrays.get("distance"), self.arrays.get("discretizer")
        return {
            "distance": None if distance is None else lambda a, b: float(distance(a, b)),
            "discretizer": None if key is None else _numbered(key),
            "own": None,
        }

    def with_seed(self, seed: int) -> Metric:
        """Return the metric with this seed, unless it takes no seed or already has one.

        Parameters
        ----------
        seed : int
            Seed of random choices.

        Returns
        -------
        Metric
            A copy, or the metric itself.

        Examples
        --------
        >>> from xai_metrics.attribution.metrics import MuFidelity
        >>> MuFidelity().with_seed(3)
        MuFidelity(seed=3)
        """
        return self._with_default("seed", seed)

    def with_baseline(self, baseline: Any) -> Metric:
        """Return the metric with this baseline, unless it has no baseline or was given one.

        Parameters
        ----------
        baseline : optional
            Replacement for removed features, see :func:`~xai_metrics.attribution.evaluate`;
            ``None`` for that of the metric.

        Returns
        -------
        Metric
            A copy, or the metric itself.

        Examples
        --------
        >>> from xai_metrics.attribution.metrics import Deletion, Sparseness
        >>> Deletion(steps=5).with_baseline("mean"), Deletion(baseline=0.0).with_baseline("mean")
        (Deletion(steps=5, baseline='mean'), Deletion())
        >>> Sparseness().with_baseline("mean")
        Sparseness()
        """
        return self._with_default("baseline", baseline)

    def _with_default(self, name: str, value: Any) -> Metric:
        """Return the metric with a parameter that it has and was not given."""
        has_parameter = any(parameter.name == name for parameter in self.info.parameters)
        if value is None or not has_parameter or name in self.given:
            return self
        return type(self)(**{**self.given, name: value})

    def evaluate(self, *arguments: Any, **named: Any) -> MetricValue:
        """Compute the metric for one explainer.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`. The inputs that the
        metric needs come first, in the order of ``info.needs``; the others are keywords.
        ``explanations`` may also be an explainer that computes the maps.

        Parameters
        ----------
        *arguments, **named
            Inputs and settings, see above.

        Returns
        -------
        MetricValue
            The mean, and one value per sample.

        Raises
        ------
        ValueError, TypeError
            See :func:`~xai_metrics.attribution.evaluate`.
        """
        signature = evaluate_signature(self.info)
        try:
            bound = signature.bind(self, *arguments, **named)
        except TypeError as error:
            _, *taken = signature.parameters.values()
            takes = signature.replace(parameters=taken)
            raise TypeError(f"{error}; {type(self).__name__}().evaluate takes {takes}") from None
        bound.arguments.pop("self")
        return self._measure(bound.arguments)

    def _measure(self, run: dict[str, Any]) -> MetricValue:
        """Compute the metric from the fields of a run and its side inputs."""
        run = dict(run)
        n_jobs = threads(run.pop("n_jobs", None))
        model, maps = run.get("model"), run.get("explanations")
        is_ragged_alone = model is None and run.get("inputs") is None and is_ragged(maps)
        if is_ragged_alone and {name for name, value in run.items() if value is not None} == {"explanations", "masks"}:
            if self.name in FAST_METRICS:
                return measure_ragged(self.name, self.parameters, maps, run["masks"], n_jobs)
        if isinstance(model, MaskedModel) or is_ragged_alone:
            return self._measure_masked(run, n_jobs)
        maps, explainer = run.pop("explanations", None), run.pop("explainer", None)
        one = explainer if maps is None else maps
        # What is missing is named by the metric that needs it.
        if one is not None and (maps is None or explainer is None):
            maps, explainer = explained(one)
        asked = Run.from_keywords(**run)
        asked.metrics = [(self.name, self.with_baseline(asked.baseline))]
        if "baseline" in self.given:
            asked.assumed.pop("baseline", None)
        if maps is not None or explainer is not None:
            asked.explainers = [("explainer", maps, explainer)]
        self.check(asked)
        if asked.features is not None:
            return self._measure_parts(asked, maps, n_jobs)
        request = asked.request()
        try:
            (value,) = _native.attribution_measure(request, n_jobs)
        except _native.UndefinedError:
            arrays = [request["inputs"], *(known for _, known, _ in request["explainers"])]
            n = next(len(array) for array in arrays if array is not None)
            known = next((known for _, known, _ in request["explainers"]), None)
            return undefined_value(self.name, self.direction, n, known, asked.assumed)
        asked.check()
        points = value["curve"]
        return MetricValue(
            metric=self.name,
            direction=self.direction,
            value=value["value"],
            per_sample=value["per_sample"],
            n_undefined=value["n_undefined"],
            curve=None if points is None else Curve(points[0], points[1], value["curves"]),
            assumed=with_remarks(asked.assumed, value["assumed"]),
            warnings=warn(value["warnings"]),
            batch_size=value["batch_size"],
        )

    def _measure_parts(self, asked: Run, maps: Any, n_jobs: int | None) -> MetricValue:
        """Compute the metric for samples with padding, which are evaluated in parts."""
        values, _ = asked.values(n_jobs)
        table = values.table(0.95, 0, 1, n_jobs)
        (found,) = table["metrics"]
        score = found["scores"][0]
        if score["value"] is None:
            return undefined_value(self.name, self.direction, values.n_samples, maps, asked.assumed)
        return MetricValue(
            metric=self.name,
            direction=self.direction,
            value=score["value"],
            per_sample=values.per_sample(self.name)[0],
            n_undefined=score["n_undefined"],
            assumed=with_remarks(asked.assumed, pairs_of(table["assumed"])),
            warnings=warn(pairs_of(table["warnings"])),
            batch_size=table.get("batch_size"),
        )

    def _measure_masked(self, run: dict[str, Any], n_jobs: int | None) -> MetricValue:
        """Compute the metric for a masked model, or for maps of different sizes."""
        maps = run.pop("explanations", None)
        asked = MaskedRun.from_run(Run.from_keywords(**run), {"explanations": maps})
        asked.check(self)
        asked.metrics = [(self.name, self)]
        values = asked.values(n_jobs)
        table = values.table(0.95, 0, 1, n_jobs)
        (found,) = table["metrics"]
        value, points = found["scores"][0]["value"], values.curves(self.name)[0]
        if value is None:
            return undefined_value(self.name, self.direction, values.n_samples, maps, asked.assumed)
        return MetricValue(
            metric=self.name,
            direction=self.direction,
            value=value,
            per_sample=values.per_sample(self.name)[0],
            n_undefined=found["scores"][0]["n_undefined"],
            curve=None if points is None else Curve(*points),
            assumed=with_remarks(asked.assumed, pairs_of(table["assumed"])),
            warnings=warn(pairs_of(table["warnings"])),
            batch_size=table.get("batch_size"),
        )

    def missing(self, run: Run) -> list[str]:
        """Return the needs of the metric that a run does not provide.

        Parameters
        ----------
        run : Run
            Evaluation run.

        Returns
        -------
        list of str
            Names from ``info.needs``.
        """
        given = run.sides.provided()
        if run.model is not None:
            given.add("model")
        if run.inputs is not None:
            given.add("inputs")
        if run.targets is not None or run.model is not None:
            given.add("targets")
        if run.explainers:
            given.add("explanations")
        if run.explainers and all(explainer is not None for _, _, explainer in run.explainers):
            given.add("explainer")
        return [need for need in self.info.needs if need not in given]

    def check(self, run: Run) -> None:
        """Raise ``ValueError`` if a run lacks something that the metric needs.

        Parameters
        ----------
        run : Run
            Evaluation run.

        Raises
        ------
        ValueError
            If something is missing.
        """
        missing = self.missing(run)
        if not missing:
            if "explainer" in self.info.needs and run.explainer_obstacle is not None:
                raise ValueError(f"{self.name}: {run.explainer_obstacle}")
            return
        message = f"{self.name}: needs {', '.join(missing)}"
        alone = [repr(name) for name, _, explainer in run.explainers if explainer is None]
        if "explainer" in missing and alone:
            message += (
                f"; it explains other inputs too, and of {', '.join(alone)} there are only maps: give the explainer that "
                "makes them, or a pair (maps, explainer)"
            )
        raise ValueError(message)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, Metric):
            return NotImplemented
        same = [self.arrays.get(k) is other.arrays.get(k) for k in {*self.arrays, *other.arrays}]
        return repr(self) == repr(other) and all(same)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        parameters = [f"{name}={value!r}" for name, value in self.parameters.items()]
        parameters += [f"{name}=..." for name in sorted(self.arrays)]
        return f"{type(self).__name__}({', '.join(parameters)})"


def evaluate_signature(info: MetricInfo) -> inspect.Signature:
    """Return the signature of ``evaluate``: the needs of a metric, then keywords for optional
    inputs.

    Examples
    --------
    >>> from xai_metrics import find
    >>> print(evaluate_signature(find("relevance_mass_accuracy")))
    (self, explanations, masks=None, *, inputs=None, mosaic=None, layout=None, n_jobs=None)
    """
    names = {parameter.name for parameter in info.parameters}
    keywords: dict[str, Any] = {"inputs": None}
    if "masks" in info.needs:
        keywords["mosaic"] = None
    if "features" in names or "ordered_features" in names or "perturbation" in names:
        keywords["segments"] = None
    if "model" in info.needs or "explainer" in info.needs:
        keywords |= {"model": None, **vars(Scoring())}
    keywords |= {"layout": None, "n_jobs": None}
    needed, keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    arguments = [inspect.Parameter("self", needed)]
    for need in info.needs:
        name = need.replace(" ", "_")
        keywords.pop(name, None)
        # Instead of masks there may be a mosaic; the segments of a masked model are its features.
        default = None if name in ("masks", "segments") else inspect.Parameter.empty
        arguments.append(inspect.Parameter(name, needed, default=default))
    arguments += [inspect.Parameter(k, keyword, default=v) for k, v in keywords.items()]
    return inspect.Signature(arguments)


def _numbered(key: Callable[[Any], Any]) -> Callable[[Any], list[int]]:
    """Convert a function that returns keys to one that returns numbers, equal for equal keys."""
    numbers: dict[Any, int] = {}

    def number(attributions: Any) -> list[int]:
        found = key(attributions)
        if not isinstance(found, (str, bytes, int, float, tuple)):
            found = tuple(to_numpy(found, "discretizer").ravel().tolist())
        return [numbers.setdefault(found, len(numbers))]

    return number


def _is_array_or_function(name: str, value: Any) -> bool:
    """Return whether a parameter is a function, an array of whole inputs, or named values, rather
    than a number per channel.
    """
    if is_explainer(value) or isinstance(value, Background):
        return True
    if isinstance(value, str) or not hasattr(value, "__len__"):
        return False
    return column_names(value) is not None or to_numpy(value, name).ndim > 1

"""What makes a metric: its options, and how it is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from .. import _native
from .._arrays import to_numpy
from ._data import Run, Sides
from ._models import is_explainer
from ._registry import MetricInfo, metric_info
from ._value import Curve, MetricValue

if TYPE_CHECKING:
    import numpy.typing as npt

#: What ``None`` stands for in the options that take it.
_NONE = {"steps": "all", "grid": "none"}
#: Words of options that are numbers or lists otherwise are text; arrays are not.
_ARRAYS = ("baseline", "draws", "distance")


class Metric:
    """A metric with its options.

    Those of the registry are in :mod:`xai_metrics.attribution.metrics`. Two metrics with equal
    options are equal.

    >>> from xai_metrics.attribution.metrics import Deletion
    >>> Deletion(steps=20)
    Deletion(steps=20)
    >>> Deletion(steps=20) == Deletion(steps=20), Deletion().info.direction
    (True, 'lower')
    """

    #: The name in tables.
    name: ClassVar[str]

    def __init__(self, **options: Any) -> None:
        known = {option.argument: option for option in self.info.options}
        #: Options that are not at their defaults.
        self.options: dict[str, Any] = {}
        #: Options that are arrays or functions, which no text can be.
        self.arrays: dict[str, Any] = {}
        for name, value in options.items():
            if name == "draws":
                if value is not None:
                    self.arrays[name] = value
            elif name not in known:
                raise TypeError(f"{type(self).__name__} has no option {name!r}")
            elif name in _ARRAYS and (is_explainer(value) or _is_array(value)):
                self.arrays[name] = value
            elif value is None and name not in _NONE:
                continue
            elif not _is_default(option_text(name, value), known[name].default):
                self.options[name] = value
        _native.attribution_check_metric(self.name, list(self.texts()))

    @property
    def info(self) -> MetricInfo:
        """Name, question, direction, range, needs, source and options."""
        return metric_info(self.name)

    def texts(self) -> list[tuple[str, str]]:
        """The options as text, as a command line has them.

        >>> from xai_metrics.attribution.metrics import Deletion
        >>> Deletion(steps=None, baseline=[0.5, 0.4, 0.4]).texts()
        [('steps', 'all'), ('baseline', '0.5,0.4,0.4')]
        """
        return [(n.replace("_", "-"), option_text(n, value)) for n, value in self.options.items()]

    def with_seed(self, seed: int) -> Metric:
        """The metric with another seed, where it draws something and none was given.

        >>> from xai_metrics.attribution.metrics import MuFidelity
        >>> MuFidelity().with_seed(3)
        MuFidelity(seed=3)
        """
        takes_seed = any(option.name == "seed" for option in self.info.options)
        if not takes_seed or "seed" in self.options or seed == 1:
            return self
        return type(self)(**{**self.options, **self.arrays, "seed": seed})

    def _measure(self, run: dict[str, Any]) -> MetricValue:
        """The value of one explainer, from the arguments of ``evaluate``."""
        run = {name: value for name, value in run.items() if name not in ("self", "__class__")}
        n_jobs = run.pop("n_jobs", None)
        sides = {name: run.pop(name, None) for name in Sides.__dataclass_fields__}
        maps, explainer = run.pop("explanations", None), run.pop("explainer", None)
        if maps is not None and is_explainer(maps):
            maps, explainer = None, maps
        asked = Run(**run, sides=Sides(**sides), metrics=[(self.name, self)])
        if maps is not None or explainer is not None:
            asked.explainers = [("explainer", maps, explainer)]
        missing = self.missing(asked)
        if missing:
            raise ValueError(f"{self.name}: needs {', '.join(missing)}")
        (value,) = _native.attribution_measure(asked.request(), n_jobs)
        return MetricValue(
            metric=self.name,
            direction=self.info.direction,
            value=value["value"],
            per_sample=value["per_sample"],
            n_undefined=value["n_undefined"],
            curve=None if value["curve"] is None else Curve(*value["curve"]),
        )

    def missing(self, run: Run) -> list[str]:
        """What it needs and a run has not."""
        given = run.sides.given()
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

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, Metric):
            return NotImplemented
        same = [self.arrays.get(k) is other.arrays.get(k) for k in {*self.arrays, *other.arrays}]
        return self.texts() == other.texts() and all(same)

    def __hash__(self) -> int:
        return hash((self.name, *self.texts()))

    def __repr__(self) -> str:
        options = [f"{name}={value!r}" for name, value in self.options.items()]
        options += [f"{name}=..." for name in self.arrays]
        return f"{type(self).__name__}({', '.join(options)})"


def option_text(name: str, value: Any) -> str:
    """The text of an option.

    >>> option_text("strict", True), option_text("shifts", (1, 2)), option_text("steps", None)
    ('true', '1,2', 'all')
    """
    if value is None:
        return _NONE[name]
    if hasattr(value, "tolist"):
        return option_text(name, value.tolist())
    if name == "steps" and value == -1:
        return "all"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, range)):
        return ",".join(option_text(name, item) for item in value)
    return repr(value)


def _is_default(text: str, default: str) -> bool:
    """Whether it is the default, however the number is written."""
    try:
        return float(text) == float(default)
    except ValueError:
        return text == default


def _is_array(value: Any) -> bool:
    """Whether a baseline is a whole input, and not a number per channel."""
    if isinstance(value, (str, int, float)) or value is None:
        return False
    array: npt.NDArray[Any] = to_numpy(value, "baseline")
    return array.ndim > 1


Distance = Callable[[Any, Any], float]

"""Base class of the metrics."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from xai_metrics._arguments import threads
from xai_metrics._described import MetricInfo, wrapped
from xai_metrics._registry import metric_of, metrics_of

from ._attributes import attributes
from ._metric_call import MetricCall, Call
from ._switch import compat, warn_once
from ._table import DEFINITIONS, SHARED, Definition, unit_area

if TYPE_CHECKING:
    from ._enums import DataType, EvaluationCategory, ModelType, ScoreDirection


class Metric:
    """Metric of Quantus, callable for any number of batches.

    Attributes
    ----------
    name : str
        Name in Quantus.
    score_direction : ScoreDirection
        Better end of the scale. That of RegionPerturbation and Consistency is higher; Quantus names
        the other end.
    evaluation_category : EvaluationCategory
        What the metric measures.
    data_applicability, model_applicability : set
        Kinds of inputs, and of models that Quantus takes.
    evaluation_scores
        Scores of the last call.
    all_evaluation_scores : list
        Scores of all calls.

    Parameters
    ----------
    abs, normalise, normalise_func, normalise_func_kwargs
        Whether to take absolute values of maps, after scaling them. The scale is the largest
        magnitude of all maps unless a function, or its name, is given.
    return_aggregate, aggregate_func
        Whether a call returns one number, and its function: the mean of all defined scores by
        default.
    default_plot_func
        Default function of :meth:`plot`.
    disable_warnings
        Without effect: there are no such warnings. That of a number that differs from Quantus is silenced by
        ``warnings.filterwarnings("ignore", category=QuantusDifferenceWarning)``.
    display_progressbar
        Whether to show a bar where tqdm is installed.
    seed : int
        Seed of random choices.
    compat : bool, optional
        Whether to return the value of Quantus where the default differs; each class documents why.
        By default as switched by :class:`compat`.
    n_jobs : int or None
        Number of threads; ``None`` for one per core.
    """

    _definition: ClassVar[Definition]
    #: Name of the underlying registered metric.
    _measures: ClassVar[str]
    name: ClassVar[str]
    data_applicability: ClassVar[set[DataType]]
    model_applicability: ClassVar[set[ModelType]]
    score_direction: ClassVar[ScoreDirection]
    evaluation_category: ClassVar[EvaluationCategory]

    def __init__(self, *, compat: bool | None = None, n_jobs: int | None = None, **options: Any) -> None:
        known = {**SHARED, **self._definition.options}
        unknown = next((name for name in options if name not in known), None)
        if unknown is not None:
            names = ", ".join(known)
            raise TypeError(f"{type(self).__name__} has no option {unknown!r}; it has {names}")
        self._compat = compat
        self.n_jobs: int | None = threads(n_jobs)
        self._options = {**known, **options}
        self._areas: list[float] = []
        self.evaluation_scores: Any = []
        self.all_evaluation_scores: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        # An option is an attribute, as in Quantus.
        options = self.__dict__.get("_options", {})
        if name in options:
            return options[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def compat(self) -> bool:
        """Whether calls return the value of Quantus."""
        return compat.is_on if self._compat is None else self._compat

    @property
    def get_params(self) -> dict[str, Any]:
        """Options by name."""
        return dict(self._options)

    @property
    def info(self) -> MetricInfo:
        """Description of the underlying metric of :mod:`xai_metrics.attribution`."""
        return metric_of("attribution", self._measures)

    def __call__(
        self,
        model: Any,
        x_batch: Any,
        y_batch: Any,
        a_batch: Any = None,
        s_batch: Any = None,
        channel_first: bool | None = None,
        explain_func: Callable[..., Any] | None = None,
        explain_func_kwargs: dict[str, Any] | None = None,
        model_predict_kwargs: dict[str, Any] | None = None,
        softmax: bool | None = None,
        device: Any = None,
        batch_size: int | None = 64,
        custom_batch: Any = None,
    ) -> Any:
        """Compute the scores of maps.

        Parameters
        ----------
        model
            See :func:`xai_metrics.attribution.evaluate`. ``None`` where only maps are read.
        x_batch : array-like
            Inputs ``(n, …)``.
        y_batch : array-like
            The classes that are explained, ``(n,)``.
        a_batch : array-like, optional
            Maps, with or without channels; by default computed by ``explain_func``.
        s_batch : array-like, optional
            Masks of the object, ``(n, 1, height, width)``.
        channel_first : bool, optional
            Whether channels come before positions; else read from the shapes.
        explain_func : callable, optional
            ``explain_func(model=…, inputs=…, targets=…, **explain_func_kwargs) -> maps``, with
            arrays of NumPy.
        model_predict_kwargs : dict, optional
            Not supported: make them part of the model.
        softmax : bool, optional
            Whether scores are probabilities.
        device : optional
            Device of the tensors, also passed to ``explain_func``.
        batch_size : int
            Largest number of rows per model call.
        custom_batch : array-like, optional
            Of Focus the quadrants of the class, four booleans per sample; of IROF the segments.
        """
        if model_predict_kwargs:
            raise ValueError(
                "model_predict_kwargs: not passed on; give a function that passes them, such as "
                "`lambda batch: model(batch, …)`"
            )
        call = Call(
            model,
            x_batch,
            y_batch,
            a_batch,
            s_batch,
            channel_first,
            explain_func,
            explain_func_kwargs,
            self._definition.softmax if softmax is None else softmax,
            device,
            batch_size,
            custom_batch,
        )
        options = SimpleNamespace(**self._options)
        asked = MetricCall(self._measures, options, self.compat, call, self.n_jobs)
        scores = self._definition.scores(asked)
        self._areas = asked.areas
        if not asked.compat and self._definition.differs_when(asked, scores):
            self._warn()
        if self._options["return_aggregate"]:
            scores = [self._aggregate(scores)]
        self.evaluation_scores = scores
        if isinstance(scores, dict):
            self.all_evaluation_scores.append(scores)
        else:
            self.all_evaluation_scores.extend(scores)
        return scores

    def _warn(self) -> None:
        warn_once(type(self).__name__, self._definition.differs)

    def _aggregate(self, scores: Any) -> Any:
        function = self._options["aggregate_func"]
        if function is not None or self.compat:
            return (function or np.mean)(scores)
        values = np.asarray(list(scores.values()) if isinstance(scores, dict) else scores, float)
        defined = values[~np.isnan(values)]
        return float(defined.mean()) if defined.size else float("nan")

    @property
    def get_auc_score(self) -> Any:
        """Mean area under the curves of the last call."""
        if not self._areas:
            raise AttributeError(f"{type(self).__name__!r} object has no curves; call it first")
        if self.compat:
            return np.mean([unit_area(np.asarray(item)) for item in self.evaluation_scores])
        self._warn()
        return np.mean(self._areas)

    @property
    def get_aoc_score(self) -> Any:
        """Mean of the scores of the last call."""
        return np.mean(self.evaluation_scores)

    def interpret_scores(self) -> None:
        """Print the documentation of the metric."""
        print(inspect.getdoc(type(self)))

    def plot(
        self,
        plot_func: Callable[..., Any] | None = None,
        show: bool = True,
        path_to_save: str | None = None,
        *arguments: Any,
        **named: Any,
    ) -> None:
        """Call a plot function, and show or save the matplotlib figure.

        Parameters
        ----------
        plot_func : callable, optional
            Function to call; ``default_plot_func`` by default.
        show : bool
            Whether to show the figure.
        path_to_save : str, optional
            File to save the figure to.
        *arguments, **named
            Arguments of the function.

        Raises
        ------
        ValueError
            If there is no function.
        """
        draw = self._options["default_plot_func"] if plot_func is None else plot_func
        if draw is None:
            raise ValueError("plot_func: expected a function that draws")
        draw(*arguments, **named)
        from matplotlib import pyplot

        if path_to_save:
            pyplot.savefig(path_to_save, dpi=400)
        if show:
            pyplot.show()

    def __repr__(self) -> str:
        defaults = {**SHARED, **self._definition.options}
        given = {k: v for k, v in self._options.items() if v is not defaults[k]}
        given |= {} if self._compat is None else {"compat": self._compat}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in given.items())})"


_OPTIONS = (
    "Options have the same names, defaults and meaning as in Quantus; :class:`Metric` documents "
    "those shared by all metrics."
)


#: Underlying metrics by the name of a class: the first of those that have it.
_INFOS = {peer: info for info in reversed(metrics_of("attribution")) for peer in info.elsewhere}


def metric_class(name: str, definition: Definition) -> type[Metric]:
    """Create the class of a metric."""
    info = _INFOS[f"quantus.{definition.like or name}"]
    ours = "".join(word.capitalize() for word in info.name.split("_"))
    if info.has_call_of_its_own:
        ours = f"func:`~xai_metrics.attribution.{info.name}`"
    else:
        ours = f"class:`~xai_metrics.attribution.metrics.{ours}`"
    described = attributes(definition.like or name, info)
    lines = [
        *wrapped(f"{name} of Quantus, measured by :{ours}: {info.summary}.", 0),
        "",
        f"Better: {described['score_direction'].value}.",
        "",
        *wrapped(definition.differs, 0),
        "",
        *wrapped(_OPTIONS, 0),
        "",
        "References",
        "----------",
        *wrapped(f"{info.source}.", 0),
        "",
    ]
    keyword = inspect.Parameter.KEYWORD_ONLY
    defaults = {**SHARED, **definition.options, "compat": None, "n_jobs": None}
    parameters = [inspect.Parameter(value, keyword, default=d) for value, d in defaults.items()]
    members = {
        "__doc__": "\n".join(lines),
        "__module__": "xai_metrics.compat.quantus",
        "__signature__": inspect.Signature(parameters),
        "_definition": definition,
        "_measures": info.name,
        **described,
    }
    return type(name, (Metric,), members)


CLASSES = {name: metric_class(name, definition) for name, definition in DEFINITIONS.items()}

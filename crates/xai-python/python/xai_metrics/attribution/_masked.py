"""Models of any modality that are called with the set of kept features."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from .. import _native
from .._alignment import Alignment
from .._arguments import seed_of, whole_or_none
from .._arrays import booleans_or_shares, column_names, integers, reals
from ._data import MetricInterface, Run, targets_of
from ._keywords import Scoring
from ._layout import activation_of
from ._models import check_classes, rows_of
from ._pipelines import targets_of_labels

if TYPE_CHECKING:
    import numpy.typing as npt

    from .._described import MetricInfo

#: Needs of metrics that a masked model satisfies; its features are the segments.
GIVEN = {"model", "inputs", "targets", "explanations", "segments"}
#: Fields of :class:`Scoring` that a masked model supports.
_SCORING = ("activation", "batch_size", "allow_batch_dependence", "explained_class")


class MaskedModel:
    """Model of any modality, called with a mask of the features to keep.

    The function decides what a feature is and how it is removed: tokens of a text that are
    deleted or replaced by a mask token, silenced stretches of a recording, imputed columns of a
    table, sources of an answer, edges of a graph. Samples may have different numbers of
    features. Pass it to :func:`evaluate` or to a metric in place of a model, with ``None`` for
    the inputs and one array of attributions per sample as maps, or a reference explainer:
    ``"random"``, ``"constant"`` or ``"occlusion"``. Masks are one array per sample, too.

    Parameters
    ----------
    function : callable
        Called with sample indices ``(rows,)`` and a boolean array ``(rows, features)`` of the
        features to keep; returns ``(rows,)`` or ``(rows, n_outputs)``. All samples of a call have
        the same number of features.
    n_features : sequence of int, optional
        Number of features of each sample; by default that of the maps.
    cache : bool or path-like
        Whether to cache answers, so that no row is evaluated twice. A path also stores them in a
        file, one line of JSON per answer; a run that was stopped resumes from it. The file belongs
        to this model and these samples, unless ``names`` identifies them.
    max_calls : int, optional
        Largest number of rows that the function may be called with in total, for services that
        charge per call. It is never exceeded: without a cache, a run that plans more rows fails
        before the first call, and a run that cannot be planned fails before the call that would
        exceed the limit; with a cache, cached rows do not count. The plan includes the one extra
        row that checks whether outputs depend on the batch, unless ``allow_batch_dependence=True``.
    names : sequence of str, optional
        Cache key of each sample, for example a digest of its content and of the model. By default
        samples are cached by index.
    labels : sequence, optional
        Label of each output, for targets that are words.

    Raises
    ------
    TypeError
        If ``function`` is no function or ``names`` is one text.
    ValueError
        For a damaged cache file. In a run also for another number of names than of samples, and for a
        run that would exceed ``max_calls``.

    Examples
    --------
    Two texts; the score is the sum of the weights of the tokens that are kept:

    >>> import numpy as np
    >>> weights = [np.array([4.0, 0.0, 1.0]), np.array([1.0, 2.0])]
    >>> def score(samples, kept):
    ...     return [(weights[i] * row).sum() for i, row in zip(samples, kept)]
    >>> model = MaskedModel(score)
    >>> from xai_metrics.attribution import Deletion, evaluate, planned_calls
    >>> Deletion().evaluate(model, None, None, weights).per_sample.round(4).tolist()
    [1.1667, 1.25]
    >>> maps = {"weights": weights, "negative": [-w for w in weights]}
    >>> evaluate(model, None, None, maps, ["deletion", "comprehensiveness"])["deletion"].ranking
    ['weights', 'negative']
    >>> planned_calls(model, maps, ["deletion"])
    10
    """

    def __init__(
        self,
        function: Callable[..., Any],
        n_features: Sequence[int] | None = None,
        *,
        cache: bool | str | os.PathLike[str] = False,
        max_calls: int | None = None,
        names: Sequence[str] | None = None,
        labels: Sequence[Any] | None = None,
    ) -> None:
        if not callable(function):
            expected = "a function of samples and kept features"
            raise TypeError(f"function: expected {expected}, got {type(function).__name__}")
        self.function = function
        self.n_features: npt.NDArray[np.int64] | None = None if n_features is None else integers(n_features, "n_features", 1)
        #: Samples whose pandas index orders targets, maps and masks.
        self._labelled: Any = None
        self.max_calls: int | None = whole_or_none("max_calls", max_calls, 0)
        self.labels: list[Any] | None = None if labels is None else list(labels)
        if isinstance(names, str):
            raise TypeError(f"names: expected one per sample, got the text {names!r}")
        self.names: list[str] | None = None if names is None else [str(name) for name in names]
        #: Number of rows that the function was called with.
        self.n_calls: int = 0
        path = None if isinstance(cache, bool) else Path(cache)
        self.cache: _Answers | None = _Answers(path, self.names) if cache else None

    @property
    def calls_left(self) -> int | None:
        """Number of rows that the function may still be called with; ``None`` without a limit."""
        return None if self.max_calls is None else max(0, self.max_calls - self.n_calls)

    def _outputs(self, samples: npt.NDArray[Any], kept: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if self.cache is None:
            return self._call_function(samples, kept)
        return self.cache.outputs(samples, kept, self._call_function)

    def _call_function(self, samples: npt.NDArray[Any], kept: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if self.calls_left is not None and len(samples) > self.calls_left:
            raise ValueError(
                f"max_calls: {self.n_calls} rows were evaluated, and {len(samples)} more would be above the limit of "
                f"{self.max_calls}"
            )
        answer = reals(self.function(samples, kept), "the answer of the masked model")
        self.n_calls += len(samples)
        return np.ascontiguousarray(rows_of(answer, len(samples)), dtype=np.float64)


#: Key of a cached answer: index or name of the sample, and the kept features.
_Key = tuple[Union[int, str], bytes]


class _Answers:
    """Cached answers of a model, in memory and optionally in a file."""

    def __init__(self, path: Path | None, names: list[str] | None) -> None:
        self.path = path
        #: Cache names of the samples; ``None`` to use their indices.
        self.names = names
        self.known: dict[_Key, list[float]] = {}
        #: Lines that are not written yet.
        self.unwritten: bytes = b""
        if path is None or not path.exists():
            return
        text = path.read_bytes()
        # A line that a stopped run has begun is no answer.
        whole = text[: text.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                entry = json.loads(line)
                kept = np.array([int(element) for element in entry["kept"]], dtype=bool)
                key = str(entry["of"]) if "of" in entry else int(entry["sample"]), kept.tobytes()
                self.known[key] = [float(item) for item in entry["outputs"]]
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"cache: line {number} of {path} is no answer of a model ({error}); give another file") from None
        if len(whole) < len(text):
            with path.open("r+b") as file:
                file.truncate(len(whole))

    def outputs(
        self, samples: npt.NDArray[Any], kept: npt.NDArray[Any], ask: Callable[..., npt.NDArray[Any]]
    ) -> npt.NDArray[Any]:
        keys = [self._key(sample, row) for sample, row in zip(samples, kept)]
        new = {key: row for row, key in enumerate(keys) if key not in self.known}
        if new:
            rows = list(new.values())
            answered = ask(samples[rows], kept[rows])
            if not np.isfinite(answered).all():
                wrong = rows[int(np.argmin(np.isfinite(answered).all(axis=1)))]
                # It would be wrong in every later run, too.
                raise ValueError(f"model: the answer about sample {samples[wrong]} is not a finite number, and is not remembered")
            answers = answered.tolist()
            # Cache in memory first, so that paid answers survive a failed write.
            self.known.update(zip(new, answers))
            if self.path is not None:
                lines = (self._line(samples[row], kept[row], outputs) for row, outputs in zip(rows, answers))
                self.unwritten += b"".join(lines)
                self._write(self.path)
        return np.array([self.known[key] for key in keys], dtype=np.float64)

    def _write(self, path: Path) -> None:
        """Append the pending lines to the file.

        If not all of them can be written, the file is restored and the lines stay pending.
        """
        with path.open("ab", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            try:
                left = memoryview(self.unwritten)
                while left:
                    left = left[file.write(left) or 0 :]
            except BaseException:
                file.truncate(size)
                raise
        self.unwritten = b""

    def _line(self, sample: Any, kept: npt.NDArray[Any], outputs: list[float]) -> bytes:
        of_row = "".join("1" if item else "0" for item in kept)
        entry = {"sample": int(sample), "kept": of_row, "outputs": outputs}
        if self.names is not None:
            entry["of"] = self.names[sample]
        return json.dumps(entry).encode() + b"\n"

    def _key(self, sample: Any, kept: npt.NDArray[Any]) -> _Key:
        return int(sample) if self.names is None else self.names[sample], kept.tobytes()


class MaskedRun:
    """Evaluation run of a masked model, or of maps of different sizes without a model."""

    def __init__(
        self,
        model: MaskedModel | None,
        targets: Any,
        explainers: Mapping[str, Any],
        scoring: Scoring = Scoring(),
        masks: Any = None,
    ) -> None:
        self.model = model
        alignment = Alignment()
        alignment.take(None if model is None else model._labelled, "texts", "samples")
        aligned = {name: alignment.take(maps, f"explainers[{name!r}]", "samples") for name, maps in explainers.items()}
        targets = alignment.take(targets, "targets", "samples")
        if model is not None and model.labels is not None:
            targets = targets_of_labels(targets, model.labels)
        given = {str(name): maps for name, maps in aligned.items()}
        #: Name and options of each reference explainer, by explainer.
        self.references = {name: _reference(value, name) for name, value in given.items() if _is_reference(value)}
        if model is None and self.has_occlusion:
            raise ValueError("model: needed by the reference explainer 'occlusion'")
        maps = {name: _flat(maps, f"explainers[{name!r}]") for name, maps in given.items() if name not in self.references}
        n_features = None if model is None else model.n_features
        of = "n_features" if n_features is not None else next(iter(maps), "")
        if n_features is None:
            if not maps:
                raise ValueError(
                    "n_features: the number of features of each sample is unknown without maps; give it to the MaskedModel"
                )
            n_features = maps[of][0]
        for name, (lengths, _) in maps.items():
            _check_lengths(f"explainers[{name!r}]", lengths, n_features, of)
        if model is not None and model.names is not None and len(model.names) != len(n_features):
            raise ValueError(f"names: expected {len(n_features)}, one per sample, got {len(model.names)}")
        self.n_features: list[int] = n_features.tolist()
        self.masks = None if masks is None else self._flat_masks(alignment.take(masks, "masks", "samples"), of)
        self.maps = {name: values for name, (_, values) in maps.items()}
        self.names = list(given)
        self.targets = None if targets is None else targets_of(targets, len(self.n_features))
        self.activation = activation_of(scoring.activation)
        self.scoring = {name: getattr(scoring, name) for name in _SCORING}
        self.scoring["activation"] = self.activation
        self.scoring["batch_size"] = whole_or_none("batch_size", scoring.batch_size, 1)
        if scoring.batch_size is None and len(n_features):
            shape = len(n_features), int(n_features.max())
            self.scoring["batch_size"] = _native.attribution_rows_per_call(shape, shape[1], is_structured=True)
        self.scoring["explained_class"] = whole_or_none("explained_class", scoring.explained_class, 0)
        self.metrics: Sequence[tuple[str, MetricInterface]] = ()
        self.curves = True
        self.progress: Any = None
        #: Values assumed for arguments that were not given.
        self.assumed: dict[str, str] = {}
        #: Outputs of unmasked samples, for predicting their classes and for the reference ``"occlusion"``.
        self.unmasked_outputs: dict[int, npt.NDArray[np.float64]] = {}

    @classmethod
    def from_run(cls, run: Run, explainers: Mapping[str, Any]) -> MaskedRun:
        """Create the run from a run with a masked model or without a model."""
        sides = {name: value for name, value in vars(run.sides).items() if name != "masks"}
        scoring = {name: value for name, value in vars(run.scoring).items() if name not in _SCORING}
        given = {"inputs": run.inputs, "first_sample": run.first_sample or None, **sides, **scoring}
        foreign = next((name for name, value in given.items() if value is not None and value is not False), None)
        if foreign is not None:
            where = "for maps of different sizes" if run.model is None else "for a masked model, which is called with sample indices"
            raise ValueError(f"{foreign}: expected None {where}")
        return cls(run.model, run.targets, explainers, run.scoring, run.sides.masks)

    def _flat_masks(self, masks: Any, of: str) -> npt.NDArray[np.float64]:
        """Return the masks of all samples one after another."""
        by_sample = _by_sample(masks, "masks", booleans_or_shares)
        rows = [booleans_or_shares(row, f"masks[{sample}]") for sample, row in enumerate(by_sample)]
        wrong = next((sample for sample, row in enumerate(rows) if row.ndim != 1), None)
        if wrong is not None:
            raise ValueError(f"masks[{wrong}]: expected one value per feature, got shape {rows[wrong].shape}")
        _check_lengths("masks", np.array([len(row) for row in rows]), np.array(self.n_features), of, "values")
        return np.concatenate(rows).astype(np.float64)

    @property
    def provided(self) -> set[str]:
        """Needs of metrics that the run satisfies."""
        return ({"explanations"} if self.model is None else GIVEN) | ({"masks"} if self.masks is not None else set())

    def check(self, metric: MetricInterface) -> None:
        """Raise ``ValueError`` for a metric that cannot be computed with a masked model."""
        if metric.functions["own"] is not None:
            raise ValueError(f"{metric.info.name}: expected inputs, which neither a masked model nor maps of different sizes have")
        reason = self.obstacle(metric.info)
        if reason is not None:
            raise ValueError(f"{metric.info.name}: {reason}")

    def obstacle(self, info: MetricInfo, metric: MetricInterface | None = None) -> str | None:
        """Return why a metric cannot be computed with a masked model, or with these maps if
        ``metric`` is given.
        """
        if info.has_call_of_its_own:
            return f"has a function of its own, {info.name}()"
        missing = [need for need in info.needs if need not in self.provided]
        if missing:
            is_known = self.model is None or set(missing) <= {"masks"}
            return f"needs {', '.join(missing)}" + ("" if is_known else ", which a masked model does not have")
        if metric is None:
            return None
        alone = copy.copy(self)
        alone.metrics = [(metric.info.name, metric)]
        try:
            alone.planned()
        except ValueError as error:
            return str(error)
        return None

    @property
    def has_occlusion(self) -> bool:
        """True if an explainer is the fall of the score without each feature."""
        return any(word == "occlusion" for word, _ in self.references.values())

    @property
    def predicts_classes(self) -> bool:
        """True if the targets are the classes of the unmasked samples, which the model predicts."""
        needs_targets = any("targets" in metric.info.needs for _, metric in self.metrics)
        return self.targets is None and (needs_targets or self.has_occlusion)

    def planned(self) -> int:
        """Return the number of rows that the model will be called with, without the one that checks
        whether outputs depend on the batch.
        """
        planned, n_unmasked = _native.attribution_masked_plan(self.request())
        if self.predicts_classes or self.has_occlusion:
            # Unmasked samples are evaluated once, whether or not a metric reads their scores.
            planned += len(self.n_features) - n_unmasked
        return int(planned) + (sum(self.n_features) if self.has_occlusion else 0)

    def _check_calls(self) -> None:
        """Raise ``ValueError`` if the run plans more rows than the model may be called with.

        Planning also validates the request, so other errors are raised here too.
        """
        planned = self.planned()
        left = None if self.model is None else self.model.calls_left
        if self.model is None or left is None or self.model.cache is not None:
            return
        alone = planned > 1 and not self.scoring["allow_batch_dependence"]
        if planned + alone > left:
            reason = ", and the one that shows whether answers depend on the batch" if alone else ""
            raise ValueError(
                f"max_calls = {left}: expected at least {planned + alone}: the {planned} that the metrics ask{reason}"
            )

    def values(self, n_jobs: int | None) -> Any:
        """Compute the values of all metrics."""
        self._check_calls()
        predicts_classes = self.predicts_classes
        if predicts_classes or self.has_occlusion:
            self._evaluate_unmasked()
        if predicts_classes:
            self.targets = self._classes()
        for name, (word, options) in self.references.items():
            self.maps[name] = self._reference_maps(word, options)
        return _native.attribution_masked_values(self.request(), n_jobs)

    def _reference_maps(self, word: str, options: Mapping[str, Any]) -> npt.NDArray[np.float64]:
        """Return the maps of a reference explainer, one after another."""
        if word == "constant":
            return np.ones(sum(self.n_features))
        if word == "random":
            streams = (np.random.default_rng([seed_of(options.get("seed", 1)), sample]) for sample in range(len(self.n_features)))
            return np.concatenate([stream.standard_normal(n) for stream, n in zip(streams, self.n_features)])
        drops: list[npt.NDArray[np.float64]] = [np.empty(n) for n in self.n_features]
        for samples, kept in self._blocks(lambda n: np.vstack([np.ones((1, n), dtype=bool), ~np.eye(n, dtype=bool)])):
            rows = np.repeat(samples, kept.shape[0] // len(samples))
            scores = self._scores(rows, kept).reshape(len(samples), -1)
            for sample, of_sample in zip(samples.tolist(), scores):
                drops[sample] = of_sample[0] - of_sample[1:]
        return np.concatenate(drops)

    def _blocks(
        self, rows_of: Callable[[int], npt.NDArray[np.bool_]]
    ) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]]:
        """Iterate over samples with the same number of features and the masks ``rows_of(n_features)``
        of each, as many as fit into one call of the model.
        """
        n_features = np.array(self.n_features)
        size = self.scoring["batch_size"]
        for features in np.unique(n_features).tolist():
            samples = np.flatnonzero(n_features == features)
            rows = rows_of(features)
            step = max(1, size // len(rows))
            for first in range(0, len(samples), step):
                part = samples[first : first + step]
                yield part, np.tile(rows, (len(part), 1))

    def _scores(self, samples: npt.NDArray[np.int64], kept: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """Return the score of the target for each row."""
        outputs = self._outputs(samples, kept)
        if self.activation != "none":
            outputs = _native.attribution_activated(outputs, self.activation)
        if self.targets is None:
            return np.asarray(outputs[:, 0])
        targets = self.targets[samples]
        if targets.ndim == 2:
            return np.asarray((outputs * targets).sum(axis=1))
        check_classes(targets, outputs.shape[1])
        return np.asarray(outputs[np.arange(len(outputs)), targets])

    def _evaluate_unmasked(self) -> None:
        """Compute the outputs of the unmasked samples, which metrics and explainers reuse."""
        for samples, kept in self._blocks(lambda n: np.ones((1, n), dtype=bool)):
            self.unmasked_outputs.update(zip(samples.tolist(), self._called(samples, kept)))

    def _classes(self) -> npt.NDArray[Any] | None:
        """Return the class of the largest output for each unmasked sample; ``None`` for models with
        one output.
        """
        outputs = [self.unmasked_outputs[sample] for sample in range(len(self.n_features))]
        if all(len(item) == 1 for item in outputs):
            return None
        self.assumed["targets"] = "the class of the largest output"
        return np.array([entry.argmax() for entry in outputs], dtype=np.int64)

    def _called(self, samples: npt.NDArray[Any], kept: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Call the model with at most ``batch_size`` rows at a time."""
        if self.model is None:
            raise ValueError("model: needed by the metrics")
        size = self.scoring["batch_size"]
        firsts = range(0, len(samples), size)
        return np.concatenate([self.model._outputs(samples[first : first + size], kept[first : first + size]) for first in firsts])

    def _outputs(self, samples: npt.NDArray[Any], kept: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the model outputs, reusing known outputs of unmasked samples."""
        known = [bool(row.all()) and int(sample) in self.unmasked_outputs for sample, row in zip(samples, kept)]
        if not any(known):
            return self._called(samples, kept)
        new = ~np.array(known)
        called = iter(self._called(samples[new], kept[new]) if new.any() else ())
        rows = [
            self.unmasked_outputs[int(sample)] if is_known else next(called) for sample, is_known in zip(samples, known)
        ]
        return np.array(rows, dtype=np.float64)

    def request(self) -> dict[str, Any]:
        """Return the arguments of the native evaluation."""
        subsets, metrics = None, []
        for name, metric in self.metrics:
            draws = metric.arrays.get("draws")
            if draws is not None:
                given = self._subsets(metric, draws)
                if subsets is not None and draws is not subsets[0]:
                    raise ValueError("draws: the metrics of one run share their subsets")
                subsets = draws, given
            metrics.append(
                {
                    "metric": metric.info.name,
                    "name": name,
                    "parameters": list(_without_baseline(metric).items()),
                    "draws_are_given": draws is not None,
                    **metric.functions,
                }
            )
        return {
            "model": self._outputs if self.unmasked_outputs else self._called,
            "n_features": self.n_features,
            "targets": self.targets,
            # Reference explainers are computed after planning, in which all maps count alike.
            "explainers": [(name, self.maps.get(name, np.arange(sum(self.n_features), dtype=np.float64))) for name in self.names],
            "metrics": metrics,
            "subsets": None if subsets is None else subsets[1],
            "masks": self.masks,
            "curves": self.curves,
            "progress": self.progress,
            **self.scoring,
        }

    def _subsets(self, metric: MetricInterface, draws: Any) -> list[npt.NDArray[Any]]:
        """Convert draws ``(draws, n, size)`` to the features that are removed together, by sample.
        """
        if metric.info.draws not in ("subsets", "neighbours"):
            raise ValueError(f"draws: {metric.info.name} takes none with a masked model")
        n = len(self.n_features)
        by_sample: list[list[npt.NDArray[np.int64]]] = [[] for _ in range(n)]
        #: Name of the first subset and its size, by number of features.
        sizes: dict[int, tuple[str, int]] = {}
        for draw, of_draw in enumerate(draws):
            if len(of_draw) != n:
                raise ValueError(
                    f"draws[{draw}]: expected the features of each of {n} samples, as draws are (draws, n, size), got {len(of_draw)}"
                    + ("; swap the first two axes of draws" if len(draws) == n else "")
                )
            for sample, (value, features) in enumerate(zip(of_draw, self.n_features)):
                name = f"draws[{draw}][{sample}]"
                subset = integers(value, name, 1)
                if subset.size and not 0 <= subset.min() <= subset.max() < features:
                    raise ValueError(f"{name}: expected features of 0 to {features - 1}, got {subset.min()} to {subset.max()}")
                other, size = sizes.setdefault(features, (name, len(subset)))
                if size != len(subset):
                    raise ValueError(f"{name}: expected {size} features, as {other}, a sample of as many features, got {len(subset)}")
                by_sample[sample].append(subset)
        return [np.array(item, dtype=np.int64) for item in by_sample]


def _without_baseline(metric: MetricInterface) -> dict[str, Any]:
    """Return the parameters of a metric with baseline 0, because removed features are absent rather
    than replaced.
    """
    parameters = dict(metric.parameters)
    if "baseline" in metric.arrays:
        raise ValueError(f"{metric.info.name}: baseline: a masked model removes features itself and has no baseline")
    default = next((item.default for item in metric.info.parameters if item.name == "baseline"), 0)
    if default != 0:
        parameters.setdefault("baseline", 0)
    return parameters


#: Options of the reference explainers of masked models.
_REFERENCES: dict[str, tuple[str, ...]] = {"random": ("seed",), "constant": (), "occlusion": ()}


def _is_reference(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, tuple) and bool(value) and isinstance(value[0], str))


def _reference(value: Any, name: str) -> tuple[str, Mapping[str, Any]]:
    """Return the name and the options of a reference explainer."""
    if isinstance(value, tuple) and not (len(value) == 2 and isinstance(value[1], Mapping)):
        raise TypeError(
            f"explainers[{name!r}]: expected a reference explainer with its options, such as ('random', {{'seed': 2}}), got "
            f"{value!r}"
        )
    word, options = value if isinstance(value, tuple) else (value, {})
    if word not in _REFERENCES:
        raise ValueError(
            f"explainers[{name!r}]: expected maps, one array of attributions per sample, or one of the reference explainers of a "
            f"masked model, {', '.join(map(repr, _REFERENCES))}; got {word!r}"
        )
    unknown = next((option for option in options if option not in _REFERENCES[word]), None)
    if unknown is not None:
        raise TypeError(f"{word}: has no option {unknown!r}; it has {', '.join(_REFERENCES[word]) or 'none'}")
    return word, options


def _flat(maps: Any, name: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the number of attributions of each sample, and all attributions concatenated."""
    if callable(maps):
        raise TypeError(f"{name}: expected maps, one array of attributions per sample, got {maps!r}")
    rows = [reals(row, f"{name}[{sample}]", 1) for sample, row in enumerate(_by_sample(maps, name, reals))]
    if not rows:
        raise ValueError(f"{name}: empty")
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    return lengths, np.concatenate(rows).astype(np.float64)


def _by_sample(values: Any, name: str, convert: Callable[[Any, str], Any]) -> Any:
    """Return values that can be iterated over by sample; a table would be iterated over by its columns."""
    is_table = column_names(values) is not None and getattr(values, "ndim", 2) == 2
    return convert(values, name) if is_table else values


def _check_lengths(
    name: str, lengths: npt.NDArray[Any], expected: npt.NDArray[Any], of: str, what: str = "attributions"
) -> None:
    """Raise ``ValueError`` for values that are not one per feature of each sample."""
    if len(lengths) != len(expected):
        kind = "maps" if what == "attributions" else "one"
        raise ValueError(f"{name}: expected {kind} of {len(expected)} samples, as {of}, got {len(lengths)}")
    if (lengths != expected).any():
        wrong = int(np.argmax(lengths != expected))
        raise ValueError(f"{name}[{wrong}]: expected {expected[wrong]} {what}, as {of}, got {lengths[wrong]}")

"""Evaluation of data that does not fit into memory: one pass, batch by batch."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from .._arguments import number, seed_of, threads, whole, whole_or_none
from .._arrays import column_names, reals, to_numpy
from .._files import write_whole
from .._progress import bar
from .._sources import cut, fields_of, size_of, source_of
from ._baselines import Background
from ._data import Run, explained
from ._evaluate import values_of
from ._functions import base_scores
from ._keywords import Scoring, SideInputs, StreamKeywords, split, with_keywords
from ._metric import Metric
from ._models import is_explainer
from ._own import OwnMetric
from ._pipelines import is_text_pipeline
from ._selection import has_word, select
from ._table import EvaluationTable, EvaluationValues

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._own import Metrics

#: Format name in the first line of a checkpoint.
_FORMAT = "xai-metrics checkpoint 1"


@with_keywords(StreamKeywords)
def evaluate_stream(
    model: Any,
    data: Any,
    explainers: Mapping[str, Any],
    metrics: Metrics = "standard",
    *,
    inputs: Any = None,
    targets: Any = None,
    baseline: Any = None,
    checkpoint: Any = None,
    checkpoint_seconds: float = 60.0,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 1,
    n_jobs: int | None = None,
    progress: bool = False,
    **keywords: Unpack[StreamKeywords],
) -> EvaluationTable:
    """Evaluate metrics in one pass over batches, for data that does not fit into memory.

    The streaming version of :func:`evaluate`. Memory is needed for one batch, and for one number
    per sample, explainer and metric. The values are bit-for-bit those of one call on the whole
    data set, provided that the model output for a row does not depend on the batch. Masks,
    mosaics, segments and maps can be given as names or indices of batch fields, as arrays for
    all samples, or as one value for all samples. Data without batches of its own is read in
    batches of ``batch_size`` rows.

    Parameters
    ----------
    model, explainers, metrics
        See :func:`evaluate`. Maps that exist are arrays of all samples, memory-mapped ones for
        instance, or a list of names: ``["shap_values"]``, a field of the batches, or several columns;
        ``[2]``, a field by its place.
    data : iterable, data set, file, table or arrays
        - batches: a ``DataLoader`` of torch, a generator, a ``RecordBatchReader`` or a
          ``TextFileReader`` of pandas;
        - a ``Dataset`` of torch or of Hugging Face;
        - ``pyarrow.dataset.Dataset``, ``pyarrow.parquet.ParquetFile``, lazy tables of polars;
        - an array, or a tuple or a mapping of arrays of one length: ``numpy.memmap``, HDF5.

        A batch is an array or tensor of inputs, a tuple or list of fields ``(inputs, targets, …)``, a
        mapping of them by name, or a table of pandas, polars or pyarrow.
    inputs, targets : int, str or list of them, optional
        Which field of a batch they are; a list of names of columns, or of several inputs. By default
        the first field and the second one, or the keys ``inputs`` and ``targets``; of tables,
        ``inputs`` are the columns that nothing else is named by, and targets must be named. Without
        targets, the class of the largest output.
    baseline : optional
        See :func:`evaluate`.
    checkpoint : path, optional
        A file that the values are written to from time to time and when the call is stopped. The same call with the
        same file goes on where it was stopped; give it the data from the beginning. The file is written
        whole or left as it was, and a file of another run is refused.
    checkpoint_seconds : float
        The time between two writings.
    {keywords}
    level, replicates, seed, n_jobs, progress
        See :func:`evaluate`.

    Returns
    -------
    EvaluationTable
        Without curves, which are means over all samples. ``values`` join those of other parts.

    Raises
    ------
    ValueError
        See :func:`evaluate`; for metrics that relate all samples to each other, and settings that
        do: the mean of the data set as a baseline, steps over segments that differ between samples, columns of words
        and dates, which are numbered by the values of all samples, and of numbers that are missing. For a
        checkpoint of another run, for data that is shuffled where there is a checkpoint or an array of all
        samples, for such an array that has more rows or fewer than the data, for fields that a batch has not.
    TypeError
        For data that has no batches.
    Exception
        Whatever data, model or explainers raise, unchanged.

    Examples
    --------
    >>> import numpy as np
    >>> from xai_metrics.attribution import evaluate, evaluate_stream
    >>> weights = np.array([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> def model(x):
    ...     return (x[:, :, None] * weights).sum(axis=1)
    >>> def batches():
    ...     for seed in range(4): # files, for instance
    ...         x = np.random.default_rng(seed).random((10, 3))
    ...         yield x, np.zeros(10, dtype=int)
    >>> terms = {"terms": lambda x, y: x * weights[:, 0]}
    >>> table = evaluate_stream(model, batches(), terms, ["mu_fidelity", "deletion"])
    >>> x, y = (np.concatenate(of) for of in zip(*batches()))
    >>> whole = evaluate(model, x, y, terms, ["mu_fidelity", "deletion"])
    >>> table.n_samples, table["deletion"]["terms"].value == whole["deletion"]["terms"].value
    (40, True)

    With torch: ``evaluate_stream(cnn, DataLoader(dataset, batch_size=64), explainers)``. With Hugging Face:
    ``evaluate_stream(model, dataset, explainers, inputs="image", targets="label")``. With memory-mapped arrays:
    ``evaluate_stream(model, (np.load("x.npy", mmap_mode="r"), np.load("y.npy")), {"mine": np.load("maps.npy",
    mmap_mode="r")})``. With Parquet: ``evaluate_stream(estimator, pyarrow.dataset.dataset("folder"), {"shap":
    ["shap_age", "shap_income"]}, inputs=["age", "income"], targets="label")``.
    """
    level, replicates = number("level", level), whole("replicates", replicates, 0)
    sides, scoring, _ = split(keywords)
    stream = _Stream(model, data, explainers, metrics, {"inputs": inputs, "targets": targets}, sides, scoring)
    stream.baseline = baseline
    stream.seed, stream.n_jobs, stream.progress = seed_of(seed), threads(n_jobs), progress
    if checkpoint is not None:
        stream.write_to(Path(checkpoint), number("checkpoint_seconds", checkpoint_seconds))
    return stream.run().table(level=level, replicates=replicates, seed=seed, n_jobs=n_jobs)


class _Stream:
    """State of a streaming evaluation."""

    def __init__(
        self,
        model: Any,
        data: Any,
        explainers: Mapping[str, Any],
        metrics: Any,
        names: dict[str, Any],
        sides: SideInputs,
        scoring: Scoring,
    ) -> None:
        if not isinstance(explainers, Mapping):
            kind = type(explainers).__name__
            raise TypeError(f"explainers: expected a mapping by name, got {kind}")
        if is_text_pipeline(model):
            raise TypeError("model: a pipeline is evaluated by evaluate, which takes all texts at once")
        self.model, self.metrics, self.scoring = model, metrics, scoring
        self.baseline: Any = None
        self.seed, self.n_jobs, self.progress = 1, threads(None), False
        #: Metrics by name, and reasons for skipped ones; known after the first batch.
        self.selected: list[tuple[str, Metric]] = []
        self.skipped: dict[str, str] = {}
        #: Batch fields of arguments, arrays for all samples, and values shared by all samples.
        self.names = names
        self.arrays: dict[str, Any] = {}
        self.shared: dict[str, Any] = {}
        for side, value in vars(sides).items():
            self._sort(side, value)
        #: Explainers that compute maps; ``None`` for given maps.
        self.explainers: dict[str, Any] = {}
        for name, value in explainers.items():
            called = f"explainers[{str(name)!r}]"
            maps, self.explainers[str(name)] = explained(value, called)
            self._sort(called, maps)
        batch_size = whole_or_none("batch_size", scoring.batch_size, 1)
        self.source = source_of(data, batch_size, self._default_batch_size)
        if self.source.is_shuffled and self.arrays:
            raise ValueError(
                f"{next(iter(self.arrays))}: an array of all samples has their order, and the data is shuffled; make the "
                "DataLoader with shuffle=False, or put the rows of the array into the batches and name their field"
            )
        self.checkpoint: _Checkpoint | None = None

    def write_to(self, path: Path, seconds: float) -> None:
        """Save the values to a checkpoint file regularly, and resume from that file if it exists.
        """
        if self.source.is_shuffled:
            raise ValueError(
                "checkpoint: the data is shuffled, so that a stopped run cannot go on; make the DataLoader with "
                "shuffle=False"
            )
        self.checkpoint = _Checkpoint(path, seconds)

    def _default_batch_size(self, first: Any) -> int:
        """Return the number of rows that the model is called with, for a batch of the first row."""
        inputs = fields_of(first, self.names)["inputs"]
        return Run(model=self.model, inputs=inputs, scoring=self.scoring).rows_per_call

    def _sort(self, what: str, value: Any) -> None:
        names = value if isinstance(value, list) else [value]
        if len(names) == 1 and isinstance(names[0], int):
            self.names[what] = names[0]
        elif names and all(isinstance(name, str) for name in names):
            self.names[what] = value
        elif value is None or is_explainer(value) or size_of(value) == 1:
            self.shared[what] = value
        elif what == "segments" and np.ndim(value) == 2:
            self.shared[what] = value
        else:
            self.arrays[what] = value

    def run(self) -> EvaluationValues:
        """Read all batches and return the values of all samples."""
        done = _Done() if self.checkpoint is None else self.checkpoint.read()
        n_stored = n_done = done.n_samples
        end = 0
        with bar(self.source.n_samples, "sample", self.progress) as shown:
            shown.update(n_done)
            try:
                for start_sample, fields in self._batches(n_done):
                    end = start_sample + size_of(fields["inputs"])
                    if start_sample == 0:
                        self._begin(fields)
                    if self.checkpoint is not None:
                        self.checkpoint.compare(start_sample, fields)
                    left_out = max(n_done - start_sample, 0)
                    if start_sample + left_out >= end:
                        continue
                    run = self._run(start_sample + left_out, _cut(fields, left_out))
                    run.metrics = list(self.selected)
                    part = values_of(run, self.skipped, self.n_jobs)
                    # One assignment: wherever Ctrl-C comes, the values and the last sample belong together.
                    done = done.joined(part, "" if self.checkpoint is None else _digest(_cut(fields, -1)))
                    # Once is enough: the first batch has shown it.
                    self.scoring = replace(self.scoring, allow_batch_dependence=True)
                    shown.update(end - n_done)
                    n_done = end
                    if self.checkpoint is not None:
                        self.checkpoint.write(done, now=False)
            finally:
                if self.checkpoint is not None:
                    self.checkpoint.write(done, now=True)
        if end < n_stored:
            raise ValueError(f"checkpoint: it has values of {n_stored} samples, the data has {end}")
        if not done.parts:
            raise ValueError("data: there are no samples")
        for what, array in self.arrays.items():
            if size_of(array) > end:
                raise ValueError(
                    f"{what}: expected one per sample of the data, {end}, got {size_of(array)}"
                )
        return done.whole()

    def _batches(self, n_done: int) -> Iterator[tuple[int, dict[str, Any]]]:
        """Iterate over ``(index of the first sample, fields)`` of the first batch, then of the
        batches from the last finished sample on.

        The first batch and the last finished sample are read again after a restart to check them
        against the checkpoint.
        """
        start_sample, batches = self.source.skip_to(max(n_done - 1, 0))
        if start_sample > 0:
            yield 0, fields_of(next(self.source.skip_to(0)[1]), self.names)
        for batch in batches:
            fields = fields_of(batch, self.names)
            n = size_of(fields["inputs"])
            if n:
                yield start_sample, fields
            start_sample += n

    def _run(self, start_sample: int, fields: Mapping[str, Any]) -> Run:
        """Create the run of one batch."""
        n = size_of(fields["inputs"])

        def given(what: str) -> Any:
            if what in self.names:
                field = fields[what]
                if isinstance(field, Mapping):
                    (field,) = field.values()
                # Columns are in the order that they are named in.
                is_table = isinstance(self.names[what], list) and column_names(field) is not None
                return reals(field, what, 2) if is_table else field
            if what in self.shared:
                return self.shared[what]
            array = self.arrays[what]
            if size_of(array) < start_sample + n:
                raise ValueError(
                    f"{what}: expected one per sample of the data, at least {start_sample + n}, got {size_of(array)}"
                )
            return cut(array, start_sample, start_sample + n)

        sides = SideInputs(**{side: given(side) for side in vars(SideInputs())})
        run = Run(
            model=self.model,
            inputs=fields["inputs"],
            targets=fields["targets"],
            sides=sides,
            first_sample=start_sample,
            by_name=True,
            scoring=self.scoring,
            baseline=self.baseline,
            seed=self.seed,
        )
        for name, explainer in self.explainers.items():
            run.explainers.append((name, given(f"explainers[{name!r}]"), explainer))
        if run.model_inputs is not None and (run.model_inputs.has_codes or run.model_inputs.has_missing):
            raise ValueError(
                "inputs: columns of words and dates are numbered by the values of all samples, and missing values have the mean "
                "of all samples in their place, which a stream never has at once; give columns of numbers, of which none are "
                "missing"
            )
        return run

    def _begin(self, fields: Mapping[str, Any]) -> None:
        """Resolve the metrics with the first batch, and compare the run with the checkpoint."""
        metrics = self.metrics
        if not isinstance(metrics, (str, Mapping)) and isinstance(metrics, Iterable):
            metrics = list(metrics)
        run = self._run(0, fields)
        selected, self.skipped = select(metrics, run, self.baseline)
        is_all = has_word(metrics, "all")
        for name, metric in selected:
            obstacle = _obstacle(metric, "segments" in {*self.arrays, *self.names})
            if obstacle is None:
                self.selected.append((name, metric.with_seed(self.seed)))
            elif is_all:
                self.skipped[name] = obstacle
            else:
                raise ValueError(
                    f"metrics: {name} {obstacle}, which a stream never has at once; leave it out, or use evaluate, "
                    "which takes memory-mapped arrays"
                )
        if not self.selected:
            why = "".join(f"; {name} {reason}" for name, reason in self.skipped.items())
            raise ValueError(f"metrics: empty{why}")
        if self.checkpoint is None:
            return
        explainers = {
            f"explainer {name}": "maps" if value is None else value if isinstance(value, str) else "function"
            for name, value in self.explainers.items()
        }
        asked_for = {f"metric {name}": _about(metric) for name, metric in self.selected}
        scoring = self.scoring
        first, score = _cut(fields, 0, 1), None
        if self.model is not None:
            (score,) = base_scores(
                self.model,
                first["inputs"],
                first["targets"],
                activation=scoring.activation,
                layout=scoring.layout,
                framework=scoring.framework,
                device=scoring.device,
            )
        settings = {"activation": scoring.activation, "layout": scoring.layout, **explainers, **asked_for}
        self.checkpoint.begin(settings, _digest(first), None if score is None else float(score))


@dataclass(frozen=True)
class _Done:
    """Values of the finished samples in parts, and a digest of the last sample."""

    parts: tuple[EvaluationValues, ...] = ()
    last: str = ""

    @property
    def n_samples(self) -> int:
        return sum(part.n_samples for part in self.parts)

    def joined(self, part: EvaluationValues, last: str) -> _Done:
        """Return a copy with the values of the next samples.

        Parts are merged so that their sizes decrease, which copies each value only O(log n)
        times.
        """
        parts = list(self.parts)
        while parts and parts[-1].n_samples <= part.n_samples:
            part = parts.pop().merge(part)
        return _Done((*parts, part), last)

    def whole(self) -> EvaluationValues:
        """Merge all parts."""
        whole = self.parts[0]
        for part in self.parts[1:]:
            whole = whole.merge(part)
        return whole


class _Checkpoint:
    """Checkpoint file with the values so far and a description of the run that they belong to."""

    def __init__(self, path: Path, seconds: float) -> None:
        self.path, self.seconds = path, seconds
        self.stored: dict[str, Any] | None = None
        #: Header of the file.
        self.head: dict[str, Any] = {}
        self.n_stored = 0
        self.written = time.monotonic()

    def read(self) -> _Done:
        """Return the values of a stopped run, or no values if there is no file."""
        if not self.path.exists():
            return _Done()
        head, _, values = self.path.read_bytes().partition(b"\n")
        try:
            stored = json.loads(head)
            if stored["format"] != _FORMAT:
                raise KeyError
            native = _native.AttributionValues.from_bytes(values)
        except (ValueError, KeyError, TypeError) as error:
            why = f": {error}" if isinstance(error, ValueError) else ""
            raise ValueError(
                f"checkpoint: {str(self.path)!r} is no checkpoint of this version{why}; name another file"
            ) from None
        self.stored, self.n_stored = stored, native.n_samples
        known = EvaluationValues(native, stored["assumed"], stored["skipped"], stored["activation"])
        return _Done((known,), stored["last"])

    def begin(self, settings: dict[str, Any], first: str, score: float | None) -> None:
        """Set the description of this run, and refuse a checkpoint with another one."""
        self.head = {"format": _FORMAT, "settings": settings, "first": first, "score": score}
        if self.stored is None:
            return
        theirs = self.stored["settings"]
        names = (n for n in {**settings, **theirs} if settings.get(n) != theirs.get(n))
        name = next(names, None)
        if name is not None:
            self._refuse(f"{name} is {settings.get(name)}, there {theirs.get(name)}")
        if first != self.stored["first"]:
            self._refuse("the first sample is another one")
        known = self.stored["score"]
        if score != known and (
            score is None or known is None or not np.isclose(score, known, 1e-3)
        ):
            self._refuse(f"the model's score of the first sample is {score}, there {known}")

    def compare(self, start_sample: int, fields: Mapping[str, Any]) -> None:
        """Raise ``ValueError`` if the last finished sample of the checkpoint differs from the data.
        """
        at = self.n_stored - 1 - start_sample
        if self.stored is not None and 0 <= at < size_of(fields["inputs"]):
            if _digest(_cut(fields, at, at + 1)) != self.stored["last"]:
                self._refuse(f"sample {self.n_stored - 1} is another one")

    def write(self, done: _Done, *, now: bool) -> None:
        """Write the values if the interval has passed (or ``now``) and there are new samples."""
        is_due = now or time.monotonic() - self.written >= self.seconds
        if not is_due or done.n_samples == self.n_stored:
            return
        values = done.whole()
        about = {"last": done.last, "assumed": values.assumed, "skipped": values.skipped}
        about["activation"] = values.activation
        head = json.dumps({**self.head, **about}).encode()
        write_whole({self.path: head + b"\n" + bytes(values._native.to_bytes())})
        self.n_stored, self.written, self.stored = values.n_samples, time.monotonic(), None

    def _refuse(self, why: str) -> None:
        raise ValueError(
            f"checkpoint: {str(self.path)!r} is of another run: {why}; name another file, or remove this one"
        )


def _obstacle(metric: Metric, has_segments: bool) -> str | None:
    """Return why a metric cannot be computed batch by batch, or ``None`` if it can."""
    info = metric.info
    if info.is_whole:
        return "relates all samples to each other"
    values = {p.name: metric.parameters.get(p.name, p.default) for p in info.parameters}
    if values.get("pooled"):
        return "judges the positions of all samples as one"
    if values.get("baseline") == "mean":
        return "has the mean of the data set as its baseline (or give that mean as an array)"
    of_segments = "segments" in (values.get("features"), values.get("ordered_features"))
    if has_segments and of_segments and "steps" in values:
        return "has steps up to the most segments of a sample"
    return None


def _about(metric: Metric) -> list[Any]:
    """Return a description that identifies a metric across processes."""
    if isinstance(metric, OwnMetric):
        return [type(metric.metric).__qualname__]
    return [repr(metric), {value: _digest(array) for value, array in metric.arrays.items()}]


def _cut(fields: Mapping[str, Any], start: int, stop: int | None = None) -> dict[str, Any]:
    if start < 0:
        start += size_of(fields["inputs"])
    return {item: None if value is None else cut(value, start, stop) for item, value in fields.items()}


def _digest(values: Any) -> str:
    """Return a digest that identifies arrays and functions."""
    import hashlib

    if isinstance(values, Mapping):
        return json.dumps({str(item): _digest(value) for item, value in values.items()})
    if isinstance(values, Background):
        return json.dumps([values.use, values.seed, _digest(values.rows)])
    if isinstance(values, tuple):
        return json.dumps([_digest(value) for value in values])
    if values is None or callable(values):
        return getattr(values, "__qualname__", type(values).__name__)
    try:
        array = to_numpy(values, "values")
    except (TypeError, ValueError):
        array = np.array([str(values)])
    content = repr(array.tolist()) if array.dtype.kind == "O" else array.tobytes()
    content = content.encode() if isinstance(content, str) else content
    about = f"{array.shape} {array.dtype}".encode()
    return hashlib.blake2b(about + content, digest_size=16).hexdigest()

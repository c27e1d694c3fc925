"""Conversion of one call of a Quantus metric to the native metrics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from xai_metrics._alignment import Alignment
from xai_metrics._arrays import reals, to_numpy
from xai_metrics._frameworks import Tensors, is_torch_module
from xai_metrics.attribution import Background, _models
from xai_metrics.attribution._data import predicted_classes, targets_of
from xai_metrics.attribution._functions import map_similarity
from xai_metrics.attribution._layout import layout_of
from xai_metrics.attribution.metrics import by_name

from .._per_sample import per_sample
from . import _words
from ._words import resolve, name_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from xai_metrics._types import Layout
    from xai_metrics.attribution._metric import Metric
    from xai_metrics.attribution._value import MetricValue

    Array = npt.NDArray[Any]
    #: Shape of inputs: elements as features of a table, or images with channels.
    Reading = Literal["elements", "images"]


@dataclass
class Call:
    """Arguments of a call, as given by the user."""

    model: Any
    x_batch: Any
    y_batch: Any
    a_batch: Any = None
    s_batch: Any = None
    channel_first: bool | None = None
    explain_func: Callable[..., Any] | None = None
    explain_func_kwargs: dict[str, Any] | None = None
    softmax: bool = False
    device: Any = None
    batch_size: int | None = 64
    custom_batch: Any = None


@dataclass
class MetricCall:
    """Quantus metric together with the data that it is computed for."""

    #: Name of the registered metric that is computed by default.
    metric: str
    options: SimpleNamespace
    compat: bool
    call: Call
    n_jobs: int | None = None
    #: Area under the curve of each sample, for metrics with curves.
    areas: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        alignment = Alignment()
        batches = ("x_batch", "y_batch", "a_batch", "s_batch")
        self.call = replace(self.call, **{item: alignment.take(getattr(self.call, item), item, "samples") for item in batches})
        call = self.call
        self.x: Array = reals(call.x_batch, "x_batch")
        self.n = len(self.x)
        is_on_device = Tensors.for_model(call.model, None, None).framework in ("torch", "tensorflow")
        device = call.device if is_on_device else None
        self.tensors = Tensors.for_model(call.model, None, device)
        self.activation, self.function = "none", None
        if call.model is not None:
            self.function = _models.model_function(call.model, None, device)
            self._read_softmax()
        self.rng: Any = np.random if self.compat else np.random.default_rng(self.options.seed)
        self.channels = self._channels()
        self.uniform: Array | None = None
        if call.a_batch is not None:
            raw = [self._expanded(call.a_batch, "a_batch")]
        elif call.explain_func is not None:
            raw = [self.explain(call.model, self.x[b], self.y[b]) for b in self.batches()]
        else:
            raise ValueError(
                "a_batch: expected maps, or explain_func(model=…, inputs=…, targets=…) -> maps"
            )
        if not self.compat:
            # Quantus scales the maps that it asks for mini-batch by mini-batch.
            raw = [np.concatenate(raw)]
        self.largest = max(float(np.abs(part).max(initial=0.0)) for part in raw)
        self.maps = np.concatenate([self._scaled(part) for part in raw])

    @cached_property
    def y(self) -> Array:
        """Targets, for metrics and explainers that use them."""
        model = self.call.model
        classes = None if model is None else _models.ModelAdapter.for_model(model).classes
        return targets_of(self.call.y_batch, self.n, classes)

    def _read_softmax(self) -> None:
        """Adjust for a torch module that ends with a softmax layer: do not apply softmax twice, or
        skip the layer.
        """
        ends = None
        if is_torch_module(self.call.model):
            last = list(self.call.model.modules())[-1]
            ends = last if type(last).__name__ == "Softmax" else None
        if self.call.softmax:
            self.activation = "softmax" if ends is None else "none"
        elif ends is not None:
            self.function = _before(ends, self.function)

    def _channels(self) -> int | None:
        """Return the channel axis."""
        if self.x.ndim not in (3, 4):
            return None
        first = self.call.channel_first
        if first is None and self.x.ndim == 3:
            first = self.x.shape[1] < self.x.shape[2]
        elif first is None:
            of_images = _models.images_of(self.call.model, self.tensors)
            planes = [self.call.a_batch, self.call.s_batch]
            first = layout_of(None, self.x.shape, of_images, planes) == "channels-first"
        return 1 if first else self.x.ndim - 1

    @property
    def is_in_batches(self) -> bool:
        """Whether Quantus has more than one mini-batch."""
        return len(list(self.batches())) > 1

    def batches(self) -> Iterator[slice]:
        """Iterate over the mini-batches of Quantus."""
        size = self.call.batch_size or max(self.n, 1)
        return (slice(i, min(i + size, self.n)) for i in range(0, self.n, size))

    # Maps

    def explain(self, model: Any, inputs: Array, targets: Array) -> Array:
        """Compute maps with the user's function, without scaling or removing signs."""
        function = self.call.explain_func
        if function is None:
            raise ValueError(
                "explain_func: needed, the metric explains other inputs or models; give "
                "explain_func(model=…, inputs=…, targets=…) -> maps"
            )
        arguments = dict(self.call.explain_func_kwargs or {})
        if self.call.device is not None:
            arguments.setdefault("device", self.call.device)
        with self.tensors.calling(gradients=True):
            maps = function(model=model, inputs=inputs, targets=targets, **arguments)
            maps = self.tensors.array(maps, "the maps of explain_func")
        return self._expanded(maps, "explain_func")

    def _expanded(self, maps: Any, name: str) -> Array:
        """Add a channel axis to maps if the inputs have one."""
        array: Array = reals(maps, name)
        if self.channels is not None and array.ndim == self.x.ndim - 1:
            array = np.expand_dims(array, self.channels)
        shape = self.x.shape[1:]
        fits = array.ndim == self.x.ndim and all(
            value in (1, wanted) for value, wanted in zip(array.shape[1:], shape)
        )
        if not fits:
            raise ValueError(f"{name}: expected maps of inputs {shape}, got shape {array.shape}")
        return array

    def _scaled(self, maps: Array) -> Array:
        options = self.options
        if options.normalise:
            scale = options.normalise_func or _words.normalise_by_max
            if isinstance(scale, str):
                known = vars(_words.normalise_func)
                resolve("normalise_func", scale, {name: name for name in known})
                scale = known[scale]
            maps = scale(np.array(maps), **(options.normalise_func_kwargs or {}))
        return np.abs(maps) if options.abs else maps

    def explained(self, model: Any, inputs: Array, targets: Array) -> Array:
        """Compute maps in the form that the metric compares.

        They are scaled by the largest attribution of the data set, so that a map does not depend
        on the others in its batch.
        """
        maps = self.explain(model, inputs, targets)
        is_plain = self.options.normalise_func is None and not self.options.normalise_func_kwargs
        if self.options.normalise and is_plain and not self.compat and self.largest > 0.0:
            maps = maps / self.largest
            return np.abs(maps) if self.options.abs else maps
        return self._scaled(maps)

    def explained_all(self, model: Any) -> Array:
        """Compute the maps of all inputs for another model."""
        batches = [self.explained(model, self.x[b], self.y[b]) for b in self.batches()]
        return np.concatenate(batches)

    def similarity(self, maps: Array) -> list[float]:
        """Compute the similarity of the maps to other maps, sample by sample."""
        word, reading = self.similar()
        a, b = (self._maps_read(item, reading) for item in (self.maps, maps))
        alike = map_similarity(a, b, word, layout=self._layout(reading))
        return alike.tolist()  # type: ignore[no-any-return]

    def similar(self) -> tuple[Any, Reading]:
        """Return the requested similarity, and what it compares."""
        word = resolve("similarity_func", self.options.similarity_func, _words.SIMILARITIES)
        if word == "ssim" and self.channels is None:
            raise ValueError(
                "similarity_func: ssim compares images; of tables take correlation_spearman"
            )
        return word, "images" if word == "ssim" else "elements"

    # Reading

    def _shape(self, reading: Reading) -> tuple[int, ...]:
        """Return the shape of one sample."""
        shape = self.x.shape[1:]
        if reading == "elements":
            return (int(np.prod(shape)),)
        if self.channels is None:
            raise ValueError(f"x_batch: expected images or series, got shape {self.x.shape}")
        if self.x.ndim == 4:
            return shape
        # A series is an image of one row.
        return (shape[0], 1, shape[1]) if self.channels == 1 else (1, *shape)

    def _layout(self, reading: Reading) -> Layout:
        if reading == "elements":
            return "tabular"
        return "channels-first" if self.channels == 1 else "channels-last"

    def plane(self) -> tuple[int, int]:
        """Return height and width."""
        shape = list(self._shape("images"))
        del shape[0 if self.channels == 1 else 2]
        return shape[0], shape[1]

    def own_reading(self) -> Reading:
        """Return how maps are read that are not compared with inputs: maps of one channel have an attribution per
        position, whatever number of channels the inputs have.
        """
        return "images" if self.channels is not None and self.maps.shape[self.channels] == 1 else "elements"

    def elements(self, maps: Array) -> Array:
        """Return maps with one attribution per element of the inputs."""
        return self._maps_read(maps, "elements")

    def _maps_read(self, maps: Array, reading: Reading) -> Array:
        if reading == "images":
            if self.channels is not None and maps.shape[self.channels] == 1:
                maps = np.squeeze(maps, self.channels)
                return maps if maps.ndim == 3 else maps[:, None]
            return maps.reshape(-1, *self._shape("images"))
        maps = np.broadcast_to(maps, (len(maps), *self.x.shape[1:]))
        return maps.reshape(len(maps), -1)

    def per_sample(
        self,
        metric: str | None = None,
        *,
        reading: Reading = "elements",
        rows: slice = slice(None),
        sides: dict[str, Any] | None = None,
        **parameters: Any,
    ) -> list[float]:
        """Compute a registered metric per sample; NaN where undefined."""
        selected = self._metric(metric, parameters, rows, reading)
        run = self._run(selected, rows, reading, sides)
        values = per_sample(selected, run, self.options.display_progressbar)
        return values.tolist()  # type: ignore[no-any-return]

    def measure(
        self,
        *,
        reading: Reading = "elements",
        sides: dict[str, Any] | None = None,
        **parameters: Any,
    ) -> MetricValue:
        """Compute the registered metric for all samples, with its curve."""
        selected = self._metric(None, parameters, slice(None), reading)
        return selected._measure(self._run(selected, slice(None), reading, sides))

    def curves(self, **parameters: Any) -> list[Array]:
        """Return the scores along the curve of every sample, starting with the unchanged input."""
        value = self.measure(**parameters)
        self.areas = value.per_sample.tolist()
        if value.curve is None or value.curve.per_sample is None:
            return []
        return [curve[~np.isnan(curve)] for curve in value.curve.per_sample]

    def _metric(
        self, metric: str | None, parameters: dict[str, Any], rows: slice, reading: Reading
    ) -> Metric:
        parameters = {**parameters, **self._baseline(parameters, rows, reading)}
        return by_name(metric or self.metric)(**parameters).with_seed(self.options.seed)

    def _run(
        self, selected: Metric, rows: slice, reading: Reading, sides: dict[str, Any] | None
    ) -> dict[str, Any]:
        """Return the arguments of an evaluation."""
        needs = selected.info.needs
        run: dict[str, Any] = {
            "inputs": self.x[rows].reshape(-1, *self._shape(reading)),
            "layout": self._layout(reading),
            "n_jobs": self.n_jobs,
        }
        run["explanations"] = self._maps_read(self.maps[rows], reading)
        if "explainer" in needs:
            run["explainer"] = self._explainer(reading)
        if "model" in needs or selected.parameters.get("same_prediction"):
            if self.function is None:
                raise ValueError("model: needed by this metric")
            run["model"] = self.on_reshaped(self.function)
            run["activation"] = self.activation
        if "model" in run or "explainer" in run:
            run["batch_size"] = self.call.batch_size
        if "targets" in needs or "batch_size" in run:
            run["targets"] = self.y[rows]
        for name, side in (sides or {}).items():
            is_by_sample = isinstance(side, np.ndarray) and len(side) == self.n
            run[name] = side[rows] if is_by_sample else side
        return run

    def on_reshaped(self, function: Callable[[Array], Any]) -> Callable[[Array], Any]:
        """Adapt a function of the original inputs to reshaped ones."""
        return lambda batch: function(batch.reshape(-1, *self.x.shape[1:]))

    def _explainer(self, reading: Reading) -> Callable[[Array, Array], Array]:
        def explain(inputs: Array, targets: Array) -> Array:
            inputs = inputs.reshape(-1, *self.x.shape[1:])
            return self._maps_read(self.explained(self.call.model, inputs, targets), reading)

        return explain

    # Perturbations

    def removes(self, words: dict[str, str] = _words.REMOVALS) -> None:
        """Check that the perturbation function sets features to a baseline."""
        known = {"uniform_low", "uniform_high"}
        unknown = set(self.options.perturb_func_kwargs or {}) - known
        if unknown:
            raise ValueError(
                f"perturb_func_kwargs: {unknown.pop()!r} means nothing here, only uniform_low and "
                "uniform_high do"
            )
        if self.options.perturb_func is not None:
            try:
                resolve("perturb_func", self.options.perturb_func, words)
            except ValueError as error:
                raise ValueError(
                    f"{error}; say by perturb_baseline what stands for a removed value"
                ) from None

    def _baseline(self, given: dict[str, Any], rows: slice, reading: Reading) -> dict[str, Any]:
        """Return the parameter ``baseline`` of metrics with ``perturb_baseline``."""
        if "baseline" not in given:
            return {}
        baseline = given["baseline"]
        if isinstance(baseline, str) and baseline == "uniform":
            # One number for each sample.
            if self.uniform is None:
                self.uniform = self.rng.uniform(*self.uniform_bounds(), size=self.n)
            shape = (-1, *[1] * len(self._shape(reading)))
            whole = (len(self.x[rows]), *self._shape(reading))
            return {"baseline": Background(np.broadcast_to(self.uniform[rows].reshape(shape), whole), "paired")}
        if isinstance(baseline, str):
            return {"baseline": resolve("perturb_baseline", baseline, _words.BASELINES)}
        if np.ndim(baseline) > 0:
            return {"baseline": np.reshape(baseline, self._shape(reading))}
        return {"baseline": float(baseline)}

    def uniform_bounds(self) -> tuple[float, float]:
        """Return the bounds of the baseline "uniform"."""
        arguments = self.options.perturb_func_kwargs or {}
        return arguments.get("uniform_low", 0.0), arguments.get("uniform_high", 1.0)

    def subsets(self, size: int, n_runs: int) -> Array | None:
        """Return the subsets that Quantus draws; ``None`` to use ours."""
        if not self.compat:
            return None
        n_features = self._shape("elements")[0]
        drawn = np.empty((n_runs, self.n, size), np.int64)
        for rows in self.batches():
            n = len(drawn[0, rows])
            for run in range(n_runs):
                choices = [self.rng.choice(n_features, size, replace=False) for _ in range(n)]
                drawn[run, rows] = choices
                if isinstance(self.options.perturb_baseline, str):
                    # It draws the numbers of "uniform" whatever the word.
                    self.rng.uniform(size=n)
        return drawn

    def replaced_values(self, n_groups: int, n_values: int) -> Array | None:
        """Return the values that Quantus draws for each group of features, with draws as the first
        axis; ``None`` to use ours.
        """
        if not self.compat:
            return None
        drawn = np.empty((n_values, self.n, n_groups))
        for rows in self.batches():
            for group in range(n_groups):
                for value in range(n_values):
                    n = len(drawn[0, rows])
                    drawn[value, rows, group] = self.rng.uniform(*self.uniform_bounds(), size=n)
        return drawn

    def _noise(self, law: str, given: dict[str, Any], needed: bool) -> Array | None:
        """Return noise ``(draws, n, elements)``; ``None`` if ours has the same distribution, unless
        it is needed.
        """
        o = self.options
        given = {**given, **(o.perturb_func_kwargs or {})}
        word = _words.NOISES.get(name_of(o.perturb_func) or "") if o.perturb_func else law
        is_plain = not given.get("perturb_mean") and given.get("upper_bound") is None
        if word == law and is_plain and not o.perturb_func_kwargs and not needed:
            return None
        if word is None and not callable(o.perturb_func):
            resolve("perturb_func", o.perturb_func, _words.NOISES)
        flat = self.x.reshape(self.n, -1)
        drawn = np.empty((o.nr_samples, *flat.shape), flat.dtype)
        for rows in self.batches():
            x = flat[rows]
            for draw in range(o.nr_samples):
                if word is None:
                    indices = np.tile(np.arange(x.shape[1]), (len(x), 1))
                    drawn[draw, rows] = o.perturb_func(arr=x.copy(), indices=indices, **given) - x
                elif word == "gaussian":
                    normal = given.get("perturb_mean", 0.0), given.get("perturb_std", 0.01)
                    drawn[draw, rows] = self.rng.normal(*normal, size=x.shape)
                else:
                    low, high = given.get("lower_bound", 0.02), given.get("upper_bound")
                    bounds = (-low, low) if high is None else (low, high)
                    drawn[draw, rows] = self.rng.uniform(*bounds, size=x.shape)
        return drawn

    def near(
        self,
        radius: float,
        law: str,
        statistic: Literal["max", "mean"],
        noise: dict[str, Any],
        how: dict[str, Any],
        *,
        drops: bool = False,
        sides: dict[str, Any] | None = None,
    ) -> list[float]:
        """Compute a metric over neighbours, which are drawn natively or given.

        ``drops`` tells whether the metric can exclude neighbours with another prediction itself.
        """
        o = self.options
        # Maps without channels are those of images.
        is_plain = self.maps.shape[1:] == self.x.shape[1:]
        how = {**how, "reading": "elements" if is_plain else "images", "sides": sides}
        leaves_out = o.return_nan_when_prediction_changes
        one_by_one = self.compat or (leaves_out and not drops)
        draws = self._noise(law, noise, needed=one_by_one)
        if one_by_one:
            how |= {"same_prediction": False} if drops else {}
            return self.draw_by_draw(draws, statistic, **how)
        how |= {"same_prediction": leaves_out} if drops else {}
        if draws is not None:
            return self.per_sample(draws=self._read_draws(draws, how["reading"]), **how)
        drawn = {"radius": radius, "n_neighbors": o.nr_samples, "neighborhood": law}
        return self.per_sample(**drawn, **how)

    def _read_draws(self, draws: Array, reading: Reading) -> Array:
        return draws.reshape(*draws.shape[:2], *self._shape(reading))

    def draw_by_draw(
        self, draws: Any, statistic: Literal["max", "mean"], **parameters: Any
    ) -> list[float]:
        """Compute a statistic over one value per draw, as Quantus does.

        Each draw of a mini-batch is explained in one call.
        """
        leaves_out = self.options.return_nan_when_prediction_changes
        values = np.empty((len(draws), self.n))
        for rows in self.batches():
            before = self._classes(self.x[rows]) if leaves_out else None
            for draw, of_draw in enumerate(draws):
                moved = of_draw[rows]
                given = self._read_draws(moved[None], parameters["reading"])
                values[draw, rows] = self.per_sample(rows=rows, draws=given, **parameters)
                if leaves_out:
                    inputs = self.x[rows] + moved.reshape(self.x[rows].shape)
                    values[draw, rows][self._classes(inputs) != before] = np.nan
        if self.compat and leaves_out:
            # One neighbour with another prediction is enough.
            return getattr(values, statistic)(axis=0).tolist()  # type: ignore[no-any-return]
        return over_defined(values, statistic, axis=0)

    def _classes(self, inputs: Array) -> Array:
        return predicted_classes(self.outputs, inputs, self.call.batch_size)

    def outputs(self, inputs: Array, samples: Any = None) -> Array:
        """Return the outputs of the model without an activation."""
        if self.function is None:
            raise ValueError("model: needed by this metric")
        return self.function(inputs)

    def shifted_images(self, along: int, shifts: list[int]) -> Array:
        """Return the differences between shifted and original images, ``(shifts, n, elements)``.

        Revealed positions are filled with the smallest element of the image.
        """
        x = self.x.reshape(-1, *self._shape("images"))
        axis = along + (2 if self.channels == 1 else 1)
        size, there = x.shape[axis], np.moveaxis(x, axis, 0)
        added = []
        for by in shifts:
            moved = np.broadcast_to(x.min(axis=(1, 2, 3), keepdims=True), x.shape).copy()
            seen, kept = np.moveaxis(moved, axis, 0), max(size - abs(by), 0)
            first, source = max(by, 0), max(-by, 0)
            if kept:
                seen[first : first + kept] = there[source : source + kept]
            added.append((moved - x).reshape(self.n, -1))
        return np.stack(added)

    def repeated_baseline(self, repeats: int) -> list[Any]:
        """Return the baseline of each repetition, that of ``"uniform"`` drawn anew."""
        baseline, shape = self.options.perturb_baseline, (self.n, *self._shape("images"))
        if not isinstance(baseline, str) or baseline != "uniform":
            return [baseline] * repeats
        drawn = self.rng.uniform(*self.uniform_bounds(), size=(repeats, self.n))
        return [np.broadcast_to(of.reshape(-1, 1, 1, 1), shape) for of in drawn]

    def accumulated_patches(self, sizes: Sequence[int], repeats: int) -> list[Array]:
        """Return the changes of images in which patch after patch is set to the baseline and stays
        so.

        There is an array ``(patches, n, …)`` for each size and, for the baseline ``"uniform"``, each
        repetition; others are the same in every repetition.
        """
        x = self.x.reshape(-1, *self._shape("images"))
        height, width = self.plane()
        first = 2 if self.channels == 1 else 1
        is_drawn = isinstance(self.options.perturb_baseline, str) and self.options.perturb_baseline == "uniform"
        repeats = repeats if is_drawn else 1
        corners = [list(product(range(0, height, size), range(0, width, size))) for size in sizes]
        changes = [np.empty((len(of), *x.shape), x.dtype) for _ in range(repeats) for of in corners]
        for rows in self.batches():
            of_batch = iter(changes)
            for _, (size, of_size) in product(range(repeats), zip(sizes, corners)):
                current, added = x[rows].copy(), next(of_batch)
                for patch, (row, column) in enumerate(of_size):
                    place = [slice(None)] * 4
                    place[first], place[first + 1] = slice(row, row + size), slice(column, column + size)
                    current[tuple(place)] = self._patch_fill(current)
                    added[patch, rows] = current - x[rows]
        return changes

    def _patch_fill(self, current: Array) -> Any:
        """Return the values that a patch of images is set to."""
        fill = self.options.perturb_baseline
        if not isinstance(fill, str):
            return fill
        if fill == "uniform":
            return self.rng.uniform(*self.uniform_bounds(), size=len(current)).reshape(-1, 1, 1, 1)
        resolve("perturb_baseline", fill, _words.BASELINES)
        words: dict[str, Any] = {"black": np.min, "white": np.max, "mean": np.mean}
        return words[fill](current, axis=(1, 2, 3), keepdims=True)

    # Beside maps

    def among_samples(self, **parameters: Any) -> list[float]:
        """Compute a metric that compares samples with each other; Quantus compares within a
        mini-batch.
        """
        if not self.compat:
            return self.per_sample(**parameters)
        parts = [self.per_sample(rows=rows, **parameters) for rows in self.batches()]
        return [0.0 if math.isnan(value) else value for part in parts for value in part]

    def on_masks(self, mosaic: Array | None = None, **parameters: Any) -> list[float]:
        """Compute a metric of maps and masks."""
        reading: Reading = "elements" if self.channels is None else "images"
        if mosaic is not None:
            return self.per_sample(reading=reading, sides={"mosaic": mosaic}, **parameters)
        if self.call.s_batch is None:
            raise ValueError("s_batch: expected where the object is, (n, 1, height, width)")
        masks = self._plane_by_plane(self.call.s_batch, "s_batch") != 0
        return self.per_sample(reading=reading, sides={"masks": masks}, **parameters)

    def segments(self) -> Array:
        """Return the segment of every position."""
        if self.call.custom_batch is not None:
            return self._plane_by_plane(self.call.custom_batch, "custom_batch")
        words = {"slic": "slic", "felzenszwalb": "felzenszwalb"}
        method = resolve("segmentation_method", self.options.segmentation_method, words)
        try:
            from skimage import segmentation
        except ImportError:
            raise ImportError(
                "custom_batch: expected the segment of every position, (n, height, width), where "
                "scikit-image is not installed"
            ) from None
        if self.channels is None or self.x.ndim != 4:
            raise ValueError(f"x_batch: expected images, got shape {self.x.shape}")
        images = np.moveaxis(self.x, self.channels, -1).astype(float)
        how = {"start_label": 0} if method == "slic" else {}
        return np.stack([getattr(segmentation, method)(image, **how) for image in images])

    def _plane_by_plane(self, values: Any, name: str) -> Array:
        """Return one value per position."""
        array = to_numpy(values, name)
        shape = self._shape("elements") if self.channels is None else self.plane()
        if array.size != self.n * int(np.prod(shape)):
            expected = f"one value per position, {(self.n, *shape)}"
            raise ValueError(f"{name}: expected {expected}, got shape {array.shape}")
        return array.reshape(self.n, *shape)


def over_defined(values: Any, statistic: Literal["max", "mean"], axis: int) -> list[float]:
    """Compute the maximum or mean of the defined values; NaN if there are none."""
    array = np.asarray(values)
    defined = ~np.isnan(array)
    if statistic == "max":
        found = np.where(defined, array, -np.inf).max(axis=axis)
    else:
        found = np.where(defined, array, 0.0).sum(axis=axis) / np.maximum(defined.sum(axis=axis), 1)
    return np.where(defined.any(axis=axis), found, np.nan).tolist()  # type: ignore[no-any-return]


def _before(layer: Any, function: Any) -> Callable[[Array], Array]:
    """Return a model without its last layer."""

    def outputs(batch: Array) -> Array:
        hook = layer.register_forward_hook(lambda _layer, inputs, _answer: inputs[0])
        try:
            answer: Array = function(batch)
        finally:
            hook.remove()
        return answer

    return outputs

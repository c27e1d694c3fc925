"""Arguments of an evaluation run, converted for the native part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from .. import _arrays, _native
from .._alignment import Alignment
from .._arguments import whole_or_none
from .._arrays import booleans, booleans_or_shares, column_names, in_order_of, integers, reals, to_numpy
from .._frameworks import Tensors, framework_of, framework_of_tensors, is_from_package
from . import _baselines, _models, _packages, _padding, _references
from ._explanations import MapReader, note
from ._inputs import Inputs, first_of
from ._keywords import INPUTS, Scoring, SideInputs, split
from ._layout import activation_of, channels_axis, layout_of, shape_of
from ._pipelines import TokenizedTexts, is_text_pipeline

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from .._frameworks import Framework


class MetricInterface(_baselines.MetricInterface, Protocol):
    """Part of the interface of a metric that a run uses."""

    @property
    def functions(self) -> dict[str, Any]:
        """Python functions that the native part calls, by their role."""


@dataclass
class Run:
    """Data and settings of an evaluation run."""

    model: Any = None
    inputs: Any = None
    targets: Any = None
    #: ``(name, maps or None, explainer or None)``, see :func:`explained`.
    explainers: list[tuple[str, Any, Any]] = field(default_factory=list)
    #: True if explainers were given by name, rather than one as ``explanations``.
    by_name: bool = False
    #: Pairs of name in the result and metric.
    metrics: list[tuple[str, MetricInterface]] = field(default_factory=list)
    sides: SideInputs = SideInputs()
    scoring: Scoring = Scoring()
    operator: Any = None
    #: Number of columns that a single output of the model is repeated to.
    n_outputs: int | None = None
    curves: bool = False
    first_sample: int = 0
    #: Baseline of the reference explainer ``"occlusion"``.
    baseline: Any = None
    #: Seed of random background rows.
    seed: int = 1
    #: Texts that the inputs are the tokens of.
    texts: list[str] | None = None
    progress: Any = None
    #: Values assumed for arguments that were not given.
    assumed: dict[str, str] = field(default_factory=dict)
    #: Baselines that were converted, and their rows.
    baseline_rows: list[tuple[Any, npt.NDArray[Any]]] = field(default_factory=list)

    @classmethod
    def from_keywords(cls, **arguments: Any) -> Run:
        """Create a run from its fields and those of :class:`SideInputs` and :class:`Scoring`."""
        sides, scoring, others = split(arguments)
        run = cls(sides=sides, scoring=scoring, **others)
        if is_text_pipeline(run.model):
            run._tokenize()
        return run

    def _tokenize(self) -> None:
        """Replace a pipeline by its model, and texts by their tokens."""
        if self.inputs is None:
            raise ValueError("inputs: expected texts, which the pipeline tokenizes")
        # Maps and masks follow the labels of the texts, too, which their tokens do not have.
        targets = self.aligned(self.targets, "targets")
        tokenized = TokenizedTexts.of(self.model, self.inputs, targets)
        self.model, self.inputs, self.targets = tokenized.model, tokenized.inputs, tokenized.targets
        self.texts, self.baseline = tokenized.texts, tokenized.baseline
        self.assumed["baseline"] = f"{tokenized.baseline}, {tokenized.reason}"
        if self.scoring.activation is None:
            self.scoring = replace(self.scoring, activation=tokenized.activation)
            self.assumed["activation"] = f"{tokenized.activation}, as the pipeline applies"

    @cached_property
    def model_inputs(self) -> Inputs | None:
        """Inputs in the form that the model receives."""
        if self.inputs is None:
            return None
        inputs = Inputs(self.inputs)
        if inputs.has_missing:
            self.assumed["missing values"] = "kept where nothing changes them, else near the mean of the column"
        return inputs

    @cached_property
    def array(self) -> Any:
        """Inputs as one array of numbers."""
        return None if self.model_inputs is None else self.model_inputs.array

    @cached_property
    def _named(self) -> tuple[list[Any] | None, str]:
        """Column names and the argument they are from: the inputs, or else the first maps that are
        a table.
        """
        sides = self.sides
        tables = [("the inputs", self.inputs)]
        tables += [(f"the maps of {name}", maps) for name, maps, _ in self.explainers]
        tables += [("reference_maps", sides.reference_maps), ("second_maps", sides.second_maps)]
        named = ((column_names(table), value) for value, table in tables)
        return next((found for found in named if found[0] is not None), (None, ""))

    @cached_property
    def _alignment(self) -> Alignment:
        """Order of the samples, which is that of the inputs."""
        alignment = Alignment()
        alignment.take(first_of(self.inputs), "inputs", "samples")
        return alignment

    def aligned(self, values: Any, name: str) -> Any:
        """Reorder values by their index to the order of the inputs; each one of a sequence of
        arrays.
        """
        if isinstance(values, (tuple, list)) and len(values) and all(hasattr(item, "shape") for item in values):
            return type(values)(self._alignment.take(entry, name, "samples") for entry in values)
        return self._alignment.take(values, name, "samples")

    def in_order(self, values: Any, name: str) -> Any:
        """Reorder the columns of a table to those of the run."""
        columns, of = self._named
        return in_order_of(columns, values, name, of)

    @cached_property
    def tensors(self) -> Tensors:
        """Conversion to the tensors that model and explainers receive."""
        return Tensors.for_model(self.model, self.requested_framework, self.scoring.device)

    @cached_property
    def requested_framework(self) -> Framework | None:
        """Framework that was requested, or else, for plain functions, that of the inputs (noted in
        ``assumed``).
        """
        is_said = self.scoring.framework is not None or framework_of(self.model) != "numpy"
        if is_said or not _models.is_function(self.model):
            return self.scoring.framework
        framework = framework_of_tensors(first_of(self.inputs))
        if framework is not None:
            self.assumed["framework"] = framework
        return framework

    @property
    def has_tokens(self) -> bool:
        """True if the model receives integers, which cannot be replaced by fractions."""
        is_whole = self.model_inputs is not None and self.model_inputs.integer_dtype is not None
        return is_whole and self.tensors.keeps_integers

    @cached_property
    def features(self) -> npt.NDArray[np.bool_] | None:
        """Boolean mask of the positions that are features; ``None`` if all are."""
        scoring = self.scoring
        features = _padding.features_of(self.model_inputs, scoring.n_features, scoring.special_tokens)
        if features is not None and self.model_inputs is not None:
            of = "the attention mask" if scoring.n_features is None else "n_features"
            special = self.model_inputs.special is not None and not scoring.special_tokens
            others = "special tokens and padding" if special else "padding"
            note(self.assumed, "features", f"the positions of {of}, the others are {others}")
        return features

    def spread(self, values: Any, name: str) -> Any:
        """Return values of sequences of different lengths as an array over all positions."""
        if self.inputs is None or self.features is None:
            return values
        return _padding.spread(values, name, self.features, _padding.attended_of(self.model_inputs))

    @property
    def needs_samples(self) -> bool:
        """True if the model also needs the sample index of each row, because of padding or several
        inputs.
        """
        return self.features is not None or bool(self.model_inputs is not None and self.model_inputs.needs_samples)

    @cached_property
    def explainer_obstacle(self) -> str | None:
        """Why explainers can only be called with the inputs of the run; ``None`` if they take others, too."""
        if self.needs_samples:
            return (
                "calls the explainer with other inputs, which several inputs, padding, and columns of lists or of integers beyond "
                "2^53 do not allow"
            )
        fixed = (name for name, _, explainer in self.explainers if _references.needs_samples(explainer, self))
        name = next(fixed, None)
        if name is None:
            return None
        return (
            f"calls the explainer with other inputs, which have no row in the baseline of {name!r}, one row for each sample; "
            'give one for all samples, such as Background(rows, "mean")'
        )

    @cached_property
    def adapter(self) -> _models.ModelAdapter | None:
        """Callable form of the model; ``None`` without a model."""
        return None if self.model is None else _models.ModelAdapter.for_model(self.model)

    @property
    def classes(self) -> list[Any] | None:
        """Class labels of the targets, if these are not output indices."""
        return None if self.operator is not None or self.adapter is None else self.adapter.classes

    @cached_property
    def read_layout(self) -> str | None:
        """Layout of the inputs; noted in ``assumed`` unless it was given."""
        maps = [maps for _, maps, _ in self.explainers if maps is not None]
        array = self.array if self.inputs is not None else maps[0] if maps else None
        if self.scoring.layout is not None or array is None:
            return layout_of(self.scoring.layout)
        planes = [*maps, self.sides.masks, self.sides.segments]
        layout = layout_of(None, shape_of(array), _models.images_of(self.model, self.tensors), planes)
        if layout is not None:
            self.assumed["layout"] = layout
        return layout

    @cached_property
    def map_reader(self) -> MapReader:
        """Settings for converting explanations."""
        if self.inputs is None:
            return MapReader(in_order=self.in_order, notes=self.assumed)
        return MapReader(
            self.array.shape,
            self.read_layout,
            self.in_order,
            # A score of one's own stands for no class, or for another.
            lambda: None if self.scoring.score is not None else self._n_outputs,
            self.classes,
            self.sides.segments,
            self.assumed,
            self._named[0],
            None if self.scoring.explained_class is None else int(targets_of([self.scoring.explained_class], 1, self.classes)[0]),
            spread=self.spread,
        )

    def check(self) -> None:
        """Warn about problems that are only visible in the outputs of the model."""
        dtype = None if self.model_inputs is None else self.model_inputs.integer_dtype
        if dtype is not None and self.function is not None and self.features is None and self.first_sample == 0:
            _padding.warn_of_padding(self.array, dtype, self.function)

    @cached_property
    def function(self) -> Callable[..., npt.NDArray[Any]] | None:
        """Model as a function of a batch and the sample index of each row."""
        if self.model is None or self.operator is not None:
            return None
        n_outputs = self.n_outputs
        if self.scoring.score is not None and self.targets is not None:
            # One score stands for all classes.
            columns = targets_of(self.targets, len(self.array), self.classes)
            n_outputs = columns.shape[1] if columns.ndim == 2 else 1 + int(columns.max(initial=0))
        of = self.requested_framework, self.scoring.device, n_outputs, self.model_inputs, self.scoring.output, self.scoring.score
        return _models.model_function(self.model, *of)

    @cached_property
    def activation(self) -> str:
        """Activation applied before scoring; noted in ``assumed`` unless it was given."""
        is_own = self.operator is not None or self.scoring.score is not None
        if self.scoring.activation is not None or is_own or self.adapter is None:
            return activation_of(self.scoring.activation)
        if self.adapter.activation != "none":
            self.assumed["activation"] = self.adapter.activation
        return self.adapter.activation

    @property
    def receives_samples(self) -> bool:
        """True if the model receives the sample index of each row."""
        return self.operator is not None or bool(self.model_inputs is not None and self.model_inputs.needs_samples)

    def columns(self, n: int) -> npt.NDArray[Any] | None:
        """Return the targets of ``n`` samples as output indices or weight rows, by default the
        predicted classes.
        """
        if self.targets is not None:
            columns = targets_of(self.aligned(self.targets, "targets"), n, self.classes)
            if columns.ndim == 2 and columns.shape[1] == 1 and self.function is not None and (self._n_outputs or 1) > 1:
                # One column of classes, and no weight of the only output.
                return targets_of(columns[:, 0], n, self.classes)
            return columns
        return self._predicted

    @cached_property
    def _predicted(self) -> npt.NDArray[np.int64] | None:
        if self.function is None or self.inputs is None:
            return None
        return predicted_classes(self.function, self.array, self.batch_size)

    @cached_property
    def batch_size(self) -> int | None:
        """Largest number of rows per call; ``None`` for the default of a run without a model."""
        chosen = whole_or_none("batch_size", self.scoring.batch_size, 1)
        if chosen is not None or self.model is None or self.inputs is None:
            return chosen
        of = {"is_structured": self.has_tokens, "is_on_gpu": self.tensors.is_on_gpu}
        return _default_batch_size(self.array, **of)

    @property
    def rows_per_call(self) -> int:
        """Largest number of rows per call, for a run with inputs."""
        return self.batch_size or _default_batch_size(self.array)

    @cached_property
    def _n_outputs(self) -> int | None:
        """Number of outputs of the model."""
        if self.classes is not None:
            return len(self.classes)
        if self.function is None:
            return None
        outputs = self.function(np.array(self.array[:1], order="C"), np.zeros(1, np.int64))
        return int(outputs.shape[1])

    def request(self) -> dict[str, Any]:
        """Return the arguments of the native functions as a dictionary."""
        inputs = self.array
        explainers = [self._explained(*entry) for entry in self.explainers]
        n = self._n_samples(explainers)
        function = self.function
        if self.tensors.training:
            self.assumed["mode"] = "eval"
        targets = self.columns(n)
        is_regressor = self.adapter is not None and self.adapter.is_regressor
        if is_regressor and targets is not None and targets.ndim == 1 and targets.any():
            if self._n_outputs == 1:
                raise ValueError("targets: the model is a regressor of one output; give None")
        if targets is None and any("targets" in metric.info.needs for _, metric in self.metrics):
            raise ValueError("targets: needed where there is no model to predict them")
        activation = self.activation
        if self.operator is not None:
            if targets is None:
                raise ValueError("targets: needed by an operator")
            rows = targets
            if rows.ndim == 2 and inputs is not None:
                # Frameworks want one precision.
                rows = rows.astype(inputs.dtype)
            function = _models.operator_function(
                self.model, self.operator, rows, self.scoring.activation, self.requested_framework, self.scoring.device
            )
            targets = np.ones((n, 1))
            activation = "none"
        # Scores of whole inputs are the same however these are read.
        is_read = bool(explainers or self.metrics or self.model is None)
        metrics, draws = self._metrics()
        return {
            "model": function,
            "of_samples": self.receives_samples,
            "inputs": inputs,
            "targets": targets,
            "explainers": explainers,
            "metrics": metrics,
            "sides": self._sides(explainers, n, draws),
            "activation": activation,
            "batch_size": self.batch_size,
            "allow_batch_dependence": self.scoring.allow_batch_dependence,
            # Maps with an axis of classes, and those of packages that say their class, were chosen by the targets.
            "explained_class_is_known": not self.map_reader.plain,
            "layout": self.read_layout if is_read else layout_of(self.scoring.layout),
            "curves": self.curves,
            "first_sample": self.first_sample,
            "progress": self.progress,
        }

    def values(self, n_jobs: int | None) -> tuple[Any, str]:
        """Return the native values of all metrics, and the activation applied before scoring."""
        request = self.request()
        parts = [request] if self.features is None else _padding.requests(request, self.features)
        values = [_native.attribution_evaluate(part, n_jobs) for part in parts]
        while len(values) > 1:
            # By pairs, so that no value is copied more than some times.
            pairs = zip(values[::2], [*values[1::2], None])
            values = [first if second is None else first.merged(second) for first, second in pairs]
        self.check()
        return values[0], request["activation"]

    def explainer(
        self, explainer: Any, name: str, called: str
    ) -> Callable[..., npt.NDArray[Any]]:
        """Return an explainer as a function of a batch, its targets, and the sample index of each
        row.

        ``called`` is its name in error messages.
        """
        word, options = explainer if isinstance(explainer, tuple) else (explainer, {})
        if isinstance(word, str):
            return _references.explainer(word, self, dict(options), called)
        # SHAP explainers know the model's column order and return feature names.
        tensors = _packages.tensors_of(word, self.tensors)
        given = _models.argument_function(
            self.model, tensors, self.model_inputs, in_own_order=is_from_package(word, "shap")
        )
        assumption = _packages.assumption(explainer)
        if assumption is not None:
            note(self.assumed, f"maps of {name}", assumption)
        if _packages.explains_one_class(word):
            self._check_one_class(called)

        def read(answer: Any, targets: npt.NDArray[Any]) -> Any:
            inputs = self.model_inputs
            if _models.is_captum(word) and inputs is not None and inputs.integer_dtype is not None:
                answer = self._summed_over_embedding(answer, name)
            return self.map_reader.maps(answer, "explainer", name, lambda _: targets)

        n_outputs = None if self.model is None or self.scoring.score is not None else lambda: self._n_outputs
        return _models.explainer_function(explainer, tensors, self.classes, given, read, n_outputs)

    def _check_one_class(self, called: str) -> None:
        """Raise ``ValueError`` for an explainer of one class if it is not known which."""
        n_outputs = None if self.scoring.score is not None else self._n_outputs
        if self.scoring.explained_class is not None or n_outputs is None or n_outputs < 2:
            return
        columns = self.columns(len(self.array))
        if columns is not None and (columns != columns[:1]).any():
            raise ValueError(
                f"{called}: explains the class that it was made for, and there are targets of others; say which by explained_class, or "
                "evaluate the samples of this class"
            )

    def _summed_over_embedding(self, answer: Any, name: str) -> Any:
        """Add up attributions ``(n, tokens, elements)`` of the layer that embeds tokens."""
        array = self.tensors.array(answer[0] if isinstance(answer, tuple) else answer, "the maps of the explainer")
        if array.ndim != 3:
            return array
        note(self.assumed, f"maps of {name}", "summed over the elements of the embedding")
        return array.sum(axis=-1)

    def maps(self, maps: Any, called: str, name: str) -> Any:
        """Return maps with the columns of the inputs, or the explainer as a function."""
        if maps is None:
            return None
        if _models.is_explainer(maps):
            return self.explainer(maps, name, called)

        def columns(n: int) -> npt.NDArray[Any] | None:
            if self.array is not None and n != len(self.array):
                raise ValueError(f"{called}: expected maps of {len(self.array)} samples, got {n}")
            return self.columns(n)

        return self.map_reader.maps(self.aligned(maps, called), called, name, columns)

    def _explained(self, name: str, maps: Any, explainer: Any) -> Any:
        called = f"explainers[{name!r}]" if self.by_name else "explanations"
        if maps is None and self.texts is not None and is_from_package(explainer, "shap"):
            # It tokenizes texts itself.
            maps, explainer = explainer(self.texts), None
        maps = self.maps(maps, called, name)
        if maps is not None and self.inputs is None and maps.ndim == 3:
            if (self.scoring.layout or "").startswith("channels"):
                # Maps of images that have no channels, and no inputs that would say so.
                maps = maps[..., None] if self.scoring.layout == "channels-last" else maps[:, None]
        if explainer is not None and self.inputs is None:
            raise ValueError("inputs: needed by an explainer")
        if explainer is not None:
            needs_samples = self.needs_samples or _references.needs_samples(explainer, self)
            explainer = self.explainer(explainer, name, called)
            if needs_samples:
                # Its rows would have to know their samples, as those of the model do.
                return name, self.in_batches(explainer) if maps is None else maps, None
        return name, maps, explainer

    def scores(
        self, batch: npt.NDArray[Any], targets: npt.NDArray[Any], samples: Any
    ) -> npt.NDArray[Any]:
        """Compute the model score of each row of a batch."""
        if self.function is None:
            raise ValueError("model: needed by the explainer")
        outputs = self.function(batch, samples)
        if self.activation != "none":
            outputs = _native.attribution_activated(outputs, self.activation)
        if targets.ndim == 2:
            return np.asarray((outputs * targets).sum(axis=1))
        _models.check_classes(targets, outputs.shape[1])
        return np.asarray(outputs[np.arange(len(batch)), targets])

    def gradient(
        self, batch: npt.NDArray[Any], targets: npt.NDArray[Any], samples: Any
    ) -> npt.NDArray[Any] | None:
        """Compute the gradient of the target output; ``None`` for models without gradients."""
        if self.has_tokens or (self.model_inputs is not None and self.model_inputs.has_codes):
            raise TypeError("inputs: have no gradient, as they are tokens or words and no numbers")
        if self.tensors.framework not in ("torch", "jax", "tensorflow"):
            return None
        of = self.model, self.tensors, self.model_inputs, self.scoring.output, self.scoring.score
        return _models.gradient_function(*of)(batch, targets, samples)

    def in_batches(self, explainer: Callable[..., npt.NDArray[Any]]) -> npt.NDArray[Any]:
        """Compute the maps of all inputs."""
        targets = self.columns(len(self.array))
        if targets is None:
            raise ValueError("targets: needed where there is no model to predict them")
        parts = [
            explainer(np.array(self.array[samples], order="C"), targets[samples], samples)
            for samples in _batches(self.array, self.rows_per_call)
        ]
        return np.concatenate(parts)

    def _n_samples(self, explainers: Sequence[Any]) -> int:
        arrays = [self.array, *(maps for _, maps, _ in explainers)]
        n = next((len(a) for a in arrays if a is not None and a.ndim > 0), None)
        if n is None:
            raise ValueError("inputs: expected inputs, or maps")
        return n

    def _metrics(self) -> tuple[list[Any], dict[str, Any]]:
        """Return the metrics and the arrays of their parameters for the native part."""
        metrics = []
        draws: dict[str, Any] = {"baselines": []}
        baselines: dict[str, Any] = {}
        for name, metric in self.metrics:
            parameters = dict(metric.parameters)
            baseline = _baselines.of_metric(metric, self)
            if isinstance(baseline, np.ndarray):
                parameters["baseline"] = f"given:{len(draws['baselines'])}"
                draws["baselines"].append(baseline)
            elif "baseline" in metric.arrays:
                parameters["baseline"] = baseline
            if baseline is not None or {"model", "explainer"} & set(metric.info.needs):
                baselines[name] = baseline
            given = metric.arrays.get("draws")
            if given is not None:
                key = str(metric.info.draws).replace(" ", "_")
                if draws.setdefault(key, given) is not given:
                    raise ValueError(f"draws: the metrics of one run share their {metric.info.draws}")
            selected = {
                "metric": metric.info.name,
                "name": name,
                "parameters": list(parameters.items()),
                "draws_are_given": given is not None,
                **metric.functions,
            }
            metrics.append(selected)
        self.assumed |= _baselines.described_columns(baselines, self.model_inputs)
        return metrics, draws

    def _sides(self, explainers: Sequence[Any], n: int, draws: Mapping[str, Any]) -> dict[str, Any]:
        sides = self.sides
        maps = next((m for _, m, _ in explainers if m is not None), None)
        array = maps if self.array is None else self.array
        shape = None if array is None else array.shape

        def given(convert: Any, name: str) -> Any:
            values = getattr(sides, name)
            if values is None:
                return None
            return planes(convert(self.in_order(self.spread(self.aligned(values, name), name), name), name), shape, n)

        if _models.is_explainer(sides.reference_maps):
            raise TypeError(
                "reference_maps: expected maps, got an explainer; give the maps that it answers"
            )
        masks = given(booleans_or_shares, "masks")
        if masks is not None and masks.ndim != 3:
            message = "; of a mask in colours give `masks.any(axis=…)` over the channels" if masks.ndim == 4 else ""
            if masks.ndim == 2 and shape is not None and masks.shape in (shape[1:3], shape[2:4]):
                message = f"; if all samples have this one, repeat it: np.repeat([mask], {n}, axis=0)"
            expected = INPUTS["masks"]["description"]
            expected = expected[0].lower() + expected[1:]
            raise ValueError(f"masks: expected {expected}, got shape {np.shape(sides.masks)}{message}")
        layer = sides.representation
        if layer is not None:
            _models.ModelAdapter.for_model(layer, "representation")
            if self.receives_samples:
                raise TypeError(
                    "representation: is given one array of inputs, here there are several"
                )
            of = self.tensors.framework, self.tensors.device, None, self.model_inputs
            layer = _models.model_function(layer, *of)
        read = {
            "masks": masks,
            "mosaic": None if sides.mosaic is None else self._mosaic(shape),
            "segments": given(integers, "segments"),
            "reference_maps": self.maps(sides.reference_maps, "reference_maps", "reference_maps"),
            "second_maps": self.maps(sides.second_maps, "second_maps", "second_maps"),
            "baseline": draws["baselines"] or None,
            "representation": layer,
        }
        others = {
            name: self._read(name, self.aligned(values, name), name, shape, n)
            for name, values in vars(sides).items()
            if name not in read and values is not None
        }
        drawn = {
            name: self._read(name, values, "draws", shape, n) for name, values in draws.items() if name != "baselines"
        }
        return {**read, **others, **drawn}

    def _read(self, name: str, values: Any, called: str, shape: Any, n: int) -> Any:
        """Return an input as an array, read by its description."""
        element = INPUTS[name]["element"]
        if element == "target":
            return targets_of(values, n, self.classes)
        if element == "integer":
            positions = integers(values, called)
            return _places(positions, shape) if name == "subsets" else positions
        if element == "boolean":
            return booleans(values, called)
        return booleans_or_shares(values, called) if element == "share" else reals(values, called)

    def _mosaic(self, shape: Any) -> Any:
        if shape is None:
            raise ValueError("mosaic: needs inputs or maps")
        cells = booleans(self.sides.mosaic, "mosaic", 3)
        is_first = channels_axis(self.read_layout) == 1
        height, width = shape[2:] if is_first else (*shape[1:3], 1)[:2]
        return cells, int(height), int(width)


def _places(subsets: npt.NDArray[Any], shape: Any) -> npt.NDArray[Any]:
    """Return the feature indices of subsets; a boolean mask over the features of a table is
    converted.
    """
    n_features = shape[1] if shape is not None and len(shape) == 2 else None
    if subsets.ndim != 3 or subsets.shape[2] != n_features or not subsets.size or not np.isin(subsets, (0, 1)).all():
        return subsets
    sizes = np.unique(subsets.sum(axis=2))
    if n_features <= 2 or len(sizes) > 1:
        raise ValueError(
            "draws: zeros and ones for each feature look like masks; give the numbers of the features, as many in every subset"
        )
    return np.argsort(-subsets, axis=2, kind="stable")[:, :, : int(sizes[0])].astype(np.int64)


def targets_of(targets: Any, n: int, classes: list[Any] | None = None) -> npt.NDArray[Any]:
    """Convert targets to classes ``(n,)`` or weight rows ``(n, n_outputs)``.

    If the outputs of an estimator have labels, classes are these labels.

    >>> targets_of([2, 0, 1], 3)
    array([2, 0, 1])
    >>> targets_of([[0, 1], [1, 0]], 2)
    array([[0., 1.],
           [1., 0.]])
    >>> targets_of(["b", "a"], 2, ["a", "b"])
    array([1, 0])
    """
    if classes is not None and getattr(targets, "ndim", 1) == 2:
        targets = in_order_of(classes, targets, "targets", "the classes of the model")
    array = to_numpy(targets, "targets")
    if array.ndim == 1:
        columns = _numbers_of(array) if classes is None else _columns_of(array, classes)
        _check_n("targets", columns, n)
        return np.ascontiguousarray(columns)
    rows = np.ascontiguousarray(reals(array, "targets", (1, 2)), dtype=np.float64)
    _check_n("targets", rows, n)
    return rows


def _numbers_of(targets: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Convert classes to output indices."""
    if targets.dtype.kind in "SU" or any(isinstance(item, str) for item in targets.flat[:1]):
        raise TypeError(
            f"targets: expected whole numbers, got {targets[0]!r}; give the numbers of the columns of the model, or as the "
            "model the estimator itself or its method `predict_proba`, whose classes_ are known"
        )
    try:
        return integers(targets, "targets")
    except ValueError as error:
        message = f"{error}; of a model with one output, a regressor for instance, give None"
        raise ValueError(message) from None


def _columns_of(targets: npt.NDArray[Any], classes: list[Any]) -> npt.NDArray[np.int64]:
    """Return the output column of each label of an estimator."""
    column = {label: index for index, label in enumerate(classes)}
    labels = _arrays.classes(targets, "targets").tolist()
    foreign = next((i for i, label in enumerate(labels) if label not in column), None)
    if foreign is not None:
        known = ", ".join(map(repr, classes[:20])) + (", …" if len(classes) > 20 else "")
        raise ValueError(
            f"targets[{foreign}]: {labels[foreign]!r} is no class of the model; its classes_ are {known}"
        )
    return np.array([column[label] for label in labels], dtype=np.int64)


def predicted_classes(
    function: Any, inputs: npt.NDArray[Any], batch_size: int | None
) -> npt.NDArray[Any]:
    """Return the class of the largest output for each input; ties go to the lowest class."""
    classes = [
        np.argmax(function(np.array(inputs[samples], order="C"), samples), axis=1)
        for samples in _batches(inputs, batch_size)
    ]
    return np.concatenate(classes).astype(np.int64) if classes else np.zeros(0, np.int64)


def _batches(inputs: npt.NDArray[Any], batch_size: int | None) -> list[npt.NDArray[np.int64]]:
    """Return the sample indices of each batch."""
    if batch_size is None:
        batch_size = _default_batch_size(inputs)
    samples = np.arange(len(inputs))
    return [samples[first : first + batch_size] for first in range(0, len(inputs), batch_size)]


def _default_batch_size(inputs: npt.NDArray[Any], **kind: bool) -> int:
    """Return the default number of rows per call of a model for some inputs."""
    row_bytes = inputs.nbytes // max(len(inputs), 1)
    rows: int = _native.attribution_rows_per_call(inputs.shape, row_bytes, **kind)
    return rows


def explained(value: Any, name: str = "explanations") -> tuple[Any, Any]:
    """Split the value given for an explainer into ``(maps or None, explainer or None)``.

    Examples
    --------
    >>> explained("random"), explained([[1.0]]), explained((len, {}))[0]
    ((None, 'random'), ([[1.0]], None), None)
    """
    if value is None or (isinstance(value, (list, tuple)) and not value):
        raise ValueError(f"{name}: expected maps or an explainer, got {value!r}")
    if _makes_maps(value):
        return None, value
    if isinstance(value, tuple) and len(value) == 2 and _makes_maps(value[1]):
        return value[0], value[1]
    return value, None


def _makes_maps(value: Any) -> bool:
    return isinstance(value, str) or _models.is_explainer(value)


def planes(array: npt.NDArray[Any], shape: Any, n: int) -> npt.NDArray[Any]:
    """Return one value per position as ``(n, height, width)``, without an axis of one channel."""
    if array.ndim == 4 and 1 in (array.shape[1], array.shape[3]):
        array = array[:, 0] if array.shape[1] == 1 else array[..., 0]
    if shape is not None and len(shape) == 2 and array.shape == (n, shape[1]):
        # Tables: one row of positions per sample.
        array = array[:, None]
    return array


def _check_n(name: str, array: npt.NDArray[Any], n: int) -> None:
    if len(array) != n:
        message = f"{name}: expected one per sample, {n}, got shape {array.shape}"
        if len(array) == 1:
            message += "; a single sample has an axis of samples, too: inputs[None]"
        raise ValueError(message)

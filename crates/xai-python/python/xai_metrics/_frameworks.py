"""Conversion between NumPy arrays and the tensors of frameworks, which are imported only if needed.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ._arrays import reals

if TYPE_CHECKING:
    import numpy.typing as npt

    Framework = Literal["numpy", "torch", "jax", "tensorflow", "pandas", "polars"]

#: Forms of inputs for models and explainers: arrays, tensors, or tables.
FRAMEWORKS = ("numpy", "torch", "jax", "tensorflow", "pandas", "polars")


class Tensors:
    """Conversion of NumPy arrays to the tensors of a framework, on a device, and back.

    Examples
    --------
    >>> import numpy as np
    >>> Tensors.for_model(lambda x: x, None, None).framework
    'numpy'
    """

    framework: Framework
    device: Any

    def __init__(self, framework: Framework, device: Any = None) -> None:
        self.framework = framework
        self.device = device
        #: Type of the parameters of a torch module, to which inputs are converted.
        self.dtype: Any = None
        #: The torch module, if the model is one.
        self.module: Any = None
        #: True if integer inputs remain integers, as embeddings require.
        self.keeps_integers = framework in ("torch", "jax", "tensorflow")

    @classmethod
    def for_model(cls, model: Any, framework: Framework | None, device: Any) -> Tensors:
        """Choose the conversion for a model; ``framework`` and ``device`` override the defaults."""
        if framework is not None and framework not in FRAMEWORKS:
            known = ", ".join(FRAMEWORKS)
            raise ValueError(f"framework: expected one of {known}, got {framework!r}")
        if framework is None:
            framework = framework_of(model)
        if device is not None and framework in ("numpy", "pandas", "polars"):
            raise ValueError("device: NumPy arrays have none; name a framework, too")
        tensors = cls(framework, device)
        is_keras = is_keras_model(model)
        module = _module_of(model)
        if framework == "torch" and module is not None:
            parameters = list(module.parameters())
            floating = next((item for item in parameters if item.is_floating_point()), None)
            tensors.dtype = None if floating is None else floating.dtype
            if parameters and device is None:
                tensors.device = parameters[0].device
            tensors.module = None if is_keras else module
            tensors.keeps_integers = any(map(_is_embedding, module.modules()))
        # Its layers make whole numbers of others themselves.
        tensors.keeps_integers &= not is_keras
        if is_from_package(model, "onnxruntime"):
            tensors.keeps_integers = model.get_inputs()[0].type in ("tensor(int32)", "tensor(int64)")
        return tensors

    @property
    def is_on_gpu(self) -> bool:
        """True if the tensors are torch tensors on an accelerator."""
        if self.framework != "torch" or self.device is None:
            return False
        return _library("torch").device(self.device).type not in ("cpu", "meta")

    def tensor(self, array: npt.NDArray[Any]) -> Any:
        """Convert an array to a tensor."""
        if self.framework == "torch":
            tensor = _library("torch").from_numpy(array)
            dtype = self.dtype if tensor.is_floating_point() else None
            return tensor.to(device=self.device, dtype=dtype)
        if self.framework == "jax":
            return _library("jax").device_put(array, self.device)
        if self.framework == "tensorflow":
            tf = _library("tensorflow")
            with tf.device(self.device) if self.device is not None else contextlib.nullcontext():
                return tf.convert_to_tensor(array)
        return array

    def array(self, answer: Any, name: str) -> Any:
        """Convert the answer of a model to an array of real numbers."""
        if isinstance(answer, (list, tuple)) and any(hasattr(item, "detach") for item in answer):
            # A tensor per row.
            answer = np.stack([self.array(entry, name) for entry in answer])
        elif hasattr(answer, "detach"):
            # We have put the inputs there.
            answer = answer.detach().cpu()
        elif self.framework == "jax":
            answer = np.asarray(answer)
        return reals(answer, name)

    def gradient(
        self,
        function: Callable[[Any], Any],
        inputs: Any,
        weights: Callable[[int], npt.NDArray[Any]],
    ) -> Any:
        """Compute the gradient of ``(outputs * weights(n_outputs)).sum()`` with respect to the
        inputs, for ``outputs = function(inputs)``.

        Inputs are tensors of a framework with automatic differentiation.
        """
        if self.framework == "torch":
            inputs = inputs.detach().requires_grad_()
            outputs = function(inputs)
            by = outputs.new_tensor(weights(outputs.shape[1]))
            (gradient,) = _library("torch").autograd.grad((outputs * by).sum(), inputs)
            return gradient
        if self.framework == "jax":
            jax = _library("jax")

            def total(given: Any) -> Any:
                outputs = function(given)
                return (outputs * weights(outputs.shape[1])).sum()

            return jax.grad(total)(inputs)
        tf = _library("tensorflow")
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            outputs = function(inputs)
            score = tf.reduce_sum(outputs * tf.cast(weights(outputs.shape[1]), outputs.dtype))
        return tape.gradient(score, inputs)

    @property
    def training(self) -> list[Any]:
        """Modules in training mode, whose outputs depend on chance (dropout) or on the batch (batch
        normalization).
        """
        return [] if self.module is None else [item for item in self.module.modules() if item.training]

    @contextlib.contextmanager
    def calling(self, *, gradients: bool = False) -> Iterator[None]:
        """Switch the model to evaluation mode for the duration of a call, without gradients and the
        hooks of explainers unless gradients are wanted.
        """
        training = self.training
        for part in training:
            part.training = False
        try:
            if self.framework == "torch" and not gradients:
                with _library("torch").no_grad(), _without_cam_hooks(self.module):
                    yield
            else:
                yield
        finally:
            for part in training:
                part.training = True


@contextlib.contextmanager
def _without_cam_hooks(module: Any) -> Iterator[None]:
    """Take the hooks of class activation maps off a torch module for the duration of a call.

    They would store the activations of every call until the next map is computed.
    """
    modules = [] if module is None else module.modules()
    parts = [getattr(part, "_forward_hooks", {}) for part in modules]
    hooks = [(part, dict(part)) for part in parts if any(map(_is_cam_hook, part.values()))]
    for part, known in hooks:
        for key in [key for key, hook in known.items() if _is_cam_hook(hook)]:
            del part[key]
    try:
        yield
    finally:
        for part, known in hooks:
            part.clear()
            part.update(known)


def _is_cam_hook(hook: Any) -> bool:
    """Return whether a hook of a torch module is a method of pytorch-grad-cam or torchcam."""
    owner = getattr(getattr(hook, "func", hook), "__self__", None)
    return is_from_package(owner, "pytorch_grad_cam", "torchcam")


def _library(framework: str) -> Any:
    """Import a framework, or raise ``ImportError`` with installation advice."""
    try:
        return importlib.import_module(framework)
    except ModuleNotFoundError as error:
        if error.name != framework:
            raise
        raise ImportError(
            f"framework: {framework!r} needs {framework}: install it by `pip install {framework}`"
        ) from None


def framework_of(model: Any) -> Framework:
    """Return the framework whose tensors a model expects.

    Examples
    --------
    >>> framework_of(len)
    'numpy'
    """
    if is_keras_model(model):
        config = getattr(sys.modules.get("keras"), "config", None)
        backend = config.backend() if config is not None and is_from_package(model, "keras") else "tensorflow"
        tensors: tuple[Framework, ...] = ("torch", "jax", "tensorflow")
        return next((item for item in tensors if item == backend), "numpy")
    if _module_of(model) is not None:
        return "torch"
    # Of JAX: functions that `jax.jit` has made, and modules of Flax.
    return "jax" if is_from_package(model, "jax", "jaxlib", "flax") else "numpy"


def framework_of_tensors(values: Any) -> Framework | None:
    """Return the framework of a torch or JAX tensor, otherwise ``None``.

    Examples
    --------
    >>> framework_of_tensors([1.0])
    """
    if is_from_package(values, "torch"):
        return "torch"
    return "jax" if is_from_package(values, "jax", "jaxlib") else None


def on_arrays(model: Any) -> Callable[[npt.NDArray[Any]], Any]:
    """Return a framework model as a function from arrays to arrays; other functions are returned
    unchanged.

    Examples
    --------
    >>> on_arrays(len) is len
    True
    """
    tensors = Tensors.for_model(model, None, None)
    if tensors.framework == "numpy":
        return model  # type: ignore[no-any-return]

    def ask(rows: npt.NDArray[Any]) -> Any:
        with tensors.calling():
            return tensors.array(model(tensors.tensor(rows)), "the answer of the model")

    return ask


def is_from_package(value: Any, *packages: str) -> bool:
    """Return whether the class of a value, or a base class, is from one of some packages, without
    importing these.

    Examples
    --------
    >>> import numpy as np
    >>> is_from_package(np.float64(1.0), "numpy"), is_from_package(1.0, "numpy", "torch")
    (True, False)
    """
    return any(base.__module__.partition(".")[0] in packages for base in type(value).__mro__)


def is_torch_module(model: Any) -> bool:
    """Return whether a value is a torch module, without importing torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)


def _module_of(model: Any) -> Any:
    """Return a torch module, or the module whose method ``model`` is, otherwise ``None``."""
    owners = (model, getattr(model, "__self__", None))
    return next((item for item in owners if is_torch_module(item)), None)


def is_keras_model(model: Any) -> bool:
    """Return whether a value is a Keras layer or model, or a TensorFlow module."""
    return is_from_package(model, "keras", "tf_keras", "tensorflow")


def _is_embedding(module: Any) -> bool:
    """Return whether a torch module looks up rows by integers."""
    # Scripted modules are of no class of their own, and have its name.
    names = {base.__name__ for base in type(module).__mro__} | {
        getattr(module, "original_name", "")
    }
    return bool(names & {"Embedding", "EmbeddingBag"})


def outside() -> int:
    """Return the stack level of the first caller outside this package, for ``warnings.warn``."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("xai_metrics."):
        frame, level = frame.f_back, level + 1
    return level

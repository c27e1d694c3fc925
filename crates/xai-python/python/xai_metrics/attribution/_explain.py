"""Maps of explainers, including simple reference explainers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._data import Run

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from .._frameworks import Framework
    from .._types import Activation, Layout


def explain(
    model: Any,
    inputs: Any,
    targets: Any,
    method: Any,
    *,
    output: Any = None,
    score: Callable[[Any], Any] | None = None,
    activation: Activation | None = None,
    batch_size: int | None = None,
    layout: Layout | None = None,
    framework: Framework | None = None,
    device: Any = None,
    **options: Any,
) -> npt.NDArray[Any]:
    """Compute the maps of an explainer, or of a reference explainer by its name.

    Comparisons of explainers should include references that use less information: none
    (``random``, ``constant``), only the input (``edges``), or only simple queries of the model.
    An explainer that is not better than these is useless. The names are also valid explainers
    for :func:`evaluate`: ``{"mine": maps, "random": "random"}``, with options ``("occlusion",
    {"patch": 4})``.

    ====================  ==========================================================================
    name                  map ``A`` of an input ``x``, for the score ``f`` of its target
    ====================  ==========================================================================
    ``random``            standard normal draws that depend on the input and on ``seed=1`` only
    ``constant``          ``A[j] = 1``; many metrics are undefined for it
    ``edges``             for images ``sqrt(gx² + gy²)``, the Sobel operator on the mean of the
                          channels; for time series ``|x[t + 1] - x[t - 1]| / 2``
    ``input_x_gradient``  ``A[j] = x[j] ∂f(x)/∂x[j]``, before the activation, by the derivatives of
                          torch, JAX and TensorFlow; for other models by
                          ``(f(x + h e[j]) - f(x - h e[j])) / 2h``, ``h = step max(1, |x[j]|)``,
                          ``step=1e-3``: two calls per element
    ``occlusion``         ``A[j] = f(x) - f(x with baseline in the region of j)``, ``baseline=0``; the
                          region is an element, for images a square of ``patch`` pixels (by default
                          an eighth of the shorter side): one call per region
    ====================  ==========================================================================

    Parameters
    ----------
    model, inputs, targets
        See :func:`evaluate`.
    method : str or explainer
        A name from the table, or an explainer as in :func:`evaluate`.
    output, score, activation, batch_size, layout, framework, device
        See :func:`evaluate`.
    **options
        Options of the reference explainer, see the table, or further keyword arguments of the
        explainer.

    Returns
    -------
    numpy.ndarray
        Maps ``(n, …)`` in the shape of the inputs; for images and reference explainers except
        ``input_x_gradient`` without channels, ``(n, height, width)``.

    Raises
    ------
    ValueError
        For an unknown word, and for ``edges`` of tables.
    TypeError
        For an unknown option, and for ``input_x_gradient`` of inputs that are no numbers but tokens or words.

    References
    ----------
    Adebayo et al., Sanity Checks for Saliency Maps, 2018 (edge detectors); Zeiler and Fergus, Visualizing and
    Understanding Convolutional Networks, 2014 (occlusion); Shrikumar et al., Not Just a Black Box, 2016 (input ×
    gradient).

    Examples
    --------
    >>> import numpy as np
    >>> from xai_metrics.attribution import evaluate, explain
    >>> weights = np.array([[2.0], [-1.0]])
    >>> x = np.array([[1.0, 3.0], [2.0, 1.0]])
    >>> explain(lambda x: x @ weights, x, [0, 0], "occlusion").tolist() # the terms of a linear model
    [[2.0, -3.0], [4.0, -1.0]]
    >>> explainers = {"mine": x * weights.T, "random": "random"}
    >>> table = evaluate(lambda x: x @ weights, x, [0, 0], explainers, ["completeness"])
    >>> table["completeness"].ranking
    ['mine', 'random']
    """
    run = Run.from_keywords(
        model=model,
        inputs=inputs,
        targets=targets,
        output=output,
        score=score,
        activation=activation,
        batch_size=batch_size,
        layout=layout,
        framework=framework,
        device=device,
    )
    if inputs is None:
        raise ValueError("inputs: needed by an explainer")
    explainer = (method, options) if options else method
    return run.in_batches(run.explainer(explainer, "explanations", "method"))

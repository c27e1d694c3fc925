"""Maps of an explainer, among them those that every comparison should have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._data import Run

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from .._frameworks import Framework


def explain(
    model: Any,
    inputs: Any,
    targets: Any,
    method: Any,
    *,
    output: Any = None,
    score: Callable[[Any], Any] | None = None,
    activation: str | None = None,
    batch_size: int | None = None,
    layout: str | None = None,
    framework: Framework | None = None,
    device: Any = None,
    **options: Any,
) -> npt.NDArray[Any]:
    """The maps of an explainer for some inputs; by word those of a reference explainer.

    Whoever compares explainers should have some in the table that know less than they: one that knows nothing
    (``random``, ``constant``), one that knows the input and not the model (``edges``), and the two simplest ones that
    ask the model. An explainer that is no better than these explains nothing. The words are also explainers of
    :func:`evaluate`: ``{"mine": maps, "random": "random"}``, with options ``("occlusion", {"patch": 4})``.

    ====================  ==========================================================================
    word                  map ``A`` of an input ``x``, for the score ``f`` of its target
    ====================  ==========================================================================
    ``random``            draws of a standard normal distribution, which depend on the input and on
                          ``seed=1`` alone
    ``constant``          ``A[j] = 1``; many metrics are undefined for it
    ``edges``             of images ``sqrt(gx² + gy²)``, the Sobel operator on the mean of the
                          channels; of time series ``|x[t + 1] - x[t - 1]| / 2``
    ``input_x_gradient``  ``A[j] = x[j] ∂f(x)/∂x[j]``, before the activation, by the derivatives of
                          torch, JAX and TensorFlow; of other models by
                          ``(f(x + h e[j]) - f(x - h e[j])) / 2h``, ``h = step max(1, |x[j]|)``,
                          ``step=1e-3``: two calls per element
    ``occlusion``         ``A[j] = f(x) - f(x with baseline in the region of j)``, ``baseline=0``; the
                          region is an element, of images a square of ``patch`` pixels (by default
                          an eighth of the shorter side): one call per region
    ====================  ==========================================================================

    Parameters
    ----------
    model, inputs, targets
        As in :func:`evaluate`.
    method : str or explainer
        A word of the table, or an explainer as :func:`evaluate` takes them.
    output, score, activation, batch_size, layout, framework, device
        As in :func:`evaluate`.
    **options
        Of the method, see the table; of an explainer its further keyword arguments.

    Returns
    -------
    numpy.ndarray
        ``(n, …)`` as the inputs; of images ``(n, height, width)`` by the words.

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
    run = Run.of(
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

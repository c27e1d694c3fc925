"""Layouts of inputs and activations of outputs, by their names in the native part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from .. import _native

if TYPE_CHECKING:
    from .._types import Layout

#: Accepted words by argument, and the metrics of ``"standard"``.
WORDS: dict[str, list[str]] = _native.attribution_words()


def activation_of(activation: str | None) -> str:
    """Normalize the name of an activation."""
    name = "none" if activation is None else str(activation).replace("_", "-")
    if name not in WORDS["activation"]:
        known = ", ".join(WORDS["activation"])
        raise ValueError(f"activation: expected None or one of {known}, got {activation!r}")
    return name


def layout_of(
    layout: str | None,
    shape: Sequence[int] | None = None,
    of_images: Layout | None = None,
    planes: Sequence[Any] = (),
) -> Layout | None:
    """Normalize the name of a layout, or infer the layout from the shape if it is ``None``.

    For images, the convention of the framework (``of_images``) is used; for torch, a shape that
    only fits channels last is an error. Otherwise arrays without channels over the same
    positions (``planes``) decide, then the number of channels (1 to 4), then square images.

    Examples
    --------
    >>> layout_of("channels_first"), layout_of(None, (8, 3, 16, 16)), layout_of(None, (8, 16, 16, 1))
    ('channels-first', 'channels-first', 'channels-last')
    """
    if layout is not None:
        name = str(layout).replace("_", "-")
        if name not in WORDS["layout"]:
            raise ValueError(f"layout: expected one of {', '.join(WORDS['layout'])}, got {layout!r}")
        return cast("Layout", name)
    if shape is not None and len(shape) > 4:
        raise ValueError(
            f"inputs: expected at most four axes, got shape {tuple(shape)}; lay the planes of volumes side by side, "
            "(n, depth * height, width, channels), and reshape them in a function that calls the model"
        )
    if shape is None or len(shape) != 4:
        by_axes: dict[int, Layout] = {2: "tabular", 3: "time-series"}
        return by_axes.get(0 if shape is None else len(shape))
    plane_of: dict[Layout, tuple[int, ...]] = {"channels-last": tuple(shape[1:3]), "channels-first": tuple(shape[2:])}
    images = [name for name in plane_of if _fits_images(shape, name, plane_of[name])]
    if of_images == "channels-first" and images == ["channels-last"]:
        raise ValueError(
            f"inputs: shape {tuple(shape)} is that of images with their channels last, and tensors of images have them "
            "first; give inputs.transpose(0, 3, 1, 2), and maps alike; for a model that takes them as they are, say which "
            'they are by layout="channels-last" or layout="channels-first"'
        )
    if of_images is not None:
        return of_images
    shapes = [shape_of(plane) for plane in planes if plane is not None]
    given = [known[-2:] for known in shapes if len(known) in (2, 3)]
    fitting_planes = [name for name in plane_of if given and all(item == plane_of[name] for item in given)]
    square = [name for name in images if len(set(plane_of[name])) == 1]
    for fitting in (fitting_planes, images, square):
        if len(fitting) == 1:
            return fitting[0]
    raise ValueError(
        f"layout: inputs of shape {tuple(shape)} may have their channels last or first; say which by "
        'layout="channels-last" or layout="channels-first"'
    )


def channels_axis(layout: str | None) -> int:
    """Return the channel axis of images.

    Examples
    --------
    >>> channels_axis("channels-first"), channels_axis("channels-last")
    (1, -1)
    """
    return 1 if layout == "channels-first" else -1


def _fits_images(shape: Sequence[int], layout: str, plane: tuple[int, ...]) -> bool:
    """Return whether the shape fits images in this layout: 1 to 4 channels, and both sides longer
    than 1.
    """
    return shape[channels_axis(layout)] in (1, 2, 3, 4) and min(plane) > 1


def shape_of(values: Any) -> tuple[int, ...]:
    """Return the shape of an array; ``()`` for values that are not arrays."""
    try:
        return tuple(np.shape(values))
    except ValueError:
        return ()

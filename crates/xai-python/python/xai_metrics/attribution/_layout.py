"""How the axes of inputs are read, and what is applied to outputs: words of the library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _native

#: The words that arguments may be, by the arguments, and the metrics of ``"standard"``.
WORDS: dict[str, list[str]] = _native.attribution_words()


def activation_of(activation: str | None) -> str:
    """The activation by its name."""
    name = "none" if activation is None else str(activation).replace("_", "-")
    if name not in WORDS["activation"]:
        known = ", ".join(WORDS["activation"])
        raise ValueError(f"activation: expected None or one of {known}, got {activation!r}")
    return name


def layout_of(
    layout: str | None,
    shape: Sequence[int] | None = None,
    of_images: str | None = None,
    planes: Sequence[Any] = (),
) -> str | None:
    """The layout by its name; where that is ``None``, how arrays of this shape are read.

    Where the framework says it, images are read so (``of_images``); for torch a shape that only images with their
    channels last have is an error. Else arrays over the same positions
    without channels tell (``planes``), then the number of channels: 1 to 4.

    >>> layout_of("channels_first"), layout_of(None, (8, 3, 16, 16)), layout_of(None, (8, 16, 16, 1))
    ('channels-first', 'channels-first', 'channels-last')
    """
    if layout is not None:
        name = str(layout).replace("_", "-")
        if name not in WORDS["layout"]:
            raise ValueError(f"layout: expected one of {', '.join(WORDS['layout'])}, got {layout!r}")
        return name
    if shape is not None and len(shape) > 4:
        raise ValueError(
            f"inputs: expected at most four axes, got shape {tuple(shape)}; lay the planes of volumes side by side, "
            "(n, depth * height, width, channels), and reshape them in a function that calls the model"
        )
    if shape is None or len(shape) != 4:
        return {2: "tabular", 3: "time-series"}.get(0 if shape is None else len(shape))
    plane_of = {"channels-last": tuple(shape[1:3]), "channels-first": tuple(shape[2:])}
    images = [name for name in plane_of if _is_of_images(shape, name, plane_of[name])]
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
    told = [name for name in plane_of if given and all(of == plane_of[name] for of in given)]
    square = [name for name in images if len(set(plane_of[name])) == 1]
    for fitting in (told, images, square):
        if len(fitting) == 1:
            return fitting[0]
    raise ValueError(
        f"layout: inputs of shape {tuple(shape)} may have their channels last or first; say which by "
        'layout="channels-last" or layout="channels-first"'
    )


def channels_axis(layout: str | None) -> int:
    """The axis of the channels of images.

    >>> channels_axis("channels-first"), channels_axis("channels-last")
    (1, -1)
    """
    return 1 if layout == "channels-first" else -1


def _is_of_images(shape: Sequence[int], layout: str, plane: tuple[int, ...]) -> bool:
    """Whether channels are so many as images have, and both sides of the images are longer than 1."""
    return shape[channels_axis(layout)] in (1, 2, 3, 4) and min(plane) > 1


def shape_of(values: Any) -> tuple[int, ...]:
    """The shape of an array; none of an explanation that is no array."""
    try:
        return tuple(np.shape(values))
    except ValueError:
        return ()

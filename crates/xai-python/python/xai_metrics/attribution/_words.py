"""Texts whose features are words."""

from __future__ import annotations

import hashlib
import html
import itertools
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import reals
from .._display import Shown, paragraphs
from .._results import NEGATIVE, POSITIVE
from ._masked import MaskedModel
from ._models import ModelAdapter
from ._pipelines import is_text_pipeline, labels_of, text_scores, texts_of

if TYPE_CHECKING:
    import os

    import numpy.typing as npt


@dataclass(frozen=True)
class Words:
    """Text with the positions of its words.

    Attributes
    ----------
    text : str
        The text.
    offsets : tuple of pairs of int
        Start and end of each word.

    Examples
    --------
    >>> words = Words.of("Not bad, at all.")
    >>> words.words
    ['Not', 'bad', 'at', 'all']
    >>> import numpy as np
    >>> words.kept(np.array([True, False, True, True]))
    'Not , at all.'
    >>> words.kept(np.array([True, False, True, True]), "[MASK]")
    'Not [MASK], at all.'
    """

    text: str
    offsets: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, text: str, pattern: str = r"\w+") -> Words:
        """Split a text into the words that match a regular expression.

        Parameters
        ----------
        text : str
            The text.
        pattern : str
            Regular expression of a word.

        Returns
        -------
        Words
            The text with its words.
        """
        return cls(text, tuple(found.span() for found in re.finditer(pattern, text)))

    @classmethod
    def joined(cls, words: Sequence[str]) -> Words:
        """Join words by spaces to a text.

        Parameters
        ----------
        words : sequence of str
            Words or tokens.

        Returns
        -------
        Words
            The text with its words.

        Raises
        ------
        TypeError
            For anything else than words.
        """
        listed = list(words) if isinstance(words, Iterable) else [words]
        wrong = next((word for word in listed if not isinstance(word, str)), None)
        if wrong is not None:
            raise TypeError(f"text: expected a text, its words, or one of the texts of a TextModel, got {type(wrong).__name__}")
        starts = itertools.accumulate((len(word) + 1 for word in listed), initial=0)
        return cls(" ".join(listed), tuple((start, start + len(word)) for start, word in zip(starts, listed)))

    @classmethod
    def of_tokens(cls, text: str, tokenizer: Any) -> Words:
        """Split a text into the tokens of a tokenizer, without special tokens.

        Parameters
        ----------
        text : str
            The text.
        tokenizer : tokenizer
            Fast tokenizer of transformers, which knows where tokens are in the text.

        Returns
        -------
        Words
            The text with its tokens.

        Raises
        ------
        TypeError
            For a slow tokenizer, which does not know the positions of its tokens.
        """
        if not getattr(tokenizer, "is_fast", True):
            kind = type(tokenizer).__name__
            raise TypeError(f"tokenizer: expected a fast tokenizer, which knows the positions of its tokens, got {kind}")
        encoded = tokenizer(text, return_offsets_mapping=True, return_special_tokens_mask=True)
        places = zip(encoded["offset_mapping"], encoded["special_tokens_mask"])
        return cls(text, tuple((int(start), int(end)) for (start, end), is_special in places if not is_special))

    @property
    def words(self) -> list[str]:
        """The words."""
        return [self.text[start:end] for start, end in self.offsets]

    def kept(self, kept: npt.NDArray[Any], mask: str | None = None) -> str:
        """Return the text with only some of its words.

        Other words are replaced by ``mask``. Without a mask they are deleted, together with one
        adjacent space.

        Parameters
        ----------
        kept : array_like of bool
            Which words to keep, ``(n_words,)``.
        mask : str, optional
            Replacement for the other words.

        Returns
        -------
        str
            The changed text.
        """
        parts, done = [], 0
        for (start, end), is_kept in zip(self.offsets, kept):
            parts.append(self.text[done:start])
            done = end
            if is_kept:
                parts.append(self.text[start:end])
            elif mask is not None:
                parts.append(mask)
            elif self.text[end : end + 1].isspace() and (not parts[-1] or parts[-1][-1].isspace()):
                done = end + 1
        return "".join([*parts, self.text[done:]])


def text_model(
    model: Callable[[list[str]], Any],
    texts: Sequence[str],
    *,
    mask: str | None = None,
    pattern: str = r"\w+",
    cache: bool | str | os.PathLike[str] = False,
    max_calls: int | None = None,
    name: str | None = None,
) -> TextModel:
    r"""Create a masked model of texts whose features are their words.

    Parameters
    ----------
    model : callable
        Function from a list of texts to ``(n,)`` or ``(n, n_outputs)``, such as the ``predict_proba`` of a pipeline of scikit-learn; or
        a text-classification pipeline of transformers. Targets may be labels of both.
    texts : sequence of str
        The samples.
    mask : str, optional
        Replacement for a removed word, for example the mask token of a tokenizer,
        ``tokenizer.mask_token``. By default the word is deleted.
    pattern : str
        A regular expression of a word. ``r"\S+"`` takes punctuation to the word before it.
    cache, max_calls
        See :class:`MaskedModel`. An answer in the cache belongs to the text, the places of its words, the mask and the name of
        the model, so that one file may serve several texts and models.
    name : str, optional
        Name of the model in the cache. The default is ``name_or_path``, as for models of Hugging
        Face, or the name of the function; functions with equal names need different ones here.
        Required if the cache is a file and the model has no name, like a scikit-learn pipeline or a
        ``lambda``, because the file would also be used for other models of that class.

    Returns
    -------
    TextModel
        Model for :func:`evaluate`.

    Raises
    ------
    ValueError
        For a text without any word, and without a ``name`` where it is needed.

    Examples
    --------
    >>> from xai_metrics.attribution import Comprehensiveness
    >>> def praise(texts):
    ...     return [text.count("good") - text.count("bad") for text in texts]
    >>> model = text_model(praise, ["a good film", "bad, bad food"])
    >>> model.words
    [['a', 'good', 'film'], ['bad', 'bad', 'food']]
    >>> maps = [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]
    >>> Comprehensiveness(steps=[1]).evaluate(model, None, None, maps).per_sample.tolist()
    [1.0, -1.0]
    """
    of_texts = [Words.of(text, pattern) for text in texts_of(texts, "texts")]
    empty = next((sample for sample, value in enumerate(of_texts) if not value.offsets), None)
    if empty is not None:
        raise ValueError(f"texts[{empty}]: no word in {of_texts[empty].text!r}; leave it out, or give another pattern")
    # The answers in memory are those of this model alone.
    is_file = not isinstance(cache, bool)
    called = _name_of(model) if name is None else name
    if called is None and is_file:
        raise ValueError(
            f"name: needed with a cache file, because nothing tells this {_owner(model)} from others of its kind, for which the file "
            'would answer, too; give name="sentiment-v1", for instance'
        )
    names = [_digest(text, mask, called) for text in of_texts]
    how = {"labelled": texts, "cache": cache, "max_calls": max_calls, "names": names}
    if is_text_pipeline(model):
        return TextModel(text_scores(model), of_texts, mask, labels=labels_of(model), **how)
    adapter = ModelAdapter.for_model(model)
    return TextModel(adapter.call, of_texts, mask, labels=adapter.classes, **how)


def _name_of(model: Any) -> str | None:
    """Return the name of a model, or of the object whose method it is; ``None`` if it has only a
    class name.
    """
    of = model.model if is_text_pipeline(model) else getattr(model, "__self__", model)
    known = (getattr(of, name, None) for name in ("name_or_path", "__qualname__"))
    name = next((name for name in known if isinstance(name, str) and name and not name.endswith("<lambda>")), None)
    return name if name is None or of is model or is_text_pipeline(model) else f"{name}.{getattr(model, '__name__', '')}"


def _owner(model: Any) -> str:
    """Return the class name of a model, or of the object whose method it is."""
    return "lambda" if getattr(model, "__name__", "") == "<lambda>" else type(getattr(model, "__self__", model)).__qualname__


def _digest(words: Words, mask: str | None, model: str | None) -> str:
    """Return the cache key of a text: its content, word positions, mask and model."""
    content = json.dumps([words.text, words.offsets, mask, model])
    return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()


class TextModel(MaskedModel):
    """Masked model of texts, created by :func:`text_model`."""

    def __init__(
        self,
        model: Callable[[list[str]], Any],
        texts: list[Words],
        mask: str | None,
        labelled: Any = None,
        **limits: Any,
    ) -> None:
        def scores(samples: npt.NDArray[Any], kept: npt.NDArray[Any]) -> Any:
            return model([texts[sample].kept(row, mask) for sample, row in zip(samples, kept)])

        super().__init__(scores, [len(item.offsets) for item in texts], **limits)
        #: Texts with the positions of their words.
        self.texts = texts
        self._labelled = labelled

    @property
    def words(self) -> list[list[str]]:
        """Words of each text."""
        return [item.words for item in self.texts]


@dataclass(frozen=True, repr=False)
class ColoredText(Shown):
    """Text with words coloured by attribution; notebooks display it through ``_repr_html_``.

    Attributes
    ----------
    words : Words
        Text with the positions of its words.
    attributions : numpy.ndarray
        One number per word.
    title : str
        Text in front.
    """

    words: Words
    attributions: npt.NDArray[np.float64]
    title: str = ""

    def _repr_html_(self) -> str:
        largest = np.abs(self.attributions).max(initial=0.0)
        parts, done = [], 0
        for (start, end), value in zip(self.words.offsets, self.attributions):
            parts.append(html.escape(self.words.text[done:start]))
            done = end
            share = 0.0 if largest == 0 else abs(value) / largest
            # The underline shows the sign without colours, too.
            color = f"{POSITIVE if value > 0 else NEGATIVE}{round(255 * 0.6 * share):02x}"
            line = "" if share < 0.05 else f";border-bottom:2px {'solid' if value > 0 else 'dotted'} currentColor"
            word = html.escape(self.words.text[start:end])
            description = f"{word}, {value:.3g}"
            parts.append(
                f'<span title="{value:.3g}" aria-label="{description}" role="mark" style="background:{color}{line};'
                f'print-color-adjust:exact;-webkit-print-color-adjust:exact">{word}</span>'
            )
        parts.append(html.escape(self.words.text[done:]))
        title = f"<strong>{html.escape(self.title)}</strong> " if self.title else ""
        return f'<p style="line-height:1.8">{title}{"".join(parts)}</p>'

    def __repr__(self) -> str:
        pairs = zip(self.words.words, self.attributions)
        description = " ".join(f"{word}({value:+.2g})" for word, value in pairs)
        return paragraphs([f"{self.title}: {description}" if self.title else description])


def color_text(text: Words | str | Sequence[str], attributions: Any, title: str = "", pattern: str = r"\w+") -> ColoredText:
    r"""Colour the words of a text by their attributions: red and underlined if positive, blue and
    dotted if negative, as in plots and reports.

    The intensity is the magnitude relative to the largest one in the text. Screen readers read
    each value.

    Parameters
    ----------
    text : Words or str or sequence of str
        One of ``model.texts`` of a :class:`TextModel`, a text, whose words ``pattern`` finds, or its words or tokens.
    attributions : array-like
        One per word.
    title : str
        Text in front, for example the name of the explainer.
    pattern : str
        See :func:`text_model`.

    Returns
    -------
    ColoredText
        Text that notebooks display in colour.

    Raises
    ------
    ValueError
        Where attributions are not one finite number per word.
    TypeError
        For anything else than text or words.

    Examples
    --------
    >>> print(color_text("not bad at all", [0.5, -0.25, 0.0, 0.0], "mine"))
    mine: not(+0.5) bad(-0.25) at(+0) all(+0)
    """
    words = text if isinstance(text, Words) else Words.of(text, pattern) if isinstance(text, str) else Words.joined(text)
    values = reals(attributions, "attributions", 1).astype(np.float64)
    if len(values) != len(words.offsets):
        raise ValueError(f"attributions: expected {len(words.offsets)}, one per word, got {len(values)}")
    if not np.isfinite(values).all():
        wrong = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"attributions[{wrong}]: expected a finite number, got {values[wrong]}")
    return ColoredText(words, values, title)

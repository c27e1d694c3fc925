"""Text-classification pipelines of transformers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import to_numpy

if TYPE_CHECKING:
    import numpy.typing as npt

    from .._types import Activation


@dataclass(frozen=True)
class TokenizedTexts:
    """Model of a pipeline, and texts as its inputs."""

    model: Any
    texts: list[str]
    #: Token ids, attention mask and others by name, with the mask of special tokens.
    inputs: dict[str, npt.NDArray[Any]]
    targets: Any
    #: Activation that the pipeline applies to the outputs.
    activation: Activation
    #: Token that stands for removed ones, and why.
    baseline: int
    reason: str

    @classmethod
    def of(cls, pipeline: Any, texts: Any, targets: Any) -> TokenizedTexts:
        """Tokenize texts as a pipeline does."""
        listed = texts_of(texts, "inputs", "; a pipeline tokenizes texts itself")
        baseline, reason = _removed_token(pipeline.tokenizer)
        return cls(
            pipeline.model,
            listed,
            _tokens(pipeline, listed),
            targets_of_labels(targets, labels_of(pipeline)),
            _activation(pipeline),
            baseline,
            reason,
        )


def is_text_pipeline(model: Any) -> bool:
    """Return whether ``model`` is a text-classification pipeline of transformers.

    Examples
    --------
    >>> is_text_pipeline(len)
    False
    """
    bases = ((base.__module__.partition(".")[0], base.__name__) for base in type(model).__mro__)
    return ("transformers", "TextClassificationPipeline") in bases


def text_scores(pipeline: Any) -> Callable[[Sequence[str]], npt.NDArray[np.float64]]:
    """Return a pipeline as a function from texts to one column per label."""
    column = {label: index for index, label in enumerate(labels_of(pipeline))}

    def scores(texts: Sequence[str]) -> npt.NDArray[np.float64]:
        answer = pipeline(list(texts), top_k=None)
        rows = np.empty((len(answer), len(column)))
        for row, of_text in zip(rows, answer):
            for entry in of_text:
                row[column[entry["label"]]] = entry["score"]
        return rows

    return scores


def labels_of(pipeline: Any) -> list[str]:
    """Return the label of each output."""
    labels = {int(index): str(label) for index, label in pipeline.model.config.id2label.items()}
    return [labels[index] for index in sorted(labels)]


def targets_of_labels(targets: Any, labels: Sequence[str]) -> Any:
    """Return targets that are labels as columns; others are returned unchanged.

    Examples
    --------
    >>> targets_of_labels(["good", "bad"], ["bad", "good"])
    [1, 0]
    """
    if targets is None:
        return None
    array = to_numpy(targets, "targets")
    values = array.tolist()
    if array.ndim != 1 or not all(isinstance(value, str) for value in values):
        return targets
    column = {label: index for index, label in enumerate(labels)}
    unknown = next((index for index, label in enumerate(values) if label not in column), None)
    if unknown is not None:
        known = ", ".join(map(repr, labels))
        raise ValueError(f"targets[{unknown}]: {values[unknown]!r} is no label of the model; its labels are {known}")
    return [column[label] for label in values]


def texts_of(texts: Any, name: str, hint: str = "") -> list[str]:
    """Return texts as a list; ``hint`` ends the error message for elements that are no texts.

    Examples
    --------
    >>> texts_of(("good", "bad"), "texts")
    ['good', 'bad']
    """
    if isinstance(texts, str):
        raise TypeError(f"{name}: expected several texts, got one; give a list of it")
    if isinstance(texts, Mapping) or hasattr(texts, "columns") or getattr(texts, "ndim", 1) != 1:
        raise TypeError(f"{name}: expected a list of texts, got {type(texts).__name__}; give one column of a table")
    listed = texts.tolist() if hasattr(texts, "tolist") else list(texts)
    wrong = next((index for index, text in enumerate(listed) if not isinstance(text, str)), None)
    if wrong is not None:
        raise TypeError(f"{name}[{wrong}]: expected a text, got {type(listed[wrong]).__name__}{hint}")
    if not listed:
        raise ValueError(f"{name}: expected at least one text")
    return listed


def _tokens(pipeline: Any, texts: list[str]) -> dict[str, npt.NDArray[Any]]:
    settings = {**getattr(pipeline, "_preprocess_params", {}), "padding": True, "return_special_tokens_mask": True}
    encoded = pipeline.tokenizer(texts, return_tensors="np", **settings)
    tokens = {name: np.asarray(values) for name, values in encoded.items()}
    # The embeddings of RoBERTa have two positions that no token takes.
    known = ((pipeline.model.config, "max_position_embeddings"), (pipeline.tokenizer, "model_max_length"))
    limits = (getattr(of, name, None) for of, name in known)
    longest = min((limit for limit in limits if limit is not None), default=None)
    size = tokens["input_ids"].shape[1]
    if longest is not None and size > longest:
        lengths = tokens["attention_mask"].sum(axis=1)
        raise ValueError(
            f"inputs[{int(lengths.argmax())}]: the text has {int(lengths.max())} tokens, and the model takes {longest}; make the "
            "pipeline with truncation=True"
        )
    return tokens


def _removed_token(tokenizer: Any) -> tuple[int, str]:
    for kind in ("mask", "unk", "pad"):
        token = getattr(tokenizer, f"{kind}_token_id", None)
        if token is not None:
            return int(token), f"{getattr(tokenizer, f'{kind}_token')} of the tokenizer"
    raise ValueError(
        "model: the tokenizer of the pipeline has no mask, unknown or padding token; evaluate pipeline.model with "
        'inputs={"input_ids": …, "attention_mask": …} and baseline=, the token that stands for removed ones'
    )


def _activation(pipeline: Any) -> Activation:
    """Return the activation that the pipeline applies."""
    chosen = getattr(pipeline, "_postprocess_params", {}).get("function_to_apply")
    if chosen is not None:
        name = str(getattr(chosen, "name", chosen)).lower()
        return "sigmoid" if name == "sigmoid" else "softmax" if name == "softmax" else "none"
    config = pipeline.model.config
    kind = getattr(config, "problem_type", None)
    if kind == "regression":
        return "none"
    return "sigmoid" if kind == "multi_label_classification" or len(labels_of(pipeline)) == 1 else "softmax"

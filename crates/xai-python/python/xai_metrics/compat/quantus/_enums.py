"""Enumerations of the attributes of metrics."""

from __future__ import annotations

from enum import Enum

__all__ = ["DataType", "EvaluationCategory", "ModelType", "ScoreDirection"]


class DataType(Enum):
    """Kind of inputs."""

    IMAGE = "image"
    TIMESERIES = "time-series"
    TABULAR = "tabular"
    TEXT = "text"


class ModelType(Enum):
    """Framework of a model. The metrics here also take estimators and functions."""

    TORCH = "torch"
    TF = "tensorflow"


class ScoreDirection(Enum):
    """Better end of the scale."""

    HIGHER = "higher"
    LOWER = "lower"


class EvaluationCategory(Enum):
    """Property of explanations that a metric measures."""

    FAITHFULNESS = "Faithfulness"
    ROBUSTNESS = "Robustness"
    RANDOMISATION = "Randomisation"
    COMPLEXITY = "Complexity"
    LOCALISATION = "Localisation"
    AXIOMATIC = "Axiomatic"
    NONE = "None"

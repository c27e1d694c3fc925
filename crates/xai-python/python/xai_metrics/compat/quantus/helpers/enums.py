"""Values of the attributes of metrics, as in ``quantus.helpers.enums``."""

from .._enums import DataType, EvaluationCategory, ModelType, ScoreDirection

__all__ = ["DataType", "EvaluationCategory", "ModelType", "ScoreDirection"]

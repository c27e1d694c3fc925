"""Explanation methods of a fitted explainer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from .._alignment import Alignment
from .._arrays import TextColumnError, check_finite, in_order_of, reals
from ._explanation import Explanation
from ._explanations import Explanations
from ._fitted import Fitted
from ._fitting.choices import checked_k, weights_of
from ._fitting.classes import label_array
from ._fitting.parts import joined, parts
from ._fitting.predictions import one_label, predictions_of

if TYPE_CHECKING:
    import numpy.typing as npt


class ExplainMethods(Fitted):
    """Methods of :class:`.CaseExplainer` that explain predictions."""

    def explain_instance(
        self,
        test_sample: Any,
        test_index: int | None = None,
        true_class: Any = None,
        predicted_class: Any = None,
        model: Any = None,
        k: int | None = None,
        return_provenance: bool = True,
        distance_weighted: bool = True,
    ) -> Explanation:
        """Explain one prediction.

        Parameters
        ----------
        test_sample : array of shape (n_features,)
            The sample.
        test_index : int, optional
            Index in a test set, stored in the explanation.
        true_class : label, optional
            The true class, if known.
        predicted_class : label, optional
            The predicted class; by default predicted by ``model``.
        model, k, return_provenance, distance_weighted
            See :meth:`explain_arrays`.

        Returns
        -------
        Explanation
            The neighbours and their correspondence.

        Raises
        ------
        ValueError
            See :meth:`explain_arrays`.
        """
        test_sample = self._in_order(test_sample, "test_sample")
        if self._encoding is not None and hasattr(test_sample, "to_frame"):
            test_sample = test_sample.to_frame().T.infer_objects()
        # A row of a table: each feature may be of a type of its own.
        is_mixed = getattr(test_sample, "dtype", None) == object
        row = np.asarray(test_sample)[np.newaxis] if is_mixed else test_sample
        if self._encoding is not None and hasattr(row, "columns"):
            row = self._encoding.numbers(row, "test_sample")
        sample = reals(row, "test_sample")
        if sample.ndim == 2 and len(sample) == 1:
            sample = sample[0]
        if sample.shape != (self.n_features,):
            found = len(sample) if sample.ndim == 1 else sample.shape
            raise ValueError(f"test_sample has {found} features, expected {self.n_features}")
        if predicted_class is None:
            predictions = self._labels(test_sample, sample[np.newaxis], None, model)
        else:
            predictions = one_label(predicted_class)
        truth = None if true_class is None else one_label(true_class)
        explanation = self.explain_arrays(
            sample[np.newaxis],
            truth,
            predictions,
            model,
            k,
            return_provenance=return_provenance,
            distance_weighted=distance_weighted,
        )[0]
        explanation.test_index = test_index
        return explanation

    def explain_batch(
        self,
        X_test: Any,
        y_test: Any = None,
        predictions: Any = None,
        model: Any = None,
        k: int | None = None,
        return_provenance: bool = True,
        distance_weighted: bool = True,
    ) -> list[Explanation]:
        """Explain many predictions, as a list of objects.

        The attributes of an explanation are looked up on first access, so that creating the list
        is cheap.

        Parameters
        ----------
        X_test, y_test, predictions, model, k, return_provenance, distance_weighted
            See :meth:`explain_arrays`.

        Returns
        -------
        list of Explanation
            One explanation per sample.

        Raises
        ------
        ValueError
            See :meth:`explain_arrays`.

        Examples
        --------
        >>> from xai_metrics.casebased import CaseExplainer
        >>> explainer = CaseExplainer([[0.0], [1.0], [9.0]], [0, 0, 1], k=2)
        >>> [e.correspondence for e in explainer.explain_batch([[0.5], [0.4]], predictions=[0, 1])]
        [1.0, 0.0]
        """
        return self.explain_arrays(
            X_test,
            y_test,
            predictions,
            model,
            k,
            return_provenance=return_provenance,
            distance_weighted=distance_weighted,
        ).to_list()

    def explain_arrays(
        self,
        X_test: Any,
        y_test: Any = None,
        predictions: Any = None,
        model: Any = None,
        k: int | None = None,
        *,
        return_provenance: bool = True,
        distance_weighted: bool = True,
        progress: bool = False,
    ) -> Explanations:
        """Explain many predictions as arrays, the fastest way for whole test sets.

        Parameters
        ----------
        X_test : array of shape (m, n_features)
            The samples. The columns of a table are matched by name with those of the training rows.
        y_test : array of shape (m,), optional
            The true classes, where they are known.
        predictions : array of shape (m,), optional
            Predicted classes; by default from one call of ``model`` with all samples. A model that
            returns one class for a batch is called row by row.
        model : object, optional
            Object with ``predict``, or a function from rows to classes. It receives the original
            table if it knows feature names (``feature_names_in_``), otherwise an array. A torch
            module receives tensors, and predicts the index of its largest output.
        k : int, optional
            Number of neighbours; by default that of the explainer.
        return_provenance : bool
            Whether neighbours carry their metadata.
        distance_weighted : bool
            ``False`` gives every neighbour the same weight (plain voting).
        progress : bool
            Whether to show a progress bar, if tqdm is installed.

        Returns
        -------
        Explanations
            Arrays of neighbours, distances, correspondence and levels.

        Raises
        ------
        ValueError
            For another number of features, for values that are not finite, for lengths that do not
            match, and where there are neither predictions nor a model.
        """
        X_test, y_test, predictions = self._aligned(X_test, y_test, predictions)
        samples = self._samples(X_test)
        labels = self._labels(X_test, samples, predictions, model)
        return self._answer(
            samples, labels, y_test, k, return_provenance, distance_weighted, progress
        )

    def explain_votes(
        self,
        X_test: Any,
        y_test: Any = None,
        k: int | None = None,
        *,
        return_provenance: bool = True,
        distance_weighted: bool = True,
        progress: bool = False,
    ) -> Explanations:
        """Explain the classes that the neighbours themselves vote for, those with the largest total
        weight.

        Ties go to the first class in order. If all neighbours have weight 0, the level is
        ``"undefined"`` and the predicted class is meaningless.

        Parameters
        ----------
        X_test, y_test, k, return_provenance, distance_weighted, progress
            See :meth:`explain_arrays`.

        Returns
        -------
        Explanations
            Arrays of neighbours, distances, correspondence and levels.

        Raises
        ------
        ValueError
            See :meth:`explain_arrays`.

        Examples
        --------
        >>> from xai_metrics.casebased import CaseExplainer
        >>> explainer = CaseExplainer([[0.0], [1.0], [9.0]], ["low", "low", "high"], k=2)
        >>> explainer.explain_votes([[8.0], [0.3]]).predicted
        array(['high', 'low'], dtype='<U4')
        """
        X_test, y_test, _ = self._aligned(X_test, y_test)
        return self._answer(
            self._samples(X_test), None, y_test, k, return_provenance, distance_weighted, progress
        )

    def attributions(
        self,
        X_test: Any,
        predictions: Any = None,
        model: Any = None,
        *,
        signed: bool = True,
    ) -> npt.NDArray[np.float64]:
        """Compute the weight of every training case for each sample, as attributions for
        :mod:`.data_attribution`.

        These are the weights in the correspondence if all training cases were neighbours, for
        any similarity, so that similarities can be compared by metrics of training-data
        attribution.

        Parameters
        ----------
        X_test : array of shape (m, n_features)
            The samples.
        predictions, model
            See :meth:`explain_arrays`.
        signed : bool
            Whether a case of another class than the predicted one has the negative weight.

        Returns
        -------
        array of shape (m, n_train)
            The weights.

        Raises
        ------
        ValueError
            See :meth:`explain_arrays`, and where the weighting is a function.

        Examples
        --------
        >>> from xai_metrics.casebased import CaseExplainer
        >>> explainer = CaseExplainer([[0.0], [1.0], [3.0]], [0, 1, 1], k=1, scale=False)
        >>> explainer.attributions([[1.0]], predictions=[0]).round(4)
        array([[ 0.125, -1.   , -0.037]])
        """
        if callable(self._chosen.get("weighting")):
            raise ValueError("weighting: expected a name, for the weights of all training cases are asked for")
        X_test, _, predictions = self._aligned(X_test, None, predictions)
        samples = self._samples(X_test)
        labels = self._labels(X_test, samples, predictions, model)
        self._check_lengths(samples, labels, None)
        weights: npt.NDArray[np.float64] = self._native.attributions(
            samples, self._predicted_numbers(labels), signed, self._space.native_input(samples), self.n_jobs
        )
        return weights

    def _numbers(self, rows: Any, name: str) -> npt.NDArray[Any]:
        """Convert rows to numbers without missing values."""
        if self._encoding is not None and hasattr(rows, "columns"):
            return self._encoding.numbers(rows, name)
        try:
            numbers = reals(rows, name, 2)
        except TextColumnError as error:
            raise TextColumnError(f"{error}; or let the explainer do it by encode=\"one-hot\" or encode=\"ordinal\"") from None
        check_finite(numbers, rows, name)
        return numbers

    def _in_order(self, rows: Any, name: str) -> Any:
        """Reorder the columns to those of the training rows."""
        columns = self.feature_names if self._columns is None else self._columns
        return in_order_of(columns, rows, name, "X_train")

    def _aligned(self, X_test: Any, y_test: Any = None, predictions: Any = None) -> list[Any]:
        """Align samples, true classes and predictions by their indexes."""
        return Alignment().take_all({"X_test": X_test, "y_test": y_test, "predictions": predictions}, "samples")

    def _samples(self, X_test: Any) -> npt.NDArray[Any]:
        samples = self._numbers(self._in_order(X_test, "X_test"), "X_test")
        if samples.shape[1] != self.n_features:
            raise ValueError(f"X_test has {samples.shape[1]} features, expected {self.n_features}")
        return samples

    def _labels(
        self, X_test: Any, samples: npt.NDArray[Any], predictions: Any, model: Any
    ) -> npt.NDArray[Any]:
        """Return the predicted classes, from the argument or from one call of the model."""
        if predictions is not None:
            return label_array(predictions, "predictions")
        model = model if model is not None else self._model
        if model is None:
            raise ValueError("Either predicted_class or model must be provided (of several samples: predictions)")
        rows = self._in_order(X_test, "X_test")
        return predictions_of(model, rows, samples, self._space.input_transform)

    def _predicted_numbers(self, labels: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        known = self._space.known_classes
        if known:
            for label in dict.fromkeys(labels.tolist()):
                if label not in known:
                    raise ValueError(f"predicted_class {label!r} is not in model.classes_")
        self._classes.check(labels, "predictions")
        return self._classes.numbers(labels)

    def _truth(self, y_test: Any) -> npt.NDArray[Any]:
        """Return the true classes; some, but not all of them, may be unknown to the training rows.
        """
        truth = label_array(y_test, "y_test")
        self._classes.check(truth, "y_test", any_is_enough=True)
        return truth

    def _check_lengths(
        self,
        samples: npt.NDArray[Any],
        labels: npt.NDArray[Any] | None,
        truth: npt.NDArray[Any] | None,
    ) -> None:
        for name, given in (("predictions", labels), ("y_test", truth)):
            if given is not None and len(given) != len(samples):
                raise ValueError(f"{name}: expected {len(samples)} labels, got {len(given)}")

    def _answer(
        self,
        samples: npt.NDArray[Any],
        labels: npt.NDArray[Any] | None,
        y_test: Any,
        k: int | None = None,
        return_provenance: bool = True,
        distance_weighted: bool = True,
        progress: bool = False,
    ) -> Explanations:
        truth = None if y_test is None else self._truth(y_test)
        self._check_lengths(samples, labels, truth)
        numbers = None if labels is None else self._predicted_numbers(labels)
        given = self._space.native_input(samples)
        answers = []
        for part in parts(len(samples), progress):
            answers.append(
                self._native.explain(
                    samples[part],
                    None if numbers is None else numbers[part],
                    None if k is None else checked_k(k),
                    None if distance_weighted else "uniform",
                    None if given is None else given[part],
                    self.n_jobs,
                )
            )
        answer = joined(answers)
        if distance_weighted and callable(self._chosen.get("weighting")):
            answer = self._weighed(answer, numbers)
        if labels is None:
            labels = self._classes.labels_from_numbers(answer[2])
        return Explanations(self, samples.copy(), answer, labels, truth, return_provenance)

    def _weighed(
        self, answer: tuple[Any, ...], numbers: npt.NDArray[np.int64] | None
    ) -> tuple[Any, ...]:
        """Recompute the correspondence with the user's function of the distances."""
        indices, far, full = answer[0], answer[1], answer[5]
        weights = weights_of(self._chosen["weighting"], far, indices >= 0)
        weighed = _native.casebased_weigh(
            weights,
            self._native.labels()[indices],
            numbers,
            self._native.class_weights(),
            {name: self._chosen[name] for name in ("high", "medium") if name in self._chosen},
            self.n_jobs,
        )
        return (indices, far, *weighed, full, answer[6])

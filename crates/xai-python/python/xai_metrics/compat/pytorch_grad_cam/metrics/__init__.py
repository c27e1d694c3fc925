"""Drop-in replacement for ``pytorch_grad_cam.metrics`` 1.5 with the same modules, names and arguments.

===============================  ================================================================
module                           classes
===============================  ================================================================
:mod:`.perturbation_confidence`  ``PerturbationConfidenceMetric``, and the classes that remove the
                                 most or least relevant pixels
:mod:`.cam_mult_image`           ``CamMultImageConfidenceChange``, ``DropInConfidence``,
                                 ``IncreaseInConfidence``
:mod:`.road`                     ``ROADMostRelevantFirst``, ``ROADLeastRelevantFirst``, their
                                 averages over percentiles, ``ROADCombined``, ``NoisyLinearImputer``
:mod:`.arcc`                     ``ARCC``, ``Coherency``, ``Complexity``
===============================  ================================================================

A metric is called with a tensor of images, an array of maps, one target per image and the model.
A target is a function of the outputs for one image, such as ``ClassifierOutputTarget(7)``. Scores
are arrays in single precision. The model is in evaluation mode during the call.

:func:`xai_metrics.attribution.evaluate` computes the same quantities for several explainers, with
intervals: :class:`~xai_metrics.attribution.metrics.AverageDrop`,
:class:`~xai_metrics.attribution.metrics.AverageIncrease`,
:class:`~xai_metrics.attribution.metrics.Road` with ``of="score"``.

Where the value of the package differs from the definition of the metric, ours follows the
definition; ``compat=True`` gives the value of the package:

=================  =========================================================================
difference         with ``compat=True``
=================  =========================================================================
random numbers     the noise of imputed pixels is drawn from torch's global generator; by
                   default from the option ``seed``, and the same for all percentiles
equal values       all pixels at the threshold are removed; by default as many as the
                   percentile says, the first ones in row-major order. Maps of ReLUs have
                   many zeros: with 60 % zeros, percentile 50 removes all pixels, which
                   is an error, because nothing is left to impute from; the package solves
                   a singular system of equations.
``"auto"``         what Otsu's threshold marks as relevant is kept; by default it is removed
``ARCC``           see :mod:`.arcc`
=================  =========================================================================
"""

from . import arcc, cam_mult_image, perturbation_confidence, road

__all__ = ["arcc", "cam_mult_image", "perturbation_confidence", "road"]

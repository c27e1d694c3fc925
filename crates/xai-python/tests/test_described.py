"""A parameter has one name, one default and one sentence: in the library and in Python."""

import inspect

import pytest

from xai_metrics import _native, casebased, graph, repro
from xai_metrics._described import parameters_of

FUNCTIONS = {
    "casebased.explainer": casebased.CaseExplainer.__init__,
    "casebased.search": casebased.NeighborSearch.__init__,
    "casebased.correspondence": casebased.compute_correspondence,
    "casebased.audit": None,
    "graph.characterization": graph.characterization_score,
    "graph.ground_truth": graph.ground_truth,
    "graph.mask_properties": graph.mask_properties,
    "graph.robust_fidelity": graph.robust_fidelity,
    "graph.sweep": graph.sweep,
    "graph.unfaithfulness": graph.unfaithfulness,
    "repro.class_distribution": repro.class_distribution,
    "repro.compare_groups": repro.compare_groups,
    "repro.interval": None,
    "repro.pairwise": repro.pairwise,
    "repro.simulate_predictions": repro.simulate_predictions,
    "repro.study": repro.SimulationStudy,
}


def test_every_operation_of_the_library_is_known_here():
    assert sorted(_native.operation_names()) == sorted(FUNCTIONS)


@pytest.mark.parametrize("operation", [name for name, of in FUNCTIONS.items() if of is not None])
def test_a_parameter_of_the_library_is_a_keyword_of_its_name(operation):
    keywords = inspect.signature(FUNCTIONS[operation]).parameters
    for parameter in parameters_of(operation):
        assert parameter.name in keywords, parameter.name
        default = keywords[parameter.name].default
        assert default in (parameter.default, None, inspect.Parameter.empty), parameter.name


@pytest.mark.parametrize(
    "call",
    [
        lambda **one: graph.ground_truth([0.9, 0.1], [1.0, 0.0], **one),
        lambda **one: graph.unfaithfulness([[0.1, 0.9]], [[0.2, 0.8]], **one),
        lambda **one: repro.pairwise([[0, 1], [1, 1]], [0, 1], **one),
        lambda **one: casebased.compute_correspondence([(0, 0.1, 1)], 1, **one),
    ],
)
def test_an_unknown_keyword_is_a_type_error(call):
    with pytest.raises(TypeError, match="no_such"):
        call(no_such=1)


def test_none_is_the_default():
    truth = ([0.9, 0.1], [1.0, 0.0])
    assert graph.ground_truth(*truth, zero_division=None) == graph.ground_truth(*truth)

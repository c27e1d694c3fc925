"""Torch modules whose layers forget what they have learnt."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
captum = pytest.importorskip("captum.attr")

from torch import nn  # noqa: E402
from xai_metrics.attribution import metrics, model_randomization, smoothed  # noqa: E402


def network() -> Any:
    torch.manual_seed(3)
    model = nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 3)
    )
    # Running means that are learnt, in training mode.
    for _ in range(5):
        model(torch.randn(8, 1, 8, 8) * 2 + 1)
    return model


X = np.random.default_rng(0).random((5, 1, 8, 8), dtype=np.float32)
TARGETS = [0, 1, 2, 0, 1]


def state(model: Any) -> dict[str, Any]:
    return {name: of.clone() for name, of in model.state_dict().items()}


def test_layers_are_randomized_from_the_output_and_have_their_own_values_again() -> None:
    model, seen = network(), []
    before = state(model)
    saliency = captum.Saliency(model)

    def explainer(inputs: Any, targets: Any) -> Any:
        assert not model.training
        seen.append(state(model))
        return saliency.attribute(inputs, target=targets)

    values = model_randomization(model, X, TARGETS, explainer=explainer)
    assert values.names == ("4", "1", "0") and [s.layers for s in values.steps] == [
        (0,),
        (0, 1),
        (0, 1, 2),
    ]
    assert model.training and all(
        torch.equal(of, before[k]) for k, of in model.state_dict().items()
    )
    plain, head, head_and_norm, all_of_them = seen
    changed = [{k.split(".")[0] for k in of if not torch.equal(of[k], before[k])} for of in seen]
    assert changed == [set(), {"4"}, {"4", "1"}, {"4", "1", "0"}]
    # Buffers, too; and the same values at every step.
    assert (head_and_norm["1.running_mean"] == 0).all() and (plain["1.running_mean"] != 0).all()
    assert torch.equal(head["4.weight"], all_of_them["4.weight"])
    assert values.average is not None and values.average < 0.9


def test_an_object_of_captum_explains_the_changed_module_and_the_seed_decides() -> None:
    model = network()

    def values(**options: Any) -> list[Any]:
        maps = captum.InputXGradient(model)
        of = model_randomization(model, X, TARGETS, explainer=maps, **options)
        return [step.per_sample.tolist() for step in of.steps]

    torch.manual_seed(0)
    first = values()
    state_of_torch = torch.get_rng_state()
    assert values() == first and torch.equal(torch.get_rng_state(), state_of_torch)
    assert values(seed=2) != first
    assert values(order="independent")[0] == first[0]


def test_the_steps_are_those_of_modules_that_are_randomized_by_hand() -> None:
    model = network().eval()
    values = model_randomization(
        model, X, TARGETS, explainer=captum.Saliency(model), order="independent"
    )
    copy = network().eval()
    sequence = np.random.SeedSequence([1, 0])
    torch.manual_seed(int(sequence.generate_state(1)[0]))
    copy[4].reset_parameters()
    inputs, targets = torch.from_numpy(X), torch.tensor(TARGETS)
    a = captum.Saliency(model).attribute(inputs, target=targets).numpy()
    b = captum.Saliency(copy).attribute(inputs, target=targets).numpy()
    from xai_metrics.attribution import map_similarity

    expected = map_similarity(a, b, "spearman", layout="channels-first")
    np.testing.assert_array_equal(values.steps[0].per_sample, expected)


def test_layers_without_a_reset_have_their_values_in_another_order() -> None:
    class Scale(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.factors = nn.Parameter(torch.arange(16.0) + 1)
            self.register_buffer("shift", torch.arange(16.0))

        def forward(self, x: Any) -> Any:
            return (x * self.factors + self.shift).reshape(-1, 2, 8).sum(2)

    model, seen = Scale(), []
    maps = lambda x, y: (seen.append(state(model)), x * model.factors.detach())[1]  # noqa: E731
    x = np.random.default_rng(1).random((4, 16))
    values = model_randomization(model, x, [0, 1, 0, 1], explainer=maps)
    assert values.names == ("Scale",)
    for name in ("factors", "shift"):
        assert not torch.equal(seen[0][name], seen[1][name])
        assert torch.equal(seen[0][name], seen[1][name].sort().values)


def test_an_explainer_that_fails_leaves_the_module_as_it_was() -> None:
    model = network()
    before = state(model)

    def explainer(inputs: Any, targets: Any) -> Any:
        if not torch.equal(model[4].weight, before["4.weight"]):
            raise RuntimeError("no")
        return inputs

    with pytest.raises(RuntimeError, match="no"):
        model_randomization(model, X, TARGETS, explainer=explainer)
    assert all(torch.equal(of, before[name]) for name, of in model.state_dict().items())


def test_smoothed_maps_of_a_module() -> None:
    model = network()
    explainer = smoothed(captum.Saliency(model), 3, model=model)
    values = model_randomization(
        model, X, TARGETS, explainer=lambda x, y: torch.as_tensor(explainer(x, y))
    )
    assert len(values.steps) == 3 and values.last is not None


def test_what_is_no_module_with_an_explainer_is_refused() -> None:
    model = network()
    with pytest.raises(TypeError, match="explainer: expected a function"):
        model_randomization(model, X, TARGETS)
    with pytest.raises(ValueError, match="n_layers: not for a torch module"):
        model_randomization(model, X, TARGETS, 3, explainer=captum.Saliency(model))
    with pytest.raises(ValueError, match="model: it has no layers with parameters"):
        model_randomization(nn.ReLU(), X, TARGETS, explainer=lambda x, y: x)
    with pytest.raises(TypeError, match="model: expected a torch module with its explainer"):
        model_randomization(lambda layers: None, X, TARGETS, explainer=lambda x, y: x)


def test_a_metric_of_ones_own_beside_a_module() -> None:
    class Largest:
        reads = ("outputs", "explanations")

        def per_sample(self, batch: Any) -> Any:
            assert batch.outputs.shape == (5, 3) and batch.explanations.size == 5 * 64
            return batch.outputs.max(axis=1)

    from xai_metrics.attribution import evaluate

    model = network().eval()
    table = evaluate(
        model, X, TARGETS, {"map": captum.Saliency(model)}, [Largest(), metrics.Sparseness()]
    )
    with torch.no_grad():
        expected = model(torch.from_numpy(X)).max(1).values.double().numpy()
    np.testing.assert_array_equal(table["Largest"]["map"].per_sample, expected)


def test_weights_are_multiplied_for_a_while() -> None:
    from xai_metrics.attribution import meta_consistency

    torch.manual_seed(3)
    net = torch.nn.Sequential(torch.nn.Linear(6, 3))
    before = [of.detach().clone() for of in net.parameters()]
    x = np.random.default_rng(1).random((30, 6), dtype=np.float32)
    explainers = {"gradient": lambda x, y: x * net[0].weight.detach()[y], "random": "random"}
    judged = meta_consistency(net, x, explainers, ["deletion"], perturb="model", n_iterations=1, n_perturbations=2)
    assert all(torch.equal(of, kept) for of, kept in zip(net.parameters(), before))
    assert judged.kept_minor is not None and judged.kept_minor > 0.9
    assert judged.kept_disruptive is not None and judged.kept_disruptive > 0.1
    again = meta_consistency(net, x, explainers, ["deletion"], perturb="model", n_iterations=1, n_perturbations=2)
    assert again.metrics == judged.metrics

"""The same calls to Captum and to :mod:`xai_metrics.compat.captum_metrics`."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
captum = pytest.importorskip("captum")
pytest.importorskip("captum.attr")
pytest.importorskip("captum.metrics")

from xai_metrics.compat import captum_metrics as ours  # noqa: E402


# Captum says that it sets what gradients need.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


class Network(torch.nn.Module):  # type: ignore[misc, name-defined]
    """Of two inputs, one of which is an image, and a factor."""

    def __init__(self) -> None:
        super().__init__()
        self.image = torch.nn.Conv2d(1, 2, 3)
        self.out = torch.nn.Linear(2 * 16 + 5, 3)

    def forward(self, image: Any, row: Any, factor: Any = None) -> Any:
        hidden = torch.relu(self.image(image)).flatten(1)
        answer = self.out(torch.cat([hidden, row], dim=1))
        return answer if factor is None else answer * factor


@pytest.fixture
def asked() -> tuple[Any, Any, Any]:
    torch.manual_seed(3)
    inputs = torch.rand(4, 1, 6, 6), torch.rand(4, 5)
    return Network().eval(), inputs, torch.tensor([0, 2, 1, 0])


def noisy(inputs: Any, baselines: Any = None) -> Any:
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    noise = tuple(0.1 * torch.randn_like(x) for x in inputs)
    return noise, tuple(x - n for x, n in zip(inputs, noise))


def binary(inputs: Any, baselines: Any = None) -> Any:
    """Perturbations that are no differences of inputs."""
    masks = tuple((torch.rand_like(x) < 0.3).float() for x in inputs)
    return masks, tuple(x * (1 - m) for x, m in zip(inputs, masks))


@pytest.mark.parametrize("perturb", [noisy, binary])
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("largest", [None, 12])
def test_infidelity(asked: Any, perturb: Any, normalize: bool, largest: int | None) -> None:
    model, inputs, target = asked
    maps = captum.attr.InputXGradient(model).attribute(inputs, target=target)
    factor = torch.rand(4, 1) + 0.5

    def of(package: Any) -> Any:
        torch.manual_seed(9)
        return package.infidelity(
            model,
            perturb,
            inputs,
            maps,
            additional_forward_args=(factor,),
            target=target,
            n_perturb_samples=7,
            max_examples_per_batch=largest,
            normalize=normalize,
        )

    values = of(ours)
    assert values.dtype == torch.float32 and values.shape == (4,)
    torch.testing.assert_close(values, of(captum.metrics), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("multiply_by_inputs", [True, False])
@pytest.mark.parametrize("with_baselines", [True, False])
def test_infidelity_with_the_decorator(multiply_by_inputs: bool, with_baselines: bool) -> None:
    torch.manual_seed(1)
    inputs = torch.rand(3, 6)
    inputs[0, 0] = 0.0
    weights = torch.randn(6)
    baselines = torch.full((3, 6), 0.25) if with_baselines else None

    def forward(x: Any) -> Any:
        return torch.sin(x @ weights)

    def of(package: Any) -> Any:
        @package.infidelity_perturb_func_decorator(multiply_by_inputs)  # type: ignore[untyped-decorator]
        def perturb(x: Any, baselines: Any = None) -> Any:
            return x - 0.2 * torch.rand_like(x)

        torch.manual_seed(2)
        return package.infidelity(forward, perturb, inputs, inputs * weights, baselines)

    torch.testing.assert_close(of(ours), of(captum.metrics), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("norm", ["fro", 2, 1, float("inf")])
def test_sensitivity_max(asked: Any, norm: Any) -> None:
    model, inputs, target = asked
    method = captum.attr.Saliency(model)

    def of(package: Any) -> Any:
        torch.manual_seed(9)
        return package.sensitivity_max(
            method.attribute, inputs, n_perturb_samples=5, norm_ord=norm, target=target
        )

    torch.testing.assert_close(of(ours), of(captum.metrics), rtol=1e-4, atol=1e-6)


def test_sensitivity_max_of_baselines_and_further_arguments(asked: Any) -> None:
    model, inputs, target = asked
    method = captum.attr.IntegratedGradients(model)
    baselines = tuple(torch.zeros_like(x) + 0.1 for x in inputs)

    def of(package: Any) -> Any:
        return package.sensitivity_max(
            method.attribute,
            inputs,
            perturb_func=lambda xs: tuple(x + 0.01 for x in xs),
            max_examples_per_batch=8,
            baselines=baselines,
            target=target,
            additional_forward_args=(torch.tensor([[1.0], [2.0], [3.0], [4.0]]),),
            n_steps=8,
        )

    torch.testing.assert_close(of(ours), of(captum.metrics), rtol=1e-4, atol=1e-6)


def test_a_map_of_zeros_has_no_sensitivity() -> None:
    x = torch.tensor([[0.0, 0.0], [1.0, 2.0]])
    near = {"perturb_func": lambda x: x + 0.5, "n_perturb_samples": 2}

    def squares(x: Any) -> Any:
        # Captum gives the inputs themselves as a tuple.
        return (x[0] * x[0],) if isinstance(x, tuple) else x * x

    values = ours.sensitivity_max(squares, x, **near)
    assert torch.isnan(values).tolist() == [True, False]
    of_captum = captum.metrics.sensitivity_max(squares, x, **near)
    torch.testing.assert_close(ours.sensitivity_max(squares, x, **near, compat=True), of_captum)

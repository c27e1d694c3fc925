"""Which gradient map of a small convolutional network tells what the network looks at?

The network learns to say in which quadrant of an image a bright square lies. Maps by plain
gradients, by gradients times input and by chance are judged side by side; the masks of the squares
say whether the maps point at them. Needs torch; captum's integrated gradients join in where it is
installed.

Run it by ``python examples/attribution_torch.py``.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import torch
from torch import nn
from xai_metrics.attribution import (
    AverageStability,
    Deletion,
    EvaluationTable,
    Insertion,
    evaluate,
)


def squares(n: int, seed: int) -> tuple[Any, Any, Any]:
    """Noisy images ``(n, 1, 16, 16)`` with a square of 4 by 4, its quadrant, and its mask."""
    random = np.random.default_rng(seed)
    images = random.normal(0.0, 0.3, (n, 1, 16, 16)).astype(np.float32)
    quadrants = random.integers(0, 4, n)
    masks = np.zeros((n, 16, 16), bool)
    for i, quadrant in enumerate(quadrants):
        row, column = random.integers(0, 5, 2) + 8 * np.array(divmod(quadrant, 2))
        masks[i, row : row + 4, column : column + 4] = True
    images[:, 0][masks] += 1.5
    return images, quadrants, masks


def trained() -> nn.Module:
    """A network of two convolutions, trained for some seconds."""
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 8, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(8 * 16, 4),
    )
    images, quadrants, _ = squares(600, seed=1)
    inputs, labels = torch.from_numpy(images), torch.from_numpy(quadrants)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(60):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
    return model.eval()


def explainers_of(model: nn.Module) -> dict[str, Any]:
    """Explainers: functions of tensors, as the model is one."""

    def gradient(inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        inputs = inputs.detach().requires_grad_()
        model(inputs).gather(1, targets[:, None]).sum().backward()
        assert inputs.grad is not None
        return inputs.grad

    def gradient_times_input(inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        return gradient(inputs, targets) * inputs

    explainers: dict[str, Any] = {
        "gradient": gradient,
        "gradient x input": gradient_times_input,
        "chance": lambda inputs, targets: torch.randn(
            inputs.shape, generator=torch.Generator().manual_seed(1)
        ),
    }
    if importlib.util.find_spec("captum") is not None:
        from captum.attr import IntegratedGradients

        explainers["integrated gradients"] = IntegratedGradients(model)
    return explainers


def main() -> EvaluationTable:
    """The table of all explainers by some metrics."""
    model = trained()
    images, quadrants, masks = squares(64, seed=2)
    table = evaluate(
        model,
        images,
        quadrants,
        explainers_of(model),
        [
            Deletion(steps=16),
            Insertion(steps=16),
            "average_drop",
            "mu_fidelity",
            "relevance_mass_accuracy",
            AverageStability(n_neighbors=5),
        ],
        masks=masks,
        activation="softmax",
    )
    print(table)
    for metric in ("insertion", "relevance_mass_accuracy"):
        print(f"best by {metric}: {table[metric].ranking[0]}")
    return table


if __name__ == "__main__":
    main()

"""A graph convolutional network, explained by GNNExplainer: are its explanations any good?

Needs `pip install torch torch_geometric`.
"""

from __future__ import annotations

import torch
from torch_geometric.datasets import ExplainerDataset
from torch_geometric.datasets.graph_generator import BAGraph
from torch_geometric.explain import Explainer, GNNExplainer
from torch_geometric.nn import GCN

from xai_metrics import graph
from xai_metrics.compat.torch_geometric import explain


def main() -> None:
    torch.manual_seed(0)
    dataset = ExplainerDataset(
        graph_generator=BAGraph(num_nodes=120, num_edges=4),
        motif_generator="house",
        num_motifs=20,
    )
    data = dataset[0]
    x = torch.ones(data.num_nodes, 4) + 0.1 * torch.randn(data.num_nodes, 4)

    model = GCN(in_channels=4, hidden_channels=20, num_layers=3, out_channels=4)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(300):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x, data.edge_index), data.y)
        loss.backward()
        optimizer.step()
    model.eval()

    explainer = Explainer(
        model,
        algorithm=GNNExplainer(epochs=50),
        explanation_type="model",
        node_mask_type="attributes",
        edge_mask_type="object",
        model_config=dict(mode="multiclass_classification", task_level="node", return_type="raw"),
    )
    explanation = explainer(x, data.edge_index, index=data.node_mask.nonzero().view(-1)[:20])

    # The same calls as those of `torch_geometric.explain`.
    pos_fidelity, neg_fidelity = explain.fidelity(explainer, explanation)
    print(f"fid+ {pos_fidelity:.3f}, fid- {neg_fidelity:.3f}")
    print(f"unfaithfulness {explain.unfaithfulness(explainer, explanation):.3f}")
    accuracy, recall, precision, f1_score, auroc = explain.groundtruth_metrics(
        explanation.edge_mask, data.edge_mask
    )
    print(f"the planted motif: recall {recall:.3f}, precision {precision:.3f}, AUROC {auroc:.3f}")

    # Beside them: every size of the explanation, and fidelity that removes a little.
    def weighted(features, edge_index, edge_weight):
        return model(features, edge_index, edge_weight=edge_weight)

    called = graph.with_tensors(weighted)
    mask = explanation.edge_mask
    curve = graph.sweep(called, x, data.edge_index, mask, fractions=[0.05, 0.1, 0.2, 0.4])
    for point in curve.points:
        print(f"{point.level:4.0%} of the edges: characterization {point.characterization:.3f}")
    hard = graph.sparsify(mask, fraction=0.2)
    robust = graph.robust_fidelity(called, x, data.edge_index, hard, n_draws=10)
    print(f"robust fid+ - fid- {robust.delta:+.3f}")
    assert 0 <= pos_fidelity <= 1 and 0 <= neg_fidelity <= 1 and 0 <= auroc <= 1


if __name__ == "__main__":
    main()

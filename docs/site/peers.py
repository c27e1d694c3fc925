"""The pages for those who come from another package: its names, ours, and what differs, as the descriptions of the metrics and the
documentation of `xai_metrics.compat` say it."""

import importlib
import inspect
import re
import textwrap

from xai_metrics import attribution, casebased, counterfactual, graph, repro
from xai_metrics.attribution import metric_infos

#: What each package is called, and the modules that stand in for it.
PEERS = {
    "quantus": ("Quantus", ["quantus"]),
    "captum": ("Captum", ["captum_metrics"]),
    "openxai": ("OpenXAI", []),
    "xplique": ("Xplique", ["xplique.metrics"]),
    "pytorch-grad-cam": (
        "pytorch-grad-cam",
        [f"pytorch_grad_cam.metrics.{module}" for module in ("cam_mult_image", "road", "arcc", "perturbation_confidence")],
    ),
    "torchcam": ("TorchCAM", ["torchcam.metrics"]),
    "torch_geometric": ("PyTorch Geometric", ["torch_geometric.explain"]),
    "case_explainer": ("case-explainer", ["case_explainer", "case_explainer.metrics", "case_explainer.indexing"]),
    "ferret": ("ferret", []),
    "quanda": ("quanda", []),
    "dattri": ("dattri", []),
}


#: Ours of another name, which no documentation says.
OURS = {"groundtruth_metrics": "graph.ground_truth", "euclidean_distance": "casebased.distances"}


def pages():
    for package, (title, modules) in PEERS.items():
        yield package, page(package, title, [importlib.import_module(f"xai_metrics.compat.{module}") for module in modules])


def page(package, title, modules):
    metrics = {}
    for info in (*metric_infos(), *casebased.data_attribution.metric_infos()):
        for peer in info.elsewhere:
            if peer.startswith(f"{package}."):
                metrics.setdefault(peer.partition(".")[2], []).append(f":doc:`{info.title} </metrics/{info.family}/{info.name}>`")
    documented, places = {}, {}
    for module in modules:
        for name in names(module):
            documented.setdefault(name, getattr(module, name))
            places.setdefault(name, f"{module.__name__}.{name}")
    rows, told = [], set()
    for name in [*metrics, *(name for name in documented if name not in metrics)]:
        found, by = documented.get(name), ""
        if found is None:  # a word of a function, which names it
            names_it = (of for of, value in documented.items() if re.search(rf"\b{name}\b", summary(value)))
            of = next(names_it, None)
            found, by = documented.get(of), f" of :py:obj:`{of} <{places[of]}>`" if of else ""
            told.add(of)
        elif name in told:
            continue
        ours = ", ".join(metrics.get(name, [])) or ours_of(name, found)
        has_place = not by and found is not None and not is_ours(found)
        theirs = f":py:obj:`{name} <{places[name]}>`" if has_place else f"``{name}``{by}"
        rows.append((theirs, ours, differs(found)))
    heading = f"From {title}, name by name" if package == "quantus" else f"From {title}"
    lines = [heading, "=" * len(heading), ""]
    if modules:
        lines += [f".. py:currentmodule:: {modules[0].__name__}", ""]
        lines += [f"The names of {title} are in ``{modules[0].__name__}``. Numbers may differ where the table says so.", ""]
        if package == "quantus":
            lines += ["What holds for all of them is in :doc:`/docs/from-quantus`.", ""]
    else:
        lines += [f"Metrics of {title} that are here under another name. The numbers may differ.", ""]
    lines += table((title, "here", "what differs"), rows)
    for module in modules:
        name = module.__name__
        own = [of for of in names(module) if places[of] == f"{name}.{of}" and not is_ours(documented[of])]
        lines += ["", name, "-" * len(name), "", f".. automodule:: {name}", f"   :members: {', '.join(own)}"]
    return "\n".join(lines) + "\n"


def is_ours(found):
    """Whether an interface is one of ours as it is."""
    return not found.__module__.startswith("xai_metrics.compat")


def names(module):
    """What is public of a module, by its list or by what it defines."""
    listed = getattr(module, "__all__", None)
    if listed is None:
        own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        listed = [name for name in own if not name.startswith("_")]
    is_documented = lambda value: inspect.isclass(value) or inspect.isroutine(value)
    return [name for name in listed if is_documented(getattr(module, name))]


def sections(found):
    """The sections of a docstring by their headings; what stands before them has none."""
    parts = re.split(r"\n\n?(\w[\w ]*)\n-{3,}\n", "\n" + (inspect.getdoc(found) or ""))
    return {"": parts[0].strip(), **dict(zip(parts[1::2], parts[2::2]))}


def summary(found):
    return sections(found)[""].partition("\n\n")[0]


def ours_of(name, found):
    """What stands behind an interface: what its documentation links to, else ours of the same name."""
    said = sections(found)
    text = said[""] + said.get("Notes", "")
    roles = re.findall(r":(?:func|class):`~?(xai_metrics\.(?!compat)[\w.]+)`", text)
    roles += [f"xai_metrics.{OURS[name]}"] if name in OURS else []
    families = [family.__name__ for family in (attribution, casebased, counterfactual, graph, repro) if hasattr(family, name)]
    ours = [*re.findall(r"^(xai_metrics\.(?!compat)[\w.]+) :", said.get("See Also", "")), *roles]
    ours += [f"{family}.{name}" for family in families]
    return f":py:obj:`~{ours[0]}`" if ours else ""


def differs(found):
    """Where it is not the same: what its entry says, else what its documentation says before and beside its arguments."""
    definition = getattr(found, "_definition", None)
    if definition is not None:
        return definition.differs
    if found is None or is_ours(found):
        return ""
    said = sections(found)
    text = "\n\n".join([said[""].partition("\n\n")[2], said.get("Notes", "")])
    # The page of the metric has these.
    text = re.sub(r"(?:Lower|Higher) is better\.\s*", "", text)
    text = re.sub(r"Better: (?:[^.]|\.\d)*\.\s*(?:Range: (?:[^.]|\.\d)*\.\s*)?", "", text)
    return text.partition(">>>")[0].strip()


def table(header, rows):
    lines = [".. list-table::", "   :header-rows: 1", "   :widths: 30 25 45", ""]
    for row in (header, *rows):
        for first, text in zip(("* - ", "  - ", "  - "), row):
            cell = textwrap.indent(text, " " * 7).strip()
            lines.append(f"   {first}{cell}".rstrip())
    return lines

"""How Sphinx makes the site of the pages that `pages.py` has gathered; `cargo xtask site` calls both."""

import re
import tomllib
from pathlib import Path, PurePosixPath

from docutils import nodes

import xai_metrics
from xai_metrics.attribution import metric_infos

ROOT = Path(__file__).parents[2]
REPOSITORY = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["repository"]

project = "xai-metrics"
version = release = xai_metrics.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"{project} {version}"
html_copy_source = html_show_sourcelink = html_show_copyright = False
html_use_index = html_domain_indices = False  # the search finds all of it
html_show_search_summary = False  # it would be fetched, which pages opened from a folder may not
html_static_path = [str(ROOT / "docs/site/static")]
html_css_files = ["site.css"]
templates_path = []
myst_heading_anchors = 3
pygments_style, pygments_dark_style = "default", "monokai"
python_use_unqualified_type_names = True
autodoc_typehints = "none"  # docstrings say what arguments are
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = napoleon_use_param = False
suppress_warnings = ["ref.python"]  # docstrings name methods by their last name, which others may have
napoleon_custom_sections = [("Attributes", "params_style")]  # several names may share a description
toc_object_entries = False  # thousands of entries, copied to each page

_PAGES_OF_METRICS = {
    "".join(word.capitalize() for word in info.name.split("_")): f"metrics/attribution/{info.name}"
    for info in metric_infos()
}


def resolve(app, doctree):
    """Turns links to places in the repository into links to their pages, else to the repository."""
    folder = PurePosixPath(app.env.docname).parent
    for node in list(doctree.findall(lambda node: isinstance(node, nodes.Element) and node.get("reftype") == "myst")):
        target, _, anchor = node["reftarget"].partition("#")
        if not target:
            continue
        page = page_of(target, folder, app.env.found_docs)
        if page in app.env.found_docs:
            node["reftarget"], node["reftargetid"] = page, anchor or None
            node["refdomain"] = "doc"
        elif target.startswith("crate::"):
            node.replace_self(node.children)
        elif (ROOT / page).exists():
            node.replace_self(nodes.reference("", "", *node.children, refuri=f"{REPOSITORY}/blob/main/{page}"))


def page_of(target, folder, pages):
    """The page that a link of a file in a folder leads to; a path in the repository where there is none."""
    if target.startswith("crate::"):  # of the documentation of a crate
        return _PAGES_OF_METRICS.get(target.rsplit("::")[-1], target)
    parts = []
    for part in (folder / target).parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    path = "/".join(parts)
    table = re.fullmatch(r"crates/xai-(\w+)/METRICS\.md", path)
    if table:
        return f"metrics/{table[1]}/index"
    return next((page for page in (path.removesuffix(".md"), f"{path}/README") if page in pages), path)


def setup(app):
    app.connect("doctree-read", resolve)

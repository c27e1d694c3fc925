"""The rules of `docs/architecture.md` that no lint knows: layers of crates, and no import cycles among files.

Run in the workspace's root. Imports of Rust are the paths in its text that begin with `crate`, `super`, `self` or a child module. A name that a module
re-exports leads to the file behind it; a `pub use` of something further below is no import, and neither is test code.
"""

import ast
import doctest
import graphlib
import json
import os
import pathlib
import re
import subprocess
import sys

USE = re.compile(r"^\s*(pub\b)?\s*use ([^;]*);", re.MULTILINE)


def modules(folder, kinds):
    """The text of each file of some kinds, by the path of its module: `a/mod.rs` and `a/__init__.py` are `a`."""
    found = {}
    for file in (file for file in folder.rglob("*") if file.suffix in kinds):
        *path, name = file.relative_to(folder).with_suffix("").parts
        found[tuple(path if name in ("lib", "main", "mod", "__init__") else [*path, name])] = file.read_text("utf-8")
    return found


def paths_of_rust(text):
    """Each path of a file: whether a `use` makes it public, private or not at all (`None`), the path, the name it gets.

    >>> paths_of_rust("pub(crate) use a::{b::{self, C as D}, e};\\nfn f() { g::h() } // i::j")
    [(True, ['a', 'b'], 'b'), (True, ['a', 'b', 'C'], 'D'), (True, ['a', 'e'], 'e'), (None, ['g', 'h'], None)]
    """
    text = re.sub(r"//.*", "", text).partition("#[cfg(test)]\nmod tests {")[0]
    text = re.sub(r"\bpub *\([^)]*\)", "pub", text)
    while group := re.search(r"((?:\w+::)+)\{([^{}]*)\}", text):
        parts = [group[1] + part.strip() for part in group[2].split(",") if part.strip()]
        text = text[: group.start()] + ", ".join(parts) + text[group.end() :]
    found = []
    for public, tree in USE.findall(text):
        for path, _, name in (part.strip().partition(" as ") for part in tree.split(",")):
            words = path.removesuffix("::self").split("::")
            found.append((bool(public), words, name or words[-1]))
    return found + [(None, path.split("::"), None) for path in re.findall(r"(?<![\w:$])(?:\w+::)+\w+", USE.sub("", text))]


def absolute(module, words, files):
    """The path from the root of what a module writes, or None where that begins in another crate."""
    start = {"crate": (), "self": module, "super": module[:-1]}.get(words[0])
    if start is None:
        return (*module, *words) if (*module, words[0]) in files else None
    return absolute(start, words[1:], files) if words[1:2] == ["super"] else (*start, *words[1:])


def arrows_of_rust(files):
    """The files that each file imports.

    >>> arrows_of_rust({("s",): "pub use a::A;\\npub use b::B;", ("s", "a"): "use super::B;", ("s", "b"): "fn f(a: crate::s::A)"})
    {('s',): set(), ('s', 'a'): {('s', 'b')}, ('s', 'b'): {('s', 'a')}}
    """
    names, imports = {module: {} for module in files}, []
    for module, text in files.items():
        for public, words, name in paths_of_rust(text):
            if path := absolute(module, words, files):
                imports.append((module, public, path))
                names[module] |= {name: path} if name else {}

    def file_of(path, deepest=16):
        length = next((length for length in range(len(path), 0, -1) if path[:length] in files), 0)
        behind = names.get(path[:length], {}).get(path[length]) if length < len(path) and deepest else None
        return file_of(behind + path[length + 1 :], deepest - 1) if behind else path[:length]

    arrows = {module: set() for module in files}
    for module, public, path in imports:
        file = file_of(path)
        if file in files and file != module and not (public and file[: len(module)] == module):
            arrows[module].add(file)
    return arrows


def arrows_of_python(files):
    """The files that each file imports, also inside of functions and for types alone.

    >>> arrows_of_python({("p",): "from .a import A", ("p", "a"): "def f():\\n    from . import b", ("p", "b"): "from p.a import A"})
    {('p',): {('p', 'a')}, ('p', 'a'): {('p', 'b')}, ('p', 'b'): {('p', 'a')}}
    """
    arrows = {module: set() for module in files}
    for module, text in files.items():
        is_folder = any(other[:-1] == module for other in files)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom):
                up = len(module) + is_folder - node.level if node.level else 0
                path = (*module[:up], *(node.module or "").split(".")) if node.module else module[:up]
                to = {(*path, name.name) if (*path, name.name) in files else path for name in node.names}
                arrows[module] |= {file for file in to if file in files and file != module}
    return arrows


def circle(arrows):
    """A circle of arrows as text, or None.

    >>> circle({("a",): {("b",)}, ("b",): {("c",)}, ("c",): {("b",)}}) in ("c imports b imports c", "b imports c imports b")
    True
    >>> circle({("a",): {("b",)}, ("b",): set()})
    """
    try:
        graphlib.TopologicalSorter(arrows).prepare()
    except graphlib.CycleError as error:
        return " imports ".join("::".join(module) or "the root" for module in reversed(error.args[1]))


FAMILIES = ["xai-casebased", "xai-attribution", "xai-graph", "xai-repro"]
ABOVE = ["xai-metrics", "xai-datafusion", "xai-files", "xai-report"]
LAYERS = {"xai-derive": -1, "xai-core": 0} | dict.fromkeys(FAMILIES, 1) | dict.fromkeys(ABOVE, 2)


def layers(packages):
    """The dependencies, for tests and builds too, of a library on a crate that is not on a lower layer.

    >>> layers([{"name": "xai-graph", "dependencies": [{"name": "xai-core"}, {"name": "ndarray"}, {"name": "xai-repro"}]}])
    ['xai-graph depends on xai-repro']
    """
    programs = {package["name"]: 3 for package in packages}
    of = programs | LAYERS
    pairs = [(package["name"], dependency["name"]) for package in packages for dependency in package["dependencies"]]
    return [f"{a} depends on {b}" for a, b in pairs if a != b and of[a] < 3 and b in of and of[b] >= of[a]]


def main():
    asked = [os.environ.get("CARGO", "cargo"), "metadata", "--no-deps", "--format-version=1"]
    packages = json.loads(subprocess.run(asked, stdout=subprocess.PIPE, check=True).stdout)["packages"]
    problems = layers(packages)
    for source in [pathlib.Path(os.path.relpath(package["manifest_path"])).parent / "src" for package in packages]:
        found = circle(arrows_of_rust(modules(source, [".rs"])))
        problems += [f"{source}: {found}"] if found else []
    found = circle(arrows_of_python(modules(pathlib.Path("crates/xai-python/python"), [".py", ".pyi"])))
    problems += [f"crates/xai-python/python: {found}"] if found else []
    print(*problems, sep="\n", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(doctest.testmod().failed or main())

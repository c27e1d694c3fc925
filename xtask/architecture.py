"""The rules of `docs/architecture.md` that no lint knows: layers of crates, and no import cycles among the files and folders of a folder.

Run in the workspace's root. Imports of Rust are the paths in its text that begin with `crate`, `super`, `self` or a child module. A name that a module
re-exports leads to the file behind it; a `pub use` of something further below is no import, and neither is test code. Where the `impl` blocks of a type
stand in several files, a call of one of its methods imports the file of the method.
"""

import ast
import collections
import doctest
import graphlib
import json
import os
import pathlib
import re
import subprocess
import sys

USE = re.compile(r"^\s*(pub\b)?\s*use ([^;]*);", re.MULTILINE)
INNER_MODULE = re.compile(r"^(?:pub.* )?mod \w+ \{\n.*?^\}", re.MULTILINE | re.DOTALL)
TEST_MODULE = re.compile(r"^#\[cfg\(test\)\]\n(?:#\[.*\]\n)*mod (\w+);", re.MULTILINE)
IMPL = re.compile(r"^impl\b([^{]*)\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)

# Imports between the files and folders of a folder that may close a cycle, and why.
DELIBERATE = {
    ("crates/xai-cli/src", "report::section", "report::init"): "a section says what it finds in a folder, and `init` asks all of them",
    ("crates/xai-cli/src", "report::sections", "report::init"): "the same",
    ("crates/xai-report/src", "section", "diff"): "a section names the figures that are compared, and `diff` goes through the sections",
    ("crates/xai-report/src", "sections", "diff"): "the same",
    ("crates/xai-report/src", "section", "page"): "a section is made of the page's blocks, and the page of sections",
    ("crates/xai-report/src", "sections", "page"): "the same",
}


def modules(folder, kinds):
    """The text of each file of some kinds, by the path of its module: `a/mod.rs` and `a/__init__.py` are `a`.

    The root is `lib.rs`, and `main.rs` where there is no library.
    """
    found = {}
    for file in sorted((file for file in folder.rglob("*") if file.suffix in kinds), reverse=True):
        *path, name = file.relative_to(folder).with_suffix("").parts
        found[tuple(path if name in ("lib", "main", "mod", "__init__") else [*path, name])] = file.read_text("utf-8")
    return found


def code_of_rust(text):
    """The text without comments and tests, and with `super` of the modules inside of it as `self`."""
    text = re.sub(r"//.*", "", text).partition("#[cfg(test)]\nmod tests {")[0]
    return INNER_MODULE.sub(lambda inner: inner[0].replace("super::", "self::"), text)


def methods_of_rust(text):
    """The functions of the inherent `impl` blocks of a file, by type.

    >>> methods_of_rust("impl<F: Fn() -> u8> A<F> {\\n    fn f() {}\\n}\\nimpl D for A {\\n    fn g() {}\\n}")
    {'A': {'f'}}
    """
    found = {}
    for header, body in IMPL.findall(code_of_rust(text)):
        left, n_removed = re.sub(r"->|\bwhere\b.*", "", header, flags=re.DOTALL), 1
        while n_removed:
            left, n_removed = re.subn(r"<[^<>]*>", "", left)
        if len(left.split()) == 1:
            found.setdefault(left.split()[0], set()).update(re.findall(r"\bfn (\w+)", body))
    return found


def paths_of_rust(text):
    """Each path of a file: whether a `use` makes it public, private or not at all (`None`), the path, the name it gets.

    >>> paths_of_rust("pub(crate) use a::{b::{self, C as D}, e};\\nfn f() { g::h() } // i::j")
    [(True, ['a', 'b'], 'b'), (True, ['a', 'b', 'C'], 'D'), (True, ['a', 'e'], 'e'), (None, ['g', 'h'], None)]
    """
    text = re.sub(r"\bpub *\([^)]*\)", "pub", code_of_rust(text))
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
    >>> both = {("a",): "impl A {\\n    fn f(&self) { self.g() }\\n}", ("b",): "use crate::a::A;\\nimpl A {\\n    fn g(&self) {}\\n}"}
    >>> arrows_of_rust(both)
    {('a',): {('b',)}, ('b',): {('a',)}}
    """
    tests = {(*module, name) for module, text in files.items() for name in TEST_MODULE.findall(text)}
    files = {module: text for module, text in files.items() if module not in tests}
    names, imports = {module: {} for module in files}, []
    for module, text in files.items():
        for public, words, name in paths_of_rust(text):
            if path := absolute(module, words, files):
                imports.append((module, public, path))
                names[module] |= {name: path} if name else {}

    def file_of(path, deepest=16):
        length = next((length for length in range(len(path), 0, -1) if path[:length] in files), 0)
        if length < len(path) and re.search(rf"\bmod {path[length]};", files.get(path[:length], "")):
            return None  # a file elsewhere, or of tests
        behind = names.get(path[:length], {}).get(path[length]) if length < len(path) and deepest else None
        return file_of(behind + path[length + 1 :], deepest - 1) if behind else path[:length]

    arrows = {module: set() for module in files}
    for module, public, path in imports:
        file = file_of(path)
        if file in files and file != module and not (public and file[: len(module)] == module):
            arrows[module].add(file)

    parts = collections.defaultdict(dict)
    for module, text in files.items():
        for kind, methods in methods_of_rust(text).items():
            parts[(file_of(names[module].get(kind, (*module, kind))), kind)][module] = methods
    for (file, kind), methods_of in parts.items():
        for module in {file, *methods_of} & files.keys():
            for other in methods_of.keys() - {module}:
                call = rf"(?:\.|\b(?:Self|{kind})::)(?:{'|'.join(methods_of[other])})\("
                if methods_of[other] and re.search(call, code_of_rust(files[module])):
                    arrows[module].add(other)
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


def among_siblings(arrows):
    """The arrows between the files and folders of one folder, where a folder stands for all files below it.

    >>> among_siblings({("a", "x"): {("b", "y")}, ("a", "y"): {("a", "z")}})
    {('a',): {('b',)}, ('a', 'y'): {('a', 'z')}}
    """
    siblings = collections.defaultdict(set)
    for file, imported in arrows.items():
        for other in imported:
            depth = len(os.path.commonprefix([file, other])) + 1
            siblings[file[:depth]].add(other[:depth])
    return dict(siblings)


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


ABOVE = ["xai-metrics", "xai-datafusion", "xai-files", "xai-report"]
#: Families, the crates that the facade re-exports, are on layer 1.
LAYERS = {"xai-derive": -1, "xai-core": 0, "xai-neighbors": 0.5} | dict.fromkeys(ABOVE, 2)


def layers(packages):
    """The dependencies, for tests and builds too, of a library on a crate that is not on a lower layer.

    >>> facade = {"name": "xai-metrics", "dependencies": [{"name": "xai-graph"}, {"name": "xai-repro"}]}
    >>> graph = {"name": "xai-graph", "dependencies": [{"name": "xai-core"}, {"name": "ndarray"}, {"name": "xai-repro"}]}
    >>> layers([facade, graph, {"name": "xai-repro", "dependencies": []}])
    ['xai-graph depends on xai-repro']
    """
    programs = {package["name"]: 3 for package in packages}
    pairs = [(package["name"], dependency["name"]) for package in packages for dependency in package["dependencies"]]
    families = {b: 1 for a, b in pairs if a == "xai-metrics" and b in programs}
    of = programs | families | LAYERS
    return [f"{a} depends on {b}" for a, b in pairs if a != b and of[a] < 3 and b in of and of[b] >= of[a]]


def main():
    asked = [os.environ.get("CARGO", "cargo"), "metadata", "--no-deps", "--format-version=1"]
    packages = json.loads(subprocess.run(asked, stdout=subprocess.PIPE, check=True).stdout)["packages"]
    problems = layers(packages)
    imports = {
        source: arrows_of_rust(modules(source, [".rs"]))
        for source in [pathlib.Path(os.path.relpath(package["manifest_path"])).parent / "src" for package in packages]
    }
    python = pathlib.Path("crates/xai-python/python")
    imports[python] = arrows_of_python(modules(python, [".py", ".pyi"]))
    for source, arrows in imports.items():
        siblings = among_siblings(arrows)
        for folder, *ends in (listed for listed in DELIBERATE if listed[0] == source.as_posix()):
            a, b = (tuple(end.split("::")) for end in ends)
            if b in siblings.get(a, ()):
                siblings[a].remove(b)
            else:
                problems.append(f"{folder}: {ends[0]} no longer imports {ends[1]}: remove it from the list of deliberate cycles")
        found = circle(siblings)
        problems += [f"{source}: {found}"] if found else []
    print(*problems, sep="\n", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(doctest.testmod().failed or main())

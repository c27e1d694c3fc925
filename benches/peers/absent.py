"""Stands for packages that a peer imports and its metrics do not need, so that gigabytes are not installed for them."""
import importlib.abc
import importlib.machinery
import sys
import types


class Nothing(type):
    """A class that has every attribute, all of them such classes."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return nothing(name)


def nothing(name):
    """A class that can be made, called and inherited from."""
    return Nothing(name, (), {"__init__": lambda self, *_, **__: None, "__call__": lambda self, *_, **__: self})


class Absent(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return nothing(name)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        is_ours = name.partition(".")[0] in self.names
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if is_ours else None

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        """There is nothing to run."""


def stand_for(*packages):
    """From now on these can be imported. Last of all that finds modules: what is installed is taken."""
    sys.meta_path.append(Finder(set(packages)))


def bare(*names):
    """Packages of which modules are imported without what their `__init__` imports."""
    for name in names:
        parent, _, _ = name.rpartition(".")
        path = sys.modules[parent].__path__ if parent else None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        module = types.ModuleType(name)
        module.__path__ = list(spec.submodule_search_locations)
        sys.modules[name] = module

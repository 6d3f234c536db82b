"""Hashes of agents' sources: who mends an agent does not go on with the results of the one before.

A hash is of the functions and classes of the user's own code that an agent reaches, without comments and layout, of
what binds the names that they read, and of plain values among them. Code of installed packages counts by its name.
Objects whose content does not show, such as models, count by their type and are listed in `unseen`.
"""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# Values of a user's have no types.

from __future__ import annotations

import argparse
import ast
import dis
import functools
import hashlib
import inspect
import linecache
import os
import re
import sys
import sysconfig
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = (*_FUNCTIONS, ast.ClassDef)
_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_FOREIGN = re.compile(r"[\\/](site|dist)-packages[\\/]|^<frozen ")
_SECRET = re.compile(r"key|token|secret|password", re.IGNORECASE)  # names whose values are left out
_SPACES = (argparse.Namespace, types.SimpleNamespace)
_MAKERS = ("__init__", "__post_init__", "__new__")
# Methods that change a list, a mapping or a set.
_CHANGES = {
    *("append", "appendleft", "extend", "insert", "add", "update", "setdefault", "sort", "reverse"),
    *("pop", "popleft", "popitem", "remove", "discard", "clear"),
}


class Source(NamedTuple):
    """The hash of an agent's source, "" if it has none; what it is of; and what is part of it and does not show."""

    hash: str
    parts: Sequence[str]
    unseen: Sequence[str]


class _Scope(NamedTuple):
    """Statements and the values of the names that they bind."""

    body: Sequence[ast.stmt]
    values: Mapping[str, Any]


def of(agent: object) -> Source:
    """Returns the source of a function, method, partial or callable object."""
    walk = _Walk()
    if not _has_source(agent):
        return Source("", [], [])
    walk.value(getattr(agent, "__qualname__", type(agent).__qualname__), agent, frozenset())
    return walk.source()


def called(agent: Any) -> str:
    """Returns what an agent is called: by its name, or that of its class; "policy" if it has none."""
    while isinstance(agent, functools.partial):
        agent = cast(Any, agent).func
    name = getattr(agent, "__name__", type(agent).__name__)
    return "policy" if name == "<lambda>" else str(name)


def of_caller() -> tuple[str, Source]:
    """Returns the name of the script that runs, and the source of the code that calls this package.

    That is a function, a cell of a notebook or a script, and what it reaches; of a script also its arguments. Values
    of variables do not count, because a loop has many that are not its agent's. Both are "" where nothing is known.
    """
    frame = inspect.currentframe()
    while frame is not None and not _own(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return "", Source("", [], [])
    walk = _Walk(values=False)
    walk.code(frame.f_code, frame.f_globals, {})
    script = getattr(sys.modules["__main__"], "__file__", None) or ""
    if not os.path.isfile(script):
        return "", walk.source()
    walk.argue(sys.argv[1:])
    return os.path.splitext(os.path.basename(script))[0], walk.source()


def _has_source(agent: Any) -> bool:
    if isinstance(agent, functools.partial):
        return _has_source(cast(Any, agent).func)
    agent = inspect.unwrap(getattr(agent, "__func__", agent))
    if isinstance(agent, types.FunctionType):
        return _own(agent.__code__.co_filename)
    kind = agent if isinstance(agent, type) else type(agent)
    return any(_file(base) for base in kind.__mro__)


def _file(kind: type[Any]) -> str:
    """Returns the file of a class of the user's own, and "" for others."""
    methods = [f for f in _methods(kind) if f.__module__ == kind.__module__]
    module = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    file = methods[0].__code__.co_filename if methods else module
    return file if file and _own(file) else ""


def _methods(kind: type[Any]) -> list[types.FunctionType]:
    members = (getattr(m, "__func__", None) or getattr(m, "fget", None) or m for m in vars(kind).values())
    return [member for member in members if isinstance(member, types.FunctionType)]


def _own(file: str) -> bool:
    """Whether a file, or a cell of a notebook, is code of the user's."""
    path = os.path.abspath(file)
    foreign = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), _PACKAGE)
    return not _FOREIGN.search(file) and not any(path.startswith(folder + os.sep) for folder in foreign)


@functools.cache
def _parsed(text: str, file: str) -> tuple[ast.Module, list[types.CodeType]] | None:
    try:
        tree = ast.parse(text)
        return tree, list(_codes(compile(text, file, "exec", dont_inherit=True)))
    except (SyntaxError, ValueError):  # such as a cell with magics
        return None


def _tree(file: str) -> ast.Module | None:
    linecache.checkcache(file)
    found = _parsed("".join(linecache.getlines(file)), file)
    return found[0] if found and found[0].body else None


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _digest(code: types.CodeType) -> str:
    """Writes what a function does where its source is not to be had, or was changed since it was read."""
    constants = [
        _digest(c) if isinstance(c, types.CodeType) else sorted(map(repr, c)) if isinstance(c, frozenset) else repr(c)
        for c in code.co_consts
    ]
    return repr((code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants))


def _statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yields statements and those in them, but for those of functions and classes."""
    for node in body:
        yield node
        if not isinstance(node, _SCOPES):
            yield from _statements(
                child for child in ast.iter_child_nodes(node) if isinstance(child, (ast.stmt, ast.excepthandler))
            )


def _expressions(node: ast.AST) -> list[ast.AST]:
    """Returns the parts of a statement that bind names, without the statements in it."""
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return [node.target, node.iter]
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return list(node.items)
    if isinstance(node, (ast.If, ast.While)):
        return [node.test]
    if isinstance(node, (ast.Try, ast.excepthandler, *_SCOPES)):
        return []
    return [node]


def _bindings(body: Sequence[ast.stmt], name: str) -> list[ast.AST]:
    """Returns what binds a name in a scope or changes what it holds there, such as an assignment."""
    found: list[ast.AST] = []
    for statement in _statements(body):
        parts = _expressions(statement)
        if any(_binds(n, name) for p in parts for n in ast.walk(p)):
            found += parts
    return found


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name and isinstance(node.ctx, ast.Store)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGES:
        return _last(node.func.value) == name
    return isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load) and (
        _last(node.value) == name
    )


def _read(nodes: Sequence[ast.AST]) -> tuple[set[str], frozenset[str]]:
    """Returns the names and the attributes that nodes read."""
    every = [n for node in nodes for n in ast.walk(node)]
    names = {n.id for n in every if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return names, frozenset(n.attr for n in every if isinstance(n, ast.Attribute))


def _state(node: ast.AST, making: bool = False) -> Iterator[str]:
    """Yields the names and attributes that code changes: what they hold is no source."""
    making = node.name in _MAKERS if isinstance(node, ast.FunctionDef) else making
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names
    elif isinstance(node, ast.Attribute) and not making and not isinstance(node.ctx, ast.Load):
        yield node.attr
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        yield _last(node.value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGES:
        yield _last(node.func.value)
    for child in ast.iter_child_nodes(node):
        yield from _state(child, making)


def _last(node: ast.AST) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _written(value: Any) -> str | None:
    """Writes data: texts, numbers, and what holds them; None for anything else."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return repr(value)
    if isinstance(value, dict):
        value = list(value.items())
    if not isinstance(value, (list, tuple, set, frozenset)):
        return None
    parts = [_written(part) for part in cast("Iterable[Any]", value)]
    written = [part for part in parts if part is not None]
    if len(written) < len(parts):
        return None
    return f"[{', '.join(written if isinstance(value, (list, tuple)) else sorted(written))}]"


class _Walk:
    """What an agent reaches."""

    def __init__(self, *, values: bool = True) -> None:
        self._values = values
        self._texts: set[str] = set()
        self._data: dict[tuple[str, str], bool] = {}  # names with what they hold, and whether that can change
        self._state: set[str] = set()
        self._unread: set[str] = set()  # names in code whose source is not to be had
        self._parts: dict[str, None] = {}
        self._unseen: dict[str, None] = {}
        self._seen: set[Any] = set()
        self._kept: list[Any] = []  # objects whose ids are in _seen
        self._frames: list[types.FrameType] = []
        frame = inspect.currentframe()
        while frame is not None:
            self._frames.append(frame)
            frame = frame.f_back

    def source(self) -> Source:
        for (name, text), changes in sorted(self._data.items()):
            last = re.findall(r"\w+", name)[-1]
            if last not in self._state and not (changes and last in self._unread) and not _SECRET.search(name):
                self._texts.add(f"{name} is {text}")
                self._parts[name] = None
        total = hashlib.sha256("\0".join(sorted(self._texts)).encode("utf-8", "backslashreplace")).hexdigest()
        return Source(total if self._texts else "", list(self._parts), list(self._unseen))

    def add(self, label: str, nodes: Sequence[ast.AST]) -> None:
        self._texts |= {f"{label}\n{ast.unparse(node)}" for node in nodes}
        self._state.update(*map(_state, nodes))
        self._parts[label] = None

    def _new(self, *key: Any) -> bool:
        """Whether something is reached for the first time."""
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def argue(self, arguments: Sequence[str]) -> None:
        self._texts.add(f"arguments {arguments!r}")
        self._parts["the arguments of the script"] = None

    def value(self, name: str, value: Any, attributes: frozenset[str]) -> None:
        """Adds a value that has a name where it is reached, and of which some attributes are read."""
        if isinstance(value, functools.partial):
            partial = cast(Any, value)
            for i, part in enumerate([partial.func, *partial.args]):
                self.value(f"{name}[{i}]", part, attributes)
            for key, part in partial.keywords.items():
                self.value(f"{name}[{key}]", part, attributes)
        elif isinstance(value, types.MethodType):
            self.value(name, value.__func__, attributes)
            self.value(name + ".__self__", value.__self__, attributes)
        elif isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, types.ModuleType):
            self._module(value, attributes)
        elif hasattr(value, "__wrapped__"):  # functools.cache
            self.value(name, value.__wrapped__, attributes)
        elif not self._values:
            self._class(type(value))
        elif (written := _written(value)) is not None:
            self._data[name, written] = isinstance(value, (list, dict, set))
        else:
            self._object(name, value, attributes)

    def _module(self, module: types.ModuleType, attributes: frozenset[str]) -> None:
        file = getattr(module, "__file__", None)
        if not file or not _own(file):
            self._texts.add(f"module {module.__name__}")
            return
        scope = self._scope(file, vars(module))
        for attribute in sorted(attributes & vars(module).keys()):
            self.resolve(attribute, [scope], attributes)

    def _scope(self, file: str, values: Mapping[str, Any]) -> _Scope:
        tree = _tree(file)
        return _Scope(tree.body if tree else [], values)

    def _object(self, name: str, value: Any, attributes: frozenset[str]) -> None:
        kind: type[Any] = type(value)
        self._kept.append(value)
        if not self._new("object", id(value), attributes if isinstance(value, _SPACES) else None):
            return
        if isinstance(value, _SPACES):  # arguments of a command: those that are read
            for key in sorted(attributes & vars(value).keys()):
                self.value(f"{name}.{key}", vars(value)[key], attributes)
            return
        self._texts.add(f"{name} is a {kind.__module__}.{kind.__qualname__}")
        if self._class(kind):
            for key, part in sorted(getattr(value, "__dict__", {}).items()):
                self.value(f"{name}.{key}", part, attributes)
            return
        path = getattr(value, "name_or_path", None)  # of models and tokenizers of transformers
        if isinstance(path, str):
            self._texts.add(f"{name} is from {path}")
        if kind.__module__ not in ("builtins", "typing", "_thread", "re"):
            self._unseen[f"{name} ({kind.__module__.partition('.')[0]}.{kind.__qualname__})"] = None

    def _class(self, kind: type[Any]) -> bool:
        """Adds a class; whether it, or a base of it, is the user's own."""
        files = [(base, file) for base in kind.__mro__ if (file := _file(base))]
        for base, file in files:
            if not self._new("class", base):
                continue
            tree = _tree(file)
            nodes = [n for n in (ast.walk(tree) if tree else []) if isinstance(n, ast.ClassDef)]
            nodes = [n for n in nodes if n.name == base.__name__]
            self.add(base.__qualname__, nodes)
            for key, value in {} if nodes else vars(base).items():
                if not key.startswith("__") and (written := _written(value)) is not None:
                    self._data[f"{base.__qualname__}.{key}", written] = isinstance(value, (list, dict, set))
            self.names_of(nodes, [_Scope(tree.body if tree else [], vars(sys.modules.get(base.__module__, types)))])
            for method in _methods(base):
                self._function(method)
        return bool(files)

    def _function(self, function: types.FunctionType) -> None:
        code = function.__code__
        if not _own(code.co_filename):
            self._texts.add(f"function {function.__module__}.{function.__qualname__}")
            return
        self._kept.append(function)
        if not self._new("function", id(function)):
            return
        cells: dict[str, Any] = {}
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            try:
                cells[name] = cell.cell_contents
            except ValueError:  # not bound yet
                pass
        self.code(code, function.__globals__, cells)
        for i, value in enumerate([*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]):
            if not isinstance(value, (list, dict, set)):
                self.value(f"{function.__qualname__}({i})", value, frozenset())
        if hasattr(function, "__wrapped__"):
            self.value(function.__qualname__, cast(Any, function).__wrapped__, frozenset())

    def code(self, code: types.CodeType, module: Mapping[str, Any], cells: Mapping[str, Any]) -> None:
        """Adds code and what it reads: names of its module, and variables of functions around it."""
        tree = _tree(code.co_filename)
        nodes = self._nodes(code, tree)
        self.add(code.co_name, nodes)
        if not nodes:
            self._texts.add(f"{code.co_name} does {_digest(code)}")
            self._unread |= {*code.co_names, *code.co_freevars}
            self._state |= {i.argval for i in dis.get_instructions(code) if i.opname in ("STORE_GLOBAL", "STORE_DEREF")}
        scopes = [_Scope(tree.body if tree else [], module)]
        for outer in self._around(tree, nodes):
            frame = next((f for f in self._frames if f.f_code.co_name == outer.name and code in _codes(f.f_code)), None)
            scopes.insert(0, _Scope(outer.body, dict(frame.f_locals) if frame else {}))
        if cells:
            body, values = scopes.pop(0) if len(scopes) > 1 else _Scope([], {})
            scopes.insert(0, _Scope(body, {**values, **cells}))
        names, attributes = set(code.co_freevars), set[str]()
        for part in _codes(code):
            for i in dis.get_instructions(part):
                if i.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                    names.add(i.argval)
                elif i.opname in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
                    attributes.add(i.argval)
                elif i.opname == "IMPORT_NAME" and code.co_name != "<module>":
                    self._imported(i.argval)
        for name in sorted(names):
            self.resolve(name, scopes, frozenset(attributes))

    def _nodes(self, code: types.CodeType, tree: ast.Module | None) -> list[ast.AST]:
        """Returns the function of some code in its file, if that is still what the code was made of."""
        if tree is None:
            return []
        text = "".join(linecache.getlines(code.co_filename))
        compiled = cast(Any, _parsed(text, code.co_filename))[1]
        if code.co_name == "<module>":
            return [tree]
        here = (code.co_firstlineno, code.co_name)
        if not any((c.co_firstlineno, c.co_name) == here and _digest(c) == _digest(code) for c in compiled):
            return []
        return [
            n
            for n in ast.walk(tree)
            if isinstance(n, _FUNCTIONS)
            and (min([n.lineno, *(d.lineno for d in getattr(n, "decorator_list", []))]), getattr(n, "name", "<lambda>"))
            == here
        ]

    def _around(
        self, tree: ast.Module | None, nodes: Sequence[ast.AST]
    ) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Returns the functions around a function, the outermost first."""
        return [
            n
            for n in (ast.walk(tree) if tree and nodes else [])
            if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)) and n is not nodes[0] and nodes[0] in ast.walk(n)
        ]

    def _imported(self, module: str) -> None:
        """Adds the whole file of a module of the user's that is imported where it is needed."""
        import importlib.util

        for name in dict.fromkeys((module.partition(".")[0], module)):
            try:
                spec = importlib.util.find_spec(name)
            except (ImportError, ValueError):
                return
            if spec is None or not spec.origin or not _own(spec.origin):
                return
            if (tree := _tree(spec.origin)) is not None:
                self.add(name, [tree])

    def names_of(self, nodes: Sequence[ast.AST], scopes: Sequence[_Scope]) -> None:
        """Adds what nodes read."""
        names, attributes = _read(nodes)
        for name in sorted(names):
            self.resolve(name, scopes, attributes)

    def resolve(self, name: str, scopes: Sequence[_Scope], attributes: frozenset[str]) -> None:
        """Adds what a name is in the innermost scope that has it."""
        for i, scope in enumerate(scopes):
            nodes = _bindings(scope.body, name)
            if not nodes and name not in scope.values:
                continue
            value = scope.values.get(name)
            several = isinstance(value, (types.ModuleType, *_SPACES))
            if self._new("name", id(scope.values), name, attributes if several else None):
                self._kept.append(scope.values)
                self._bound(name, value, nodes, scopes[i:], attributes)
            return

    def _bound(
        self, name: str, value: Any, nodes: list[ast.AST], scopes: Sequence[_Scope], attributes: frozenset[str]
    ) -> None:
        if not isinstance(value, (type, types.FunctionType, types.MethodType, types.ModuleType)) and nodes:
            self.add(name, nodes)
            self.names_of(nodes, scopes)
            if isinstance(value, (list, dict, set)) and _written(cast(Any, value)) is not None:
                return  # it may have changed meanwhile
        if name in scopes[0].values:
            self.value(name, value, attributes)

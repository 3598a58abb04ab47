"""The files of a project and what they say of each other: imports, functions, guards, mapped classes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

__all__ = ["Function", "Module", "Project", "dotted", "read_project"]

Definition = ast.FunctionDef | ast.AsyncFunctionDef

_ROUTES: Final = frozenset(("get", "post", "put", "patch", "delete", "route", "websocket", "api_route"))
_COLUMNS: Final = frozenset(("mapped_column", "Column", "JSONField", "TextField", "CharField"))
_SKIPPED: Final = frozenset((".git", ".hg", ".venv", "venv", "node_modules", "__pycache__", "site-packages"))


@dataclass(slots=True)
class Function:
    """One function: where it stands, what is known to come in, whether an answer comes out."""

    module: Module
    node: Definition
    owner: str = ""
    answers: set[str] = field(default_factory=set[str])
    fills: set[str] = field(default_factory=set[str])
    """Parameters into which it puts an answer."""
    gives_answer: bool = False
    served: bool = False
    """Whether what it returns or yields is sent to a client."""

    @property
    def parameters(self) -> list[str]:
        """Names of its positional parameters, in order, without ``self``."""
        arguments = self.node.args
        names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
        return names[1:] if self.owner and names[:1] in (["self"], ["cls"]) else names


@dataclass(slots=True)
class Module:
    """One file: its tree, its lines, and what its names are imported from."""

    path: Path
    name: str
    tree: ast.Module
    lines: list[str]
    imports: dict[str, str] = field(default_factory=dict[str, str])

    def resolved(self, node: ast.expr) -> str:
        """The dotted name of an expression, with imports written out; empty for an expression that has none."""
        head, _, rest = dotted(node).partition(".")
        origin = self.imports.get(head, head)
        return f"{origin}.{rest}" if rest else origin


@dataclass(slots=True)
class Project:
    """Everything that one run reads."""

    modules: list[Module] = field(default_factory=list[Module])
    functions: dict[str, Function] = field(default_factory=dict[str, Function])
    integrations: set[str] = field(default_factory=set[str])
    """Modules of ``reticent.integrations`` of which something is called."""
    guards: set[str] = field(default_factory=set[str])
    """Names, with their module, of objects that something of reticent made."""
    columns: dict[str, dict[str, bool]] = field(default_factory=dict[str, dict[str, bool]])
    """Mapped classes by name: their columns, and whether each has a guard."""
    carriers: set[str] = field(default_factory=set[str])
    """Columns of surfaces that may hold reasoning: what is read from them is an answer again."""
    instances: dict[str, str] = field(default_factory=dict[str, str])
    """Names, with their module, of objects of the project's own classes."""
    attributes: set[str] = field(default_factory=set[str])
    """``Class.attribute`` of instances that hold an answer."""

    def called(self, module: Module, node: ast.expr, owner: str) -> Function | None:
        """The function of the project that an expression names, as far as that can be told."""
        name = dotted(node)
        if owner and name.startswith("self."):
            return self.functions.get(f"{module.name}.{owner}.{name.removeprefix('self.')}")
        told = module.resolved(node)
        receiver, _, method = name.rpartition(".")
        kind = self.instances.get(f"{module.name}.{receiver}", "")
        for candidate in (f"{module.name}.{told}", told, f"{kind}.{method}"):
            found = self.functions.get(candidate)
            if found is not None:
                return found
        return self._by_end(told) if "." in told else None

    def is_guard(self, module: Module, node: ast.expr) -> bool:
        """Whether an expression is something of reticent, or an object that it made, or a method of one."""
        told = module.resolved(node)
        if told.startswith("reticent.") or told == "reticent":
            return True
        parts = told.split(".")
        heads = [".".join(parts[:length]) for length in range(1, len(parts) + 1)]
        return any(f"{module.name}.{head}" in self.guards or self._ends_as_guard(head) for head in heads)

    def _ends_as_guard(self, told: str) -> bool:
        return "." in told and any(guard == told or guard.endswith(f".{told}") for guard in self.guards)

    def _by_end(self, told: str) -> Function | None:
        """A function of a package that was read from inside, so that its own name lacks the package's."""
        short = ".".join(told.split(".")[-2:])
        return self.functions.get(short)


def dotted(node: ast.expr) -> str:
    """``a.b.c`` for such an expression; calls in the middle are seen through; empty for all others."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value)
        return f"{inner}.{node.attr}" if inner else node.attr
    if isinstance(node, ast.Call):
        return dotted(node.func)
    return ""


def read_project(paths: Iterable[Path]) -> tuple[Project, list[tuple[Path, int, int]]]:
    """The project in ``paths`` (files and folders), and the places at which a file is no Python."""
    project, broken = Project(), list[tuple[Path, int, int]]()
    for path in sorted({file for given in paths for file in _files(given)}):
        try:
            text = path.read_text(encoding="utf-8")
            tree = ast.parse(text)
        except SyntaxError as error:
            broken.append((path, error.lineno or 1, error.offset or 1))
        except (UnicodeDecodeError, ValueError):
            broken.append((path, 1, 1))
        else:
            project.modules.append(Module(path, path.stem, tree, text.splitlines()))
    for module in project.modules:
        _read_names(project, module)
    for module in project.modules:
        _read_guards(project, module)
        _read_instances(project, module)
    for module in project.modules:
        _read_routes(project, module)
    return project, broken


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from (file for file in path.rglob("*.py") if not _SKIPPED & set(file.relative_to(path).parts))
    else:
        yield path


def _read_names(project: Project, module: Module) -> None:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                module.imports[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            origin = (node.module or "") if node.level == 0 else (node.module or module.name)
            for alias in node.names:
                module.imports[alias.asname or alias.name] = f"{origin}.{alias.name}" if origin else alias.name
    for line in module.tree.body:
        if isinstance(line, ast.Assign) and dotted(line.value) in module.imports:
            # Another name for something imported.
            module.imports |= {dotted(target): module.resolved(line.value) for target in line.targets}
    _read_definitions(project, module, module.tree.body, "")


def _read_definitions(project: Project, module: Module, body: list[ast.stmt], owner: str) -> None:
    for node in body:
        if isinstance(node, Definition):
            name = f"{module.name}.{owner}.{node.name}" if owner else f"{module.name}.{node.name}"
            project.functions[name] = Function(module, node, owner)
            _read_definitions(project, module, node.body, owner)
        elif isinstance(node, ast.ClassDef):
            _read_columns(project, module, node)
            _read_definitions(project, module, node.body, node.name)
        else:
            for inner in (getattr(node, name, ()) for name in ("body", "orelse", "finalbody")):
                _read_definitions(project, module, list(inner), owner)


def _read_columns(project: Project, module: Module, node: ast.ClassDef) -> None:
    columns: dict[str, bool] = {}
    for line in node.body:
        targets = [line.target] if isinstance(line, ast.AnnAssign) else getattr(line, "targets", [])
        value = getattr(line, "value", None)
        name = dotted(targets[0]) if len(targets) == 1 else ""
        if not name or not isinstance(value, ast.Call):
            continue
        kinds = [item for item in (value, *value.args) if module.resolved(item).startswith("reticent.")]
        if kinds or module.resolved(value).rpartition(".")[2] in _COLUMNS:
            columns[name] = bool(kinds)
        if any(_passes(kind) for kind in kinds):
            project.carriers.add(name)
    if columns:
        project.columns[node.name] = columns


def _passes(kind: ast.expr) -> bool:
    """Whether a column's type names a surface that may hold reasoning, by the table that ships."""
    from reticent.compiler import load_plan

    first = kind.args[0] if isinstance(kind, ast.Call) and kind.args else None
    name = first.value if isinstance(first, ast.Constant) else None
    decision = load_plan().decisions.get(name) if isinstance(name, str) else None
    return decision is not None and decision.verdict == "pass"


def _read_guards(project: Project, module: Module) -> None:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call):
            told = module.resolved(node.func)
            if told.startswith("reticent.integrations."):
                project.integrations.add(told.split(".")[2])
            for argument in node.args:  # app.add_middleware(ReticentMiddleware, ...)
                named = module.resolved(argument)
                if named.startswith("reticent.integrations."):
                    project.integrations.add(named.split(".")[2])
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if _makes_guard(module, project, node.value):
                project.guards |= {f"{module.name}.{dotted(target)}" for target in targets}


def _read_instances(project: Project, module: Module) -> None:
    """Note which names hold objects of the project's own classes: assigned from a call of one, or annotated with it."""
    classes = {name.rpartition(".")[0] for name, told in project.functions.items() if told.owner}
    short = {name.rpartition(".")[2]: name for name in classes}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            kind = module.resolved(node.value.func).rpartition(".")[2]
            if kind in short:
                project.instances |= {f"{module.name}.{dotted(target)}": short[kind] for target in node.targets}
        elif isinstance(node, ast.arg) and node.annotation is not None:
            kind = module.resolved(node.annotation).rpartition(".")[2]
            if kind in short:
                project.instances[f"{module.name}.{node.arg}"] = short[kind]


def _makes_guard(module: Module, project: Project, call: ast.Call) -> bool:
    told = module.resolved(call.func)
    if told.startswith("reticent.integrations.") and told.split(".")[2].endswith("_client"):
        return False  # a client that is watched still gives answers
    return project.is_guard(module, call.func) or told.endswith((".serializer", ".stream_to"))


def _read_routes(project: Project, module: Module) -> None:
    """Note which functions answer requests by themselves."""
    for function in project.functions.values():
        if function.module is not module:
            continue
        for decorator in function.node.decorator_list:
            if isinstance(decorator, ast.Call) and dotted(decorator.func).rpartition(".")[2] in _ROUTES:
                classes = [word.value for word in decorator.keywords if word.arg == "response_class"]
                function.served = not any(project.is_guard(module, told) for told in classes)

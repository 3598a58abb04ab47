"""Follows answers of models through the statements of a function.

Names are followed in the order of the statements, so that a name that is judged and assigned again is clean. Branches
are joined: what is an answer on one way is one behind it. Loops are walked twice.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from reticent.lint import sources
from reticent.lint.project import Definition, dotted
from reticent.lint.sinks import Hit, call_hits, column_hit

if TYPE_CHECKING:
    from reticent.lint.project import Function, Module, Project

__all__ = ["Flow"]


class Flow:
    """One walk through one function, or through the statements of a module."""

    def __init__(self, project: Project, module: Module, function: Function | None) -> None:
        """Start before the first statement."""
        self._project = project
        self._module = module
        self._function = function
        self._owner = function.owner if function else ""
        self._known: set[str] = set(function.answers) if function else set()
        self._rows: dict[str, str] = {}
        self.hits: dict[tuple[int, int, str], Hit] = {}
        self.changed = False
        if function is not None:
            self._annotated(function)

    def walk(self) -> None:
        """Follow every statement."""
        self._block(self._function.node.body if self._function else self._module.tree.body)

    def _annotated(self, function: Function) -> None:
        arguments = function.node.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            told = list(ast.walk(argument.annotation)) if argument.annotation else []
            if any(
                self._module.resolved(node).startswith(sources.CLASSES)
                for node in told
                if isinstance(node, ast.Name | ast.Attribute)
            ):
                self._known.add(argument.arg)

    # ---- statements

    def _block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, Definition | ast.ClassDef):
            return
        for expression in _expressions(node):
            self._visit(expression)
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign) and node.value is not None:
            keep = isinstance(node, ast.AugAssign) and self._is_answer(node.target)
            self._assign(node.target, node.value, keep=keep)
        elif isinstance(node, ast.Return) and node.value is not None:
            self._given(node.value)
        else:
            self._compound(node)

    def _compound(self, node: ast.stmt) -> None:
        if isinstance(node, ast.For | ast.AsyncFor):
            self._assign(node.target, node.iter)
            self._ways([[*node.body, *node.body], node.orelse])
        elif isinstance(node, ast.While):
            self._ways([[*node.body, *node.body], node.orelse])
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                if item.optional_vars is not None:
                    self._assign(item.optional_vars, item.context_expr)
            self._block(node.body)
        elif isinstance(node, ast.If):
            self._ways([node.body, node.orelse])
        elif isinstance(node, ast.Try | ast.TryStar):
            self._block(node.body)
            self._ways([handler.body for handler in node.handlers] + [node.orelse])
            self._block(node.finalbody)
        elif isinstance(node, ast.Match):
            self._ways([case.body for case in node.cases])

    def _ways(self, ways: list[list[ast.stmt]]) -> None:
        before, after = set(self._known), set[str]()
        for way in ways:
            self._known = set(before)
            self._block(way)
            after |= self._known
        self._known = after

    def _assign(self, target: ast.expr, value: ast.expr, *, keep: bool = False) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            inner = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else None
            for number, part in enumerate(target.elts):
                self._assign(part, inner[number] if inner else value, keep=keep)
            return
        answer = keep or self._is_answer(value)
        if isinstance(target, ast.Attribute):
            self._stored(target, value, answer=answer)
        if isinstance(target, ast.Subscript):
            if answer and (name := dotted(target.value)):
                self._filled(name)
            return
        name = dotted(target)
        made = dotted(value).rpartition(".")[2] if isinstance(value, ast.Call) else ""
        if made in self._project.columns:
            self._rows[name] = made
        if answer:
            self._learn(name)
        elif "." not in name:
            self._known.discard(name)

    def _stored(self, target: ast.Attribute, value: ast.expr, *, answer: bool) -> None:
        """An attribute of a row that is known to be one, or of one whose class has such a column."""
        if not answer:
            return
        kind = self._rows.get(dotted(target.value))
        hit = column_hit(self._project, kind, target.attr, value) if kind else None
        if hit is not None:
            self._hit(*hit)

    def _filled(self, name: str) -> None:
        """Something of an answer was put into ``name``, which may be the caller's own."""
        self._learn(name)
        function = self._function
        if function is not None and name in function.parameters and name not in function.fills:
            function.fills.add(name)
            self.changed = True

    def _learn(self, name: str) -> None:
        if name.startswith("self.") and self._owner:
            key = f"{self._owner}.{name.removeprefix('self.')}"
            if key not in self._project.attributes:
                self._project.attributes.add(key)
                self.changed = True
            return
        self._known.add(name)

    def _given(self, value: ast.expr) -> None:
        """What a function returns or yields."""
        function = self._function
        if function is None or not self._is_answer(value):
            return
        if not function.gives_answer:
            function.gives_answer = True
            self.changed = True
        if function.served and "asgi" not in self._project.integrations:
            self._hit("RET105", value)

    # ---- expressions

    def _visit(self, node: ast.expr) -> None:
        """Look at every call inside an expression, and at what it yields."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call):
                self._call(inner)
            elif isinstance(inner, ast.Yield | ast.YieldFrom) and inner.value is not None:
                self._given(inner.value)
            elif isinstance(inner, ast.NamedExpr):
                self._assign(inner.target, inner.value)

    def _call(self, call: ast.Call) -> None:
        for hit in call_hits(self._project, self._module, call, self._is_answer):
            self._hit(*hit)
        if isinstance(call.func, ast.Attribute) and call.func.attr in sources.PLAIN_CALLS:
            name = dotted(call.func.value)
            if name and any(self._is_answer(argument) for argument in call.args):
                self._filled(name)
        function = self._project.called(self._module, call.func, self._owner)
        if function is not None:
            self._handed_over(function, call)

    def _handed_over(self, function: Function, call: ast.Call) -> None:
        names = function.parameters
        given = [*zip(names, call.args, strict=False), *((word.arg or "", word.value) for word in call.keywords)]
        for name, value in given:
            if name in function.fills and (mine := dotted(value)):
                self._filled(mine)
        new = {name for name, value in given if name and self._is_answer(value)} - function.answers
        if new:
            function.answers |= new
            self.changed = True

    def _hit(self, code: str, at: ast.expr) -> None:
        self.hits[at.lineno, at.col_offset, code] = (code, at)

    def _is_answer(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant | ast.Compare | ast.Lambda):
            return False
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            return self._is_answer_place(node)
        if isinstance(node, ast.Call):
            return self._is_answer_call(node)
        if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            return self._is_answer_comprehension(node)
        return any(self._is_answer(child) for child in _children(node))

    def _is_answer_place(self, node: ast.Name | ast.Attribute | ast.Subscript) -> bool:
        if isinstance(node, ast.Name):
            return node.id in self._known
        if isinstance(node, ast.Subscript):
            key = node.slice.value if isinstance(node.slice, ast.Constant) else None
            return key not in sources.VISIBLE and self._is_answer(node.value)
        if node.attr in self._project.carriers and not self._project.is_guard(self._module, node):
            return True
        name = dotted(node)
        if self._owner and f"{self._owner}.{name.removeprefix('self.')}" in self._project.attributes:
            return True
        return name in self._known or (node.attr not in sources.VISIBLE and self._is_answer(node.value))

    def _is_answer_call(self, call: ast.Call) -> bool:
        told = self._module.resolved(call.func)
        function = self._project.called(self._module, call.func, self._owner)
        if function is not None:
            return function.gives_answer
        if self._project.is_guard(self._module, call.func):
            return False
        if sources.is_source(told):
            return True
        if told in sources.CARRIES or told.endswith(".join"):
            return any(self._is_answer(argument) for argument in call.args)
        if isinstance(call.func, ast.Attribute) and call.func.attr not in sources.INERT:
            key = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
            return not (call.func.attr == "get" and key in sources.VISIBLE) and self._is_answer(call.func)
        return False

    def _is_answer_comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> bool:
        before = set(self._known)
        for loop in node.generators:
            self._assign(loop.target, loop.iter)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        answer = any(self._is_answer(part) for part in parts)
        self._known = before
        return answer


def _expressions(node: ast.stmt) -> Iterator[ast.expr]:
    """The expressions that a statement has of its own, not those of statements inside it."""
    for _, value in ast.iter_fields(node):
        values = value if isinstance(value, list) else [value]
        for item in values:
            if isinstance(item, ast.expr):
                yield item
            elif isinstance(item, ast.withitem):
                yield item.context_expr


def _children(node: ast.AST) -> Iterator[ast.expr]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, ast.FormattedValue):
            yield child.value

"""Classes of Modelica from tokens: elements, modifications, equations, algorithms."""

from __future__ import annotations

from collections.abc import Callable

from .expressions import Reader
from .syntax import Argument, Class, Component, Equation, Expression, Extends, File, Import, Modification, Statement
from .tokens import tokens_of

KINDS = ("class", "model", "block", "connector", "record", "type", "package", "function", "operator")
BEFORE_CLASS = ("partial", "encapsulated", "expandable", "pure", "impure", "operator")
BEFORE_ELEMENT = ("redeclare", "final", "inner", "outer", "replaceable")
BEFORE_COMPONENT = ("flow", "stream", "discrete", "parameter", "constant", "input", "output")
#: annotations that say something of the model
KEPT_ANNOTATIONS = ("experiment",)


def file_of(text: str, file: str) -> File:
    """The tree of a whole file."""
    reader = ClassReader(tokens_of(text, file), file)
    within = ""
    if reader.take("within"):
        within = "" if reader.value == ";" else reader.dotted()
        reader.expect(";")
    found = []
    while reader.kind != "end":
        reader.take("final")
        found.append(reader.definition(frozenset()))
        reader.expect(";")
    return File(file, within, found)


class ClassReader(Reader):
    """Reads classes and all that is in them."""

    def definition(self, prefixes: frozenset[str]) -> Class:
        """partial model X … end X, or class X = Y(…)."""
        line = self.line
        marks = set(prefixes)
        while self.value in BEFORE_CLASS and self.kind == "word":
            marks.add(self.value)
            self.place += 1
        if self.kind == "word" and self.value in KINDS:
            kind = self.value
            self.place += 1
        elif "operator" in marks:
            kind = "operator"
        else:
            self.refuse("a class was expected")
        if self.take("extends"):  # model extends X: the inherited class, changed
            name = self.name()
            found = Class(name, kind, line, self.file, frozenset({*marks, "extends"}))
            found.extends.append(Extends(name, line, self.modification() if self.value == "(" else None))
            found.comment = self.text()
            return self._body(found)
        found = Class(self.name(), kind, line, self.file, frozenset(marks))
        if self.take("="):
            return self._short(found)
        found.comment = self.text()
        return self._body(found)

    def _short(self, found: Class) -> Class:
        line = self.line
        if self.take("enumeration"):
            self.expect("(")
            found.literals = []
            while not self.take(")"):
                if self.take(":"):
                    continue
                found.literals.append(self.name())
                self.text()
                self._annotation(None)
                self.take(",")
        elif self.take("der"):
            self.expect("(")
            self.arguments()
            found.external = True
        else:
            marks = set()
            while self.value in BEFORE_COMPONENT and self.kind == "word":
                marks.add(self.value)
                self.place += 1
            base = self.dotted()
            sizes = self.subscripts() if self.take("[") else ()
            changed = self.modification() if self.value == "(" else None
            found.short = Component("", base, line, sizes, changed, prefixes=frozenset(marks))
        found.comment = self.text()
        self._annotation(found)
        return found

    def _body(self, found: Class) -> Class:
        protected = False
        while True:
            if self.value == "end" and self.kind == "word":
                self.place += 1
                self.name()
                return found
            if self.take("public"):
                protected = False
            elif self.take("protected"):
                protected = True
            elif self.take("initial"):
                if self.take("equation"):
                    found.initial_equations += self.equations()
                else:
                    self.expect("algorithm")
                    found.initial_algorithms.append(self.statements())
            elif self.take("equation"):
                found.equations += self.equations()
            elif self.take("algorithm"):
                found.algorithms.append(self.statements())
            elif self.value == "annotation":
                self._annotation(found)
                self.expect(";")
            elif self.take("external"):
                found.external = True
                while self.value != ";" and self.value != "annotation":
                    self.place += 1
                self._annotation(None)
                self.expect(";")
            else:
                self._element(found, protected)

    def _element(self, found: Class, protected: bool) -> None:
        line = self.line
        if self.take("import"):
            found.imports.append(self._import())
        elif self.take("extends"):
            base = self.dotted()
            changed = self.modification() if self.value == "(" else None
            self._annotation(None)
            found.extends.append(Extends(base, line, changed))
        else:
            for element in self.element(protected):
                if isinstance(element, Class):
                    found.classes[element.name] = element
                else:
                    found.components.append(element)
        self.expect(";")

    def _import(self) -> Import:
        full = self.dotted()
        names, everything = {}, None
        if self.take("="):
            names[full] = self.dotted()
        elif self.take("."):
            if self.take("*"):
                everything = full
            else:
                self.expect("{")
                while not self.take("}"):
                    one = self.name()
                    names[one] = f"{full}.{one}"
                    self.take(",")
        elif self.take(".*"):
            everything = full
        else:
            names[full.rpartition(".")[2]] = full
        self.text()
        self._annotation(None)
        return Import(names, everything)

    def one_element(self) -> Component | Class:
        """A redeclared element: one class, or one component."""
        return self.element(single=True)[0]

    def element(self, protected: bool = False, single: bool = False) -> list[Component | Class]:
        """The components of one declaration, or one class."""
        marks = set()
        while self.value in BEFORE_ELEMENT and self.kind == "word":
            marks.add(self.value)
            self.place += 1
        if self.kind == "word" and (self.value in KINDS or self.value in BEFORE_CLASS):
            made = self.definition(frozenset(marks))
            self._constrained()
            return [made]
        while self.value in BEFORE_COMPONENT and self.kind == "word":
            marks.add(self.value)
            self.place += 1
        kind = self.dotted()
        sizes = self.subscripts() if self.take("[") else ()
        found: list[Component | Class] = []
        while True:
            line, name = self.line, self.name()
            own = self.subscripts() if self.take("[") else ()
            changed = self.modification() if self.value in ("(", "=", ":=") else None
            condition = self.expression() if self.take("if") else None
            constrained = self._constrained()
            comment = self.text()
            self._annotation(None)
            if constrained is not None:  # what is demanded of any redeclaration holds here too
                changed = Modification([*constrained.arguments, *(changed.arguments if changed else [])],
                                       changed.value if changed else None)
            found.append(Component(name, kind, line, (*own, *sizes), changed, condition, frozenset(marks), comment,
                                   protected, constrained))
            if single or not self.take(","):
                return found

    def _constrained(self) -> Modification | None:
        if not self.take("constrainedby"):
            return None
        self.dotted()
        changed = self.modification() if self.value == "(" else Modification()
        self.text()
        self._annotation(None)
        return changed

    # --- modifications ---

    def modification(self) -> Modification:
        """(a=1, b(c=2)) = value."""
        found = Modification()
        if self.take("("):
            while not self.take(")"):
                found.arguments.append(self._change())
                if not self.take(","):
                    self.expect(")")
                    break
        if self.take("=", ":="):
            if self.value == "break":
                self.place += 1
            else:
                found.value = self.expression()
        return found

    def _change(self) -> Argument:
        line = self.line
        if self.value == "break":
            self.place += 1
            name = self.name() if self.kind == "name" else ""
            return Argument(name, line)
        self.take("redeclare")
        redeclared = self.tokens[self.place - 1].value == "redeclare"
        each, final = self.take("each"), self.take("final")
        if redeclared or self.value in ("redeclare", "replaceable"):
            element = self.one_element()
            return Argument(element.name, line, None, each, final, element)
        name = self.dotted()
        subscripts = self.subscripts() if self.take("[") else ()
        if subscripts:
            name += "[" + ",".join(str(s[1]) for s in subscripts) + "]"
        changed = self.modification()
        self.text()
        return Argument(name, line, changed, each, final)

    def _annotation(self, found: Class | None) -> None:
        """Pass over an annotation; of the class itself, what says how to run it is kept."""
        if not self.take("annotation"):
            return
        self.expect("(")
        depth = 1
        while depth:
            if found is not None and depth == 1 and self.value in KEPT_ANNOTATIONS:
                name = self.value
                self.place += 1
                if self.take("("):
                    found.annotations[name] = self.arguments()[1]
                continue
            if self.kind == "sign":
                depth += {"(": 1, ")": -1}.get(self.value, 0)
            elif self.kind == "end":
                self.refuse("')' of an annotation was expected")
            self.place += 1

    # --- equations ---

    def equations(self) -> list[Equation]:
        """Equations up to the next section."""
        found = []
        while not self._section():
            if self.value == "annotation":
                break
            found.append(self.equation())
            self.expect(";")
        return found

    def _section(self) -> bool:
        if self.kind != "word":
            return self.kind == "end"
        if self.value == "initial":
            return self.tokens[self.place + 1].value in ("equation", "algorithm")
        return self.value in ("equation", "algorithm", "public", "protected", "end", "external", "annotation", "else",
                              "elseif", "elsewhen")

    def equation(self) -> Equation:
        line = self.line
        if self.take("for"):
            iterators = self.iterators()
            self.expect("loop")
            body = self.equations()
            self._end("for")
            found = Equation("for", line, iterators=iterators, body=body)
        elif self.value in ("if", "when") and self.kind == "word":
            kind = self.value
            self.place += 1
            branches, body = self._branches(kind, self.equations)
            found = Equation(kind, line, branches=branches, body=body)
        elif self.take("connect"):
            self.expect("(")
            left = self.expression()
            self.expect(",")
            right = self.expression()
            self.expect(")")
            found = Equation("connect", line, left, right)
        else:
            left = self.simple()
            if self.take("="):
                found = Equation("=", line, left, self.expression())
            else:
                found = Equation("call", line, left)
        self.text()
        self._annotation(None)
        return found

    def _branches(self, kind: str, read: Callable[[], list]) -> tuple[list[tuple[Expression, list]], list]:
        more = "elseif" if kind == "if" else "elsewhen"
        branches = []
        while True:
            condition = self.expression()
            self.expect("then")
            branches.append((condition, read()))
            if not self.take(more):
                break
        body = read() if self.take("else") else []
        self._end(kind)
        return branches, body

    def _end(self, kind: str) -> None:
        self.expect("end")
        self.expect(kind)

    # --- statements ---

    def statements(self) -> list[Statement]:
        """Statements up to the next section."""
        found = []
        while not self._section():
            found.append(self.statement())
            self.expect(";")
        return found

    def statement(self) -> Statement:
        line = self.line
        if self.take("for"):
            iterators = self.iterators()
            self.expect("loop")
            found = Statement("for", line, iterators=iterators, body=self.statements())
            self._end("for")
        elif self.take("while"):
            condition = self.expression()
            self.expect("loop")
            found = Statement("while", line, condition, body=self.statements())
            self._end("while")
        elif self.value in ("if", "when") and self.kind == "word":
            kind = self.value
            self.place += 1
            branches, body = self._branches(kind, self.statements)
            found = Statement(kind, line, branches=branches, body=body)
        elif self.take("return"):
            found = Statement("return", line)
        elif self.take("break"):
            found = Statement("break", line)
        else:
            left = self.primary()
            found = Statement(":=", line, left, self.expression()) if self.take(":=") else Statement("call", line, left)
        self.text()
        self._annotation(None)
        return found

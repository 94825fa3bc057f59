"""Expansion of xacro files: macros, properties, conditions, includes, blocks and arguments.

A description is data: expressions are evaluated by `expressions`, files are those of the allowed
folders (`packages`), and all work is bounded. What a file may learn of the machine is what the
caller lists in `Xacro`. The language is that of ros.org/wiki/xacro.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...errors import ModelError, unknown, warn
from ..files.hardened_xml import MAX_DEPTH, MAX_NODES, Node, parse
from ..files.packages import Folders
from ..files.reading import read_file
from ..values import mapping, texts
from .expressions import MAX_SIZE, ExpressionError
from .texts import Scope, Texts, XacroError, truth
from .yaml_files import load_yaml

_MAX_FILES = 200
_DEFAULT = re.compile(
    r"\s*(?P<name>[^\s:=]+)\s*:?=\s*(?P<forward>\^\|?)?"
    r"(?P<default>\$\{[^}]*\}(?=\s|$)|\$\([^)]*\)(?=\s|$)|(?:'[^']*'|\"[^\"]*\"|[^\s'\"]++)*+)"
    r"(?=\s|$)"
)


@dataclass(frozen=True)
class Xacro:
    """What xacro files get to know.

    Attributes:
        args: the arguments, for $(arg name); those that a file gives no default have to be here.
        env: the environment variables that $(env NAME) and $(optenv NAME default) may read.
    """

    args: Mapping[str, Any] = field(default_factory=dict)
    env: Iterable[str] = ()

    def __post_init__(self) -> None:
        mapping(self.args, "args", kind="argument", error=ModelError)
        object.__setattr__(self, "env", texts(self.env, "env", error=ModelError))


def is_xacro(path: Path | None, choice: bool | Xacro | None) -> bool:
    """Whether a description is to be expanded: as the caller says, else by its suffix."""
    if choice is None:
        return path is not None and path.suffix.lower() == ".xacro"
    return choice is not False


def expand(root: Node, folders: Folders, options: Xacro, origin: str) -> Node:
    """Return the expansion of a xacro file; lines are those of the file itself.

    Raises:
        ModelError: what is wrong and where; files that may not be read; too much work.
    """
    expander = _Expander(folders, options, origin)
    try:
        expanded = expander.document(root)
    except (XacroError, ExpressionError) as error:
        where = f"{expander.file}, line {expander.line}"
        raise ModelError(f"{origin}: xacro failed: {error} ({where})") from None
    except RecursionError:
        raise ModelError(f"{origin}: xacro failed: macros nested too deep") from None
    for name in map(str, options.args):
        if name not in expander.asked:
            warn(f"{origin}: xacro: {unknown('argument', name, expander.asked)}")
    return expanded


@dataclass(frozen=True)
class _Macro:
    """A macro: its element, its file, and parameters as name -> (forward, default)."""

    body: Node
    file: str
    parameters: Mapping[str, tuple[bool, str | None]]


@dataclass(frozen=True)
class _Place:
    """Where elements are expanded: the macros and properties that they see."""

    macros: Scope
    names: Scope


class _Expander:
    """The state of an expansion: folders of the file being read, its name and line."""

    def __init__(self, folders: Folders, options: Xacro, origin: str) -> None:
        self.folders, self.file, self.line = folders, origin, 0
        self.arguments = {str(name): str(value) for name, value in options.args.items()}
        self.asked: set[str] = set()  # arguments that the files have
        self.environment = tuple(options.env)
        self.texts = Texts(self.substitution, self.functions())
        self.nodes = self.files = self.depth = 0
        self.yaml: dict[Path, Any] = {}
        self.tags: dict[str, Callable[[Node, _Place, Node], None]] = {
            "xacro:arg": self.arg,
            "xacro:attribute": self.attribute,
            "xacro:call": self.dynamic_call,
            "xacro:element": self.element,
            "xacro:if": self.condition,
            "xacro:include": self.include,
            "xacro:insert_block": self.insert_block,
            "xacro:macro": self.define_macro,
            "xacro:property": self.define_property,
            "xacro:unless": self.condition,
        }

    # --- the tree --------------------------------------------------------------------------

    def document(self, root: Node) -> Node:
        """Return the expansion of a whole file."""
        above = Node("")
        self.copy(root, _Place(Scope(), Scope()), above)
        level = above.children
        for _ in range(MAX_DEPTH):
            level = [child for node in level for child in node.children]
        if level:
            raise XacroError(f"elements nested deeper than {MAX_DEPTH}")
        return above.children[0]

    def copy(self, node: Node, place: _Place, into: Node) -> None:
        """Add an element, its attributes and contents expanded, to `into`."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise XacroError(f"more than {MAX_NODES} elements")
        into.children.append(made := Node(node.tag, {}, node.line))
        for name, value in node.attrib.items():
            if not name.startswith(("xacro:", "xmlns:xacro")):
                made.attrib[name] = self.texts.text(value, place.names)
        self.contents(node, place, made)

    def contents(self, node: Node, place: _Place, into: Node) -> None:
        """Add the contents of an element, expanded, to `into`."""
        self.depth += 1
        if self.depth > 4 * MAX_DEPTH:
            raise XacroError(f"elements and macros nested deeper than {4 * MAX_DEPTH}")
        for child in node.children:
            self.line = child.line
            self.texts.budget.spend(40)
            handle = self.tags.get(child.tag)
            if handle is None:
                handle = self.call if child.tag.startswith("xacro:") else self.copy
            handle(child, place, into)
        if node.text:
            into.text += self.texts.text(node.text, place.names)
        self.depth -= 1

    def wanted(self, node: Node, *required: str) -> list[str]:
        """Return attributes that an element must have."""
        missing = [name for name in required if name not in node.attrib]
        if missing:
            raise XacroError(f"<{node.tag}> without {' and '.join(missing)}")
        return [node.get(name) for name in required]

    # --- properties and conditions ---------------------------------------------------------

    def define_property(self, node: Node, place: _Place, into: Node) -> None:
        """<xacro:property name= value= | default= | remove= | content, scope= lazy_eval=>."""
        names = place.names
        name = self.texts.text(self.wanted(node, "name")[0], names)
        if not name.isidentifier() or name.startswith("__"):
            raise XacroError(f"a property called {name!r}")
        remove = self.flag(node, "remove", "false", names)
        if ("value" in node.attrib) + ("default" in node.attrib) + remove > 1:
            raise XacroError(f"property {name!r}: value, default and remove exclude each other")
        if remove:
            names.remove(name)
            return
        if "default" in node.attrib and name in names:
            return
        value: Any = node.attrib.get("value", node.attrib.get("default"))
        if value is None:
            name, value = f"**{name}", node
        lazy = self.flag(node, "lazy_eval", "true", names)
        target = {"global": names.top(), "parent": names.caller()}.get(node.get("scope"), names)
        if target is None:
            raise XacroError(f"property {name!r}: there is no scope around this one")
        lazy &= node.get("scope") not in ("global", "parent")
        if isinstance(value, str) and not lazy:
            value = self.texts.value(value, names)
        target.set(name, value, lazy)

    def flag(self, node: Node, name: str, default: str, names: Scope) -> bool:
        """Return an attribute that is a truth value."""
        text = node.get(name, default)
        return truth(self.texts.value(text, names), text)

    def condition(self, node: Node, place: _Place, into: Node) -> None:
        """<xacro:if value=> and <xacro:unless value=>."""
        (text,) = self.wanted(node, "value")
        if truth(self.texts.value(text, place.names), text) == (node.tag == "xacro:if"):
            self.contents(node, place, into)

    def arg(self, node: Node, place: _Place, into: Node) -> None:
        """<xacro:arg name= default=>: an argument, unless the caller gave it."""
        name, default = node.get("name"), node.attrib.get("default")
        self.asked.add(name)
        if name not in self.arguments and default is not None:
            self.arguments[name] = self.texts.text(default, place.names)

    def element(self, node: Node, place: _Place, into: Node) -> None:
        """<xacro:element xacro:name=>: an element whose tag is computed."""
        tag = self.texts.text(self.wanted(node, "xacro:name")[0], place.names)
        if not re.fullmatch(r"[A-Za-z_][\w.:-]*", tag):
            raise XacroError(f"an element called {tag!r}")
        made = replace(node, tag=tag)
        self.tags.get(tag, self.call if tag.startswith("xacro:") else self.copy)(made, place, into)

    def attribute(self, node: Node, place: _Place, into: Node) -> None:
        """<xacro:attribute name= value=>: an attribute of the element around it."""
        name, value = (
            self.texts.text(text, place.names) for text in self.wanted(node, "name", "value")
        )
        if not re.fullmatch(r"[A-Za-z_][\w.:-]*", name):
            raise XacroError(f"an attribute called {name!r}")
        into.attrib[name] = value

    # --- macros ----------------------------------------------------------------------------

    def define_macro(self, node: Node, place: _Place, into: Node) -> None:
        """<xacro:macro name= params=>."""
        name = self.wanted(node, "name")[0].removeprefix("xacro:")
        if name == "call" or "." in name:
            raise XacroError(f"a macro called {name!r}")
        macro = _Macro(node, self.file, _parameters(node.get("params")))
        place.macros.values[name] = macro

    def dynamic_call(self, node: Node, place: _Place, into: Node) -> None:
        """<xacro:call macro=>: a call of the macro whose name is computed."""
        name = self.texts.text(self.wanted(node, "macro")[0], place.names)
        rest = {key: value for key, value in node.attrib.items() if key != "macro"}
        self.call(replace(node, tag=f"xacro:{name}", attrib=rest), place, into)

    def call(self, node: Node, place: _Place, into: Node) -> None:
        """<xacro:name parameter=value …> blocks </xacro:name>."""
        macro, where = self.macro(node.tag.removeprefix("xacro:"), place)
        names = Scope(where.names)
        missing = dict(macro.parameters)
        for name, text in node.attrib.items():
            if missing.pop(name, None) is None:
                raise XacroError(f"<{node.tag}> has no parameter {name!r}, or it is given twice")
            names.set(name, self.texts.value(text, place.names))
        self.contents(node, place, blocks := Node(""))
        for name in [name for name in missing if name.startswith("*")]:
            if not blocks.children:
                raise XacroError(f"<{node.tag}> without the block {name!r}")
            names.set(name, blocks.children.pop(0))
            del missing[name]
        if blocks.children:
            raise XacroError(f"<{node.tag}> has no use for the block <{blocks.children[0].tag}>")
        for name, (forward, default) in missing.items():
            if forward and name in place.names:
                names.set(name, place.names.get(name, self.texts.value))
            elif default is not None:
                names.set(name, self.texts.value(default, place.names))
            else:
                raise XacroError(f"<{node.tag}> without the parameter {name!r}")
        with self.inside(macro.file, node.line, into):
            self.contents(macro.body, _Place(Scope(where.macros), names), into)

    def macro(self, name: str, place: _Place) -> tuple[_Macro, _Place]:
        """Return a macro, found by its name with namespaces before it, and what it sees."""
        *spaces, last = [name] if name in place.macros else name.split(".")
        for space in spaces:
            found = (self._scope(scope, space) for scope in (place.macros, place.names))
            place = _Place(*found)
        holder = place.macros.holder(last)
        macro = None if holder is None else holder.values[last]
        if not isinstance(macro, _Macro):
            raise XacroError(f"there is no macro {name!r}")
        return macro, place

    def _scope(self, scope: Scope, name: str) -> Scope:
        holder = scope.holder(name)
        found = None if holder is None else holder.values[name]
        if not isinstance(found, Scope):
            raise XacroError(f"there is no namespace {name!r}")
        return found

    def insert_block(self, node: Node, place: _Place, into: Node) -> None:
        """<xacro:insert_block name=>: the content of a block `**name`, or the block `*name`."""
        (name,) = self.wanted(node, "name")
        for stars, insert in (("**", self.contents), ("*", self.copy)):
            if stars + name in place.names:
                block = place.names.get(stars + name, self.texts.value)
                insert(block, place, into)
                return
        raise XacroError(f"there is no block {name!r}")

    # --- files -----------------------------------------------------------------------------

    def include(self, node: Node, place: _Place, into: Node) -> None:
        """<xacro:include filename= ns= optional=>."""
        name = self.texts.text(self.wanted(node, "filename")[0], place.names)
        if "ns" in node.attrib:
            space = self.texts.text(node.get("ns"), place.names)
            inner = _Place(Scope(is_namespace=True), Scope(place.names, is_namespace=True))
            place.macros.values[space], place.names.values[space] = inner.macros, inner.names
            place = inner
        optional = truth(node.get("optional", "false"), node.get("optional"))
        for path in self.matching(name, optional):
            self.files += 1
            if self.files > _MAX_FILES:
                raise XacroError(f"more than {_MAX_FILES} files")
            tree = parse(read_file(path), str(path))
            folders, self.folders = self.folders, replace(self.folders, home=path.parent)
            with self.inside(str(path), node.line, into):
                for value in tree.attrib.values():  # they are dropped, but have to make sense
                    self.texts.value(value, place.names)
                self.contents(tree, place, into)
            self.folders = folders

    def matching(self, name: str, optional: bool) -> list[Path]:
        """Return the files of a name; those of a pattern, if its last part is one."""
        folder, last = os.path.split(name)
        if re.search(r"[*[?]", last) and not re.search(r"[*[?]", folder):
            here = Path(os.path.normpath((self.folders.home or Path("/nowhere")) / folder))
            names = sorted(os.listdir(here)[:MAX_SIZE]) if here.is_dir() else []
            return [self.read(str(here / found)) for found in fnmatch.filter(names, last)]
        found = self.folders.find(name)
        return [] if optional and not (found.path or found.refused) else [self.read(name)]

    def read(self, name: str) -> Path:
        """Return the path of a file that may be read."""
        found = self.folders.find(name)
        if found.path is None:
            raise XacroError(f"{name!r}: {found.problem}")
        return found.path

    @contextmanager
    def inside(self, file: str, line: int, into: Node) -> Any:
        """Count lines in another file; what it adds to `into` has the line that asked for it."""
        outer, first, self.file = self.file, len(into.children), file
        yield
        self.file, self.line = outer, line
        if file != outer:
            for made in into.children[first:]:
                for node in made.walk():
                    node.line = line

    # --- what expressions and substitutions reach -------------------------------------------

    def functions(self) -> dict[str, Any]:
        """Return the names in the namespace `xacro`."""

        def fatal(*words: Any) -> str:
            raise XacroError(" ".join(map(str, words)))

        def tokenize(text: str, sep: str = ",; ", skip_empty: bool = True) -> list[str]:
            parts = re.split(f"[{re.escape(sep)}]", text)
            return [part for part in parts if part or not skip_empty]

        def saying(prefix: str) -> Callable[..., str]:
            def say(*words: Any, **_: Any) -> str:
                text = " ".join(map(str, words))
                said = "".join(c if c.isprintable() else " " for c in text)
                place = f"{self.file}, line {self.line}"
                warn(f"{place}: {prefix}{said}")
                return ""

            return say

        def abs_filename(name: str) -> str:
            return os.path.join(self.folders.home or "", name)

        return {
            "abs_filename": abs_filename,
            "arg": lambda name: self.substitution(["arg", name]),
            "dotify": dict,
            "error": saying("error: "),
            "fatal": fatal,
            "load_yaml": lambda name: self.data(self.read(name)),
            "message": saying(""),
            "tokenize": tokenize,
            "warning": saying("warning: "),
        }

    def data(self, path: Path) -> Any:
        """Return the data of a YAML file, read once."""
        if path not in self.yaml:
            self.yaml[path] = load_yaml(path, self.texts.budget)
        return self.yaml[path]

    def substitution(self, words: list[str]) -> str:
        """Return what $(arg …), $(find …), $(env …), $(optenv …) or $(dirname) stands for."""
        match words:
            case ["arg", name]:
                self.asked.add(name)
                if name not in self.arguments:
                    hint = f"xacro=Xacro(args={{{name!r}: …}}), or --xacro-arg {name}:=…, gives one"
                    raise XacroError(f"no value for the argument {name!r}; {hint}")
                return self.arguments[name]
            case ["find", name]:
                folder = self.folders.package(name)
                if folder is None:
                    raise XacroError(f"no package {name!r}; package_dirs=[…] names its folder")
                return str(folder)
            case ["env", name]:
                return self.variable(name)
            case ["optenv", name, *default]:
                return self.variable(name) if name in os.environ else " ".join(default)
            case ["dirname"] if self.folders.home:
                return str(self.folders.home)
        raise XacroError(f"$({' '.join(words)}) is not supported")

    def variable(self, name: str) -> str:
        """Return an environment variable that the caller listed."""
        if name not in self.environment:
            hint = f"xacro=Xacro(env=[{name!r}]) allows it"
            raise XacroError(f"the environment variable {name!r} is not read; {hint}")
        if name not in os.environ:
            raise XacroError(f"the environment variable {name!r} is not set")
        return os.environ[name]


def _parameters(text: str) -> dict[str, tuple[bool, str | None]]:
    """Return the parameters of a macro: `name`, `name:=default`, `name:=^|default`, `*block`."""
    found: dict[str, tuple[bool, str | None]] = {}
    while text := text.strip():
        given = _DEFAULT.match(text)
        if given is None:
            name, _, text = text.partition(" ")
            found[name.strip()] = (False, None)
        else:
            found[given["name"]] = (given["forward"] is not None, given["default"] or None)
            text = text[given.end() :]
    return found

"""Hardened XML parsing: one strict parser with limits, whose tree is what Pinocchio gets.

Parsers disagree (on encodings, entities, a second root), so a file is parsed once, by a parser that
refuses document types and entities; the tree is checked and serialized, and Pinocchio gets that
text. Trees consist of small mutable `Node`s that keep their line number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.saxutils import escape, quoteattr

from defusedxml.common import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.expatreader import DefusedExpatParser  # type: ignore[import-untyped]

from ...errors import ModelError

MAX_BYTES = 32 * 2**20  # the largest known URDF has 1 MB
MAX_DEPTH = 100  # URDF needs 6, MJCF one per body along the longest chain
MAX_NODES = 200_000


@dataclass(eq=False)
class Node:
    """An element: its tag, attributes, children, text and the line where it starts."""

    tag: str
    attrib: dict[str, str] = field(default_factory=dict)
    line: int = 0
    children: list[Node] = field(default_factory=list)
    text: str = ""

    def get(self, name: str, default: str = "") -> str:
        """Return an attribute, or `default`."""
        return self.attrib.get(name, default)

    def all(self, tag: str) -> list[Node]:
        """Return the children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def find(self, tag: str) -> Node | None:
        """Return the first child with this tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def walk(self) -> Iterator[Node]:
        """Yield this node and everything below it, in the order of the file."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


class _Builder(ContentHandler):
    """Builds the tree of Nodes; raises as soon as a limit is exceeded."""

    def __init__(self, parser: Any, max_depth: int) -> None:
        super().__init__()
        self._parser = parser
        self.root: Node | None = None
        self._open: list[Node] = []
        self._text: list[list[str]] = []  # of each open element; expat gives it in pieces
        self._count = 0
        self._max_depth = max_depth

    def startElement(self, name: str, attrs: Any) -> None:
        line = int(self._parser.getLineNumber())
        node = Node(name, dict(attrs.items()), line)
        self._count += 1
        if self._count > MAX_NODES:
            raise ModelError(f"line {line}: more than {MAX_NODES} elements")
        if len(self._open) >= self._max_depth:
            raise ModelError(f"line {line}: elements nested deeper than {self._max_depth}")
        if self._open:
            self._open[-1].children.append(node)
        else:
            self.root = node
        self._open.append(node)
        self._text.append([])

    def endElement(self, name: str) -> None:
        text = "".join(self._text.pop())
        self._open.pop().text = text if text.strip() else ""

    def characters(self, content: str) -> None:
        if self._text:
            self._text[-1].append(content)


def _without_comments(data: bytes) -> bytes:
    """Return a text without its comments, but with their lines."""
    pieces, at = [], 0
    while (start := data.find(b"<!--", at)) >= 0 and (end := data.find(b"-->", start + 4)) >= 0:
        pieces += [data[at:start], b"\n" * data.count(b"\n", start, end)]
        at = end + 3
    return b"".join([*pieces, data[at:]])


def parse(data: str | bytes, what: str = "the description", max_depth: int = MAX_DEPTH) -> Node:
    """Return the root of an XML text.

    Raises:
        ModelError: not well-formed (with the line), a document type or an entity, too large, too
            deep, not text.
    """
    if isinstance(
        data, str
    ):  # the text is already decoded: its encoding declaration no longer applies
        data = re.sub(r"^(\s*)<\?xml[^>]*\?>", r"\1", data.removeprefix("\ufeff"), count=1)
        data = data.encode("utf-8", errors="surrogatepass")  # expat refuses lone surrogates
    if len(data) > MAX_BYTES:
        raise ModelError(f"{what}: {len(data)} bytes; at most {MAX_BYTES} are read")
    # XML allows nothing before its declaration, other readers of robots do
    data = re.sub(rb"\A(\s+)(<\?xml[^>]*\?>)", rb"\2\1", data)
    parser = DefusedExpatParser(forbid_dtd=True)
    builder = _Builder(parser, max_depth)
    parser.setContentHandler(builder)
    try:
        parser.feed(data)
        parser.close()
    except DefusedXmlException as error:
        raise ModelError(
            f"{what}: {type(error).__name__}: a document type (<!DOCTYPE>) or an entity; robot "
            "descriptions need neither, and files with them are refused: remove it"
        ) from None
    except SAXParseException as error:
        bare = _without_comments(data)
        if bare != data:  # XML allows no "--" in a comment, other readers of robots do
            return parse(bare, what, max_depth)
        where = f"line {error.getLineNumber()}, column {error.getColumnNumber()}"
        raise ModelError(f"{what}: no well-formed XML: {error.getMessage()} at {where}") from None
    except ModelError as error:
        raise ModelError(f"{what}: {error}") from None
    except (SAXException, ValueError, LookupError, AssertionError) as error:
        raise ModelError(f"{what}: no XML that can be read: {error}") from None
    if builder.root is None:
        raise ModelError(f"{what}: no well-formed XML: no element in it")
    return builder.root


def serialize(root: Node) -> str:
    """Return the text of a tree: elements, attributes and text; comments are gone."""
    pieces: list[str] = []
    stack: list[Node | str] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        attributes = "".join(f" {k}={quoteattr(v)}" for k, v in item.attrib.items())
        if item.children or item.text:
            pieces.append(f"<{item.tag}{attributes}>{escape(item.text)}")
            stack.append(f"</{item.tag}>\n")
            stack.extend(reversed(item.children))
        else:
            pieces.append(f"<{item.tag}{attributes}/>\n")
    return "".join(pieces)

"""Drawings that move: the shapes of every frame of an animation, made one shape with a motion.

A piece that keeps its object from frame to frame (an arrow's shaft, a ball, a cone's side) only
moves; one whose object changes (a polygon with other corners, a label with another text) becomes
several, of which each frame shows one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from .shapes import Piece, Shape


@dataclass(frozen=True, eq=False)
class Motion:
    """How a piece moves.

    Attributes:
        matrices: (n, 4, 4), where it stands at every frame.
        visible: (n,), whether it is seen there.
    """

    matrices: Array
    visible: NDArray[np.bool_]


def merged(frames: Sequence[Mapping[str, Shape]]) -> dict[str, tuple[Shape, dict[str, Motion]]]:
    """Return {name: (shape at the first frame, {piece: its motion})} of drawings by frame."""
    names = dict.fromkeys(name for frame in frames for name in frame)
    return {name: _moving([frame.get(name) for frame in frames]) for name in names}


def _moving(shapes: Sequence[Shape | None]) -> tuple[Shape, dict[str, Motion]]:
    variants: dict[str, list[Piece | None]] = {}
    for i, shape in enumerate(shapes):
        for key, piece in (shape.pieces if shape else {}).items():
            variants.setdefault(_variant(variants, key, piece), [None] * len(shapes))[i] = piece
    motions = {key: _motion(pieces) for key, pieces in variants.items()}
    pieces = {
        key: replace(_first(variants[key]), matrix=m.matrices[0], visible=bool(m.visible[0]))
        for key, m in motions.items()
    }
    extent = np.vstack([shape.extent for shape in shapes if shape])
    return Shape(pieces, extent), motions


def _variant(variants: Mapping[str, Sequence[Piece | None]], key: str, piece: Piece) -> str:
    """Return the key under which the piece's object is known, or a new one."""
    count, name = 1, key
    while name in variants and _first(variants[name]).object != piece.object:
        count, name = count + 1, f"{key}~{count}"
    return name


def _motion(pieces: Sequence[Piece | None]) -> Motion:
    """Fill the frames without the piece with where it last was, or will first be."""
    matrices, last = [], _first(pieces)
    for piece in pieces:
        last = piece or last
        matrices.append(last.matrix)
    return Motion(np.array(matrices), np.array([piece is not None for piece in pieces]))


def _first(pieces: Sequence[Piece | None]) -> Piece:
    return next(piece for piece in pieces if piece is not None)

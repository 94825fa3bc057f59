"""Argument parser whose errors are one line with the nearest valid words."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from .flags import BAD

CODES = (
    "exit codes: 0 yes or done, 1 the answer is no, 2 bad usage or bad input, 3 a mistake of "
    "footwork itself, 130 interrupted"
)


class Parser(argparse.ArgumentParser):
    """A parser whose flags are not abbreviated, so that new ones break no scripts."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.allow_abbrev, self.epilog = False, CODES
        self._negative_number_matcher = re.compile(
            r"-\.?\d"
        )  # -40:100:29 and -1e3 are values, not flags

    def error(self, message: str) -> NoReturn:
        """Print a one-line error and exit."""
        hints = _choice_meant(message), self._values(message), self._order(message)
        told = " ".join("".join((message, *hints)).split())
        print(f"footwork: {told}; see {self.prog} --help", file=sys.stderr)
        raise SystemExit(BAD)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Refuse unknown arguments, with the nearest flags of this subcommand."""
        found, left = super().parse_known_args(args, namespace)
        if left:
            flag = left[0].split("=")[0]
            names = [name for action in self._actions for name in action.option_strings]
            given = ":=" in left[0] and "--xacro-arg" in names
            hint = f"; did you mean --xacro-arg {left[0]}?" if given else _nearest(flag, names)
            self.error(f"no such argument: {left[0]}{hint}")
        return found, left

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print --help and --version; argparse says nothing where that fails."""
        print(message, end="", file=file or sys.stderr)

    def _values(self, message: str) -> str:
        """Return which values a flag takes, where it got another number of them."""
        flag = re.match(r"argument (\S+): expected .* arguments?$", message)
        for action in self._actions:
            if flag is not None and flag[1] == "/".join(action.option_strings):
                names = self._get_formatter()._format_args(action, action.dest.upper())
                return f": {names}, {action.help}"
        return ""

    def _order(self, message: str) -> str:
        """Return the hint that a flag with several values may have consumed the robot's name."""
        greedy = [
            a.option_strings[-1] for a in self._actions if a.option_strings and a.nargs == "+"
        ]
        if greedy and "required" in message:
            return f" (before flags that take several words: {', '.join(greedy)})"
        return ""


def _choice_meant(message: str) -> str:
    choice = re.search(r"invalid choice: '(.*)' \(choose from (.*)\)", message)
    return _nearest(choice[1], re.findall(r"[\w-]+", choice[2])) if choice else ""


def _nearest(word: str, words: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(words), n=2, cutoff=0.5)
    return f"; did you mean {' or '.join(near)}?" if near else ""

"""`footwork completion`: a script by which a shell completes verbs, flags, names and files.

It is written from the parser, so that a key press starts no Python.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from . import flags

SHELLS = ("bash", "zsh", "fish")
_BASH = """\
_footwork() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} words="{verbs} --help --version"
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "${{COMP_WORDS[1]}} ${{COMP_WORDS[COMP_CWORD - 1]}} $cur" in
{cases}
      *) words="" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o bashdefault -o default -F _footwork footwork"""  # files where no word fits
_ZSH = "autoload -Uz compinit bashcompinit && compinit && bashcompinit\n"


class _Verb(NamedTuple):
    """A subcommand: its help, flags by name, values of flags and of arguments that are known."""

    help: str
    flags: dict[str, str]
    values: dict[str, list[str]]
    names: list[str]


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the flags of `footwork completion`."""
    words = "tab completion: print the script for a shell"
    parser = flags.command(commands, "completion", run, words)
    parser.add_argument("shell", choices=SHELLS, help="which shell")
    parser.set_defaults(commands=commands)


def run(options: argparse.Namespace) -> int:
    """Print the script."""
    verbs = _verbs(options.commands)
    if options.shell == "fish":
        print("\n".join(_fish(verbs)))
    else:
        print((_ZSH if options.shell == "zsh" else "") + _bash(verbs))
    return flags.OK


def _verbs(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> dict[str, _Verb]:
    """Every subcommand, as its parser has it."""
    known, helps = _known(), {a.dest: a.help or "" for a in commands._choices_actions}
    return {name: _verb(p, helps[name], known) for name, p in commands.choices.items()}


def _known() -> dict[str, list[str]]:
    """The names that load, by the metavar of what takes them."""
    from ..contacts import scenarios
    from ..robots import available

    robots = [info.name for info in available()]
    return {"ROBOT": robots, "OTHER": robots, "SCENARIO": list(scenarios())}


def _verb(parser: argparse.ArgumentParser, words: str, known: Mapping[str, list[str]]) -> _Verb:
    verb = _Verb(words, {}, {}, [])
    for action in parser._actions:
        kinds = str(action.metavar).split("|")
        values = [
            *(action.choices or ()),
            *(name for kind in kinds for name in known.get(kind, ())),
        ]
        verb.flags.update(dict.fromkeys(action.option_strings, action.help or ""))
        if not action.option_strings:
            verb.names.extend(values)
        elif values:
            verb.values.update(dict.fromkeys(action.option_strings, values))
    return verb


def _bash(verbs: Mapping[str, _Verb]) -> str:
    cases = []
    for name, verb in verbs.items():
        patterns = {f'"{name} {flag} "*': words for flag, words in verb.values.items()}
        patterns |= {f'"{name} "*" -"*': [*verb.flags], f'"{name} "*': verb.names}
        cases += [f'      {at}) words="{" ".join(words)}" ;;' for at, words in patterns.items()]
    return _BASH.format(verbs=" ".join(verbs), cases="\n".join(cases))


def _fish(verbs: Mapping[str, _Verb]) -> Iterator[str]:
    yield "complete -c footwork -n __fish_use_subcommand -l help -l version"
    for name, verb in verbs.items():
        yield f"complete -c footwork -n __fish_use_subcommand -fa {name} -d {_quoted(verb.help)}"
        seen = f"complete -c footwork -n '__fish_seen_subcommand_from {name}'"
        if verb.names:
            yield f"{seen} -a '{' '.join(verb.names)}'"
        for flag, words in verb.flags.items():
            kind = "-l" if flag.startswith("--") else "-s"
            values = f" -xa '{' '.join(verb.values[flag])}'" if flag in verb.values else ""
            yield f"{seen} {kind} {flag.lstrip('-')}{values} -d {_quoted(words)}"


def _quoted(words: str) -> str:
    """In single quotes, as fish reads them."""
    return "'" + words.replace("\\", "\\\\").replace("'", "\\'") + "'"

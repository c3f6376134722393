#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the console transcripts of documents and compares their output: console.py BUILD TOP FILE [--update | --left-out LIST]

A file is Markdown. Blocks fenced as ```console hold commands after `$ ` (a line that ends in `\\` continues) and the output of
both streams below each; `[exit N]` closes the output of a command that does not end with 0. In expected output `...` is
any text on a line, and a line `...` any lines. Blocks fenced as ```LANGUAGE file=NAME are written to NAME first, so
that the commands can use what the document shows. Everything happens in a scratch directory with a copy of examples/.
`./dev slipway` and `./dev run` are the built program; $SLIPWAY_INCLUDE is the directory of the public headers.

A line `transcripts PATTERN` of LIST, a regular expression, says which commands another system cannot run: those whose text or
unexpected output has it. What needs the files that such a command would have written is left out with it.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

build, top, path = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
update = "--update" in sys.argv
problems = []
left_out = []
if "--left-out" in sys.argv:
    lines = pathlib.Path(sys.argv[sys.argv.index("--left-out") + 1]).read_text().splitlines()
    left_out = [re.compile(line.split(maxsplit=1)[1]) for line in lines if line.startswith("transcripts ")]
missing_file = re.compile(r"Could not open file|No such file|cannot open|\[file-not-found\]")


def blocks(text):
    """Yields (info, body, start, end) of each fenced block; start and end are character offsets of the body."""
    for match in re.finditer(r"^```(\w+[^\n]*)\n(.*?)^```", text, re.M | re.S):
        yield match[1].strip(), match[2], match.start(2), match.end(2)


def commands(body):
    command, expected = None, []
    lines = iter(body.splitlines())
    for line in lines:
        if line.startswith("$ "):
            if command is not None:
                yield command, expected
            command, expected = line[2:], []
            while command.endswith("\\"):
                command += "\n" + next(lines)
        else:
            expected.append(line)
    if command is not None:
        yield command, expected


def matches(expected, printed):
    pattern = ""
    for line in expected:
        if line == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += re.escape(line).replace(r"\.\.\.", ".*") + r"\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


# Of Windows: a separator of paths is a backslash there.
def slashes(lines):
    return [line.replace("\\\\", "/").replace("\\", "/") for line in lines] if left_out else lines


def run(command, directory, environment):
    command = re.sub(r"\./dev slipway\b", "slipway", command)
    command = re.sub(r"\./dev run\b", "slipway run", command)
    done = subprocess.run(["bash", "-c", command], cwd=directory, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=900)
    printed = done.stdout.decode(errors="replace").splitlines()
    if left_out:  # (what Wine prints by itself when a process is ended)
        printed = [line for line in printed if not line.startswith("wine client error:")]
    if done.returncode != 0:
        printed.append(f"[exit {done.returncode}]")
    return printed


def main():
    text = path.read_text()
    count_left_out = 0
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name) / "work"
        directory.mkdir()
        shutil.copytree(top / "examples", directory / "examples", ignore=shutil.ignore_patterns("output"))
        programs = pathlib.Path(name) / "bin"
        programs.mkdir()
        names = ("slipway", "scenario-runner", "xrt-runner", "xrt-replay", "vgf_dump", "vgf_updater", "model-converter")
        for program in (*names, "make_classifier"):  # (the last one of examples/classifier)
            built = build / "bin" / (program if program == "make_classifier" else "slipway")
            if built.exists():
                (programs / program).symlink_to(built)
            else:  # of Windows
                # (A program in Wine does not see that it is started by a link, and looks for libraries beside that.)
                started = built.with_suffix(".exe")
                if program != built.name:
                    (programs / f"{program}.exe").symlink_to(started)
                    started = programs / f"{program}.exe"
                (programs / program).write_text(f'#!/bin/sh\nexec timeout -k 5 200 wine64 "{started}" "$@"\n')
                (programs / program).chmod(0o755)
        environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", NO_COLOR="1", TZ="UTC",
                           XDG_CACHE_HOME=str(pathlib.Path(name) / "cache"), SLIPWAY_INCLUDE=str(top / "include"))
        count = 0
        result, last = "", 0
        for info, body, start, end in blocks(text):
            if match := re.search(r"\bfile=(\S+)", info):
                (directory / match[1]).parent.mkdir(parents=True, exist_ok=True)
                (directory / match[1]).write_text(body)
            if info.split()[0] != "console":
                continue
            fresh = ""
            for command, expected in commands(body):
                if re.match(r"(git|cd|docker|\./dev (test|build|bench|fuzz|shell|bundle|format|lint))\b", command):
                    fresh += f"$ {command}\n" + "".join(line + "\n" for line in expected)
                    continue
                count += 1
                if any(each.search(command) for each in left_out):
                    count_left_out += 1
                    continue
                printed = run(command, directory, environment)
                shown = "\n".join(printed)
                if matches(slashes(expected), slashes(printed)):
                    printed = expected
                elif any(each.search(shown) for each in left_out) or (count_left_out and missing_file.search(shown)):
                    count_left_out += 1
                    printed = expected
                else:
                    line = text[: text.index(body, start)].count("\n") + 1
                    problems.append(f"{path}: in the block at line {line}: $ {command}\n--- expected\n"
                                    + "\n".join(expected) + "\n--- printed\n" + "\n".join(printed))
                fresh += f"$ {command}\n" + "".join(line + "\n" for line in printed)
            result += text[last:start] + fresh
            last = end
        if update and problems:
            path.write_text(result + text[last:])
    print("\n\n".join(problems) if problems else f"{count} commands" + (f", {count_left_out} of them left out" if left_out else ""))
    sys.exit(1 if problems else 0)


main()

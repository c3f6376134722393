#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Completions and manual pages list every verb and option, and shells accept them: completion.py SLIPWAY

bash completes for real; zsh and fish check the syntax of their scripts, and mandoc or groff that of the pages, where they
are installed.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

slipway = sys.argv[1]
problems = []


def printed(*arguments):
    return subprocess.run([slipway, *arguments], check=True, capture_output=True, text=True).stdout


def expect(condition, message):
    if not condition:
        problems.append(message)


# What the help pages list is the measure.
verbs = re.findall(r"^  (\w+) +\w", printed("--help"), re.M)
assert "run" in verbs and "completion" in verbs and len(verbs) > 10, verbs


def help_pages(verb):
    page = printed(verb, "--help")
    formats = re.findall(r"^  ([\w-]+) +\S", page.split("detected from its contents:")[1], re.M) if "detected from" in page else []
    return [printed(verb, name, "--help") for name in formats] if formats else [page]


options = {verb: {name for page in help_pages(verb) for name in re.findall(r"(?<![\w-])--[a-z][\w-]*", "\n".join(
    line for line in page.splitlines() if re.match(r"^ +-", line)))} for verb in verbs}
assert {"--device", "--json", "--quiet", "--verbose", "--help"} <= options["run"], options["run"]

scripts = {shell: printed("completion", shell) for shell in ("bash", "zsh", "fish")}
with tempfile.TemporaryDirectory() as name:
    directory = pathlib.Path(name)
    subprocess.run([slipway, "man", "-o", directory / "man"], check=True)
    pages = {path.stem: path.read_text() for path in (directory / "man").glob("*.1")}
    for verb in verbs:
        for shell, script in scripts.items():
            expect(re.search(rf"\b{verb}\b", script), f"{shell} does not complete {verb}")
        page = pages.get(f"slipway-{verb}")
        expect(page is not None, f"slipway-{verb}.1 is missing")
        expect(f".B {verb}\n" in pages["slipway"], f"slipway.1 does not list {verb}")
        for option in options[verb]:
            expect(page and option.replace("-", "\\-") in page, f"slipway-{verb}.1 does not have {option}")
            for shell, text in (("bash", option), ("zsh", option), ("fish", f"-l {option[2:]}")):
                expect(re.search(rf"{re.escape(text)}(?![\w-])", scripts[shell]), f"{shell} does not have {option} of {verb}")

    def complete(*words):
        """What bash proposes for the last of the words."""
        quoted = " ".join(f"'{word}'" for word in words)
        line = (f"{scripts['bash']}\nCOMP_WORDS=(slipway {quoted}); COMP_CWORD={len(words)}; _slipway; "
                'printf "%s\\n" "${COMPREPLY[@]}"')
        run = subprocess.run(["bash", "--norc", "-c", line], capture_output=True, text=True)
        expect(run.returncode == 0 and not run.stderr, f"bash: {run.stderr}")
        return run.stdout.split()

    expect(set(verbs) <= set(complete("")), f"bash proposes {complete('')} for verbs")
    expect(complete("dev") == ["devices"], f"dev: {complete('dev')}")
    for verb in verbs:
        expect(options[verb] <= {word.rstrip("=") for word in complete(verb, "--")}, f"bash lacks options of {verb}")
    expect(complete("run", "--engine", "") == ["auto", "cpu", "reference"], f"--engine: {complete('run', '--engine', '')}")
    expect(complete("run", "--engine", "=", "ref") == ["reference"], "--engine=ref")
    expect(complete("run", "scene") == [], "names of files are left to bash")
    expect("scenario" in complete("schema", "sc"), "the formats of schema")
    expect(complete("completion", "z") == ["zsh"], "the shells of completion")

    for shell in ("bash", "zsh", "fish"):
        path = directory / shell
        path.write_text(scripts[shell])
        if shutil.which(shell):
            run = subprocess.run([shell, "-n", path], capture_output=True, text=True)
            expect(run.returncode == 0 and not run.stderr, f"{shell} -n: {run.stderr}")
    for path in sorted((directory / "man").glob("*.1")):
        for checker in (["mandoc", "-Tlint", "-Wwarning"], ["groff", "-man", "-Tutf8", "-ww", "-z"]):
            if shutil.which(checker[0]):
                run = subprocess.run([*checker, path], capture_output=True, text=True)
                expect(run.returncode == 0 and not run.stderr, f"{checker[0]} {path.name}: {run.stdout}{run.stderr}")
        for number, text in enumerate(path.read_text().splitlines(), 1):
            expect(re.match(r"^\.(TH|SH|TP|PP|B|BR|br|nf|fi)\b|^[^.']|^$", text), f"{path.name}:{number}: unknown request {text}")

print("\n".join(problems) or f"{len(verbs)} verbs, {sum(len(names) for names in options.values())} options")
sys.exit(bool(problems))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that texts avoid the words and phrases that docs/style.md lists: words.py TOP PATH...

Each PATH is a file or a directory. Checked are: Markdown without code blocks and code spans; descriptions in JSON; expected
diagnostics of corpora without code spans; comments, string literals and names of sources. tests/words_allowed.txt lists
exceptions, one on each line: path, text, reason, separated by tabs; an exception that does not occur is an error.
"""
import pathlib
import re
import sys

# What to avoid, and what to use. A match with the group `ok` is allowed.
PROSE = [
    (r"\bbehind\b", "after, past, following"),
    (r"(?P<ok>\bthere\s+)?\b(is|was) no (?!longer\b|more\b|less\b|worse\b|better\b|different\b|larger\b|smaller\b|one\b)", "is not a ..."),
    (r"\b(is|are|was|were) (?-i:none)\b", "is missing; there is no ..."),
    (r"\bstands?\b(?!-)", "is, appears; represents"),
    (r"\b(tells|told)\b|\bsa(ys|id) of\b", "reports, shows"),
    (r"\b(nobody|whoever)\b", "no caller, the caller; name the subject"),
    (r"\bso many\b", "the count"),
    (r"\bthe middle of all\b|\bmiddle (time|value)s?\b", "the median of"),
    (r"\bat first\b", "initially"),
    (r"\bgo(es)? by the names?\b", "is named, is bound by name"),
    (r"\bfor good\b|\bfor ever\b", "permanently, without end"),
    (r"\bmend(s|ed|ing)?\b", "fix"),
    (r"\bcut off\b", "truncated"),
    (r"\bthe answer is no\b", "a check failed"),
    (r"(?:^|[.;:]\s+)(?-i:Printed|Written|Reported|Not \w+) are\b", "subject first"),
    (r"\bprocessors?\b", "CPU"),
    (r"\bfolders?\b", "directory"),
    (r"\b(rooms?|houses?)\b", "module"),
    (r"\bmakers?\b", "builder, planner, emitter"),
    (r"\bunit(e|es|ed|ing)\b", "merge"),
    (r"\boddit(y|ies)\b", "deviation"),
    (r"\bsuits?\b", "is applicable, applies, is for"),
    (r"\bunder way\b", "in flight, in progress"),
    (r"\blooked (at|into)\b(?! most)", "checked, read"),
    (r"\bfaulty\b", "invalid"),
    (r"\bthe (least|greatest)\b(?! (common|significant|surprising))", "the minimum, the maximum"),
    (r"\bpoints convolution\b|\bconvolutions? of (single )?points\b", "pointwise convolution"),
]
CITATIONS = [
    (r"\b(scenario|recipe|converter|zebin|[Tt]ensors?|RPL|rpl|TOSA|tosa|ZE Info|VGF|vgf|architecture|layer) page\b", "a link to the page and its section"),
    (r"\bpage \d|\b[Dd]ecisions? \d", "a link to the page and its section"),
    (r"\bshared/(spec|data|design|seeds|tools)\b", "what is in the repository"),
]
NAMES = [
    (r"\b\w+Maker\b|\b\w+_maker\b", "Builder, Planner, Emitter"),
    (r"\bk(Most|Least)\w*", "kMax, kMin"),
    (r"\b\w*[Ff]olders?(?![a-z])\w*", "directory"),
    (r"\bOddit\w*|\bUniter\b|\bGrower\b", "Deviation, merge_..."),
    (r"\bstd::(v?format|format_to)\b", "formatted() of base/format.hpp"),
]
COMPILED = {kind: [(re.compile(pattern, re.I | re.M if kind == "prose" else 0), use) for pattern, use in rules]
            for kind, rules in (("prose", PROSE), ("citations", CITATIONS), ("names", NAMES))}
C_LIKE = {".cpp", ".hpp", ".def", ".comp", ".frag", ".vert", ".fbs", ".inc", ".in", ".c", ".h", ".rpl", ".cl", ".glsl", ".hlsl"}
SCRIPTS = {".py", ".sh", ".cmake", ".txt", ".ze_info"}
SCRIPT_NAMES = {"dev", "run", "Dockerfile"}
C_TOKEN = re.compile(r'R"(\w*)\((.*?)\)\1"|"((?:\\.|[^"\\\n])*)"|//([^\n]*)|/\*(.*?)\*/|\'(?:\\.|[^\'\\\n])\'', re.S)
SCRIPT_TOKEN = re.compile(r"\"\"\"(.*?)\"\"\"|\"((?:\\.|[^\"\\\n])*)\"|'((?:\\.|[^'\\\n])*)'|(?<![\w$&{(\[\\])#([^\n]*)", re.S)


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def markdown(text):
    """The prose of a page, without code and without tables that list what to avoid; offsets do not change."""
    text = re.sub(r"^(`{3,}).*?^\1\s*?$", blank, text, flags=re.M | re.S)
    text = re.sub(r"(`+)[^`]+\1", blank, text)
    text = re.sub(r"\]\([^)\s]*\)", blank, text)
    return re.sub(r"^\| (avoid|don't) \|.*\n(\|.*\n)*", blank, text, flags=re.M)


def without_code_spans(text):
    return re.sub(r"`[^`\n]*`", blank, text)


def source(path, text):
    """Yields (offset, text, kinds of rules) of each comment and each literal, and of the code without them."""
    token = C_TOKEN if path.suffix in C_LIKE else SCRIPT_TOKEN
    code = list(text)
    for match in token.finditer(text):
        for at in range(match.start(), match.end()):
            if code[at] != "\n":
                code[at] = " "
        for group, value in enumerate(match.groups(), 1):
            if value and not (token is C_TOKEN and group == 1):
                comment = group >= 4
                yield match.start(group), without_code_spans(value) if comment else value, ("prose", "citations") if comment else ("prose",)
    if path.suffix in C_LIKE:
        yield 0, "".join(code), ("names",)


def passages(path, text):
    if path.suffix == ".md":
        yield 0, markdown(text), ("prose",)
    elif path.suffix == ".expected":
        yield 0, without_code_spans(text), ("prose",)
    elif path.suffix == ".json":
        for match in re.finditer(r'"(description|title|\$?comment|note|markdownDescription)": *"((?:\\.|[^"\\])*)"', text):
            yield match.start(2), match[2], ("prose",)
    elif path.suffix in C_LIKE | SCRIPTS or path.name in SCRIPT_NAMES:
        yield from source(path, text)


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: words.py TOP PATH...")
    top = pathlib.Path(sys.argv[1]).resolve()
    allowed, used = {}, set()
    for number, line in enumerate((top / "tests/words_allowed.txt").read_text().splitlines(), 1):
        if line and not line.startswith("#"):
            try:
                name, words, reason = line.split("\t")
            except ValueError:
                sys.exit(f"tests/words_allowed.txt:{number}: not three fields separated by tabs")
            allowed.setdefault(name, []).append(words)
    files = []
    for name in sys.argv[2:]:
        paths = sorted(top.glob(name))
        found = [one for path in paths for one in ([path] if path.is_file() else sorted(path.rglob("*"))) if one.is_file()]
        assert found, f"{name} does not exist"
        files += found
    problems = []
    for path in files:
        name = path.relative_to(top).as_posix()
        if name in ("tests/words.py", "tests/words_allowed.txt"):
            continue
        text = path.read_text(errors="replace")
        for offset, passage, kinds in passages(path, text):
            for kind in kinds:
                for pattern, use in COMPILED[kind]:
                    for match in pattern.finditer(passage):
                        at = offset + match.start()
                        if "ok" in pattern.groupindex and match["ok"]:
                            continue
                        begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
                        line = text[begin : end if end >= 0 else len(text)]
                        excuse = next((words for words in allowed.get(name, []) if words in line and match[0].split()[0] in words), None)
                        if excuse:
                            used.add((name, excuse))
                            continue
                        problems.append(f"{name}:{text.count(chr(10), 0, at) + 1}: `{match[0].strip()}`; use: {use}\n    {line.strip()[:150]}")
    listed = {path.relative_to(top).as_posix() for path in files}
    problems += [f"tests/words_allowed.txt: `{words}` does not occur in {name}" for name, texts in allowed.items() if name in listed
                 for words in texts if (name, words) not in used]
    print("\n".join(problems) or f"{len(files)} files")
    sys.exit(bool(problems))


main()

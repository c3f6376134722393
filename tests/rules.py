#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks rules of docs/style.md about the structure of sources: rules.py TOP [--list]

The exceptions are in tests/rules_allowed.txt (tests/allowed.py). `--list` prints all findings as lines of that file. Checked are
the product files of src/ and include/: .cpp and .hpp, without tests, fuzzers, src/testing and stand-ins for hardware.
"""
import collections
import re

import allowed
import cpp_source
import layers

MAX_FILES, MAX_FUNCTION = 25, 60
MAX_CLASS = {"methods": 40, "members": 25, "lines": 600, "files": 1}
RULES = {
    "directory-files": f"a directory has at most {MAX_FILES} product files",
    "function-lines": f"a function over {MAX_FUNCTION} lines says why in the comment before it: `Long, because ...`",
    **{f"class-{what}": f"a class has at most {limit} {what.replace('files', '.cpp file')}" for what, limit in MAX_CLASS.items()},
    "type-name": "modules that see each other (layers.txt) have no two types of the same name",
    "message-text": "the text of a diagnostic does not decide what happens",
    "limit-name": "a constant that is a limit is named kMax... or kMin...",
    "good": "a result is ok or valid, not `good`",
    "comment-parameter": "a parameter that a comment explains (`name`: ...) exists",
    "comment-name": "a name in backticks in a comment exists in the code or in docs/spec",
    "brackets": "the scanner understands the file",
}
# The rule of tests/include_cycles.py.
CYCLE = "include-cycle"
ALL = {*RULES, CYCLE}

EXCLUDED = re.compile(r"_(test|fuzz)\.cpp$|^src/testing/|/software_npu/")
MESSAGE = re.compile(r"(?:\.|->)message\s*(?:(?:\.\s*(?:starts_with|ends_with|contains|compare|substr|r?find\w*)\s*\()|\[|[=!]=\s*[^\s\w])")
LIMIT = re.compile(r"\b(k(?:Deepest|Longest|Shortest|Largest|Smallest|Greatest|Least|Most|Highest|Lowest|Maximum|Minimum)\w*|k\w*Limit)\b"
                   r"\s*(?:=(?!=)|\{)")
GOOD = re.compile(r"\b(?:\w+_)?good(?:_\w+)?\b")
# Parts of versions, and names with a part in capitals for what differs: run_NAME.
PATTERN = re.compile(r"\d\w*|[a-z_]+_[A-Z]+")
NAME = re.compile(r"`([A-Za-z_]\w*(?:(?:::|\.|->)\w+)*(?:\(\))?)`")


def product_files(top):
    """path below TOP -> text."""
    paths = [path for root in ("src", "include") for path in sorted((top / root).rglob("*.[ch]pp"))]
    names = {path.relative_to(top).as_posix(): path for path in paths}
    return {name: path.read_text() for name, path in names.items() if not EXCLUDED.search(name)}


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def directory_files(sources):
    counts = collections.Counter(name.rsplit("/", 1)[0] for name in sources)
    for name, count in counts.items():
        if count > MAX_FILES:
            yield allowed.Finding("directory-files", name, f"{name}: {count} files, at most {MAX_FILES}", count)


def function_lines(sources):
    seen = collections.Counter()
    for name, source in sources.items():
        for one in source.functions:
            if one.lines > MAX_FUNCTION and not re.search(r"\bLong, because\b", source.comment_before(one.line)):
                subject = f"{name} {one.name}"
                seen[subject] += 1
                subject += f" ({seen[subject]})" if seen[subject] > 1 else ""
                text = f"{name}:{one.line}: `{one.name}` has {one.lines} lines; divide it, or write `// Long, because ...` before it"
                yield allowed.Finding("function-lines", subject, text, one.lines)


def readable(path):
    return "::".join(part or "(anonymous)" for part in path[1:] if part) if path[0] == "slipway" else "::".join(path)


class Class:
    """A class with the functions that it has in other files."""

    def __init__(self, name, one):
        anonymous = "" in one.scope
        self.where = f"{name}:{one.line}"
        self.subject = f"{name} {one.name}" if anonymous else readable(one.path)
        self.numbers = {"methods": one.methods, "members": one.members, "lines": one.end - one.line + 1}
        self.files = set()

    def add(self, name, function):
        self.numbers["lines"] += function.lines
        if name.endswith(".cpp"):
            self.files.add(name)


def class_sizes(sources):
    shared, local = {}, {}
    for name, source in sources.items():
        for one in source.types:
            if one.kind == "enum" or one.name == "(unnamed)" or one.is_specialised:
                continue
            path = tuple("::".join(one.path).split("::"))
            found = local[name, path] = Class(name, one)
            if "" not in one.scope:
                shared[path] = found
    for name, source in sources.items():
        for function in source.functions:
            if function.in_type or "::" not in function.name:
                continue
            written = function.name.split("::")[:-1]
            for outer in range(len(function.scope), -1, -1):
                path = (*function.scope[:outer], *written)
                if owner := local.get((name, path)) or shared.get(path):
                    owner.add(name, function)
                    break
    for one in local.values():
        one.numbers["files"] = len(one.files)
        for what, limit in MAX_CLASS.items():
            if one.numbers[what] > limit:
                text = f"{one.where}: {one.subject} has {one.numbers[what]} {what.replace('files', '.cpp files')}, at most {limit}"
                yield allowed.Finding(f"class-{what}", one.subject, text, one.numbers[what])


def type_names(sources, arrows):
    visible = {module: arrows.visible(module) for module in arrows.direct}
    named = collections.defaultdict(set)
    for name, source in sources.items():
        module = arrows.module_of(name.removeprefix("src/")) if name.startswith("src/") else None
        for one in source.types if module else []:
            if not one.is_nested and "" not in one.scope and not one.is_specialised and "::" not in one.name:
                named[one.name].add((readable(one.path), module))
    for name, found in sorted(named.items()):
        same = {one for one in found for other in found
                if one[0] != other[0] and (other[1] in visible[one[1]] or one[1] in visible[other[1]])}
        if same:
            text = f"types of modules that see each other have the name `{name}`: {', '.join(sorted(path for path, _ in same))}"
            yield allowed.Finding("type-name", name, text, len({path for path, _ in same}))


def texts(sources):
    """The rules that look for a text in the code of each file."""
    for name, source in sources.items():
        for rule, pattern, what in (("message-text", MESSAGE, "reads the text of a message"), ("good", GOOD, "uses the word `good`")):
            if found := list(pattern.finditer(source.code)):
                where = line_of(source.code, found[0].start())
                yield allowed.Finding(rule, name, f"{name}:{where}: {what}, {len(found)} times in the file", len(found))
        for constant in sorted({match[1] for match in LIMIT.finditer(source.code)}):
            yield allowed.Finding("limit-name", f"{name} {constant}", f"{name}: `{constant}` is not named kMax... or kMin...")


def blocks(source):
    """Yields (line, text, code of the declarations after it) of each comment that has its own lines."""
    lines, code = source.text.split("\n"), source.code.split("\n")

    def is_comment(at):
        return lines[at].lstrip().startswith("//")

    at = 0
    while at < len(lines):
        if not is_comment(at):
            at += 1
            continue
        begin = at
        while at < len(lines) and is_comment(at):
            at += 1
        end = at
        while end < len(lines) and lines[end].strip() and not is_comment(end):
            end += 1
        yield begin + 1, " ".join(line.strip().lstrip("/").strip() for line in lines[begin:at]), "\n".join(code[at:end])


def comment_parameters(sources):
    for name, source in sources.items():
        if not name.endswith(".hpp"):
            continue
        found = {}
        for line, text, after in blocks(source):
            if "(" not in after:
                continue
            for parameter in re.findall(r"(?:^|[.;] )`([a-z]\w*)`:", text):
                if not re.search(rf"\b{parameter}\b", after):
                    found.setdefault(parameter, line)
        for parameter, line in found.items():
            yield allowed.Finding("comment-parameter", f"{name} {parameter}",
                                  f"{name}:{line}: the comment explains `{parameter}`, which the declaration after it does not have")


def comment_names(sources, top):
    known = set()
    comments = []
    for name, source in sources.items():
        last = 0
        for offset, text in cpp_source.comments(source.text):
            known.update(re.findall(r"[A-Za-z_]\w*", source.text[last:offset]))
            last = offset + len(text)
            if "`" in text:
                comments.append((name, line_of(source.text, offset), text))
        known.update(re.findall(r"[A-Za-z_]\w*", source.text[last:]))
    suffixes = {".def", ".h", ".fbs", ".in", ".cmake"}
    others = [path for root in ("src", "include") for path in (top / root).rglob("*.*") if path.suffix in suffixes]
    for path in [*others, *(top / "docs/spec").rglob("*.md")]:
        known.update(re.findall(r"[A-Za-z_]\w*", path.read_text()))
    seen = set()
    for name, line, text in comments:
        for word in NAME.findall(text):
            last = re.split(r"::|\.|->", word.removesuffix("()"))[-1]
            if PATTERN.fullmatch(last):
                continue
            if last not in known and (name, word) not in seen:
                seen.add((name, word))
                yield allowed.Finding("comment-name", f"{name} {word}", f"{name}:{line}: `{word}` does not exist")


def check(top):
    """(findings, the count of files) of a tree."""
    sources, findings = {}, []
    for name, text in product_files(top).items():
        try:
            sources[name] = cpp_source.Source(text)
        except cpp_source.Unbalanced as error:
            findings.append(allowed.Finding("brackets", name, f"{name}: {error}"))
    arrows = layers.Layers((top / "layers.txt").read_text())
    for rule in (directory_files(sources), function_lines(sources), class_sizes(sources), type_names(sources, arrows), texts(sources),
                 comment_parameters(sources), comment_names(sources, top)):
        findings += rule
    return findings, len(sources)


if __name__ == "__main__":
    allowed.main(check, ALL, RULES, "files")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that links, anchors and file names in pages and sources exist: links.py TOP

It checks links of Markdown files with their anchors; paths of the repository and names of source files in backticks on pages, and
that a file contains the names that precede or follow it (`name` (`src/MODULE/FILE.cpp`), `src/MODULE/FILE.cpp` (`name`)); in
sources, pages with anchors and, in comments, names of source files, which may be given from `src/` on or alone. Names with
capitals (`schema/NAME.schema.json`) are patterns, as are those with `*`. A page that says at its beginning that it is not built
yet may name files that do not exist.
"""
import fnmatch
import functools
import pathlib
import re
import sys

top = pathlib.Path(sys.argv[1]).resolve()
SKIPPED = {".git", "build", "__pycache__", ".cache", "output"}
SOURCES = {".cpp", ".hpp", ".def", ".py", ".sh", ".cmake", ".txt", ".comp", ".frag", ".vert", ".fbs", ".in", ".inc"}
DIRECTORIES = "bench|cmake|docs|env|examples|include|schema|src|tests"
PATH = re.compile(rf"^(?:{DIRECTORIES})/[\w.*{{}},/-]*$")
SOURCE_NAME = re.compile(r"(?:[\w-]+/)*[\w-]+\.(?:cpp|hpp|def|fbs)")
# Names of files that a reader of the pages writes.
OTHERS = {"negate.cpp", "x_test.cpp"}
problems = []


def files():
    stack = [top]
    while stack:
        for path in sorted(stack.pop().iterdir()):
            if path.name in SKIPPED or path.is_symlink():
                continue
            if path.is_dir():
                stack.append(path)
            else:
                yield path


everything = sorted(files())
names = [path.relative_to(top).as_posix() for path in everything]
directories = {parent.as_posix() for name in names for parent in pathlib.PurePosixPath(name).parents}
source_names = {name for name in names if pathlib.PurePosixPath(name).suffix in {".cpp", ".hpp", ".def", ".fbs", ".h"}}
last_parts = {part for name in source_names for part in [name.rsplit("/", 1)[-1]]}


@functools.cache
def expanded(pattern):
    """The names that a pattern represents: `a/{b,c}.d` is a/b.d and a/c.d."""
    if match := re.search(r"\{([^{}]*)\}", pattern):
        return [one for choice in match[1].split(",") for one in expanded(pattern[: match.start()] + choice + pattern[match.end():])]
    return [pattern]


@functools.cache
def exists(path):
    if "{" in path:
        return all(exists(one) for one in expanded(path))
    path = path.rstrip("/")
    if path in directories or (top / path).is_file():
        return True
    if re.search(r"\b[A-Z]{2,}", path) or "*" in path:
        pattern = re.sub(r"(?<![A-Za-z])[A-Z]{2,}(?![a-z])", "*", path)
        return any(fnmatch.fnmatch(name, pattern) for name in names) or any(fnmatch.fnmatch(name, pattern) for name in directories)
    return False


def without_code(text):
    """The text with fenced blocks replaced by blanks, so that offsets do not change."""
    return re.sub(r"^(`{3,}).*?^\1\s*?$", lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.M | re.S)


@functools.cache
def anchors(page):
    """The anchors of a page, in the form that repository hosts generate."""
    text = without_code(page.read_text())
    found, seen = set(re.findall(r'<a (?:id|name)="([^"]+)"', text)), {}
    for heading in re.findall(r"^#{1,6} +(.*?)\s*#*$", text, re.M):
        heading = re.sub(r"<[^>]*>|\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found


def is_source(name):
    """Whether the name of a source file, alone or after some directories, exists or is a pattern."""
    return (name in last_parts or name in OTHERS or re.search(r"[A-Z]{2}", name) is not None
            or ("/" in name and any(known == name or known.endswith("/" + name) for known in source_names)))


def report(path, text, offset, message):
    line = text.count("\n", 0, offset) + 1
    problems.append(f"{path.relative_to(top)}:{line}: {message}")


def check_target(path, text, offset, target, base):
    name, _, anchor = target.partition("#")
    page = (base / name).resolve() if name else path
    if not page.exists():
        report(path, text, offset, f"`{target}` does not exist")
    elif anchor and page.suffix == ".md" and anchor not in anchors(page):
        report(path, text, offset, f"`{name or path.name}` has no anchor `#{anchor}`")


def check_page(path):
    full = path.read_text()
    text = without_code(full)
    planned = re.search(r"\bnot(hing)?\b[^.]{0,20}\bbuilt\b", full[:1500])
    no_spans = re.sub(r"`[^`\n]*`", lambda match: " " * len(match[0]), text)
    for match in re.finditer(r"\]\(([^)\s]+)(?: \"[^\"]*\")?\)", no_spans):
        if not re.match(r"[a-z]+:", match[1]):
            check_target(path, text, match.start(), match[1], path.parent)
    for match in re.finditer(r"(?<!`)`([^`\n]+)`(?!`)", text):
        name = match[1].split("#")[0]
        if not planned and PATH.match(name) and "..." not in name and not exists(name):
            report(path, text, match.start(), f"`{name}` does not exist")
        elif not planned and SOURCE_NAME.fullmatch(name) and not is_source(name):
            report(path, text, match.start(), f"`{name}` does not exist")

    # The names in parentheses after a file, up to a nested parenthesis, and the name before a file in parentheses: functions and
    # classes that it has.
    for match in re.finditer(r"`(src/[\w./-]+\.(?:cpp|hpp|def))`\s+\((`[^()]*)\)", text):
        file = top / match[1]
        for name in re.findall(r"`([A-Za-z_][\w:]*)`", match[2]) if file.is_file() else []:
            if not re.search(rf"\b{re.escape(name.rsplit('::', 1)[-1])}\b", file.read_text()) and not exists(name):
                report(path, text, match.start(), f"`{match[1]}` has no `{name}`")
    for match in re.finditer(r"`([A-Za-z_][\w:]*)(?:\(\))?`\s+\(`((?:src|include)/[\w./-]+\.(?:cpp|hpp|def))`\)", text):
        file = top / match[2]
        if file.is_file() and not re.search(rf"\b{re.escape(match[1].rsplit('::', 1)[-1])}\b", file.read_text()):
            report(path, text, match.start(), f"`{match[2]}` has no `{match[1]}`")


def comments(text, suffix):
    """Yields (offset, text) of each comment."""
    if suffix in {".cpp", ".hpp", ".def", ".comp", ".frag", ".vert", ".fbs", ".inc", ".in"}:
        pattern = r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/'
        sign = ("//", "/*")
    else:
        pattern = r"""'''.*?'''|\"\"\".*?\"\"\"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*"""
        sign = ("#", '"""')
    for match in re.finditer(pattern, text, re.S):
        if match[0].startswith(sign):
            yield match.start(), match[0]


def check_source(path):
    text = path.read_text()
    for match in re.finditer(r"\bdocs/[\w/.-]*\w\.md(#[\w-]+)?", text):
        check_target(path, text, match.start(), match[0], top)
    for offset, comment in comments(text, path.suffix):
        for match in re.finditer(r"(?<![\w./*-])((?:[\w-]+/)*[\w-]+\.(?:cpp|hpp|def|fbs))\b", comment):
            name = match[1]
            if not is_source(name) and not name.startswith("generated/"):
                report(path, text, offset + match.start(), f"`{name}` does not exist")


for path in everything:
    name = path.relative_to(top).as_posix()
    if name.startswith(("tests/corpus/", "tests/fuzz/corpus/", "tests/data/")) and path.suffix != ".md":
        continue
    if path.suffix == ".md":
        check_page(path)
    elif path.suffix in SOURCES or path.name == "dev":
        check_source(path)


def linked_from(page):
    return {((top / page).parent / target).resolve() for target in re.findall(r"\]\(([^)\s#]+)", (top / page).read_text())}


# The two indices must list all pages.
for index in ("README.md", "docs/README.md"):
    found = linked_from(index)
    for name in names:
        if name.startswith("docs/") and name.endswith(".md") and name != index and top / name not in found:
            problems.append(f"{index}: no link to {name}")
readme = (top / "README.md").read_text()
problems += [f"README.md: the example `{path.name}` is not listed" for path in sorted((top / "examples").iterdir())
             if path.is_dir() and f"`{path.name}`" not in readme]
print("\n".join(problems) or f"{len(everything)} files, no dead link")
sys.exit(bool(problems))

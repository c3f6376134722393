#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the documentation as a static site: docs.py TOP DIRECTORY

DIRECTORY/site has all pages and a page for each public header, with a search. It loads nothing from other hosts. Markdown is
rendered by cmark-gfm, as hosts of repositories do; mkdocs adds navigation and search.
"""
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys

top, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
pages = work / "pages"
# The pages of the site in their order, under the headings of the navigation.
NAVIGATION = [
    ("Start", ["README.md", "docs/README.md"]),
    ("Use", ["docs/scenarios.md", "docs/running.md", "docs/tensors.md", "docs/graphs.md", "docs/models.md", "docs/converting.md",
             "docs/rpl.md", "docs/recipes.md", "docs/cpu_functions.md", "docs/npu.md", "docs/zeinfo.md", "docs/library.md", "docs/python.md",
             "docs/environment.md"]),
    ("Reference", ["docs/diagnostics.md", "docs/zeinfo-keys.md"]),
    ("C and C++ API", ["include/slipway/*.h*"]),
    ("Formats", ["docs/spec/*.md"]),
    ("Examples", ["examples/*/README.md"]),
    ("Contribute", ["CONTRIBUTING.md", "docs/architecture.md", "docs/style.md", "docs/diagnostics_guide.md", "docs/adding_kernels.md",
                    "tests/data/README.md", "RELEASING.md", "CHANGELOG.md", "SECURITY.md"]),
    ("Design", ["docs/design/*.md"]),
]


def page_of(name):
    """The file of the site that has the page or header."""
    if name.endswith("README.md"):
        return name[: -len("README.md")] + "index.html"
    return re.sub(r"\.md$", "", name) + ".html"


def slug(heading, seen):
    text = re.sub(r"[^\w\- ]", "", html.unescape(re.sub(r"<[^>]*>", "", heading)).lower()).replace(" ", "-")
    seen[text] = seen.get(text, -1) + 1
    return f"{text}-{seen[text]}" if seen[text] else text


def for_mkdocs(body):
    """Makes a page for mkdocs: headings as Markdown, which mkdocs lists and indexes, and all else as blocks of HTML."""
    seen, text = {}, ""
    for part in re.split(r"(<h[1-6]>.*?</h[1-6]>)", body, flags=re.S):
        if match := re.fullmatch(r"<h([1-6])>(.*?)</h\1>", part, flags=re.S):
            heading = match[2].replace("\n", " ")
            heading = "".join(f"&#{ord(sign)};" if sign in "_*`[]{}#\\" else sign for sign in heading)
            text += f"{'#' * int(match[1])} {heading} {{#{slug(match[2], seen)}}}\n\n"
        elif part.strip():
            text += f"<div>\n{part.strip()}\n</div>\n\n"
    return text


def with_links(body, name, known):
    """Changes links to pages of the site to their addresses there; other links into the repository become text."""
    base = pathlib.PurePosixPath(name).parent

    def link(match):
        target, _, anchor = html.unescape(match[1]).partition("#")
        if re.match(r"[a-z]+:", target) or not target:
            return match[0]
        path = os.path.normpath(base / target)
        for page in (path, f"{path}/README.md"):
            if page in known:
                address = os.path.relpath(page_of(page), base) + (f"#{anchor}" if anchor else "")
                return f'<a href="{html.escape(address)}">{match[2]}</a>'
        return match[2]

    return re.sub(r'<a href="([^"]*)">(.*?)</a>', link, body, flags=re.S)


def rendered(text):
    command = ["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink"]
    return subprocess.run(command, input=text, check=True, text=True, stdout=subprocess.PIPE).stdout


def without_marks(lines):
    """The text of a comment. Code in it is indented by two spaces; Markdown needs four."""
    texts = [re.sub(r"^\s*(//|/\*|\*/|\*)? ?|\s*\*/$", "", line) if not re.match(r"\s*(//|\*)   ", line) else re.sub(r"^\s*(//|\*) ", "", line) for line in lines]
    return "\n".join("  " + text if text.startswith("  ") else text for text in texts)


def parts_of(code):
    """The declarations of a header at the level of its namespace, each with its comment: (comment lines, code lines)."""
    comment, lines, depth, is_internal = [], [], 0, False
    for line in [*code.splitlines(), ""]:
        is_internal = (is_internal or line.startswith("namespace detail")) and line != "}  // namespace detail"
        if is_internal:
            continue
        is_mark = re.match(r"\s*(//|/\*|\*)", line)
        if depth == 0 and not lines and is_mark:
            comment.append(line)
            continue
        if depth == 0 and (not line.strip() or re.match(r"#|namespace |extern \"C\"|\}  // namespace|\}$", line)):
            if lines:
                yield comment, lines
            if lines or line.strip():
                comment, lines = [], []
            continue
        lines.append(line)
        plain = re.sub(r"//.*|/\*.*?\*/|\"[^\"]*\"", "", line)
        depth += plain.count("{") + plain.count("(") - plain.count("}") - plain.count(")")
        # Functions of C follow each other without blank lines.
        if depth == 0 and re.search(r";\s*(/\*.*\*/|//.*)?$", line):
            yield comment, lines
            comment, lines = [], []


def declared_name(lines):
    text = re.sub(r"__attribute__\S*|\bRPL_API\b|\bSLIPWAY_\w*API\b", "", " ".join(lines))
    for pattern in (r"typedef struct (\w+)", r"typedef enum (\w+)", r"\b(?:class|struct|enum(?: class)?|union) (?:SLIPWAY_\w+ )?(\w+)", r"\busing (\w+)", r"([\w:~]+)\s*\("):
        if found := re.search(pattern, text):
            return found[1]
    return ""


def markdown_of_header(path):
    """The page of a header: its first comment, then each declaration under its name, the comment as text."""
    code = path.read_text()
    intro = ""
    if comment := re.match(r"// SPDX-.*\n(/\*(?s:.*?)\*/\n|(?://.*\n)*)", code):
        intro = without_marks(comment[1].splitlines())
        code = code[comment.end():]
    text, last = f"# `slipway/{path.name}`\n\n{intro}\n", ""
    for comment, lines in parts_of(code):
        name = declared_name(lines)
        if name and name != last:
            text += f"\n## `{name}`\n"
        last = name or last
        if comment:
            text += f"\n{without_marks(comment)}\n"
        text += "\n```cpp\n" + "\n".join(lines) + "\n```\n"
    # A header of macros, or of other headers.
    return text if last else f"{text}\n```cpp\n{code.strip()}\n```\n"


WORDS = {"cpp": "alignas auto bool break case char class const constexpr continue default delete do double else enum explicit extern false "
                "float for friend if inline int long namespace new noexcept nullptr operator override private protected public return short "
                "signed sizeof static static_assert struct switch template this true typedef typename union unsigned using virtual void while",
         "python": "and as assert break class continue def del elif else except False finally for from if import in is lambda None not or pass "
                   "raise return True try while with yield", "json": "true false null",
         "rpl": "global instance conditional constant setting struct meta pack alias in out if else for while break continue return true false on "
                "off void flag uint sint float enum"}
WORDS["c"] = WORDS["cpp"]
COMMENTS = {"python": r"#[^\n]*", "sh": r"#[^\n]*", "console": r"(?!)", "json": r"(?!)"}


def coloured(body):
    """Marks comments, texts, numbers and words of the language in blocks of code."""
    def block(match):
        language, code = match[1], match[2]
        comments = COMMENTS.get(language, r"//[^\n]*|/\*(?s:.*?)\*/")
        words = "|".join(WORDS.get(language, "(?!)").split())
        tokens = re.compile(rf"(?P<c>{comments})|(?P<s>&quot;(?:(?!&quot;)[^\n\\]|\\.)*&quot;)|(?P<k>\b(?:{words})\b)|(?P<n>\b\d[\w.]*)")
        return f'<pre><code class="language-{language}">' + tokens.sub(lambda t: f'<span class="{t.lastgroup}">{t[0]}</span>', code) + "</code></pre>"

    return re.sub(r'<pre><code class="language-(\w+)[^"]*">(.*?)</code></pre>', block, body, flags=re.S)


def write_page(name, known):
    path = top / name
    text = markdown_of_header(path) if path.suffix != ".md" else path.read_text()
    title = re.search(r"^# +(.*)$", text, re.M)[1].replace("`", "")
    body = for_mkdocs(with_links(coloured(rendered(text)), name, known))
    target = pages / re.sub(r"\.html$", ".md", page_of(name))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f"---\ntitle: {title!r}\n---\n{body}")
    return title, target.relative_to(pages).as_posix()


def main():
    if missing := [program for program in ("cmark-gfm", "mkdocs") if not shutil.which(program)]:
        print(f"docs.py: {' and '.join(missing)} not found; env/packages-docs.txt lists the packages", file=sys.stderr)
        sys.exit(5)
    shutil.rmtree(work, ignore_errors=True)
    sections = [(section, [path.relative_to(top).as_posix() for pattern in patterns for path in sorted(top.glob(pattern))])
                for section, patterns in NAVIGATION]
    known = {name for _, names in sections for name in names}
    lines = ["site_name: Slipway", f"docs_dir: {pages}", f"site_dir: {work / 'site'}", "use_directory_urls: false",
             "theme: {name: mkdocs, highlightjs: false, navigation_depth: 2, nav_style: dark, color_mode: auto, user_color_mode_toggle: true}", "plugins: [search]", "markdown_extensions: [attr_list]",
             "extra_css: [slipway.css]", "nav:"]
    for section, names in sections:
        lines.append(f"  - {section!r}:")
        for name in names:
            title, target = write_page(name, known)
            lines.append(f"    - {title!r}: {target}")
    (pages / "slipway.css").write_text("table { display: block; overflow-x: auto; margin-bottom: 1em; }\n"
                                       "td, th { border: 1px solid #8886; padding: 0.2em 0.5em; }\n"
                                       "code .c { color: #5c6b5c; } code .s { color: #8a3b12; } code .k { color: #0b5394; } code .n { color: #6a3d9a; }\n"
                                       "[data-bs-theme=dark] code .c { color: #9db29d; } [data-bs-theme=dark] code .s { color: #e8a87c; }\n"
                                       "[data-bs-theme=dark] code .k { color: #8ab8f0; } [data-bs-theme=dark] code .n { color: #c9a6f0; }\n")
    (work / "mkdocs.yml").write_text("\n".join(lines) + "\n")
    subprocess.run(["mkdocs", "build", "--quiet", "--strict", "--config-file", work / "mkdocs.yml"], check=True)
    print(f"{len(known)} pages: {work / 'site/index.html'}")


main()

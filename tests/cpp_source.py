# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A scanner of the project's C++ sources, for checks of their structure. It finds types and functions by their braces.

It relies on what clang-format and the compiler ensure: brackets are balanced, macros are not braces. It looks at declarations
only: what is inside a function, also a local class or a lambda, belongs to the function.
"""
import bisect
import dataclasses
import re

# A quote after a digit separates digits.
TOKEN = re.compile(r'''"(?<=[^R]")(?:\\.|[^"\\\n])*"|R"(?P<mark>[^\s()\\]*)\(.*?\)(?P=mark)"'''
                   r"""|//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/|'(?<![0-9A-Fa-f]')(?:\\.|[^'\\\n])+'""", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.M)
PARTNERS = {")": "(", "]": "[", "}": "{"}
OPERATOR = re.compile(r"\boperator\s*(\(\)|\[\]|<=>|[-+*/%^&|~!=<>,]+)")
FIRST_WORD = re.compile(r"(?:\s*(?:public|private|protected)\s*:(?!:))*\s*")
LABEL = re.compile(r"^\s*(?:(?:public|private|protected)\s*:\s*)+")
NOT_FUNCTIONS = {"alignas", "decltype", "explicit", "noexcept", "requires", "__attribute__", "if", "for", "while", "switch"}


class Unbalanced(Exception):
    pass


@dataclasses.dataclass
class Type:
    kind: str  # class, struct, union, enum
    name: str
    scope: tuple  # names of the namespaces and types around it; "" is an anonymous namespace
    line: int
    end: int
    is_nested: bool  # in another type
    is_specialised: bool  # of a template
    methods: int = 0
    members: int = 0

    @property
    def path(self):
        return (*self.scope, self.name)


@dataclasses.dataclass
class Function:
    name: str  # as it is written, `Class::name` outside of the class
    scope: tuple
    line: int  # of its first word
    end: int
    in_type: bool

    @property
    def lines(self):
        return self.end - self.line + 1


def blank(text):
    return " " * len(text) if "\n" not in text else re.sub(r"[^\n]", " ", text)


def without_literals(text):
    """The code without comments, literals and directives; offsets and lines do not change."""
    code = TOKEN.sub(lambda match: blank(match[0]), text)
    return DIRECTIVE.sub(lambda match: blank(match[0]), code) if "#" in code else code


def comments(text):
    """Yields (offset, text) of each comment."""
    for match in TOKEN.finditer(text):
        if match[0].startswith("/"):
            yield match.start(), match[0]


def without_templates(head):
    """The head of a declaration without the arguments of templates; operators become names."""
    if "operator" in head:
        head = OPERATOR.sub(lambda match: f" operator_{len(match[1])} ", head)
    count = "<" in head
    while count:
        head, count = re.subn(r"<[^<>]*>", "", head)
    return head


def split_initialisers(head):
    """(head without the list of initialisers of a constructor, whether there is one)."""
    match = re.search(r"\)\s*(?:noexcept\s*(?:\(\))?\s*)?:(?!:)", head)
    return (head[: match.start() + 1], True) if match else (head, False)


def function_name(head):
    """The name of the function that a head without templates declares, or None."""
    for match in re.finditer(r"((?:[A-Za-z_]\w*\s*::\s*)*(?:operator\s+[\w:]+[\s&*]*|~?[A-Za-z_]\w*))\s*\(", head):
        name = re.sub(r"\s*::\s*", "::", match[1]).strip()
        if name.split("::")[-1] not in NOT_FUNCTIONS:
            return name
    return None


def type_of(head):
    """(kind, name) of the type whose definition begins after the head, or None."""
    plain = re.sub(r"\balignas\s*\(\)|\[\]", " ", LABEL.sub("", without_templates(head)))
    match = re.match(r"\s*(?:template\s*|typedef\s+|static\s+|inline\s+|constexpr\s+)*(enum(?:\s+(?:class|struct))?|class|struct|union)\b(.*)$",
                     plain, re.S)
    if not match or "(" in match[2] or "=" in match[2]:
        return None
    name = re.split(r"(?<!:):(?!:)", match[2])[0]
    words = [word for word in re.findall(r"[\w:]+", name) if word != "final"]
    return match[1].split()[0], words[-1] if words else ""


def is_function(head):
    """Whether `{` after the head begins the body of a function."""
    plain = without_templates(head)
    plain, has_initialisers = split_initialisers(plain)
    if "=" in plain or function_name(plain) is None:
        return False
    if has_initialisers:
        return head.rstrip()[-1] in ")}"
    return bool(re.search(r"\)\s*(?:(?:const|noexcept|override|final|mutable|try|&&?|\(\))\s*)*(?:->[\w\s:*&]*|requires\b.*)?$", plain, re.S))


def member_count(statement):
    """(methods, members) that a statement of a class without a body declares."""
    plain = LABEL.sub("", without_templates(statement))
    plain = re.sub(r"\balignas\s*\(\)|\[\]", " ", plain).strip()
    if not plain or re.match(r"(using|typedef|friend|static_assert|enum|extern)\b", plain):
        return 0, 0
    if re.match(r"(template\s*)?(class|struct|union)\s+[\w:]+$", plain):
        return 0, 0
    declarator = plain.split("=")[0]
    if "(" in declarator and "(*)" not in declarator:
        return (1, 0) if function_name(declarator) else (0, 0)
    if re.search(r"\bstatic\b.*\bconstexpr\b|\bconstexpr\b.*\bstatic\b", declarator) or not re.search(r"\w", plain):
        return 0, 0
    return 0, plain.count(",") + 1


class Source:
    """The types and functions of one file."""

    def __init__(self, text):
        self.text = text
        self.code = without_literals(text)
        self.types, self.functions = [], []
        self.line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._scan()

    def line(self, offset):
        return bisect.bisect_right(self.line_starts, offset)

    def _tokens(self):
        tokens = [(match.start(), match[0]) for match in re.finditer(r"[{}()\[\];]", self.code)]
        partner, opened = {}, []
        for index, (offset, sign) in enumerate(tokens):
            if sign in "([{":
                opened.append(index)
            elif sign in PARTNERS:
                if not opened or tokens[opened[-1]][1] != PARTNERS[sign]:
                    raise Unbalanced(f"line {self.line(offset)}: `{sign}` has no partner")
                partner[opened.pop()] = index
        if opened:
            raise Unbalanced(f"line {self.line(tokens[opened[-1]][0])}: `{tokens[opened[-1]][1]}` has no partner")
        return tokens, partner

    def _scan(self):
        tokens, partner = self._tokens()
        scopes = []  # (names, the type or None)
        head, at, index = "", 0, 0  # what the statement has so far, without the contents of brackets

        def names():
            return tuple(name for one, _ in scopes for name in one)

        def begin(offset):
            """The line of the first word of the statement: offset is after the statement before."""
            offset = FIRST_WORD.match(self.code, offset).end()
            return bisect.bisect_right(self.line_starts, offset)

        start = 0
        while index < len(tokens):
            offset, sign = tokens[index]
            head += self.code[at:offset]
            at = offset + 1
            around = scopes[-1][1] if scopes else None
            if sign in "([":
                closing = partner[index]
                inner = self.code[offset + 1 : tokens[closing][0]].lstrip()
                head += "[]" if sign == "[" else "(*)" if inner.startswith("*") else "()"
                index, at = closing, tokens[closing][0] + 1
            elif sign == ";":
                if around:
                    methods, members = member_count(head)
                    around.methods += methods
                    around.members += members
                head, start = "", at
            elif sign == "}":
                scopes.pop()
                head, start = "", at
            else:
                closing = partner[index]
                end = tokens[closing][0]
                plain = LABEL.sub("", head).strip()
                namespace = re.match(r"(?:inline\s+)?namespace\b\s*(?:\[\]\s*)?([\w:]*)$", plain)
                kind = type_of(plain) if not namespace else None
                if namespace or plain == "extern":
                    scopes.append((tuple(namespace[1].split("::")) if namespace else (), None))
                    head, start = "", at
                elif kind:
                    specialised = bool(re.match(r"template\s*<\s*>|[^:]*\b(class|struct)\s+[\w:]+\s*<", plain))
                    found = Type(kind[0], kind[1] or "(unnamed)", names(), begin(start), self.line(end), around is not None, specialised)
                    self.types.append(found)
                    if kind[0] == "enum":
                        index, at = closing, end + 1
                        head = "enum"
                    else:
                        scopes.append(((found.name,), found))
                        head, start = "", at
                elif self.functions and re.match(r"catch\b", plain):  # of a function whose body is a `try`
                    self.functions[-1].end = self.line(end)
                    index, at = closing, end + 1
                    head, start = "", at
                elif is_function(plain):
                    name = function_name(split_initialisers(without_templates(plain))[0])
                    if around and not plain.startswith("friend"):
                        around.methods += 1
                    self.functions.append(Function(name, names(), begin(start), self.line(end), around is not None))
                    index, at = closing, end + 1
                    head, start = "", at
                else:  # an initialiser
                    index, at = closing, end + 1
                    head += "}"
            index += 1

    def comment_before(self, line):
        """The text of the comment in the lines directly before a line."""
        lines, found = self.text.split("\n"), []
        at = line - 2
        while at >= 0 and lines[at].lstrip().startswith("//"):
            found.insert(0, lines[at].strip().removeprefix("//").strip())
            at -= 1
        return " ".join(found)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows that the checks of structure can fail: checks_test.py TOP

For each rule there is a small tree that violates it and one that does not: rules.py, include_cycles.py, layers.py, links.py,
system_use.py, the exceptions of allowed.py, and the scanner.
"""
import pathlib
import subprocess
import sys
import tempfile
import textwrap

import allowed
import cpp_source
import include_cycles
import layers
import rules
import system_use

top = pathlib.Path(sys.argv[1])
problems = []
expected = 0


def expect(what, actual, wanted):
    global expected
    expected += 1
    if actual != wanted:
        problems.append(f"{what}: {actual!r}, not {wanted!r}")


def tree(directory, files):
    for name, text in files.items():
        path = pathlib.Path(directory) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    return pathlib.Path(directory)


def found(files, check=rules.check):
    """(rule, subject, number) of the findings in a tree."""
    with tempfile.TemporaryDirectory() as scratch:
        findings, _ = check(tree(scratch, {"layers.txt": "base:\ngpu: base\njson: base\n", **files}))
        return sorted((one.rule, one.subject, one.number) for one in findings)


def cpp(body, module="gpu"):
    return f"namespace slipway::{module} {{\n{body}\n}}\n"


def statements(count):
    return "  step();\n" * count


# --- the scanner -----------------------------------------------------------------------------------------------------------

SCANNED = r'''
#define BROKEN {
// a brace in a comment {
/* and { here */
namespace slipway::gpu {
namespace {
constexpr char kBrace = '{', kQuote = '\'', kEscape = '\\';
constexpr int kMillion = 1'000'000;
const char* text = "} \" {";
const char* raw = R"x(} ) " {)x";
const Table kTable[] = {{1, 2}, {3, 4}};
const auto lambda = [](int a) { return a; };
struct Local {
  int a;
};
}  // namespace

template <class T, class U = std::map<int, T>>
class Box final : public Base<T>, private Other {
 public:
  explicit Box(int a = {}) : a_{a}, b_(std::vector<int>{1}), Base<T>{} {
    work();
  }
  ~Box() = default;
  Box(const Box&) = delete;
  bool operator==(const Box&) const = default;
  bool operator<(const Box& other) const { return a_ < other.a_; }
  void operator()(int) const { work(); }
  operator bool() const { return true; }
  std::function<Result<>(int, long)> callback;
  friend void swap(Box& a, Box& b);
  friend class Friend;
  using Map = std::map<int, int>;
  static constexpr int kMax = 3;
  enum class Kind : std::uint8_t { A, B };
  struct Inner { int x, y; };
  template <class V>
    requires std::is_integral_v<V>
  auto get(V v) const noexcept -> std::pair<int, V> { return {1, v}; }

 private:
  int a_ = 1 << 3, b_{2};
  std::array<int, 3> c_ = {1, 2, 3};
  void (*hook_)(int) = nullptr;
  alignas(16) char d_[4];
};

Result<int> Box::open(const Options& options = {}) {
  if (options.a) {
    struct InFunction { void f() {} };
  }
  return {};
}
void Box::guarded() try {
  work();
} catch (const Error& error) {
  work();
}
extern "C" {
int c_function(void) { return 0; }
}
}  // namespace slipway::gpu
'''


def check_scanner():
    source = cpp_source.Source(SCANNED)
    expect("types", [(one.kind, "::".join(one.path)) for one in source.types],
           [("struct", "slipway::gpu::::Local"), ("class", "slipway::gpu::Box"), ("enum", "slipway::gpu::Box::Kind"),
            ("struct", "slipway::gpu::Box::Inner")])
    expect("functions", [one.name for one in source.functions],
           ["Box", "operator_1", "operator_2", "operator bool", "get", "Box::open", "Box::guarded", "c_function"])
    box = source.types[1]
    expect("methods and members", (box.methods, box.members), (8, 6))
    expect("lines of a constructor", source.functions[0].lines, 3)
    expect("lines of a function with a `try` as its body", source.functions[6].lines, 5)
    expect("lines", len(source.code.split("\n")), len(SCANNED.split("\n")))
    for text in ("void f() {", "void f() }", "void f( {)}"):
        try:
            cpp_source.Source(text)
            problems.append(f"{text}: no error")
        except cpp_source.Unbalanced:
            pass
    expect("a specialisation", [one.is_specialised for one in cpp_source.Source("template <>\nstruct A<int> {};\nstruct A {};").types], [True, False])


# --- rules.py --------------------------------------------------------------------------------------------------------------

def check_rules():
    files = {f"src/gpu/f{index}.hpp": cpp("") for index in range(25)}
    others = {"src/gpu/a_test.cpp": cpp(""), "src/gpu/a_fuzz.cpp": cpp(""), "src/testing/a.hpp": cpp("")}
    expect("25 files", found({**files, **others}), [])
    expect("26 files", found({**files, "src/gpu/one.cpp": cpp("")}), [("directory-files", "src/gpu", 26)])

    def function(lines, comment=""):
        return found({"src/gpu/a.cpp": cpp(f"{comment}void f() {{\n{statements(lines - 2)}}}")})

    expect("60 lines", function(60), [])
    expect("61 lines", function(61), [("function-lines", "src/gpu/a.cpp f", 61)])
    expect("61 lines with a reason", function(61, "// Steps. Long, because the steps\n// have one order.\n"), [])
    expect("a comment that is not a reason", function(61, "// A long function.\n"), [("function-lines", "src/gpu/a.cpp f", 61)])
    expect("a reason with a blank line", function(61, "// Long, because.\n\n"), [("function-lines", "src/gpu/a.cpp f", 61)])
    expect("61 lines in a test", found({"src/gpu/a_test.cpp": cpp(f"void f() {{\n{statements(59)}}}")}), [])

    def in_class(*lines):
        return found({"src/gpu/a.hpp": cpp("class A {\n" + "".join(lines) + "};")})

    expect("40 methods, 25 members", in_class(*(f"void f{i}();\n" for i in range(40)), *(f"int a{i};\n" for i in range(25))), [])
    expect("41 methods", in_class(*(f"void f{i}() {{}}\n" for i in range(41))), [("class-methods", "gpu::A", 41)])
    expect("26 members", in_class(*(f"int a{i}, b{i} = 1;\n" for i in range(13))), [("class-members", "gpu::A", 26)])

    def across(header, *functions):
        return found({"src/gpu/a.hpp": cpp(header), **{f"src/gpu/a{i}.cpp": cpp(text) for i, text in enumerate(functions)}})

    parts = [f"void A::f{i}() {{\n{statements(57)}}}\n" for i in range(11)]
    expect("600 lines", across("class A {\n};", "".join(parts[:10])), [])
    expect("over 600 lines", across("class A {\n};", "".join(parts)), [("class-lines", "gpu::A", 651)])
    expect("a class in two files", across("class A {};", "void A::f() {}", "void A::g() {}"), [("class-files", "gpu::A", 2)])
    expect("two classes in two files", across("class A {}; class B {};", "void A::f() {}", "void B::g() {}"), [])
    expect("classes without a name outside", across("", *["namespace { class A {}; void A::f() {} }"] * 2), [])

    def two(first, second, a="struct A {};", b="enum class A { X };"):
        return found({"src/" + first + "/a.hpp": cpp(a, first), "src/" + second + "/a.hpp": cpp(b, second)})

    expect("one name in modules that see each other", two("base", "gpu"), [("type-name", "A", 2)])
    expect("one name in modules that do not", two("json", "gpu"), [])
    expect("two names", two("base", "gpu", "struct B {};"), [])
    expect("a name in an anonymous namespace", two("base", "gpu", "namespace { struct A {}; }"), [])
    expect("a name in a class", two("base", "gpu", "struct B { struct A {}; };"), [])
    expect("a declaration", two("base", "gpu", "struct A;"), [])

    def code(line):
        return found({"src/gpu/a.cpp": cpp(f"void f() {{ {line} }}")})

    for line in ('if (one.message.starts_with("x")) g();', "return one->message[0] == 'A';", 'if (one.message == "x") g();',
                 'one.message.find("x");'):
        expect(line, code(line), [("message-text", "src/gpu/a.cpp", 1)])
    for line in ("print(one.message);", "if (one.message.empty()) g();", "if (header.message != Message::Hello) g();",
                 'const bool x = message.contains("x");', "// one.message.contains()\n"):
        expect(line, code(line), [])
    for line in ("constexpr int kLargestSide = 3;", "constexpr int kMin = 1, kLargestSide{3};"):
        expect(line, code(line), [("limit-name", "src/gpu/a.cpp kLargestSide", None)])
    expect("a limit by its name", code("constexpr int kSizeLimit = 3;"), [("limit-name", "src/gpu/a.cpp kSizeLimit", None)])
    for line in ("constexpr int kMaxSide = 3;", "if (x == kLargestSide) g();", "constexpr auto kLimits = table();"):
        expect(line, code(line), [])
    expect("good", code("bool good = is_good(); text.good();"), [("good", "src/gpu/a.cpp", 3)])
    expect("good in texts", code('bool ok = goods("good"); /* good */'), [])

    def header(text):
        return found({"src/gpu/a.hpp": cpp(text)})

    expect("a parameter that is missing", header("// Makes it. `count`: of all.\nvoid f(int size);"),
           [("comment-name", "src/gpu/a.hpp count", None), ("comment-parameter", "src/gpu/a.hpp count", None)])
    expect("a parameter", header("// Makes it. `count`: of all.\nvoid f(int count);"), [])
    expect("a parameter of the second declaration", header("// `count`: of all.\nvoid f();\nvoid f(int count);"), [])
    expect("another use of a name", header("int count;\n// Like `count`: it waits.\nvoid f(int size);"), [])
    expect("a name that is missing", header("// See `gone()`.\nint a;"), [("comment-name", "src/gpu/a.hpp gone()", None)])
    expect("names", header('// See `gone`, `Box::a`, `run_NAME`, `v1.1`, `the word`.\nint a = "gone";'), [])
    expect("brackets", found({"src/gpu/a.cpp": "void f() {"}), [("brackets", "src/gpu/a.cpp", None)])


# --- include_cycles.py -----------------------------------------------------------------------------------------------------

def check_cycles():
    def cycles(**units):
        files = {f"src/gpu/{name}.{kind}": "".join(f'#include "gpu/{other}.hpp"\n' for other in others)
                 for name, kinds in units.items() for kind, others in kinds.items()}
        return [(subject, number) for _, subject, number in found(files, include_cycles.check)]

    expect("a chain", cycles(a={"hpp": "b", "cpp": "ac"}, b={"hpp": "c"}, c={"hpp": ""}), [])
    expect("a cycle of headers", cycles(a={"hpp": "b"}, b={"hpp": "c"}, c={"hpp": "a"}), [("gpu/a gpu/b gpu/c", None)])
    expect("a cycle through a .cpp", cycles(a={"hpp": "", "cpp": "ab"}, b={"hpp": "a"}), [("gpu/a gpu/b", None)])
    expect("two cycles", cycles(a={"hpp": "b"}, b={"hpp": "ac"}, c={"hpp": "d"}, d={"hpp": "c"}), [("gpu/a gpu/b", None), ("gpu/c gpu/d", None)])
    expect("a cycle through a test", found({"src/gpu/a.hpp": "", "src/gpu/b.hpp": '#include "gpu/a.hpp"\n',
                                           "src/gpu/a_test.cpp": '#include "gpu/b.hpp"\n'}, include_cycles.check), [])


# --- the exceptions --------------------------------------------------------------------------------------------------------

def check_allowed():
    def compare(text, *findings):
        with tempfile.TemporaryDirectory() as scratch:
            where = tree(scratch, {allowed.NAME: text})
            return [one.split("[")[0].strip() for one in allowed.compare(where, {"good", "limit-name", "other"}, {"good", "limit-name"}, findings)]

    def good(number):
        return allowed.Finding("good", "a", "a finding", number)

    name = allowed.Finding("limit-name", "b", "another")
    expect("not listed", compare("# nothing\n", good(2), name), ["a finding", "another"])
    expect("listed", compare("good\ta\t2 a reason\nlimit-name\tb\ta reason\nother\tc\t1\n", good(2), name), [])
    expect("less", compare("good\ta\t2\n", good(1)), [])
    expect("grown", compare("good\ta\t2\n", good(3)), [f"a finding; {allowed.NAME} allows 2"])
    expect("gone", compare("good\ta\t2\n"), [f"{allowed.NAME}: good, a: not found any more; delete the line"])
    expect("a reason instead of a number", compare("good\ta\treason\n", good(1)), [f"{allowed.NAME}: good, a: the third field must begin with a number"])
    expect("no reason", compare("limit-name\tb\t\n"), [f"{allowed.NAME}:1: not three fields separated by tabs"])
    expect("twice", compare("limit-name\tb\tx\nlimit-name\tb\ty\n", name), [f"{allowed.NAME}:2: `b` is listed twice"])
    expect("an unknown rule", compare("x\tb\ty\n"), [f"{allowed.NAME}:1: there is no rule `x`"])


# --- layers.py -------------------------------------------------------------------------------------------------------------

def check_layers():
    lines = "base:\ngpu: base  # a comment\nlaunch: base\nrun/gpu: launch ~gpu\nrun: launch ~run/gpu\ncli: run\n"

    def check(path, include, text=lines):
        files = {"src/" + module + "/x.hpp": "" for module in ("base", "gpu", "launch", "run/gpu", "run", "cli")}
        with tempfile.TemporaryDirectory() as scratch:
            where = tree(scratch, {"layers.txt": text, **files})
            tree(scratch, {path: f"#include {include}\n"})
            return layers.check(where)[0]

    def refused(module, name):
        return [f"src/{module}/a.cpp:1: `{module}` may not include `{name}` (see layers.txt)"]

    for module, name in (("gpu", "base/x.hpp"), ("run/gpu", "gpu/x.hpp"), ("run/gpu", "base/x.hpp"), ("run", "run/gpu/x.hpp"),
                         ("run", "launch/x.hpp"), ("cli", "run/x.hpp"), ("cli", "launch/x.hpp"), ("run/gpu", "run/gpu/deep/x.hpp"),
                         ("cli", "vector"), ("run/gpu/deep", "gpu/x.hpp")):
        expect(f"{module} includes {name}", check(f"src/{module}/a.cpp", f'"{name}"'), [])
    for module, name in (("base", "gpu/x.hpp"), ("run", "gpu/x.hpp"), ("cli", "run/gpu/x.hpp"), ("cli", "gpu/x.hpp"), ("run/gpu", "run/x.hpp"),
                         ("launch", "gpu/x.hpp")):
        expect(f"{module} includes {name}", check(f"src/{module}/a.cpp", f'"{name}"'), refused(module, name))
    expect("Vulkan", check("src/cli/a.cpp", "<vulkan/vulkan.h>"), ["src/cli/a.cpp:1: only `gpu`, `layer` and `conformance/vulkan` may include `vulkan/vulkan.h`"])
    expect("Vulkan in gpu", check("src/gpu/a.cpp", "<vulkan/vulkan.h>"), [])
    expect("testing", check("src/gpu/a.cpp", '"testing/x.hpp"'), ["src/gpu/a.cpp:1: only tests may include `testing/x.hpp`"])
    expect("testing in a test", check("src/gpu/a_test.cpp", '"testing/x.hpp"'), [])
    expect("a directory without a line", check("src/more/a.cpp", "<vector>"), ["src/more: the module has no line in layers.txt"])
    expect("a line without a directory", check("src/gpu/a.cpp", "<vector>", lines + "more:\n"), ["layers.txt: there is no directory src/more"])
    expect("a name without a line", check("src/gpu/a.cpp", "<vector>", lines + "cli: more\n"), ["layers.txt: module `more` is named but has no line"])
    expect("a cycle", layers.Layers("a: ~b\nb: c\nc: b\n").problems(), ["layers.txt: a cycle: b -> c -> b"])


# --- links.py --------------------------------------------------------------------------------------------------------------

def check_links():
    def check(page="", source=""):
        files = {"README.md": "[docs](docs/README.md)", "docs/README.md": "", "examples/README": "", "src/gpu/a.cpp": source,
                 "src/gpu/box.hpp": "class Box;", "page.md": page}
        with tempfile.TemporaryDirectory() as scratch:
            done = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("links.py"), tree(scratch, files)], capture_output=True, text=True)
            expect(f"the exit status of links.py for {page}{source}", done.returncode, int("no dead link" not in done.stdout))
            return done.stdout.strip().split("\n") if done.returncode else []

    for page in ("`box.hpp`", "`gpu/box.hpp`", "`src/gpu/box.hpp`", "`Box` (`src/gpu/box.hpp`)", "`src/gpu/box.hpp` (`Box`)", "`NAME.cpp`", "`a.json`"):
        expect(page, check(page), [])
    for page in ("`gone.hpp`", "`cpu/box.hpp`", "`src/gpu/gone.hpp`"):
        expect(page, check(page), [f"page.md:1: {page} does not exist"])
    for page in ("`Gone` (`src/gpu/box.hpp`)", "`src/gpu/box.hpp` (`Gone`)"):
        expect(page, check(page), ["page.md:1: `src/gpu/box.hpp` has no `Gone`"])
    expect("a link", check("[x](gone.md)"), ["page.md:1: `gone.md` does not exist"])
    expect("a comment", check(source="// See gone.hpp.\n"), ["src/gpu/a.cpp:1: `gone.hpp` does not exist"])
    expect("a comment with a file", check(source="// See gpu/box.hpp.\n"), [])


# --- system_use.py ---------------------------------------------------------------------------------------------------------

def check_system_use():
    def check(text, name="gpu/a.cpp", allowed_lines=(), max_allowed=0):
        with tempfile.TemporaryDirectory() as scratch:
            return system_use.check(tree(scratch, {f"src/{name}": text, system_use.NAME: "".join(line + "\n" for line in allowed_lines)}),
                                    max_allowed)[0]

    def refused(*used, name="gpu/a.cpp"):
        return [f"src/{name}: uses the system: {', '.join(used)}; only src/platform does"]

    expect("standard headers", check("#include <vector>\n#include <cerrno>\n#include <gtest/gtest.h>\n#include \"base/x.hpp\"\n"), [])
    for text, *used in (("#include <unistd.h>\n", "<unistd.h>"), ("#  include <sys/mman.h>\n", "<sys/mman.h>"), ("#include <windows.h>\n", "<windows.h>"),
                        ("#ifdef __linux__\n", "__linux__"), ("#if defined(_WIN32)\n", "_WIN32"), ('open("/proc/self/exe");\n', "/proc"),
                        ('::setenv("A", "b", 1);\n', "setenv")):
        expect(text, check(text), refused(*used))
        expect(f"{text} in platform", check(text, "platform/linux/a.cpp"), [])
    expect("a comment", check("// as in /proc/self\n"), [])
    test = "gpu/a_test.cpp"
    expect("a test", check("#include <unistd.h>\n", test), refused("<unistd.h>", name=test))
    expect("a test that is listed", check("#include <unistd.h>\n", test, [test], 1), [])
    expect("a list that grew", len(check("#include <unistd.h>\n", test, [test])), 1)
    expect("a list that shrank", len(check("#include <unistd.h>\n", test, [test], 2)), 1)
    expect("a line without its use", len(check("", test, [test], 1)), 1)
    expect("a product file that is listed", len(check("#include <unistd.h>\n", "gpu/a.cpp", ["gpu/a.cpp"], 1)), 1)


for check in (check_scanner, check_rules, check_cycles, check_allowed, check_layers, check_links, check_system_use):
    check()
assert expected > 100
# Each rule has a case above that violates it.
text = pathlib.Path(__file__).read_text()
problems += [f"rules.py: no case violates {rule}" for rule in rules.RULES if f'("{rule}"' not in text]
# The rules find something in this repository, so that they read its files.
expect("files of this repository", len(rules.product_files(top)) > 1000, True)
print("\n".join(problems) or f"{expected} cases")
sys.exit(bool(problems))

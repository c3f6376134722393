#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that only src/platform knows the operating system: system_use.py TOP [--list]

Elsewhere in src/ no file includes a header of the system, calls one of its functions, or asks which system it is. A header of the
system is one that is neither of the C++ library nor of a dependency. Tests and stand-ins that make the system do something are
listed in tests/system_use_allowed.txt, which may only shrink; product files are not, but STANDALONE.
"""
import pathlib
import re
import sys

NAME, MAX_ALLOWED = "tests/system_use_allowed.txt", 18
LIBRARY = set("""algorithm any array atomic bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits cmath csignal compare
complex concepts condition_variable csetjmp cstdarg cstddef cstdint cstdio cstdlib cstring ctime deque exception execution expected
filesystem format forward_list fstream functional future generator initializer_list iomanip ios iosfwd iostream istream iterator latch
limits list map memory memory_resource mutex new numbers numeric optional ostream print queue random ranges ratio regex semaphore set
shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view system_error thread tuple type_traits
typeindex typeinfo unordered_map unordered_set utility valarray variant vector version stdint.h stddef.h string.h stdlib.h stdbool.h
nothing metal_stdlib""".split())
# (The headers of intrinsics come with the compiler.)
DEPENDENCY = re.compile(r"(CL|CLI|OpenCL|SPIRV|flatbuffers|glslang|gmock|gtest|llvm|mlir|spirv|spirv-tools|volk|vulkan|xrt)/"
                        r"|([ei]mmintrin|simdjson|spng|uuid/uuid|vk_mem_alloc|volk|xxhash|zlib)\.h$")
INCLUDE = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.M)
SYSTEM = re.compile(r"\b(__linux__|__unix__|__APPLE__|__GLIBC__|_WIN32)\b|/proc\b"
                    r"|\b(setenv|unsetenv|mkdtemp|gmtime_r|localtime_r|strsignal|fileno|popen)\s*\(")  # of headers that C has, too
# Of a library for engines that needs neither the C++ library nor a module, and asks by itself which system it is.
STANDALONE = ("rpl_runtime/watch.cpp",)
PRODUCT = re.compile(r"^(?!testing/)(?!.*(_test|_fuzz)\.\w+$)")


def system_of(text):
    """What a file uses of the system, by the first lines with it."""
    found = [f"<{name}>" for name in INCLUDE.findall(text) if name not in LIBRARY and not DEPENDENCY.match(name)]
    code = re.sub(r"//.*", "", text)
    return found + sorted({match[0].rstrip("( ") for match in SYSTEM.finditer(code)})


def check(top, max_allowed=MAX_ALLOWED):
    """(problems, path below src/ -> what it uses of the system, those of STANDALONE)."""
    files = {path.relative_to(top / "src").as_posix(): path.read_text() for path in sorted((top / "src").rglob("*")) if path.suffix in
             (".cpp", ".hpp", ".c", ".h", ".def")}
    assert files, "no sources"
    found = {name: used for name, text in files.items() if not name.startswith("platform/") and (used := system_of(text))}
    alone = [name for name in STANDALONE if found.pop(name, None)]
    path = top / NAME
    allowed = {line for line in path.read_text().splitlines() if line and not line.startswith("#")} if path.exists() else set()
    problems = [f"{NAME}: {len(allowed)} lines, where {max_allowed} are left; the list only shrinks, and the number with it"] if (
        len(allowed) != max_allowed) else []
    problems += [f"{NAME}: {name} is a product file" for name in sorted(allowed) if PRODUCT.search(name)]
    problems += [f"src/{name}: uses the system: {', '.join(used)}; only src/platform does" for name, used in found.items() if name not in allowed]
    problems += [f"{NAME}: {name} does not use the system any more; delete the line" for name in sorted(allowed - set(found))]
    return problems, found, alone


def main():
    problems, found, alone = check(pathlib.Path(sys.argv[1]))
    if "--list" in sys.argv:
        print("\n".join(f"{name}: {', '.join(used)}" for name, used in found.items()))
        return
    print("\n".join(problems) or f"product files that use the system: {len(alone)} ({', '.join(alone)}); files of tests: {len(found)}")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()

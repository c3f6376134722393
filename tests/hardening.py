#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inspects the protections of programs and shared objects of a release build (cmake/hardening.cmake): hardening.py FILE...

Of a stripped file only what its headers show is checked. `hardening.py --compiler CXX` shows that each check can fail.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

LANDING_PAD = bytes.fromhex("f30f1efa")  # ENDBR64


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def functions(path):
    """name -> file offset of each global function that the file defines."""
    segments = [[int(word, 16) for word in match] for match in
                re.findall(r"^  LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)", readelf("-l", path), re.M)]
    found = {}
    for line in readelf("-s", path).splitlines():
        match = re.match(r" *\d+: (\w+) +\d+ FUNC +GLOBAL +(?:DEFAULT|PROTECTED) +\d+ (\S+)", line)
        for offset, address, size in segments if match else []:
            value = int(match[1], 16)
            if address <= value < address + size:
                found[match[2]] = value - address + offset
    return found


def check(path):
    """Problems of a file."""
    problems = []

    def require(condition, message):
        if not condition:
            problems.append(f"{path}: {message}")

    header, segments, dynamic, notes = (readelf(option, path) for option in ("-h", "-l", "-d", "-n"))
    symbols = readelf("--dyn-syms", path)
    program = "INTERP" in segments
    require(re.search(r"Type: +DYN", header), "is not position-independent")
    if program:
        require(re.search(r"FLAGS_1.*\bPIE\b", dynamic), "is not a position-independent executable")
    require("GNU_RELRO" in segments, "has no segment that becomes read-only after relocation (RELRO)")
    require(re.search(r"FLAGS_1.*\bNOW\b|\(BIND_NOW\)", dynamic), "binds lazily, so that RELRO does not cover all (BIND_NOW)")
    require(re.search(r"GNU_STACK +(0x\w+ +){5}RW ", segments), "has an executable stack")
    require(not re.search(r"\((RPATH|RUNPATH)\)", dynamic), "has a search path for libraries (RPATH)")
    require("TEXTREL" not in dynamic, "has relocations of code (TEXTREL)")
    require("__stack_chk_fail" in symbols, "has no stack protector")
    require(re.search(r"\bUND \w+_chk@", re.sub(r"__stack_chk\w*", "", symbols)), "has no checks of the C library (_FORTIFY_SOURCE)")
    if "X86-64" in header:
        require("SHSTK" in notes, "has no note of a shadow stack")
        content = path.read_bytes()
        starts = [content[offset:offset + 4] for name, offset in functions(path).items()
                  if name == "main" or "slipway" in name]
        missing = sum(start != LANDING_PAD for start in starts)
        require(not missing, f"{missing} of {len(starts)} global functions have no landing pad (-fcf-protection)")
        if program and ".symtab" in readelf("-S", path):
            require(starts, "no function was found")
            require("__glibcxx_assert_fail" in symbols + readelf("-s", path), "has no checks of the C++ library (_GLIBCXX_ASSERTIONS)")
    return problems


SOURCE = """
#include <cstdio>
#include <cstring>
#include <vector>
int main(int count, char** arguments) {
  char text[64];
  std::strcpy(text, arguments[0]);
  std::vector<int> values(8);
  std::printf("%s %d\\n", text, values[count]);
}
"""
HARD = ("-O2 -fPIE -pie -fstack-protector-strong -ftrivial-auto-var-init=zero -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS "
        "-fcf-protection=full -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,shstk")
BROKEN = {
    "-fno-PIE -no-pie": "is not position-independent",
    "-Wl,-z,norelro": "RELRO",
    "-Wl,-z,lazy": "BIND_NOW",
    "-Wl,-z,execstack": "executable stack",
    "-Wl,-rpath,/tmp": "RPATH",
    "-fno-stack-protector": "no stack protector",
    "-U_FORTIFY_SOURCE": "_FORTIFY_SOURCE",
    "-U_GLIBCXX_ASSERTIONS": "_GLIBCXX_ASSERTIONS",
    "-fcf-protection=none": "-fcf-protection",
}


def check_checks(compiler):
    """Whether each broken flag is found in a small program."""
    problems = []
    with tempfile.TemporaryDirectory() as name:
        source, program = pathlib.Path(name) / "small.cpp", pathlib.Path(name) / "small"
        source.write_text(SOURCE)
        for flags, expected in {"": None, **BROKEN}.items():
            subprocess.run([compiler, *HARD.split(), *flags.split(), source, "-o", program], check=True)
            found = check(program)
            if (expected and not any(expected in problem for problem in found)) or (not expected and found):
                problems.append(f"with `{flags}`: {found}")
    return problems


def main():
    if sys.argv[1] == "--compiler":
        problems = check_checks(sys.argv[2])
    else:
        problems = [problem for name in sys.argv[1:] for problem in check(pathlib.Path(name))]
    print(*(f"{problem}\n" for problem in problems), sep="", end="")
    print(f"{len(problems)} problems")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()

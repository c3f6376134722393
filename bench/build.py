#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of a build: CPU seconds of each module, and the files and headers that cost most.

  bench/build.py [--target slipway] [--preset release] [--jobs N] [--headers] [--rows 10]

Builds the target from scratch, without an object cache, in build/cost, and adds up the user CPU time of all compiler calls.
--headers then compiles each file once more with clang and -ftime-trace, without precompiled headers, and prints the headers
that take most time over all files, without the headers that they include.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile

top = pathlib.Path(__file__).resolve().parent.parent


def measure(log, command):
    """Runs one compiler call and appends its CPU time to the log. CMake starts compilers through this (COMPILER_LAUNCHER)."""
    status = subprocess.call(command)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = next((command[i + 1] for i, word in enumerate(command[:-1]) if word == "-o"), "?")
    with open(log, "a") as file:  # short lines that are appended by several processes do not mix
        file.write(json.dumps({"output": output, "user": used.ru_utime, "kilobytes": used.ru_maxrss}) + "\n")
    return status


def module_of(output):
    """The module and the file of an object file: src/CMakeFiles/slipway_rpl.dir/rpl/parse/lex.cpp.o -> (rpl, rpl/parse/lex.cpp)"""
    found = re.search(r"CMakeFiles/([^/]+)\.dir/(.*)\.o$", output)
    if not found:
        return ("precompiled headers", output) if output.endswith(".gch") else ("other", output)
    return found.group(1).removeprefix("slipway_"), found.group(2)


def build(options, build_directory, log):
    launcher = f"{sys.executable};{pathlib.Path(__file__).resolve()};--measure;{log}"
    subprocess.run(["cmake", "--preset", options.preset, "-B", build_directory, f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}",
                    f"-DCMAKE_C_COMPILER_LAUNCHER={launcher}"], cwd=top, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", build_directory, "--quiet", "-j", str(options.jobs), *options.target], check=True)


def print_costs(log, rows):
    calls = [json.loads(line) for line in open(log)]
    modules = collections.defaultdict(list)
    for call in calls:
        name, file = module_of(call["output"])
        modules[name].append((call["user"], file))
    total = sum(call["user"] for call in calls)
    print(f"{total:8.1f} s of user CPU, {len(calls)} compiler calls, "
          f"largest {max(call['kilobytes'] for call in calls) / 1024:.0f} MB")
    for name, files in sorted(modules.items(), key=lambda item: -sum(user for user, _ in item[1])):
        seconds = sum(user for user, _ in files)
        print(f"{seconds:8.1f} s {len(files):5} files {seconds / len(files):6.2f} s each  {name}")
    print(f"the {rows} files that cost most:")
    for user, name, file in sorted(((user, name, file) for name, files in modules.items() for user, file in files),
                                   reverse=True)[:rows]:
        print(f"{user:8.1f} s  {name}: {file}")


def header_costs(entry):
    """The seconds of each header of one file, without the headers that it includes."""
    words = shlex.split(entry["command"])
    words = words[words.index(next(word for word in words if re.search(r"\+\+(-\d+)?$", word))):]
    words[0] = "clang++"
    while "-include" in words:
        at = words.index("-include")
        del words[at:at + 2]
    with tempfile.TemporaryDirectory() as scratch:
        words[words.index("-o") + 1] = f"{scratch}/x.o"
        trace = pathlib.Path(scratch, "trace.json")
        # (Clang's driver ignores the option when it only checks the syntax.)
        subprocess.run([*words, "-Xclang", f"-ftime-trace={trace}", "-fsyntax-only", "-w"], cwd=entry["directory"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not trace.exists():
            return {}
        events = json.loads(trace.read_text())["traceEvents"]
    begins, costs = [], collections.Counter()
    for event in sorted((event for event in events if event.get("name") == "Source"), key=lambda event: event["ts"]):
        while begins and begins[-1][1] <= event["ts"]:
            begins.pop()
        name = event["args"]["detail"]
        costs[name] += event["dur"]
        if begins:
            costs[begins[-1][0]] -= event["dur"]
        begins.append((name, event["ts"] + event["dur"]))
    return {name: duration / 1e6 for name, duration in costs.items()}


def print_headers(build_directory, rows, jobs):
    entries = [entry for entry in json.loads((build_directory / "compile_commands.json").read_text())
               if entry["file"].endswith((".cpp", ".cxx"))]  # files that are compiled together have the second suffix
    costs, users = collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(header_costs, entries):
            costs.update(found)
            users.update(found.keys())
    print(f"the {rows} headers that cost most (clang, without precompiled headers):")
    for name, seconds in costs.most_common(rows):
        print(f"{seconds:8.1f} s {users[name]:5} files  {os.path.relpath(name, top) if name.startswith(str(top)) else name}")


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "--measure":
        sys.exit(measure(sys.argv[2], sys.argv[3:]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", nargs="*", default=["slipway"], help="what to build (slipway); `all` is everything")
    parser.add_argument("--preset", default="release")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--headers", action="store_true", help="measure headers, too")
    parser.add_argument("--rows", type=int, default=10)
    options = parser.parse_args()
    build_directory = top / "build" / "cost"
    subprocess.run(["cmake", "-E", "rm", "-rf", build_directory], check=True)
    build_directory.mkdir(parents=True)
    log = build_directory / "cost.jsonl"
    log.touch()
    build(options, build_directory, log)
    print_costs(log, options.rows)
    if options.headers:
        print_headers(build_directory, options.rows, options.jobs)


main()

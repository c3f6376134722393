#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The SARIF that every verb writes for every format follows the rules of SARIF 2.1.0: sarif.py SLIPWAY"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

slipway = str(pathlib.Path(sys.argv[1]).resolve())
problems = []

# RFC 3986: a relative reference whose first segment has no colon, or an absolute URI.
SEGMENT = r"(?:[A-Za-z0-9._~!$&'()*+,;=@-]|%[0-9A-Fa-f]{2})"
URI = re.compile(rf"(?:[A-Za-z][A-Za-z0-9+.-]*://{SEGMENT}*(?:/(?:{SEGMENT}|:)*)*|{SEGMENT}+(?:/(?:{SEGMENT}|:)*)*)")
VERSION = re.compile(r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
# The properties that Slipway writes, of each object: name -> (type, required).
OBJECTS = {
    "log": {"$schema": (str, False), "version": (str, True), "runs": (list, True)},
    "run": {"tool": (dict, True), "columnKind": (str, False), "results": (list, True)},
    "tool": {"driver": (dict, True)},
    "driver": {"name": (str, True), "semanticVersion": (str, False), "rules": (list, False)},
    "rule": {"id": (str, True), "shortDescription": (dict, False)},
    "result": {"ruleId": (str, True), "level": (str, False), "message": (dict, True), "locations": (list, False),
               "relatedLocations": (list, False)},
    "message": {"text": (str, True)},
    "location": {"physicalLocation": (dict, False), "message": (dict, False)},
    "physicalLocation": {"artifactLocation": (dict, True), "region": (dict, False)},
    "artifactLocation": {"uri": (str, True)},
    "region": {name: (int, False) for name in ("startLine", "startColumn", "endLine", "endColumn", "byteOffset", "byteLength")},
}


class Checker:
    """Collects what a document does wrong."""

    def __init__(self):
        self.wrong = []

    def need(self, condition, what):
        if not condition:
            self.wrong.append(what)

    def known(self, kind, value):
        self.need(isinstance(value, dict), f"{kind} is an object: {value!r}")
        for name, content in value.items():
            allowed = OBJECTS[kind].get(name)
            self.need(allowed and isinstance(content, allowed[0]), f"{kind}.{name}: {content!r}")
        for name, (_, required) in OBJECTS[kind].items():
            self.need(not required or name in value, f"{kind} has {name}")

    def message(self, value):
        self.known("message", value)
        self.need(value["text"] != "", "a message has text")

    def location(self, value):
        self.known("location", value)
        self.need(value != {}, "a location says something")
        if "message" in value:
            self.message(value["message"])
        if "physicalLocation" not in value:
            return
        place = value["physicalLocation"]
        self.known("physicalLocation", place)
        self.known("artifactLocation", place["artifactLocation"])
        self.need(URI.fullmatch(place["artifactLocation"]["uri"]), f"a URI: {place['artifactLocation']['uri']}")
        if "region" in place:
            self.region(place["region"])

    def region(self, value):
        self.known("region", value)
        self.need(all(value.get(name, 1) >= 1 for name in ("startLine", "startColumn", "endLine", "endColumn")),
                  f"lines and columns count from 1: {value}")
        self.need(value.get("byteOffset", 0) >= 0 and value.get("byteLength", 0) >= 0, f"offsets are not negative: {value}")
        self.need(("startLine" in value) != ("byteOffset" in value), f"a region is of text or of bytes: {value}")
        if "startLine" in value:
            end = (value.get("endLine", value["startLine"]), value.get("endColumn", 10**9))
            self.need((value["startLine"], value.get("startColumn", 1)) <= end, f"a region ends after its beginning: {value}")
        else:
            self.need("byteLength" in value, f"a region of bytes has a length: {value}")

    def run(self, run):
        self.known("run", run)
        self.need(run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints"), "columnKind")
        self.known("tool", run["tool"])
        driver = run["tool"]["driver"]
        self.known("driver", driver)
        self.need(VERSION.fullmatch(driver["semanticVersion"]), f"a semantic version: {driver['semanticVersion']}")
        for rule in driver["rules"]:
            self.known("rule", rule)
            self.message(rule["shortDescription"])
        rules = [rule["id"] for rule in driver["rules"]]
        self.need(len(set(rules)) == len(rules), "rules are unique")
        self.need(set(rules) == {result["ruleId"] for result in run["results"]}, "rules are those of the results")
        for result in run["results"]:
            self.known("result", result)
            self.message(result["message"])
            self.need(result["level"] in ("none", "note", "warning", "error"), f"level {result['level']}")
            for location in result.get("locations", []) + result.get("relatedLocations", []):
                self.location(location)
            related = [json.dumps(one) for one in result.get("relatedLocations", [])]
            self.need(len(set(related)) == len(related), "related locations are unique")


def check(text):
    """What is wrong with a SARIF file, and its results."""
    checker = Checker()
    try:
        document = json.loads(text)
        checker.known("log", document)
        checker.need(document["version"] == "2.1.0" and document["$schema"].startswith("https://"), "version and schema")
        checker.need(len(document["runs"]) == 1, "one run")
        checker.run(document["runs"][0])
        return checker.wrong, document["runs"][0]["results"]
    except (ValueError, KeyError, TypeError) as error:
        return checker.wrong + [f"{type(error).__name__} {error}"], []


# The rules find what is wrong.
def sound():
    good = {"$schema": "https://x", "version": "2.1.0", "runs": [{
        "tool": {"driver": {"name": "slipway", "semanticVersion": "1.2.3", "rules": [{"id": "a", "shortDescription": {"text": "t"}}]}},
        "columnKind": "unicodeCodePoints",
        "results": [{"ruleId": "a", "level": "error", "message": {"text": "m"},
                     "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a/b%20c.txt"}, "region": {"startLine": 1}}}]}]}]}
    assert check(json.dumps(good))[0] == [], check(json.dumps(good))
    for old, new in (('"startLine": 1', '"startLine": 0'), ("b%20c", "b c"), ("a/b%20c.txt", "a:b"), ('"id": "a"', '"id": "b"'),
                     ('"level": "error"', '"level": "bad"'), ("1.2.3", "1.2"), ('{"text": "m"}', "{}"), ('"ruleId": "a", ', ""),
                     ('"startLine": 1', '"byteOffset": 4'), ('"startLine": 1', '"startLine": 3, "endLine": 2')):
        assert check(json.dumps(good).replace(old, new))[0], f"{old} -> {new}"


BUFFER = '{"buffer": {"uid": "b", "size": 8, "shader_access": "readwrite", "sice": 1}}'
RECIPE = {"version": "1.0", "header": {"xclbin_path": "k.comp"},
          "resources": {"buffers": [{"name": "b", "type": "inout", "size": 8}],
                        "kernels": [{"name": "k", "instance": "main", "module": "missing.comp"}]},
          "execution": {"runs": [{"name": "k", "arguments": [{"name": "b", "argidx": 0}]}]}}
FILES = {
    "scene.json": f'{{"resources": [{BUFFER}], "commands": []}}',
    "twice.json": f'{{"resources": [{BUFFER}, {BUFFER}, {BUFFER}], "commands": []}}',
    "syntax.json": '{"resources": [',
    "recipe.json": json.dumps(RECIPE),
    "profile.json": '{"version": "1.0", "execution": {"iterations": 0}, "bindings": [{"name": 1}]}',
    "jobs.json": '{"jobs": [{"id": "a", "recipe": "missing.json", "profile": "missing.json"}]}',
    "bad.graph": "graph main {\n  %0 = input f32[4]\n  %1 = NOTHING(%0) f32[4]\n  output %1\n}\n",
    "bad.mlir": "func.func @main( {\n",
    "bad.rpl": "void f (void) { x = ; }\n",
    "more.rplproject.json": '{"programs": [{"name": "p", "sources": ["missing.rpl"]}]}',
    "bad.comp": "#version 460\nvoid main() { x(); }\n",
    "bad.hlsl": "[numthreads(1, 1, 1)] void main() { y(); }\n",
    "bad.spvasm": "OpCapability Shader\nOpNothing\n",
    "bad.ze_info": "version: '1.39'\nkernels:\n  - name: k\n    execution_env: { grf_count: 300, simd_size: 16 }\n",
    "short.vgf": b"VGF1" + bytes(200),
    "short.tosa": b"\x10\0\0\0TOSA" + bytes(40),
    "short.spv": b"\x03\x02\x23\x07" + bytes(40),
    "short.zebin": b"\x7fELF\2\1\1" + bytes(9) + b"\x12\xff" + bytes(20),
    "short.xclbin": b"xclbin2\0" + bytes(100),
    "directory with space/brö:ken 1#2%.json": f'{{"resources": [{BUFFER}], "commands": []}}',
}
COMMANDS = [
    ["check", "scene.json"], ["check", "twice.json"], ["check", "syntax.json"], ["run", "scene.json"], ["run", "--strict", "twice.json"],
    ["run", "scene.json", "syntax.json", "recipe.json"], ["check", "recipe.json"], ["run", "recipe.json"], ["check", "profile.json"],
    ["run", "jobs.json"], ["check", "bad.graph"], ["run", "bad.graph"], ["inspect", "bad.graph"], ["convert", "bad.graph", "-o", "o.vgf"],
    ["diff", "bad.graph", "bad.graph"], ["check", "bad.mlir"], ["convert", "bad.mlir", "-o", "o.vgf"], ["check", "bad.rpl"],
    ["compile", "bad.rpl", "-o", "out"], ["format", "bad.rpl"], ["check", "more.rplproject.json"], ["compile", "more.rplproject.json", "-o", "out"],
    ["inspect", "bad.comp"], ["new", "bad.comp"], ["inspect", "bad.hlsl"], ["check", "bad.spvasm"], ["inspect", "bad.spvasm"],
    ["check", "bad.ze_info"], ["convert", "bad.ze_info", "--to", "2.x", "-o", "x.zebin"], ["check", "short.vgf"], ["inspect", "short.vgf"],
    ["convert", "short.vgf", "-o", "o.vgf"], ["run", "short.vgf"], ["check", "short.tosa"], ["check", "short.spv"], ["check", "short.zebin"],
    ["inspect", "short.zebin"], ["check", "short.xclbin"], ["check", "directory with space/brö:ken 1#2%.json"], ["check", "missing.json"],
    ["check", "-"],
]


def main():
    sound()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        for file, contents in FILES.items():
            pathlib.Path(file).parent.mkdir(exist_ok=True)
            pathlib.Path(file).write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        subprocess.run([slipway, "run", "scene.json", "twice.json", "syntax.json", "bad.graph", "--results", "results.jsonl", "-q"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        more = [["check", f"{name}/scene.json"], ["results", "sarif", "results.jsonl"]]
        for number, words in enumerate(COMMANDS + more):
            file = pathlib.Path(f"{number}.sarif")
            option = "--output" if words[0] == "results" else "--sarif"
            done = subprocess.run([slipway, *words, option, file], input=b"", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if not file.exists():
                problems.append(f"{words}: no SARIF, status {done.returncode}: {done.stderr.decode(errors='replace')}")
                continue
            wrong, results = check(file.read_text())
            problems.extend(f"{words}: {one}" for one in wrong)
            if not results:
                problems.append(f"{words}: no results, status {done.returncode}: {done.stderr.decode(errors='replace')}")
        keep = os.environ.get("SLIPWAY_SARIF_DIRECTORY")  # to look at the files, or to validate them with another program
        for file in pathlib.Path(".").glob("*.sarif") if keep else []:
            (pathlib.Path(keep) / file.name).write_bytes(file.read_bytes())
    if problems:
        sys.exit("\n".join(problems))


main()

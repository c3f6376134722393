#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the files that `slipway compile` writes against their schemas, and uses the language server as an editor does.

rpl.py SLIPWAY TOP
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

slipway, top = sys.argv[1], pathlib.Path(sys.argv[2])
problems = []


def expect(what, good):
    if not good:
        problems.append(what)


def run(*arguments):
    done = subprocess.run([slipway, *map(str, arguments)], capture_output=True, text=True, timeout=900)
    expect(f"slipway {' '.join(map(str, arguments))}: exit {done.returncode}\n{done.stderr}", done.returncode == 0)
    return done.stdout


def validator(name):
    text = (top / f"schema/{name}.schema.json").read_text()
    expect(f"schema/{name}.schema.json is not what `slipway schema {name}` prints", run("schema", name) == text)
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def check(of, path):
    error = jsonschema.exceptions.best_match(of.iter_errors(json.loads(path.read_text())))
    expect(f"{path.name}: {error.json_path if error else ''}: {error.message if error else ''}", error is None)


def schemas():
    metadata, variants, packs = validator("rpl-metadata"), validator("rpl-variants"), validator("rpl-pack")
    graphics = ["--entry", "vertex=vertex_main", "--entry", "fragment=fragment_main"]
    compute = ["--pipeline", "compute", "--entry", "compute=compute_main"]
    programs = {"tinted": graphics, "layouts": graphics, "scale": compute, "control": compute}
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        for program, options in programs.items():
            source = top / f"tests/corpus/rpl_tools/{program}.rpl"
            run("compile", source, *options, "-o", directory / program)
            check(metadata, directory / f"{program}.json")
            run("compile", source, *options, "--skip-sets", "--skip-attributes", "-o", directory / "part")
            check(metadata, directory / "part.json")
            run("compile", source, *options, "--variants", "all", "-o", directory / "variants")
            check(variants, directory / "variants/variants.json")
            run("compile", source, *options, "--pack", directory / f"{program}.rplpack")
            printed = directory / "pack.json"
            printed.write_text(run("inspect", "--json", directory / f"{program}.rplpack"))
            check(packs, printed)
            shown = json.loads(printed.read_text())["programs"]
            listed = json.loads((directory / "variants/variants.json").read_text())["classes"]
            expect(f"the pack of {program} has other variants", [[v["reason"] for v in p["variants"]] for p in shown] == [[c["reason"] for c in listed]])
        broken = json.loads((directory / "tinted.json").read_text())
        del broken["interface"]["push_constant_size"]
        expect("the schema takes metadata without push_constant_size", not metadata.is_valid(broken))


class Editor:
    def __init__(self):
        self.server = subprocess.Popen([slipway, "lsp", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.id = 0

    def write(self, data):
        self.server.stdin.write(data)
        self.server.stdin.flush()

    def send(self, method, params=None, request=True):
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if request:
            self.id += 1
            message["id"] = self.id
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def receive(self):
        length = 0
        while (line := self.server.stdout.readline().strip()):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.server.stdout.read(length))

    def request(self, method, params=None):
        self.send(method, params)
        answer = self.receive()
        expect(f"{method} was answered with {answer}", answer.get("id") == self.id)
        return answer.get("result")


def editor_session():
    editor = Editor()
    capabilities = editor.request("initialize", {"capabilities": {}})
    expect("no hover", capabilities["capabilities"]["hoverProvider"] is True)
    editor.send("initialized", request=False)
    text = (top / "tests/corpus/rpl_tools/tinted.rpl").read_text()
    document = {"uri": "file:///tinted.rpl"}
    editor.send("textDocument/didOpen", {"textDocument": {**document, "languageId": "rpl", "version": 1, "text": text}},
                request=False)
    diagnostics = editor.receive()["params"]["diagnostics"]
    expect(f"a valid program has {diagnostics}", all("inactive" in d["message"] for d in diagnostics))
    # A message that is not valid JSON; the server must continue after it.
    editor.write(b"Content-Length: 3\r\n\r\n{x}")
    expect("malformed JSON is not answered", editor.receive()["error"]["code"] == -32700)
    line = next(i for i, l in enumerate(text.splitlines()) if "vertex_stage_output_position" in l)
    character = text.splitlines()[line].index("projection_view")
    hover = editor.request("textDocument/hover", {"textDocument": document, "position": {"line": line, "character": character}})
    expect(f"hover says {hover}", hover and "offset 0, 64 bytes" in hover["contents"]["value"])
    editor.send("textDocument/didChange", {"textDocument": {**document, "version": 2},
                                           "contentChanges": [{"text": text.replace("vertex.uv", "vertex.uw")}]},
                request=False)
    diagnostics = editor.receive()["params"]["diagnostics"]
    expect(f"a wrong field gives {diagnostics}", any(d.get("code") == "rpl-component" for d in diagnostics))
    edits = editor.request("textDocument/formatting", {"textDocument": document})
    expect("formatting replaces nothing, or everything", edits and sum(len(edit["newText"]) for edit in edits) < len(text) // 2)
    expect("shutdown gives a result", editor.request("shutdown") is None)
    editor.send("exit", request=False)
    expect("the server does not end with 0", editor.server.wait(timeout=900) == 0)


PASS = """set_pass uniform_buffer view { f4 tint; };
color_output_container target { f4 color; };
"""
MATERIAL = "void fragment_main (void) { target.color = view.tint; }\n"


def make_project(directory):
    project = {"passes": [{"name": "forward", "sources": ["pass.rpl"], "entry_points": {"fragment": "fragment_main"}}],
               "materials": [{"name": "brick", "sources": ["brick.rpl"]}, {"name": "glass", "sources": ["glass.rpl"]}]}
    path = directory / "game.rplproject.json"
    path.write_text(json.dumps(project))
    (directory / "pass.rpl").write_text(PASS)
    for name in ("brick", "glass"):
        (directory / f"{name}.rpl").write_text(MATERIAL)
    return path


def projects():
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        path = make_project(directory)
        check(validator("rpl-project"), path)
        text = run("check", path)
        expect(f"check of a project prints {text}", text.splitlines() == [f"{path}: ok"] + [f"forward/{m}: assignments: 1, variants: 1" for m in ("brick", "glass")])
        run("compile", path, "-o", directory / "built", "--material", "glass")
        made = sorted(p.relative_to(directory / "built").as_posix() for p in (directory / "built").rglob("variants.json"))
        expect(f"compile of a project writes {made}", made == ["forward/glass/variants.json"])
        check(validator("rpl-variants"), directory / "built" / made[0])
        (directory / "brick.rpl").write_text(MATERIAL.replace("tint", "tin"))
        for words, status, wanted in ((("check", path), 3, "did you mean `tint`?"), (("compile", path, "-o", directory / "none"), 3, "forward/brick"),
                                      (("check", path, "--pass", "foward"), 2, "did you mean `forward`?"), (("check", path, "--set", "a=1"), 2, "--set"),
                                      (("compile", path), 2, "-o DIRECTORY"), (("check", directory / "pass.rpl", "--pass", "forward"), 2, "project file")):
            done = subprocess.run([slipway, *map(str, words)], capture_output=True, text=True, timeout=900)
            expect(f"slipway {words}: exit {done.returncode}\n{done.stderr}{done.stdout}",
                   done.returncode == status and wanted in done.stderr + done.stdout)
        expect("a project with errors is compiled", not (directory / "none").exists())


def project_session():
    """Files on the disk, edits by ranges, and documents of other formats."""
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        make_project(directory)
        editor = Editor()
        capabilities = editor.request("initialize", {"capabilities": {}})["capabilities"]
        expect(f"the capabilities are {capabilities}", capabilities["textDocumentSync"]["change"] == 2 and "renameProvider" in capabilities)
        editor.send("initialized", request=False)

        def opened(file, text, language="rpl"):
            uri = (directory / file).as_uri()
            editor.send("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}}, request=False)
            return uri, editor.receive()["params"]["diagnostics"]

        uri, diagnostics = opened("brick.rpl", MATERIAL)
        expect(f"a material alone has {diagnostics}", diagnostics == [])
        tint = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": MATERIAL.index("tint")}}
        changes = editor.request("textDocument/rename", {**tint, "newName": "shade"})["changes"]
        expect(f"renaming changes {changes}", sorted(pathlib.Path(u).name for u in changes) == ["brick.rpl", "glass.rpl", "pass.rpl"])
        where = {"start": tint["position"], "end": {"line": 0, "character": MATERIAL.index("tint") + 4}}
        editor.send("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"range": where, "text": "tin"}]}, request=False)
        diagnostics = editor.receive()["params"]["diagnostics"]
        expect(f"an edit gives {diagnostics}", [d["code"] for d in diagnostics] == ["rpl-component"])
        actions = editor.request("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": where, "context": {"diagnostics": diagnostics}})
        expect(f"the corrections are {actions}", [a["edit"]["changes"][uri][0]["newText"] for a in actions] == ["tint"])
        saxpy = top / "examples/saxpy_recipe"
        zeinfo = "version: '1.8'\nkernels:\n  - name: k\n    execution_env:\n      simd_sze: 16\n"
        for file, text, wrong in (("scene.json", (top / "examples/hello/scenario.json").read_text(), ('"uid"', '"uidd"')),
                                  ("recipe.json", (saxpy / "recipe.json").read_text(), ('"type"', '"tpye"')),
                                  ("profile.json", (saxpy / "profile.json").read_text(), ('"bindings"', '"bindigns"')),
                                  ("kernel.ze_info", zeinfo, ("", ""))):
            if wrong[0]:
                uri, diagnostics = opened(file, text, "json")
                expect(f"{file} has {diagnostics}", diagnostics == [])
            uri, diagnostics = opened("wrong_" + file, text.replace(*wrong), "json")
            codes = {d["code"] for d in diagnostics}
            expect(f"{file} with {wrong} has {diagnostics}", "unknown-key" in codes)
            everything = {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}}
            actions = editor.request("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": everything, "context": {"diagnostics": []}})
            expect(f"{file} has no correction", any("replace" in action["title"] for action in actions))
        for text in ('{"commands": 1}', '{"bindings": [], "keys": 2}', '{"kernels": ["python3"]}', '{"name": "x", "version": "1.0"}', "[1, 2"):
            uri, diagnostics = opened("foreign.json", text, "json")
            expect(f"{text} has {diagnostics}", diagnostics == [])
        expect("shutdown gives a result", editor.request("shutdown") is None)
        editor.send("exit", request=False)
        expect("the server does not end with 0", editor.server.wait(timeout=900) == 0)


schemas()
editor_session()
projects()
project_session()
print("\n".join(problems))
sys.exit(1 if problems else 0)

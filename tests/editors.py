#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files for editors agree with the language and with each other: editors.py TOP [SLIPWAY]

Each word of the language that declares, prefixes or controls something is a word of the TextMate grammar and of Neovim's syntax.
The extension for Visual Studio Code has what the reference of its manifest asks for, and all of its files.
Its package is complete. With SLIPWAY and with Neovim on the PATH, Neovim opens files with the configuration and must show what the server reports; with
Node.js on the PATH, the extension runs with a stub of the editor and asks the server everything that it offers.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from xml.etree import ElementTree

top = pathlib.Path(sys.argv[1]).resolve()
problems = []

words = re.findall(r'^WORD\(\w+, "([\w]+)"\)', (top / "src/rpl/words.def").read_text(), re.M)
first, last = words.index("global"), words.index("storage_image_s1_2d_array")
words = words[first : last + 1]
if len(words) < 60:
    problems.append(f"src/rpl/words.def: only {len(words)} words found")

extension = top / "editors/vscode"
grammar = json.loads((extension / "syntaxes/rpl.tmLanguage.json").read_text())
rules = {name: re.compile(rule["match"]) for name, rule in grammar["repository"].items() if "match" in rule}
named = [pattern["include"].removeprefix("#") for pattern in grammar["patterns"]]
if sorted(named) != sorted(grammar["repository"]):
    problems.append("the TextMate grammar: its patterns are not its repository")
for word in words:
    matching = [name for name in named if name in rules and name != "calls" and rules[name].fullmatch(word)]
    if len(matching) != 1:
        problems.append(f"the TextMate grammar has the word {word} in {matching or 'no rule'}")
for text, rule in {"1.5e-3": "numbers", "0x1Fu": "numbers", "12s": "numbers", "<=": "operators", "blend (": "calls"}.items():
    if not rules[rule].match(text):
        problems.append(f"the TextMate grammar: {rule} does not match {text}")

syntax = (top / "editors/neovim/syntax/rpl.vim").read_text()
keywords = {word for line in re.findall(r"^syntax keyword \w+ (.*)", syntax, re.M) for word in line.split()}
types = [re.compile(pattern.replace(r"\%(", "(?:").replace(r"\)", ")").replace(r"\|", "|").strip("/").replace(r"\<", "").replace(r"\>", ""))
         for pattern in re.findall(r"^syntax match rplType (.*)", syntax, re.M)]
for word in words:
    if word not in keywords and not any(pattern.fullmatch(word) for pattern in types):
        problems.append(f"Neovim's syntax lacks the word {word}")

package = json.loads((extension / "package.json").read_text())
contributes = package["contributes"]
paths = [package["main"], *(v["url"] for v in contributes["jsonValidation"]), *(g["path"] for g in contributes["grammars"]), *(l["configuration"] for l in contributes["languages"] if "configuration" in l)]
for path in paths:
    if not (extension / path).exists():
        problems.append(f"editors/vscode/package.json names {path}, which does not exist")
if contributes["grammars"][0]["scopeName"] != grammar["scopeName"]:
    problems.append("editors/vscode/package.json and the grammar have different scopes")


def manifest_problems():
    """What the references "Extension Manifest", "Contribution Points" and "Language Configuration" of VS Code, and its packager, ask
    for, and what the code and the manifest must have in common."""
    code = {path.name: path.read_text() for path in extension.glob("*.js")}
    version = re.search(r"project\(slipway VERSION (\S+)", (top / "CMakeLists.txt").read_text())[1]
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", package["name"]) or not package["publisher"]:
        yield "its name is lower case without spaces, and it has a publisher"
    if package["version"] != version:
        yield f"its version is {package['version']}, and that of the project {version}"
    minor = re.fullmatch(r"\^1\.(\d+)\.0", package["engines"]["vscode"])
    if not minor or int(minor[1]) < 75:
        yield "`engines.vscode` has the form ^1.N.0; languages that it contributes activate it from 1.74 on"
    known = {"Programming Languages", "Snippets", "Linters", "Themes", "Debuggers", "Formatters", "Keymaps", "SCM Providers", "Other",
             "Extension Packs", "Language Packs", "Data Science", "Machine Learning", "Visualization", "Notebooks", "Education", "Testing"}
    yield from (f"there is no category {each}" for each in package["categories"] if each not in known)
    known = {"name", "displayName", "description", "version", "publisher", "license", "engines", "categories", "main", "activationEvents",
             "contributes", "capabilities", "repository"}
    yield from (f"the manifest has no `{each}`, or it is not wanted" for each in package if each not in known)
    if package.get("dependencies") or package.get("scripts"):
        yield "it needs npm"
    if {"commands", "languages", "grammars", "configuration", "jsonValidation"} != set(contributes):
        yield f"it contributes {sorted(contributes)}"
    languages = {language["id"] for language in contributes["languages"]}
    for language in contributes["languages"]:
        if not language["aliases"] or not all(suffix.startswith(".") for suffix in language["extensions"]):
            yield f"the language {language['id']} needs aliases, and suffixes with a dot"
    if {g["language"] for g in contributes["grammars"]} - languages:
        yield "a grammar is of a language that it does not contribute"
    # JSON is a language of others: there, files with our names start it.
    names = [name for validation in contributes["jsonValidation"] for name in validation["fileMatch"]]
    served = set(re.findall(r'language: "(\w+)"', code["files.js"]))
    events = [f"onLanguage:{language}" for language in sorted(served - {"json", "jsonc"})] + [f"workspaceContains:**/{name}" for name in names]
    if sorted(events) != sorted(package["activationEvents"]):
        yield f"it is activated by {package['activationEvents']}, and serves {events}"
    for name in names:
        if not name.startswith("*.") and "*." + name not in names:
            yield f"it knows {name}, and not *.{name}"
    if languages - served:
        yield "it contributes a language that it does not serve"
    commands = {command["command"] for command in contributes["commands"]}
    if commands != set(re.findall(r'registerCommand\("([^"]+)"', code["extension.js"])):
        yield "its commands are not those that the code registers"
    settings = contributes["configuration"]["properties"]
    if set(settings) != {"slipway." + name for name in re.findall(r'settings\.get\("(\w+)"\)', code["extension.js"])}:
        yield "its settings are not those that the code reads"
    for name, setting in settings.items():
        if not {"type", "default", "description", "scope"} <= set(setting):
            yield f"the setting {name} lacks a part"
    restricted = package["capabilities"]["untrustedWorkspaces"]
    if restricted["supported"] != "limited" or restricted["restrictedConfigurations"] != ["slipway.path"]:
        yield "a workspace that is not trusted could choose the program that is started"
    for name, text in code.items():
        for module in re.findall(r'require\("([^"]+)"\)', text):
            if module.startswith("./") and not module.endswith(".json"):
                if module[2:] + ".js" not in code:
                    yield f"{name} needs {module}, which does not exist"
            elif module not in ("vscode", "child_process", "./package.json"):
                yield f"{name} needs the package {module}"
    brackets = json.loads((extension / contributes["languages"][0]["configuration"]).read_text())
    if not {"comments", "brackets", "autoClosingPairs", "wordPattern"} <= set(brackets) or not re.compile(brackets["wordPattern"]).fullmatch("half_of"):
        yield "the language configuration lacks a part"
    if (extension / "LICENSE").read_text() != (top / "LICENSE").read_text():
        yield "its licence is not that of the project"
    if len((extension / "README.md").read_text()) < 100 or not (extension / ".vscodeignore").exists():
        yield "the packager needs README.md and .vscodeignore"


problems += [f"editors/vscode: {problem}" for problem in manifest_problems()]


def in_neovim(command, directory):
    """What Neovim shows for a material of a project and for a scenario, as JSON."""
    (directory / "game.rplproject.json").write_text(json.dumps({
        "passes": [{"name": "forward", "sources": ["pass.rpl"], "entry_points": {"fragment": "fragment_main"}}],
        "materials": [{"name": "brick", "sources": ["brick.rpl"]}]}))
    (directory / "pass.rpl").write_text("color_output_container target { f4 color; };\n")
    (directory / "brick.rpl").write_text("void fragment_main (void) { target.color = f4 {1.0}; }\n")
    (directory / "wrong.rpl").write_text("struct light { f4 color }\n")
    (directory / "scene.json").write_text('{"commands": [], "resources": [{"bufer": {"uid": "a"}}]}\n')
    script = directory / "script.lua"
    script.write_text(f"""
        vim.opt.runtimepath:append({json.dumps(str(top / "editors/neovim"))})
        require("slipway").setup({{ command = {{ {", ".join(map(json.dumps, command))} }} }})
        vim.cmd("filetype on")
        local shown = {{}}
        for _, file in ipairs({{ "brick.rpl", "wrong.rpl", "scene.json" }}) do
          local answered = false
          local before = vim.lsp.handlers["textDocument/publishDiagnostics"]
          vim.lsp.handlers["textDocument/publishDiagnostics"] = function(...)
            answered = true
            return before(...)
          end
          vim.cmd("edit " .. file)
          if vim.bo.filetype == "" then vim.bo.filetype = "json" end
          vim.wait(20000, function() return answered end, 20)
          local codes = {{}}
          for _, diagnostic in ipairs(vim.diagnostic.get(0)) do table.insert(codes, diagnostic.code or diagnostic.message) end
          shown[file] = {{ filetype = vim.bo.filetype, codes = codes, answered = answered }}
        end
        print(vim.fn.json_encode(shown))
    """)
    done = subprocess.run(["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {script}", "-c", "qall!"], cwd=directory,
                          capture_output=True, text=True, timeout=900)
    shown = re.search(r"\{.*\}", done.stdout + done.stderr)
    if not shown:
        sys.exit(f"Neovim prints {done.stdout}{done.stderr}")
    return json.loads(shown[0])


if len(sys.argv) > 2 and shutil.which("nvim"):
    with tempfile.TemporaryDirectory() as name:
        shown = in_neovim([*sys.argv[2:], "lsp"], pathlib.Path(name))
    for file, filetype, codes in (("brick.rpl", "rpl", []), ("wrong.rpl", "rpl", ["rpl-expected"]), ("scene.json", "json", ["unknown-key"])):
        found = shown[file]
        if not found["answered"] or found["filetype"] != filetype or (codes and not set(codes) <= set(found["codes"])) or (not codes and found["codes"]):
            problems.append(f"Neovim shows {found} for {file}, not {codes}")
    print("Neovim shows the diagnostics of the server")



def vsix_problems(package_file):
    """What an installation asks for: a manifest, a type for each file, and all files."""
    with zipfile.ZipFile(package_file) as archive:
        names = archive.namelist()
        types = {each.get("Extension") for each in ElementTree.fromstring(archive.read("[Content_Types].xml"))}
        inner = ElementTree.fromstring(archive.read("extension.vsixmanifest"))
    space = {"v": "http://schemas.microsoft.com/developer/vsx-schema/2011"}
    identity = inner.find("v:Metadata/v:Identity", space).attrib
    if identity != {"Language": "en-US", "Id": package["name"], "Version": package["version"], "Publisher": package["publisher"]}:
        yield f"its identity is {identity}"
    yield from (f"{name} has no type" for name in names if pathlib.PurePath(name).suffix not in types and not name.startswith("["))
    for asset in inner.iterfind("v:Assets/v:Asset", space):
        if asset.get("Path") not in names:
            yield f"it lacks {asset.get('Path')}"
    wanted = {"extension/" + path.removeprefix("./") for path in [*paths, "client.js", "connection.js", "convert.js", "files.js"]}
    if not wanted <= set(names):
        yield f"it lacks {wanted - set(names)}"


with tempfile.TemporaryDirectory() as name:
    packed = pathlib.Path(subprocess.run([top / "env/vsix.py", top, name], capture_output=True, text=True, check=True).stdout.strip())
    problems += [f"the package of the extension: {problem}" for problem in vsix_problems(packed)]
    again = pathlib.Path(name) / "again"
    subprocess.run([top / "env/vsix.py", top, again], capture_output=True, check=True)
    if (again / packed.name).read_bytes() != packed.read_bytes():
        problems.append("the package of the extension: the same files make other bytes")
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(name)
    # What is tried is what would be installed.
    if len(sys.argv) > 2 and shutil.which("node"):
        done = subprocess.run(["node", top / "tests/vscode.js", pathlib.Path(name) / "extension", name, sys.argv[2]], capture_output=True,
                              text=True, timeout=900)
        print("the extension for Visual Studio Code:", done.stdout.strip())
        if done.returncode != 0:
            problems.append(f"the extension for Visual Studio Code: {done.stderr}")

print("\n".join(problems))
sys.exit(bool(problems))

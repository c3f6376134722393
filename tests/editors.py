#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files for editors agree with the language and with each other: editors.py TOP [SLIPWAY]

Each word of the language that declares, prefixes or controls something is a word of the TextMate grammar and of Neovim's syntax.
With SLIPWAY and with Neovim on the PATH, Neovim opens files with the configuration and must show what the server reports.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

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
paths = [package["main"], *(g["path"] for g in contributes["grammars"]), *(l["configuration"] for l in contributes["languages"] if "configuration" in l)]
for path in paths:
    if not (extension / path).exists():
        problems.append(f"editors/vscode/package.json names {path}, which does not exist")
if contributes["grammars"][0]["scopeName"] != grammar["scopeName"]:
    problems.append("editors/vscode/package.json and the grammar have different scopes")


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
                          capture_output=True, text=True, timeout=120)
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

print("\n".join(problems))
sys.exit(bool(problems))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a bundle and checks it: bundle.py TOP BUILD, or bundle.py TOP --check DIRECTORY [--part]

With --part a part of the libraries that NOTICE names may be missing, because the distribution has them.

The list of components (sbom.spdx.json) must conform to SPDX 2.3 as far as that can be checked without its schema, describe
exactly the files of the bundle, and have the licences of all components; NOTICE must name each of them. Rules are tested first with
documents that break them.
"""
import copy
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# The parts of https://spdx.github.io/spdx-spec/v2.3/ that such documents use.
REQUIRED = {
    "document": "spdxVersion dataLicense SPDXID name documentNamespace creationInfo packages files relationships",
    "package": "SPDXID name downloadLocation versionInfo licenseConcluded licenseDeclared copyrightText",
    "file": "SPDXID fileName checksums licenseConcluded licenseInfoInFiles copyrightText",
    "relationship": "spdxElementId relationshipType relatedSpdxElement",
    "licence": "licenseId extractedText",
}
RELATIONSHIPS = {"DESCRIBES", "CONTAINS", "GENERATED_FROM", "DYNAMIC_LINK", "STATIC_LINK"}
DIGITS = {"SHA1": 40, "SHA256": 64}
LICENCES = set("""AML Apache-2.0 BSD-1-Clause BSD-2-Clause BSD-3-Clause BSL-1.0 GPL-3.0-or-later LGPL-2.1-or-later MIT Zlib
                  libpng-2.0 Beerware HPND-sell-variant ISC MIT-open-group X11""".split())
EXCEPTIONS = {"LLVM-exception", "GCC-exception-3.1", "Bison-exception-2.2"}


def check_licence(expression, references):
    """Problems of a licence expression: `a AND (b OR c WITH d)`."""
    if expression in ("NOASSERTION", "NONE"):
        return []
    problems = []

    def replace(match):
        licence, exception = match[1], match[2]
        if licence not in LICENCES | references:
            problems.append(f"unknown licence {licence}")
        if exception and exception not in EXCEPTIONS:
            problems.append(f"unknown exception {exception}")
        return "x"

    rest = re.sub(r"\b(?!AND\b|OR\b|WITH\b)([A-Za-z0-9][\w.+-]*)(?: WITH ([\w.-]+))?", replace, expression)
    while re.search(r"\(x\)|x (AND|OR) x", rest):
        rest = re.sub(r"\(x\)|x (AND|OR) x", "x", rest)
    if rest != "x":
        problems.append(f"malformed licence expression {expression}")
    return problems


def check_document(document):
    """Problems of an SPDX document on its own."""
    problems, identifiers = [], []

    def require(kind, value):
        missing = [key for key in REQUIRED[kind].split() if key not in value or value[key] in ("", [], None)]
        if missing:
            problems.append(f"{kind} {value.get('SPDXID', '')}: {', '.join(missing)} missing")
        return not missing

    if not require("document", document):
        return problems
    for key, value in (("spdxVersion", "SPDX-2.3"), ("dataLicense", "CC0-1.0"), ("SPDXID", "SPDXRef-DOCUMENT")):
        if document[key] != value:
            problems.append(f"{key} is not {value}")
    if not re.fullmatch(r"https?://[^\s#]+", document["documentNamespace"]):
        problems.append("documentNamespace is not a URI without a fragment")
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"].get("created", "")):
        problems.append("creationInfo/created is not a time in UTC")
    creators = document["creationInfo"].get("creators", [])
    if not creators or not all(re.match(r"(Tool|Person|Organization): ", creator) for creator in creators):
        problems.append("creationInfo/creators is not a list of tools, persons and organisations")

    references = set()
    for licence in document.get("hasExtractedLicensingInfos", []):
        if require("licence", licence):
            references.add(licence["licenseId"])
            if not re.fullmatch(r"LicenseRef-[A-Za-z0-9.-]+", licence["licenseId"]):
                problems.append(f"{licence['licenseId']} is not a LicenseRef")
    for kind, values in (("package", document["packages"]), ("file", document["files"])):
        for value in values:
            if not require(kind, value):
                continue
            identifiers.append(value["SPDXID"])
            for key in ("licenseConcluded", "licenseDeclared"):
                problems += [f"{value['SPDXID']}: {problem}" for problem in check_licence(value.get(key, "NONE"), references)]
            for checksum in value.get("checksums", []):
                length = DIGITS.get(checksum["algorithm"], 0)
                if not re.fullmatch(rf"[0-9a-f]{{{length}}}", checksum["checksumValue"]):
                    problems.append(f"{value['SPDXID']}: malformed {checksum['algorithm']}")
            if kind == "file" and not value["fileName"].startswith("./"):
                problems.append(f"{value['SPDXID']}: fileName is not relative to the package")
            if kind == "file" and "SHA1" not in [checksum["algorithm"] for checksum in value["checksums"]]:
                problems.append(f"{value['SPDXID']}: SHA1 is missing")
            if kind == "package" and value.get("filesAnalyzed", True) and "packageVerificationCode" not in value:
                problems.append(f"{value['SPDXID']}: packageVerificationCode is missing")
    for identifier in identifiers:
        if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", identifier):
            problems.append(f"malformed identifier {identifier}")
    known = {"SPDXRef-DOCUMENT", *identifiers}
    if len(known) != len(identifiers) + 1:
        problems.append("an identifier occurs twice")
    described = set()
    for relationship in document["relationships"]:
        if not require("relationship", relationship):
            continue
        ends = relationship["spdxElementId"], relationship["relatedSpdxElement"]
        problems += [f"a relationship names {end}, which is not in the document" for end in ends if end not in known]
        described.update(ends)
        if relationship["relationshipType"] not in RELATIONSHIPS:
            problems.append(f"unknown relationship {relationship['relationshipType']}")
    if not any(r.get("relationshipType") == "DESCRIBES" and r.get("spdxElementId") == "SPDXRef-DOCUMENT" for r in document["relationships"]):
        problems.append("the document describes nothing")
    problems += [f"{identifier} has no relationship" for identifier in known - described]
    return problems


def check_directory(document, directory, notice, part=False):
    """Problems of a document as the description of a directory."""
    problems = []
    actual = {f"./{path.relative_to(directory).as_posix()}": path for path in directory.rglob("*")
              if path.is_file() and not path.is_symlink() and path != directory / "sbom.spdx.json"}
    listed = {file["fileName"]: file for file in document["files"]}
    problems += [f"{name} is not in the document" for name in sorted(actual.keys() - listed.keys())]
    problems += [f"{name} does not exist" for name in sorted(listed.keys() - actual.keys())]
    for name in actual.keys() & listed.keys():
        content = actual[name].read_bytes()
        for checksum in listed[name]["checksums"]:
            if hashlib.new(checksum["algorithm"], content).hexdigest() != checksum["checksumValue"]:
                problems.append(f"{name} has another {checksum['algorithm']}")
    own = document["packages"][0]
    sums = sorted(checksum["checksumValue"] for file in document["files"] for checksum in file["checksums"] if checksum["algorithm"] == "SHA1")
    if hashlib.sha1("".join(sums).encode()).hexdigest() != own["packageVerificationCode"]["packageVerificationCodeValue"]:
        problems.append("packageVerificationCode is wrong")

    identified = {file["SPDXID"]: name for name, file in listed.items()}
    origins = {identified.get(r["spdxElementId"]) for r in document["relationships"] if r["relationshipType"] == "GENERATED_FROM"}
    libraries = [name for name in listed if re.fullmatch(r"\./lib/(lib|ld-).*\.so.*", name) and "slipway" not in name]
    if not libraries:
        problems.append("the directory has no libraries")
    problems += [f"{name} is from no package" for name in libraries if name not in origins]
    if len(document["packages"]) < 10:
        problems.append("the document has hardly any packages")
    for package in document["packages"][1:]:
        licence = directory / "licences" / f"{package['name']}.txt"
        if not licence.is_file() or licence.stat().st_size < 200:
            problems.append(f"the licence of {package['name']} is missing")
            continue
        for name in re.findall(r"/usr/share/common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9])", licence.read_text()):
            if not (directory / "licences/common-licenses" / name).is_file():
                problems.append(f"licences/common-licenses/{name} is missing; {licence.name} refers to it")
        name = package["comment"].split(";")[0]
        if not re.search(rf"^{re.escape(name)}\s", notice, re.M):
            problems.append(f"NOTICE does not name {name}")
    dynamic = {r["relatedSpdxElement"] for r in document["relationships"] if r["relationshipType"] == "DYNAMIC_LINK"}
    shipped = {package["comment"].split(";")[0] for package in document["packages"][1:] if package["SPDXID"] in dynamic}
    for paragraph in re.split(r"\n\n+", notice):
        name = re.match(r"(\S.*?)  ", paragraph)
        if name and not part and re.search(r"(?<!not)\s+in the\s+bundle$", paragraph) and name[1] not in shipped:
            problems.append(f"NOTICE says that {name[1]} is in the bundle")
    for name in ("LICENSE", "NOTICE"):
        if not (directory / name).is_file():
            problems.append(f"{name} is missing")
    return problems


# What must be found, with what breaks it.
def mutations(document):
    def changed(change):
        other = copy.deepcopy(document)
        change(other)
        return other

    yield "missing", changed(lambda d: d.pop("documentNamespace"))
    yield "missing", changed(lambda d: d["packages"][1].pop("downloadLocation"))
    yield "missing", changed(lambda d: d["files"][0].update(checksums=[]))
    yield "occurs twice", changed(lambda d: d["packages"].append(d["packages"][1]))
    yield "malformed identifier", changed(lambda d: d["files"][0].update(SPDXID="SPDXRef-a_b"))
    yield "not in the document", changed(lambda d: d["relationships"][1].update(relatedSpdxElement="SPDXRef-none"))
    yield "unknown relationship", changed(lambda d: d["relationships"][1].update(relationshipType="USES"))
    yield "describes nothing", changed(lambda d: d["relationships"].pop(0))
    yield "unknown licence", changed(lambda d: d["packages"][1].update(licenseDeclared="BSD"))
    yield "unknown exception", changed(lambda d: d["packages"][1].update(licenseDeclared="MIT WITH luck"))
    yield "malformed licence", changed(lambda d: d["packages"][1].update(licenseDeclared="MIT AND (Zlib OR"))
    yield "malformed SHA1", changed(lambda d: d["files"][0]["checksums"][0].update(checksumValue="12"))
    yield "unknown licence", changed(lambda d: d.update(hasExtractedLicensingInfos=[]))


def check(top, directory, part=False):
    document = json.loads((directory / "sbom.spdx.json").read_text())
    for expected, broken in mutations(document):
        found = check_document(broken)
        assert any(expected in problem for problem in found), f"`{expected}` was not found, but {found}"
    problems = check_document(document) + check_directory(document, directory, (top / "NOTICE").read_text(), part)
    print(*(f"{problem}\n" for problem in problems), sep="", end="")
    print(f"{directory}: {len(document['packages'])} packages, {len(document['files'])} files, {len(problems)} problems")
    return bool(problems)


def main():
    top = pathlib.Path(sys.argv[1])
    if sys.argv[2] == "--check":
        sys.exit(check(top, pathlib.Path(sys.argv[3]), "--part" in sys.argv[4:]))
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name) / "bundle"
        subprocess.run([top / "env/bundle.sh", top, sys.argv[2], directory], check=True)
        bad = check(top, directory)
        subprocess.run([directory / "slipway", "check", directory / "examples/hello/scenario.json"], check=True)
        # A file that is not in the document and one whose contents differ are found.
        (directory / "added").write_text("x")
        (directory / "NOTICE").write_text("x")
        assert len(check_directory(json.loads((directory / "sbom.spdx.json").read_text()), directory, "")) > 2
        sys.exit(bad)


if __name__ == "__main__":
    main()

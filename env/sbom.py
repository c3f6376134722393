#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds licences and a list of components to a directory that is to be distributed: env/sbom.py TOP BUILD DIRECTORY

DIRECTORY gets LICENSE, NOTICE, licences/ and sbom.spdx.json (SPDX 2.3). The components are derived from what the build read
(headers, static libraries: `ninja -t deps`) and from the shared libraries in DIRECTORY/lib; env/components.txt names the package of
each file. The time of the document is SOURCE_DATE_EPOCH, so that the same input makes the same bytes.
"""
import collections
import datetime
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

OWN_LICENCE = "Apache-2.0 WITH LLVM-exception"
DOC = pathlib.Path("/usr/share/doc")
COMMON = pathlib.Path("/usr/share/common-licenses")

Component = collections.namedtuple("Component", "name licence")
Package = collections.namedtuple("Package", "name version architecture sha256 source depends")


def read_components(top):
    """[(package pattern, file pattern, Component or None)] in the order of env/components.txt."""
    rows, component = [], None
    for line in (top / "env/components.txt").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] != " ":
            name, licence = line.split(":", 1)
            component = None if name == "-" else Component(name, licence.strip())
            continue
        package, *files = line.split()
        rows += [(package, file, component) for file in files]
    return rows


def installed_packages():
    """name -> Package. The private root lists versions and hashes in a file of its own."""
    hashes = {}
    listed = pathlib.Path("/etc/slipway-packages")
    if listed.exists():
        for line in listed.read_text().splitlines():
            name, version, _, sha256 = line.split()
            hashes[name, version] = sha256
    packages = {}
    for stanza in pathlib.Path("/var/lib/dpkg/status").read_text().split("\n\n"):
        fields = dict(re.findall(r"^([A-Za-z-]+): (.*)$", stanza, re.M))
        if "Package" not in fields or " installed" not in fields.get("Status", ""):
            continue
        name, version = fields["Package"], fields["Version"]
        packages[name] = Package(name, version, fields["Architecture"], hashes.get((name, version)),
                                 fields.get("Source", name).split()[0], fields.get("Depends", ""))
    return packages


def read_files(build):
    """What the program is made of outside the build: headers of its objects, and what the linker read."""
    def ninja(*arguments):
        return subprocess.run(["ninja", "-C", str(build), "-t", *arguments], capture_output=True, text=True, check=True).stdout

    # The XRT back end is built with the program, and is not in the bundle.
    parts = {"bin/slipway", *(name for name in ninja("inputs", "bin/slipway").splitlines() if "xrt_module/" not in name)}
    found, wanted = set(), False
    for line in ninja("deps").splitlines():
        if line[:1].strip():
            wanted = line.split(":")[0] in parts
        elif wanted and line.startswith("    /usr/"):
            found.add(line.strip())
    if not any(name.endswith(".a") for name in found):
        sys.exit(f"sbom: the build in {build} has no record of what bin/slipway is linked from; build it again")
    # A shared library that the linker read counts if it is shipped, not if it was offered.
    return {name for name in found if not re.search(r"\.so(\.[0-9.]*)?$", name)}


def component_of(file, rows, packages):
    for package_pattern, file_pattern, component in rows:
        subject = file if "/" in file_pattern else pathlib.PurePath(file).name
        if fnmatch.fnmatchcase(subject, file_pattern):
            names = sorted(name for name in packages if fnmatch.fnmatchcase(name, package_pattern))
            # (the private root removes packages that nothing uses, and keeps them in dpkg's list)
            names = [name for name in names if (DOC / name / "copyright").exists()] or names
            if not names:
                sys.exit(f"sbom: {file} is from a package `{package_pattern}` (env/components.txt), which is not installed")
            return component, packages[names[-1]]
    sys.exit(f"sbom: no line of env/components.txt says which package {file} is from")


def copyright_of(package, packages):
    """The copyright file of a package, or that of the package of the same source with which it shares its documents."""
    siblings = [other.name for other in packages.values() if other.source == package.source]
    names = [package.name, *(name for name in siblings if re.search(rf"\b{re.escape(name)} \(=", package.depends)), *siblings]
    for name in names:
        if (DOC / name / "copyright").is_file():
            return DOC / name / "copyright"
    sys.exit(f"sbom: {DOC / package.name / 'copyright'} is missing")


def collect_licences(top, directory, used, packages):
    """Copies the licence texts, and the common ones that they refer to."""
    for name in ("LICENSE", "NOTICE"):
        shutil.copyfile(top / name, directory / name)
    target = directory / "licences"
    shutil.rmtree(target, ignore_errors=True)
    (target / "common-licenses").mkdir(parents=True)
    texts, files = {}, {}
    for package in used:
        text = copyright_of(package, packages).read_text(errors="replace")
        file = target / f"{package.name}.txt"
        if text in files:  # packages of one source have the same text
            file.hardlink_to(files[text])
        else:
            file.write_text(text)
            files[text] = file
        texts[package.name] = text
        for name in re.findall(r"/usr/share/common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9])", text):
            if (COMMON / name).is_file():
                shutil.copyfile(COMMON / name, target / "common-licenses" / name)
    (target / "README").write_text(
        "The licences of the components that sbom.spdx.json lists: one file for each package of the distribution that\n"
        "Slipway was built on. Texts that these files name as /usr/share/common-licenses/NAME are in common-licenses/NAME.\n")
    return texts


def digest(path, algorithm):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def spdx_id(kind, name):
    return f"SPDXRef-{kind}-{re.sub('[^A-Za-z0-9.-]', '-', name)}"


def licence_text(reference, texts):
    """The text of a LicenseRef, from the paragraph `License: NAME` of a copyright file."""
    name = reference.removeprefix("LicenseRef-")
    for text in texts.values():
        found = re.search(rf"^License: {re.escape(name)}\n((?:[ \t].*\n)+)", text + "\n", re.M)
        if found:
            return re.sub(r"^ \.?", "", found[1], flags=re.M).strip()
    sys.exit(f"sbom: no copyright file has the text of {reference}")


def package_entry(package, component):
    entry = {
        "SPDXID": spdx_id("Package", package.name),
        "name": package.name,
        "versionInfo": package.version,
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": component.licence,
        "copyrightText": "NOASSERTION",
        "comment": f"{component.name}; licences/{package.name}.txt has the copyright notices",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{package.name.replace('+', '%2B')}@{package.version.replace('+', '%2B').replace(':', '%3A')}"
                                f"?arch={package.architecture}"}],
    }
    if package.sha256:
        entry["checksums"] = [{"algorithm": "SHA256", "checksumValue": package.sha256}]
    return entry


def make_document(top, build, directory, texts, shipped, linked, components):
    version = re.search(r"^CMAKE_PROJECT_VERSION:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)[1]
    own = "SPDXRef-Package-slipway"
    files, relations = [], []

    def relate(subject, kind, other):
        relations.append({"spdxElementId": subject, "relationshipType": kind, "relatedSpdxElement": other})

    relate("SPDXRef-DOCUMENT", "DESCRIBES", own)
    for path in sorted(directory.rglob("*")):
        if path.is_symlink() or not path.is_file() or path == directory / "sbom.spdx.json":
            continue
        name = path.relative_to(directory).as_posix()
        identifier = spdx_id("File", name)
        package = shipped.get(path)
        licence = components[package].licence if package else OWN_LICENCE
        if name.startswith("licences/"):
            licence = "NOASSERTION"
        files.append({
            "SPDXID": identifier, "fileName": f"./{name}",
            "checksums": [{"algorithm": "SHA1", "checksumValue": digest(path, "sha1")},
                          {"algorithm": "SHA256", "checksumValue": digest(path, "sha256")}],
            "licenseConcluded": licence, "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION"})
        relate(own, "CONTAINS", identifier)
        if package:
            relate(identifier, "GENERATED_FROM", spdx_id("Package", package.name))
    for package in sorted(components):
        relate(own, "DYNAMIC_LINK" if package in shipped.values() else "STATIC_LINK", spdx_id("Package", package.name))
    assert all(package in linked or package in shipped.values() for package in components)

    code = hashlib.sha1("".join(sorted(file["checksums"][0]["checksumValue"] for file in files)).encode()).hexdigest()
    created = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    references = sorted({word for component in components.values() for word in re.findall(r"LicenseRef-[\w.-]+", component.licence)})
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"slipway-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/slipway-{version}-{code}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: slipway-env-sbom.py", "Organization: the Slipway authors"]},
        "packages": [{
            "SPDXID": own, "name": "slipway", "versionInfo": version, "supplier": "Organization: the Slipway authors",
            "downloadLocation": "NOASSERTION", "filesAnalyzed": True,
            "packageVerificationCode": {"packageVerificationCodeValue": code, "packageVerificationCodeExcludedFiles": ["./sbom.spdx.json"]},
            "sourceInfo": f"built from revision {os.environ.get('SLIPWAY_REVISION') or 'unknown'}",
            "licenseConcluded": "NOASSERTION", "licenseDeclared": OWN_LICENCE, "licenseInfoFromFiles": ["NOASSERTION"],
            "copyrightText": "Copyright 2026 the Slipway authors",
        }, *(package_entry(package, components[package]) for package in sorted(components))],
        "files": files,
        "relationships": relations,
        "hasExtractedLicensingInfos": [
            {"licenseId": name, "name": name.removeprefix("LicenseRef-"), "extractedText": licence_text(name, texts)} for name in references],
    }


def main():
    top, build, directory = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    rows, packages = read_components(top), installed_packages()
    own = {path.name for part in ("bin", "lib", "examples", "src") for path in (build / part).rglob("*") if path.is_file()}
    shipped, components, linked = {}, {}, set()
    for path in sorted((directory / "lib").iterdir()):
        if path.name not in own:
            component, package = component_of(str(path), rows, packages)
            shipped[path] = package
            components[package] = component
    for file in sorted(read_files(build)):
        component, package = component_of(file, rows, packages)
        if component:
            components[package] = component
            linked.add(package)
    texts = collect_licences(top, directory, components, packages)
    document = make_document(top, build, directory, texts, shipped, linked, components)
    (directory / "sbom.spdx.json").write_text(json.dumps(document, ensure_ascii=False) + "\n")
    print(f"{directory}: {len(components)} packages of the distribution in sbom.spdx.json, with their licences")


if __name__ == "__main__":
    main()

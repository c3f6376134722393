#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds LICENSE, NOTICE and licences/ to a directory for Windows: env/windows_licences.py TOP BUILD DIRECTORY, in the root of the build

The components are derived from what the build of the program, the library and the layer read, headers and static libraries, as for
Linux (env/sbom.py); env/components.txt names them. A file of no component, or a component without a text, ends this with an error.
"""
import fnmatch
import pathlib
import re
import shutil
import subprocess
import sys

import sbom

TARGETS = ("bin/slipway.exe", "bin/slipway.dll", "lib/slipway/VkLayer_slipway_ml.dll")
# Libraries for Windows that env/windows.sh builds, and their licences.
PREFIX = pathlib.Path("/usr/x86_64-w64-mingw32ucrt")


def read_files(build):
    def ninja(*arguments):
        return subprocess.run(["ninja", "-C", str(build), "-t", *arguments], capture_output=True, text=True, check=True).stdout

    found, wanted = set(), False
    inputs = set(ninja("inputs", *TARGETS).splitlines())
    for line in ninja("deps").splitlines():
        if line[:1].strip():
            wanted = line.split(":")[0] in inputs
        elif wanted:
            found.add(line.strip())
    found |= inputs
    files = {str(pathlib.Path(name).resolve()) for name in found if name.startswith("/usr/") and "/bin/" not in name}
    if not any(name.endswith(".a") for name in files) or not any(name.endswith(".h") for name in files):
        sys.exit(f"windows_licences: the build in {build} has no record of what it read; build it again")
    return files


def find_component(file, rows):
    """(component, pattern of its packages) by the first line that matches, where Linux has the file."""
    on_linux = "/usr/" + file.removeprefix(f"{PREFIX}/") if file.startswith(f"{PREFIX}/") else file
    for packages, pattern, component in rows:
        for subject in (file, on_linux):
            if component and fnmatch.fnmatchcase(subject if "/" in pattern else pathlib.PurePath(file).name, pattern):
                return component, packages
    sys.exit(f"windows_licences: no line of env/components.txt says which component {file} is from")


def texts_of(component, packages):
    built = PREFIX / "share/licenses" / component.name.lower()
    if built.is_dir():
        return sorted(built.iterdir())
    texts = sorted(sbom.DOC.glob(f"{packages}/copyright"))
    return texts or sys.exit(f"windows_licences: {component.name} has no licence text in {built} or {sbom.DOC / packages}")


def main():
    top, build, directory = map(pathlib.Path, sys.argv[1:])
    for name in ("LICENSE", "NOTICE"):
        shutil.copyfile(top / name, directory / name)
    target = directory / "licences"
    (target / "common-licenses").mkdir(parents=True)
    rows = sbom.read_components(top)
    used = sorted({find_component(file, rows) for file in read_files(build)})
    notice = (top / "NOTICE").read_text()
    for component, packages in used:
        if not re.search(rf"^{re.escape(component.name)}\b", notice, re.M):
            sys.exit(f"windows_licences: NOTICE does not name {component.name}")
        text = "\n".join(path.read_text(errors="replace") for path in texts_of(component, packages))
        (target / f"{re.sub('[^A-Za-z0-9+.-]+', '-', component.name)}.txt").write_text(text)
        for name in re.findall(r"/usr/share/common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9])", text):
            if (sbom.COMMON / name).is_file():
                shutil.copyfile(sbom.COMMON / name, target / "common-licenses" / name)
    names = sorted({component.name for component, _ in used})
    (target / "README").write_text("The licences of the components in the program, the library and the layer. Texts that these files name as\n"
                                   "/usr/share/common-licenses/NAME are in common-licenses/NAME.\n")
    print(f"{directory}: licences of {', '.join(names)}", file=sys.stderr)


if __name__ == "__main__":
    main()

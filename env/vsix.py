#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs the extension for Visual Studio Code: env/vsix.py TOP DIRECTORY

DIRECTORY/slipway-rpl-VERSION.vsix is a zip with the files of editors/vscode that .vscodeignore does not list, a manifest and a list of
content types, as the packager of VS Code makes it. The same files and SOURCE_DATE_EPOCH make the same bytes.
"""
import fnmatch
import json
import os
import pathlib
import sys
import time
import zipfile
from xml.sax.saxutils import escape, quoteattr

# The types that its files have in the package.
TYPES = {".json": "application/json", ".js": "application/javascript", ".md": "text/markdown", ".txt": "text/plain",
         ".vsixmanifest": "text/xml"}


def manifest(package):
    categories = ",".join(package["categories"])
    tags = ",".join(["json", *(f"__ext_{suffix[1:]}" for language in package["contributes"]["languages"] for suffix in language["extensions"]),
                     *(language["id"] for language in package["contributes"]["languages"])])
    properties = {"Microsoft.VisualStudio.Code.Engine": package["engines"]["vscode"],
                  "Microsoft.VisualStudio.Code.ExtensionDependencies": "", "Microsoft.VisualStudio.Code.ExtensionPack": "",
                  "Microsoft.VisualStudio.Code.ExtensionKind": "workspace", "Microsoft.VisualStudio.Code.LocalizedLanguages": ""}
    identity = " ".join(f"{name}={quoteattr(value)}" for name, value in
                        {"Language": "en-US", "Id": package["name"], "Version": package["version"], "Publisher": package["publisher"]}.items())
    lines = "\n".join(f"      <Property Id={quoteattr(name)} Value={quoteattr(value)} />" for name, value in properties.items())
    return f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity {identity} />
    <DisplayName>{escape(package["displayName"])}</DisplayName>
    <Description xml:space="preserve">{escape(package["description"])}</Description>
    <Tags>{escape(tags)}</Tags>
    <Categories>{escape(categories)}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
{lines}
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code" />
  </Installation>
  <Dependencies />
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true" />
  </Assets>
</PackageManifest>
"""


def files_of(extension):
    """What the package contains, by name. Of the schemas only those that the manifest names."""
    package = json.loads((extension / "package.json").read_text())
    ignored = (extension / ".vscodeignore").read_text().split()
    schemas = {pathlib.PurePosixPath(each["url"]).name for each in package["contributes"]["jsonValidation"]}
    files = {}
    for path in sorted([*extension.rglob("*"), *(extension / "schemas").glob("*")]):
        name = path.relative_to(extension).as_posix()
        if not path.is_file() or any(fnmatch.fnmatch(name, pattern) for pattern in ignored):
            continue
        if name.startswith("schemas/") and path.name not in schemas:
            continue
        files["extension/" + ("LICENSE.txt" if name == "LICENSE" else name)] = path.read_bytes()
    types = "".join(f'<Default Extension="{suffix}" ContentType="{TYPES[suffix]}"/>'
                    for suffix in sorted({".vsixmanifest", *(pathlib.PurePosixPath(name).suffix for name in files)}))
    content_types = f"""<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{types}</Types>
"""
    return package, {"extension.vsixmanifest": manifest(package).encode(), "[Content_Types].xml": content_types.encode(), **files}


def write_vsix(top, directory):
    package, files = files_of(top / "editors/vscode")
    path = directory / f"{package['name']}-{package['version']}.vsix"
    directory.mkdir(parents=True, exist_ok=True)
    stamp = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]  # a zip has no year before 1980
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, contents in files.items():
            entry = zipfile.ZipInfo(name, stamp)
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, contents)
    return path


if __name__ == "__main__":
    print(write_vsix(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))

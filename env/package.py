#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes packages of the program in build/packages: env/package.py TOP PRESET KIND...

  tarball   slipway-VERSION-linux-ARCH.tar.gz, a directory that runs wherever it is unpacked
  deb       slipway_VERSION_ARCH.deb, for Debian and its derivatives
  run       slipway-VERSION-linux-ARCH.run, one executable file that unpacks itself into the user's cache directory
  tarball-full, run-full
            the same with Mesa's software driver, which is used where the machine has no Vulkan driver; compressed with xz

PRESET is the name of a preset or the path of a build. All kinds are made of the directory that env/bundle.sh makes. The same build
and SOURCE_DATE_EPOCH make the same bytes.
"""
import gzip
import hashlib
import io
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

LARGEST, LARGEST_FULL = 40_000_000, 60_000_000  # bytes of a package
DEB_ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}
# Libraries that the Debian package takes from the distribution, so that its security updates hold for them, and their packages. The
# others are newer than those of Debian stable. libEGL is for NVIDIA's driver alone.
DEPENDENCIES = {"libvulkan.so.1": "libvulkan1 (>= 1.3)", "libz.so.1": "zlib1g (>= 1:1.2.11)"}
SUGGESTIONS = {"libEGL.so.1": "libegl1", "libGLdispatch.so.0": "libglvnd0"}

RUN_SCRIPT = """#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Slipway @VERSION@ in one file. The first start unpacks it into ${XDG_CACHE_HOME:-~/.cache}/slipway/run/@HASH@;
# later starts find it there. Under the name of another tool (a link named scenario-runner, ...) it is that tool.
set -e
fail() {
  echo "${0##*/}: $1" >&2
  exit 5
}
cache=${XDG_CACHE_HOME:-${HOME:-}/.cache}
[ "$cache" != /.cache ] || fail 'HOME and XDG_CACHE_HOME are not set: set one of them to a directory to unpack into'
cache=$cache/slipway/run
directory=$cache/@HASH@
if [ ! -d "$directory" ]; then
  mkdir -p "$cache" || fail "cannot make the directory $cache; set XDG_CACHE_HOME to another one"
  work=$(mktemp -d "$cache/.unpack.XXXXXX") || fail "cannot write to $cache; set XDG_CACHE_HOME to another directory"
  trap 'rm -rf "$work"' EXIT
  trap 'exit 5' HUP INT TERM
  tail -c +@OFFSET@ "$0" >"$work/payload" || fail "cannot write to $cache"
  sum=$(sha256sum "$work/payload")
  [ "${sum%% *}" = @SHA256@ ] || fail 'the file is damaged (its checksum is wrong); download it again'
  mkdir "$work/tree"
  tar -x@FILTER@f "$work/payload" -C "$work/tree" || fail "cannot unpack into $cache"
  # The directory appears when it is complete. If another start was faster, its copy is the same.
  mv -T "$work/tree/@ROOT@" "$directory" 2>/dev/null || [ -d "$directory" ] || fail "cannot make $directory"
  rm -rf "$work"
  trap - EXIT HUP INT TERM
fi
[ -O "$directory" ] || fail "$directory belongs to another user; remove it"
name=${0##*/}
case $name in @NAMES@) ;; *) name=slipway ;; esac
exec "$directory/$name" "$@"
"""


def architecture(build):
    """That of the program, which may be another one than that of this machine (env/cross.sh)."""
    with open(build / "bin/slipway", "rb") as file:
        return {62: "x86_64", 183: "aarch64"}[int.from_bytes(file.read(20)[18:], "little")]


def epoch():
    return int(os.environ.get("SOURCE_DATE_EPOCH", "0"))


def xz_filters(machine):
    """LZMA with a dictionary that holds most of a bundle; for x86-64 jumps become absolute, which repeat more often than relative ones."""
    jumps = [{"id": lzma.FILTER_X86}] if machine == "x86_64" else []
    return [*jumps, {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]


def archive_of(directory, root, compression, machine):
    """The bytes of a compressed archive (gz, xz) of `directory` with the name `root`, always the same for the same files."""
    def plain(info):
        info.uid = info.gid = 0
        info.uname = info.gname = "root"
        info.mtime = epoch()
        info.mode = 0o755 if info.isdir() or info.mode & 0o100 else 0o644
        return info

    target = io.BytesIO()
    with (gzip.GzipFile(fileobj=target, mode="wb", compresslevel=9, mtime=epoch(), filename="") if compression == "gz"
          else lzma.LZMAFile(target, "wb", filters=xz_filters(machine))) as compressed:
        with tarfile.open(fileobj=compressed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            archive.add(directory, root, recursive=False, filter=plain)
            for path in sorted(directory.rglob("*")):
                archive.add(path, f"{root}/{path.relative_to(directory).as_posix()}", recursive=False, filter=plain)
    return target.getvalue()


def run_file(version, root, payload, names, compression):
    sha256 = hashlib.sha256(payload).hexdigest()
    script = RUN_SCRIPT
    for key, value in {"VERSION": version, "HASH": sha256[:16], "SHA256": sha256, "ROOT": root, "NAMES": " | ".join(names),
                       "FILTER": {"gz": "z", "xz": "J"}[compression]}.items():
        script = script.replace(f"@{key}@", value)
    digits = len(str(len(script)))
    script = script.replace("@OFFSET@", f"{len(script) - len('@OFFSET@') + digits + 1}")
    return script.encode() + payload


def deb(top, build, bundle, version, names, work, target):
    """Writes a Debian package: the bundle in /usr/lib/slipway, less what the distribution has."""
    package_architecture = DEB_ARCHITECTURE[architecture(build)]
    tree = work / "deb"
    home, documents = tree / "usr/lib/slipway", tree / "usr/share/doc/slipway"
    shutil.copytree(bundle, home, symlinks=True)
    for name in (*DEPENDENCIES, *SUGGESTIONS):
        (home / "lib" / name).unlink()
    for path in [home, *home.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    # The manifest of the Vulkan layer is where the loader searches, and the library stays with the program.
    manifest = home / "share/vulkan/explicit_layer.d/VkLayer_slipway_ml.json"
    manifest.write_text(manifest.read_text().replace("../../../lib/", "/usr/lib/slipway/lib/"))
    if (home / "share").is_dir():
        shutil.move(home / "share", tree / "usr/share")
        for page in (tree / "usr/share").glob("man/man*/*.[1-9]"):
            page.with_name(page.name + ".gz").write_bytes(gzip.compress(page.read_bytes(), mtime=epoch()))
            page.unlink()
    documents.mkdir(parents=True)
    shutil.move(home / "examples", documents / "examples")
    # Recipes name their libraries from the directory above the program's own.
    (home / "examples").symlink_to("../../share/doc/slipway/examples")
    subprocess.run([top / "env/sbom.py", top, build, home], check=True)
    (documents / "copyright").write_text((home / "NOTICE").read_text() + "\n\n" + (home / "LICENSE").read_text() +
                                         "\nThe licences of the other components are in /usr/lib/slipway/licences.\n")
    for name in ("sbom.spdx.json", "licences", "schema"):
        (documents / name).symlink_to(f"../../../lib/slipway/{name}")
    (tree / "usr/bin").mkdir()
    for name in names:
        (tree / "usr/bin" / name).symlink_to(f"../lib/slipway/{name}")
    size = sum(path.stat().st_size for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN/control").write_text(
        f"Package: slipway\nVersion: {version}\nArchitecture: {package_architecture}\nMaintainer: the Slipway authors\n"
        f"Installed-Size: {size // 1024}\nSection: utils\nPriority: optional\n"
        f"Depends: {', '.join(DEPENDENCIES.values())}\nRecommends: mesa-vulkan-drivers | vulkan-icd\n"
        f"Suggests: {', '.join(SUGGESTIONS.values())}\n"
        "Description: builds and launches GPU and NPU workloads described as data\n"
        " Slipway runs scenarios and recipes of kernels, compiles render pipelines,\n"
        " converts and runs ML models, and inspects GPU kernel binaries.\n")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree, target], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch())})


def main():
    top, kinds = pathlib.Path(sys.argv[1]).resolve(), sys.argv[3:]
    build = pathlib.Path(sys.argv[2]) if "/" in sys.argv[2] else top / "build" / sys.argv[2]
    version = re.search(r"project\(slipway VERSION (\S+)", (top / "CMakeLists.txt").read_text())[1]
    root = f"slipway-{version}-linux-{architecture(build)}"
    output = top / "build/packages"
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        bundles, payloads = {}, {}
        for kind in kinds:
            full = kind.endswith("-full")
            compression = "xz" if full else "gz"
            if full not in bundles:
                bundles[full] = work / ("full" if full else "plain") / root
                subprocess.run([top / "env/bundle.sh", top, build, *(["--driver"] if full else []), bundles[full]], check=True,
                               stdout=subprocess.DEVNULL)
            bundle = bundles[full]
            names = sorted(path.name for path in bundle.iterdir() if path.name == "slipway" or path.is_symlink())
            if kind != "deb" and full not in payloads:
                payloads[full] = archive_of(bundle, root, compression, architecture(build))
            suffix = "-full" if full else ""
            made = work / "made"
            if kind in ("tarball", "tarball-full"):
                target = output / f"{root}{suffix}.tar.{compression}"
                made.write_bytes(payloads[full])
            elif kind in ("run", "run-full"):
                target = output / f"{root}{suffix}.run"
                made.write_bytes(run_file(version, root, payloads[full], names, compression))
            elif kind == "deb":
                target = output / f"slipway_{version}_{DEB_ARCHITECTURE[architecture(build)]}.deb"
                deb(top, build, bundle, version, names, work, made)
            else:
                sys.exit(f"package: unknown kind `{kind}`; the kinds are tarball, deb, run, tarball-full, run-full and image")
            made.chmod(0o755 if kind.startswith("run") else 0o644)
            largest = LARGEST_FULL if full else LARGEST
            if made.stat().st_size > largest:
                sys.exit(f"package: {target.name} has {made.stat().st_size / 1e6:.1f} MB, more than {largest // 1_000_000} MB")
            shutil.move(made, target)
            print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

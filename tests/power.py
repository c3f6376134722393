# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Power failures: what the disk may have after one, made from a record of what a run did (FAULT_RECORD of src/testing/fault_preload).

The model is that of journalling file systems. Names change in their order, but the last changes may be lost unless a file or directory
was flushed after them. Data that was not flushed may be lost, in any order, and then reads as zeros or not at all.
"""
import json
import pathlib
import shutil
import time


class Record:
    """The events of a run, below a directory."""

    def __init__(self, log, directory):
        self.events = []
        for line in log.read_text().splitlines() if log.exists() else []:
            kind, *values = line.split("\t")
            paths = {"name": values[1:2], "rename": values, "unlink": values}.get(kind, [])
            if any(not path.startswith(f"{directory}/") for path in paths):
                continue
            self.events.append((kind, values))


def files_below(directory):
    return {str(path): path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file() and not path.is_symlink()}


def after_failure(random_, before, record):
    """The files that may be there if the power fails at a random point: path to contents."""
    end = random_.randrange(len(record.events) + 1)
    happened = record.events[:end]
    flushed = max((at for at, (kind, _) in enumerate(happened) if kind == "sync"), default=-1)
    names_until = random_.choice((end, random_.randrange(flushed + 1, end + 1)))
    # Data first: what each file holds.
    last_sync = {values[0]: at for at, (kind, values) in enumerate(happened) if kind == "sync"}
    keep = random_.choice(("all", "none", "some", "zeros"))
    contents = {}
    for at, (kind, values) in enumerate(happened):
        if kind == "truncate":
            data = contents.setdefault(values[0], bytearray())
            del data[int(values[1]):]
        elif kind == "write":
            data = contents.setdefault(values[0], bytearray())
            offset, piece = int(values[1]), bytes.fromhex(values[2])
            if at > last_sync.get(values[0], -1):
                if keep == "none" or keep == "some" and random_.random() < 0.5:
                    continue
                if keep == "zeros":
                    piece = bytes(len(piece))
            if len(data) < offset:
                data.extend(bytes(offset - len(data)))
            data[offset:offset + len(piece)] = piece
    # Then names.
    names = {path: ("old", path) for path in before}
    for at, (kind, values) in enumerate(happened[:names_until]):
        if kind == "name":
            # A file that was there before is only opened.
            if values[1] not in names or names[values[1]][0] == "new":
                names[values[1]] = ("new", values[0])
        elif kind == "rename" and values[0] in names:
            names[values[1]] = names.pop(values[0])
        elif kind == "unlink":
            names.pop(values[0], None)
    return {path: before[what] if age == "old" else bytes(contents.get(what, b"")) for path, (age, what) in names.items()}


def restore(directory, files):
    shutil.rmtree(directory)
    for path, contents in files.items():
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(path).write_bytes(contents)
    directory.mkdir(exist_ok=True)


def case_lines(path):
    lines = []
    for line in path.read_bytes().split(b"\n"):
        try:
            one = json.loads(line)
        except ValueError:
            continue
        if "case" in one:
            lines.append(one["case"]["file"])
    return lines


def failures(scratch, start, workload, random_, end):
    """Tries failures until `end`, at least twenty of each kind. `start(words, directory, log)` runs the program and records it. Yields for each a
    name, an empty text, and what is wrong, which is empty if nothing is."""
    directory, log = scratch / "run", scratch / "log"
    for kind in ("outputs", "caches", "results"):
        shutil.rmtree(scratch, ignore_errors=True)
        expected = workload(directory)
        scenario = (directory / "s.json").read_bytes()
        words = ["run", "-q", "s.json", "--report", "r.json"]
        if kind == "results":
            for number in range(6):
                (directory / f"case{number}.json").write_bytes(scenario.replace(b"b.npy", b"b%d.npy" % number).replace(b"c.npy", b"c%d.npy" % number))
            words = ["run", "-q", *(f"case{number}.json" for number in range(6)), "--jobs", "1", "--results", "results.jsonl"]
        else:
            for name in expected:
                (directory / name).write_bytes(b"the results of an earlier run")
        before = files_below(directory)
        log.unlink(missing_ok=True)
        outcome = start(words, directory, log)
        new = {path: contents for path, contents in files_below(directory).items()}
        record = Record(log, directory)
        if outcome.status != 0 or not any(name == "rename" for name, _ in record.events):
            yield f"power_{kind}", b"", f"the run that is recorded failed, or nothing was recorded: status {outcome.status}\n{outcome.text}"
            continue
        tries = 0
        share = time.monotonic() + max(end - time.monotonic(), 0) / 3
        while tries < 20 or time.monotonic() < share:
            tries += 1
            files = after_failure(random_, before, record)
            wrong = ""
            if kind == "outputs":
                for name in [*expected, "r.json"]:
                    path = str(directory / name)
                    now = files.get(path)
                    if now != before.get(path) and now != new.get(path):
                        wrong += f"{name} is neither old nor new after a power failure: {None if now is None else now[:60]}\n"
            else:
                restore(directory, files)
                if kind == "results" and (directory / "results.jsonl").exists():
                    words_again = [*words[:-2], "--resume", "results.jsonl"]
                else:
                    words_again = words
                again = start(words_again, directory, scratch / "ignored")
                if again.status != 0:
                    wrong = f"the run after a power failure has status {again.status}\n{again.text}"
                elif kind == "caches":
                    for name, contents in expected.items():
                        if not (directory / name).read_bytes().endswith(contents):
                            wrong += f"{name} is wrong with the caches after a power failure\n"
                else:
                    found = case_lines(directory / "results.jsonl")
                    if sorted(set(found)) != [f"case{number}.json" for number in range(6)]:
                        wrong = f"cases are lost after a power failure: {found}"
                (scratch / "ignored").unlink(missing_ok=True)
            yield f"power_{kind}_{tries}", b"", wrong

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exceptions of rules of structure, tests/rules_allowed.txt: a line `rule<TAB>subject<TAB>number or reason`.

A finding that is not listed is a problem, and so is a line whose finding has gone. For rules that measure, the third field
begins with the number, which may not grow; a reason may follow it.
"""
import dataclasses
import pathlib
import re
import sys

NAME = "tests/rules_allowed.txt"


@dataclasses.dataclass
class Finding:
    rule: str
    subject: str
    text: str  # what is wrong, with its location
    number: int | None = None  # for rules that measure


def read(top, known, problems):
    """(rule, subject) -> third field."""
    lines = {}
    path = top / NAME
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 3 or not fields[2].strip():
            problems.append(f"{NAME}:{number}: not three fields separated by tabs")
        elif fields[0] not in known:
            problems.append(f"{NAME}:{number}: there is no rule `{fields[0]}`")
        elif (fields[0], fields[1]) in lines:
            problems.append(f"{NAME}:{number}: `{fields[1]}` is listed twice")
        else:
            lines[fields[0], fields[1]] = fields[2]
    return lines


def compare(top, known, checked, findings):
    """Problems of the findings of the rules in `checked`; `known` are the names of all rules."""
    problems = []
    lines = read(top, known, problems)
    found = {}
    for one in findings:
        assert one.rule in checked and (one.rule, one.subject) not in found, one
        found[one.rule, one.subject] = one
        field = lines.get((one.rule, one.subject))
        if field is None:
            problems.append(f"{one.text} [{one.rule}: {one.subject}]")
        elif one.number is not None:
            limit = re.match(r"\d+(?=\s|$)", field)
            if not limit:
                problems.append(f"{NAME}: {one.rule}, {one.subject}: the third field must begin with a number")
            elif one.number > int(limit[0]):
                problems.append(f"{one.text}; {NAME} allows {limit[0]} [{one.rule}: {one.subject}]")
    for rule, subject in lines:
        if rule in checked and (rule, subject) not in found:
            problems.append(f"{NAME}: {rule}, {subject}: not found any more; delete the line")
    return problems


def lines_of(findings):
    """The lines that would allow the findings."""
    return [f"{one.rule}\t{one.subject}\t{'REASON' if one.number is None else one.number}" for one in findings]


def main(check, known, checked, what):
    """The program TOP [--list] of a check: (findings, the count of what it checked) of a tree."""
    top = pathlib.Path(sys.argv[1])
    findings, count = check(top)
    assert count, "no source files"
    if "--list" in sys.argv:
        print("\n".join(lines_of(findings)))
        return
    problems = compare(top, known, checked, findings)
    print("\n".join(problems) or f"{count} {what}, {len(findings)} exceptions")
    sys.exit(bool(problems))

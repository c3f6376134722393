#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that no units of src/ include each other in a cycle: include_cycles.py TOP [--list]

A unit is a .cpp with its header. The exceptions are in tests/rules_allowed.txt, each with all members of the cycle;
`--list` prints all cycles as lines of that file.
"""
import re

import allowed
import rules


def includes(sources):
    """unit -> units that it includes."""
    below = {name.removeprefix("src/") for name in sources}
    found = {}
    for name, text in sources.items():
        unit = name.removeprefix("src/").rsplit(".", 1)[0]
        used = re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M)
        found.setdefault(unit, set()).update(other.rsplit(".", 1)[0] for other in used if other in below)
    return {unit: sorted(used - {unit}) for unit, used in found.items()}


def cycles(arrows):
    """The strongly connected components with several members, sorted (Tarjan's algorithm, without recursion)."""
    index, lowest, on_stack, stack, found = {}, {}, set(), [], []
    for root in arrows:
        if root in index:
            continue
        work = [(root, iter(arrows[root]))]
        index[root] = lowest[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            unit, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[unit])
                if lowest[unit] == index[unit]:
                    at = stack.index(unit)
                    members, stack[at:] = stack[at:], []
                    on_stack.difference_update(members)
                    if len(members) > 1:
                        found.append(sorted(members))
            elif following not in index:
                index[following] = lowest[following] = len(index)
                stack.append(following)
                on_stack.add(following)
                work.append((following, iter(arrows[following])))
            elif following in on_stack:
                lowest[unit] = min(lowest[unit], index[following])
    return sorted(found)


def check(top):
    """(findings, the count of units) of a tree."""
    sources = {name: text for name, text in rules.product_files(top).items() if name.startswith("src/")}
    arrows = includes(sources)
    found = cycles(arrows)
    for members in found:
        assert all(set(arrows[unit]) & set(members) for unit in members)
    return [allowed.Finding(rules.CYCLE, " ".join(members), f"src/{members[0]}: {len(members)} units include each other")
            for members in found], len(arrows)


if __name__ == "__main__":
    allowed.main(check, rules.ALL, {rules.CYCLE}, "units")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Simulates machines that die: simulate.py SLIPWAY MACHINES CASES CONCURRENT SEED

Each machine is a process with its own cache and working directory, which runs one shard of the cases. A machine is killed
with SIGKILL at a random moment, its supervisor alone or all of its processes, and starts again, until each has died twice
and all cases have results. The machines share only the cases, which they read. The check at the end: no case is lost, and no
case has two results.
"""
import collections
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

slipway = str(pathlib.Path(sys.argv[1]).resolve())
machines, count, concurrent, seed = map(int, sys.argv[2:6])
DEATHS = 2
rng = random.Random(seed)

SHADER = """#version 460
layout(set = 0, binding = 0) buffer B { uint b[]; };
void main() { b[gl_GlobalInvocationID.x] += 1; }
"""


def case(i):
    values = list(range(i, i + 4))
    return {"resources": [{"shader": {"uid": "add", "type": "GLSL", "source": SHADER}},
                          {"buffer": {"uid": "b", "size": 16, "shader_access": "readwrite", "data": {"type": "u32", "values": values},
                                      "expect": {"type": "u32", "data": [value + 1 for value in values]}}}],
            "commands": [{"dispatch_compute": {"shader_ref": "add", "rangeND": [4], "bindings": [{"set": 0, "id": 0, "resource_ref": "b"}]}}]}


class Machine:
    def __init__(self, number, top):
        self.number, self.directory, self.deaths, self.process = number, top / f"machine{number}", 0, None
        self.directory.mkdir()

    def start(self, cases):
        environment = dict(os.environ, XDG_CACHE_HOME=str(self.directory / "cache"), SLIPWAY_SHARD=f"{self.number}/{machines}")
        self.process = subprocess.Popen([slipway, "run", cases, "--resume", "results.jsonl", "-q"], cwd=self.directory, env=environment,
                                        stdout=subprocess.DEVNULL, start_new_session=True)
        self.dies_at = time.monotonic() + rng.uniform(0.05, 0.8) if self.deaths < DEATHS else None

    def is_finished(self):
        """Kills the machine when its time has come. Returns whether it has run all of its cases."""
        status = self.process.poll()
        if status is None:
            if self.dies_at is not None and time.monotonic() >= self.dies_at:
                if rng.random() < 0.5:
                    self.process.kill()
                else:
                    os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
                self.deaths += 1
                self.process = None
            return False
        if status != 0:
            sys.exit(f"machine {self.number} ended with {status}")
        return True


with tempfile.TemporaryDirectory() as name:
    top = pathlib.Path(name)
    cases = top / "cases"
    cases.mkdir()
    for i in range(count):
        (cases / f"{i:05}.json").write_text(json.dumps(case(i)))
    begin = time.monotonic()
    waiting = collections.deque(Machine(i, top) for i in range(1, machines + 1))
    everyone, running = list(waiting), []
    while waiting or running:
        while waiting and len(running) < concurrent:
            machine = waiting.popleft()
            machine.start(cases)
            running.append(machine)
        for machine in list(running):
            finished = machine.is_finished()
            if finished or machine.process is None:
                running.remove(machine)
                if not finished:
                    waiting.append(machine)
        time.sleep(0.002)
    seconds = time.monotonic() - begin
    results = [json.loads(line)["case"] for machine in everyone for line in (machine.directory / "results.jsonl").read_text().splitlines()
               if line.startswith('{"case"')]
    files = collections.Counter(result["file"] for result in results)
    lost = count - len(files)
    twice = sum(times - 1 for times in files.values())
    wrong = sum(result["verdict"] != "passed" for result in results)
    deaths = sum(machine.deaths for machine in everyone)
    print(f"{machines} machines, {deaths} deaths, {count} cases in {seconds:.0f} s: {lost} lost, {twice} with two results, {wrong} not passed")
    sys.exit(lost != 0 or twice != 0 or wrong != 0)

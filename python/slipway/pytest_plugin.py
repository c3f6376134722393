# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collects scenarios as tests: files `*.scenario.json`, and with `--slipway-scenarios` every scenario.json.

A test passes if all expectations of the scenario are met. `--slipway-device` chooses the device.
"""
import pytest

import slipway


def pytest_addoption(parser):
    group = parser.getgroup("slipway")
    group.addoption("--slipway-device", default="", help="the device of scenarios: index, UUID or a part of the name")
    group.addoption("--slipway-scenarios", action="store_true", help="collect every scenario.json too")


def pytest_collect_file(file_path, parent):
    wanted = file_path.name.endswith(".scenario.json")
    if file_path.name == "scenario.json":
        wanted = parent.config.getoption("--slipway-scenarios")
    return ScenarioFile.from_parent(parent, path=file_path) if wanted else None


class ScenarioFile(pytest.File):
    def collect(self):
        yield ScenarioItem.from_parent(self, name=self.path.name)


class ScenarioItem(pytest.Item):
    def runtest(self):
        device = slipway.Device.open(self.config.getoption("--slipway-device"))
        report = slipway.Scenario.load(self.path).run(device, write_outputs=False)
        unmet = [result.text for result in report.expectations if not result.met]
        if unmet:
            raise UnmetError(unmet)

    def repr_failure(self, excinfo):
        if isinstance(excinfo.value, (slipway.Error, UnmetError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, None, f"scenario {self.path.name}"


class UnmetError(AssertionError):
    """Expectations of a scenario that are not met."""

    def __init__(self, texts):
        super().__init__("\n".join(texts))

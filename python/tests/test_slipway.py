# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the Python package. SLIPWAY_SOURCE_DIR is the directory of the project."""
import ast
import base64
import gc
import html
import locale
import os
import pathlib
import re
import subprocess
import sys
import threading

import numpy
import pytest

import slipway

SOURCE = pathlib.Path(os.environ["SLIPWAY_SOURCE_DIR"])
NET = b"""graph net {
  %0 = input f32[2, 3] "a"
  %1 = input f32[2, 3] "b"
  %2 = ADD(%0, %1) f32[2, 3]
  %3 = MAXIMUM(%0, %1) f32[2, 3] nan_mode=PROPAGATE
  output %2
  output %3
}
"""
OPEN = b"""graph net {
  %0 = input i32[-1, 2] "x"
  %1 = ADD(%0, %0) i32[-1, 2]
  output %1
}
"""


@pytest.fixture(scope="module")
def device():
    return slipway.Device.open()


@pytest.fixture
def net():
    return slipway.Model.parse(NET, "net")


def arrays():
    return {"a": numpy.arange(6, dtype=numpy.float32).reshape(2, 3), "b": numpy.ones((2, 3), numpy.float32)}


@pytest.mark.parametrize("where", ["cpu", "device", "reference"])
def test_model_runs(net, device, where):
    options = {"reference": True} if where == "reference" else {}
    for scale in (1, 3):
        given = {name: array * numpy.float32(scale) for name, array in arrays().items()}
        outputs = net.run(given, device if where == "device" else None, **options)
        numpy.testing.assert_array_equal(outputs["output_0"], given["a"] + given["b"])
        numpy.testing.assert_array_equal(outputs["output_1"], numpy.maximum(given["a"], given["b"]))


def test_outputs_without_copies_are_overwritten(net):
    first = net.run(arrays(), copy=False)["output_0"]
    kept = net.run(arrays())["output_0"]
    assert not first.flags.writeable and kept.flags.writeable
    net.run({"a": arrays()["a"] + 1, "b": arrays()["b"]})
    numpy.testing.assert_array_equal(first, kept + 1)


def test_sandbox_modes():
    for mode in ("required", "best-effort", "off", "default"):
        slipway.set_sandbox(mode)
    with pytest.raises(ValueError, match="best-effort"):
        slipway.set_sandbox("none")


def test_open_dimensions_follow_the_arrays():
    model = slipway.Model.parse(OPEN)
    assert model.inputs[0].shape == (-1, 2)
    for rows in (1, 5):
        x = numpy.arange(2 * rows, dtype=numpy.int32).reshape(rows, 2)
        numpy.testing.assert_array_equal(model.run({"x": x})["output_0"], 2 * x)


def test_memory_of_a_prepared_model_outlives_it(net):
    prepared = net.prepare()
    memory = prepared.input(0)
    memory[...] = 7
    del prepared
    gc.collect()
    assert (memory == 7).all()


def test_comparison_and_profile(net):
    assert [(each.name, each.wrong) for each in net.compare(arrays())] == [("output_0", 0), ("output_1", 0)]
    times = net.profile(arrays(), repeat=3)
    assert times and all(time.milliseconds >= 0 for time in times)
    heading, first, *_ = str(times).splitlines()
    assert heading.split() == ["segment", "name", "milliseconds", "bytes", "operations"] and times[0].name in first
    assert "<th>milliseconds</th>" in times._repr_html_() and f"<td>{times[0].name}</td>" in times._repr_html_()


def test_notebooks_show_graphs(net):
    page = net._repr_html_()
    assert "<td>f32</td><td>2x3</td>" in page and "MAXIMUM" in net.graph_page()
    (srcdoc,) = re.findall(r'<iframe [^>]*srcdoc="([^"]*)"', page)
    assert html.unescape(srcdoc) == net.graph_page()
    long = "\n".join(f"  %{i} = ABS(%{i - 1}) f32[4]" for i in range(1, 6000))
    large = slipway.Model.parse(f'graph net {{\n  %0 = input f32[4] "x"\n{long}\n  output %5999\n}}'.encode())
    assert "<iframe" not in large._repr_html_() and "write graph_page() to a file" in large._repr_html_()


class OnlyDLPack:
    """An array of a library that numpy does not know."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_arrays_of_other_libraries(net):
    given = arrays()
    wrapped = {name: OnlyDLPack(array) for name, array in given.items()}
    numpy.testing.assert_array_equal(net.run(wrapped)["output_0"], given["a"] + given["b"])
    prepared = net.prepare()
    prepared.set_input("a", wrapped["a"])
    prepared.set_input("b", wrapped["b"])
    prepared.run()
    result = numpy.from_dlpack(prepared.output(0))
    assert result.__array_interface__["data"][0] == prepared.output(0).__array_interface__["data"][0], "no copy"
    numpy.testing.assert_array_equal(result, given["a"] + given["b"])


def test_prepared_models_take_the_type_and_shape_of_an_input(net):
    prepared = net.prepare()
    for wrong in (numpy.ones((2, 3), numpy.int32), numpy.ones(6, numpy.float32), numpy.ones((3, 2), numpy.float32), numpy.ones((2, 3))):
        with pytest.raises(ValueError, match=r"input `a` takes float32\[2, 3\], but (int32|float32|float64)\["):
            prepared.set_input("a", wrong)
    with pytest.raises(slipway.Error, match="did you mean `a`"):
        prepared.set_input("aa", numpy.ones(1))
    prepared.set_input("a", numpy.full((3, 2), 2, numpy.float32).T)  # any strides
    assert (prepared.input(0) == 2).all()
    prepared.set_input("a", numpy.full(6, 3, numpy.float32).tobytes())
    assert (prepared.input(0) == 3).all()
    for wrong in (prepared.input, prepared.output):
        with pytest.raises(IndexError, match="the model has 2 (in|out)puts, which count from 0"):
            wrong(2)
    with pytest.raises(ValueError, match="read-only"):
        prepared.output(0)[...] = 1
    narrow = slipway.Model.parse(b"""graph net {
  %0 = input bf16[2] "x"
  %1 = ABS(%0) bf16[2]
  output %1
}""").prepare(reference=True)
    narrow.set_input("x", numpy.array([0xBF80, 0x4000], numpy.uint16))
    narrow.run()
    assert narrow.output(0).tolist() == [0x3F80, 0x4000]
    with pytest.raises(ValueError, match=r"takes uint16\[2\], but float16\[2\]"):
        narrow.set_input("x", numpy.ones(2, numpy.float16))


def test_options_that_cannot_be_meant(net, device):
    for timeout in (0, -1, float("nan")):
        with pytest.raises(slipway.Error, match="it must be more than 0") as caught:
            net.run(arrays(), timeout=timeout)
        assert caught.value.kind == "usage"
    for call in (net.run, net.compare, net.profile):
        for nonsense in (1, ["a"]):
            with pytest.raises(TypeError, match=rf"{call.__name__}\(\) got an unexpected keyword argument 'nonsense'"):
                call(arrays(), nonsense=nonsense)
    with pytest.raises(TypeError):
        net.run(arrays(), "cpu")
    with pytest.raises(TypeError, match="inputs is a dictionary"):
        net.run(None)
    with pytest.raises(ValueError, match="repeat is 0"):
        net.profile(arrays(), repeat=0)
    scenario = slipway.Scenario.load(SOURCE / "examples/hello/scenario.json")
    for wrong in ({"repeat": 0}, {"timeout": -1}, {"capture": ["yy"]}):
        with pytest.raises(slipway.Error):
            scenario.run(device, write_outputs=False, **wrong)
    assert scenario.run(device, write_outputs=False).all_met, "the device still works"


def test_devices():
    for info in slipway.devices():
        assert slipway.Device.open(info.index).info.uuid == slipway.Device.open(info.uuid).info.uuid == info.uuid
    cpu = slipway.Device.open("cpu").info
    assert (cpu.type, cpu.uuid, cpu.api_version) == ("Cpu", "", "")
    with pytest.raises(slipway.Error, match="nonesuch"):
        slipway.Device.open("nonesuch")


def test_wrong_inputs(net):
    with pytest.raises(ValueError, match=r"no input `c`; it has `a`, `b`"):
        net.run({"c": numpy.zeros(1)})
    with pytest.raises(ValueError, match=r"`a` takes float32\[2, 3\], but float64\[2, 3\] is given"):
        net.run({"a": numpy.zeros((2, 3)), "b": arrays()["b"]})
    with pytest.raises(ValueError, match="no array is given for input `b`"):
        net.run({"a": arrays()["a"]})


def test_inputs_by_position(net):
    a, b = arrays().values()
    for outputs in (net.run([a, b]), net.run((a, b)), dict(zip(("output_0", "output_1"), net(a, b))), dict(zip(("output_0", "output_1"), net(b=b, a=a)))):
        numpy.testing.assert_array_equal(outputs["output_0"], a + b)
    model = slipway.Model.parse(OPEN)
    x = numpy.arange(6, dtype=numpy.int32).reshape(3, 2)
    numpy.testing.assert_array_equal(model(x), 2 * x)
    numpy.testing.assert_array_equal(model.run(x, shapes={"x": [3, 2]})["output_0"], 2 * x)
    assert [each.wrong for each in net.compare([a, b])] == [0, 0]
    with pytest.raises(ValueError, match="1 arrays are given, but the model has 2 inputs: `a`, `b`"):
        net(a)
    with pytest.raises(TypeError, match="either by position or by name"):
        net(a, b=b)


def test_bytes_of_any_kind(net):
    for kind in (bytes, bytearray, memoryview, lambda text: numpy.frombuffer(text, numpy.uint8)):
        assert len(slipway.Model.parse(kind(NET)).inputs) == 2
        assert len(slipway.convert_bytes(kind(NET)).file) > 0
        assert slipway.KernelBinary.parse(kind((SOURCE / "examples/kernel_info/saxpy.ze_info").read_bytes())).kernels
    with pytest.raises(TypeError):
        slipway.Model.parse("text")


def test_objects_describe_themselves(net, device):
    import inspect
    assert repr(net) == "<Model (a: f32[2, 3], b: f32[2, 3]) -> (output_0: f32[2, 3], output_1: f32[2, 3])>"
    assert repr(net.prepare()) == repr(net).replace("<Model", "<PreparedModel")
    assert list(inspect.signature(slipway.Model.load).parameters) == ["file", "entry", "shapes", "dims", "data_dir", "cache", "progress"]
    assert inspect.signature(slipway.Model.load).parameters["cache"].default is True
    assert list(inspect.signature(slipway.Model.run).parameters)[:3] == ["self", "inputs", "device"]
    assert "strip" in inspect.signature(slipway.rpl.Program.compile).parameters
    assert list(inspect.signature(slipway.convert).parameters)[0] == "file"
    objects = (device, net, net.prepare(), slipway.convert_bytes(NET), slipway.Scenario.load(SOURCE / "examples/hello/scenario.json"),
               slipway.KernelBinary.load(SOURCE / "examples/kernel_info/saxpy.ze_info"),
               slipway.rpl.Program.load(SOURCE / "examples/triangle/triangle.rpl"))
    for each in objects:
        assert " object at " not in repr(each), type(each)


def test_no_devices_without_vulkan():
    lines = "import slipway; print(slipway.devices())"
    nothing = {**os.environ, "VK_DRIVER_FILES": "/nonexistent.json", "VK_ICD_FILENAMES": "/nonexistent.json"}
    assert subprocess.run([sys.executable, "-c", lines], env=nothing, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_program_may_end_with_an_open_device():
    lines = "import slipway; device = slipway.Device.open(); slipway.kept = device"
    for _ in range(5):
        assert subprocess.run([sys.executable, "-c", lines], check=False).returncode == 0


def test_errors_have_all_problems():
    for load in (slipway.Model.load, slipway.Scenario.load, slipway.KernelBinary.load, slipway.convert, slipway.rpl.Program.load):
        with pytest.raises(FileNotFoundError, match="missing.vgf") as caught:
            load("missing.vgf")
        assert isinstance(caught.value, slipway.Error) and caught.value.kind == "file-not-found"
    with pytest.raises(slipway.Error) as caught:
        slipway.Model.load("missing.vgf")
    assert caught.value.problems[0].severity == "error" and "missing.vgf" in str(caught.value)
    with pytest.raises(slipway.Error) as caught:
        slipway.Scenario.parse('{"commands": [{"nonsense": 1}], "resources": 3}')
    assert len(caught.value.problems) > 1


def test_scenario(device):
    scenario = slipway.Scenario.load(SOURCE / "examples/hello/scenario.json")
    report = scenario.run(device, capture=["y"], write_outputs=False)
    assert report.all_met and len(report.captured["y"]) == 32
    scenario.set_contents("x", numpy.full(8, 4, numpy.float32))
    report = scenario.run(device, capture=["y"], write_outputs=False)
    assert not report.all_met
    assert numpy.frombuffer(report.captured["y"], numpy.float32)[0] == 11


def test_captures_as_arrays(device):
    scenario = slipway.Scenario.parse("""{"commands": [], "resources": [
      {"buffer": {"uid": "b", "size": 8, "shader_access": "readwrite"}},
      {"tensor": {"uid": "t", "dims": [2, 3], "format": "VK_FORMAT_R32_SFLOAT", "shader_access": "readwrite"}},
      {"image": {"uid": "i", "dims": [1, 4, 2, 1], "format": "VK_FORMAT_R8G8B8A8_UNORM", "shader_access": "readonly"}}]}""")
    values = {"b": numpy.arange(8, dtype=numpy.uint8), "t": numpy.arange(6, dtype=numpy.float32).reshape(2, 3),
              "i": numpy.arange(32, dtype=numpy.uint8).reshape(2, 4, 4)}
    for name, value in values.items():
        scenario.set_contents(name, value)
    report = scenario.run(device, capture=list(values), write_outputs=False)
    assert repr(report) == "<RunReport 0 expectations, all met>"
    arrays = report.arrays
    del report
    for name, value in values.items():
        assert arrays[name].dtype == value.dtype
        numpy.testing.assert_array_equal(arrays[name], value)


def test_recipe(tmp_path):
    directory = SOURCE / "examples/saxpy_recipe"
    recipe = slipway.Recipe.load(str(directory / "recipe.json"), str(directory / "profile.json"), directory=directory)
    recipe.run()
    assert recipe.report and "<Recipe>" == repr(recipe)
    bound = slipway.Recipe.load(str(directory / "recipe.json"), directory=directory)
    x, y = numpy.arange(1024, dtype=numpy.float32), numpy.ones(1024, numpy.float32)
    for name, array in (("x", x), ("y", y)):
        bound.bind(name, array)
    bound.run()
    numpy.testing.assert_array_equal(numpy.frombuffer(bound.buffer("y"), numpy.float32), 2.5 * x + y)
    cpu = slipway.Device.open("cpu").info
    assert (cpu.type, cpu.uuid, cpu.api_version) == ("Cpu", "", "")
    with pytest.raises(slipway.Error, match="nonesuch"):
        bound.bind("nonesuch", x)
    with pytest.raises(FileNotFoundError):
        slipway.Recipe.load("missing.json")


def test_conversion(tmp_path):
    (tmp_path / "net.txt").write_bytes(NET)
    converted = slipway.convert(tmp_path / "net.txt")
    model = slipway.Model.parse(converted.file)
    outputs = model.run(dict(zip([tensor.name for tensor in model.inputs], arrays().values())))
    numpy.testing.assert_array_equal(list(outputs.values())[0], arrays()["a"] + arrays()["b"])
    with pytest.raises(slipway.Error, match="VGF file already"):
        slipway.convert_bytes(converted.file)
    assert slipway.convert_bytes(NET, "net.txt", shader_check="off").file == converted.file
    with pytest.raises(ValueError, match="shader_check"):
        slipway.convert_bytes(NET, "net.txt", shader_check="some")


def test_kernels():
    binary = slipway.KernelBinary.load(SOURCE / "examples/kernel_info/saxpy.ze_info")
    assert [kernel.name for kernel in binary.kernels] == ["saxpy"]
    assert sum(part.size for part in binary.layout("saxpy")) >= binary.kernels[0].argument_bytes
    assert binary.spills == {}
    page = binary._repr_html_()
    assert "<td>saxpy</td>" in page
    (picture,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', page)
    assert base64.b64decode(picture).decode() == binary.layout_svg("saxpy")
    assert "stateless global" in binary.layout_svg("saxpy")
    spilling = slipway.KernelBinary.load(SOURCE / "examples/kernel_info/saxpy_spilling.ze_info")
    assert spilling.spills == {"saxpy": spilling.kernels[0].spill_bytes} and spilling.spills["saxpy"] > 0
    with pytest.raises(slipway.Error):
        binary.layout("missing")


def test_occupancy_and_packing():
    binary = slipway.KernelBinary.load(SOURCE / "examples/kernel_info/saxpy.ze_info", product="dg2")
    found = binary.occupancy("saxpy", (64, 2, 1))
    assert (found.local_size, found.eus, found.threads_per_group, found.groups, found.limited_by) == ([64, 2, 1], 16, 8, 16, "threads")
    with pytest.raises(slipway.Error, match="at most 1024 items"):
        binary.occupancy("saxpy", (4096, 1, 1))
    assert binary.kernels[0].instructions is None
    packed = binary.pack("saxpy", [slipway.PointerArgument(0x1122), slipway.PointerArgument(0x3344), numpy.float32(2)],
                         groups=(4, 1, 1), local_size=(16, 1, 1))
    places = {part.argument: part.offset for part in binary.layout("saxpy") if part.argument >= 0}
    value = lambda argument, type: numpy.frombuffer(packed.bytes, type, 1, places[argument])[0]
    assert (value(0, numpy.uint64), value(1, numpy.uint64), value(2, numpy.float32)) == (0x1122, 0x3344, 2)
    assert len(binary.pack_local_ids("saxpy", (16, 1, 1))) > 0
    with pytest.raises(TypeError, match="numpy.int32"):
        binary.pack("saxpy", [1])
    with pytest.raises(TypeError, match="unexpected keyword argument 'scrach'"):
        binary.pack("saxpy", [], scrach=0)
    with pytest.raises(slipway.Error):
        binary.pack("saxpy", [])


def test_differences_of_kernels():
    path = SOURCE / "examples/kernel_info/saxpy.ze_info"
    before = slipway.KernelBinary.load(path)
    text = path.read_text()
    grf = re.search(r"grf_count: *(\d+)", text)
    after = slipway.KernelBinary.parse(text.replace(grf.group(0), "grf_count: 256").encode())
    assert before.diff(before) == []
    change = next(change for change in before.diff(after) if change.field == "grf")
    assert (change.kernel, change.before, change.after) == ("saxpy", int(grf.group(1)), 256)
    assert "<td>grf</td>" in before.diff(after)._repr_html_() and "grf" in str(before.diff(after))
    with pytest.raises(TypeError):
        before.diff(None)


def test_render_pipelines():
    program = slipway.rpl.Program.load([SOURCE / "examples/triangle/triangle.rpl"])
    pipeline = program.compile({"vertex": "vertex_main", "fragment": "fragment_main"})
    assert pipeline.modules[0][:4] == bytes([3, 2, 0x23, 7]) and pipeline.pipeline_hash in pipeline.metadata_json
    with pytest.raises(slipway.Error):
        program.compile({"vertex": "missing"})
    assert program.files == [SOURCE / "examples/triangle/triangle.rpl"] and not program.changed
    from slipway.rpl import compile as compile_files
    stages = {"vertex": "vertex_main", "fragment": "fragment_main"}
    assert compile_files(program.files, stages).modules == pipeline.modules
    assert len(compile_files(program.files, stages, strip=True).modules[0]) < len(pipeline.modules[0])
    assert len(compile_files(program.files, stages, split_stages=True).modules) == 2
    assert compile_files(program.files[0], stages).modules == compile_files(str(program.files[0]), stages).modules == pipeline.modules
    with pytest.raises(ValueError, match="needs entry points"):
        program.compile({})
    counted = slipway.rpl.Program.load(SOURCE / "examples/rpl_compute/scale.rpl")
    (module,) = counted.compile({"compute": "compute_main"}, {"group": 8}, compute=True).modules
    assert module == counted.compile({"compute": "compute_main"}, {"group": "8"}, compute=True).modules[0]
    assert module != counted.compile({"compute": "compute_main"}, compute=True).modules[0]
    with pytest.raises(slipway.Error, match="no option `x`"):
        compile_files(program.files, stages, {"x": "1"})


class Stages:
    """A progress callback that records its calls, and stops or raises at a stage."""

    def __init__(self, stop=None, error=None):
        self.calls, self.items, self.threads, self.stop, self.error = [], {}, set(), stop, error

    def __call__(self, stage, index, count, done, total):
        if total == 0:
            self.calls.append((stage, index, count))
        else:
            self.items.setdefault(stage, []).append((done, total))
        self.threads.add(threading.get_ident())
        if stage == self.stop:
            if self.error:
                raise self.error
            return False

    @property
    def names(self):
        return [stage for stage, _, _ in self.calls]


def test_progress_names_the_stages(net, tmp_path):
    loading, converting, preparing = Stages(), Stages(), Stages()
    slipway.Model.parse(NET, "net", progress=loading)
    assert loading.calls == [(stage, index, 5) for index, stage in enumerate(("read", "narrow", "simplify", "encode", "shaders"))]
    converted = slipway.convert_bytes(NET, "net", progress=converting)
    assert converting.names == ["read", "narrow", "simplify", "encode", "check"]
    net.run(arrays(), progress=preparing)
    net.run(arrays(), progress=preparing)
    assert preparing.names == ["plan", "check", "memory"], "the model is prepared once"
    assert loading.threads == converting.threads == preparing.threads == {threading.get_ident()}
    file = tmp_path / "net.vgf"
    file.write_bytes(converted.file)
    of_file = Stages()
    slipway.Model.load(file, progress=of_file)
    assert of_file.names == ["read", "shaders"]


MANY = b"graph net {\n  %0 = input f32[8, 9] \"x\"\n" + b"".join(
    b"  %%%d = %s(%%%d) f32[8, 9]\n" % (index, name, index - 1)
    for index, name in enumerate((b"EXP", b"TANH", b"ABS", b"SIGMOID", b"FLOOR", b"CEIL"), 1)) + b"  output %6\n}\n"


def test_progress_counts_kernels(device):
    model = slipway.Model.parse(MANY, "many", cache=False)
    on_device, on_cpu = Stages(), Stages()
    model.prepare(device, fuse=False, progress=on_device)
    model.prepare(fuse=False, progress=on_cpu)
    for stages, stage in ((on_device, "device"), (on_cpu, "plan")):
        items = stages.items.pop(stage)
        assert items[0] == (0, items[-1][1]) and items[-1][0] == items[-1][1] >= 6
        assert items == sorted(items)
        assert not stages.items, "no other stage has kernels"
        assert stages.threads == {threading.get_ident()}


def test_tuning_counts_rounds(device):
    model = slipway.Model.parse(b"""graph net {
  %0 = input f32[1, 24, 40] "x"
  %1 = input f32[1, 40, 32] "w"
  %2 = MATMUL(%0, %1) f32[1, 24, 32] A_zp=0 B_zp=0
  output %2
}
""", "product", cache=False)
    for where in (device, None):
        stages = Stages()
        tuned = model.tune(where, limit=0, progress=stages)
        assert stages.names == ["plan", "tune"]
        assert stages.items["tune"][0][0] == 0 and stages.items["tune"][-1][0] == stages.items["tune"][-1][1] >= 2
        (kernel,) = tuned.kernels
        assert kernel.candidates == 1 and kernel.estimated_milliseconds > 0 and not kernel.better
        assert tuned.after_milliseconds > 0 and kernel.name in tuned.table
        with pytest.raises(slipway.Error):
            model.tune(where, limit=0, progress=Stages("tune"))


def test_progress_stops_a_call(net):
    with pytest.raises(slipway.Error) as stopped:
        slipway.convert_bytes(NET, "net", progress=Stages("simplify"))
    assert stopped.value.problems[0].kind == "interrupted"
    with pytest.raises(slipway.Error):
        net.prepare(progress=Stages("memory"))
    # An exception of the callback, Ctrl-C too, is what the caller sees.
    for error in (ValueError("enough"), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            slipway.Model.parse(NET, "net", progress=Stages("narrow", error))
    with pytest.raises(TypeError):
        slipway.convert_bytes(NET, "net", progress=3)


def test_progress_callbacks_are_released(net):
    stages = Stages()
    before = sys.getrefcount(stages)
    for _ in range(100):
        slipway.convert_bytes(NET, "net", progress=stages)
        with pytest.raises(slipway.Error):
            slipway.convert_bytes(b"graph net {", "net", progress=stages)
    gc.collect()
    assert sys.getrefcount(stages) == before


def test_progress_callbacks_of_threads():
    """Each is called by the thread of its call, which may wait for another thread."""
    reached = threading.Barrier(4)
    stages = [Stages() for _ in range(4)]

    def work(own):
        def progress(*call):
            if call[0] == "simplify":
                reached.wait(60)  # all four calls are at this stage
            own(*call)

        slipway.convert_bytes(NET, "net", progress=progress)

    threads = [threading.Thread(target=work, args=(own,)) for own in stages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert all(own.names == ["read", "narrow", "simplify", "encode", "check"] for own in stages)
    assert len({thread for own in stages for thread in own.threads}) == 4


def test_other_threads_run_while_a_call_works():
    """A run of the interpreter of TOSA, which takes long, releases the interpreter's lock."""
    count = 20
    lines = [f"%{i + 1} = TANH(%{i}) f32[500000]" for i in range(count)]
    graph = "\n".join(["graph net {", '%0 = input f32[500000] "x"', *lines, f"output %{count}", "}"])
    prepared = slipway.Model.parse(graph.encode(), "net").prepare(reference=True)
    done = threading.Event()
    steps = 0

    def other():
        nonlocal steps
        while not done.is_set():
            steps += 1
            done.wait(0.001)

    thread = threading.Thread(target=other)
    thread.start()
    before = steps
    prepared.run()
    after = steps
    done.set()
    thread.join(60)
    # A lock that is held for the whole run allows a switch before it and one after it.
    assert after - before > 2


def test_threads_have_models_of_their_own():
    results = {}

    def work(number):
        model = slipway.Model.parse(NET)
        given = {"a": arrays()["a"] * number, "b": arrays()["b"]}
        results[number] = all((model.run(given)["output_0"] == given["a"] + 1).all() for _ in range(50))

    threads = [threading.Thread(target=work, args=(number,)) for number in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {1: True, 2: True, 3: True}


def test_nothing_leaks(net):
    def resident():
        gc.collect()
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1])

    def work(times):
        for _ in range(times):
            slipway.Model.parse(NET).run(arrays())
            with pytest.raises(slipway.Error):
                slipway.Model.parse(b"graph net {")

    work(20)
    before = resident()
    work(100)
    assert resident() - before < 1000, "pages"


def test_the_page_is_right(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (SOURCE / "docs/python.md").read_text(), re.M | re.S)
    assert len(blocks) >= 7
    (tmp_path / "examples").symlink_to(SOURCE / "examples")
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)


def test_onnx_models_take_the_shapes_of_arrays():
    file = SOURCE / "examples/onnx_strokes/strokes.onnx"
    model = slipway.Model(file)
    assert model.is_late and model.inputs[0].shape == (-1, 1, 8, 8)
    wanted = numpy.load(SOURCE / "examples/onnx_strokes/expected.npz")
    images = numpy.load(SOURCE / "examples/onnx_strokes/inputs.npz")["image"]
    for count in (len(images), 1, 2):
        probabilities, direction = model(images[:count])
        numpy.testing.assert_allclose(probabilities, wanted["probabilities"][:count], atol=1e-6)
        numpy.testing.assert_array_equal(direction, wanted["direction"][:count])
        assert direction.dtype == numpy.int64
    assert model.run({"image": images})["direction"].shape == (len(images),)
    with pytest.raises(slipway.Error, match="dimension 1 of input `image` is 1 in the model and 3 here"):
        model(numpy.zeros((1, 3, 8, 8), numpy.float32))
    with pytest.raises(slipway.Error, match="the model has no dimension `batsh`; did you mean `batch`[?]"):
        slipway.Model(file, dims={"batsh": 2})
    fixed = slipway.Model(file, dims={"batch": 2})
    assert not fixed.is_late and fixed.inputs[0].shape == (2, 1, 8, 8)
    assert [each.shape for each in model.prepare().inputs] == [(1, 1, 8, 8)]


def test_weights_in_another_directory(tmp_path):
    onnx = pytest.importorskip("onnx")
    net = onnx.load(SOURCE / "examples/onnx_strokes/strokes.onnx")
    (tmp_path / "data").mkdir()
    onnx.save_model(net, str(tmp_path / "data/net.onnx"), save_as_external_data=True, location="w.bin", size_threshold=0)
    file = (tmp_path / "data/net.onnx").read_bytes()
    (tmp_path / "net.onnx").write_bytes(file)
    with pytest.raises(slipway.Error, match="`w.bin`, which cannot be opened"):
        slipway.Model(tmp_path / "net.onnx")
    images = numpy.load(SOURCE / "examples/onnx_strokes/inputs.npz")["image"]
    wanted = numpy.load(SOURCE / "examples/onnx_strokes/expected.npz")["direction"]
    for model in (slipway.Model(tmp_path / "net.onnx", data_dir=tmp_path / "data"), slipway.Model(tmp_path / "data/net.onnx"),
                  slipway.Model.parse(file, data_dir=str(tmp_path / "data"))):
        numpy.testing.assert_array_equal(model(images)[1], wanted)


def onnx_model(nodes, inputs, outputs, version=20):
    from onnx import helper
    graph = helper.make_graph(nodes, "net", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=10)


def test_elements_that_decide_shapes_are_bound():
    onnx = pytest.importorskip("onnx")
    from onnx import helper
    value = helper.make_tensor_value_info
    made = onnx_model([helper.make_node("Reshape", ["x", "shape"], ["y"]), helper.make_node("Add", ["y", "offset"], ["z"])],
                      [value("x", onnx.TensorProto.FLOAT, [6]), value("shape", onnx.TensorProto.INT64, [2]),
                       value("offset", onnx.TensorProto.FLOAT, [1])],
                      [value("z", onnx.TensorProto.FLOAT, None)])
    model = slipway.Model.parse(made.SerializeToString(), "reshape.onnx")
    assert model.is_late
    x = numpy.arange(6, dtype=numpy.float32)
    for shape in ([2, 3], [3, 2], [6, 1], [2, 3]):
        for offset in (1, 5):
            z = model(x, numpy.array(shape), numpy.array([offset], numpy.float32))
            numpy.testing.assert_array_equal(z, x.reshape(shape) + offset)
    prepared = model.prepare(values={"shape": numpy.array([3, 2]).tobytes(), "offset": numpy.ones(1, numpy.float32).tobytes()})
    assert prepared.bound_inputs == ["shape"] and prepared.outputs[0].shape == (3, 2)
    with pytest.raises(slipway.Error, match="1 of 2 nodes cannot be converted"):
        model.prepare()


def test_onnx_backend():
    onnx = pytest.importorskip("onnx")
    import slipway.onnx_backend as backend
    from onnx import helper

    net = onnx.load(SOURCE / "examples/onnx_strokes/strokes.onnx")
    outputs = backend.prepare(net).run([numpy.zeros((1, 1, 8, 8), numpy.float32)])
    assert outputs.probabilities.shape == (1, 4) and outputs[1].dtype == numpy.int64
    assert backend.supports_device("CPU") and backend.is_compatible(net)
    x = numpy.array([[-1, 2], [3, -4]], numpy.float32)
    numpy.testing.assert_array_equal(backend.run_node(helper.make_node("Relu", ["x"], ["y"]), [x])[0], numpy.maximum(x, 0))
    unknown = onnx_model([helper.make_node("RandomNormalLike", ["x"], ["y"])],
                         [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2])],
                         [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [2])])
    assert not backend.is_compatible(unknown)

    from onnx.backend.test.case.node import collect_testcases

    def array_of(value):
        return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else numpy.asarray(value)

    names = {"test_add", "test_add_bcast", "test_argmax_keepdims_example", "test_basic_conv_with_padding", "test_cast_FLOAT_to_FLOAT16",
             "test_gather_0", "test_matmul_3d", "test_reshape_reordered_all_dims", "test_resize_upsample_scales_nearest",
             "test_softmax_axis_1", "test_split_equal_parts_1d_opset18", "test_slice", "test_top_k", "test_where_example"}
    ran = set()
    for case in collect_testcases(None):
        if case.name not in names:
            continue
        ran.add(case.name)
        for given, wanted in case.data_sets:
            results = backend.run_model(case.model, [array_of(value) for value in given])
            assert len(results) == len(wanted), case.name
            for result, array in zip(results, map(array_of, wanted)):
                assert result.dtype == array.dtype and result.shape == array.shape, case.name
                numpy.testing.assert_allclose(result, array, rtol=1e-3, atol=1e-7, err_msg=case.name)
    assert ran == names


def test_program_and_plugin(tmp_path):
    version = subprocess.run([sys.executable, "-m", "slipway", "--version"], capture_output=True, text=True, check=True)
    assert slipway.__version__ in version.stdout
    (tmp_path / "good.scenario.json").write_text((SOURCE / "examples/hello/scenario.json").read_text())
    for file in (SOURCE / "examples/hello").iterdir():
        if file.name != "scenario.json" and file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "bad.scenario.json").write_text("{")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/scenario.json").write_text((SOURCE / "examples/hello/scenario.json").read_text())
    (tmp_path / "other/saxpy.comp").write_bytes((tmp_path / "saxpy.comp").read_bytes())

    def run_pytest(*options):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path), *options]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    assert "1 failed, 1 passed" in run_pytest()
    assert "1 failed, 2 passed" in run_pytest("--slipway-scenarios")
    everything = run_pytest("--slipway-scenarios", "--slipway-device", "nonesuch")
    assert "3 failed" in everything and "no device has the name or UUID `nonesuch`" in everything


@pytest.mark.parametrize("name, option, shown", [("slipway", "--version", "slipway "), ("scenario-runner", "--version", "version"),
                                                 ("vgf_dump", "--help", "vgf_dump"), ("vgf_updater", "--help", "vgf_updater"),
                                                 ("model-converter", "--version", '"version"')])
def test_programs_of_the_package(name, option, shown):
    done = subprocess.run([pathlib.Path(sys.executable).parent / name, option], capture_output=True, text=True, check=True)
    assert shown in done.stdout, done.stdout


def test_examples(tmp_path):
    def run(script, *arguments):
        command = [sys.executable, SOURCE / "examples" / script, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    subprocess.run([slipway.program(), "convert", SOURCE / "examples/mixed_model/model.graph", "--emit", "tosa", "-o", tmp_path / "net.tosa"],
                   check=True, stdout=subprocess.DEVNULL)
    done = run("executorch/flow.py", tmp_path / "net.tosa", tmp_path / "net.vgf", "0")
    assert done.returncode == 0 and "float32[4, 8]" in done.stdout and "ok (32 elements" in done.stdout, done
    done = run("executorch/flow.py", tmp_path / "net.tosa", tmp_path / "net.vgf")
    assert done.returncode == 3 and "the step `model/compute_segment_0` is a shader" in done.stderr, "a model with a shader needs a device"

    done = run("kernel_info/spills.py", SOURCE / "examples/kernel_info")
    heading, *rows = done.stdout.splitlines()
    spilling = slipway.KernelBinary.load(SOURCE / "examples/kernel_info/saxpy_spilling.ze_info").spills
    assert heading.split() == ["file", "kernel", "simd", "registers", "spill_bytes"]
    assert [(row.split()[0], row.split()[-1]) for row in rows] == [("saxpy_spilling.ze_info", str(spilling["saxpy"]))]
    assert done.returncode == 1 and "github.yml" in done.stderr


def test_the_process_is_left_alone(net, device):
    """No call changes handlers of signals, the locale, the directory, the mask of new files or the environment."""
    def state():
        status = dict(line.split(":", 1) for line in pathlib.Path("/proc/self/status").read_text().splitlines())
        return ([status[name] for name in ("SigBlk", "SigIgn", "SigCgt", "Umask")], locale.setlocale(locale.LC_ALL), os.getcwd(), dict(os.environ))

    before = state()
    slipway.Scenario.load(SOURCE / "examples/hello/scenario.json", cache=False).run(device, write_outputs=False)
    net.run(arrays())
    net.run(arrays(), device)
    slipway.convert_bytes(NET, "net")
    slipway.rpl.Program.load([SOURCE / "examples/triangle/triangle.rpl"]).compile({"vertex": "vertex_main"}, optimize=True)
    slipway.KernelBinary.load(SOURCE / "examples/kernel_info/saxpy.ze_info").check()
    for wrong in (slipway.Model.load, slipway.Scenario.load, slipway.KernelBinary.load, slipway.convert):
        with pytest.raises(slipway.Error):
            wrong("missing")
    assert state() == before


def stub_names(name):
    """The classes and functions of a type stub, with the members of the classes."""
    tree = ast.parse((pathlib.Path(slipway.__file__).parent / "_slipway" / name).read_text())
    return {node.name: {member.name for member in getattr(node, "body", []) if isinstance(member, ast.FunctionDef)}
            for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}


@pytest.mark.parametrize("module, stub", [(slipway._slipway, "__init__.pyi"), (slipway._slipway.rpl, "rpl.pyi")])
def test_type_stubs_are_complete(module, stub):
    described = stub_names(stub)
    for name, value in vars(module).items():
        if name.startswith("_") or name == "rpl":
            continue
        assert name in described
        if isinstance(value, type):
            assert {member for member in vars(value) if not member.startswith("_")} <= described[name]


def test_everything_has_a_docstring():
    for module in (slipway, slipway._slipway, slipway.rpl):
        for name, value in vars(module).items():
            if name.startswith("_") or not callable(value):
                continue
            assert value.__doc__, name
            for member, of_class in vars(value).items() if isinstance(value, type) else ():
                if not member.startswith("_"):
                    lines = (of_class.__doc__ or "").splitlines()
                    assert any(line and not re.match(r"\w*\(.*\) ->", line) for line in lines), f"{name}.{member} has no docstring"


def test_stubs_of_methods_in_python():
    """Their callbacks have the arguments of the others, and their options are those of `prepare`."""
    tree = ast.parse((pathlib.Path(slipway.__file__).parent / "_slipway/__init__.pyi").read_text())
    (model,) = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Model"]
    methods = {node.name: node for node in model.body if isinstance(node, ast.FunctionDef)}
    options = {name: {each.arg for each in methods[name].args.kwonlyargs} for name in ("prepare", "run", "compare", "profile")}
    assert options["prepare"] - {"times", "compare", "values"} == options["run"] - {"copy"}, "`run` has the values of its arrays"
    assert options["compare"] < options["run"] and options["profile"] - {"repeat"} < options["run"]
    for name in ("run", "compare", "profile"):
        (callback,) = re.findall(r"Callable\[\[(.*?)\]", ast.unparse(methods[name]))
        assert callback == "str, int, int, int, int"

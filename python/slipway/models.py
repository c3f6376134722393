# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with dictionaries of arrays: methods that `Model` and `PreparedModel` have in Python."""
import collections.abc
import weakref

import numpy

from .table import Table

# By model: what a call of `run` needs again.
_prepared = weakref.WeakKeyDictionary()


# Inputs that decide shapes have at most so many elements.
_MAX_BOUND = 1024


class _PreparedModels:
    """The prepared models of a model, and the names of its tensors: each question to the extension module makes new objects."""

    def __init__(self, model):
        self.is_late = model.is_late
        self.open_inputs = [tensor.name for tensor in model.inputs if -1 in tensor.shape]
        self.bound = ()  # inputs whose elements decide shapes
        self.by_options = {}

    def get(self, model, device, arrays, shapes, progress, options):
        # An open dimension has the extent of the array that is given.
        of_arrays = arrays if self.is_late else self.open_inputs
        shapes = {name: list(arrays[name].shape) for name in of_arrays if name in arrays} | dict(shapes or {})
        key = (id(device), *((name, *shape) for name, shape in shapes.items()), *sorted(options.items()))
        kept = self.by_options.get((key, self._values(arrays)))
        if kept is None:
            values = {name: array.tobytes() for name, array in arrays.items() if self.is_late and array.size <= _MAX_BOUND}
            prepared = model.prepare(device, shapes=shapes, progress=progress, values=values, **options)
            self.bound = tuple(sorted({*self.bound, *prepared.bound_inputs}))
            # The device stays, so that no other one has its id.
            names = {tensor.name: index for index, tensor in enumerate(prepared.inputs)}
            kept = (prepared, names, [tensor.name for tensor in prepared.outputs], device)
            self.by_options[key, self._values(arrays)] = kept
        return kept

    def _values(self, arrays):
        return tuple(arrays[name].tobytes() for name in self.bound if name in arrays)


def _prepared_for(model, device, arrays, shapes, progress, **options):
    """A prepared model with the names of its inputs and outputs, and its device."""
    models = _prepared.get(model)
    if models is None:
        models = _prepared[model] = _PreparedModels(model)
    return models.get(model, device, arrays, shapes, progress, options)


def _array(value):
    if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
        return numpy.from_dlpack(value)
    return numpy.asarray(value)


def _arrays_of(model, inputs):
    if isinstance(inputs, collections.abc.Mapping):
        return {name: _array(value) for name, value in inputs.items()}
    if not isinstance(inputs, (list, tuple)):
        if not hasattr(inputs, "__array__") and not hasattr(inputs, "__dlpack__"):
            raise TypeError("inputs is a dictionary with an array for each input, by its name, or a list of arrays in the order of the "
                            f"inputs, not {type(inputs).__name__}")
        inputs = [inputs]
    names = [tensor.name for tensor in model.inputs]
    if len(inputs) != len(names):
        raise ValueError(f"{len(inputs)} arrays are given, but the model has {len(names)} inputs: {', '.join(f'`{name}`' for name in names)}")
    return {name: _array(value) for name, value in zip(names, inputs)}


def _fill(prepared, names, arrays):
    if not arrays.keys() <= names.keys():
        unknown = next(name for name in arrays if name not in names)
        raise ValueError(f"the model has no input `{unknown}`; it has {', '.join(f'`{each}`' for each in names)}")
    for name, index in names.items():
        array = arrays.get(name)
        if array is None:
            raise ValueError(f"no array is given for input `{name}`")
        memory = prepared.input(index)
        if array.shape != memory.shape or array.dtype != memory.dtype:
            raise ValueError(f"input `{name}` takes {memory.dtype}{list(memory.shape)}, but {array.dtype}{list(array.shape)} is given")
        memory[...] = array


def _run(self, inputs, device=None, *, copy=True, shapes=None, reference=False, fuse=True, threads=0, timeout=None, progress=None):
    """Runs the model and returns its outputs as a dictionary of arrays.

    `inputs` has an array for each input, by name (a dictionary) or by position (a list, or the only array), with its shape and element type; types that numpy does not have (bfloat16 and floats of
    8 bits) are unsigned integers of the same size. Arrays of other libraries are taken through DLPack. `device`: a `Device`; the CPU without one. The model is prepared at the first
    call, and again when device, open dimensions, elements that decide shapes, or the other options (those of `prepare`) change; `progress` is called then. With `copy=False` the outputs are
    memory that the next run overwrites.
    """
    arrays = _arrays_of(self, inputs)
    prepared, names, outputs, _ = _prepared_for(self, device, arrays, shapes, progress, reference=reference, fuse=fuse, threads=threads,
                                                timeout=timeout)
    _fill(prepared, names, arrays)
    prepared.run()
    if not copy:
        return {name: prepared.output(index) for index, name in enumerate(outputs)}
    return {name: prepared.output(index).copy() for index, name in enumerate(outputs)}


def _call(self, *inputs, device=None, **named):
    """Runs the model with arrays by position, or with arrays by name: `model(image)`, `model(image=image)`.

    Returns the array of the only output, or a tuple of those of all outputs in their order.
    """
    if inputs and named:
        raise TypeError("arrays are given either by position or by name")
    outputs = tuple(self.run(named or list(inputs), device).values())
    return outputs[0] if len(outputs) == 1 else outputs


def _compare(self, inputs, device=None, *, shapes=None, fuse=True, threads=0, timeout=None, progress=None):
    """Runs the model and compares its outputs with the reference interpreter.

    Returns a list of `OutputComparison`, which is a table as a text and in notebooks. Inputs and options are those of `run`.
    """
    arrays = _arrays_of(self, inputs)
    prepared, names, *_ = _prepared_for(self, device, arrays, shapes, progress, fuse=fuse, threads=threads, timeout=timeout, compare=True)
    _fill(prepared, names, arrays)
    prepared.run()
    return Table(prepared.compare_with_reference(), ("name", "elements", "wrong", "max_difference", "text", "compared"))


def _profile(self, inputs, device=None, *, repeat=10, shapes=None, reference=False, fuse=True, threads=0, timeout=None, progress=None):
    """Runs the model `repeat` times and returns the times of its kernels, medians of all runs with the same options.

    They are a list of `StepTime`, which is a table as a text and in notebooks. Inputs and options are those of `run`.
    """
    if repeat < 1:
        raise ValueError(f"repeat is {repeat}; it must be at least 1")
    arrays = _arrays_of(self, inputs)
    prepared, names, *_ = _prepared_for(self, device, arrays, shapes, progress, reference=reference, fuse=fuse, threads=threads,
                                        timeout=timeout, times=True)
    _fill(prepared, names, arrays)
    for _ in range(repeat):
        prepared.run()
    return Table(prepared.times(), ("segment", "name", "milliseconds", "bytes", "operations"))


def extend(module):
    """Adds the methods to the classes of the extension module."""
    for function, name in ((_run, "run"), (_call, "__call__"), (_compare, "compare"), (_profile, "profile")):
        function.__name__ = name
        function.__qualname__ = f"Model.{name}"
        setattr(module.Model, name, function)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with dictionaries of arrays: methods that `Model` and `PreparedModel` have in Python."""
import weakref

import numpy

# By model: its prepared models, by device and options, so that `run` may be called again and again.
_prepared = weakref.WeakKeyDictionary()


def _prepared_for(model, device, arrays, progress=None, **options):
    # An open dimension has the extent of the array that is given.
    shapes = {tensor.name: list(arrays[tensor.name].shape) for tensor in model.inputs if -1 in tensor.shape and tensor.name in arrays}
    key = (id(device), tuple(sorted((name, tuple(shape)) for name, shape in shapes.items())), tuple(sorted(options.items())))
    kept = _prepared.setdefault(model, {})
    if key not in kept:
        kept[key] = (device, model.prepare(device, shapes=shapes, progress=progress, **options))
    return kept[key][1]


def _fill(prepared, arrays):
    known = {tensor.name: index for index, tensor in enumerate(prepared.inputs)}
    for name, array in arrays.items():
        if name not in known:
            raise ValueError(f"the model has no input `{name}`; it has {', '.join(f'`{each}`' for each in known)}")
        memory = prepared.input(known[name])
        array = numpy.asarray(array)
        if array.shape != memory.shape or array.dtype != memory.dtype:
            raise ValueError(f"input `{name}` takes {memory.dtype}{list(memory.shape)}, but {array.dtype}{list(array.shape)} is given")
        numpy.copyto(memory, array)
    missing = [name for name in known if name not in arrays]
    if missing:
        raise ValueError(f"no array is given for input `{missing[0]}`")


def _run(self, inputs, device=None, *, copy=True, **options):
    """Runs the model and returns its outputs as a dictionary of arrays.

    `inputs` has an array for each input, with its shape and element type; types that numpy does not have (bfloat16 and floats of
    8 bits) are unsigned integers of the same size. `device`: a `Device`; the CPU without one. The model is prepared at the first
    call, and again when device, open dimensions or options (those of `prepare`) change; `progress` is called then. With `copy=False` the outputs are
    memory that the next run overwrites.
    """
    arrays = {name: numpy.asarray(array) for name, array in inputs.items()}
    prepared = _prepared_for(self, device, arrays, **options)
    _fill(prepared, arrays)
    prepared.run()
    outputs = ((tensor.name, prepared.output(index)) for index, tensor in enumerate(prepared.outputs))
    return {name: array.copy() if copy else array for name, array in outputs}


def _compare(self, inputs, device=None, **options):
    """Runs the model and compares its outputs with the reference interpreter. Returns a list of `OutputComparison`."""
    arrays = {name: numpy.asarray(array) for name, array in inputs.items()}
    prepared = _prepared_for(self, device, arrays, compare=True, **options)
    _fill(prepared, arrays)
    prepared.run()
    return prepared.compare_with_reference()


def _profile(self, inputs, device=None, *, repeat=10, **options):
    """Runs the model `repeat` times and returns the times of its kernels as a list of `StepTime`."""
    arrays = {name: numpy.asarray(array) for name, array in inputs.items()}
    prepared = _prepared_for(self, device, arrays, times=True, **options)
    _fill(prepared, arrays)
    for _ in range(repeat):
        prepared.run()
    return prepared.times()


def extend(module):
    """Adds the methods to the classes of the extension module."""
    module.Model.run = _run
    module.Model.compare = _compare
    module.Model.profile = _profile

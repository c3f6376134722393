# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler of the Render Pipeline Language.

    pipeline = slipway.rpl.compile("tint.rpl", {"vertex": "vertex_main", "fragment": "fragment_main"}, {"skinned": True})
    create_shader_module(pipeline.modules[0])

A `Program` keeps its parsed sources and pipelines: compile many variants with it.
"""
import os
import typing

from ._slipway.rpl import Pipeline, Program

__all__ = ["Pipeline", "Program", "compile"]

_load, _compile = Program.load, Program.compile


def load(files: str | os.PathLike | typing.Iterable[str | os.PathLike]) -> Program:
    """Reads a file, or several, each of which is a module of its own."""
    return _load([files] if isinstance(files, (str, os.PathLike)) else list(files))


def _text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def _compile_program(self, entry_points: typing.Mapping[str, str], options: typing.Mapping[str, object] | None = None, *,
                     compute: bool = False, target: str = "vulkan1.3", split_stages: bool = False, strict: bool = False,
                     optimize: bool = False, strip: bool = False, debug_lines: bool = False) -> Pipeline:
    """Compiles a pipeline.

    `entry_points` are functions by their stage: {"vertex": "main_vertex"}. `options` are texts as on the command line, numbers or
    booleans: {"skinned": True, "lights": 8}. `split_stages`: a module for each stage; `strict`: warnings are errors; `optimize`: by
    SPIRV-Tools; `strip`: no names; `debug_lines`: source lines in the SPIR-V.
    """
    if not entry_points:
        raise ValueError("a pipeline needs entry points: a function for each of its stages")
    return _compile(self, dict(entry_points), {name: _text(value) for name, value in (options or {}).items()}, compute=compute,
                    target=target, split_stages=split_stages, strict=strict, optimize=optimize, strip=strip, debug_lines=debug_lines)


_compile_program.__name__, _compile_program.__qualname__ = "compile", "Program.compile"
Program.load = staticmethod(load)
Program.compile = _compile_program


def compile(files: str | os.PathLike | typing.Iterable[str | os.PathLike], entry_points: typing.Mapping[str, str],
            options: typing.Mapping[str, object] | None = None, **settings) -> Pipeline:
    """Compiles one pipeline of a file, or of several. The other arguments are those of `Program.compile`."""
    return load(files).compile(entry_points, options, **settings)

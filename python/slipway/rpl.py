# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler of the Render Pipeline Language.

    pipeline = slipway.rpl.compile(["tint.rpl"], {"vertex": "vertex_main", "fragment": "fragment_main"})
    create_shader_module(pipeline.modules[0])

A `Program` keeps its parsed sources and pipelines: compile many variants with it.
"""
import os
import typing

from ._slipway.rpl import Pipeline, Program

__all__ = ["Pipeline", "Program", "compile"]


def compile(files: typing.Iterable[str | os.PathLike], entry_points: typing.Mapping[str, str],
            options: typing.Mapping[str, str] | None = None, **settings) -> Pipeline:
    """Compiles one pipeline of files. The other arguments are those of `Program.compile`."""
    return Program.load(list(files)).compile(entry_points, options or {}, **settings)

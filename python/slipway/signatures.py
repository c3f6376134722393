# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives the functions of the extension module signatures that `inspect` and editors read."""
import ast
import functools
import inspect


def _signature(function):
    """That of the text with which the extension module describes its only overload; None for several, and for what Python cannot parse."""
    overloads = getattr(function, "__nb_signature__", ())
    if len(overloads) != 1:
        return None
    text, _, defaults = overloads[0]
    try:
        tree = ast.parse(text.replace("\\", "default_") + ": ...").body[0]
    except SyntaxError:  # annotations of arrays are not expressions of Python
        return None
    arguments = tree.args
    values = list(defaults or ())

    def default(node):
        if isinstance(node, ast.Name) and node.id.startswith("default_"):
            return values[int(node.id.removeprefix("default_"))]
        return ast.literal_eval(node)

    def parameter(argument, kind, node):
        annotation = ast.unparse(argument.annotation) if argument.annotation else inspect.Parameter.empty
        return inspect.Parameter(argument.arg, kind, default=default(node) if node else inspect.Parameter.empty, annotation=annotation)

    positional = arguments.posonlyargs + arguments.args
    nodes = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    parameters = [parameter(argument, inspect.Parameter.POSITIONAL_OR_KEYWORD, node) for argument, node in zip(positional, nodes)]
    parameters += [parameter(argument, inspect.Parameter.KEYWORD_ONLY, node)
                   for argument, node in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return inspect.Signature(parameters, return_annotation=ast.unparse(tree.returns) if tree.returns else inspect.Signature.empty)


def _with_signature(function, signature):
    @functools.wraps(function)
    def call(*arguments, **named):
        return function(*arguments, **named)

    call.__signature__ = signature
    return call


def extend(owner):
    """Of the functions of a module and of those of its classes that a program calls rarely: static functions and methods with options."""
    for name, function in list(vars(owner).items()):
        if isinstance(function, type):
            extend(function)
            continue
        static = isinstance(function, staticmethod)
        inner = function.__func__ if static else function
        if name.startswith("_") or not hasattr(inner, "__nb_signature__"):
            continue
        signature = _signature(inner)
        if signature is None or len(signature.parameters) < 2 and not static and isinstance(owner, type):
            continue
        wrapped = _with_signature(inner, signature)
        is_static = static or isinstance(owner, type) and "self" not in signature.parameters
        setattr(owner, name, staticmethod(wrapped) if is_static else wrapped)

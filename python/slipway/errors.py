# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exception of the package."""


class Error(RuntimeError):
    """All problems of a call that failed. `str(error)` is what the program prints."""

    def __init__(self, problems):
        super().__init__("".join(problem.text for problem in problems).rstrip())
        self.problems = problems

    @property
    def kind(self):
        """The kind of the first error, such as `unknown-key`."""
        return next((problem.kind for problem in self.problems if problem.severity == "error"), "")


class MissingFileError(Error, FileNotFoundError):
    """A call that failed because a file does not exist."""

    def __str__(self):
        return Error.__str__(self)


def error_of(problems):
    """The exception for problems: the extension module raises it."""
    error = Error(problems)
    return MissingFileError(problems) if error.kind == "file-not-found" else error

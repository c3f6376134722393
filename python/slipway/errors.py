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

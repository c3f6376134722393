# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `Recipe` has in Python beyond the C++ class."""
import json


def extend(module):
    """Adds it to the class of the extension module."""
    module.Recipe.report = property(lambda self: json.loads(self.report_json), doc="Runs and times, as a dictionary.")

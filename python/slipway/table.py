# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists of results as tables."""
import html


def html_table(headings, rows):
    """A table in HTML; cells are texts or numbers."""
    def cells(row, tag):
        return "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in row)
    return (f"<table><thead><tr>{cells(headings, 'th')}</tr></thead><tbody>"
            + "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows) + "</tbody></table>")


class Table(list):
    """A list of objects. As a text and in notebooks it is a table with a column for each of their attributes in `columns`."""

    def __init__(self, objects, columns):
        super().__init__(objects)
        self.columns = columns

    def rows(self):
        """The values of the columns, for each object."""
        return [tuple(getattr(each, column) for column in self.columns) for each in self]

    def __str__(self):
        texts = [self.columns] + [tuple(f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value) for value in row)
                                  for row in self.rows()]
        widths = [max(map(len, column)) for column in zip(*texts)]
        return "\n".join("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in texts)

    def _repr_html_(self):
        return html_table(self.columns, [["" if value is None else value for value in row] for row in self.rows()])

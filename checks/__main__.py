"""`python -m tflint.checks [--check]`: writes the rules' pages to `checks/README.md`, or says that they are stale."""

from __future__ import annotations

import sys
from pathlib import Path

from . import TABLE, every, page

PAGES = Path(__file__).parent / "README.md"

INTRODUCTION = """\
# Rules

Made from the docstrings of the modules in this folder by `python -m tflint.checks`; edit those. `tflint explain RULE`
prints one page.

A rule is one module: its page, `RULE`, and `check(case)`, a generator of findings. Adding one takes the module, its
test in `tests/checks/`, and its line in `TABLE` of `__init__.py`; then run the command above.

What was reported in public, and which rule finds it: [reported.md](reported.md).

"""


def text() -> str:
    from ..reports.rule_list import markdown

    parts = [INTRODUCTION, markdown([entry.rule for entry in every()])]
    for rule in TABLE:
        body = page(rule).replace("\n## ", "\n### ")
        parts.append(f"\n## {rule}\n\n{body}")
    return "".join(parts)


def main() -> int:
    made = text()
    if sys.argv[1:] == ["--check"]:
        if not PAGES.exists() or PAGES.read_text(encoding="utf-8") != made:
            print(f"{PAGES} is stale: run `python -m tflint.checks`", file=sys.stderr)
            return 1
        return 0
    PAGES.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

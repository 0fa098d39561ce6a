"""Every format: a whole report as a snapshot, its escapes, its schema, its parsers."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner
from inline_snapshot import snapshot
from junitparser import Failure, JUnitXml
from reporting import hostile, shown

import tflint
from tflint.commands import tflint as command
from tflint.reports import FORMATS

ROOT = Path(tflint.__file__).parent
SCHEMA = json.loads((ROOT / "reports" / "schema.json").read_text(encoding="utf-8"))
DEMOS = sorted((ROOT / "fixtures" / "models").glob("*.tflite"))


def test_text(tmp_path: Path) -> None:
    assert shown(tmp_path, "text", "--select", "relu-0-to-1,cumsum-mode") == snapshot("""\
FOLDER/model.tflite
  Do not ship on LiteRT 2.1.4 with webgpu; 2.1.6: the GPU refuses 1 of 3 operators (2.1.6); numbers come back wrong: cumsum-mode (webgpu). Check on 2.1.4 with opencl, metal: numbers may be wrong: cumsum-mode.

  2.1.4  every operator on the GPU
  2.1.6  partly on the GPU, so a GPU-only CompiledModel is not created
         2 operations will run on the GPU, and the remaining 1 operations will run on the CPU.
         #x#
         # GPU, x refused

  upgrade 2.1.4 -> 2.1.6, 3 -> 2 operators on the GPU
    breaks 0/1 RELU_0_TO_1: refused: Not supported op RELU_0_TO_1

  error[relu-0-to-1]: the GPU refuses RELU_0_TO_1: Not supported op RELU_0_TO_1
   --> 0/1 RELU_0_TO_1 (a)
   = on: 2.1.6
   = help: write it as MINIMUM(RELU(x), 1), `torch.clamp(torch.relu(x), max=1.0)`: exact, and accepted on every release

  error[cumsum-mode]: exclusive of CUMSUM is ignored
   --> 0/2 CUMSUM (a, cumsum_4)
   = on: webgpu
   = warning on: opencl, metal
   = help: exclusive is CUMSUM(x) - x; reverse is REVERSE_V2, CUMSUM, REVERSE_V2 along the width: exact

Found 2 errors in 1 model.
""")


def test_markdown(tmp_path: Path) -> None:
    assert shown(tmp_path, "markdown", "--select", "relu-0-to-1,cumsum-mode") == snapshot("""\
### `FOLDER/model.tflite`

❌ **Do not ship on LiteRT 2.1.4 with webgpu; 2.1.6: the GPU refuses 1 of 3 operators (2.1.6); numbers come back wrong: cumsum-mode (webgpu). Check on 2.1.4 with opencl, metal: numbers may be wrong: cumsum-mode.**

| LiteRT | verdict | GPU | CPU | errors | warnings |
|---|---|---:|---:|---:|---:|
| 2.1.4 | ❌ every operator on the GPU | 3 | 0 | 1 | 1 |
| 2.1.6 | ❌ partly on the GPU | 2 | 1 | 2 | 1 |

- **2.1.4 to 2.1.6** ❌ breaks 0/1 RELU\\_0\\_TO\\_1: refused: Not supported op RELU\\_0\\_TO\\_1

- ❌ **relu-0-to-1** at `0/1 RELU_0_TO_1`: the GPU refuses RELU\\_0\\_TO\\_1: Not supported op RELU\\_0\\_TO\\_1 (2.1.6). Fix: write it as MINIMUM(RELU(x), 1), `torch.clamp(torch.relu(x), max=1.0)`: exact, and accepted on every release
- ❌ **cumsum-mode** at `0/2 CUMSUM`: exclusive of CUMSUM is ignored. Fix: exclusive is CUMSUM(x) - x; reverse is REVERSE\\_V2, CUMSUM, REVERSE\\_V2 along the width: exact

<sub>tflint VERSION</sub>
""")


def test_github(tmp_path: Path) -> None:
    assert shown(tmp_path, "github", "--select", "relu-0-to-1,cumsum-mode") == snapshot("""\
::error file=FOLDER/model.tflite,title=tflint relu-0-to-1::0/1 RELU_0_TO_1: the GPU refuses RELU_0_TO_1: Not supported op RELU_0_TO_1 (on 2.1.6)%0Ahelp: write it as MINIMUM(RELU(x), 1), `torch.clamp(torch.relu(x), max=1.0)`: exact, and accepted on every release
::error file=FOLDER/model.tflite,title=tflint cumsum-mode::0/2 CUMSUM: exclusive of CUMSUM is ignored%0Ahelp: exclusive is CUMSUM(x) - x; reverse is REVERSE_V2, CUMSUM, REVERSE_V2 along the width: exact
""")


def test_junit(tmp_path: Path) -> None:
    assert shown(tmp_path, "junit", "--backend", "webgpu", "--select", "relu-0-to-1,cumsum-mode") == snapshot("""\
<?xml version="1.0" encoding="utf-8"?>
<testsuites name="tflint" tests="2" failures="2" errors="0">
 <testsuite name="FOLDER/model.tflite" tests="2" failures="2" errors="0">
  <testcase name="LiteRT 2.1.4 webgpu" classname="FOLDER/model.tflite">
   <failure message="1 error: full">0/2 CUMSUM: [cumsum-mode] exclusive of CUMSUM is ignored
  exclusive is CUMSUM(x) - x; reverse is REVERSE_V2, CUMSUM, REVERSE_V2 along the width: exact</failure>
  </testcase>
  <testcase name="LiteRT 2.1.6 webgpu" classname="FOLDER/model.tflite">
   <failure message="2 errors: partial">0/1 RELU_0_TO_1: [relu-0-to-1] the GPU refuses RELU_0_TO_1: Not supported op RELU_0_TO_1
  write it as MINIMUM(RELU(x), 1), `torch.clamp(torch.relu(x), max=1.0)`: exact, and accepted on every release
0/2 CUMSUM: [cumsum-mode] exclusive of CUMSUM is ignored
  exclusive is CUMSUM(x) - x; reverse is REVERSE_V2, CUMSUM, REVERSE_V2 along the width: exact</failure>
  </testcase>
 </testsuite>
</testsuites>
""")


def test_json(tmp_path: Path) -> None:
    assert shown(tmp_path, "json", "--backend", "webgpu", "--litert", "2.1.6", "--select", "relu-0-to-1") == snapshot("""\
{
 "schema": 1,
 "tool": {
  "name": "tflint",
  "version": "VERSION"
 },
 "models": [
  {
   "path": "FOLDER/model.tflite",
   "sha256": null,
   "size": 736,
   "error": null,
   "targets": [
    {
     "litert": "2.1.4",
     "backend": "webgpu",
     "placement": {
      "verdict": "full",
      "gpu_ops": 3,
      "cpu_ops": 0,
      "line": null,
      "ops": [
       {
        "subgraph": 0,
        "index": 0,
        "op": "ABS",
        "on": "gpu",
        "rejected": null
       },
       {
        "subgraph": 0,
        "index": 1,
        "op": "RELU_0_TO_1",
        "on": "gpu",
        "rejected": null
       },
       {
        "subgraph": 0,
        "index": 2,
        "op": "CUMSUM",
        "on": "gpu",
        "rejected": null
       }
      ]
     },
     "findings": [],
     "confirm": null
    },
    {
     "litert": "2.1.6",
     "backend": "webgpu",
     "placement": {
      "verdict": "partial",
      "gpu_ops": 2,
      "cpu_ops": 1,
      "line": "2 operations will run on the GPU, and the remaining 1 operations will run on the CPU.",
      "ops": [
       {
        "subgraph": 0,
        "index": 0,
        "op": "ABS",
        "on": "gpu",
        "rejected": null
       },
       {
        "subgraph": 0,
        "index": 1,
        "op": "RELU_0_TO_1",
        "on": "cpu",
        "rejected": "Not supported op RELU_0_TO_1"
       },
       {
        "subgraph": 0,
        "index": 2,
        "op": "CUMSUM",
        "on": "gpu",
        "rejected": null
       }
      ]
     },
     "findings": [
      {
       "rule": "relu-0-to-1",
       "kind": "rejected",
       "severity": "error",
       "confidence": "measured",
       "message": "the GPU refuses RELU_0_TO_1: Not supported op RELU_0_TO_1",
       "advice": "write it as MINIMUM(RELU(x), 1), `torch.clamp(torch.relu(x), max=1.0)`: exact, and accepted on every release",
       "place": {
        "subgraph": 0,
        "index": 1,
        "op": "RELU_0_TO_1",
        "tensors": [
         "a"
        ]
       },
       "evidence": [
        {
         "source": "measured",
         "backend": "webgpu",
         "litert": [
          "2.1.6"
         ],
         "precision": null,
         "outcome": "refused: Not supported op RELU_0_TO_1",
         "ref": null
        }
       ]
      }
     ],
     "confirm": null
    }
   ]
  }
 ]
}
""")


@pytest.mark.parametrize("data", [None, hostile(), b"nonsense"], ids=["plain", "hostile", "damaged"])
def test_json_keeps_to_its_schema(tmp_path: Path, data: bytes | None) -> None:
    document = json.loads(shown(tmp_path, "json", "--sha256", data=data).replace("VERSION", "0"))
    jsonschema.validate(document, SCHEMA)


def test_the_json_of_every_demo_keeps_to_its_schema() -> None:
    arguments = [*map(str, DEMOS), "--format", "json", "--litert", "all"]
    document = json.loads(CliRunner().invoke(command, arguments, catch_exceptions=False).stdout)
    assert len(document["models"]) == len(DEMOS)
    jsonschema.validate(document, SCHEMA)


def test_a_line_of_jsonl_is_a_model_of_the_json(tmp_path: Path) -> None:
    lines = shown(tmp_path, "jsonl").splitlines()
    assert [json.loads(line) for line in lines] == json.loads(shown(tmp_path, "json"))["models"]


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("form", FORMATS)
class TestEveryFormat:
    def test_the_same_bytes_from_run_to_run(self, tmp_path: Path, form: str) -> None:
        assert shown(tmp_path, form) == shown(tmp_path, form)

    def test_hostile_names_stay_names(self, tmp_path: Path, form: str) -> None:
        text = shown(tmp_path, form, data=hostile())
        assert "\x1b" not in text
        assert "\n::error::g" not in text
        if form == "junit":
            ET.fromstring(text)
        if form in ("json", "sarif"):
            json.loads(text)

    def test_a_damaged_file(self, tmp_path: Path, form: str) -> None:
        assert "text file, not a model" in shown(tmp_path, form, data=b"nonsense")


class TestMarkdown:
    def test_a_name_is_code_and_nothing_else(self, tmp_path: Path) -> None:
        (line,) = (line for line in shown(tmp_path, "markdown", data=hostile()).splitlines() if line.startswith("- "))
        assert line == snapshot(
            "- ❌ **add-output-aliasing** at `0/0 ADD`: the output `a'b|c<d>\"e'&f\\x1b[1m\\n::error::g [h](i) @all #1` is never written: ADD and SUM become one kernel. Fix: return a copy: RESHAPE the tensor to its own shape, exact, and make the result the output"
        )

    def test_what_stands_outside_code_marks_up_nothing(self, tmp_path: Path) -> None:
        text = re.sub("`[^`]*`", "", shown(tmp_path, "markdown", data=hostile()).replace("<sub>", ""))
        assert not re.search(r"(?<!\\)[<\[]|@(?!<!-- -->)", text.replace("</sub>", ""))

    def test_the_table_has_a_cell_for_each_column(self, tmp_path: Path) -> None:
        rows = [line for line in shown(tmp_path, "markdown", data=hostile()).splitlines() if line.startswith("|")]
        assert len(rows) == 4
        assert {row.count("|") for row in rows} == {7}


class TestJUnit:
    def test_a_parser_loads_it(self, tmp_path: Path) -> None:
        text = shown(tmp_path, "junit", "--backend", "webgpu", "--select", "relu-0-to-1")
        suites = JUnitXml.fromstring(text.encode())
        assert (suites.tests, suites.failures, suites.errors) == (2, 1, 0)
        cases = [case for suite in suites for case in suite]
        assert [case.name for case in cases] == ["LiteRT 2.1.4 webgpu", "LiteRT 2.1.6 webgpu"]
        assert [[type(result) for result in case.result] for case in cases] == [[], [Failure]]
        assert "relu-0-to-1" in cases[1].result[0].text

    def test_it_loads_with_hostile_names(self, tmp_path: Path) -> None:
        suites = JUnitXml.fromstring(shown(tmp_path, "junit", data=hostile()).encode())
        assert suites.failures == 2  # on WebGPU, on either release

    def test_a_file_that_cannot_be_read_is_an_error(self, tmp_path: Path) -> None:
        suites = JUnitXml.fromstring(shown(tmp_path, "junit", data=b"nonsense").encode())
        assert (suites.tests, suites.failures, suites.errors) == (1, 0, 1)


class TestGitHub:
    def test_each_finding_is_one_command(self, tmp_path: Path) -> None:
        """A runner reads ``::error key=value,key=value::message`` and decodes ``%0A``."""
        folder = tmp_path / "a,b:c%"
        folder.mkdir()
        text = shown(folder, "github", data=hostile())
        lines = text.splitlines()
        assert lines
        for line in lines:
            _, head, message = line.split("::", 2)
            severity, _, properties = head.partition(" ")
            assert severity in ("error", "warning", "notice")
            keys = [pair.split("=", 1)[0] for pair in properties.split(",")]
            assert keys == ["file", "title"]
            assert "help: " in message

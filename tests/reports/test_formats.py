"""Every format: its shape, its escapes, and a whole report as a snapshot."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner
from inline_snapshot import snapshot

import tflint
from tflint.commands import tflint as command
from tflint.fixtures.builder import Graph

SCHEMA = json.loads((Path(tflint.__file__).parent / "reports" / "schema.json").read_text(encoding="utf-8"))
HOSTILE = "a`b|c<d>\"e'&f\x1b[1m\n::error::g"


def model(name: str = "x") -> bytes:
    g = Graph()
    y = g.op("ABS", g.input([1, 4, 4, 8], name="i"), name="a" if name == "x" else name)
    g.output(g.op("RELU_0_TO_1", y), g.op("CUMSUM", y, g.const(2, type="INT32"), exclusive=True))
    return g.build()


def shown(folder: Path, form: str, *options: str, name: str = "x", damaged: bool = False) -> str:
    path = folder / "model.tflite"
    path.write_bytes(b"nonsense" if damaged else model(name))
    arguments = [str(path), "--format", form, "--litert", "2.1.4,2.1.6", *options]
    text = CliRunner().invoke(command, arguments, catch_exceptions=False).stdout
    return (
        text.replace(folder.as_uri(), "file:///FOLDER")
        .replace(str(folder), "FOLDER")
        .replace(tflint.__version__, "VERSION")
    )


def test_text(tmp_path: Path) -> None:
    assert shown(tmp_path, "text", "--select", "relu-0-to-1,cumsum-mode") == snapshot("""\
FOLDER/model.tflite
  2.1.4: every operator on the GPU
  2.1.6: partly on the GPU, so a GPU-only CompiledModel is not created
    2 operations will run on the GPU, and the remaining 1 operations will run on the CPU.

  0/1 RELU_0_TO_1: error[relu-0-to-1] the GPU refuses RELU_0_TO_1: Not supported op RELU_0_TO_1
    tensors: a
    help: write it as MINIMUM(RELU(x), 1), `torch.clamp(torch.relu(x), max=1.0)`: exact, and accepted on every release
    on: 2.1.6

  0/2 CUMSUM: error[cumsum-mode] exclusive of CUMSUM is ignored
    tensors: a, cumsum_4
    help: exclusive is CUMSUM(x) - x; reverse is REVERSE_V2, CUMSUM, REVERSE_V2 along the width: exact
    warning on: opencl, metal
    on: webgpu

Found 2 errors in 1 model.
""")


def test_markdown(tmp_path: Path) -> None:
    assert shown(tmp_path, "markdown", "--select", "relu-0-to-1,cumsum-mode") == snapshot("""\
### `FOLDER/model.tflite`

| LiteRT | verdict | GPU | CPU | errors | warnings |
|---|---|---:|---:|---:|---:|
| 2.1.4 | ✅ every operator on the GPU | 3 | 0 | 1 | 1 |
| 2.1.6 | ⚠️ partly on the GPU | 2 | 1 | 2 | 1 |

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


def test_sarif(tmp_path: Path) -> None:
    document = json.loads(shown(tmp_path, "sarif", "--backend", "webgpu", "--select", "relu-0-to-1"))
    for rule in document["runs"][0]["tool"]["driver"]["rules"]:
        rule["help"] = "PAGE"
    for artifact in document["runs"][0]["artifacts"]:
        artifact["hashes"] = "HASHES"
    assert document == snapshot(
        {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {
                        "driver": {
                            "name": "tflint",
                            "semanticVersion": "VERSION",
                            "rules": [
                                {
                                    "id": "relu-0-to-1",
                                    "name": "Relu0To1",
                                    "shortDescription": {"text": "RELU_0_TO_1, refused from 2.1.5 on"},
                                    "defaultConfiguration": {"level": "error"},
                                    "properties": {"tags": ["rejected"], "since": "VERSION"},
                                    "fullDescription": {"text": "RELU_0_TO_1 on a release whose GPU refuses it."},
                                    "help": "PAGE",
                                }
                            ],
                        }
                    },
                    "columnKind": "unicodeCodePoints",
                    "artifacts": [
                        {"location": {"uri": "file:///FOLDER/model.tflite"}, "length": 736, "hashes": "HASHES"}
                    ],
                    "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": []}],
                    "results": [
                        {
                            "ruleId": "relu-0-to-1",
                            "level": "error",
                            "message": {
                                "text": "the GPU refuses RELU_0_TO_1: Not supported op RELU_0_TO_1 (on 2.1.6). Fix: write it as MINIMUM(RELU(x), 1), `torch.clamp(torch.relu(x), max=1.0)`: exact, and accepted on every release"
                            },
                            "locations": [
                                {
                                    "physicalLocation": {
                                        "artifactLocation": {"uri": "file:///FOLDER/model.tflite", "index": 0},
                                        "region": {"startLine": 1, "byteOffset": 252, "byteLength": 0},
                                    },
                                    "logicalLocations": [
                                        {
                                            "name": "RELU_0_TO_1",
                                            "fullyQualifiedName": "0/1:RELU_0_TO_1",
                                            "kind": "function",
                                        }
                                    ],
                                }
                            ],
                            "partialFingerprints": {"tflint/v1": "153adf6464f70b667f0852f59bf16d58"},
                            "properties": {"kind": "rejected", "confidence": "measured", "targets": ["2.1.6/webgpu"]},
                            "ruleIndex": 0,
                        }
                    ],
                }
            ],
        }
    )


@pytest.mark.parametrize("damaged", [False, True])
@pytest.mark.parametrize("name", ["x", HOSTILE])
def test_json_keeps_to_its_schema(tmp_path: Path, damaged: bool, name: str) -> None:
    document = json.loads(shown(tmp_path, "json", "--sha256", name=name, damaged=damaged).replace("VERSION", "0"))
    jsonschema.validate(document, SCHEMA)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "sarif", "junit", "github", "markdown", "html"])
class TestEveryFormat:
    def test_the_same_bytes_from_run_to_run(self, tmp_path: Path, form: str) -> None:
        assert shown(tmp_path, form) == shown(tmp_path, form)

    def test_hostile_names_stay_names(self, tmp_path: Path, form: str) -> None:
        text = shown(tmp_path, form, name=HOSTILE)
        assert "\x1b" not in text
        assert "\n::error::g" not in text
        if form == "junit":
            ET.fromstring(text)
        if form in ("json", "sarif"):
            json.loads(text)

    def test_a_damaged_file(self, tmp_path: Path, form: str) -> None:
        assert "text file, not a model" in shown(tmp_path, form, damaged=True)


def test_fingerprints_survive_renumbering(tmp_path: Path) -> None:
    before = json.loads(shown(tmp_path, "sarif", "--select", "relu-0-to-1"))
    g = Graph()
    first = g.op("NEG", g.input([1, 4, 4, 8], name="new"))
    y = g.op("ABS", g.input([1, 4, 4, 8], name="x"), name="a")
    g.output(first, g.op("RELU_0_TO_1", y))
    (tmp_path / "model.tflite").write_bytes(g.build())
    arguments = [str(tmp_path / "model.tflite"), "--format", "sarif", "--litert", "2.1.6", "--select", "relu-0-to-1"]
    after = json.loads(CliRunner().invoke(command, arguments, catch_exceptions=False).stdout)
    prints = [
        [result["partialFingerprints"] for result in document["runs"][0]["results"]] for document in (before, after)
    ]
    assert prints[0] == prints[1]


def test_junit_counts(tmp_path: Path) -> None:
    root = ET.fromstring(shown(tmp_path, "junit", "--backend", "webgpu", "--select", "relu-0-to-1"))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("2", "1", "0")

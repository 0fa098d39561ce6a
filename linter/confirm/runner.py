"""One model, one release, one process: what the runtime did with it.

The runtime answers only in its native log, and some graphs abort or hang it. So each model gets a
child process with a time limit, its file descriptor 2 in a file, and its process group killed at
the end. `run` starts a process a model; `Worker` (Linux) imports the runtime once and forks
a child a model, which is what a maintainer wants for thousands of small ones.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from . import log
from .environment import release_of

if TYPE_CHECKING:
    import numpy as np

    from .device import Device

Accelerators = Literal["gpu,cpu", "gpu", "cpu"]
Precision = Literal["default", "fp32"]
Ranges = Mapping[str, tuple[float, float]]

CHILD = Path(__file__).with_name("child.py")
TIMEOUT = 120.0
"""Seconds for one model. The slowest of 798 real models took under a minute on two cores."""

SLACK = 30.0
"""Seconds that a worker may take beyond a model's limit to kill its child and answer."""


@dataclass(frozen=True, slots=True)
class Exit:
    """How the child ended.

    `kind`: `ok`; `exception` (Python's text in `text`); `signal` (its name in `text`: the process
    was killed by it); `timeout`; `broken` (the child itself could not work, for instance the
    runtime cannot be imported); `refused` (the question cannot be answered: wrong inputs, an option that the release
    lacks). `stage` is where: import, create, run, reference or done.
    """

    kind: Literal["ok", "exception", "signal", "timeout", "broken", "refused"]
    stage: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Tensor:
    """An input or output of a signature, by its signature name."""

    name: str
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Signature:
    key: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """One output of one signature, by both routes; None where a route gave nothing.

    `compiled` comes from CompiledModel with the accelerators asked for, `reference` from the
    interpreter's reference kernels on the same inputs.
    """

    signature: str
    name: str
    compiled: np.ndarray[Any, Any] | None
    reference: np.ndarray[Any, Any] | None


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What happened to one model on one release.

    `kernels`, `reports`, `later`, `kernel_errors`, `topk`, `shaders` and `errors` are those of `log.Log`.
    `claimed_full` is the answer of `is_fully_accelerated()`, kept for the record: it is True for graphs of which no
    operator ran on the GPU (measured on 2.1.5 to 2.3.0). `signatures`, `inputs` and `outputs` are filled only when the
    outputs were asked for.
    """

    release: str
    exit: Exit
    adapter: log.Adapter | None
    kernels: int
    reports: tuple[log.Report, ...]
    later: tuple[log.Report, ...]
    kernel_errors: tuple[str, ...]
    topk: tuple[str, ...]
    shaders: int
    errors: tuple[log.Line, ...]
    no_adapter: bool
    claimed_full: bool | None = None
    signatures: tuple[Signature, ...] = ()
    inputs: Mapping[tuple[str, str], np.ndarray[Any, Any]] = field(default_factory=dict)
    outputs: tuple[Output, ...] = ()
    log: str = ""

    @property
    def created(self) -> bool:
        """Whether CompiledModel was created."""
        return self.exit.stage in ("run", "reference", "done")


@dataclass(frozen=True, slots=True)
class Options:
    """How to run a model.

    Without `outputs` it is only compiled. With it every signature is run (or the one that `signature` names), and with
    `reference` the reference kernels run on the same inputs. `inputs` names an .npz whose members are called after the
    inputs (or `signature/input`); without it, values are drawn from `seed`, within `ranges` where that has the input.
    `timeout` is in seconds and covers all of it.
    """

    accelerators: Accelerators = "gpu,cpu"
    precision: Precision = "default"
    outputs: bool = False
    reference: bool = True
    signature: str | None = None
    seed: int = 0
    inputs: Path | None = None
    ranges: Ranges = field(default_factory=dict)
    timeout: float = TIMEOUT


@dataclass(frozen=True, slots=True)
class _Job:
    """The question to the child: where things are, and the options. Paths are absolute."""

    model: Path
    folder: Path
    options: Options

    @property
    def result(self) -> Path:
        return self.folder / "result.json"

    @property
    def arrays(self) -> Path:
        return self.folder / "arrays.npz"

    @property
    def log(self) -> Path:
        return self.folder / "log.txt"

    def to_json(self) -> str:
        options = self.options
        return json.dumps(
            {
                "model": str(self.model),
                "result": str(self.result),
                "arrays": str(self.arrays),
                "log": str(self.log),
                "accelerators": options.accelerators,
                "precision": options.precision,
                "outputs": options.outputs,
                "reference": options.reference,
                "signature": options.signature,
                "seed": options.seed,
                "inputs": None if options.inputs is None else str(options.inputs.absolute()),
                "ranges": dict(options.ranges),
                "timeout": options.timeout,
            }
        )


def run(model: Path | bytes, python: Path, options: Options | None = None, *, device: Device | None = None) -> Run:
    """Run one model in a fresh process. `python` is the interpreter of an environment with the release."""
    with tempfile.TemporaryDirectory(prefix="tflint-") as name:
        job = _job(Path(name), model, options)
        question = job.folder / "job.json"
        question.write_text(job.to_json(), encoding="utf-8")
        returncode, late = _spawn(python, question, job, device)
        return _collect(job, release_of(python), returncode, late)


class Worker:
    """A process that has imported the runtime and forks a child for each model.

    Linux only in the fast form: elsewhere forking after the import is not safe, and `run` is used.
    Not for concurrent use; start one worker a core. The process ends with the thread that started it, which is the one
    that first calls `run`.
    """

    def __init__(self, python: Path, *, device: Device | None = None) -> None:
        self.python = python
        self.device = device
        self.release = release_of(python)
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker and whatever it still has running."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            with contextlib.suppress(OSError):  # a question that it did not live to read
                process.stdin.close()
        _kill(process)
        process.wait()
        if process.stdout is not None:
            process.stdout.close()

    def run(self, model: Path | bytes, options: Options | None = None) -> Run:
        """As the function `run`, in a forked child."""
        if sys.platform != "linux":
            return run(model, self.python, options, device=self.device)
        with tempfile.TemporaryDirectory(prefix="tflint-") as name:
            job = _job(Path(name), model, options)
            try:
                answer = self._ask(job.to_json(), job.options.timeout)
            except _Broken as error:
                self.close()
                return _failed(self.release, Exit("broken", "import", str(error)))
            return _collect(job, self.release, answer["returncode"], answer["timeout"])

    def _ask(self, question: str, limit: float) -> dict[str, Any]:
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(question + "\n")
            process.stdin.flush()
        except OSError as error:
            raise _Broken(f"the worker ended: {error}") from error
        return _reply(process.stdout, limit + SLACK)

    def _start(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [str(self.python), str(CHILD), "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=_environment(self.python, self.device),
            start_new_session=True,
        )
        self._process = process
        assert process.stdout is not None
        answer = _reply(process.stdout, TIMEOUT)
        if not answer["ready"]:
            raise _Broken(str(answer["text"]))
        return process


class _Broken(Exception):
    """The worker cannot work."""


def _reply(stream: IO[str], limit: float) -> dict[str, Any]:
    """The worker's next line. It sends one line a question, so none waits in the stream's buffer."""
    ready, _, _ = select.select([stream], [], [], limit)
    text = stream.readline() if ready else ""
    if not text:
        raise _Broken("the worker ended without an answer" if ready else "the worker does not answer")
    answer: dict[str, Any] = json.loads(text)
    return answer


def _job(folder: Path, model: Path | bytes, options: Options | None) -> _Job:
    if isinstance(model, bytes):
        path = folder / "model.tflite"
        path.write_bytes(model)
    else:
        path = model.absolute()
    return _Job(path, folder, options or Options())


def _environment(python: Path, device: Device | None) -> dict[str, str]:
    environment = dict(os.environ)
    if python != Path(sys.executable):
        # Another interpreter must see its own packages and nothing of the caller's.
        for name in ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP"):
            environment.pop(name, None)
        environment["PYTHONNOUSERSITE"] = "1"
    # NumPy's threads have no work here and would live across a fork.
    environment["OPENBLAS_NUM_THREADS"] = "1"
    if device is not None:
        environment.update(device.variables)
    return environment


def _spawn(python: Path, question: Path, job: _Job, device: Device | None) -> tuple[int, bool]:
    """Run the child to its end or to the limit; return code and whether it was too late."""
    with open(job.log, "wb") as native:
        process = subprocess.Popen(
            [str(python), str(CHILD), str(question)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=native,
            env=_environment(python, device),
            start_new_session=os.name == "posix",
        )
        try:
            late = not _ended(process, job.options.timeout)
        finally:
            _kill(process)
            process.wait()
    return process.returncode, late


def _ended(process: subprocess.Popen[Any], limit: float) -> bool:
    """Wait for the end without reaping, where the system can: the id stays ours until `_kill`."""
    if sys.platform != "linux":
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            return False
        return True
    deadline = time.monotonic() + limit
    pause = 0.001
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)
    return True


def _kill(process: subprocess.Popen[Any]) -> None:
    """Kill the process and all that it started. It leads its own group on POSIX systems."""
    if os.name == "posix":
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            # The group is empty, which macOS reports as a lack of permission.
            return
    else:
        process.kill()


def _collect(job: _Job, release: str, returncode: int, late: bool) -> Run:
    text = ""
    if job.log.exists():
        text = job.log.read_text(encoding="utf-8", errors="replace")
    values: dict[str, Any] = {"stage": "start", "exception": None, "signatures": []}
    if job.result.exists():
        values = json.loads(job.result.read_text(encoding="utf-8"))
    ended = _exit(values, returncode, late, text)
    if ended.kind == "broken":
        return _failed(release, ended, text)
    found = log.parse(text)
    signatures = tuple(_signature(entry) for entry in values["signatures"])
    arrays = _arrays(job, values)
    return Run(
        release=release,
        exit=ended,
        adapter=found.adapter,
        kernels=found.kernels,
        reports=found.reports,
        later=found.later,
        kernel_errors=found.kernel_errors,
        topk=found.topk,
        shaders=found.shaders,
        errors=found.errors,
        no_adapter=found.no_adapter,
        claimed_full=values.get("claimed_full"),
        signatures=signatures,
        inputs={(key, name): array for (kind, key, name), array in arrays.items() if kind == "input"},
        outputs=_outputs(signatures, arrays),
        log=text,
    )


def _failed(release: str, ended: Exit, text: str = "") -> Run:
    return Run(release, ended, None, 0, (), (), (), (), 0, (), False, log=text)


def _exit(values: dict[str, Any], returncode: int, late: bool, text: str) -> Exit:
    stage = values["stage"]
    if late:
        return Exit("timeout", stage)
    if stage == "done":
        return Exit("ok", stage)
    if values["exception"] is not None:
        happened = values["exception"]
        if happened["type"] == "JobError":
            return Exit("refused", happened["stage"], happened["text"])
        kind: Literal["exception", "broken"] = "exception"
        if happened["stage"] in ("start", "import"):
            kind = "broken"
        return Exit(kind, happened["stage"], f"{happened['type']}: {happened['text']}")
    if returncode < 0:
        return Exit("signal", stage, _signal_name(-returncode))
    if os.name == "nt" and returncode >= 0x80000000:
        return Exit("signal", stage, f"0x{returncode:08X}")
    if stage in ("start", "import"):
        last = next((line for line in reversed(text.splitlines()) if line.strip()), "")
        return Exit("broken", stage, last or f"exit status {returncode}")
    return Exit("signal", stage, f"exit status {returncode}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _signature(entry: dict[str, Any]) -> Signature:
    return Signature(
        entry["key"],
        tuple(_tensor(found) for found in entry["inputs"]),
        tuple(_tensor(found) for found in entry["outputs"]),
    )


def _tensor(entry: dict[str, Any]) -> Tensor:
    return Tensor(entry["name"], entry["dtype"], tuple(entry["shape"]))


def _arrays(job: _Job, values: dict[str, Any]) -> dict[tuple[str, str, str], np.ndarray[Any, Any]]:
    if not job.arrays.exists() or "arrays" not in values:
        return {}
    import numpy

    with numpy.load(job.arrays, allow_pickle=False) as archive:
        return {(kind, key, name): archive[f"a{index}"] for index, (kind, key, name) in enumerate(values["arrays"])}


def _outputs(
    signatures: tuple[Signature, ...], arrays: dict[tuple[str, str, str], np.ndarray[Any, Any]]
) -> tuple[Output, ...]:
    return tuple(
        Output(
            signature.key,
            tensor.name,
            arrays.get(("compiled", signature.key, tensor.name)),
            arrays.get(("reference", signature.key, tensor.name)),
        )
        for signature in signatures
        for tensor in signature.outputs
    )

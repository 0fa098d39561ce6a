"""The process that touches LiteRT. Run by path, with the interpreter that has the release.

It cannot import tflint: only the standard library, NumPy and ai_edge_litert are there. A job is
one JSON object (see `runner.Options`); it is answered by one JSON file and, when outputs are asked
for, one .npz file. Standard output carries only the worker's replies, standard error is the native log.

Two ways to call it::

    python child.py JOB.json        one job in this process
    python child.py --serve         jobs on standard input, one a line; a forked child for each

What differs by release, measured on the Linux wheels:

* 2.1.2 to 2.1.4 take only `hardware_accel`; `Options` (and with it enforce_f32) starts with 2.1.5.
* `get_output_tensor_details` and `is_fully_accelerated` start with 2.1.5. Before, the shapes of
  outputs come from the CPU interpreter.
* `TensorBuffer.read` and `write` know float32, int32 and int8 (2.1.2 to 2.1.4), and at most
  float16, uint8 and bool more (2.1.5, 2.2.0); int64, int16 and uint32 never. All releases copy
  bytes faithfully when the array is viewed as int8, so that is what is used for every type.
* INT16 buffers cannot be created before 2.1.6.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import zlib
from collections.abc import Callable
from typing import Any

Job = dict[str, Any]
Arrays = dict[str, Any]

STAGE_MARK = "tflint-stage: "
DTYPES = {
    "float32": "float32",
    "float16": "float16",
    "float64": "float64",
    "int8": "int8",
    "uint8": "uint8",
    "int16": "int16",
    "uint16": "uint16",
    "int32": "int32",
    "uint32": "uint32",
    "int64": "int64",
    "uint64": "uint64",
    "bool": "bool",
}


class JobError(Exception):
    """The job cannot be done as it was put: the fault is with the question, not the model."""


class Record:
    """What happened so far. Written anew at each stage: a crash leaves the last one on disk."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.values: dict[str, Any] = {"stage": "start", "signatures": [], "exception": None}
        self.arrays: dict[str, Any] = {}

    def stage(self, name: str) -> None:
        self.values["stage"] = name
        os.write(2, f"\n{STAGE_MARK}{name}\n".encode())
        self.save()

    def save(self) -> None:
        part = self.path + ".part"
        with open(part, "w", encoding="utf-8") as file:
            json.dump(self.values, file)
        os.replace(part, self.path)


def main(arguments: list[str]) -> int:
    die_with_parent()
    if arguments == ["--serve"]:
        return serve()
    with open(arguments[0], encoding="utf-8") as file:
        job = json.load(file)
    perform(job)
    # Destructors of the runtime may abort long after the verdict: leave without them.
    os._exit(0)


def die_with_parent() -> None:
    """Linux: be killed when the process that started this one dies, whatever the way."""
    if sys.platform != "linux":
        return
    import ctypes
    import signal

    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def load() -> tuple[Any, Any]:
    """Import the runtime; return its CompiledModel module and the accelerator flags."""
    import numpy  # noqa: F401
    from ai_edge_litert import compiled_model
    from ai_edge_litert.hardware_accelerator import HardwareAccelerator

    return compiled_model, HardwareAccelerator


def perform(job: Job) -> None:
    record = Record(job["result"])
    record.stage("import")
    try:
        attempt(job, record)
        record.stage("done")
    except Exception as error:
        record.values["exception"] = {
            "type": type(error).__name__,
            "text": str(error),
            "stage": record.values["stage"],
        }
        record.save()


def attempt(job: Job, record: Record) -> None:
    compiled_model, flags = load()
    record.stage("create")
    model = create(job, compiled_model, flags)
    claims = getattr(model, "is_fully_accelerated", None)
    if claims is not None:
        record.values["claimed_full"] = bool(claims())
    if not job["outputs"]:
        return
    record.stage("run")
    signatures = describe(job, model)
    record.values["signatures"] = signatures
    record.save()
    given = provided(job)
    for signature in signatures:
        feed = {tensor["name"]: make_input(job, given, signature["key"], tensor) for tensor in signature["inputs"]}
        for name, array in feed.items():
            store(record, "input", signature["key"], name, array)
        results = invoke(model, signature, feed)
        for name, array in results.items():
            store(record, "compiled", signature["key"], name, array)
    write_arrays(job, record)
    if not job["reference"]:
        return
    record.stage("reference")
    reference(job, record, signatures)
    write_arrays(job, record)


def create(job: Job, compiled_model: Any, flags: Any) -> Any:
    accelerators = None
    for name in job["accelerators"].split(","):
        flag = {"gpu": flags.GPU, "cpu": flags.CPU}[name]
        accelerators = flag if accelerators is None else accelerators | flag
    if job["precision"] == "default":
        return compiled_model.CompiledModel.from_file(job["model"], hardware_accel=accelerators)
    if not hasattr(compiled_model, "Options"):
        raise JobError("this release cannot enforce fp32: the option starts with 2.1.5")
    options = compiled_model.Options(
        hardware_accelerators=accelerators,
        cpu_options=compiled_model.CpuOptions(num_threads=1),
        gpu_options=compiled_model.GpuOptions(enforce_f32=True),
    )
    return compiled_model.CompiledModel.from_file(job["model"], options=options)


def describe(job: Job, model: Any) -> list[dict[str, Any]]:
    """Signatures with the name, type and shape of each input and output."""
    outputs_of = getattr(model, "get_output_tensor_details", None)
    if outputs_of is None:
        outputs_of = interpreter_outputs(job)
    found = []
    for key, names in model.get_signature_list().items():
        if job["signature"] not in (None, key):
            continue
        inputs = model.get_input_tensor_details(key)
        outputs = outputs_of(key)
        found.append(
            {
                "key": key,
                "inputs": [tensor(name, inputs[name]) for name in names["inputs"]],
                "outputs": [tensor(name, outputs[name]) for name in names["outputs"]],
            }
        )
    return found


def tensor(name: str, details: dict[str, Any]) -> dict[str, Any]:
    shape = [int(size) for size in details["shape"]]
    return {"name": name, "dtype": type_name(details["dtype"]), "shape": shape}


def type_name(dtype: Any) -> str:
    if isinstance(dtype, str):
        return dtype
    import numpy

    return str(numpy.dtype(dtype).name)


def interpreter_outputs(job: Job) -> Callable[[str], Any]:
    """Output details by signature, for releases whose CompiledModel does not tell them."""
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_path=job["model"])
    keys = list(interpreter.get_signature_list())

    def details(key: str) -> Any:
        if key in keys:
            return interpreter.get_signature_runner(key).get_output_details()
        return {found["name"]: found for found in interpreter.get_output_details()}

    return details


def provided(job: Job) -> Arrays:
    if job["inputs"] is None:
        return {}
    import numpy

    try:
        with numpy.load(job["inputs"], allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError, AttributeError) as error:
        raise JobError(f"{job['inputs']}: not a readable .npz file ({error})") from error


def make_input(job: Job, given: Arrays, key: str, tensor: dict[str, Any]) -> Any:
    """The array for one input: from the user's file, else drawn from the seed.

    The draw depends on the seed, the signature and the name alone, never on the order.
    """
    import numpy

    name, shape = tensor["name"], tuple(tensor["shape"])
    if tensor["dtype"] not in DTYPES:
        raise JobError(f"input {name}: no values can be made for type {tensor['dtype']}")
    dtype = numpy.dtype(DTYPES[tensor["dtype"]])
    for label in (f"{key}/{name}", name):
        if label not in given:
            continue
        array = given[label]
        if array.shape != shape:
            raise JobError(f"input {name}: shape {array.shape} given, {shape} expected")
        if array.dtype != dtype and not numpy.can_cast(array.dtype, dtype, "same_kind"):
            raise JobError(f"input {name}: type {array.dtype} given, {dtype} expected")
        return numpy.ascontiguousarray(array, dtype)
    if given:
        raise JobError(f"input {name}: not in the file of inputs, which has {sorted(given)}")
    generator = numpy.random.default_rng([job["seed"], zlib.crc32(f"{key}/{name}".encode())])
    span = job["ranges"].get(f"{key}/{name}", job["ranges"].get(name))
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    if dtype.kind == "f":
        if span is None:
            return generator.standard_normal(shape).astype(dtype)
        return generator.uniform(span[0], span[1], shape).astype(dtype)
    if span is None:
        # 8 and 16 bits are quantized values as a rule; wider integers are counts or indices.
        limits = numpy.iinfo(dtype)
        span = (limits.min, limits.max) if dtype.itemsize <= 2 else (0, 9)
    return generator.integers(int(span[0]), int(span[1]), shape, dtype, endpoint=True)


def invoke(model: Any, signature: dict[str, Any], feed: Arrays) -> Arrays:
    """Run one signature through CompiledModel; arrays by output name."""
    import numpy

    key = signature["key"]
    inputs = {}
    for name, array in feed.items():
        inputs[name] = model.create_input_buffer_by_name(key, name)
        inputs[name].write(numpy.ascontiguousarray(array).reshape(-1).view(numpy.int8))
    outputs = {}
    for tensor in signature["outputs"]:
        outputs[tensor["name"]] = model.create_output_buffer_by_name(key, tensor["name"])
    model.run_by_name(key, inputs, outputs)
    arrays = {}
    for tensor in signature["outputs"]:
        if tensor["dtype"] not in DTYPES:
            continue
        dtype = numpy.dtype(DTYPES[tensor["dtype"]])
        size = int(numpy.prod(tensor["shape"], dtype=numpy.int64))
        raw = outputs[tensor["name"]].read(size * dtype.itemsize, numpy.int8)
        arrays[tensor["name"]] = raw.view(dtype).reshape(tensor["shape"])
    return arrays


def reference(job: Job, record: Record, signatures: list[dict[str, Any]]) -> None:
    """The same inputs through the reference kernels, on the CPU and without any delegate."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    interpreter = Interpreter(
        model_path=job["model"],
        experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
    )
    keys = list(interpreter.get_signature_list())
    for signature in signatures:
        key = signature["key"]
        feed = {tensor["name"]: record.arrays[label("input", key, tensor["name"])] for tensor in signature["inputs"]}
        signed = key in keys
        results = interpreter.get_signature_runner(key)(**feed) if signed else run_unsigned(interpreter, feed)
        for name, array in results.items():
            store(record, "reference", key, name, array)


def run_unsigned(interpreter: Any, feed: Arrays) -> Arrays:
    """A model without signatures: its inputs and outputs go by their tensor names."""
    interpreter.allocate_tensors()
    for found in interpreter.get_input_details():
        interpreter.set_tensor(found["index"], feed[found["name"]])
    interpreter.invoke()
    return {found["name"]: interpreter.get_tensor(found["index"]) for found in interpreter.get_output_details()}


def label(kind: str, key: str, name: str) -> str:
    return json.dumps([kind, key, name])


def store(record: Record, kind: str, key: str, name: str, array: Any) -> None:
    record.arrays[label(kind, key, name)] = array


def write_arrays(job: Job, record: Record) -> None:
    """One .npz with numbered members; the names are in the record, as tensor names hold anything."""
    import numpy

    names = sorted(record.arrays)
    part = job["arrays"] + ".part.npz"
    numpy.savez(part, **{f"a{i}": record.arrays[name] for i, name in enumerate(names)})
    os.replace(part, job["arrays"])
    record.values["arrays"] = [json.loads(name) for name in names]
    record.save()


def serve() -> int:
    """Fork a child for each job. The runtime is imported once and no device is opened here.

    The replies keep standard output for themselves: what the runtime prints there goes nowhere.
    """
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)

    def reply(message: dict[str, Any]) -> None:
        replies.write(json.dumps(message) + "\n")
        replies.flush()

    try:
        load()
    except Exception as error:
        reply({"ready": False, "text": f"{type(error).__name__}: {error}"})
        return 1
    reply({"ready": True})
    for text in sys.stdin:
        job = json.loads(text)
        child = os.fork()
        if child == 0:
            replies.close()
            become(job, null)
        reply(wait(child, job["timeout"]))
    return 0


def become(job: Job, null: int) -> None:
    """In the forked child: own process group, own log, one job, no way back."""
    code = 70
    try:
        os.setsid()
        die_with_parent()
        log = os.open(job["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(null, 0)
        os.dup2(log, 2)
        perform(job)
        code = 0
    finally:
        os._exit(code)


def wait(child: int, limit: float) -> dict[str, Any]:
    """Wait for a forked child, kill it at the limit, and what is left of its group in any case."""
    import signal

    deadline = time.monotonic() + limit
    pause = 0.001
    late = False
    # WNOWAIT leaves the dead child in place, so that its id cannot be anybody else's below.
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() > deadline and not late:
            late = True
            # The child may not lead its group yet: its own id works at any time.
            os.kill(child, signal.SIGKILL)
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return {"timeout": late, "returncode": os.waitstatus_to_exitcode(status)}


if __name__ == "__main__":
    # This file's folder comes first on the path; its neighbours must not hide other modules.
    del sys.path[0]
    sys.exit(main(sys.argv[1:]))

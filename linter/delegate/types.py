"""Element types that kernels take and give.

Only runtime tensors are held to them: constants, variables and values precomputed on the CPU are not
(GetOpsToReplaceWithOptions, ml_drift_delegate/tflite/model_builder.cc, v2.2.0). INT64, FLOAT64, UINT64, STRING and
complex runtime tensors are taken by no kernel."""

from __future__ import annotations

BASE_IN = frozenset({"FLOAT32", "FLOAT16", "BOOL", "INT2", "INT4", "INT8", "UINT8"})
BASE_OUT = frozenset({"FLOAT32", "FLOAT16", "INT8", "UINT8"})
SIGNED = frozenset({"INT8", "INT16", "INT32"})
UNSIGNED = frozenset({"UINT8", "UINT16", "UINT32"})
BFLOAT16 = frozenset({"BFLOAT16"})
BOOL = frozenset({"BOOL"})
INT32 = frozenset({"INT32"})
LOGICAL = BOOL | SIGNED

ANY_IN = BASE_IN | SIGNED | UNSIGNED | BFLOAT16
ANY_OUT = BASE_OUT | SIGNED | UNSIGNED | BFLOAT16 | BOOL

"""What the delegate says behind ``OP: `` in its list of refused operators, and which kind of fault each is.

The words are those of LiteRT 2.1.2 to 2.3.0: measured, or read at v2.2.0 from ml_drift_delegate/tflite
(model_builder.cc, operation_parser.h, support/ of the second checker, which no release uses by default) and
tflite/tools/versioning/gpu_compatibility.cc. Those of the older TFLite delegate are from public reports."""

# ruff: noqa: E501 - log lines are quoted as they are printed.

from __future__ import annotations

import re
from functools import cache

from ..linter.delegate.refusal import Cause

REASONS: dict[Cause, tuple[str, ...]] = {
    Cause.KERNEL: (
        r"Operation is not supported\.",
        r"Not supported op \w+",
        r"Unknown StableHLO composite params: .*",
    ),
    Cause.VERSION: (
        r"Max version supported: \d+\. Requested version \d+\.?",
        r"Unsupported version: \d+",
    ),
    Cause.IDENTICAL: (r"No support of few identical inputs in the same operation\.",),
    Cause.RANK: (
        r"Tensor dimensions must be less than 5\..*",
        r'Tensor ".*" has bad input dims size: (?:[5-9]|\d{2,})\.',
        r"Unknown layout\.",
        r"Slicing is unsupported for input with rank > 4",
        r"Permutation for transpose is invalid\.",
        r"\w+: constant tensor with rank > 4: .*",
        r"(?:operand|update|start_indices|output) dims must be 1D-4D\.",
        r"Only supports 1D-4D (?:input|output) tensor\.",
        r"\w+ has bad input tensor dims\..*",
        r"Invalid number of dimensions for (?:in|out)puts\[\d+\]: (?:[5-9]|\d{2,}), .*",
    ),
    Cause.TYPE: (
        r"Tensor type\(.*\) is not supported\..*",
        r"\w+: unsupported constant tensor type: .*",
        r"\w+: constant inputs have different types: .*",
        r"Unsupported dtype for (?:in|out)puts\[\d+\]: \d+",
        r"Not supported [Cc]ast case.*",
        r"Op has (?:bool|quant) tensors which are not supported\.",
        r"multiples must be kTfLiteInt32.*",
    ),
    Cause.CONSTANT: (
        r"Expected \d+ (?:runtime )?input tensor\(s\), but node has 0 runtime input\(s\)\.",
        r"Expected 1 or 2 input tensor\(s\), but node has 0 runtime inputs\.",
        r"Expected 0 const input tensor\(s\), but node has [1-9]\d* const input\(s\)\.",
        r"Expected 1 const input tensor\(s\), but node has (?:[2-9]|\d{2,}) const input\(s\)\.",
        r"Expected 2 const input tensor\(s\), but node has (?:[3-9]|\d{2,}) const input\(s\)\.",
        r"Op can only handle 1 or 2 operand\(s\)\.",
        r"input must be a runtime tensor",
        r"Unsupported Depthwise Convolution case\.",
        r"FullyConnected doesn't support constant input\.",
        r"Constant input(?:\[0\])? is not supported.*",
        r"Not supported batched mat mul case(?:: too many inputs)?",
        r"\w+: constant inputs and output must have the same rank, but got .*",
        r"Invalid 2 constant inputs: .*",
    ),
    Cause.PARAMETER: (
        # counts and operands
        r"Expected \d+ (?:runtime input|const input|output) tensor\(s\), but node has \d+ (?:runtime input|const input|output)\(s\)\.",
        r"Expected 1(?: or 2)? (?:input|output) tensor\(s\), but node has \d+ runtime (?:inputs|outputs)\.",
        r"Invalid number of (?:in|out)puts: \d+, while expected .*",
        r"Expect(?:ed|s) \d inputs? (?:& output each from Dequantize|and \d outputs?)(?:, got: .*)?",
        r"Expected \d, but got \d+ (?:inputs|outputs)\.",
        r"requires one runtime input, one const input, and one output",
        r"Number of outputs != 1",
        r"Requested index goes beyond array size: .*",
        r"input #\d+ tensor is not available",
        r"(?:PreCheckReadValue: )?[Ii](?:nvalid i)?nput tensor index: -?\d+",
        r"Invalid Tensor index: -1",
        r"(?:in|out)puts\[\d+\] should (?:not )?be a constant tensor\.",
        r"(?:ADD|MUL) requires two input tensors\.",
        r"ADD_N only supports 2 inputs\.",
        r"\w+: applies only two input tensors",
        r"DynamicUpdateSlice requires 3 inputs\.",
        r"STRIDED_SLICE requires 4 inputs\.",
        r"FullyConnected doesn't support more than 2 runtime inputs\.",
        r"ArgMax requires 2 inputs",
        r"Gather does not support constant value tensor\.",
        # values that are read from constants
        r"src has (?:no data|wrong size)\.",
        r"Input data size \d+ is not aligned to expected type: 4",
        r"Unsupported data type for float32 tensor",
        r"Unsupported tensor type in NewConstNode: .*",
        r"ML Drift doesn't support sparsity\.",
        r"\w+: sparse constant tensor .*",
        r"Isn't linear convertible\.",
        r"\S* +cannot be reduced to (?:scalar|linear)\.",
        r"(?s:\{.*\}) isn't \w+-convertible\.",
        r"Expected a (?:2D|3D|4D) tensor of shape .* but got .*",
        r"Batch size is not equal to 1\.",
        r"Can't parse inputs with const tensors\.",
        r"Unsupported dims for tensor: .*",
        # axes, ranks and shapes
        r'Tensor ".*" has bad input dims size: [0-4]\.',
        r"Index for axis out of range|Axis should be in \[0, .*",
        r"\w+ is only supported with constant axes\.",
        r"\w+ supports int32 tensor for axes\. But node has .*",
        r"Doesn't support broadcasting - input0: .*, input1: .*",
        r"Inputs dimensions sizes don't match, broadcasting isn't applicable\.",
        r"All input tensors must have the same number of dimensions",
        r"Invalid number of dimensions for (?:in|out)puts\[\d+\]: [0-4], .*",
        r"Couldn't find an axis to concatenate by\.",
        r"Output (?:batch|channels) don't match|Output (?:height|width) doesn't match",
        r"Output shape mismatch",
        r"The dimensionality of `starts` \(\d+D\) must match `sizes` \(\d+D\)\.",
        r"Slicing starts count must be .* input",
        r"(?:Slice|StridedSlice) does not support \w+_mask(?: parameter)?\.",
        r"STRIDED_SLICE input/params dimensions mismatch\.",
        r"stride values must be non-zero",
        r"Reverse slices are not supported\.",
        r"Invalid paddings tensor (?:dimension|shape): expected .*",
        r"Only Reflective padding is supported for Mirror Pad operation\. But node has .*",
        r"Only support 1D indices|Only (?:accept INT32|support int32) indices",
        r"Input / output dtype mismatch\.",
        r"\w+ block_size (?:= 1 is a no-op|must be > 1)\.",
        r"If half_pixel_centers is True, align_corners must be False\.",
        r"Array to update and updated slice must have the same data type, but got: .*",
        r"Start indices must be 1D, but got: .*",
        r"start_indices must be (?:of type int32\.|a runtime tensor)",
        r"Operand and update must have the same number of dimensions, but got: .*",
        r"Updated_slice shape must be less or equal to the array to update, .*",
        r"If input and output types have the same element size, they must have the same shapes",
        r"Shapes must match in all but last dim",
        r"Last (?:in|out)put dim must be equal to .* element size divided by .* element size",
        r"OneHot (?:axis must be -1 or the last|indices channel) dimension.*",
        r"Indices must be int32 type, on/off tensors must be constant, .*",
        r"Unsu?pported non-singleton dim at \d+",
        r"Softmax\.beta != 1 is not supported\.",
        r"TopK (?:k must be (?:constant tensor|scalar)\.|requires 2 output tensors)",
        r"Input/output must be float type and indices must be constant int32 type",
        r"Cond must be float or bool type, if, else tensors must .*",
        r"2-D if/else tensor only supported if constant\.",
        # options
        r"Unable to retrieve (?:builtin_data|custom_initial_data)\.",
        r"Missing TfLite\w+Params\.",
        r"Unsupported fused activation: \d+|TfLiteFusedActivation\.kTfLiteAct\w+",
        r"Incorrect (?:stride|dilation|kernel) values: .*",
        # convolutions and matrices
        r"(?:input|filter|output)\.dims\.size != 4",
        r"input\.b != output\.b|filter\.i != output\.c|bias\.size != output\.c",
        r"output\.c != input\.c \* depth_multiplier",
        r"depth_multiplier != 1 && input\.c != 1",
        r"(?:Linear alpha shape does not match the number of input channels|Alpha shape does not match input shape)\.",
        r"Unsupported FullyConnected weights format: .*",
        r"Input and output dimensions different and FullyConnected doesn't support keep_num_dims\.",
        r"Not supported batched mat mul case: (?:non-constant tensor|second input has unsupported rank)",
        r"only 2D(?:, 3D, or 4D)? tensor is supported, but got \d+D",
        r"Expected 1?>? ?\d?D, but got \d+D input #\d\.",
        r"Expected \d+, but got \d+ for output(?:\.dim\[\d+\])?\.",
        r"Expected int8, int4,(?: int2,)? or float32, but got \w+ for input #1\.",
        r"EMBEDDING_LOOKUP: (?:Empty quantization params|Unsupported weights type)\.",
        r"Expected only int\d.* Embedding Lookup\.",
        r"src or warp dims size != 4|src\.b != warp\.b|warp\.c < 2",
        # quantization
        r"Unsupported quantization scale size",
        r"(?:\w+: )?(?:Tensor is not quantized: \d+|Expected Int8, Int4, or Int2 quantized tensor: \d+|Expected (?:2D or )?4D quantized tensor.*: \d+)",
        r"Encountered Quantize output with no quant params",
        r"Unsupported dequantization type\.",
        r"Dequantize for Densify is not supported",
        # recurrent
        r"Expected 20 or 24 input tensors, but node has .*|Expected 1 output tensor, but node has .*",
        r"Only (?:sigmoid or tanh|TANH) activation is supported[,.] but node has .*",
        r"BasicLSTM activation depth must be a multiple of 4\.",
        r"(?:cell|proj)_clip is not supported\.",
        r"LSTM should have 5 input tensors",
        # StableHLO and composites
        r"Only support float inputs",
        r"Input and output types must match",
        r"Clamp tensors must all be the same type",
        r"(?:Min|Max) tensor must be the same shape as the input, or a scalar",
        r"Require size\(indices\) = rank\(operand\)|Require 0 <= index val < rank\(result\)",
        r"Requires dim\(input, d\) = 1 \|\| dim\(input, d\) = dim\(output, index\[d\]\)",
        r"Index values must be unique",
        r"\w+ has (?:bad \w+ tensor dims\.|unexpected reduction axes\b).*",
        r"(?:Scale|Bias|Beta|Gamma) tensor channels don't match input tensor channels\.",
        r"Only channel-last tensor is supported for \w+\..*",
        r"Only reduction on the last axis is supported for \w+.*",
        r"Q, K and V tensors' channels must match.*|K and V tensors' shapes must identical.*|K tensor's height must match Mask tensor's channels.*",
        r"src and pos must have the same width for PositionalEmbedding\.",
        r"Input tensors' channels must match\.",
        r"Param tensor shape expected to be \[1, 1, 1, 7\]\.",
        r"gated_delta_update requires .*",
    ),
}
"""Patterns for the whole message, by the kind of fault, in the order in which they are tried."""

OLDER = re.compile(
    r"OP is supported, but tensor type(?:/shape)? (?:isn't matched!|isn't compatible\.|doesn't supported\.)"
    r"|Not supported logical op case\.?|Cast from bool not supported for outputs"
)
"""What only the TFLite delegate before LiteRT 2 says, of element types and ranks."""

BEHIND_A_NAME = (
    r"[\w. ]+ is missing [\w ]+\.",
    r"[\w. ]+ expects? .*",
    r"moe .*",
)
"""Patterns of parameters that would match other people's sentences where no operator stands before them."""


@cache
def _compiled() -> tuple[tuple[Cause, re.Pattern[str]], ...]:
    return tuple((cause, re.compile("|".join(patterns))) for cause, patterns in REASONS.items())


def cause_of(message: str, operator: bool = True) -> Cause | None:
    """The kind of fault that a message of the delegate's list names; None for words that no release is known to say.

    `operator` tells whether an operator's name stood before it."""
    message = message.rstrip()
    for cause, pattern in _compiled():
        if pattern.fullmatch(message):
            return cause
    if operator and re.fullmatch("|".join(BEHIND_A_NAME), message):
        return Cause.PARAMETER
    return None

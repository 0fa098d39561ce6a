"""Lines of the runtime, its kernels, its loaders, the converter and the device, and what each means.

The words are those of LiteRT 2.1.2 to 2.3.0 (measured, and read from v2.2.0), of its converter, and of public
reports (https://github.com/google-ai-edge/LiteRT/issues and the older tensorflow/tensorflow ones)."""

# ruff: noqa: E501 - log lines are quoted as they are printed.

from __future__ import annotations

from typing import NamedTuple


class Route(NamedTuple):
    """What a log line means: the rules that explain it (none where no model decides it), why it comes, and what to
    do; nothing where nothing is wrong."""

    rules: tuple[str, ...]
    cause: str
    advice: str = ""


FULL = Route((), "a delegate took every operator of the subgraph: no fault (XNNPACK is the CPU)")
LIST = Route(("partitioned-graph",), "the list of refused operators begins: each of its lines is explained below")
PARTITIONED = "see which operators are refused and what to fix first"
LINT = "lint the model: the rule that fires names the operator"
NO_KERNEL = Route(
    ("identity-slice",),
    "no kernels, and no line before it tells why: so a tensor that is read beside a slice of all of it ends",
    "drop the slice: it copies",
)
BEFORE = "the cause stands on a line before; or lint the model"
CONSEQUENCE = Route((), "the delegate could not be applied: a consequence", BEFORE)
CREATION = ("kernel-creation",)

RESIDENCY: tuple[tuple[str, Route], ...] = (
    (
        r"(?:(?:No|(?:Only the )?[Ff]irst \d+|\d+) op(?:eration)?s? will run on the GPU, and (?:all|the remaining) \d+ )",
        Route(("partitioned-graph",), "the residency of one subgraph", PARTITIONED),
    ),
    (
        r"(?:Following|Next) operations are not supported by GPU delegate:?|Not supported by ML Drift:",
        LIST,
    ),
    (r"\b(\d+) / \1 ops are delegated to ML Drift", FULL),
    (
        r"\d+ / \d+ ops are delegated to ML Drift",
        Route(("partitioned-graph",), "the residency of one subgraph", PARTITIONED),
    ),
    (r"Replacing (\d+) out of \1 node\(s\) with delegate", FULL),
    (
        r"Replacing \d+ (?:out of \d+ )?node\(s\) with delegate \((?:TfLite)?XNNP",
        Route((), "XNNPACK took these operators: they run on the CPU", "see the GPU delegate's own line for the rest"),
    ),
    (
        r"Replacing \d+ out of \d+ node\(s\) with delegate",
        Route(("partitioned-graph",), "a delegate took a part of the subgraph", PARTITIONED),
    ),
    (
        r"Some ops are not accelerated|Hint fully delegated to single delegate is set",
        Route(
            ("partitioned-graph",),
            "full residency is required, and an operator is refused",
            "fix the refused operators, or allow the CPU",
        ),
    ),
    (
        r"Unable to preview delegate partition",
        Route(
            ("malformed-model",),
            "the graph cannot be cut into partitions: an operator waits for itself",
            "convert the model again with a current converter",
        ),
    ),
)
"""How many operators run where."""

KERNELS: tuple[tuple[str, Route], ...] = (
    (
        r"Unable to parse bc coord for BATCH axis.*\bcond\w*|args are cond_",
        Route(
            ("select-condition-rank",),
            "a SELECT condition of lower rank than the result",
            "RESHAPE the condition to the result's rank: exact",
        ),
    ),
    (
        r"Unable to parse bc coord for BATCH axis.*args are res, DST_X",
        Route(
            ("quantized-matrix-rows",),
            "FULLY_CONNECTED with quantized weights over several rows that are not along the first axis",
            "RESHAPE the rows to the first axis around it: exact",
        ),
    ),
    (
        r"Unable to parse bc coord for BATCH axis.*args are \(X\), [^,]*, \(S\)",
        Route(
            ("prelu-batch",),
            "PRELU with an alpha of several positions and a batch above 1",
            "use an alpha with one value a channel, or a batch of 1",
        ),
    ),
    (
        r"Unable to parse bc coord for BATCH axis.*args are 0, 0, (?:S|slice_coord_TMP)",
        Route(
            ("gather-constant-indices", "kernel-creation"),
            "GATHER with several indices: constant ones before 2.3.0, runtime ones on 2.1.2",
            "take the parts with SLICE and CONCATENATION: exact; or raise the release",
        ),
    ),
    (
        r"Unable to parse bc coord for BATCH axis.*args are X, Y, 0",
        Route(CREATION, "Resampler over a warp with a batch", "one Resampler a batch entry"),
    ),
    (
        r"Unable to parse bc coord for BATCH axis.*args are result, ",
        Route(CREATION, "an operator on a tensor without elements", "export without the empty tensor"),
    ),
    (
        r"Unable to parse bc coord for BATCH axis",
        Route(
            ("gather-constant-indices", "select-condition-rank", "quantized-matrix-rows", "prelu-batch"),
            "a kernel reads a batch that its tensor does not have",
            LINT,
        ),
    ),
    (
        r"Unsupported weights shape",
        Route(
            ("batch-matmul-columns",),
            "BATCH_MATMUL with adj_y and columns off a multiple of 4",
            "TRANSPOSE explicitly: exact; or 2.1.5 and later",
        ),
    ),
    (
        r"Shape mismatch: \{bhwc|Shape mismatch \{bhwc",
        Route(
            ("dequantized-matrix",),
            "a constant INT8 matrix behind DEQUANTIZE",
            "quantize dynamically (drop the DEQUANTIZE), or store FLOAT16 weights",
        ),
    ),
    (
        r"TopK requires src tensor C dimension to be divisible by 4",
        Route(
            ("topk-channels",),
            "TOPK_V2 over channels off a multiple of 4: creation goes on, and the result is wrong",
            "pad with -1e9 to a multiple of 4 channels",
        ),
    ),
    (
        r"Output id not found",
        Route(("split-concat",), "a graph input is split and put together again", "take the parts with SLICE: exact"),
    ),
    (
        r"includes writable usage and another usage in the same synchronization scope|Invalid CommandBuffer",
        Route(("split-parts-combined",), "two outputs of one split meet in an operator", "take the parts with SLICE"),
    ),
    (
        r"Error while parsing WGSL",
        Route(
            (
                "batched-depth-space",
                "cumsum-mode",
                "integer-constant",
                "integer-pad",
                "kernel-type",
                "lone-concat",
                "max-pool-floor",
                "mixed-rank-operands",
            ),
            "a WebGPU shader does not compile; creation and run succeed, and the result is never written",
            LINT,
        ),
    ),
    (
        r"Check failed: CanReadValue",
        Route(
            ("split", "kernel-creation"),
            "a constant where a kernel reads a runtime tensor, or a SPLIT with one output: the process dies",
            "drop the SPLIT; fold the operator whose input is constant",
        ),
    ),
    (
        r"Check failed: !IsInput\(consumer|Node is already a consumer of the value",
        Route(
            ("same-tensor-twice",),
            "one tensor in two operands kills the process",
            "give one operand a copy by RESHAPE: exact",
        ),
    ),
    (
        r"Check failed: !IsInput\(producer",
        Route(("malformed-model",), "an operator writes its own input", "convert the model again"),
    ),
    (
        r"Check failed: (?:params->scale->size|tflite_tensor->quantization\.type|tfl_tensor|dims->size|src\.bytes)",
        Route(CREATION, "a constant or a scale that a kernel cannot read: the process dies", LINT),
    ),
    (
        r"has unsupported dtype\.|Unsupported ucl::Reinterpret|No GPU object with name - |model input type is not supported"
        r"|No support of depthwise runtime weights|BindGroupLayoutEntry had none of|Unsupported data type - "
        r"|Use external weights for blockwise quantization|FULLY_CONNECTED with blockwise quantization"
        r"|Encountered Dequantize input with no quant params|free\(\): invalid next size|Externalized weights with unaligned input dimension",
        Route(CREATION, "an operand of a type, quantization or place that the kernel cannot be built for", LINT),
    ),
    (
        r"Conv2D: Weights tensor has unsupported properties for WebGPU delegate",
        Route(
            ("op-parameters",),
            "CONV_2D with runtime weights that have a scale a channel is refused from 2.2.0",
            "quantize the runtime weights per tensor",
        ),
    ),
    (
        r"Failed to mark subgraph as delegation skippable",
        Route(("composite-op",), "a composite's decomposition could not be set aside", "convert without the composite"),
    ),
    (r"Failed to initialize kernel", NO_KERNEL),
    (
        r"No custom tensor buffer handler|NOT_FOUND.*delegate_kernel_litert|\(LITERT_\w+\) failed to invoke",
        Route(
            ("partial-delegation-fails", "quantized-graph-edge"),
            "2.1.2 and 2.1.3 fail at the first run of a graph that is on the GPU in part, or quantized at its edge",
            "2.1.4 and later, or full residency",
        ),
    ),
    (
        r"larger than the maximum (?:storage buffer )?binding size|RESOURCE_EXHAUSTED|Requested allocation size|CL_MEM_OBJECT_ALLOCATION_FAILURE|CL_INVALID_BUFFER_SIZE"
        r"|Failed to allocate device memory|exceeds the max(?:imum)? buffer size",
        Route(
            ("buffer-limit",),
            "a buffer above the device's limit",
            "split or quantize a constant; run on smaller pieces where a runtime tensor is too large",
        ),
    ),
    (
        r"clBuildProgram|[Bb]uild program failure|Failed to build program executable|expected expression|implicit conversion .*half4|CL_BUILD_PROGRAM_FAILURE",
        Route(
            ("batched-depth-space",),
            "an OpenCL or Metal shader does not compile: reported for DEPTH_TO_SPACE with a batch; else the driver's",
            "one image a run for DEPTH_TO_SPACE; otherwise report it with the model, fp32 may help",
        ),
    ),
    (
        r"[Ss]hader compilation failed|compilation errors?\.\s+No code generated|Linking failed",
        Route(
            (), "a shader that the driver does not compile: the model does not decide it", "another backend or driver"
        ),
    ),
    (
        r"Failed to load model from file|Failed to build TFL interpreter|model_load\.cc:\d+\]?$",
        Route((), "the file could not be loaded: a consequence", BEFORE),
    ),
    (
        r"Failed to create (?:litert::ml_drift::)?DelegateKernelLiteRt|Delegate kernel initialization failed"
        r"|Restored (?:original|previous) execution plan after delegate application failure|Failed to modify graph with delegate"
        r"|Failed to (?:create|build|compile) (?:the )?compiled? ?model|Failed to compile model|litert_compiled_model\.h:\d+\]?$|kLiteRtStatusErrorRuntimeFailure|kLiteRtStatusErrorCompilation"
        r"|delegate is not initialized|Node number \d+ \((?:TfLite|Gpu|LITERT_)\w*\) failed to (?:prepare|invoke)|Failed to apply (?:the )?(?:GPU )?delegate\.?$"
        r"|ModifyGraphWithDelegate is disallowed when graph is immutable",
        CONSEQUENCE,
    ),
)
"""Kernels that cannot be built or run, after the operators were accepted."""

LOADING: tuple[tuple[str, Route], ...] = (
    (
        r"Encountered unresolved custom op: ",
        Route(
            ("custom-op",), "a custom operator that is not registered", "convert with builtin operators, or register it"
        ),
    ),
    (
        r"Select TensorFlow op\(s\), included in the given model",
        Route(("custom-op",), "a TensorFlow operator without the Flex delegate", "convert without Flex operators"),
    ),
    (
        r"Didn't find op for builtin opcode|Op builtin_code out of range",
        Route(
            ("unregistered-op",),
            "an operator or version that this runtime does not have",
            "raise the release, or convert for the older one",
        ),
    ),
    (
        r"delegate that only supports static-sized tensors|is a dynamic-sized tensor",
        Route(
            ("dynamic-shape",),
            "a shape that is only known at run time",
            "export with fixed sizes and constant shape operands",
        ),
    ),
    (
        r"Variable tensors not yet supported|variable tensor with buffer or external buffer|Variable input tensors must be a graph output",
        Route(("variable-tensor",), "variable tensors", "carry the state as graph inputs and outputs"),
    ),
    (
        r"'stablehlo\.composite'",
        Route(("composite-op", "malformed-model"), "a composite without its attributes", "convert without composites"),
    ),
    (
        r"No usable Dispatch runtime found",
        Route(("malformed-model",), "a model compiled for an NPU", "use the model before it was compiled for the NPU"),
    ),
    (
        r"Model provided is schema version|quantized_dimension must be in range|has invalid quantization parameters"
        r"|Element type \(\d+\) not currently supported|[Mm]odel identifier|No subgraph in the model|Signature has incorrect number"
        r"|absent tensor among its inputs|CUSTOM builtin_code has no custom_code|Invalid per-channel quantization|QuantizationParam has"
        r"|num_scales must be 1 for per-layer|is invalidly specified in schema|Intermediate tensors not yet supported|invalid op output index"
        r"|AllocateTensors\(\) called on inconsistent model|Tensor \d+ is both input \d+ and output|not a valid [Ff]latbuffer|Input tensor \d+ lacks data",
        Route(
            ("malformed-model",),
            "the runtime refuses to load the file",
            "convert the model again with a current converter",
        ),
    ),
    (
        r"If half_pixel_centers is True, align_corners must be False|failed to prepare|was not true\.|was optional but was expected"
        r"|im2col size overflowed|XNNPack delegate failed to|failed to delegate \w+ node #|in XNNPACK delegate"
        r"|kernels/\w+\.cc:\d+ .*(?:!=|==|<=|>=|<|>)",
        Route(
            ("cpu-prepare",),
            "a CPU kernel refuses the operator before the GPU is asked",
            "give the operator the form that its kernel wants",
        ),
    ),
    (
        r"unsupported scale value",
        Route(
            ("op-parameters",),
            "a scale of 0, as quantizers write for a block of zeros",
            "set zero scales to the smallest positive one: exact",
        ),
    ),
)
"""What the loaders and the CPU kernels say before a delegate is asked."""

DEVICE: tuple[tuple[str, Route], ...] = (
    (
        r"No adapters found|shaderUniform.*ArrayDynamicIndexing required|Failed to initialize WebGPU environment",
        Route((), "no usable GPU on this machine: the model is not at fault", "install a Vulkan driver"),
    ),
    (
        r"Can ?not open OpenCL library|libOpenCL\S*\.so|Falling back to OpenGL",
        Route(
            (),
            "the application cannot open OpenCL: the model is not at fault",
            'declare it in the manifest: <uses-native-library android:name="libOpenCL.so" android:required="false"/>',
        ),
    ),
    (
        r"Could not load symbol LiteRtRegisterAcceleratorGpu|GPU accelerator could not be (?:dynamically )?loaded",
        Route(
            (), "the GPU accelerator's library is missing: the model is not at fault", "ship it with the application"
        ),
    ),
    (
        r"Failed to initialize Dispatch API|NPU accelerator could not be loaded|Dispatch library directory is not set|Failed to apply compiler plugins"
        r"|Failed to load plugin at: \S*CompilerPlugin",
        Route((), "no NPU is installed: no fault"),
    ),
    (
        r"Logging before InitGoogle\(\)|log messages before absl::InitializeLog\(\)",
        Route((), "a notice of the logger: no fault"),
    ),
    (
        r"No shader implementation for|OpenGL-based API disabled|GL_INVALID_OPERATION|Suitable node shader is not found",
        Route(
            (),
            "the older delegate on OpenGL, which has fewer kernels: the model is not at fault",
            "use OpenCL, or LiteRT's CompiledModel",
        ),
    ),
)
"""What the machine lacks."""

CONVERTER: tuple[tuple[str, Route], ...] = (
    (
        r"NHWC node rewriter not found: amax",
        Route(
            (), "converter: a channel maximum in NCHW", "max_pool2d over a (C, 1) kernel, or drop the norm to rank 3"
        ),
    ),
    (
        r"NHWC node rewriter not found: ",
        Route(
            (), "converter: an operator that its layout pass cannot turn", "permute around it, or write it otherwise"
        ),
    ),
    (
        r"Lowering not found: aten\.(?:_fft|fft|complex|view_as_(?:real|complex)|stft|istft)",
        Route(
            (),
            "converter: a Fourier transform or complex numbers",
            "a DFT is a fixed linear map: Conv1d with windowed cosines and sines, inverse as matmul and overlap-add",
        ),
    ),
    (
        r"Lowering not found: aten\.(?:normal|rand|bernoulli|multinomial)",
        Route((), "converter: random numbers in the graph", "make them in the application and pass them in"),
    ),
    (
        r"Lowering not found: ",
        Route(
            (), "converter: an operator that it does not know", "write it by operators that it lowers, or cut it out"
        ),
    ),
    (
        r"op is not part of the vhlo support|failed to legalize operation|Could not translate MLIR to FlatBuffer",
        Route(
            ("unregistered-op",),
            "converter: a StableHLO operator without a TFLite form (iota from torch.eye or arange, sort from top-k)",
            "store what it computes as a constant, or run it in the application",
        ),
    ),
    (
        r"neither a custom op nor a flex op|not supported by the (?:native TFLite|standard TensorFlow Lite) runtime|operators for which you will need custom implementations",
        Route(("custom-op",), "converter: an operator without a TFLite form", "replace it by builtin operators"),
    ),
    (
        r"operands don't have broadcast-compatible shapes",
        Route((), "converter: channel attention through Linear", "express it as a 1x1 convolution"),
    ),
)
"""What the converter says, before there is a model."""

LINES = (*RESIDENCY, *KERNELS, *LOADING, *DEVICE, *CONVERTER)
"""Searched for in this order: the first that is found explains the line."""

//! Explanations of input errors: in code objects, kernels, arguments and launches.

use gcn_args::error_names as args;
use gcn_asm::Explanation;
use gcn_object::error_names as object;
use gcn_report::FileFailure;
use gcn_runtime::error_names as runtime;

use crate::problem;

/// Explanation for launch files, also used for their diagnostics.
pub const INVALID_LAUNCH_FILE: Explanation = Explanation {
    name: problem::INVALID_LAUNCH_FILE,
    meaning: "A launch file is not valid TOML, or has a key or value that launches do not have.",
    example: "kernal = \"add\"",
    remedy: "The message lists the possible keys; docs/launch.md describes them.",
    source: "",
};

/// Explanation for suppression files, also used for their diagnostics.
pub const INVALID_SUPPRESSIONS: Explanation = Explanation {
    name: problem::INVALID_SUPPRESSIONS,
    meaning: "A file of suppressions is not valid TOML, or has a key or value that suppressions do not have.",
    example: "[[suppress]]\nnaem = \"missing-wait\"",
    remedy: "The message lists the possible keys; `gcn check --gen-suppressions` writes such a file.",
    source: "",
};

/// Defines the list of explanations, one per row.
macro_rules! inputs {
    ($($name:expr,
        meaning $meaning:literal
        remedy $remedy:literal
    )*) => {
        /// Explanations of all input errors.
        pub static INPUTS: &[Explanation] = &[
            INVALID_LAUNCH_FILE,
            INVALID_SUPPRESSIONS,
            $(Explanation {
                name: $name,
                meaning: $meaning,
                example: "",
                remedy: $remedy,
                source: "",
            }),*
        ];
    };
}

inputs! {
    problem::INVALID_USAGE,
        meaning "Arguments contradict each other, are incomplete, or are unknown to the command or the kernel."
        remedy "The message names the argument; `gcn COMMAND --help` describes all."
    problem::INVALID_SETTING,
        meaning "A variable `GCN_…` of the environment, or the corresponding option of `gcn exec`, has an invalid value."
        remedy "The message lists the accepted values; docs/hip.md describes the variables."
    object::NOT_A_CODE_OBJECT,
        meaning "The file is not a code object and contains none: it is text, a program for a CPU without GPU code, or a file \
                 of another format."
        remedy "`gcn info` shows what a file contains. HIP programs and libraries contain their code objects in a section \
                .hip_fatbin; `clang -c` and `hipcc --genco` write code objects."
    object::UNSUPPORTED_FORMAT,
        meaning "The file has an unsupported language, version, compression or relocation. Supported code objects have \
                 versions 2 to 6 and the OS ABI of HSA."
        remedy "Compile with another version (`-mcode-object-version=5`), or without `--offload-compress`."
    object::TRUNCATED_FILE,
        meaning "The file ends before a section, segment or entry that its headers describe."
        remedy "Copy or build the file again: a part of it is missing."
    object::MALFORMED_FILE,
        meaning "A table, section or compressed stream contradicts the format: an address outside of all segments, names that \
                 overlap, an alignment that is not a power of two."
        remedy "Compare with `readelf -a`. If another tool loads the file, this is probably a defect of gcn."
    object::FILE_TOO_LARGE,
        meaning "The code object, or the bundle after decompression, needs more memory than the limit."
        remedy "The message states the size and the limit. Extract the code object with `gcn extract`, or build with fewer \
            targets."
    object::NOT_LINKED,
        meaning "A relocation needs a linker, or refers to a symbol that the code object does not define."
        remedy "Link the object: `ld.lld -shared in.o -o out.co`. For an undefined function, compile with the device libraries."
    object::UNKNOWN_KERNEL,
        meaning "No kernel of the file has this name. A kernel is found by its symbol, its demangled declaration, or its name \
                 without parameters, template arguments or namespace if only one kernel fits."
        remedy "The message lists the closest names; `gcn info` lists all."
    object::AMBIGUOUS_KERNEL,
        meaning "Several kernels have this name, or the program has several kernels and the launch names none."
        remedy "Choose a kernel with `--kernel`, by one of the names in the message."
    problem::MISSING_TARGET,
        meaning "Neither the program nor the command line states the target."
        remedy "Add `--target gfx906`, or `.amdgcn_target` to the source."
    runtime::UNSUPPORTED_TARGET,
        meaning "The code, or the command, is for a target that the emulator does not have. GCN 1.0 to 1.4.1 are supported: \
                 gfx600 to gfx906, gfx909 and gfx90c; of gfx906 only chips with SRAM ECC, such as MI50 and MI60."
        remedy "Compile for a supported target, such as `--offload-arch=gfx906` or `-mcpu=gfx906`."
    runtime::NO_MATCHING_CODE,
        meaning "The file has code, but none for the requested target or entry, or fewer bytes than requested."
        remedy "Choose one of the targets in the message with `--target`, or compile for the target."
    problem::NOTHING_TO_EXTRACT,
        meaning "The file is a code object itself, not one that holds code objects."
        remedy "Use the file as it is: `gcn info`, `gcn dis` and `gcn run` read it."
    runtime::MISSING_COMPILER,
        meaning "Clang, its linker or AMD's device libraries are not installed, or a variable names a file that does not exist. \
                 Sources in OpenCL C and HIP are compiled by the system's Clang."
        remedy "On Debian: `apt-get install clang-19 lld-19 rocm-device-libs`. GCN_CLANG and HIP_DEVICE_LIB_PATH select other \
            installations."
    runtime::COMPILATION_FAILED,
        meaning "The compiler has rejected the source; its own messages are above."
        remedy "Correct the source. `-v` shows the compiler's commands."
    runtime::UNREADABLE_INPUT,
        meaning "An input cannot be read, is empty, is not text where text is expected, or has changed while it was read."
        remedy "Relative paths in a launch file start at its directory, those of options at the current directory."
    runtime::TEMPORARY_FILE,
        meaning "A temporary directory or file cannot be created: the directory that TMPDIR names does not exist or is not \
                 writable, or the disk is full."
        remedy "Set TMPDIR to a writable directory; the default is /tmp."
    args::UNKNOWN_ARGUMENT,
        meaning "The kernel has no argument of this name or number."
        remedy "The message lists the kernel's arguments. Compilers keep names only with metadata; numbers start at 0."
    runtime::MISSING_ARGUMENT,
        meaning "An argument of the kernel has no value."
        remedy "Add `--arg NAME=VALUE`; the message lists the kernel's arguments."
    args::DUPLICATE_ARGUMENT,
        meaning "An argument has two values, perhaps by name and by number, or two buffers have the same name."
        remedy "Remove one of them. Declare buffers that several launches use under [buffers]."
    args::ARGUMENT_TYPE,
        meaning "The value is of another kind or type than the argument: a number for a buffer, a float for an integer."
        remedy "The message states what is expected. `3,` with a comma is a buffer of one element."
    runtime::ARGUMENT_SIZE,
        meaning "The value has another size than the argument, or is larger than any argument."
        remedy "Use the type that the message states. A structure has only the padding that is written (`hex:00`)."
    args::UNTYPED_ARGUMENT,
        meaning "A number has no type, and the kernel's metadata and symbol do not state it either."
        remedy "Write the type: `u32:2` or `f32:2`."
    args::INVALID_VALUE,
        meaning "The text is not a value: a number out of range, an unknown type or fill, an incomplete structure."
        remedy "docs/launch.md describes values: `f32:1,2,3`, `f32*256:iota`, `@file`, `local:1024`, `{u32:1, f32:2.5}`."
    args::UNKNOWN_BUFFER,
        meaning "No buffer has this name, or the argument of this name has no buffer of its own."
        remedy "The message lists the buffers. Variables of the program need a type: `--print table:u32`."
    runtime::BUFFER_RANGE,
        meaning "The selected elements do not exist in the buffer."
        remedy "Ranges are `[A..B]` without B, and count elements of the buffer's type, not bytes."
    args::INVALID_EXPECTATION,
        meaning "The number of expected values differs from the number of elements, or the tolerance is invalid."
        remedy "Select elements with `NAME[A..B]`. Tolerances are a number, `4 ulp`, `exact` or `any`."
    runtime::GRID_SIZE,
        meaning "The grid has no work-items in a dimension, or more waves than the limit."
        remedy "Correct `--grid`, which counts work-items, not workgroups."
    runtime::WORKGROUP_SIZE,
        meaning "The workgroup is larger than the hardware or the kernel's attributes allow, or does not have the size that \
            they require."
        remedy "Correct `--group`. `reqd_work_group_size` and `__launch_bounds__` in the source set the kernel's limits."
    runtime::RESOURCE_LIMIT,
        meaning "A workgroup needs more registers, LDS or scratch than a compute unit has, or waves of 32 lanes."
        remedy "Use smaller workgroups or less LDS; `gcn info` shows what a kernel uses."
    runtime::OUT_OF_MEMORY,
        meaning "The emulated device, or the host, does not have enough memory."
        remedy "Raise `--memory`, or use smaller buffers. Registers and scratch of resident workgroups count too."
    runtime::HOST_LIMIT,
        meaning "The host cannot start a thread or handle signals, or lacks the vector instructions that GCN_VECTORS asks for; or GCN_ENGINE names no engine."
        remedy "Lower `--threads`, set GCN_VECTORS to `baseline`, or GCN_ENGINE to `interpreter`."
    problem::OUTPUT_CONFLICT,
        meaning "An output would replace an input, or two outputs go to the same file, or both to standard output."
        remedy "Choose another file for the output."
    problem::UNWRITABLE_OUTPUT,
        meaning "An output cannot be written: its directory does not exist, it is a directory, or the system refuses."
        remedy "Correct the path, or create the directory."
    problem::INVALID_LABELS,
        meaning "A line of the file for `gcn dis --labels` is invalid, or its address or label does not fit the code."
        remedy "Write an address, then a label, a note in quotes or both: `0x104 loop \"next row\"`."
    problem::INVALID_SELECTOR,
        meaning "The text of `--print`, `--save` or `--expect` does not select elements of a buffer."
        remedy "Write `NAME`, `NAME:TYPE`, `NAME[A..B]` or `NAME:TYPE[A..B]`; `:hex` is for `--print`. Symbols need a type."
    problem::UNKNOWN_ENTRY,
        meaning "`gcn isa` or `gcn explain` does not know the name, number or words."
        remedy "`gcn isa` lists the families of instructions, `gcn isa FAMILY` its instructions, `gcn explain` all names."
    problem::MISSING_DEBUG_INFO,
        meaning "The code object has no line information."
        remedy "Compile or assemble with `-g`, or compile with `-gline-tables-only`, which changes no instruction."
    problem::MISSING_LIBRARY,
        meaning "A library for programs is not installed, or its directory has a name that the loader cannot take."
        remedy "`cargo xtask dist PREFIX` installs the libraries; GCN_LIB_DIR names another directory."
    problem::UNUSABLE_PROGRAM,
        meaning "The program of `gcn exec` does not exist, cannot be executed, or runs as another user than its caller."
        remedy "Correct the path or the permissions. A name without a slash is searched for in PATH."
    problem::INVALID_FILTER,
        meaning "`--trace-only` has an invalid key or value."
        remedy "The message lists the keys; docs/launch.md describes them."
    problem::NO_LAUNCH_FILE,
        meaning "`gcn test` finds no launch file among its paths, or none that `--filter` selects."
        remedy "Name launch files, or a directory with `*.toml` files that have the key `file`; docs/launch.md describes them."
    FileFailure::RULE,
        meaning "`gcn test` writes this result to its SARIF log for a launch file that failed without a finding: a fault, a wrong result, a time \
                 limit, or a file that cannot be run."
        remedy "`gcn run FILE` shows the failure, or `gcn check FILE` if `gcn test` ran with `--check`."
    problem::HISTORY_TOO_LARGE,
        meaning "`gcn why` runs the launches several times: it keeps the contents of memory before the first one, up to 128 \
                 MiB of buffers, and a trace of the workgroups that the value comes from, up to 1 GiB."
        remedy "Run fewer launches or smaller buffers that show the same value."
    problem::INVALID_PROTOCOL,
        meaning "The input of `gcn lsp` or `gcn debug --dap` has no `Content-Length` header at the start of a message, or ends \
            too early."
        remedy "Let an editor start the command; docs/editors.md and docs/debug.md show how."
    runtime::HOST_RANGE,
        meaning "A range of host memory cannot be registered: it is empty, overlaps another, or is registered already."
        remedy "Register each range once, and release it before it is registered again."
    runtime::ALREADY_FREED,
        meaning "Memory is freed or released a second time, or at an address that is not the start of an allocation."
        remedy "Free the address that the allocation returned, once."
    runtime::OTHER_DEVICE,
        meaning "A kernel is launched on a queue of another device than its module's."
        remedy "Load the module into each device."
    runtime::CANCELLED,
        meaning "The command's queue was cancelled before or while the command ran."
        remedy "Submit the command again."
    runtime::SKIPPED,
        meaning "The command was not started, because one before it, or one that it depends on, has failed."
        remedy "Look at the first error of the queue; `Queue::clear` lets the queue continue."
    runtime::PANICKED,
        meaning "A function that the caller put into a queue has panicked."
        remedy "The message of the panic names the location."
    // Errors that only the C library returns.
    "null-pointer",
        meaning "A function of the C library got a null pointer where it needs a value."
        remedy "The message names the parameter; gcn.h says which may be null."
    "invalid-handle",
        meaning "A function of the C library got a handle that was freed, is of another type, or was never created."
        remedy "Use a handle until it is freed, with the functions of its type."
    "invalid-array",
        meaning "A function of the C library got a misaligned pointer, or a length that no array has."
        remedy "Align the data to the size of its elements, and pass the number of elements, not of bytes."
    "invalid-text",
        meaning "A string is not UTF-8."
        remedy "The message states the offset of the first invalid byte; convert the string."
    "invalid-choice",
        meaning "A number or a name is not one of the choices: a target, a syntax, a dialect, a version, a check."
        remedy "The message names the value; gcn.h lists the choices."
    "index-range",
        meaning "An index is not below the number of elements."
        remedy "The functions whose names end in `_count` return the numbers."
    "unknown-instruction",
        meaning "No instruction of the target begins with these words."
        remedy "List the first word as data and continue after it, as `gcn dis` does."
    "truncated-instruction",
        meaning "The words end before the instruction does."
        remedy "Pass the second word too: the word count of an instruction is 1 or 2."
    "internal-error",
        meaning "A function of the C library has panicked, which is a defect of this project."
        remedy "Report the message and the call."
}

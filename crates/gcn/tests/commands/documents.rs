//! Documents whose code blocks are run, and the blocks that are not.

/// Document whose code blocks are run.
#[derive(Clone, Copy)]
pub struct Document {
    pub name: &'static str,
    /// Directories with files that the commands use, and documents that show these files.
    pub sources: &'static [&'static str],
    /// Command that creates additional files.
    pub prepare: &'static str,
    /// Blocks that are not run: the start of the first line or the whole opening fence, and the reason.
    pub unrun: &'static [(&'static str, &'static str)],
}

/// Default for documents that are not listed: no files, and all blocks run.
const PLAIN: Document = Document {
    name: "",
    sources: &[],
    prepare: "",
    unrun: &[],
};
/// Command that compiles the program of `docs/hip.md`.
const VECTOR_ADD: &str = "hipcc -g --offload-arch=gfx906 vector_add.hip -o vector_add";
/// Kernels of the tutorial.
const TUTORIAL: &[&str] = &["examples/tutorial"];

/// Documents with code blocks.
const DOCUMENTS: &[Document] = &[
    Document {
        name: "README.md",
        sources: &["examples/saxpy", "examples/opencl", "docs/hip.md"],
        prepare: "gcn asm saxpy.s -o saxpy.co
            echo 'ds_add_u32 v1, v2, v3' >wrong.s
            echo 'ds_read_addtid_b32 v1' >>wrong.s
            echo 's_load_dwordx2 s[3:4], s[0:1], 0x10' >>wrong.s",
        unrun: &[
            (
                "python3 -m venv gpu",
                "needs a wheel; the test `package` of gcn-python runs the program",
            ),
            (
                "apt install ./amdgcn",
                "needs the packages of a release; `cargo xtask release --test` installs them",
            ),
        ],
    },
    Document {
        name: "docs/abi.md",
        unrun: &[(
            "User SGPRs",
            "a unit test of gcn compares it with `gcn isa abi`",
        )],
        ..PLAIN
    },
    Document {
        name: "docs/amd-xml.md",
        unrun: &[("git clone", "needs a network; the test `amd_xml`")],
        ..PLAIN
    },
    Document {
        name: "docs/c.md",
        unrun: &[
            ("cargo xtask capi", "builds and installs a library"),
            (
                "#include <stdio.h>",
                "the test `examples` of gcn-c runs the program",
            ),
        ],
        ..PLAIN
    },
    Document {
        name: "docs/check.md",
        sources: &["examples/opencl", "docs/hip.md"],
        prepare: VECTOR_ADD,
        ..PLAIN
    },
    Document {
        name: "docs/ci.md",
        unrun: &[
            ("name: Kernels", "the test `ci_recipe` runs its commands"),
            (
                "- uses: ./gcn/integrations/github",
                "the test `ci_recipe` runs the action",
            ),
            ("repos:", "the test `ci_recipe` runs the hooks"),
        ],
        ..PLAIN
    },
    Document {
        name: "docs/debug.md",
        sources: &[
            "examples/saxpy",
            "examples/opencl",
            "tests/debug",
            "tests/why",
            "crates/gcn-object/tests/fixtures",
            "docs/hip.md",
        ],
        prepare: "echo run >session.gdb
            echo 1000 >input.txt
            hipcc -g --offload-arch=gfx906 vector_add.hip -o vector_add",
        unrun: &[("local dap = ", "needs Neovim's plugin nvim-dap")],
    },
    Document {
        name: "docs/dialects.md",
        unrun: &[
            ("```clrx", "the test `dialects` of gcn-asm"),
            ("```differences", "the test `llvm` of gcn-asm"),
        ],
        ..PLAIN
    },
    Document {
        name: "docs/editors.md",
        unrun: &[(
            "vim.api.nvim_create_autocmd(",
            "the test `lsp` runs it in Neovim",
        )],
        ..PLAIN
    },
    Document {
        name: "docs/from-clrx.md",
        sources: &["examples/from-clrx"],
        unrun: &[(
            "s_getpc_b64 s[12:13]",
            "an excerpt of reverse-bits.s, which the commands below it run",
        )],
        ..PLAIN
    },
    Document {
        name: "docs/hip.md",
        unrun: &[
            ("apt-get install", "installs packages"),
            ("mkdir fake", "makes a device file of the machine"),
            (
                "LD_LIBRARY_PATH=/opt/rocm/lib",
                "needs AMD's release of HIP",
            ),
            ("LD_PRELOAD=$HOME/.local", "needs an installation"),
        ],
        ..PLAIN
    },
    Document {
        name: "docs/launch.md",
        sources: &["examples/saxpy"],
        ..PLAIN
    },
    Document {
        name: "docs/opencl.md",
        unrun: &[
            ("apt-get install", "installs packages"),
            ("import numpy as np", "needs pyopencl"),
            ("cp ~/.local", "changes the machine"),
        ],
        ..PLAIN
    },
    Document {
        name: "docs/playground.md",
        unrun: &[("cargo xtask playground", "needs npm and a network")],
        ..PLAIN
    },
    Document {
        name: "docs/profile.md",
        sources: &["examples/opencl", "docs/hip.md"],
        prepare: VECTOR_ADD,
        ..PLAIN
    },
    Document {
        name: "docs/python.md",
        unrun: &[
            (
                "python3 -m venv gpu",
                "needs a wheel; the Python tests of gcn-python run the program",
            ),
            (">>> ", "the Python tests of gcn-python run it as a doctest"),
            (
                "cc decode.c",
                "the test `package` of gcn-python compiles it",
            ),
        ],
        ..PLAIN
    },
    Document {
        name: "docs/rocm.md",
        unrun: &[
            ("apt-get update", "installs packages, and needs a model"),
            ("name: gfx906", "needs a project on GitHub"),
            ("+0x74", "an excerpt of a kernel of rocBLAS"),
            ("cd /usr/libexec/rocm", "needs rocBLAS"),
        ],
        ..PLAIN
    },
    Document {
        name: "docs/suites/rocm.md",
        unrun: &[
            ("apt-get install", "installs packages, and needs a network"),
            ("python3 model.py", "needs llama.cpp"),
        ],
        ..PLAIN
    },
    Document {
        name: "docs/tutorial/registers.md",
        sources: TUTORIAL,
        ..PLAIN
    },
    Document {
        name: "docs/tutorial/first-kernel.md",
        sources: TUTORIAL,
        ..PLAIN
    },
    Document {
        name: "docs/tutorial/first-bug.md",
        sources: TUTORIAL,
        ..PLAIN
    },
];

/// Document with this name. An unlisted one has no files, and all of its blocks run.
pub fn document(name: &str) -> Document {
    let listed = DOCUMENTS.iter().find(|document| document.name == name);
    listed.copied().unwrap_or(PLAIN)
}

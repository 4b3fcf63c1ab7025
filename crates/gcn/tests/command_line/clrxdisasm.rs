//! Tests of `clrxdisasm`: `gcn` under the name of CLRX's disassembler, with its options.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Output};

use super::{assert_status, output, scratch, stderr, stdout};

/// `v_mov_b32 v0, 0`, a FLAT load (in GCN 1.1, but not in 1.0), and `s_endpgm`.
const WORDS: [u32; 4] = [0x7e00_0280, 0xdc30_0000, 0x0100_0002, 0xbf81_0000];

/// Creates a directory with the words in a file, and a link to `gcn`.
fn prepared(test: &str) -> PathBuf {
    let directory = scratch(test);
    let bytes: Vec<u8> = WORDS.iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(directory.join("shader.bin"), bytes).expect("written");
    symlink(env!("CARGO_BIN_EXE_gcn"), directory.join("clrxdisasm")).expect("a link");
    directory
}

fn clrxdisasm(directory: &PathBuf, arguments: &[&str]) -> Output {
    Command::new(directory.join("clrxdisasm"))
        .current_dir(directory)
        .args(arguments)
        .output()
        .expect("it starts")
}

/// Arguments that shadPS4's shader viewer passes, with the file name in place of `{src}`.
const SHADPS4: [&str; 2] = ["--raw", "shader.bin"];

#[test]
fn the_default_command_of_shadps4_lists_a_shader() {
    let directory = prepared("clrxdisasm");
    let listing = clrxdisasm(&directory, &SHADPS4);
    assert_status(&listing, 0);
    let text = stdout(&listing);
    assert!(
        text.starts_with("/* Disassembling 'shader.bin' */\n\t.rawcode\n\t.gpu CapeVerde\n"),
        "{text}"
    );
    assert!(
        text.contains("v_mov_b32") && text.contains("s_endpgm"),
        "{text}"
    );
    // GCN 1.1 introduced FLAT instructions.
    assert!(
        !text.contains("flat_load_dword ") && text.contains("0xdc300000"),
        "{text}"
    );
}

#[test]
fn names_of_gpus_and_architectures_are_those_of_clrx() {
    let directory = prepared("clrxdisasm-names");
    for gpu in [
        &["--gpuType=Bonaire"][..],
        &["-g", "spectre"],
        &["-A", "GCN1.1"],
        &["--arch", "gcn1.1"],
    ] {
        let listing = clrxdisasm(&directory, &[gpu, &["-r", "-h", "shader.bin"]].concat());
        assert_status(&listing, 0);
        let text = stdout(&listing);
        assert!(
            text.contains("flat_load_dword") && text.contains("DC300000"),
            "{gpu:?}: {text}"
        );
        // The listing names the GPU, and can be assembled.
        fs::write(directory.join("shader.clrx"), &text).expect("written");
        let again = [
            "asm",
            "--dialect",
            "clrx",
            "--format",
            "raw",
            "shader.clrx",
            "-o",
            "again.bin",
        ];
        assert_status(&output(&directory, &again), 0);
        let read = |name| fs::read(directory.join(name)).expect("it exists");
        assert_eq!(read("again.bin"), read("shader.bin"));
    }
}

#[test]
fn options_that_do_not_exist_are_errors_that_name_those_that_do() {
    let directory = prepared("clrxdisasm-errors");
    for (arguments, message) in [
        (&["--raw", "--metadata", "shader.bin"][..], "'--metadata'"),
        (&["--raw", "-f", "shader.bin"], "'-f'"),
        (&["--raw", "--gpuType=Navi", "shader.bin"], "not a target"),
        (&["--raw"], "FILE"),
    ] {
        let failed = clrxdisasm(&directory, arguments);
        assert_status(&failed, 2);
        assert!(stderr(&failed).contains(message), "{}", stderr(&failed));
        assert!(failed.stdout.is_empty());
    }
    let unknown = stderr(&clrxdisasm(&directory, &["--all", "shader.bin"]));
    assert!(
        unknown.contains("--hexcode") && unknown.contains("--gpuType"),
        "{unknown}"
    );
    // Without --raw, words are not a valid program.
    let program = clrxdisasm(&directory, &["shader.bin"]);
    assert_status(&program, 1);
    assert!(
        stderr(&program).contains("shader.bin"),
        "{}",
        stderr(&program)
    );
    let help = clrxdisasm(&directory, &["-?"]);
    assert_status(&help, 0);
    assert!(stdout(&help).contains("--gpuType"), "{}", stdout(&help));
}

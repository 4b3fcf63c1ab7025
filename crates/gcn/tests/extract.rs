//! Tests of files that contain code objects or code in other formats: `gcn extract`, and `gcn info`, `gcn dis` and
//! `gcn run` with binaries from OpenCL drivers.

#[path = "../../gcn-object/tests/common/programs.rs"]
mod programs;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const GFX803: &[u8] = include_bytes!("../../gcn-object/tests/fixtures/scale-gfx803-v3.co");
const GFX803_V2: &[u8] = include_bytes!("../../gcn-object/tests/fixtures/scale-gfx803-v2.co");

/// Creates an empty directory for a test.
fn scratch(test: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path); // May not exist.
    fs::create_dir_all(&path).expect("a directory for the test");
    path
}

fn gcn(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gcn"))
        .current_dir(directory)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("gcn starts")
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).expect("text")
}

/// Runs a command that must succeed, and returns its standard output.
#[track_caller]
fn succeeds(directory: &Path, arguments: &[&str]) -> String {
    let output = gcn(directory, arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{arguments:?}\n{out}\n{err}");
    out.to_owned()
}

/// Runs a command that must fail with a status, and returns its standard error.
#[track_caller]
fn fails(directory: &Path, status: i32, arguments: &[&str]) -> String {
    let output = gcn(directory, arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(
        output.status.code(),
        Some(status),
        "{arguments:?}\n{out}\n{err}"
    );
    err.to_owned()
}

/// Offload bundle with entries for a host and targets.
fn bundle(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bytes.extend((entries.len() as u64).to_le_bytes());
    let table: usize = entries.iter().map(|(id, _)| 24 + id.len()).sum();
    let mut offset = (bytes.len() + table) as u64;
    for (id, contents) in entries {
        for number in [offset, contents.len() as u64, id.len() as u64] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(id.bytes());
        offset += contents.len() as u64;
    }
    bytes.extend(entries.iter().flat_map(|(_, contents)| *contents));
    bytes
}

/// Code object for gfx906 with the kernel `other`.
fn gfx906(directory: &Path) -> Vec<u8> {
    let source = "\
.amdgcn_target \"amdgcn-amd-amdhsa--gfx906\"
.globl other
.p2align 8
.type other,@function
other:
  s_endpgm
.amdhsa_kernel other
  .amdhsa_next_free_vgpr 1
  .amdhsa_next_free_sgpr 1
.end_amdhsa_kernel
";
    fs::write(directory.join("other.s"), source).expect("a file");
    succeeds(directory, &["asm", "other.s", "-o", "other.co"]);
    fs::read(directory.join("other.co")).expect("the code object")
}

#[test]
fn a_code_object_of_a_bundle_is_extracted() {
    let directory = scratch("extract");
    let other = gfx906(&directory);
    let file = bundle(&[
        ("host-x86_64-unknown-linux--", b""),
        ("hipv4-amdgcn-amd-amdhsa--gfx803", GFX803),
        ("hipv4-amdgcn-amd-amdhsa--gfx906", &other),
    ]);
    fs::write(directory.join("program.hipfb"), file).expect("a file");
    let refused = fails(&directory, 1, &["extract", "program.hipfb"]);
    assert!(refused.contains("gfx803 (1), gfx906 (2)"), "{refused}");
    assert!(!directory.join("program.co").exists());
    for (choice, expected) in [
        (["--target", "gfx803"], GFX803),
        (["--target", "vega20"], &other),
        (["--entry", "1"], GFX803),
        (["--entry", "2"], &other),
        (["--kernel", "scale"], GFX803),
        (["--kernel", "other"], &other),
    ] {
        let [option, value] = choice;
        succeeds(&directory, &["extract", "program.hipfb", option, value]);
        let made = fs::read(directory.join("program.co")).expect("the output");
        assert!(made == expected, "{choice:?}");
        fs::remove_file(directory.join("program.co")).expect("the output exists");
    }
    let to_stdout = ["extract", "program.hipfb", "--entry", "1", "-o", "-"];
    assert_eq!(gcn(&directory, &to_stdout).stdout, GFX803);
    let none = fails(&directory, 1, &["extract", "program.hipfb", "--entry", "3"]);
    assert!(
        none.contains("only code for: gfx803 (1), gfx906 (2)"),
        "{none}"
    );
}

#[test]
fn nothing_is_extracted_onto_the_input() {
    let directory = scratch("extract-onto");
    let file = bundle(&[("hipv4-amdgcn-amd-amdhsa--gfx803", GFX803)]);
    fs::write(directory.join("one.co"), &file).expect("a file");
    fs::hard_link(directory.join("one.co"), directory.join("linked")).expect("a link");
    for output in [
        &["one.co"][..],
        &["one.co", "-o", "./one.co"],
        &["one.co", "-o", "linked"],
    ] {
        let refused = fails(&directory, 1, &[&["extract"], output].concat());
        assert!(refused.contains("is the input"), "{refused}");
        assert!(fs::read(directory.join("one.co")).expect("the input") == file);
    }
    fs::write(directory.join("object.co"), GFX803).expect("a file");
    let refused = fails(&directory, 1, &["extract", "object.co", "-o", "again.co"]);
    let message = "error[nothing-to-extract]: object.co is a code object itself";
    assert!(refused.starts_with(message), "{refused}");
    assert!(!directory.join("again.co").exists());
    let nowhere = ["extract", "one.co", "-o", "missing/one.co"];
    assert!(fails(&directory, 1, &nowhere).contains("cannot write missing/one.co"));
}

#[test]
fn files_without_a_code_object_are_distinguished_from_code_objects() {
    let directory = scratch("extract-text");
    fs::write(directory.join("k.cl"), "kernel void k() {}\n").expect("a file");
    fs::write(directory.join("end.bin"), 0xbf81_0000_u32.to_le_bytes()).expect("a file");
    for file in ["k.cl", "end.bin"] {
        let refused = fails(&directory, 1, &["extract", file]);
        let message = format!("error[not-a-code-object]: {file}: not an ELF file");
        assert!(refused.starts_with(&message), "{refused}");
    }
}

#[test]
fn a_program_of_the_opencl_2_compiler_of_32_bits_holds_a_code_object() {
    let directory = scratch("extract-opencl");
    let file = programs::catalyst2_with(32, GFX803_V2, &[]);
    fs::write(directory.join("program"), file).expect("a file");
    succeeds(&directory, &["extract", "program"]);
    assert_eq!(
        fs::read(directory.join("program.co")).expect("the output"),
        GFX803_V2
    );
    let info = succeeds(&directory, &["info", "program"]);
    assert!(info.contains("code object v2 for gfx803"), "{info}");
}

/// Code objects of AMD's OpenCL 2 compiler have no metadata of their own.
#[test]
fn info_shows_the_arguments_that_a_program_of_the_opencl_2_compiler_has() {
    let directory = scratch("opencl-arguments");
    let source = "\t.hsa_code_object_version 2,1\n\t.hsa_code_object_isa 7,0,0,\"AMD\",\"AMDGPU\"\n\t.text\n\
                  \t.amdgpu_hsa_kernel \"&__OpenCL_scale_kernel\"\n\"&__OpenCL_scale_kernel\":\n\
                  \t.amd_kernel_code_t\n\t.end_amd_kernel_code_t\n\ts_endpgm\n";
    fs::write(directory.join("k.s"), source).expect("a file");
    succeeds(
        &directory,
        &["asm", "k.s", "--target", "gfx700", "-o", "k.co"],
    );
    let object = fs::read(directory.join("k.co")).expect("the code object");
    for (bits, hint) in [
        (32, Some("")),
        (32, Some("float4")),
        (64, None),
        (64, Some("")),
    ] {
        let metadata = programs::opencl2_metadata(bits, hint);
        let file = programs::catalyst2_with(bits, &object, &metadata);
        fs::write(directory.join("program"), file).expect("a file");
        let info = succeeds(&directory, &["info", "program"]);
        let address = bits / 8;
        for argument in [
            "hidden_global_offset_x",
            "hidden_printf_buffer",
            "by_value                  n: uchar3",
            "dynamic_shared_pointer    tmp: int*",
            "queue                     q: queue_t",
        ] {
            assert!(info.contains(argument), "{bits} {hint:?}: {info}");
        }
        let last = format!("{address}  queue");
        assert!(info.contains(&last), "{bits} {hint:?}: {info}");
    }
}

#[test]
fn info_shows_a_catalyst_program() {
    let directory = scratch("catalyst-info");
    for bits in [32, 64] {
        fs::write(directory.join("p.clo"), programs::catalyst(bits)).expect("a file");
        let info = succeeds(&directory, &["info", "p.clo", "--kernel", "fill"]);
        let pointer = bits / 8;
        let expected = format!(
            "\
p.clo: Catalyst OpenCL 1.2 program for Pitcairn, gfx601 (GCN 1.0), {bits} bits
made by OpenCL 1.2 AMD-APP (1702.3)
options -O3
constant data of 16 bytes

kernel fill
  code       8 bytes at 0x0
  registers  21 SGPRs, 11 VGPRs
  LDS        512 bytes
  scratch    64 bytes a lane
  workgroup  64 x 2 x 1, required
  s[2:3]     PTR_UAV_TABLE 0
  s[8:11]    IMM_CONST_BUFFER 1
  arguments
    offset   size  kind                      name: type
         0      4  value                     n: uint
        16     16  value                     v: float3
        32     24  value                     s: struct params
        64      {pointer}  global 12 const           in: float*
        80      {pointer}  global 13 const           out: float*
        96      {pointer}  local                     tmp: float*
       112      {pointer}  constant 14               table: int*
       128     32  write-only image 1        img: image2d_t
       160      4  sampler                   smp: uint
       176      4  counter 1                 c: counter32_t
"
        );
        assert_eq!(info, expected);
        let json = succeeds(&directory, &["info", "--json", "p.clo"]);
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json["chip"], "Pitcairn");
        assert_eq!(
            json["kernels"][1]["user_sgprs"][0]["holds"],
            "PTR_UAV_TABLE 0"
        );
    }
    let missing = fails(&directory, 1, &["info", "p.clo", "--kernel", "none"]);
    assert!(missing.contains("scale"), "{missing}");
    fails(&directory, 2, &["info", "p.clo", "--entry", "1"]);
}

/// The listing of each kind of program assembles to the same code.
#[test]
fn code_of_programs_is_listed() {
    let directory = scratch("programs-dis");
    for (file, target) in [
        (programs::catalyst(32), None),
        (programs::catalyst(64), None),
        (programs::catalyst2(), None),
        (programs::gallium(32, false), Some("tahiti")),
        (programs::gallium(64, true), None),
    ] {
        fs::write(directory.join("p.clo"), &file).expect("a file");
        let listed = match target {
            None => succeeds(&directory, &["dis", "p.clo"]),
            Some(target) => succeeds(&directory, &["dis", "p.clo", "--target", target]),
        };
        let scale = listed.find("\nscale:").expect("the kernel is listed");
        let code = listed[scale..].lines().nth(2).expect("it has code");
        assert!(code.starts_with("\tv_mov_b32_e32 v0, "), "{listed}");
        fs::write(directory.join("p.s"), &listed).expect("a file");
        let target = target.unwrap_or("gfx700");
        let assemble = ["asm", "p.s", "--target", target, "--format", "raw"];
        succeeds(&directory, &assemble);
        let words = fs::read(directory.join("p.bin")).expect("the words");
        assert_eq!(words.first_chunk(), Some(&first_word(&listed)), "{listed}");
    }
}

/// Word of the first `v_mov_b32 v0, N` in a listing.
fn first_word(listing: &str) -> [u8; 4] {
    let number = listing
        .split_once("v_mov_b32_e32 v0, ")
        .expect("it is listed")
        .1;
    let digits = number.lines().next().unwrap_or_default();
    let number: u32 = digits.trim().parse().expect("a number");
    (0x7e00_0280 + number).to_le_bytes()
}

#[test]
fn one_kernel_of_a_program_is_listed() {
    let directory = scratch("programs-kernel");
    fs::write(directory.join("p.clo"), programs::catalyst(32)).expect("a file");
    let listed = succeeds(&directory, &["dis", "p.clo", "--kernel", "fill"]);
    assert!(
        listed.contains("\nfill:") && !listed.contains("scale"),
        "{listed}"
    );
    for option in ["--full", "--source", "--entry=1", "--offset=0"] {
        fails(&directory, 2, &["dis", "p.clo", option]);
    }
    let asked = gcn(&directory, &["dis", "p.clo", "--target", "fiji"]);
    let warning = text(&asked.stderr);
    assert!(
        warning.contains("the code is for gfx601, but is read as code for gfx803"),
        "{warning}"
    );
}

/// Older Gallium programs do not name the chip, which determines the block size of LDS.
#[test]
fn the_chip_of_a_gallium_program_is_asked_for() {
    let directory = scratch("gallium");
    fs::write(directory.join("p.bin"), programs::gallium(64, false)).expect("a file");
    let refused = fails(&directory, 2, &["dis", "p.bin"]);
    assert!(refused.contains("add --target"), "{refused}");
    let info = succeeds(&directory, &["info", "p.bin"]);
    let head = "p.bin: Gallium compute program for an unknown chip, 64 bits\n";
    assert!(info.starts_with(head), "{info}");
    for (target, bytes) in [
        (None, "?"),
        (Some("tahiti"), "768"),
        (Some("hawaii"), "1536"),
    ] {
        let mut arguments = vec!["info", "p.bin", "--kernel", "fill"];
        arguments.extend(target.iter().flat_map(|target| ["--target", target]));
        let info = succeeds(&directory, &arguments);
        assert!(
            info.contains(&format!("\n  LDS        {bytes} bytes\n")),
            "{info}"
        );
        assert!(
            info.contains("  s[0:1]     address of grid sizes and arguments\n"),
            "{info}"
        );
    }
}

#[test]
fn programs_of_drivers_are_not_run_nor_extracted() {
    let directory = scratch("programs-run");
    for (file, format) in [
        (programs::catalyst(64), "Catalyst OpenCL 1.2 program"),
        (programs::catalyst2(), "Catalyst OpenCL 2.0 program"),
        (programs::gallium(32, false), "Gallium compute program"),
    ] {
        fs::write(directory.join("p.clo"), file).expect("a file");
        for arguments in [&["run", "p.clo", "--grid", "1"][..], &["extract", "p.clo"]] {
            let refused = fails(&directory, 1, arguments);
            assert!(refused.contains(format), "{refused}");
            assert!(
                refused.contains("tables that only its driver makes"),
                "{refused}"
            );
        }
    }
    let cpu = programs::Elf {
        bits: 64,
        machine: 0x7d4,
        ..Default::default()
    };
    fs::write(directory.join("cpu.clo"), cpu.build()).expect("a file");
    for command in ["info", "dis", "extract"] {
        let refused = fails(&directory, 1, &[command, "cpu.clo"]);
        assert!(refused.contains("for a CPU"), "{refused}");
    }
}

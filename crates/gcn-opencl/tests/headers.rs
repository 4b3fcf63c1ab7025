//! Compares constants, structures and the function table with the public headers in Debian's `opencl-c-headers`, using
//! a C compiler.

use std::fmt::Write;
use std::mem::offset_of;
use std::process::Command;

use gcn_opencl::api::{BufferRegion, FUNCTIONS, ImageDesc, ImageFormat};
use gcn_opencl::status::Status;

/// Source text that defines the constants.
const NUMBERS: &str = include_str!("../src/abi.rs");

/// Generates a C program with static assertions, which fails to compile if a constant or a layout differs.
fn source() -> String {
    let mut source = String::from(
        "#define CL_TARGET_OPENCL_VERSION 300\n#define CL_USE_DEPRECATED_OPENCL_1_2_APIS\n\
         #include <stddef.h>\n#include <CL/cl.h>\n#include <CL/cl_ext.h>\n#include <CL/cl_icd.h>\n",
    );
    let mut check = |condition: String, name: &str| {
        let _ = writeln!(source, "_Static_assert({condition}, \"{name}\");");
    };
    let mut count = 0;
    for line in NUMBERS.lines() {
        let Some((name, rest)) = line
            .strip_prefix("pub const ")
            .and_then(|line| line.split_once(": "))
        else {
            continue;
        };
        let (kind, value) = rest.split_once(" = ").expect("a constant has a value");
        let cast = match kind {
            "i32" => "cl_int",
            "u32" => "cl_uint",
            "u64" => "cl_ulong",
            "isize" => "intptr_t",
            other => panic!("{name} is of type {other}"),
        };
        let value = value.trim_end_matches(';').replace('_', "");
        check(format!("({cast})({name}) == ({cast})({value}ull)"), name);
        count += 1;
    }
    assert!(count > 250, "{count} numbers were found");
    for (name, value) in Status::CODES {
        check(format!("CL_{name} == {value}"), name);
    }
    for (name, size) in [
        ("cl_buffer_region", size_of::<BufferRegion>()),
        ("cl_image_format", size_of::<ImageFormat>()),
        ("cl_image_desc", size_of::<ImageDesc>()),
    ] {
        check(format!("sizeof({name}) == {size}"), name);
    }
    for (name, place) in [
        ("image_width", offset_of!(ImageDesc, width)),
        ("image_array_size", offset_of!(ImageDesc, array_size)),
        ("image_slice_pitch", offset_of!(ImageDesc, slice_pitch)),
        ("num_samples", offset_of!(ImageDesc, samples)),
        ("buffer", offset_of!(ImageDesc, memory)),
    ] {
        check(format!("offsetof(cl_image_desc, {name}) == {place}"), name);
    }
    for (index, name) in FUNCTIONS.iter().enumerate() {
        let place = format!("offsetof(cl_icd_dispatch, {name}) == {index} * sizeof(void *)");
        check(place, name);
    }
    let count = FUNCTIONS.len();
    check(
        format!("sizeof(cl_icd_dispatch) == {count} * sizeof(void *)"),
        "cl_icd_dispatch",
    );
    source
}

#[test]
fn numbers_are_those_of_the_headers() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("numbers.c");
    std::fs::write(&file, source()).expect("a file");
    let cc = Command::new("cc")
        .args(["-std=c11", "-fsyntax-only"])
        .arg(&file)
        .output();
    let output = cc.expect(
        "cc runs; the headers are those of opencl-c-headers, which `cargo xtask tools` installs",
    );
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{problem}");
}

//! The checkers of arithmetic and of alignment: compiled kernels with the findings that they must have, and twins without any.

#[allow(dead_code, reason = "the tests of other checkers use the rest")]
mod common;

use common::{Size, TARGETS, expect, expect_compiled};
use gcn_observe::finding::Check;

const WAVE: Size = Size {
    grid: 64,
    group: 64,
};

/// Asserts what is found in a kernel whose buffer has the number of each dword in it.
#[track_caller]
fn finds(statements: &str, expected: &[&str]) {
    let text = format!(
        "kernel void test(global int *data) {{
            int i = get_global_id(0), n = data[i];
            global float *numbers = (global float *)data;
            {statements}
        }}"
    );
    expect_compiled(&TARGETS, WAVE, &[Check::Arith], &text, expected);
}

#[test]
fn divisions_by_zero_are_found() {
    for statements in [
        "data[i] = 100 / n;",
        "data[i] = 100u % (uint)n;",
        "data[i] = (long)data[i + 64] * 12345678912L / n;",
        "numbers[i] = 1.0f / (float)n;",
        "numbers[i] = data[i + 64] / (n * 0.5f);",
    ] {
        finds(statements, &["divide-by-zero"]);
    }
}

#[test]
fn guarded_divisions_are_not() {
    for statements in [
        "data[i] = n ? 100 / n : 0;",
        "data[i] = 100 / (n + 1);",
        "numbers[i] = n != 0 ? 1.0f / (float)n : 0.0f;",
        "float x = n; numbers[i] = x > 0.5f ? 3.0f / x : x;",
        "numbers[i] = data[i + 64] / (n + 0.5f);",
    ] {
        finds(statements, &[]);
    }
}

#[test]
fn nans_that_are_stored_are_found() {
    finds("numbers[i] = sqrt((float)(n - 1));", &["nan-produced"]);
    finds(
        "float x = (n + 1) * 3e38f * 8.0f; numbers[i] = x - x;",
        &["nan-produced"],
    );
    finds(
        "float x = n - 1; float y = sqrt(x); numbers[i] = x < 0 ? 0 : y;",
        &[],
    );
    finds("numbers[i] = n ? n : NAN;", &[]);
    finds(
        "numbers[i] = sin((float)n) + exp((float)-n) + sqrt((float)n) + log(n + 1.0f);",
        &[],
    );
}

#[test]
fn conversions_that_do_not_fit_are_found() {
    let overflow = ["float-to-int-overflow"];
    finds("data[i] = (int)(n * 1e9f) + 1;", &overflow);
    finds("data[i] = (uint)(-1.5f * n);", &overflow);
    finds("float x = n * 1e9f; data[i] = x < 2e9f ? (int)x : 0;", &[]);
    finds("data[i] = (int)(n * 1e7f) + (uint)(n * 6e7f);", &[]);
    finds("data[i] = convert_int_sat(n * 1e9f);", &[]);
}

#[test]
fn aligned_accesses_are_no_findings() {
    let body = "ds_read_b32 v2, v1\nds_write_b64 v1, v[2:3] offset:8\nbuffer_load_dwordx4 v[4:7], v1, s[4:7], 0 offen offset:4\n\
                buffer_load_ubyte v8, v0, s[4:7], 0 offen";
    // Dwords in a row are no multiples of 8.
    let expected = ["misaligned-access: ds_write_b64 v1, v[2:3] offset:8"];
    expect(&TARGETS[..3], WAVE, &[Check::Align], body, &expected);
    expect(&TARGETS[3..], WAVE, &[Check::Align], body, &[]);
}

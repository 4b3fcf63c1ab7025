//! Tests of argument types: from metadata, from the symbol, or explicit; structures and raw bytes.

use super::*;

/// Kernel of `plain.s` under another symbol, with metadata that have sizes but no types.
fn described(symbol: &str, more: &str) -> String {
    let text = fs::read_to_string(kernels().join("plain.s")).expect("a source");
    let arguments = format!(
        "\n    .args:\n      - {{.offset: 0, .size: 1, .value_kind: by_value}}\n      \
         - {{.offset: 4, .size: 4, .value_kind: by_value{more}}}\n      \
         - {{.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}}\n"
    );
    let metadata = metadata(&arguments)
        .replace(".name: k", &format!(".name: {symbol}"))
        .replace(".symbol: k.kd", &format!(".symbol: {symbol}.kd"))
        .replace("kernarg_segment_size: 0", "kernarg_segment_size: 16");
    text.replace("plain", symbol) + &metadata
}

/// Runs a [`described`] kernel with a value for its second argument.
fn with_value(test: &str, symbol: &str, more: &str, value: &str) -> RunResult {
    let directory = scratch(test);
    fs::write(directory.join("k.s"), described(symbol, more)).expect("a file");
    let value = format!("1={value}");
    let arguments = ["k.s", "--grid", "2", "--arg", "0=u8:1", "--arg", &value];
    let rest = ["--arg", "2=u32*2", "--print", "2"];
    run_in(&directory, &[&arguments[..], &rest].concat())
}

#[test]
fn types_come_from_the_signature_where_metadata_have_none() {
    for (symbol, value, first) in [
        ("_Z1khfPj", "2", 2f32.to_bits()),
        ("_Z1khjPj", "2", 2),
        ("_Z1khiPj", "-1", u32::MAX),
        ("_ZN5image5scaleIfEEvhT_Pj", "-0.5", (-0.5f32).to_bits()),
        // An explicit type applies if the signature gives none.
        ("_Z1kh5ColorPj", "u32:7", 7),
        ("k", "f32:2", 2f32.to_bits()),
    ] {
        let ran = with_value("signature", symbol, "", value);
        let second = first.wrapping_add(1);
        let expected = format!("2: u32[0..2] = {first}, {second}\n");
        assert_eq!(ran.out, expected, "{symbol}: {}", ran.err);
    }
    // Metadata take precedence over the symbol.
    let ran = with_value("signature", "_Z1khjPj", ", .type_name: float", "2");
    assert!(
        ran.out.starts_with("2: u32[0..2] = 1073741824,"),
        "{}",
        ran.err
    );
}

#[test]
fn a_number_of_unknown_type_needs_one() {
    for symbol in ["k", "_Z1kh5ColorPj", "_Z1kh"] {
        let ran = with_value("untyped", symbol, "", "2");
        let message = "error[untyped-argument]: argument 1: the type of its 4 bytes is unknown: write it, as in u32:2 or f32:2\n";
        assert!(ran.err.starts_with(message), "{symbol}: {}", ran.err);
        assert_eq!(ran.status, Some(BAD_INPUT));
    }
    let ran = with_value("untyped", "_Z1kh5ColorPj", "", "f64:2");
    assert!(
        ran.err.contains("expected 4 bytes, found 8\n"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("\n  1: 4 bytes by value, Color\n"),
        "{}",
        ran.err
    );
    assert!(ran.err.ends_with("\n  2: a buffer of u32\n"), "{}", ran.err);
    let ran = with_value("untyped", "_Z1khfPj", "", "u32:2");
    assert!(
        ran.err.contains("argument 1: expected f32, found u32\n"),
        "{}",
        ran.err
    );
}

#[test]
fn structures_have_the_layout_of_c() {
    for (value, first) in [
        ("{u16:1, u16:2}", 0x2_0001),
        ("{u8:3, u16:1}", 0x1_0003),
        ("{{u8:3}, {u8:4, u8:5}, hex:06}", 0x0605_0403),
        ("{u8*4:iota(1,1)}", 0x0403_0201),
        ("hex:01_00_00_80", 0x8000_0001u32),
    ] {
        let ran = with_value("structures", "k", "", value);
        let expected = format!("2: u32[0..2] = {first}, {}\n", first + 1);
        assert_eq!(ran.out, expected, "{value}: {}", ran.err);
    }
    for (value, message) in [
        (
            "{u32:1, u8:2}",
            "expected a structure of 4 bytes, found one of 8; write padding as hex:00",
        ),
        ("{1}", "1 in a structure needs a type, as in f32:1"),
        ("hex:0102", "expected 4 bytes, found 2"),
        (
            "{u8*18446744073709551615}",
            "the structure is larger than the limit of 1048576 bytes",
        ),
        (
            "{xs, u32:1}",
            "expected a structure of 4 bytes, found one of 16",
        ),
    ] {
        let ran = with_value("structures", "k", "", value);
        let message = format!("]: argument 1: {message}");
        assert!(ran.err.contains(&message), "{value}: {}", ran.err);
        assert_eq!(ran.status, Some(BAD_INPUT));
    }
}

#[test]
fn all_arguments_may_be_bytes() {
    let directory = scratch("kernarg");
    fs::write(directory.join("k.s"), described("k", "")).expect("a file");
    let bytes: Vec<u8> = [1u64 << 32, 0]
        .iter()
        .flat_map(|n| n.to_le_bytes())
        .collect();
    fs::write(directory.join("args.bin"), &bytes[..12]).expect("a file");
    for file in [
        "k.s".to_owned(),
        kernels().join("plain.s").display().to_string(),
    ] {
        let common = [file.as_str(), "--grid", "2", "--buffer", "out=u32*4"];
        let run = |more: &[&str]| run_in(&directory, &[&common[..], more].concat());
        let ran = run(&["--kernarg", "{u8:1, u32:10, out[1]}", "--print", "out"]);
        assert_eq!(ran.out, "out: u32[0..4] = 0, 10, 11, 0\n", "{}", ran.err);
        let ran = run(&["--kernarg", "hex:01000000_05000000_0000000000000000"]);
        assert!(ran.err.contains("that is a null pointer"), "{}", ran.err);
        let ran = run(&["--kernarg", "{u32:1, out[5]}"]);
        let message = "out has no element 5: it has 4 elements\n";
        assert!(ran.err.contains(message), "{}", ran.err);
        let ran = run(&["--kernarg", "u32:1"]);
        let message = "error[argument-type]: the argument segment: expected @FILE, hex:00ff or {u32:1, f32:2.5}, found `u32:1`\n";
        assert!(ran.err.starts_with(message), "{}", ran.err);
        let ran = run(&["--kernarg", "hex:00", "--arg", "0=u8:1"]);
        let message =
            "error[duplicate-argument]: the argument segment: it already contains argument 0\n";
        assert!(ran.err.starts_with(message), "{}", ran.err);
    }
    let arguments = ["k.s", "--grid", "2", "--kernarg", "@args.bin"];
    let ran = run_in(&directory, &arguments);
    let message = "error[argument-size]: the argument segment: the arguments of kernel k have 16 bytes, not 12\n";
    assert!(ran.err.starts_with(message), "{}", ran.err);
    assert_eq!(ran.status, Some(BAD_INPUT));
}

//! Tests of arguments: matched by metadata or by order, read from files, and invalid ones.

use super::*;

#[test]
fn without_metadata_arguments_are_laid_out_in_order() {
    let ran = plain(&[
        "--print",
        "out",
        "--print",
        "2[1..3]",
        "--print",
        "out:i16[2]",
        "--print",
        "table:u32",
    ]);
    assert_eq!(
        ran.out,
        "out: u32[0..4] = 10, 11, 12, 13\n2: u32[1..3] = 11, 12\nout: i16[2..3] = 11\ntable: u32[0..3] = 3, 1, 4\n"
    );
    assert_eq!(ran.status, Some(GOOD), "{}", ran.err);
    assert!(
        ran.err
            .starts_with("plain: 1 workgroup, 1 wave, 7 wave instructions, "),
        "{}",
        ran.err
    );
}

#[test]
fn values_without_types_get_them_from_the_metadata() {
    let ran = saxpy(&["--grid", "4", "--print", "ys", "--expect", "ys=2,4,6,8"]);
    assert_eq!(
        ran.out, "ys: f32[0..4] = 2, 4, 6, 8\nys: 4 values as expected\n",
        "{}",
        ran.err
    );
    assert_eq!(ran.status, Some(GOOD));
}

#[test]
fn two_arguments_may_be_one_buffer() {
    let here = saxpy(&[
        "--grid", "4", "--arg", "ys=xs", "--print", "xs", "--print", "ys",
    ]);
    assert_eq!(
        here.out, "xs: f32[0..4] = 3, 6, 9, 12\nys: f32[0..4] = 3, 6, 9, 12\n",
        "{}",
        here.err
    );
    // An argument may refer to a later one's buffer, and then extends to the end of that buffer.
    let part = saxpy(&[
        "--grid",
        "4",
        "--arg",
        "count=2",
        "--arg",
        "xs=ys[1]",
        "--arg",
        "ys=1,2,3,4",
        "--print",
        "ys",
        "--expect",
        "xs=8,3,4",
    ]);
    assert_eq!(
        part.out, "ys: f32[0..4] = 5, 8, 3, 4\nxs: 3 values as expected\n",
        "{}",
        part.err
    );
    let laid_out = plain(&["--arg", "more=out[2]", "--print", "more"]);
    assert_eq!(
        laid_out.out, "more: u32[0..2] = 12, 13\n",
        "{}",
        laid_out.err
    );
}

#[test]
fn wrong_arguments_are_explained() {
    const LIST: &str = "kernel saxpy takes:\n  0 count: a number, u32\n  1 a: a number, f32\n  2 xs: a buffer of f32\n  3 ys: a buffer of f32\n";
    for (arguments, message) in [
        (
            &["--arg", "zz=1"][..],
            "error[unknown-argument]: kernel saxpy has no argument zz\n",
        ),
        (
            &["--arg", "0=1"],
            "error[duplicate-argument]: argument 0 is given twice\n",
        ),
        (
            &["--arg", "count=1.5"],
            "error[invalid-value]: argument count: 1.5 is not a whole number, but u32 needs one\n",
        ),
        (
            &["--arg", "count=-1"],
            "error[invalid-value]: argument count: -1 does not fit u32\n",
        ),
        (
            &["--arg", "count=u64:1"],
            "error[argument-size]: argument count: expected 4 bytes, found 8\n",
        ),
        (
            &["--arg", "count=1,2"],
            "error[argument-size]: argument count: expected 4 bytes, found 8\n",
        ),
        (
            &["--arg", "count=f32:1"],
            "error[argument-type]: argument count: expected u32, found f32\n",
        ),
        (
            &["--arg", "a=u32:1"],
            "error[argument-type]: argument a: expected f32, found u32\n",
        ),
        (
            &["--arg", "a=null"],
            "error[argument-type]: argument a: it is passed by value (4 bytes), not as a buffer\n",
        ),
        (
            &["--arg", "a=f32*1:undefined"],
            "error[argument-type]: argument a: it is passed by value (4 bytes), not as a buffer\n",
        ),
        (
            &["--arg", "a=one"],
            "error[invalid-value]: argument a: `one` is not a number\n",
        ),
        (
            &["--arg", "xs=3"],
            "error[argument-type]: argument xs: expected a buffer, found a number; `3,` with a comma is a buffer of one element\n",
        ),
        (
            &["--arg", "xs=local:4"],
            "error[argument-type]: argument xs: expected a buffer, found LDS\n",
        ),
        (
            &["--arg", "xs=zs"],
            "error[invalid-value]: argument xs: `zs` is neither a value nor the name of another argument\n",
        ),
        (
            &["--arg", "xs=a"],
            "error[unknown-buffer]: argument xs: a has no buffer: it is passed by value\n",
        ),
        (
            &["--arg", "ys=xs", "--arg", "xs=null"],
            "error[unknown-buffer]: argument ys: xs has no buffer: it is a null pointer\n",
        ),
        (
            &["--arg", "xs=ys[5]"],
            "error[buffer-range]: argument xs: ys has no element 5: it has 4 elements\n",
        ),
        (
            &["--arg", "xs=ys", "--arg", "ys=xs"],
            "error[unknown-buffer]: argument xs: ys shares the buffer of xs; name an argument that has its own buffer\n",
        ),
        (
            &["--arg", "xs=@missing.bin"],
            "error[unreadable-input]: argument xs: cannot read missing.bin: No such file or directory (os error 2)\n",
        ),
        (
            &[
                "--arg",
                "xs=@saxpy/saxpy.s",
                "--arg",
                "ys=u64@saxpy/expected.txt",
            ],
            "not a multiple of the size of u64\n",
        ),
    ] {
        let ran = saxpy(&[&["--grid", "4"], arguments].concat());
        assert!(ran.err.contains(message), "{arguments:?}: {}", ran.err);
        assert!(ran.err.ends_with(LIST), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.status, Some(BAD_INPUT), "{arguments:?}");
    }
    let ran = run_in(
        &examples(),
        &["saxpy/saxpy.s", "--grid", "4", "--arg", "a=1"],
    );
    let missing = ["count", "xs", "ys"]
        .map(|name| format!("error[missing-argument]: argument {name} is missing\n"))
        .concat();
    assert_eq!(ran.err, missing + LIST);
}

#[test]
fn wrong_arguments_without_metadata_are_explained() {
    for (arguments, message) in [
        (
            &["--arg", "more=u64:1"][..],
            "the arguments have 24 bytes, but the descriptor of kernel sized has 16\n",
        ),
        (
            &["--arg", "pad=9"],
            "argument pad: kernel sized has no metadata, so a number needs a type, as in u32:42\n",
        ),
    ] {
        let directory = scratch("sized");
        let text = fs::read_to_string(kernels().join("plain.s")).expect("a source");
        let text = text.replace("plain", "sized").replace(
            ".amdhsa_next_free_vgpr",
            ".amdhsa_kernarg_size 16\n.amdhsa_next_free_vgpr",
        );
        fs::write(directory.join("sized.s"), text).expect("a file");
        const GOOD: [&str; 9] = [
            "sized.s",
            "--grid",
            "4",
            "--arg",
            "pad=u8:9",
            "--arg",
            "a=u32:10",
            "--arg",
            "out=u32*4",
        ];
        let good = run_in(&directory, &GOOD);
        assert_eq!(good.status, Some(0), "{}", good.err);
        let ran = run_in(&directory, &replaced(&GOOD, arguments));
        assert!(ran.err.contains(message), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.status, Some(BAD_INPUT));
        let none = run_in(&directory, &["sized.s", "--grid", "4"]);
        let message = "error[missing-argument]: kernel sized reads 16 bytes of arguments and has no metadata; give them in order, with types\n";
        assert_eq!(none.err, message);
    }
}

/// An invalid value keeps its position, so later values are matched to the right arguments.
#[test]
fn a_wrong_value_does_not_shift_the_others() {
    let directory = scratch("shift");
    let arguments = "\n    .args:\n      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}\n      \
                     - {.offset: 8, .size: 4, .value_kind: by_value}\n";
    let text = kernel_of("", "gfx900")
        + &metadata(arguments).replace(
            "size: 0\n    .kernarg_segment_align",
            "size: 16\n    .kernarg_segment_align",
        );
    fs::write(directory.join("k.s"), text).expect("a file");
    let ran = run_in(
        &directory,
        &[
            "k.s", "--grid", "1", "--arg", "xs=f32*x", "--arg", "n=u32:1",
        ],
    );
    let errors: Vec<&str> = ran
        .err
        .lines()
        .filter(|line| line.starts_with("error"))
        .collect();
    assert_eq!(
        errors,
        ["error[invalid-value]: argument xs: `x` is not a number of elements"]
    );
    assert_eq!(ran.status, Some(BAD_INPUT));
}

/// A file for a buffer may be as large as memory, and is not read before it is known to fit.
#[test]
fn files_are_as_large_as_memory() {
    let directory = scratch("large");
    let large = directory.join("large.bin");
    let file = fs::File::create(&large).expect("a file");
    file.set_len(3 << 30).expect("a file without contents");
    let argument = format!("xs=f32@{}", large.display());
    let ran = saxpy(&["--grid", "4", "--memory", "2G", "--arg", &argument]);
    assert!(
        ran.err
            .contains("the buffers need 3221225488 bytes (xs 3221225472, ys 16), more than the 2147483648 bytes"),
        "{}",
        ran.err
    );
    assert_eq!(ran.status, Some(BAD_INPUT));
    fs::remove_file(large).expect("it is there");
    // A file that is read and saved in several chunks.
    let bytes: Vec<u8> = (0..3_000_000u32).map(|i| (i * 7 / 8) as u8).collect();
    let (from, to) = (directory.join("from.bin"), directory.join("to.bin"));
    fs::write(&from, &bytes).expect("a file");
    let argument = format!("xs=f32@{}", from.display());
    let save = format!("xs={}", to.display());
    let ran = saxpy(&["--grid", "4", "--arg", &argument, "--save", &save]);
    assert_eq!(ran.status, Some(GOOD), "{}", ran.err);
    assert!(fs::read(&to).expect("a file") == bytes, "the same bytes");
}

#[test]
fn files_of_other_lengths_are_explained() {
    let directory = scratch("lengths");
    for (name, bytes) in [("six.bin", 6), ("eight.bin", 8)] {
        fs::write(directory.join(name), vec![0; bytes]).expect("a file");
    }
    let file = |name: &str| directory.join(name).display().to_string();
    let (six, eight) = (file("six.bin"), file("eight.bin"));
    let xs = |value: String| saxpy(&["--grid", "4", "--arg", &format!("xs={value}")]);
    let ran = xs(format!("f32@{six}"));
    assert!(
        ran.err
            .contains("six.bin: the file has 6 bytes, not a multiple of the size of f32\n"),
        "{}",
        ran.err
    );
    assert_eq!(ran.status, Some(BAD_INPUT));
    // If a file is too short for the kernel, the fault's report names the nearest buffer.
    let ran = xs(format!("f32@{eight}"));
    assert!(
        ran.err.contains("\n  nearest is xs: 8 bytes at "),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("; the address is right past its end\n"),
        "{}",
        ran.err
    );
    assert_eq!(ran.status, Some(FAULT));
    let ran = saxpy(&["--grid", "4", "--expect", "ys=f32*4:undefined"]);
    let message =
        "error[invalid-expectation]: expect ys: `f32*4:undefined` cannot be compared with a buffer";
    assert!(ran.err.contains(message), "{}", ran.err);
    let ran = saxpy(&["--grid", "4", "--expect", &format!("ys=f32@{eight}")]);
    assert!(
        ran.err.contains(
            "error[invalid-expectation]: expect ys: 2 values cannot be compared with 4 elements"
        ),
        "{}",
        ran.err
    );
}

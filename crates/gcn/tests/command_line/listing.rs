//! Tests of `gcn dis`: listings, and assembling them again.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::{KERNEL, SOURCE, assert_status, output, piped, scratch, stderr, stdout};

#[test]
fn a_code_object_disassembles_to_source_that_gives_it_again() {
    let directory = scratch("round-trip");
    fs::write(directory.join("in.s"), SOURCE).expect("written");
    assert_status(
        &output(
            &directory,
            &["asm", "in.s", "-o", "one.co", "--target", "gfx900"],
        ),
        0,
    );
    let listing = output(&directory, &["dis", "one.co"]);
    assert_status(&listing, 0);
    assert!(
        stdout(&listing).contains("ds_read_b32 v1, v2 offset:16"),
        "{}",
        stdout(&listing)
    );
    assert!(
        stdout(&listing).contains(".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\""),
        "{}",
        stdout(&listing)
    );
    // The listing contains the target.
    assert_status(
        &piped(&directory, &["asm", "-", "-o", "two.co"], &listing.stdout),
        0,
    );
    let read = |name| fs::read(directory.join(name)).expect("written");
    let text = |name| stdout(&output(&directory, &["dis", name, "--hex"]));
    assert_eq!(text("one.co"), text("two.co"));
    assert!(read("one.co").starts_with(b"\x7fELF"));
}

#[test]
fn kernels_and_metadata_come_back() {
    let directory = scratch("kernels");
    assert_status(
        &piped(&directory, &["asm", "-", "-o", "one.co"], KERNEL.as_bytes()),
        0,
    );
    let listing = output(&directory, &["dis", "one.co"]);
    assert_status(&listing, 0);
    assert_status(
        &piped(&directory, &["asm", "-", "-o", "two.co"], &listing.stdout),
        0,
    );
    let info = |name| stdout(&output(&directory, &["info", name, "--json"]));
    assert!(
        info("one.co").contains("\"lds_bytes\": 1024"),
        "{}",
        info("one.co")
    );
    assert_eq!(info("one.co"), info("two.co"), "{}", stdout(&listing));
    assert_eq!(
        output(&directory, &["dis", "two.co"]).stdout,
        listing.stdout
    );
}

#[test]
fn llvm_assembles_what_is_listed() {
    let directory = scratch("llvm");
    let assembled = ["asm", "-", "-o", "one.co"];
    assert_status(&piped(&directory, &assembled, KERNEL.as_bytes()), 0);
    let listing = stdout(&output(&directory, &["dis", "one.co"]));
    // Without the tag, LLVM reads the name as a boolean.
    assert!(listing.contains(".name: !str n\n"), "{listing}");

    let compiled = |kernel: &str| {
        let path = format!(
            "{}/../../examples/opencl/{kernel}",
            env!("CARGO_MANIFEST_DIR")
        );
        stdout(&output(&directory, &["dis", &path]))
    };
    for (cpu, listing) in [
        ("gfx906", listing),
        ("gfx803", compiled("vadd-gfx803.co")),
        ("gfx900", compiled("reduce-gfx900.co")),
    ] {
        fs::write(directory.join("listing.s"), &listing).expect("the listing can be written");
        let llvm = Command::new("llvm-mc-19")
            .current_dir(&directory)
            .args(["-triple=amdgcn-amd-amdhsa", "-filetype=obj", "-o", "llvm.o"])
            .args([&format!("-mcpu={cpu}"), "listing.s"])
            .output()
            .expect("llvm-mc-19 of the Debian package llvm-19");
        assert!(llvm.status.success(), "{}\n{listing}", stderr(&llvm));
    }
}

#[test]
fn an_unlinked_listing_names_what_a_linker_fills_in() {
    let directory = scratch("unlinked");
    let lines = [
        "s_mov_b32 s0, table@abs32@lo",
        "s_add_u32 s0, s0, table@rel32@lo+4",
        "v_mov_b32_e32 v0, table@abs32@hi",
    ];
    let source = format!(".text\nf:\n{}\ns_endpgm\n", lines.join("\n"));
    let assemble = |source: &str, object: &str| {
        fs::write(directory.join("unlinked.s"), source).expect("the source can be written");
        let llvm = Command::new("llvm-mc-19")
            .current_dir(&directory)
            .args(["-triple=amdgcn-amd-amdhsa", "-mcpu=gfx900", "-filetype=obj"])
            .args(["unlinked.s", "-o", object])
            .output()
            .expect("llvm-mc-19 of the Debian package llvm-19");
        assert!(llvm.status.success(), "{}\n{source}", stderr(&llvm));
    };
    assemble(&source, "unlinked.o");
    let listing = stdout(&output(&directory, &["dis", "--full", "unlinked.o"]));
    for line in lines {
        assert!(
            listing.contains(&format!("\t{line}\n")),
            "{line}:\n{listing}"
        );
    }
    assemble(&listing, "again.o");
    let again = stdout(&output(&directory, &["dis", "--full", "again.o"]));
    for line in lines {
        assert!(again.contains(&format!("\t{line}\n")), "{line}:\n{again}");
    }
}

#[test]
fn a_listing_shows_source_lines_and_one_kernel() {
    let directory = scratch("source");
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../gcn-object/tests/fixtures");
    for name in ["lines-gfx906.co", "lines.cl"] {
        fs::copy(fixtures.join(name), directory.join(name)).expect("a copy");
    }
    let listed = output(&directory, &["dis", "--source", "lines-gfx906.co"]);
    assert_status(&listed, 0);
    let text = stdout(&listed);
    for (note, next) in [
        ("./lines.cl:9: if (i < n)", "\tv_cmp_gt_i32_e32 vcc, s3, v1"),
        (
            "./lines.cl:4 (twice, inlined at ./lines.cl:10): return x + x;",
            "\ts_waitcnt vmcnt(0)",
        ),
        ("./lines.cl:11: }", "\ts_endpgm"),
    ] {
        assert!(text.contains(&format!("// {note}\n{next}\n")), "{text}");
    }
    // The notes are comments.
    fs::write(directory.join("listed.s"), &text).expect("written");
    let plain = output(&directory, &["dis", "lines-gfx906.co"]);
    assert_status(&output(&directory, &["asm", "listed.s"]), 0);
    let again = output(&directory, &["dis", "listed.co"]);
    assert_eq!(stdout(&again), stdout(&plain));

    fs::remove_file(directory.join("lines.cl")).expect("it is there");
    let text = stdout(&output(&directory, &["dis", "--source", "lines-gfx906.co"]));
    assert!(text.contains("// ./lines.cl:11\n\ts_endpgm\n"), "{text}");

    let kernel = ["dis", "--kernel", "lines", "lines-gfx906.co"];
    let one = output(&directory, &kernel);
    assert_status(&one, 0);
    let text = stdout(&one);
    assert!(
        text.contains("\nlines:\n") && text.contains(".amdhsa_kernel lines\n"),
        "{text}"
    );
    assert!(!text.contains("amdgpu_metadata"), "{text}");

    fs::write(directory.join("none.s"), KERNEL).expect("written");
    assert_status(&output(&directory, &["asm", "none.s"]), 0);
    let none = output(&directory, &["dis", "--source", "none.co"]);
    assert_status(&none, 1);
    assert!(stderr(&none).contains("it has no debug information: compile with -g"));
}

#[test]
fn labels_and_notes_of_a_file_are_in_the_listing() {
    let directory = scratch("labels");
    // Two S_NOPs, a branch to the second one, an S_MOV_B32 of a literal, and S_ENDPGM.
    let words: Vec<u8> = [
        0xbf80_0000_u32,
        0xbf80_0001,
        0xbf82_fffe,
        0xbe80_03ff,
        0x0012_3456,
        0xbf81_0000,
    ]
    .iter()
    .flat_map(|word| word.to_le_bytes())
    .collect();
    fs::write(directory.join("words"), &words).expect("written");
    let labels = "# found by hand\n\n0x1004 again \"until something happens # twice\"\n\
                  4108 \"the constant\" # a comment\n0x1014 end# another\n";
    fs::write(directory.join("labels"), labels).expect("written");
    let base = ["--target", "gfx600", "--format", "raw", "--base", "0x1000"];
    let raw = [&["dis", "words", "--labels", "labels"][..], &base].concat();
    let listed = output(&directory, &raw);
    assert_status(&listed, 0);
    let text = stdout(&listed);
    assert_eq!(
        text,
        "\ts_nop 0\nagain:\n// until something happens # twice\n\ts_nop 1\n\ts_branch again\n\
         // the constant\n\ts_mov_b32 s0, 0x123456\nend:\n\ts_endpgm\n"
    );
    fs::write(directory.join("again.s"), text).expect("written");
    let asm = [
        "asm", "again.s", "--target", "gfx600", "--format", "raw", "-o", "again",
    ];
    assert_status(&output(&directory, &asm), 0);
    assert_eq!(fs::read(directory.join("again")).expect("read"), words);
    // An instruction begins at a label, even if the words before it decode to one that spans it.
    fs::write(directory.join("labels"), "0x1010 inside\n").expect("written");
    let listed = stdout(&output(&directory, &raw));
    assert!(
        listed.contains("\t.long 0xbe8003ff\ninside:\n\t"),
        "{listed}"
    );

    for (line, message) in [
        ("x y", "labels:2: `x` is not an address"),
        (
            "0x1004",
            "labels:2: a label, or a note in quotes, must follow the address",
        ),
        (
            "0x1004 a b",
            "labels:2: unexpected `b`: write a note in quotes",
        ),
        ("0x1004 \"a", "labels:2: the note has no closing quote"),
        ("0x1004 1a", "labels:2: `1a` is not a label"),
        (
            "0x1004 a\n0x1008 a",
            "labels:3: the label `a` is defined twice",
        ),
        ("0x1018 a", "labels:2: there is no code at 0x1018"),
        ("0x1006 a", "labels:2: no instruction begins at 0x1006"),
    ] {
        fs::write(directory.join("labels"), format!("# one\n{line}\n")).expect("written");
        let failed = output(&directory, &raw);
        assert_status(&failed, 1);
        assert!(stderr(&failed).contains(message), "{}", stderr(&failed));
    }
    // Labels also apply to code objects, at the addresses that `--hex` shows.
    fs::write(directory.join("k.s"), KERNEL).expect("written");
    assert_status(&output(&directory, &["asm", "k.s"]), 0);
    let hex = stdout(&output(&directory, &["dis", "--hex", "k.co"]));
    let first = hex.split_once("// ").map(|(_, rest)| &rest[..12]);
    let address = first.expect("an address");
    fs::write(
        directory.join("labels"),
        format!("0x{address} here \"begins\"\n"),
    )
    .expect("written");
    let listed = output(&directory, &["dis", "--labels", "labels", "k.co"]);
    assert_status(&listed, 0);
    assert!(
        stdout(&listed).contains("\nhere:\n// begins\n"),
        "{}",
        stdout(&listed)
    );
    let name = stdout(&listed);
    let name = name
        .lines()
        .find_map(|line| line.strip_prefix("\t.amdhsa_kernel "));
    let taken = format!("0x{address} {}\n", name.expect("a kernel"));
    fs::write(directory.join("labels"), taken).expect("written");
    let failed = output(&directory, &["dis", "--labels", "labels", "k.co"]);
    assert_status(&failed, 1);
    assert!(stderr(&failed).contains("already"), "{}", stderr(&failed));
}

#[test]
fn a_part_of_raw_words_is_listed_at_its_address() {
    let directory = scratch("part");
    let words: Vec<u8> = [0x0000_00ff_u32, 0xbf80_0000, 0xbf80_0001, 0xbf81_0000]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    fs::write(directory.join("words"), &words).expect("written");
    let raw = ["dis", "words", "--target", "gfx906", "--hex"];
    let part = ["--offset", "4", "--length", "0x8", "--base", "0x1000"];
    let listed = output(&directory, &[&raw[..], &part].concat());
    assert_status(&listed, 0);
    let blanks = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(
        blanks(stdout(&listed)),
        "s_nop 0 // 000000001000: BF800000 s_nop 1 // 000000001004: BF800001"
    );
    let listed = stdout(&output(
        &directory,
        &[&raw[..], &["--offset", "12"]].concat(),
    ));
    assert!(listed.contains("// 00000000000c: BF810000"), "{listed}");
    for (options, status, message) in [
        (&["--offset", "20"][..], 1, "words has 16 bytes, fewer than"),
        (
            &["--offset", "12", "--length", "8"],
            1,
            "words has 16 bytes, fewer than",
        ),
        (
            &["--kernel", "k"],
            2,
            "--kernel applies to code objects only, and words is not one",
        ),
        (&["--base", "x"], 2, "invalid digit"),
    ] {
        let failed = output(&directory, &[&raw[..], options].concat());
        assert_status(&failed, status);
        assert!(stderr(&failed).contains(message), "{}", stderr(&failed));
    }
    // Text is not code.
    fs::write(directory.join("text"), SOURCE).expect("written");
    fs::write(directory.join("hex"), "d8d80010 01000002\n").expect("written");
    for (file, message) in [
        (
            "text",
            "text is not a code object: it looks like text; `gcn asm` reads assembly",
        ),
        (
            "hex",
            "hex is not a code object: it looks like hexadecimal words",
        ),
    ] {
        let failed = output(&directory, &["dis", file, "--target", "fiji"]);
        assert_status(&failed, 1);
        assert!(stderr(&failed).contains(message), "{}", stderr(&failed));
        let raw = output(
            &directory,
            &["dis", file, "--target", "fiji", "--format", "raw"],
        );
        assert_status(&raw, 0);
    }
}

#[test]
fn raw_words_come_back() {
    let directory = scratch("raw");
    fs::write(directory.join("in.s"), SOURCE).expect("written");
    assert_status(
        &output(
            &directory,
            &["asm", "in.s", "--target", "fiji", "--format", "raw"],
        ),
        0,
    );
    let words = fs::read(directory.join("in.bin")).expect("the default name");
    assert_eq!(words.len(), 20);
    for syntax in ["llvm", "clrx"] {
        let listing = output(
            &directory,
            &[
                "dis", "in.bin", "--target", "fiji", "--syntax", syntax, "--hex",
            ],
        );
        assert_status(&listing, 0);
        let again = piped(
            &directory,
            &["asm", "-", "--target", "fiji", "--format", "raw"],
            &listing.stdout,
        );
        assert_status(&again, 0);
        assert_eq!(again.stdout, words, "{}", stdout(&listing));
    }
}

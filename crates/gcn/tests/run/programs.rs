//! Tests of programs: sources and code objects, with their kernels and targets.

use super::*;

#[test]
fn kernels_of_cpp_have_the_name_of_the_source() {
    let directory = scratch("mangled");
    let text = fs::read_to_string(kernels().join("plain.s")).expect("the source");
    let kernel = |symbol: &str| text.replace("plain", symbol);
    let run = |name: &str| {
        let arguments = ["--grid", "3", "--arg", "pad=u8:9", "--arg", "a=u32:10"];
        let rest = ["--arg", "out=u32*4", "--print", "out", "--kernel", name];
        run_in(&directory, &[&["k.s"], &arguments[..], &rest[..]].concat())
    };
    for (symbol, others) in [
        (
            "_Z5scalehjPj",
            &["scale(unsigned char, unsigned int, unsigned int*)"][..],
        ),
        ("_ZL5scalehjPj", &[]),
        (
            "_ZN5image5scaleIjEEvhjPT_",
            &["image::scale<unsigned int>", "image::scale"],
        ),
    ] {
        fs::write(directory.join("k.s"), kernel(symbol)).expect("a file");
        for &name in ["scale", symbol].iter().chain(others) {
            let ran = run(name);
            assert_eq!(ran.out, "out: u32[0..4] = 10, 11, 12, 0\n", "{}", ran.err);
        }
        assert!(
            run("scal")
                .err
                .contains("no kernel is named scal; the kernels are")
        );
    }
}

#[test]
fn errors_of_the_source_are_shown() {
    let directory = scratch("source");
    fs::write(directory.join("k.s"), "s_endpgm\nv_bogus v0\n").expect("a file");
    let ran = run_in(&directory, &["k.s", "--grid", "1", "--target", "fiji"]);
    assert!(ran.err.starts_with("k.s:2:1: error["), "{}", ran.err);
    assert_eq!(ran.status, Some(BAD_INPUT));
}

#[test]
fn assembly_has_the_options_of_the_assembler() {
    let directory = scratch("assembly-options");
    let data = ".data\n.globl value\n.type value,@object\nvalue:\n.short N // 2\n.include \"more.s\"\n.size value, 4\n";
    let text = kernel_of("s_nop 0", "gfx900") + data;
    fs::write(directory.join("k.s"), &text).expect("a file");
    fs::create_dir(directory.join("parts")).expect("a directory");
    fs::write(directory.join("parts/more.s"), ".short 7\n").expect("a file");
    let common = ["--grid", "1", "--print", "value:u16"];
    let run = |options: &[&str]| run_in(&directory, &[&["k.s"], &common[..], options].concat());
    for (options, value) in [
        (&["-D", "N=7"][..], "7"),
        (&["-D", "N"], "1"),
        // In CLRX, `//` is a division and does not begin a comment.
        (&["-D", "N=7", "--dialect", "clrx"], "3"),
        (&["-D", "N=7", "--dialect", "llvm"], "7"),
    ] {
        let ran = run(&[&["-I", "parts"], options].concat());
        let out = format!("value: u16[0..2] = {value}, 7\n");
        assert_eq!(ran.out, out, "{options:?}: {}", ran.err);
    }
    let launch = "file = \"k.s\"\ngrid = 1\nprint = \"value:u16\"\ndialect = \"clrx\"\ndefine = \"N=5\"\n\
                  include = \"parts\"\n";
    fs::write(directory.join("launch.toml"), launch).expect("a file");
    let ran = run_in(&directory, &["launch.toml"]);
    assert_eq!(ran.out, "value: u16[0..2] = 2, 7\n", "{}", ran.err);
    let ran = run(&["-D", "N=x"]);
    let message = "error[invalid-usage]: --define N=x: `x` is not a number of 64 bits\n";
    assert_eq!((ran.err.as_str(), ran.status), (message, Some(BAD_USAGE)));
}

#[test]
fn what_linking_finds_is_shown_where_it_is() {
    let directory = scratch("link");
    fs::write(directory.join("k.s"), "s_branch nowhere\ns_endpgm\n").expect("a source");
    let ran = run_in(&directory, &["k.s", "--target", "fiji", "--grid", "64"]);
    assert_eq!(ran.status, Some(BAD_INPUT));
    let message = "k.s:1:10: error[link]: symbol nowhere is not defined\n";
    assert!(ran.err.starts_with(message), "{}", ran.err);
}

/// Errata entry E263.
#[test]
fn code_and_devices_without_error_correction_are_refused() {
    let directory = scratch("sramecc");
    for (name, target) in [("off", "gfx906:sramecc-"), ("any", "gfx906")] {
        let (source, object) = (format!("{name}.s"), format!("{name}.co"));
        fs::write(directory.join(&source), kernel_of("s_nop 0", target)).expect("a file");
        let assembled = gcn_in(&directory, &["asm", &source, "-o", &object]);
        assert!(assembled.status == Some(GOOD), "{}", assembled.err);
    }
    let message = "`gfx906:sramecc-` is not emulated: gfx906 is an MI50 or MI60, which have SRAM ECC on; compile for gfx906 \
                   (--offload-arch=gfx906)";
    for arguments in [
        &["off.s"][..],
        &["off.co"],
        &["any.co", "--target", "gfx906:sramecc-"],
    ] {
        let ran = run_in(&directory, &[arguments, &["--grid", "64"]].concat());
        assert_eq!(ran.err, format!("error[unsupported-target]: {message}\n"));
        assert_eq!(ran.status, Some(BAD_INPUT), "{arguments:?}");
    }
    let ran = run_in(
        &directory,
        &["any.co", "--target", "gfx906:sramecc+", "--grid", "64"],
    );
    assert_eq!(ran.status, Some(GOOD), "{}", ran.err);
}

#[test]
fn code_for_other_targets_is_refused() {
    let directory = scratch("targets");
    fs::write(
        directory.join("k.s"),
        kernel_of("v_mov_b32 v1, v0", "gfx906"),
    )
    .expect("a file");
    let object = directory.join("k.co");
    let assembled = Command::new(env!("CARGO_BIN_EXE_gcn"))
        .current_dir(&directory)
        .args(["asm", "k.s", "-o", "k.co"])
        .status()
        .expect("gcn starts");
    assert!(assembled.success());
    let run =
        |arguments: &[&str]| run_in(&directory, &[&["k.co", "--grid", "64"], arguments].concat());
    assert_eq!(run(&[]).status, Some(GOOD));
    assert_eq!(run(&["--target", "vega20"]).status, Some(GOOD));
    for target in ["gfx900", "gfx803", "gfx600"] {
        let ran = run(&["--target", target]);
        assert_eq!(
            ran.err,
            format!("error[no-matching-code]: k.co: code for gfx906 cannot run as {target}\n")
        );
        assert_eq!(ran.status, Some(BAD_INPUT));
    }
    // The processor's number is the low byte of the ELF header's flags (LLVM's AMDGPU user guide, "ELF Header").
    const FLAGS: usize = 48;
    let bytes = fs::read(&object).expect("the object");
    for (number, name) in [
        (0x30, "gfx908"),
        (0x3f, "gfx90a"),
        (0x36, "gfx1030"),
        (0x41, "gfx1100"),
    ] {
        let mut bytes = bytes.clone();
        bytes[FLAGS] = number;
        fs::write(&object, bytes).expect("a file");
        let message = format!(
            "error[unsupported-target]: k.co: the code cannot be read: {}\n",
            gcn_isa::UnknownTarget(name)
        );
        for arguments in [&[][..], &["--target", "gfx900"]] {
            let ran = run(arguments);
            assert_eq!(ran.err, message, "{arguments:?}");
            assert_eq!(ran.status, Some(BAD_INPUT));
        }
        // Listing code for another target is allowed, with a warning.
        let list = |command: &str| gcn_in(&directory, &[command, "k.co", "--target", "gfx906"]);
        let (dis, info) = (list("dis"), list("info"));
        let warning =
            format!("k.co: warning: the code is for {name}, but is disassembled for gfx906\n");
        assert_eq!((dis.err, dis.status), (warning, Some(GOOD)));
        assert!(dis.out.contains("v_mov_b32"), "{}", dis.out);
        let warning = format!("k.co: warning: the code is for {name}, not for gfx906\n");
        assert_eq!((info.err, info.status), (warning, Some(GOOD)));
        // Other processors allocate registers in blocks of different sizes.
        assert!(!info.out.contains("allocated"), "{}", info.out);
    }
    fs::write(&object, &bytes).expect("a file");
    for (command, warning) in [
        (
            "dis",
            "k.co: warning: the code is for gfx906, but is disassembled for gfx803\n",
        ),
        (
            "info",
            "k.co: warning: the code is for gfx906, not for gfx803\n",
        ),
    ] {
        assert_eq!(
            gcn_in(&directory, &[command, "k.co", "--target", "gfx803"]).err,
            warning
        );
        assert_eq!(
            gcn_in(&directory, &[command, "k.co", "--target", "vega20"]).err,
            ""
        );
        assert_eq!(
            gcn_in(&directory, &[command, "k.co", "--entry", "1"]).err,
            ""
        );
        let ran = gcn_in(&directory, &[command, "k.co", "--entry", "2"]);
        assert_eq!(
            ran.err,
            "error[no-matching-code]: k.co: the file is a single code object, without an entry 2\n"
        );
        assert_eq!(ran.status, Some(BAD_INPUT));
    }
    // Code object version 6 for gfx9-generic, version 1, which all GCN 1.4 targets can run.
    const ABI_VERSION: usize = 8;
    let mut generic = bytes.clone();
    generic[ABI_VERSION] = 4;
    generic[FLAGS] = 0x51;
    generic[FLAGS + 3] = 1;
    fs::write(&object, generic).expect("a file");
    for arguments in [&[][..], &["--target", "gfx90c"], &["--target", "vega20"]] {
        let ran = run(arguments);
        assert_eq!(ran.status, Some(GOOD), "{arguments:?}: {}", ran.err);
    }
    let ran = run(&["--target", "gfx803"]);
    let refused = "error[no-matching-code]: k.co: code for gfx9-generic cannot run as gfx803\n";
    assert_eq!(ran.err, refused);
    let mut bytes = bytes;
    bytes[FLAGS] = 0;
    fs::write(&object, bytes).expect("a file");
    let ran = run(&[]);
    assert_eq!(
        ran.err,
        "error[missing-target]: k.co: the code object has no known target: add --target\n"
    );
    assert_eq!(run(&["--target", "gfx906"]).status, Some(GOOD));
}

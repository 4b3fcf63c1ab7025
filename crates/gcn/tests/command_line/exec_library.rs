//! Tests of the library that a program loads under `gcn exec`: the places where it is searched for, and other libraries
//! of the same name.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::process::Command;

use crate::exec::{LIBRARY, VARIABLES, command, compile, library, output, prepared};
use crate::{assert_status, scratch, stderr, stdout};

#[test]
fn the_library_is_found_next_to_the_command() {
    let directory = scratch("exec-places");
    let bin = directory.join("prefix/bin");
    fs::create_dir_all(&bin).expect("a directory");
    let own = bin.join("gcn");
    // A copy could not start (ETXTBSY) if another test forked while it was written.
    fs::hard_link(env!("CARGO_BIN_EXE_gcn"), &own).expect("a link");
    let link = directory.join("gcn");
    std::os::unix::fs::symlink(&own, &link).expect("a link");
    let found = || {
        let mut command = Command::new(&link);
        for name in VARIABLES {
            command.env_remove(name);
        }
        command
            .args(["exec", "--", "sh", "-c", "echo $LD_LIBRARY_PATH"])
            .output()
            .expect("gcn starts")
    };
    let failed = found();
    assert_status(&failed, 125);
    for part in [
        "error[missing-library]: neither libhsa-runtime64.so.1 nor libgcn_opencl.so is in ",
        "/prefix/lib/gcn or in",
        "/bin/gcn-hsa",
        "cargo xtask hsa",
        "GCN_LIB_DIR",
    ] {
        assert!(stderr(&failed).contains(part), "{}", stderr(&failed));
    }
    // A build directory, then an installation, which takes precedence.
    for place in ["prefix/bin/gcn-hsa", "prefix/lib/gcn"] {
        library(&directory.join(place), "emulated");
        let real = fs::canonicalize(directory.join(place)).expect("it exists");
        assert_eq!(stdout(&found()).trim(), real.display().to_string());
    }
    let colon = directory.join("a:b");
    library(&colon, "emulated");
    let failed = Command::new(&link)
        .args(["exec", "true"])
        .env("GCN_LIB_DIR", &colon)
        .output()
        .expect("gcn starts");
    assert_status(&failed, 125);
    assert!(
        stderr(&failed).contains("has a `:` in its name"),
        "{}",
        stderr(&failed)
    );
}

#[test]
fn programs_of_opencl_need_no_library_of_hip() {
    let directory = scratch("exec-opencl");
    let lib = directory.join("lib");
    fs::create_dir_all(&lib).expect("a directory");
    let platform = lib.join("libgcn_opencl.so");
    fs::write(&platform, "a library").expect("written");
    let shown = output(
        &directory,
        &["exec", "--", "sh", "-c", "echo $OCL_ICD_VENDORS"],
    );
    assert_status(&shown, 0);
    let real = fs::canonicalize(&platform).expect("it exists");
    assert_eq!(stdout(&shown).trim(), real.display().to_string());
    assert_eq!(stderr(&shown), "");
    // A program linked with `libhsa-runtime64.so.1` needs this library, but `lib` contains only the OpenCL platform.
    let other = directory.join("other");
    library(&other, "a device");
    let rpath = format!("-Wl,-rpath,{}", other.display());
    let source = "const char *who(void);\nint main(void) { return who() == 0; }\n";
    let linked = other.join(LIBRARY);
    let program = ["-o", "program", linked.to_str().expect("a name"), &rpath];
    compile(&directory, source, &program);
    let refused = output(&directory, &["exec", "./program"]);
    assert_status(&refused, 125);
    let message = stderr(&refused);
    assert!(
        message.contains("./program needs libhsa-runtime64.so.1, which is not in "),
        "{message}"
    );
}

#[test]
fn the_program_loads_the_library_whatever_its_own_paths_are() {
    let directory = prepared("exec-rpath");
    library(&directory.join("other"), "other");
    let source =
        "#include <stdio.h>\nconst char *who(void);\nint main(void) { return puts(who()) < 0; }\n";
    for (name, flags, has_note) in [
        ("plain", &[][..], false),
        (
            "runpath",
            &["-Wl,--enable-new-dtags,-rpath,$ORIGIN/other"],
            false,
        ),
        (
            "rpath",
            &["-Wl,--disable-new-dtags,-rpath,/usr/include:$ORIGIN/other"],
            true,
        ),
        (
            "to-us",
            &["-Wl,--disable-new-dtags,-rpath,${ORIGIN}/lib"],
            false,
        ),
    ] {
        let library = format!("-l:{LIBRARY}");
        let arguments: Vec<&str> = [&["-o", name, "-Lother", &library], flags].concat();
        compile(&directory, source, &arguments);
        let ran = output(&directory, &["exec", &format!("./{name}")]);
        assert_status(&ran, 0);
        assert_eq!(stdout(&ran), "emulated\n", "{name}");
        let note = stderr(&ran);
        if has_note {
            assert!(note.starts_with("note: ./rpath finds "), "{note}");
            assert!(
                note.contains("by its DT_RPATH") && note.contains("patchelf"),
                "{note}"
            );
        } else {
            assert_eq!(note, "", "{name}");
        }
    }
    // LD_PRELOAD does not accept a path with a space, but it accepts the name of a link in a search directory.
    let spaced = directory.join("with a space");
    library(&spaced, "emulated");
    let run_spaced = || {
        let mut gcn = command(&directory, &["exec", "./rpath"]);
        gcn.env("GCN_LIB_DIR", &spaced)
            .output()
            .expect("gcn starts")
    };
    let refused = run_spaced();
    assert_status(&refused, 125);
    let message = "has a space in its name, which separates names in LD_PRELOAD";
    assert!(stderr(&refused).contains(message), "{}", stderr(&refused));
    let link = spaced.join("libgcn-hsa-runtime64.so.1");
    std::os::unix::fs::symlink(LIBRARY, link).expect("a link");
    assert_eq!(stdout(&run_spaced()), "emulated\n");
    // A library with DT_RPATH, like the HIP runtime; the program itself has none.
    let between = "const char *who(void);\nconst char *which(void) { return who(); }\n";
    compile(
        &directory,
        between,
        &[
            "-shared",
            "-fPIC",
            "-o",
            "libbetween.so",
            "-Lother",
            &format!("-l:{LIBRARY}"),
            "-Wl,--disable-new-dtags,-rpath,$ORIGIN/other",
        ],
    );
    compile(
        &directory,
        "#include <stdio.h>\nconst char *which(void);\nint main(void) { return puts(which()) < 0; }\n",
        &[
            "-o",
            "through",
            "-L.",
            "-lbetween",
            "-Wl,--enable-new-dtags,-rpath,$ORIGIN",
        ],
    );
    let ran = output(&directory, &["exec", "./through"]);
    assert_status(&ran, 0);
    assert_eq!(stdout(&ran), "emulated\n");
    assert!(
        stderr(&ran).starts_with("note: ./through finds "),
        "{}",
        stderr(&ran)
    );
    compile(
        &directory,
        "int main(void) { return 5; }\n",
        &["-static", "-o", "static"],
    );
    let ran = output(&directory, &["exec", "./static"]);
    assert_status(&ran, 5);
    assert!(
        stderr(&ran).starts_with("note: ./static is linked statically and loads no library"),
        "{}",
        stderr(&ran)
    );
}

#[test]
fn a_setuid_program_is_refused() {
    let directory = prepared("exec-setuid");
    let program = directory.join("setuid");
    fs::copy("/bin/true", &program).expect("a copy");
    let own = fs::metadata(&program).expect("it exists").uid();
    let path = if own == 0 {
        chown(&program, Some(65534), None).expect("root may");
        fs::set_permissions(&program, Permissions::from_mode(0o4755)).expect("root may");
        "./setuid"
    } else {
        // A setuid-root program that every system has.
        "su"
    };
    let failed = output(&directory, &["exec", path]);
    assert_status(&failed, 125);
    assert!(
        stderr(&failed).contains("(setuid), so the loader ignores LD_LIBRARY_PATH"),
        "{}",
        stderr(&failed)
    );
}

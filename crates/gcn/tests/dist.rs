//! Test of an installation made by `cargo xtask dist`, with placeholder files for the libraries.

#[path = "../../../xtask/src/install.rs"]
mod install;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use install::{Libraries, install};

/// Creates an empty directory for a test, with placeholders for the libraries.
fn prepared(test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&directory); // May not exist.
    fs::create_dir_all(&directory).expect("a directory");
    for name in ["libhsa-runtime64.so.1", "libgcn_opencl.so"] {
        fs::write(directory.join(name), "a library").expect("written");
    }
    directory
}

#[test]
fn a_prefix_has_all_that_is_needed() {
    let directory = prepared("dist");
    let prefix = directory.join("prefix");
    let library = directory.join("libhsa-runtime64.so.1");
    let opencl = directory.join("libgcn_opencl.so");
    let libraries = Libraries {
        hsa: &library,
        opencl: &opencl,
    };
    // The second installation replaces the first.
    for contents in ["an old library", "a library"] {
        fs::write(&library, contents).expect("written");
        let gcn = Path::new(env!("CARGO_BIN_EXE_gcn"));
        install(&prefix, gcn, &libraries).expect("it is installed");
    }
    let text = |path: &str| {
        let read = fs::read_to_string(prefix.join(path));
        read.unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    for name in ["libhsa-runtime64.so.1", "libhsa-runtime64.so"] {
        assert_eq!(text(&format!("lib/gcn/{name}")), "a library");
    }
    let platform = prefix.join("lib/gcn/libgcn_opencl.so");
    assert_eq!(
        text("lib/gcn/gcn.icd").trim(),
        platform.display().to_string()
    );
    for page in ["gcn", "gcn-exec", "gcn-env", "gcn-run"] {
        let page = text(&format!("share/man/man1/{page}.1"));
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
    }
    for place in [
        "share/bash-completion/completions/gcn",
        "share/zsh/site-functions/_gcn",
        "share/fish/vendor_completions.d/gcn.fish",
    ] {
        let script = text(place);
        assert!(
            script.contains("exec") && script.contains("trace-only"),
            "{place}"
        );
    }
    for (below, count) in [("bin", 2), ("lib/gcn", 5)] {
        let entries = fs::read_dir(prefix.join(below)).expect("it exists");
        assert_eq!(entries.count(), count, "nothing is left behind in {below}");
    }
    let disassembler = Command::new(prefix.join("bin/clrxdisasm"))
        .arg("--version")
        .output()
        .expect("it starts");
    assert!(disassembler.stdout.starts_with(b"clrxdisasm "));
    // The installed `gcn` finds the libraries in its own prefix.
    let found = Command::new(prefix.join("bin/gcn"))
        .args([
            "exec",
            "--",
            "sh",
            "-c",
            "echo $LD_LIBRARY_PATH $OCL_ICD_VENDORS",
        ])
        .env_remove("LD_LIBRARY_PATH")
        .env_remove("GCN_LIB_DIR")
        .output()
        .expect("gcn starts");
    assert!(
        found.status.success(),
        "{}",
        String::from_utf8_lossy(&found.stderr)
    );
    let real = fs::canonicalize(prefix.join("lib/gcn")).expect("it exists");
    assert_eq!(
        String::from_utf8_lossy(&found.stdout).trim(),
        format!(
            "{} {}",
            real.display(),
            real.join("libgcn_opencl.so").display()
        )
    );
}

#[test]
fn a_prefix_that_cannot_be_written_is_reported() {
    let directory = prepared("dist-failures");
    let library = directory.join("libhsa-runtime64.so.1");
    let libraries = |hsa| Libraries {
        hsa,
        opencl: &library,
    };
    let gcn = Path::new(env!("CARGO_BIN_EXE_gcn"));
    let error = install(&library, gcn, &libraries(&library)).expect_err("a file is no prefix");
    assert!(
        format!("{error:#}").starts_with("cannot make "),
        "{error:#}"
    );
    let none = directory.join("none");
    let missing = install(&directory.join("prefix"), gcn, &libraries(&none));
    let error = missing.expect_err("there is no library");
    assert!(
        format!("{error:#}").starts_with("cannot copy "),
        "{error:#}"
    );
}

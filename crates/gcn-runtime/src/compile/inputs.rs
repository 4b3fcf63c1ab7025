//! Cache key: hash of everything that Clang reads.
//!
//! The key contains the source as preprocessed by Clang. This covers header search, `__has_include`, `__DATE__`,
//! `#embed`, and environment variables that affect the search. Debug information and warnings also depend on text that
//! preprocessing removes, so the key also contains the source and each included file, Clang's effective options, and
//! files named in options, such as profiles. Only the assembler directives `.incbin` and `.include` read files later, so
//! sources that use them are not cached.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::cache::{CacheKey, ContentHasher};
use super::commands::CompilerCommands;
use super::process::run;
use super::request::{CompilerInput, Request};
use super::toolchain::Toolchain;

/// Assembler directives that read a file.
const READERS: [&[u8]; 2] = [b".incbin", b".include"];
/// Common prefix of both directives in bitcode, where each character is a VBR6 number: two chunks of six bits, with the
/// low five bits first and a continuation bit.
const READERS_IN_BITCODE: &[u8] = b".inc";
/// Magic number of bitcode.
const BITCODE: &[u8] = b"BC\xc0\xde";
/// Suffixes of a file named in an option, and of the precompiled headers that Clang uses instead of it.
const PRECOMPILED: [&str; 3] = ["", ".pch", ".gch"];

/// Computes the cache key for a source. Returns `None` if Clang rejects the source or may read further files.
pub(super) fn key(
    plan: &CompilerCommands,
    toolchain: &Toolchain,
    request: &Request<'_>,
    text: &[u8],
) -> Option<CacheKey> {
    let mut hasher = ContentHasher::default();
    hasher.part(env!("CARGO_PKG_VERSION").as_bytes());
    hasher.part(plan.identity(toolchain).as_bytes());
    hasher.part(text);
    for option in request.options {
        for name in named_files(option) {
            hash_file(&mut hasher, &name);
        }
    }
    let Some(arguments) = plan.preprocessing() else {
        let reads = match request.source {
            CompilerInput::Bitcode(modules) => modules.iter().any(|module| reads_files(module)),
            CompilerInput::File(_) | CompilerInput::Text(_) => reads_files(text),
        };
        return (!reads).then(|| hasher.key());
    };
    let input = matches!(request.source, CompilerInput::Text(_)).then_some(text);
    let output = run(&toolchain.clang, &arguments, input, None).ok()?;
    let preprocessed = &output.stdout;
    if !output.status.success() || reads_files(preprocessed) {
        return None;
    }
    hasher.part(&output.stderr);
    hasher.part(preprocessed);
    for name in included(preprocessed) {
        hash_file(&mut hasher, OsStr::from_bytes(&name));
    }
    Some(hasher.key())
}

/// Hashes a file's name, and its contents if it is a regular file.
fn hash_file(hasher: &mut ContentHasher, name: &OsStr) {
    hasher.part(name.as_bytes());
    let path = Path::new(name);
    if !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return;
    }
    let Ok(mut file) = fs::File::open(path) else {
        return;
    };
    let mut piece = vec![0; 1 << 16];
    while let Ok(length @ 1..) = file.read(&mut piece) {
        hasher.part(&piece[..length]);
    }
}

/// Returns the existing files that an option may name: the option itself, its value or a response file, and precompiled
/// headers of these.
fn named_files(option: &OsStr) -> Vec<std::ffi::OsString> {
    let bytes = option.as_bytes();
    let value = bytes.iter().position(|byte| *byte == b'=');
    let value = value.and_then(|at| bytes.get(at + 1..));
    let names = [Some(bytes), value, bytes.strip_prefix(b"@")];
    let names = names.into_iter().flatten();
    let files = names.flat_map(|name| {
        PRECOMPILED.map(|ending| {
            let mut name = OsStr::from_bytes(name).to_owned();
            name.push(ending);
            name
        })
    });
    files.filter(|name| Path::new(name).is_file()).collect()
}

/// Returns the files that contributed to preprocessed text, from its line markers.
fn included(preprocessed: &[u8]) -> BTreeSet<Vec<u8>> {
    let lines = preprocessed.split(|byte| *byte == b'\n');
    lines.filter_map(marked_file).collect()
}

/// Parses the file name in a line marker such as `# 12 "dir/a.h" 1`.
fn marked_file(line: &[u8]) -> Option<Vec<u8>> {
    let rest = line.strip_prefix(b"# ")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut rest = rest.get(digits..)?.strip_prefix(b" \"")?.iter();
    let mut name = Vec::new();
    loop {
        match rest.next()? {
            b'"' => return Some(name),
            b'\\' => match rest.next()? {
                digit @ b'0'..=b'7' => {
                    let mut value = digit - b'0';
                    for _ in 0..2 {
                        let digit = rest.next().filter(|it| (b'0'..=b'7').contains(it))?;
                        value = value.wrapping_mul(8).wrapping_add(digit - b'0');
                    }
                    name.push(value);
                }
                escaped => name.push(*escaped),
            },
            byte => name.push(*byte),
        }
    }
}

/// True if assembly code in a source or a module may read files.
fn reads_files(text: &[u8]) -> bool {
    if text.starts_with(BITCODE) {
        return has_in_bitcode(text, READERS_IN_BITCODE);
    }
    let lines = text.split(|byte| *byte == b'\n');
    let mut lines = lines.filter(|line| marked_file(line).is_none());
    lines.any(|line| {
        READERS
            .iter()
            .any(|reader| line.windows(reader.len()).any(|part| part == *reader))
    })
}

/// True if bitcode contains a string of up to five VBR6 characters, at any bit offset.
fn has_in_bitcode(bitcode: &[u8], text: &[u8]) -> bool {
    let chunks = text.iter().map(|byte| {
        let byte = u64::from(*byte);
        byte & 31 | 32 | byte >> 5 << 6
    });
    let bits = 12 * text.len();
    let wanted = chunks.rev().fold(0, |wanted, chunk| wanted << 12 | chunk);
    let mut window = 0;
    bitcode.iter().any(|byte| {
        (0..8).any(|bit| {
            window = window >> 1 | u64::from(byte >> bit & 1) << (bits - 1);
            window == wanted
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_markers_name_files() {
        for (line, expected) in [
            ("# 12 \"dir/a.h\" 1 3", Some("dir/a.h")),
            (r#"# 1 "a \"b\" \\ \303\244.h" 2"#, Some("a \"b\" \\ ä.h")),
            ("#pragma once", None),
            ("# 12 \"dir", None),
            ("x = \"a\";", None),
        ] {
            let found = marked_file(line.as_bytes());
            assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{line}");
        }
    }

    #[test]
    fn assembly_that_reads_files_is_seen() {
        assert!(reads_files(b"asm(\".incbin \\\"x\\\"\");"));
        assert!(!reads_files(b"# 1 \"table.include\"\nint x;"));
        // Bitcode of module-level assembly from Clang 19, starting at its third dword.
        let mut bitcode = BITCODE.to_vec();
        assert!(!reads_files(&bitcode));
        let mut bits = vec![true, false, true];
        for byte in b"a.incbin" {
            let byte = u32::from(*byte);
            let chunks = byte & 31 | 32 | byte >> 5 << 6;
            bits.extend((0..12).map(|bit| chunks >> bit & 1 == 1));
        }
        bits.resize(bits.len().next_multiple_of(8), false);
        let bytes = bits.chunks(8).map(|bits| {
            let bits = bits.iter().enumerate();
            bits.fold(0, |byte, (bit, is_set)| byte | u8::from(*is_set) << bit)
        });
        bitcode.extend(bytes);
        assert!(reads_files(&bitcode));
    }

    #[test]
    fn options_name_files() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("a.h.pch");
        fs::write(&file, "").expect("a file");
        for (option, count) in [
            (format!("{}", file.display()), 1),
            (format!("-fprofile-use={}", file.display()), 1),
            (format!("@{}", file.display()), 1),
            (format!("{}", directory.path().join("a.h").display()), 1),
            (format!("-I{}", directory.path().display()), 0),
        ] {
            assert_eq!(named_files(OsStr::new(&option)).len(), count, "{option}");
        }
    }
}

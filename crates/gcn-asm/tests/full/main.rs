//! The full listing of a code object assembles to an equivalent object: sections, symbols, relocations, kernels,
//! notes. Covers everything that clang builds from the kernels of the repository, and the objects in it.

#![allow(
    clippy::print_stderr,
    reason = "what could not be built is shown with its reason"
)]

#[path = "../common/mod.rs"]
mod common;
mod compiled;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use common::target;
use gcn_asm::list::{ListOptions, list_object};
use gcn_asm::{Assembly, Options, SectionKind, Source, SymbolPlace, assemble};
use gcn_isa::Target;
use gcn_object::write::{Builder, InputSection, InputSectionKind, SectionContents};
use gcn_object::{
    Binding, CodeObject, Flags, RelocationKind, RelocationTarget, SymbolKind, Version, Visibility,
    read,
};

/// `SHT_PROGBITS`, `SHT_NOTE` and `SHT_NOBITS`.
const KEPT: [u32; 3] = [1, 7, 8];
const NOBITS: u32 = 8;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Kernel sources and code objects in the repository.
fn files(extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut directories: Vec<PathBuf> = ["tests", "examples", "crates"]
        .iter()
        .map(|name| repository().join(name))
        .collect();
    while let Some(directory) = directories.pop() {
        let entries = std::fs::read_dir(&directory)
            .unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
        for entry in entries {
            let path = entry.expect("the directory can be read").path();
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
            if path.is_dir() {
                directories.push(path);
            } else if extensions.contains(&extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn scratch(name: &str) -> String {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("full");
    std::fs::create_dir_all(&directory).expect("a directory for the test");
    directory.join(name).to_string_lossy().into_owned()
}

fn target_of(object: &CodeObject) -> &'static Target {
    let named = object.processor().and_then(Target::named);
    named.expect("the object names its target")
}

fn listing(object: &CodeObject) -> String {
    let mut text = Vec::new();
    list_object(
        object,
        target_of(object),
        &ListOptions::default(),
        &mut |part| text.extend_from_slice(part),
    );
    String::from_utf8(text).expect("text in UTF-8")
}

fn assembled(what: &str, object: &CodeObject) -> Assembly {
    let text = listing(object);
    let source = Source {
        name: what,
        text: &text,
    };
    let assembly = assemble(&source, &Options::new(target_of(object)));
    let said: Vec<String> = assembly
        .diagnostics
        .iter()
        .take(5)
        .map(|d| format!("{}: {}", &text[d.span.clone()], d.message))
        .collect();
    assert!(said.is_empty(), "{what}: {}", said.join("\n"));
    assembly
}

/// Attributes of a symbol besides its address.
type Kind = (u64, SymbolKind, Binding, Visibility);

/// Symbols of the program, without those that the linker and the compiler add for themselves.
fn symbols(object: &CodeObject) -> BTreeSet<(String, String, u64, u64, u8, u8, u8)> {
    object
        .symbols
        .iter()
        .filter(|s| !matches!(s.kind, SymbolKind::Section | SymbolKind::File))
        .filter_map(|s| {
            let section = match s.section {
                gcn_object::SymbolSection::Section(index) => object.sections.get(index)?,
                _ => return None,
            };
            let is_kept = KEPT.contains(&section.kind) && section.is_loaded();
            let (kind, binding) = (s.kind.number(), s.binding.number());
            let seen = s.visibility.number();
            let name = (s.name.clone(), section.name.clone());
            is_kept.then_some((name.0, name.1, s.value, s.size, kind, binding, seen))
        })
        .collect()
}

/// Dynamic relocations: address, kind, and the value to store.
fn loads(object: &CodeObject) -> BTreeSet<(u64, u32, u64)> {
    let value = |target| match target {
        RelocationTarget::Zero => 0,
        RelocationTarget::Address(address) => address,
        RelocationTarget::Symbol(index) => object.symbols[index].value,
    };
    let kind = |kind| match kind {
        // Equivalent to a loader.
        RelocationKind::Abs64 => RelocationKind::Relative64,
        other => other,
    };
    object
        .relocations
        .iter()
        .map(|r| {
            let value = value(r.target).wrapping_add_signed(r.addend);
            (r.address, kind(r.kind).number(), value)
        })
        .collect()
}

/// Checks that the listing of a linked object assembles to the same addresses and bytes.
fn check_linked(what: &str, bytes: &[u8]) {
    let object = read(bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(object.linked, "{what}");
    let program = assembled(what, &object).program;
    let made = program
        .to_object(None)
        .unwrap_or_else(|error| panic!("{what}: {error:?}"));
    let made = read(&made).unwrap_or_else(|error| panic!("{what}: {error}"));
    let mut compared = 0;
    for section in object.sections.iter().filter(|s| s.is_loaded()) {
        if !KEPT.contains(&section.kind) || section.size == 0 || section.name == ".relro_padding" {
            continue;
        }
        let same = made.sections.iter().find(|s| s.name == section.name);
        let same = same.unwrap_or_else(|| panic!("{what} has no {}", section.name));
        assert_eq!(same.size, section.size, "{what}: {}", section.name);
        assert!(
            made.section_bytes(same) == object.section_bytes(section),
            "{what}: the bytes of {} differ",
            section.name
        );
        if section.name != ".note" {
            assert_eq!(same.address, section.address, "{what}: {}", section.name);
        }
        compared += 1;
    }
    assert!(compared >= 2, "{what} has code and notes");
    assert_eq!(made.version, object.version, "{what}");
    assert_eq!(made.flags, object.flags, "{what}");
    assert_eq!(made.kernels, object.kernels, "{what}");
    assert!(!made.kernels.is_empty(), "{what}");
    assert_eq!(made.metadata, object.metadata, "{what}");
    assert_eq!(loads(&made), loads(&object), "{what}");
    assert_eq!(symbols(&made), symbols(&object), "{what}");
}

/// Checks that the listing of an unlinked object assembles to the same sections, and to a loadable object.
fn check_relocatable(what: &str, bytes: &[u8]) {
    let object = read(bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(!object.linked, "{what}");
    let program = assembled(what, &object).program;
    let address = |section: usize| {
        let name = &program.sections[section].name;
        let same = object.sections.iter().find(|s| &s.name == name);
        same.map_or(0, |s| s.address)
    };
    for section in object
        .sections
        .iter()
        .filter(|s| s.is_loaded() && s.size > 0)
    {
        let same = program.section(&section.name);
        // Notes of version 3 and later are generated by the linker.
        let Some(same) = same else {
            assert_eq!(section.name, ".note", "{what}");
            continue;
        };
        assert_eq!(same.size, section.size, "{what}: {}", section.name);
        assert_eq!(same.kind == SectionKind::NoBits, section.kind == NOBITS);
        assert!(
            same.bytes == object.section_bytes(section),
            "{what}: the bytes of {} differ",
            section.name
        );
    }
    let place = |symbol: usize| match program.symbols[symbol].place {
        SymbolPlace::Section { section, offset } => Some(address(section) + offset),
        _ => None,
    };
    // Fields in the object's own layout: location, kind, and the name or location of their target.
    let mut ours = BTreeSet::new();
    for (index, section) in program.sections.iter().enumerate() {
        for r in &section.relocations {
            let (name, base) = match place(r.symbol) {
                Some(base) => (String::new(), base),
                None => (program.symbols[r.symbol].name.clone(), 0),
            };
            let value = base.wrapping_add_signed(r.addend);
            ours.insert((address(index) + r.offset, r.kind.number(), name, value));
        }
    }
    let mut theirs = BTreeSet::new();
    for r in &object.relocations {
        let (target, kind) = match r.target {
            // The reader generates the global offset table.
            RelocationTarget::Address(slot) => {
                let slot = object.relocations.iter().find(|s| s.address == slot);
                let kind = match r.kind {
                    RelocationKind::Rel32 => RelocationKind::GotPcRel,
                    RelocationKind::Rel32Lo => RelocationKind::GotPcRel32Lo,
                    RelocationKind::Rel32Hi => RelocationKind::GotPcRel32Hi,
                    other => panic!("{what}: {other:?} through a table"),
                };
                (slot.expect("the slot is filled").target, kind)
            }
            target => (target, r.kind),
        };
        let inside = |s: &&gcn_object::Section| {
            s.is_loaded() && (s.address..s.address + s.size).contains(&r.address)
        };
        if !object.sections.iter().any(|s| inside(&s)) {
            continue;
        }
        let RelocationTarget::Symbol(symbol) = target else {
            panic!("{what}: {target:?}");
        };
        let symbol = &object.symbols[symbol];
        let (name, base) = match symbol.section {
            gcn_object::SymbolSection::Section(_) => (String::new(), symbol.value),
            _ => (symbol.name.clone(), 0),
        };
        let value = base.wrapping_add_signed(r.addend);
        theirs.insert((r.address, kind.number(), name, value));
    }
    assert_eq!(ours, theirs, "{what}");
    let mut compared = 0;
    for symbol in &object.symbols {
        let gcn_object::SymbolSection::Section(section) = symbol.section else {
            continue;
        };
        let is_real = !matches!(symbol.kind, SymbolKind::Section | SymbolKind::File);
        if !is_real || !object.sections[section].is_loaded() {
            continue;
        }
        let mut same = program.symbols.iter().enumerate();
        let (index, same) = same
            .find(|(_, s)| s.name == symbol.name)
            .unwrap_or_else(|| panic!("{what} has no symbol {}", symbol.name));
        let ours: Kind = (same.size, same.kind, same.binding, same.visibility);
        let theirs: Kind = (symbol.size, symbol.kind, symbol.binding, symbol.visibility);
        assert_eq!(ours, theirs, "{what}: {}", symbol.name);
        assert_eq!(place(index), Some(symbol.value), "{what}: {}", symbol.name);
        compared += 1;
    }
    assert!(compared > 0, "{what} has symbols");
    // If it links here, it is an equivalent program; undefined symbols must stay undefined.
    let is_whole = |s: &gcn_object::Symbol| {
        s.section != gcn_object::SymbolSection::Undefined
            || s.binding == Binding::Weak
            || s.name.is_empty()
    };
    if object.symbols.iter().all(is_whole) {
        let linked = program
            .to_object(None)
            .unwrap_or_else(|error| panic!("{what}: {error:?}"));
        let linked = read(&linked).unwrap_or_else(|error| panic!("{what}: {error}"));
        let names = |object: &CodeObject| -> Vec<_> {
            let names = object.kernels.iter().map(|k| (k.name.clone(), k.code_size));
            names.collect()
        };
        assert_eq!(names(&linked), names(&object), "{what}");
        assert_eq!(linked.metadata, object.metadata, "{what}");
    }
}

#[test]
fn the_objects_of_the_repository_come_back() {
    let objects = files(&["co"]);
    assert!(objects.len() >= 6, "versions 2 to 5 are there");
    let mut versions = BTreeSet::new();
    for path in objects {
        let bytes = std::fs::read(&path).expect("it can be read");
        let what = path.display().to_string();
        let object = read(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
        versions.insert(object.version.number());
        check_linked(&what, &bytes);
    }
    assert!(
        versions.contains(&2) && versions.contains(&3),
        "{versions:?}"
    );
}

#[test]
fn what_is_assembled_here_comes_back() {
    let mut checked = 0;
    for path in files(&["s"]) {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let Some(target) = gcn_asm::named_target(&text).filter(|_| text.contains(".amdhsa_kernel"))
        else {
            continue;
        };
        let source = Source {
            name: "test.s",
            text: &text,
        };
        let assembly = assemble(&source, &Options::new(target));
        let Ok(object) = assembly.program.to_object(None) else {
            continue;
        };
        if !assembly.has_errors() {
            check_linked(&path.display().to_string(), &object);
            checked += 1;
        }
    }
    assert!(checked >= 3, "there are examples with kernels");
}

#[test]
fn version_2_directives_make_what_clang_15_makes() {
    // Output of clang-15 -S for version 2, shortened.
    let source = "\t.text\n\t.hsa_code_object_version 2,1\n\t.hsa_code_object_isa 8,0,3,\"AMD\",\"AMDGPU\"\n\
        \t.globl k\n\t.p2align 8\n\t.type k,@function\n\t.amdgpu_hsa_kernel k\nk:\n\t.amd_kernel_code_t\n\
        \t\tis_ptr64 = 1\n\t\twavefront_sgpr_count = last-first\n\t.end_amd_kernel_code_t\n\ts_endpgm\n.Lend:\n\
        \t.size k, .Lend-k\n\t.section .rodata,#alloc\nfirst:\n\t.zero 10\nlast:\n\
        \t.section .bss,#alloc,#write\n\t.zero 8\n\t.amd_amdgpu_isa \"amdgcn-amd-amdhsa--gfx803\"\n\
        \t.amd_amdgpu_hsa_metadata\n---\nVersion: [ 1, 0 ]\nKernels:\n  - Name: k\n    SymbolName: 'k@kd'\n...\n\
        \t.end_amd_amdgpu_hsa_metadata\n";
    let parsed = Source {
        name: "test.s",
        text: source,
    };
    let assembly = assemble(&parsed, &Options::new(target("gfx803")));
    assert!(
        assembly.diagnostics.is_empty(),
        "{:?}",
        assembly.diagnostics
    );
    let bytes = assembly.program.to_object(None).expect("it links");
    let object = read(&bytes).expect("it is an object");
    assert_eq!(object.version.number(), 2);
    assert_eq!(
        object.isa_note.map(|isa| isa.processor_name()).as_deref(),
        Some("gfx803")
    );
    let [kernel] = &object.kernels[..] else {
        panic!("one kernel, not {:?}", object.kernels)
    };
    let header = kernel
        .descriptor
        .kernel_code
        .as_ref()
        .expect("version 2 has a header");
    assert_eq!(
        (header.wavefront_sgpr_count, header.wavefront_size),
        (10, 6)
    );
    assert_eq!(
        (header.machine_version, header.call_convention),
        ([8, 0, 3], -1)
    );
    assert_eq!(kernel.entry_address - kernel.descriptor_address, 256);
    assert_eq!(kernel.code_size, 4);
    assert_eq!(kernel.metadata.as_ref().map(|m| m.name.as_str()), Some("k"));
    let bss = object
        .sections
        .iter()
        .find(|section| section.name == ".bss");
    assert_eq!(
        bss.map(|section| (section.kind, section.size)),
        Some((NOBITS, 8))
    );
    check_linked("version 2", &bytes);
    assert!(listing(&object).contains("\t.amd_kernel_code_t\n"));
}

#[test]
fn two_names_of_a_kernel_have_one_header() {
    let source = "\t.hsa_code_object_version 2,1\n\t.hsa_code_object_isa 8,0,3,\"AMD\",\"AMDGPU\"\n\
        \t.globl k\n\t.globl other\n\t.p2align 8\n\t.amdgpu_hsa_kernel k\n\t.amdgpu_hsa_kernel other\n\
        k:\nother:\n\t.amd_kernel_code_t\n\t.end_amd_kernel_code_t\n\ts_endpgm\n.Lend:\n\
        \t.size k, .Lend-k\n\t.size other, .Lend-k\n";
    let parsed = Source {
        name: "test.s",
        text: source,
    };
    let program = assemble(&parsed, &Options::new(target("gfx803"))).program;
    let bytes = program.to_object(None).expect("it links");
    check_linked("two names", &bytes);
    let object = read(&bytes).expect("it is an object");
    let text = listing(&object);
    assert_eq!(text.matches("\t.amd_kernel_code_t\n").count(), 1, "{text}");
}

#[test]
fn sections_keep_attributes_that_their_names_deny() {
    let section = |name: &str, write, execute| InputSection {
        name: name.to_owned(),
        contents: SectionContents::Bytes(vec![7; 8].into()),
        kind: InputSectionKind::Program,
        align: 16,
        address: None,
        loaded: true,
        write,
        execute,
    };
    let flags = Flags {
        mach: target("gfx900").elf_mach,
        ..Flags::default()
    };
    let mut builder = Builder::new(Version::V5, flags);
    builder.section(section(".text", true, false));
    builder.section(section(".text.part", false, false));
    builder.section(section(".rodata", false, true));
    builder.section(section(".bss", true, false));
    let bytes = builder.build().expect("the input is valid");
    let object = read(&bytes).expect("it is an object");
    let program = assembled("attributes", &object).program;
    let made = program.to_object(None).expect("it links");
    let made = read(&made).expect("it is an object");
    let sections = |object: &CodeObject| -> BTreeSet<_> {
        let sections = object.sections.iter();
        let kept = sections.filter(|s| object.section_bytes(s) == [7; 8]);
        kept.map(|s| (s.address, s.flags)).collect()
    };
    assert_eq!(sections(&object).len(), 4);
    assert_eq!(sections(&made), sections(&object));
}

#[test]
fn what_no_directive_says_is_bytes() {
    // A reserved bit of the descriptor, and a symbol inside of it.
    let source = "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\n\t.globl k\n\t.protected k\n\t.type k,@function\n\
        \t.p2align 8\nk:\n\ts_endpgm\n\t.rodata\n\t.p2align 6\n\t.globl k.kd\n\t.protected k.kd\n\
        \t.type k.kd,@object\n\t.size k.kd,64\nk.kd:\n\t.zero 12\n\t.long 7\n\t.quad k-k.kd\n\t.zero 24\n\
        \t.long 0x00af0000, 0x80, 8\n\t.zero 4\nbehind:\n\t.asciz \"a string\"\n\t.byte 1,2,3\n\t.data\n\
        \t.quad behind+3\n\t.bss\n\"odd name\":\n\t.zero 100\n";
    let target = target("gfx900");
    let parsed = Source {
        name: "test.s",
        text: source,
    };
    let assembly = assemble(&parsed, &Options::new(target));
    assert!(!assembly.has_errors(), "{:?}", assembly.diagnostics);
    let bytes = assembly.program.to_object(None).expect("it links");
    let object = read(&bytes).expect("it is an object");
    check_descriptor_and_data(&object);
    let program = assembled("bytes", &object).program;
    let again = program.to_object(None).expect("it links");
    let again = read(&again).expect("it is an object");
    assert_eq!(again.kernels, object.kernels);
    assert_eq!(symbols(&again), symbols(&object));
    assert_eq!(loads(&again), loads(&object));
}

fn check_descriptor_and_data(object: &CodeObject) {
    let text = listing(object);
    assert!(!text.contains(".amdhsa_kernel"), "{text}");
    for line in [
        "k.kd:",
        "\t.asciz \"a string\"",
        "\t.quad behind+3",
        "\"odd name\":",
    ] {
        assert!(
            text.lines().any(|found| found == line),
            "{line:?} in\n{text}"
        );
    }
}

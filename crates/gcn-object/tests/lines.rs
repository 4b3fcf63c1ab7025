//! Source lines of the fixture with debug information, identical to those of `llvm-objdump-19 -d -l`.

use gcn_object::{
    CodeObject, LinesError, LocationError, PiecePlace, SourceLanguage, SourceLines, SourceRegister,
    SourceSpace, SourceTypeKind, VariablePiece, VariableState, read,
};

/// Addresses in the kernel's code at which the line changes, with the new line.
const PARTS: [(u64, u32); 9] = [
    (0x1800, 8),
    (0x1834, 9),
    (0x1840, 8),
    (0x1860, 10),
    (0x1868, 4),
    (0x1870, 10),
    (0x1874, 10),
    (0x187c, 11),
    (0x1880, 0),
];

fn fixture() -> Vec<u8> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/lines-gfx906.co"
    );
    std::fs::read(path).expect("the fixture exists")
}

#[test]
fn every_instruction_has_the_line_that_llvm_shows() {
    let file = fixture();
    let object = read(&file).expect("a code object");
    let lines = object.source_lines().expect("DWARF").expect("-g");
    for pair in PARTS.windows(2) {
        let [(begin, line), (end, _)] = *pair else {
            panic!("two at a time");
        };
        for address in (begin..end).step_by(4) {
            let frames = lines.frames(address).expect("DWARF");
            let place = frames[0].place.as_ref().expect("a line");
            assert_eq!(
                (&*place.file, place.line),
                ("./lines.cl", line),
                "{address:#x}"
            );
            let is_inlined = line == 4;
            assert_eq!(frames.len(), 1 + usize::from(is_inlined), "{address:#x}");
            let kernel = frames.last().expect("a function");
            assert_eq!(kernel.function.as_deref(), Some("lines"));
        }
    }
    let frames = lines.frames(0x1868).expect("DWARF");
    assert_eq!(frames[0].function.as_deref(), Some("twice"));
    let call = frames[1].place.as_ref().expect("the call's line");
    assert_eq!(call.line, 10);
    assert_eq!(lines.frames(0x1880).expect("DWARF"), [], "behind the code");

    let ranges = lines.ranges(0x1800..0x1880).expect("DWARF");
    let rows: Vec<_> = ranges
        .iter()
        .map(|range| (range.addresses.start, range.place.line))
        .collect();
    // Rows that differ only in the column may be merged.
    let mut expected = PARTS[..PARTS.len() - 1].to_vec();
    expected.retain(|part| rows.contains(part) || part.0 != 0x1874);
    let lines_of = |rows: &[(u64, u32)]| {
        let mut rows = rows.to_vec();
        rows.dedup_by_key(|row| row.1);
        rows
    };
    assert_eq!(lines_of(&rows), lines_of(&expected));
}

#[test]
fn an_object_without_debug_information_has_no_lines() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/scale-gfx803-v3.co"
    );
    let file = std::fs::read(path).expect("the fixture exists");
    let object = read(&file).expect("a code object");
    assert!(object.source_lines().expect("nothing is wrong").is_none());
}

/// Changes every byte of the debug information, one at a time: the result is an answer or an error, without a panic.
#[test]
fn broken_debug_information_is_an_error_or_another_answer() {
    let whole = fixture();
    let ranges: Vec<_> = {
        let object = read(&whole).expect("a code object");
        let debug = object
            .sections
            .iter()
            .filter(|section| section.name.starts_with(".debug_"));
        debug.map(|section| section.file.clone()).collect()
    };
    assert!(ranges.len() > 4, "it has sections of debug information");
    for place in ranges.into_iter().flatten() {
        for flipped in [0xff, 0x01, 0x80] {
            let mut file = whole.clone();
            file[place] ^= flipped;
            let object = read(&file).expect("the rest is whole");
            if let Ok(Some(lines)) = object.source_lines() {
                let _ = lines.frames(0x1868);
                let _ = lines.ranges(0x1800..0x1880);
            }
        }
    }
}

/// Wave whose registers have the same value, of code that is loaded at 0x10000.
struct Wave(u64);

impl VariableState for Wave {
    fn register(&self, _: SourceRegister) -> Option<u64> {
        Some(self.0)
    }

    fn loaded(&self, address: u64) -> u64 {
        address + 0x10000
    }

    fn memory(&self, _: SourceSpace, address: u64) -> Option<u64> {
        Some(address / 2)
    }
}

/// Code object with variables, compiled at a level.
fn variables(name: &str) -> Vec<u8> {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    std::fs::read(format!("{fixtures}/variables-{name}-gfx906.co")).expect("a file")
}

/// Reads the variables at an address, with their locations and types, to a limited depth. Returns the number of types.
fn read_variables(lines: &SourceLines, address: u64) -> usize {
    let mut types = Vec::new();
    for variable in lines.variables(address).unwrap_or_default() {
        let _ = variable.pieces(&Wave(0x1234_5678_9abc));
        types.extend(variable.ty);
    }
    let mut read = 0;
    while let Some(ty) = types.pop()
        && read < 500
    {
        read += 1;
        match lines.source_type(ty).map(|it| it.kind) {
            Ok(SourceTypeKind::Structure { fields }) => types.extend(fields.iter().map(|it| it.ty)),
            Ok(SourceTypeKind::Array { element, .. }) => types.push(element),
            Ok(SourceTypeKind::Pointer { to, .. }) => types.extend(to),
            _ => {}
        }
    }
    read
}

#[test]
fn pointers_have_the_address_space_and_size_of_their_target() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/pointers-gfx906.co"
    );
    let file = std::fs::read(path).expect("the fixture exists");
    let object = read(&file).expect("a code object");
    let lines = object.source_lines().expect("DWARF").expect("-g");
    let kernel = object.symbols.iter().find(|it| it.name == "pointers");
    let variables = lines
        .variables(kernel.expect("a kernel").value)
        .expect("DWARF");
    for (name, space, bytes) in [
        ("out", SourceSpace::Generic, 8),
        ("in", SourceSpace::Local, 4),
        ("near", SourceSpace::Local, 4),
        ("mine", SourceSpace::Private, 4),
    ] {
        let variable = variables.iter().find(|it| it.name == name);
        let ty = variable.and_then(|it| it.ty).expect("a variable");
        let ty = lines.source_type(ty).expect("a type");
        let SourceTypeKind::Pointer { space: found, .. } = ty.kind else {
            panic!("{name} is a pointer");
        };
        assert_eq!((found, ty.bytes), (space, bytes), "{name}");
    }
}

#[test]
fn broken_variables_are_errors_or_other_values() {
    for (name, address) in [("O0", 0x243c), ("O2", 0x1c70), ("hip", 0x221c)] {
        let file = variables(name);
        let object = read(&file).expect("an object");
        let lines = object
            .source_lines()
            .expect("DWARF")
            .expect("compiled with -g");
        assert!(read_variables(&lines, address) > 10, "{name}");
        for section in [
            ".debug_info",
            ".debug_abbrev",
            ".debug_loclists",
            ".debug_rnglists",
            ".debug_addr",
            ".debug_str_offsets",
        ] {
            let Some(found) = object.sections.iter().find(|it| it.name == section) else {
                continue;
            };
            for at in found.file.clone() {
                for byte in [0xff, file[at].wrapping_add(1)] {
                    let mut broken = file.clone();
                    broken[at] = byte;
                    let broken = read(&broken).expect("the sections are unchanged");
                    if let Ok(Some(lines)) = broken.source_lines() {
                        read_variables(&lines, address);
                    }
                }
            }
        }
    }
}

#[test]
fn locations_of_variables_are_those_of_the_code() {
    let file = variables("O0");
    let object = read(&file).expect("an object");
    let lines = object
        .source_lines()
        .expect("DWARF")
        .expect("compiled with -g");
    let entry = object.kernels[0].entry_address;
    let find = |address: u64, name: &str| {
        let found = lines.variables(address).expect("DWARF");
        let found = found.into_iter().find(|it| it.name == name);
        found.expect("a variable").pieces(&Wave(0x4000))
    };
    assert_eq!(find(entry, "item"), Err(LocationError::InPrologue));
    let whole = |place| Ok(vec![VariablePiece { place, bytes: None }]);
    let private = SourceSpace::Private;
    // The frame register counts the bytes of 64 work-items.
    let memory = PiecePlace::Memory(private, 0x4000 / 64);
    assert_eq!(find(entry + 0x600, "out"), whole(memory));
    let lds = PiecePlace::Memory(SourceSpace::Local, 0);
    assert_eq!(find(entry + 0x600, "tile"), whole(lds));
    let table = object.symbols.iter().find(|it| it.name == "table");
    let table = table.expect("a symbol").value + 0x10000;
    let table = PiecePlace::Memory(SourceSpace::Generic, table);
    assert_eq!(find(entry + 0x600, "table"), whole(table));
}

#[test]
fn compressed_sections_are_decompressed_or_refused() {
    use std::io::Write;

    // Output of a linker with `-gz`: the section's bytes become a header and a stream, at the end of the file.
    let whole = fixture();
    let name = ".debug_line";
    let compress = |kind: u32, stream: Vec<u8>, size: u64| -> Vec<u8> {
        let mut section = kind.to_le_bytes().to_vec();
        section.extend([0; 4]);
        section.extend(size.to_le_bytes());
        section.extend(1u64.to_le_bytes());
        section.extend(stream);
        with_section(&whole, name, &section)
    };
    let object = read(&whole).expect("a code object");
    let section = object
        .sections
        .iter()
        .find(|s| s.name == name)
        .expect("it is there");
    let plain = object.section_bytes(section);
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(plain).expect("memory");
    let stream = encoder.finish().expect("memory");
    let size = plain.len() as u64;

    let file = compress(1, stream.clone(), size);
    let lines = |object: &CodeObject| object.source_lines().map(Option::unwrap);
    let lines = lines(&read(&file).expect("a code object")).expect("it is decompressed");
    let frames = lines.frames(0x1868).expect("DWARF");
    assert_eq!(frames[0].place.as_ref().map(|place| place.line), Some(4));

    for (kind, size, message) in [
        (7, size, "its method 7 is neither zlib (1) nor zstd (2)"),
        (1, size + 1, "it does not have"),
        (1, 1 << 40, "it would have 1099511627776 bytes"),
        (2, size, ""),
    ] {
        let file = compress(kind, stream.clone(), size);
        let error = read(&file).expect("a code object").source_lines();
        let Err(LinesError::Compressed { section, reason }) = error.map(|_| ()) else {
            panic!("{kind}, {size}: no error");
        };
        assert!(section == name && reason.contains(message), "{reason}");
    }
}

/// A copy of the file in which a section's bytes are replaced by others, at the end of the file, and marked as
/// compressed.
fn with_section(file: &[u8], name: &str, bytes: &[u8]) -> Vec<u8> {
    const HEADER: usize = 64;
    const FLAGS: usize = 8;
    const OFFSET: usize = 24;
    const SIZE: usize = 32;
    const SHF_COMPRESSED: u64 = 0x800;
    let object = read(file).expect("a code object");
    let section = object
        .sections
        .iter()
        .find(|s| s.name == name)
        .expect("it is there");
    let field = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().expect("8 bytes"));
    let table = field(40) as usize;
    let headers = (table..file.len()).step_by(HEADER);
    let mut own = headers.filter(|&at| {
        at + HEADER <= file.len()
            && field(at + OFFSET) as usize == section.file.start
            && field(at + SIZE) == section.size
    });
    let header = own.next().expect("its header");
    let mut changed = file.to_vec();
    let mut put = |at: usize, value: u64| {
        changed[at..at + 8].copy_from_slice(&value.to_le_bytes());
    };
    put(header + FLAGS, field(header + FLAGS) | SHF_COMPRESSED);
    put(header + OFFSET, file.len() as u64);
    put(header + SIZE, bytes.len() as u64);
    changed.extend_from_slice(bytes);
    changed
}

#[test]
fn code_without_a_line_has_the_nearest_of_its_function() {
    let file = fixture();
    let object = read(&file).expect("a code object");
    let lines = object.source_lines().expect("DWARF").expect("-g");
    let nearest = |address, function| {
        let place = lines.nearest(address, function).expect("DWARF");
        place.map(|place| place.line)
    };
    for (address, expected) in [
        (0x1804, 8),
        (0x1838, 9),
        // The call of the inlined function, and the code after it.
        (0x186c, 10),
        (0x1870, 10),
    ] {
        assert_eq!(
            nearest(address, 0x1800..0x1880),
            Some(expected),
            "{address:#x}"
        );
    }
    assert_eq!(
        nearest(0x1800, 0x1800..0x1880),
        Some(8),
        "the first behind it"
    );
    assert_eq!(nearest(0x1900, 0x1900..0x1910), None);
    assert_eq!(lines.language(0x1868), Ok(Some(SourceLanguage::OpenClC)));
}

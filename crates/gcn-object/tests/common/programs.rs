// Programs of OpenCL drivers, generated according to the documentation of their formats.

/// A section: name and contents.
pub type Section<'a> = (&'a str, Vec<u8>);

/// A symbol: name, section number from 1, offset, size, and `true` if it is global.
pub type Symbol<'a> = (&'a str, u16, u64, u64, bool);

/// An ELF file.
#[derive(Default)]
pub struct Elf<'a> {
    pub bits: u8,
    pub machine: u16,
    pub flags: u32,
    /// Kind, first section number, and the section number after the last.
    pub segments: Vec<(u32, usize, usize)>,
    pub sections: Vec<Section<'a>>,
    pub symbols: Vec<Symbol<'a>>,
}

impl Elf<'_> {
    fn header_bytes(&self) -> usize {
        let (header, segment) = if self.bits == 64 { (64, 56) } else { (52, 32) };
        header + segment * self.segments.len()
    }

    /// Offset of a section, by its number from 1.
    pub fn offset(&self, section: usize) -> usize {
        let before = self.sections.iter().take(section - 1);
        self.header_bytes() + before.map(|(_, bytes)| bytes.len()).sum::<usize>()
    }

    /// Builds the file: header, program headers, contents, symbols, names, section headers.
    pub fn build(&self) -> Vec<u8> {
        let is_64 = self.bits == 64;
        let mut symbols = vec![0; if is_64 { 24 } else { 16 }];
        let mut strings = vec![0];
        for &(name, section, value, size, is_global) in &self.symbols {
            let name_at = strings.len() as u32;
            strings.extend(name.bytes());
            strings.push(0);
            let info = [u8::from(is_global) << 4, 0];
            symbols.extend(name_at.to_le_bytes());
            if is_64 {
                symbols.extend(info);
                symbols.extend(section.to_le_bytes());
            }
            symbols.extend(self.word(value));
            symbols.extend(self.word(size));
            if !is_64 {
                symbols.extend(info);
                symbols.extend(section.to_le_bytes());
            }
        }
        let count = self.sections.len();
        let all = self.sections.iter().map(|(name, bytes)| (*name, bytes));
        let tables = [(".symtab", &symbols), (".strtab", &strings)];
        let mut names = vec![0];
        let mut contents: Vec<u8> = Vec::new();
        // Name, kind, offset, size, linked section, size of an entry.
        let mut headers = vec![(0, 0, 0, 0, 0, 0)];
        for (name, bytes) in all.chain(tables) {
            let (kind, link, entry) = match name {
                ".symtab" => (2, count as u32 + 2, if is_64 { 24 } else { 16 }),
                ".strtab" => (3, 0, 0),
                _ => (1, 0, 0),
            };
            let offset = self.header_bytes() + contents.len();
            headers.push((names.len(), kind, offset, bytes.len(), link, entry));
            names.extend(name.bytes());
            names.push(0);
            contents.extend(bytes);
        }
        let offset = self.header_bytes() + contents.len();
        headers.push((0, 3, offset, names.len(), 0, 0));
        contents.extend(&names);
        let table = self.header_bytes() + contents.len();

        let mut file = b"\x7fELF".to_vec();
        file.extend([if is_64 { 2 } else { 1 }, 1, 1]);
        file.resize(16, 0);
        file.extend(2_u16.to_le_bytes());
        file.extend(self.machine.to_le_bytes());
        file.extend(1_u32.to_le_bytes());
        let first_segment = if is_64 { 64 } else { 52 };
        for address in [0, first_segment, table as u64] {
            file.extend(self.word(address));
        }
        file.extend(self.flags.to_le_bytes());
        let sizes = if is_64 { [64, 56] } else { [52, 32] };
        let section_size = if is_64 { 64 } else { 40 };
        let counts = [
            sizes[0],
            sizes[1],
            self.segments.len() as u16,
            section_size,
            headers.len() as u16,
            headers.len() as u16 - 1,
        ];
        file.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
        for &(kind, first, end) in &self.segments {
            assert!(!is_64, "only kernels of 32 bits have program headers");
            let start = self.offset(first) as u32;
            let size = self.offset(end) as u32 - start;
            let fields = [kind, start, 0, 0, size, 0, 0, 0];
            file.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
        }
        file.extend(contents);
        for (name, kind, offset, size, link, entry) in headers {
            file.extend((name as u32).to_le_bytes());
            file.extend(u32::to_le_bytes(kind));
            for number in [0, 0, offset as u64, size as u64] {
                file.extend(self.word(number));
            }
            file.extend(u32::to_le_bytes(link));
            file.extend(0_u32.to_le_bytes());
            file.extend(self.word(1));
            file.extend(self.word(entry));
        }
        file
    }

    fn word(&self, number: u64) -> Vec<u8> {
        let bytes = number.to_le_bytes();
        let size = if self.bits == 64 { 8 } else { 4 };
        bytes[..size].to_vec()
    }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// `s_endpgm`.
const END: u32 = 0xbf81_0000;
/// `v_mov_b32 v0, N`.
fn mov(n: u32) -> u32 {
    0x7e00_0280 + n
}

/// Machine type of Pitcairn in a file's header.
pub const PITCAIRN: u16 = 0x3fe;
/// Numbers of Tahiti and Pitcairn in tables of encodings.
const ENCODINGS: [u32; 2] = [0x1a, 0x1b];

/// Program info of kernel `n`: user data, registers, scratch.
fn info(n: u32) -> Vec<u8> {
    words(&[
        0x8000_1000,
        2, //
        0x8000_1001,
        23,
        0x8000_1002,
        0,
        0x8000_1003,
        2,
        0x8000_1004,
        2, //
        0x8000_1005,
        2,
        0x8000_1006,
        1,
        0x8000_1007,
        8,
        0x8000_1008,
        4, //
        0x8000_1041,
        10 + n,
        0x8000_1042,
        20 + n,
        0x8000_1045,
        16, //
        0x2e13,
        0x98,
        0x8000_7777,
        1,
    ])
}

/// ELF file of kernel `n`, with code for two chips; the second is Pitcairn.
fn catalyst_kernel(n: u32) -> Vec<u8> {
    let note = |kind: u32, contents: &[u8]| {
        let mut note = words(&[8, contents.len() as u32, kind]);
        note.extend(b"ATI CAL\0");
        note.extend(contents);
        note
    };
    let mut notes = note(2, &[1, 2, 3, 4]);
    notes.extend(note(1, &info(n)));
    let mut file = Elf {
        bits: 32,
        machine: 0x7d,
        segments: vec![(0x7000_0002, 1, 2), (4, 2, 3), (4, 4, 5)],
        sections: vec![
            ("", vec![0; 40]),
            ("", note(1, &words(&[0x8000_1041, 99]))),
            (".text", words(&[END, END, END])),
            ("", notes),
            (".text", words(&[mov(n), END])),
        ],
        ..Elf::default()
    };
    let part = |first, end| {
        [
            file.offset(first) as u32,
            (file.offset(end) - file.offset(first)) as u32,
        ]
    };
    let table: Vec<u32> = ENCODINGS
        .iter()
        .zip([part(2, 4), part(4, 6)])
        .flat_map(|(machine, [offset, size])| [*machine, 4, offset, size, 0])
        .collect();
    file.sections[0].1 = words(&table);
    file.build()
}

/// Metadata of a kernel.
fn catalyst_text(name: &str) -> String {
    format!(
        ";ARGSTART:__OpenCL_{name}_kernel\n;version:3:1:111\n;device:pitcairn\n;memory:hwlocal:512\n\
         ;value:n:u32:1:1:0\n;value:v:float:3:1:16\n;value:s:struct:24:1:32\n\
         ;pointer:in:float:1:1:64:uav:12:4:RO:0:0\n;pointer:out:float:1:1:80:uav:13:4:RW:0:0\n\
         ;pointer:tmp:float:1:1:96:hl:1:4:RW:0:0\n;pointer:table:i32:1:1:112:c:14:4:RO:0:0\n\
         ;image:img:2D:WO:1:1:128\n;value:smp:u32:1:1:160\n;counter:c:32:1:1:176\n;constarg:4:out\n\
         ;function:1:1030\n;sampler:smp:0:0:0\n;cws:64:2:1\n\
         ;reflection:0:uint\n;reflection:1:float3\n;reflection:2:struct params\n;reflection:3:float*\n\
         ;reflection:7:image2d_t\n;ARGEND:__OpenCL_{name}_kernel\n"
    )
}

/// A Catalyst OpenCL 1.2 program for Pitcairn, with the kernels `scale` and `fill`.
pub fn catalyst(bits: u8) -> Vec<u8> {
    let kernels = [catalyst_kernel(0), catalyst_kernel(1)];
    let texts = [catalyst_text("scale"), catalyst_text("fill")];
    let size = |n: usize| (texts[n].len() as u64, kernels[n].len() as u64);
    let symbols = vec![
        ("__OpenCL_compile_options", 1, 0, 3, false),
        ("__OpenCL_0_global", 2, 0, 16, false),
        ("__OpenCL_scale_metadata", 2, 16, size(0).0, false),
        ("__OpenCL_scale_kernel", 3, 0, size(0).1, false),
        (
            "__OpenCL_fill_metadata",
            2,
            16 + size(0).0,
            size(1).0,
            false,
        ),
        ("__OpenCL_fill_kernel", 3, size(0).1, size(1).1, false),
        ("unrelated", 3, 0, 4, false),
    ];
    let constants = [vec![7; 16], texts.concat().into_bytes()].concat();
    let file = Elf {
        bits,
        machine: PITCAIRN,
        sections: vec![
            (".comment", b"-O3OpenCL 1.2 AMD-APP (1702.3)".to_vec()),
            (".rodata", constants),
            (".text", kernels.concat()),
        ],
        symbols,
        ..Elf::default()
    };
    file.build()
}

/// `amd_kernel_code_t` for gfx700: the fields that differ between kernels, and those that a reader needs.
fn kernel_code() -> Vec<u8> {
    let mut header = vec![0; 256];
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &words(&[1, 0]));
    put(8, &[1, 0, 7, 0, 0, 0, 0, 0]);
    put(16, &256_u64.to_le_bytes());
    put(48, &words(&[0x000c_0041, 0x90]));
    // Private segment buffer, dispatch pointer and kernarg segment pointer.
    put(56, &words(&[0b1011, 128, 4096]));
    put(84, &[22, 0, 9, 0]);
    header
}

/// An argument in the metadata of Catalyst's OpenCL 2.0: name, type, and numbers: vector elements or bytes, type,
/// address space, flags (a byte each: pointer, volatile, restrict or pipe), kind, and const.
type Argument = (&'static str, &'static str, [u32; 7]);

/// All kinds of arguments, after those that the driver fills in.
const ARGUMENTS: [Argument; 12] = [
    ("_.global_offset_0", "size_t", [1, 9, 0, 0, 0, 4, 0]),
    ("_.printf_buffer", "size_t", [1, 7, 4, 3, 0, 5, 0]),
    ("n", "uchar3", [3, 6, 0, 0, 0, 4, 0]),
    ("x", "double2", [2, 12, 0, 0, 0, 4, 0]),
    ("s", "params", [68, 15, 0, 0, 0, 4, 0]),
    ("in", "float*", [1, 7, 4, 3, 0x101, 5, 1]),
    ("table", "uchar*", [1, 7, 5, 3, 0, 5, 0]),
    ("tmp", "int*", [1, 7, 3, 3, 0, 5, 0]),
    ("p", "pipe int", [1, 15, 4, 3, 0, 5, 0]),
    ("img", "image2d_t", [0, 2, 0, 0, 0, 2, 0]),
    ("smp", "sampler_t", [0, 0, 0, 0, 0, 1, 0]),
    ("q", "queue_t", [0, 18, 0, 0, 0, 7, 0]),
];

/// Metadata of a kernel in a Catalyst OpenCL 2.0 program: for an older driver without `hint`, otherwise with a hint,
/// which may be empty.
pub fn opencl2_metadata(bits: u8, hint: Option<&str>) -> Vec<u8> {
    let word = usize::from(bits / 8);
    // Lengths of an old and a newer header, and offsets of the required workgroup size, names and number of
    // arguments.
    let (mut header, newer, workgroup, names, count) = match bits {
        64 => (168, 272, 56, 96, 160),
        _ => (112, 164, 48, 72, 104),
    };
    if hint.is_some() {
        header = newer;
    }
    let mut bytes = vec![0; header];
    let mut put = |at: usize, number: u32| {
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
    };
    put(0, header as u32);
    for (axis, size) in [64, 2, 1].into_iter().enumerate() {
        put(workgroup + axis * word, size);
    }
    put(names, 4);
    put(names + word, 7);
    put(count, ARGUMENTS.len() as u32);
    if let Some(hint) = hint {
        put(newer - 2 * word, hint.len() as u32);
    }
    bytes.extend(b"main\0generic\0");
    if let Some(hint) = hint {
        bytes.extend(hint.bytes().chain([0]));
    }
    let entry = 5 * word + 36 + 4 + word;
    for (name, type_name, [elements, scalar, space, pointer, flags, kind, is_const]) in ARGUMENTS {
        let at = bytes.len();
        for number in [entry, name.len(), type_name.len(), 0, 0] {
            bytes.extend(&(number as u64).to_le_bytes()[..word]);
        }
        let numbers = [
            elements, 1, 0, scalar, 0, 0, space, pointer, flags, kind, is_const,
        ];
        bytes.extend(words(&numbers));
        bytes.resize(at + entry, 0);
    }
    bytes.resize(bytes.len() + entry, 0);
    for (name, type_name, _) in ARGUMENTS {
        bytes.extend([name, "\0", type_name, "\0"].concat().into_bytes());
    }
    bytes
}

/// A Catalyst OpenCL 2.0 program before driver 1912.05 for Bonaire, with the kernel `scale`.
pub fn catalyst2() -> Vec<u8> {
    const STUB: usize = 64;
    let mut code = words(&[STUB as u32]);
    code.resize(STUB, 0);
    code.extend(kernel_code());
    code.extend(words(&[mov(1), END]));
    let size = code.len() as u64;
    let metadata = opencl2_metadata(64, None);
    let length = metadata.len() as u64;
    let file = Elf {
        bits: 64,
        machine: 0xaf5b,
        flags: 6,
        sections: vec![
            (".comment", b"-cl-std=CL2.0".to_vec()),
            (".text", code),
            (".rodata", metadata),
        ],
        symbols: vec![
            ("__OpenCL_compiler_options", 1, 0, 13, false),
            (OPENCL2_METADATA, 3, 0, length, false),
            ("__ISA_&__OpenCL_scale_kernel_binary", 2, 0, size, false),
        ],
        ..Elf::default()
    };
    file.build()
}

/// Symbol of the metadata of the kernel `scale`.
const OPENCL2_METADATA: &str = "__OpenCL_&__OpenCL_scale_kernel_metadata";

/// A 32-bit or 64-bit Catalyst OpenCL 2.0 program with a code object, and metadata of the kernel `scale`.
pub fn catalyst2_with(bits: u8, object: &[u8], metadata: &[u8]) -> Vec<u8> {
    let file = Elf {
        bits,
        machine: if bits == 64 { 0xaf5b } else { 0xaf5a },
        flags: 6,
        sections: vec![(".text", object.to_vec()), (".rodata", metadata.to_vec())],
        symbols: vec![(OPENCL2_METADATA, 2, 0, metadata.len() as u64, false)],
        ..Elf::default()
    };
    file.build()
}

/// A Gallium program with the kernels `scale` and `fill`, `fill` first in memory; with `amd_kernel_code_t` if it is
/// for LLVM 4.
pub fn gallium(bits: u8, is_llvm4: bool) -> Vec<u8> {
    let mut code = Vec::new();
    let mut offsets = [0; 2];
    for n in [1, 0] {
        code.resize(code.len().next_multiple_of(256), 0);
        offsets[n] = code.len() as u32;
        if is_llvm4 {
            code.extend(kernel_code());
        }
        code.extend(words(&[mov(n as u32), END]));
    }
    // The first one belongs to `fill`.
    let config = words(&[
        0xb848,
        0x0041,
        0xb84c,
        0x0001_8008,
        0xb860,
        0x3000, //
        0xb848,
        0x0082,
        0xb84c,
        0x0008,
        0xb860,
        0,
    ]);
    let elf = Elf {
        bits,
        sections: vec![
            (".text", code),
            (".AMDGPU.config", config),
            (".rodata", vec![0; 20]),
            (".comment", b"clang version 3.7.0\0".to_vec()),
        ],
        symbols: vec![
            ("end", 1, 4, 0, false),
            ("scale", 1, offsets[0].into(), 0, true),
            ("fill", 1, offsets[1].into(), 0, true),
        ],
        ..Elf::default()
    };
    let elf = elf.build();
    let mut file = words(&[2]);
    for (name, offset) in [("scale", offsets[0]), ("fill", offsets[1])] {
        file.extend(words(&[name.len() as u32]));
        file.extend(name.bytes());
        file.extend(words(&[0, offset, 4]));
        file.extend(words(&[2, 8, 8, 8, 0, 0])); // global
        file.extend(words(&[0, 2, 4, 4, 1, 0])); // short
        file.extend(words(&[0, 4, 4, 4, 0, 1])); // dimensions of the grid
        file.extend(words(&[0, 4, 4, 4, 0, 2])); // its offset
    }
    let size = elf.len() as u32;
    file.extend(words(&[
        1,
        0,
        if is_llvm4 { 2 } else { 0 },
        size,
        size + 4,
        size,
    ]));
    file.extend(elf);
    file
}

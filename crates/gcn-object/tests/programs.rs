//! Programs of OpenCL drivers, Catalyst's and Gallium's, valid and malformed. (Arithmetic is checked: tests are built
//! with debug assertions.)

#[path = "common/programs.rs"]
mod programs;

use gcn_object::{
    DriverError, DriverFormat, DriverKernel, DriverProgram, DriverWarning, UserDataClass, UserSgpr,
    code_objects, is_container, is_driver_program, read_driver_program,
};
use programs::{Elf, PITCAIRN};

const V2: &[u8] = include_bytes!("fixtures/scale-gfx803-v2.co");

fn fixtures() -> Vec<Vec<u8>> {
    vec![
        programs::catalyst(32),
        programs::catalyst(64),
        programs::catalyst2(),
        programs::gallium(32, false),
        programs::gallium(64, true),
    ]
}

fn program(bytes: &[u8]) -> DriverProgram<'_> {
    assert!(is_driver_program(bytes));
    read_driver_program(bytes).expect("the fixture is a program")
}

fn names<'p>(program: &'p DriverProgram) -> Vec<&'p str> {
    let kernels = program.kernels.iter();
    kernels.map(|kernel| kernel.name.as_str()).collect()
}

/// An argument per line: offset, size, kind, name and type.
fn arguments(kernel: &DriverKernel) -> Vec<String> {
    let line = |argument: &gcn_object::DriverArgument| {
        format!(
            "{:?} {:?} {} {}: {}",
            argument.offset.unwrap_or(0),
            argument.size.unwrap_or(0),
            argument.kind,
            argument.name.as_deref().unwrap_or("?"),
            argument.type_name.as_deref().unwrap_or("?")
        )
    };
    kernel.arguments.iter().map(line).collect()
}

fn user_data(kernel: &DriverKernel) -> Vec<String> {
    let data = kernel.user_data.iter();
    data.map(|data| format!("s{}+{} {}", data.first, data.count, data.class))
        .collect()
}

#[test]
fn catalyst_programs_of_both_widths_say_the_same() {
    for bits in [32, 64] {
        let file = programs::catalyst(bits);
        let program = program(&file);
        assert_eq!(program.format, DriverFormat::Catalyst);
        assert_eq!(program.bits, bits);
        assert_eq!(program.chip.map(|chip| chip.name), Some("Pitcairn"));
        assert_eq!(program.processor.as_deref(), Some("gfx601"));
        assert_eq!(program.compile_options.as_deref(), Some("-O3"));
        let producer = "OpenCL 1.2 AMD-APP (1702.3)";
        assert_eq!(program.producer.as_deref(), Some(producer));
        assert_eq!(program.constant_bytes, 16);
        assert_eq!(program.warnings, []);
        assert_eq!(names(&program), ["scale", "fill"]);
        for (n, kernel) in (0..).zip(&program.kernels) {
            let code = [0x7e00_0280 + n, 0xbf81_0000].map(u32::to_le_bytes);
            assert_eq!(program.code(kernel), code.as_flattened());
            assert_eq!((kernel.sgprs, kernel.vgprs), (Some(20 + n), Some(10 + n)));
            assert_eq!(kernel.lds_bytes, Some(512));
            assert_eq!(kernel.scratch_bytes_per_lane, Some(64));
            assert_eq!(kernel.required_workgroup, Some([64, 2, 1]));
            assert_eq!(kernel.rsrc2.map(|rsrc2| rsrc2.user_sgpr_count()), Some(12));
            let registers = ["s2+2 PTR_UAV_TABLE 0", "s8+4 IMM_CONST_BUFFER 1"];
            assert_eq!(user_data(kernel), registers);
            let pointer = bits / 8;
            let expected = [
                "0 4 value n: uint".to_owned(),
                "16 16 value v: float3".to_owned(),
                "32 24 value s: struct params".to_owned(),
                format!("64 {pointer} global 12 const in: float*"),
                format!("80 {pointer} global 13 const out: float*"),
                format!("96 {pointer} local tmp: float*"),
                format!("112 {pointer} constant 14 table: int*"),
                "128 32 write-only image 1 img: image2d_t".to_owned(),
                "160 4 sampler smp: uint".to_owned(),
                "176 4 counter 1 c: counter32_t".to_owned(),
            ];
            assert_eq!(arguments(kernel), expected);
        }
        let found = program.find_kernel("fill").expect("the kernel exists");
        assert_eq!(found, &program.kernels[1]);
        assert!(program.find_kernel("none").is_err());
    }
}

#[test]
fn catalyst_programs_for_opencl_2_have_descriptors() {
    let file = programs::catalyst2();
    let program = program(&file);
    assert_eq!(program.format, DriverFormat::CatalystOpenCl2);
    assert_eq!(program.processor.as_deref(), Some("gfx704"));
    assert_eq!(program.compile_options.as_deref(), Some("-cl-std=CL2.0"));
    assert_eq!(names(&program), ["scale"]);
    let kernel = &program.kernels[0];
    let code = [0x7e00_0281, 0xbf81_0000_u32].map(u32::to_le_bytes);
    assert_eq!(program.code(kernel), code.as_flattened());
    assert_eq!((kernel.sgprs, kernel.vgprs), (Some(22), Some(9)));
    assert_eq!(kernel.lds_bytes, Some(4096));
    assert_eq!(kernel.scratch_bytes_per_lane, Some(128));
    let class = kernel.user_data[1].class;
    assert_eq!(class, UserDataClass::Hsa(UserSgpr::DispatchPtr));
    assert_eq!(program.warnings, []);
    assert_eq!(kernel.required_workgroup, Some([64, 2, 1]));
    // Vectors are aligned like their elements; arguments without a fixed size are passed by address.
    let expected = [
        "0 8 grid offset _.global_offset_0: size_t",
        "8 8 global _.printf_buffer: size_t",
        "16 4 value n: uchar3",
        "24 16 value x: double2",
        "40 8 constant s: params",
        "48 8 global const in: float*",
        "56 8 constant table: uchar*",
        "64 8 local tmp: int*",
        "72 8 global p: pipe int",
        "80 8 write-only image img: image2d_t",
        "88 8 sampler smp: sampler_t",
        "96 8 queue q: queue_t",
    ];
    assert_eq!(arguments(kernel), expected);
    assert!(!is_container(&programs::catalyst2_with(
        32,
        b"no ELF file",
        &[]
    )));
}

/// Truncated or invalid metadata are a warning, and the kernel has no arguments.
#[test]
fn metadata_of_opencl_2_that_is_broken_is_a_warning() {
    let whole = programs::catalyst2();
    let at = memchr::memmem::find(&whole, b"main\0generic").expect("the metadata");
    let scalar = at + 13 + 2 * 88 + 52;
    let mut other = whole.clone();
    assert_eq!(other[scalar], 6, "the type of the third argument");
    other[scalar] = 10;
    let mut longer = whole.clone();
    longer[at - 8] = 200;
    for file in [other, longer] {
        let program = program(&file);
        let broken = &program.warnings[..];
        assert!(
            matches!(broken, [DriverWarning::Metadata { .. }]),
            "{broken:?}"
        );
        assert_eq!(program.kernels[0].arguments, []);
    }
}

/// Later drivers put a code object into the program, also for 32 bits.
#[test]
fn catalyst_programs_of_32_bits_with_a_code_object_are_containers() {
    let file = programs::catalyst2_with(32, V2, &[]);
    assert!(is_container(&file) && !is_driver_program(&file));
    let entries = code_objects(&file).expect("the program has a code object");
    let entries: Vec<_> = entries.flatten().collect();
    assert_eq!(entries.len(), 1);
    assert_eq!(&entries[0].bytes[..], V2);
    assert_eq!(entries[0].target(), Some("gfx803"));
}

/// A kernel's registers are found by its address: the first kernel of the table is not the first in memory.
#[test]
fn gallium_programs_have_their_registers_by_address() {
    let file = programs::gallium(32, false);
    let program = program(&file);
    assert_eq!(program.format, DriverFormat::Gallium);
    assert_eq!((program.bits, program.constant_bytes), (32, 20));
    assert_eq!((program.chip, program.processor.as_deref()), (None, None));
    assert_eq!(program.producer.as_deref(), Some("clang version 3.7.0"));
    assert_eq!(names(&program), ["scale", "fill"]);
    let [scale, fill] = &program.kernels[..] else {
        panic!("there are two kernels");
    };
    assert_eq!((scale.address, fill.address), (256, 0));
    assert_eq!((scale.sgprs, scale.vgprs), (Some(24), Some(12)));
    assert_eq!((fill.sgprs, fill.vgprs), (Some(16), Some(8)));
    assert_eq!(fill.scratch_bytes_per_lane, Some(48));
    assert_eq!(fill.rsrc2.map(|rsrc2| rsrc2.granulated_lds_size()), Some(3));
    assert_eq!(fill.lds_bytes, None, "blocks have a size for each chip");
    for (n, kernel) in [(0, scale), (1, fill)] {
        let code = program.code(kernel);
        assert_eq!(code.first_chunk(), Some(&u32::to_le_bytes(0x7e00_0280 + n)));
        let registers = [
            "s0+2 address of grid sizes and arguments",
            "s2+2 address of scratch",
        ];
        assert_eq!(user_data(kernel), registers);
        let expected = [
            "0 8 global ?: ?",
            "8 4 value ?: ?",
            "12 4 grid dimensions ?: ?",
            "16 4 grid offset ?: ?",
        ];
        assert_eq!(arguments(kernel), expected);
    }
    // The first one extends to the second one.
    assert_eq!((scale.file.len(), fill.file.len()), (8, 256));
}

#[test]
fn gallium_programs_of_llvm_4_have_descriptors() {
    let file = programs::gallium(64, true);
    let program = program(&file);
    assert_eq!(program.processor.as_deref(), Some("gfx700"));
    for (n, kernel) in (0..).zip(&program.kernels) {
        assert_eq!(kernel.address, if n == 0 { 768 } else { 256 });
        let code = program.code(kernel);
        assert_eq!(code.first_chunk(), Some(&u32::to_le_bytes(0x7e00_0280 + n)));
        assert_eq!((kernel.sgprs, kernel.vgprs), (Some(22), Some(9)));
        assert_eq!(user_data(kernel)[2], "s6+2 KernargSegmentPtr");
    }
}

#[test]
fn programs_for_cpus_and_other_files_are_refused() {
    let cpu = Elf {
        bits: 32,
        machine: 0x7d4,
        ..Elf::default()
    };
    let cpu = cpu.build();
    assert!(is_driver_program(&cpu));
    assert_eq!(read_driver_program(&cpu).unwrap_err(), DriverError::Cpu);
    for other in [V2, b"", b"\x7fELF", b"\x01\0\0\0", &[0; 64]] {
        assert!(!is_driver_program(other));
        let error = read_driver_program(other).unwrap_err();
        assert_eq!(error, DriverError::Unknown);
    }
}

/// A kernel without code or metadata does not hide the others.
#[test]
fn broken_kernels_are_reported() {
    let file = Elf {
        bits: 32,
        machine: PITCAIRN,
        sections: vec![(".text", b"no ELF file".to_vec())],
        symbols: vec![
            ("__OpenCL_a_kernel", 1, 0, 11, false),
            ("__OpenCL_b_kernel", 1, 4, 100, false),
        ],
        ..Elf::default()
    };
    let file = file.build();
    let program = program(&file);
    assert_eq!(names(&program), ["a", "b"]);
    let of_code = |warning: &&DriverWarning| matches!(warning, DriverWarning::Code { .. });
    assert_eq!(program.warnings.iter().filter(of_code).count(), 2);
    assert_eq!(program.warnings.len(), 4);
    assert!(
        program
            .kernels
            .iter()
            .all(|kernel| program.code(kernel).is_empty())
    );
}

/// Kernels that share bytes would multiply the work, and names the memory.
#[test]
fn parts_that_overlap_are_refused() {
    let many = |name: &'static str, size: u64| {
        let file = Elf {
            bits: 32,
            machine: PITCAIRN,
            sections: vec![(".text", vec![0; size as usize])],
            symbols: vec![(name, 1, 0, size, false); 1000],
            ..Elf::default()
        };
        file.build()
    };
    let kernels = many("__OpenCL_a_kernel", 100_000);
    let error = read_driver_program(&kernels).unwrap_err();
    assert_eq!(error, DriverError::Overlap { what: "kernels" });
    let metadata = many("__OpenCL_a_metadata", 100_000);
    let error = read_driver_program(&metadata).unwrap_err();
    let what = "metadata symbols";
    assert_eq!(error, DriverError::Overlap { what });

    // All symbols have the same long name.
    let long = format!("__OpenCL_{}_metadata", "x".repeat(40_000));
    let mut file = Elf {
        bits: 32,
        machine: PITCAIRN,
        sections: vec![(".text", Vec::new())],
        symbols: vec![(&long, 1, 0, 0, false)],
        ..Elf::default()
    };
    file.symbols.extend(vec![("", 1, 0, 0, false); 1000]);
    let mut bytes = file.build();
    let first = file.offset(2) + 16;
    for symbol in 1..=1000 {
        let at = first + 16 * symbol;
        bytes.copy_within(first..first + 4, at);
    }
    let error = read_driver_program(&bytes).unwrap_err();
    assert_eq!(error, DriverError::Overlap { what: "names" });
}

/// Does everything with the bytes that a user of the crate would do.
fn use_all(bytes: &[u8]) {
    let Ok(program) = read_driver_program(bytes) else {
        return;
    };
    assert!(is_driver_program(bytes));
    let mut kept = 0;
    for kernel in &program.kernels {
        assert!(program.code(kernel).len() <= bytes.len());
        assert!(kernel.file.end <= bytes.len());
        kept += kernel.name.len() + arguments(kernel).concat().len() + user_data(kernel).len();
    }
    for warning in &program.warnings {
        kept += warning.to_string().len();
    }
    assert!(kept <= 64 * bytes.len(), "{kept} of {}", bytes.len());
}

#[test]
fn files_that_are_cut_or_changed_anywhere_are_read_or_refused() {
    for file in fixtures() {
        for length in 0..file.len() {
            use_all(&file[..length]);
        }
        let mut changed = file.clone();
        for at in 0..file.len() {
            for mask in [0xff, 0x01, 0x80, file[at]] {
                changed[at] = file[at] ^ mask;
                use_all(&changed);
            }
            changed[at] = file[at];
        }
    }
}

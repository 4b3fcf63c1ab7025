//! Tests of the initial kernel state: registers, packet, queue and arguments, as requested by descriptor and metadata.

use gcn_asm::{Options, Source};
use gcn_emu::device::{Config, Device};
use gcn_emu::run::InitialSgpr::{
    FlatScratchHigh, FlatScratchLow, GroupId, GroupInfo, ScratchBase, ScratchWaveOffset, Value,
};
use gcn_isa::Target;
use gcn_object::{CodeObject, Version};

use super::*;
use crate::abi::printf::BUFFER_BYTES;

/// Assembles an object of the given version, whose kernel has these descriptor lines and metadata.
fn object(target: &str, version: u8, descriptor: &str, metadata: &str) -> CodeObject<'static> {
    let text = format!(
        ".text\n.globl k\n.p2align 8\n.type k,@function\nk:\ns_endpgm\n.rodata\n.p2align 6\n\
         .amdhsa_kernel k\n.amdhsa_next_free_vgpr 9\n.amdhsa_next_free_sgpr 20\n{descriptor}\n.end_amdhsa_kernel\n\
         {metadata}\n.globl answer\n.type answer,@object\nanswer: .long 42\n.size answer, 4\n"
    );
    let target = Target::named(target).expect("a target");
    let assembly = gcn_asm::assemble(
        &Source {
            name: "k.s",
            text: &text,
        },
        &Options::new(target),
    );
    assert!(!assembly.has_errors(), "{:?}", assembly.diagnostics);
    let bytes = assembly
        .program
        .to_object(Some(version))
        .expect("an object");
    let object = gcn_object::read(bytes).expect("an object that can be read");
    assert!(object.warnings.is_empty(), "{:?}", object.warnings);
    object
}

fn metadata(segment: u64, rest: &str) -> String {
    format!(
        ".amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:\n  - .name: k\n    .symbol: k.kd\n    \
         .kernarg_segment_size: {segment}\n    .kernarg_segment_align: 8\n    .group_segment_fixed_size: 0\n    \
         .private_segment_fixed_size: 0\n    .wavefront_size: 64\n    .sgpr_count: 20\n    .vgpr_count: 9\n{rest}\n...\n\
         .end_amdgpu_metadata"
    )
}

const SHAPE: LaunchShape = LaunchShape {
    grid: [100, 3, 1],
    group: [32, 2, 1],
    dimensions: 1,
    offset: [7, 0, 1 << 40],
    dynamic_lds: 16,
    stack: None,
};

fn loaded(device: &Device, object: &CodeObject) -> Loaded {
    link(device, object, "object", &|_| None).expect("room for the object")
}

/// Prepares the only kernel in an object.
fn prepare(
    object: &CodeObject,
    shape: LaunchShape,
    arguments: &[PlacedBytes],
) -> (Device, Result<Prepared, LaunchError>) {
    let target = Target::from_elf_mach(object.flags.mach).expect("a target");
    let device = Device::new(Config::new(target.isa));
    let loaded = loaded(&device, object);
    let kernel = &object.kernels[0];
    let prepared = KernelStart {
        object,
        loaded: &loaded,
        kernel,
        shape,
        arguments: Arguments::Placed(arguments),
        answers_host_calls: true,
    }
    .prepare(Owned::new(&device.memory), &device, 1);
    (device, prepared)
}

fn good(object: &CodeObject, shape: LaunchShape, arguments: &[PlacedBytes]) -> (Device, Prepared) {
    let (device, prepared) = prepare(object, shape, arguments);
    (device, prepared.unwrap_or_else(|error| panic!("{error}")))
}

/// Returns the address of the named memory region.
fn region(device: &Device, name: &str) -> u64 {
    device
        .memory
        .allocations()
        .iter()
        .find(|region| &*region.name == name)
        .expect("a region")
        .base
}

fn u16_at(device: &Device, address: u64) -> u16 {
    device.memory.load_u16(address).expect("mapped")
}

fn u32_at(device: &Device, address: u64) -> u32 {
    device.memory.load_u32(address).expect("mapped")
}

fn u64_at(device: &Device, address: u64) -> u64 {
    device.memory.load_u64(address).expect("mapped")
}

const EVERYTHING: &str = ".amdhsa_user_sgpr_private_segment_buffer 1\n.amdhsa_user_sgpr_dispatch_ptr 1\n\
    .amdhsa_user_sgpr_queue_ptr 1\n.amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_user_sgpr_dispatch_id 1\n\
    .amdhsa_user_sgpr_flat_scratch_init 1\n.amdhsa_user_sgpr_private_segment_size 1\n\
    .amdhsa_system_sgpr_workgroup_id_y 1\n.amdhsa_system_sgpr_workgroup_id_z 1\n\
    .amdhsa_system_sgpr_workgroup_info 1\n.amdhsa_system_sgpr_private_segment_wavefront_offset 1\n\
    .amdhsa_system_vgpr_workitem_id 2\n.amdhsa_private_segment_fixed_size 48\n.amdhsa_group_segment_fixed_size 256\n";

#[test]
fn registers_come_in_the_documented_order() {
    for (target, flat_scratch, format) in [
        // Before GCN 1.4, the pair contains offset and size per lane, and the buffer has format and element size
        // fields.
        ("gfx700", [Value(0), Value(48)], 0x00ea_0000),
        ("gfx803", [Value(0), Value(48)], 0x00e8_0000),
        ("gfx900", [FlatScratchLow, FlatScratchHigh], 0x00e0_0000),
    ] {
        let object = object(target, 5, EVERYTHING, "");
        let (device, prepared) = good(&object, SHAPE, &[]);
        let address = |name| {
            let address = region(&device, name);
            [Value(address as u32), Value((address >> 32) as u32)]
        };
        let expected = [
            vec![
                ScratchBase(0),
                ScratchBase(1),
                Value(u32::MAX),
                Value(format),
            ],
            address("the dispatch packet").to_vec(),
            address("the queue").to_vec(),
            address("the argument segment").to_vec(),
            vec![Value(0), Value(0)],
            flat_scratch.to_vec(),
            vec![Value(48)],
            vec![
                GroupId(0),
                GroupId(1),
                GroupId(2),
                GroupInfo,
                ScratchWaveOffset,
            ],
        ];
        assert_eq!(
            prepared.dispatch.initial.sgprs,
            expected.concat(),
            "{target}"
        );
        assert_eq!(prepared.dispatch.initial.work_item_ids, 3);
        assert_eq!(prepared.dispatch.scratch_bytes_per_lane, 48);
        assert_eq!(prepared.dispatch.lds_bytes, 256 + 16);
        assert_eq!(prepared.code.vgprs(), 12);
    }
}

#[test]
fn a_kernel_gets_only_what_it_asks_for() {
    let object = object("gfx900", 5, ".amdhsa_user_sgpr_kernarg_segment_ptr 1", "");
    let (device, prepared) = good(&object, SHAPE, &[]);
    let arguments = region(&device, "the argument segment");
    let expected = [
        Value(arguments as u32),
        Value((arguments >> 32) as u32),
        GroupId(0),
    ];
    assert_eq!(prepared.dispatch.initial.sgprs, expected);
    assert_eq!(prepared.dispatch.initial.work_item_ids, 1);
    assert!(prepared.notes.is_empty());
}

#[test]
fn mode_is_the_descriptors() {
    let lines = ".amdhsa_float_round_mode_32 1\n.amdhsa_float_round_mode_16_64 2\n.amdhsa_float_denorm_mode_32 3\n\
        .amdhsa_float_denorm_mode_16_64 0\n.amdhsa_dx10_clamp 0\n.amdhsa_ieee_mode 1\n.amdhsa_fp16_overflow 1\n\
        .amdhsa_exception_fp_ieee_div_zero 1";
    let (_, prepared) = good(&object("gfx900", 5, lines, ""), SHAPE, &[]);
    let expected = 1 | 2 << 2 | 3 << 4 | 1 << 9 | 1 << (12 + 2) | 1 << 23;
    assert_eq!(prepared.dispatch.initial.mode, expected);
    // Defaults of LLVM's assembler: F16 and F64 denormals preserved, DX10 clamp, IEEE.
    let (_, prepared) = good(&object("gfx900", 5, "", ""), SHAPE, &[]);
    assert_eq!(prepared.dispatch.initial.mode, 0xc0 | 1 << 8 | 1 << 9);
}

#[test]
fn packet_and_queue_say_what_was_launched() {
    let object = object("gfx803", 5, EVERYTHING, "");
    let (device, _prepared) = good(&object, SHAPE, &[]);
    let packet = region(&device, "the dispatch packet");
    assert_eq!(u16_at(&device, packet) & 0xff, 2, "a kernel dispatch");
    assert_eq!(u16_at(&device, packet + 2), 2, "dimensions");
    assert_eq!([4, 6, 8].map(|at| u16_at(&device, packet + at)), [32, 2, 1]);
    assert_eq!(
        [12, 16, 20].map(|at| u32_at(&device, packet + at)),
        [100, 3, 1]
    );
    assert_eq!(u32_at(&device, packet + 24), 48, "scratch");
    assert_eq!(u32_at(&device, packet + 28), 256 + 16, "LDS");
    let descriptor = u64_at(&device, packet + 32);
    assert_eq!(
        u32_at(&device, descriptor),
        256,
        "the descriptor begins with the LDS it needs"
    );
    assert_eq!(
        u64_at(&device, packet + 40),
        region(&device, "the argument segment")
    );
    let queue = region(&device, "the queue");
    assert_eq!(
        u32_at(&device, queue + 0x40),
        device.config.apertures.shared
    );
    assert_eq!(
        u32_at(&device, queue + 0x44),
        device.config.apertures.private
    );
}

#[test]
fn hidden_arguments_of_version_5_follow_the_others() {
    let object = object("gfx900", 5, "", "");
    assert_eq!(object.version, Version::V5);
    let arguments = [
        PlacedBytes {
            offset: 0,
            bytes: vec![7; 4],
        },
        PlacedBytes {
            offset: 4,
            bytes: vec![9; 8],
        },
    ];
    let (device, _prepared) = good(&object, SHAPE, &arguments);
    let segment = region(&device, "the argument segment");
    assert_eq!(u32_at(&device, segment), 0x0707_0707);
    // Explicit arguments occupy twelve bytes, so the hidden ones start at 16.
    let hidden = segment + 16;
    assert_eq!(
        [0, 4, 8].map(|at| u32_at(&device, hidden + at)),
        [3, 1, 1],
        "whole workgroups"
    );
    assert_eq!(
        [12, 14, 16].map(|at| u16_at(&device, hidden + at)),
        [32, 2, 1]
    );
    assert_eq!(
        [18, 20, 22].map(|at| u16_at(&device, hidden + at)),
        [4, 1, 0]
    );
    assert_eq!(
        [40, 48, 56].map(|at| u64_at(&device, hidden + at)),
        SHAPE.offset
    );
    assert_eq!(u16_at(&device, hidden + 64), 2);
    assert_eq!(u32_at(&device, hidden + 120), 16);
    assert_eq!(
        u32_at(&device, hidden + 192),
        device.config.apertures.private
    );
    assert_eq!(
        u32_at(&device, hidden + 196),
        device.config.apertures.shared
    );
    assert_eq!(u64_at(&device, hidden + 200), region(&device, "the queue"));
    assert!(device.memory.load_u8(hidden + 255).is_some());
}

#[test]
fn hidden_arguments_of_version_4_are_56_bytes() {
    let (device, _prepared) = good(
        &object("gfx900", 4, "", ""),
        SHAPE,
        &[PlacedBytes {
            offset: 0,
            bytes: vec![1; 8],
        }],
    );
    let segment = region(&device, "the argument segment");
    assert_eq!(u64_at(&device, segment + 8 + 48), 0);
    assert_eq!(device.memory.load_u8(segment + 8 + 56), None);
}

#[test]
fn metadata_place_hidden_arguments() {
    let rest = "    .args:\n      - { .offset: 0, .size: 4, .value_kind: by_value }\n      \
        - { .offset: 8, .size: 2, .value_kind: hidden_group_size_x }\n      \
        - { .offset: 12, .size: 4, .value_kind: hidden_block_count_x }";
    let object = object("gfx900", 5, "", &metadata(16, rest));
    let (device, _prepared) = good(
        &object,
        SHAPE,
        &[PlacedBytes {
            offset: 0,
            bytes: vec![1, 0, 0, 0],
        }],
    );
    let segment = region(&device, "the argument segment");
    assert_eq!(u32_at(&device, segment), 1);
    assert_eq!(
        u32_at(&device, segment + 8),
        32,
        "only the two bytes of it are written"
    );
    assert_eq!(u32_at(&device, segment + 12), 3);
    assert_eq!(
        device.memory.load_u8(segment + 63),
        Some(0),
        "the segment's size is rounded up to a line"
    );
    assert_eq!(
        device.memory.load_u8(segment + 64),
        None,
        "no room beyond that"
    );
}

#[test]
fn scalar_registers_are_allocated_in_blocks() {
    // 20 SGPRs, plus VCC and other registers that the generation reserves.
    for (target, sgprs) in [("gfx600", 24), ("gfx803", 32), ("gfx900", 32)] {
        let lines = ".amdhsa_reserve_vcc 1\n.amdhsa_reserve_flat_scratch 0";
        let lines = if target == "gfx600" {
            ".amdhsa_reserve_vcc 1"
        } else {
            lines
        };
        let (_, prepared) = good(&object(target, 5, lines, ""), SHAPE, &[]);
        assert_eq!(prepared.code.sgprs(), sgprs, "{target}");
    }
}

#[test]
fn a_dynamic_stack_gets_room_and_a_note() {
    let lines = ".amdhsa_uses_dynamic_stack 1\n.amdhsa_private_segment_fixed_size 16";
    let (_, prepared) = good(&object("gfx900", 5, lines, ""), SHAPE, &[]);
    let stack = start::DYNAMIC_STACK_BYTES;
    assert_eq!(prepared.dispatch.scratch_bytes_per_lane, 16 + stack);
    let bytes = u64::from(16 + stack);
    assert_eq!(prepared.notes, [LaunchNote::DynamicStack { bytes, stack }]);
}

#[test]
fn a_stack_is_as_large_as_the_caller_asks_for() {
    let shape = LaunchShape {
        stack: Some(100_000),
        ..SHAPE
    };
    for dynamic in [0, 1] {
        let lines =
            format!(".amdhsa_uses_dynamic_stack {dynamic}\n.amdhsa_private_segment_fixed_size 16");
        let (_, prepared) = good(&object("gfx900", 5, &lines, ""), shape, &[]);
        assert_eq!(prepared.dispatch.scratch_bytes_per_lane, 100_016);
    }
}

#[test]
fn launches_of_a_kernel_share_its_decoded_code() {
    let object = object("gfx900", 5, "", "");
    let device = Device::new(Config::new(gcn_isa::Isa::Gfx9));
    let loaded = loaded(&device, &object);
    let prepare = |grid| {
        let launch = KernelStart {
            object: &object,
            loaded: &loaded,
            kernel: &object.kernels[0],
            shape: LaunchShape {
                grid: [grid, 1, 1],
                ..SHAPE
            },
            arguments: Arguments::Placed(&[]),
            answers_host_calls: false,
        };
        let owned = Owned::new(&device.memory);
        launch.prepare(owned, &device, 1).expect("good sizes").code
    };
    let (first, second) = (prepare(1), prepare(100));
    assert!(Arc::ptr_eq(&first, &second));
    let entry = loaded.moved(object.kernels[0].entry_address);
    assert!(matches!(second.step(entry), Some(Ok(_))), "it is code");
    let executed = first.executed().count();
    assert!(
        executed > 0,
        "the other launch has its decoded instructions"
    );
}

#[test]
fn symbols_are_found_where_they_were_loaded() {
    let object = object("gfx900", 5, "", "");
    let device = Device::new(Config::new(gcn_isa::Isa::Gfx9));
    let loaded = loaded(&device, &object);
    let answer = loaded.symbol("answer").expect("a symbol");
    assert!(answer.is_data);
    assert_eq!((answer.size, u32_at(&device, answer.address)), (4, 42));
    let entry = loaded.moved(object.kernels[0].entry_address);
    assert_eq!(
        loaded
            .code_symbol_at(entry + 2)
            .map(|symbol| symbol.name.as_str()),
        Some("k")
    );
    assert_eq!(loaded.code_symbol_at(0), None);
    assert_eq!(loaded.code_symbol_at(u64::MAX), None);
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let plain = object("gfx900", 5, "", "");
    let oldest = object("gfx600", 5, "", "");
    let required = object(
        "gfx900",
        5,
        "",
        &metadata(0, "    .reqd_workgroup_size: [64, 1, 1]"),
    );
    let most = object(
        "gfx900",
        5,
        "",
        &metadata(0, "    .max_flat_workgroup_size: 128"),
    );
    let scratch = object("gfx900", 5, ".amdhsa_private_segment_fixed_size 131060", "");
    let shape = |grid, group, dynamic_lds| LaunchShape {
        grid,
        group,
        dynamic_lds,
        ..SHAPE
    };
    for (object, shape, message) in [
        (
            &plain,
            shape([0, 1, 1], [1, 1, 1], 0),
            "a grid and a workgroup need at least one work-item in every dimension",
        ),
        (
            &plain,
            shape([1; 3], [1025, 1, 1], 0),
            "a workgroup of 1025 work-items is too large: the limit is 1024",
        ),
        (
            &plain,
            shape([u32::MAX; 3], [u32::MAX; 3], 0),
            "a workgroup of 18446744073709551615 work-items is too large: the limit is 1024",
        ),
        (
            &plain,
            shape([u32::MAX, u32::MAX, 1], [64, 1, 1], 0),
            "a grid of 4294967295 x 4294967295 x 1 in workgroups of 64 x 1 x 1 has 288230376084602880 waves; the limit is \
             1073741824",
        ),
        (
            &required,
            shape([64; 3], [32, 1, 1], 0),
            "the kernel was compiled for workgroups of 64 x 1 x 1, not of 32 x 1 x 1",
        ),
        (
            &most,
            shape([256, 1, 1], [256, 1, 1], 0),
            "a workgroup of 256 work-items is too large: the kernel was compiled for at most 128",
        ),
        (
            &plain,
            shape([64, 1, 1], [64, 1, 1], 65537),
            "a workgroup needs 65537 bytes of LDS (0 in the kernel, 65537 dynamic); GCN 1.4 has 65536",
        ),
        (
            &oldest,
            shape([64, 1, 1], [64, 1, 1], 32769),
            "a workgroup needs 32769 bytes of LDS (0 in the kernel, 32769 dynamic); GCN 1.0 has 32768",
        ),
        (
            &scratch,
            shape([64, 1, 1], [64, 1, 1], 0),
            "the kernel needs 131060 bytes of scratch per lane; the limit is 131056",
        ),
    ] {
        let error = prepare(object, shape, &[])
            .1
            .map(|_| ())
            .expect_err(message);
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn argument_segments_without_bounds_are_refused() {
    let object = object("gfx900", 5, "", "");
    for offset in [1 << 20, u64::MAX] {
        let (_, prepared) = prepare(
            &object,
            SHAPE,
            &[PlacedBytes {
                offset,
                bytes: vec![0; 4],
            }],
        );
        let error = prepared.map(|_| ()).expect_err("too large");
        assert!(matches!(error, LaunchError::Arguments { .. }), "{error}");
    }
}

#[test]
fn partial_workgroups_are_noted_where_whole_ones_are_expected() {
    for (wants, grid, noted) in [(1, 100, true), (1, 128, false), (0, 100, false)] {
        let rest = format!("    .uniform_work_group_size: {wants}");
        let object = object("gfx900", 5, "", &metadata(0, &rest));
        let shape = LaunchShape {
            grid: [grid, 4, 1],
            ..SHAPE
        };
        let (_, prepared) = good(&object, shape, &[]);
        assert_eq!(!prepared.notes.is_empty(), noted, "{:?}", prepared.notes);
    }
}

#[test]
fn e244_the_device_librarys_printf_finds_no_room_and_no_null() {
    for (version, first, offset) in [
        (5, "hidden_block_count_x", 72),
        (4, "hidden_global_offset_x", 24),
    ] {
        let argument = format!(
            "    .args:\n      - .offset: 8\n        .size: 4\n        .value_kind: {first}"
        );
        let text = metadata(264, &argument);
        let (_, prepared) = good(&object("gfx900", version, "", &text), SHAPE, &[]);
        assert_eq!(prepared.notes, [], "it has no printf");
        let text = format!("{text}\n.type __printf_alloc,@function\n__printf_alloc: .long 0");
        let (device, prepared) = good(&object("gfx900", version, "", &text), SHAPE, &[]);
        assert_eq!(prepared.notes, [LaunchNote::MutePrintf]);
        let segment = region(&device, "the argument segment");
        let buffer = u64_at(&device, segment + 8 + offset);
        assert_eq!(u64_at(&device, buffer), 0, "nothing is used of nothing");
    }
}

#[test]
fn a_kernel_that_prints_gets_a_buffer() {
    let printf = "\namdhsa.printf: ['1:1:4:%d\\n', 'nonsense']";
    let argument = "    .args:\n      - .offset: 8\n        .size: 8\n        .value_kind: hidden_printf_buffer";
    let silent = object("gfx900", 5, "", &metadata(16, argument));
    let (device, prepared) = good(&silent, SHAPE, &[]);
    assert!(prepared.printf.is_none());
    let segment = region(&device, "the argument segment");
    assert_eq!(u64_at(&device, segment + 8), 0, "nothing can be printed");

    let talkative = object(
        "gfx900",
        5,
        "",
        &metadata(16, &format!("{argument}{printf}")),
    );
    let (device, prepared) = good(&talkative, SHAPE, &[]);
    assert_eq!(prepared.notes.len(), 1, "{:?}", prepared.notes);
    let segment = region(&device, "the argument segment");
    let buffer = u64_at(&device, segment + 8);
    assert_eq!(u32_at(&device, buffer), 0, "nothing is used");
    assert_eq!(u32_at(&device, buffer + 4), BUFFER_BYTES);
    // Simulate the kernel: a record of eight bytes after the header.
    device.memory.store_u32(buffer, 8);
    device.memory.store_u32(buffer + 8, 1);
    device.memory.store_u32(buffer + 12, -7i32 as u32);
    let printf = prepared.printf.expect("a buffer");
    assert_eq!(printf.take_text(&device.memory), b"-7\n");
}

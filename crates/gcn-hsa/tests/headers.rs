//! Compares type layouts with those in the public headers of all supported ROCm releases.

use std::collections::HashMap;
use std::mem::offset_of;

use gcn_hsa::abi::*;

/// Layouts that `cargo xtask headers` extracted from the headers.
const FACTS: &str = include_str!("layouts.txt");

/// Layout of a type: its name in the headers, its size, and the names and offsets of its fields.
type Layout = (&'static str, usize, Vec<(&'static str, usize)>);

/// Builds the [`Layout`] of a type in this crate. `field = "name"` gives a field's name in the headers if it differs.
macro_rules! layout {
    ($Type:ident as $c:literal { $($field:ident $(= $name:literal)?),* $(,)? }) => {
        (
            $c,
            size_of::<$Type>(),
            vec![$((layout!(@name $field $($name)?), offset_of!($Type, $field))),*],
        )
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $name:literal) => { $name };
}

fn layouts() -> Vec<Layout> {
    vec![
        layout!(AmdSignal as "amd_signal_t" {
            kind, value, event_mailbox_ptr, event_id, start_ts, end_ts, queue_ptr, reserved3,
        }),
        layout!(HsaQueue as "hsa_queue_t" { kind = "type", features, base_address, doorbell_signal, size, id }),
        layout!(AmdQueue as "amd_queue_t" {
            hsa_queue, write_dispatch_id, group_segment_aperture_base_hi, private_segment_aperture_base_hi, max_cu_id,
            max_wave_id, max_legacy_doorbell_dispatch_id_plus_1, legacy_doorbell_lock, read_dispatch_id,
            read_dispatch_id_field_base_byte_offset, compute_tmpring_size, scratch_resource_descriptor,
            scratch_backing_memory_location, scratch_wave64_lane_byte_size, queue_properties, queue_inactive_signal,
        }),
        layout!(DispatchPacket as "hsa_kernel_dispatch_packet_t" {
            header, setup, workgroup_size = "workgroup_size_x", grid_size = "grid_size_x", private_segment_size,
            group_segment_size, kernel_object, kernarg_address, completion_signal,
        }),
        layout!(BarrierPacket as "hsa_barrier_and_packet_t" { header, dep_signal, completion_signal }),
        layout!(BarrierPacket as "hsa_barrier_or_packet_t" { header, dep_signal, completion_signal }),
        layout!(BarrierValuePacket as "hsa_amd_barrier_value_packet_t" {
            header, amd_format = "header.AmdFormat", signal, value, mask, cond, completion_signal,
        }),
        layout!(Dim3 as "hsa_dim3_t" { x, y, z }),
        layout!(PitchedPtr as "hsa_pitched_ptr_t" { base, pitch, slice }),
        layout!(LinkInfo as "hsa_amd_memory_pool_link_info_t" {
            min_latency, max_latency, min_bandwidth, max_bandwidth, atomic_support_32bit, atomic_support_64bit,
            coherent_support, link_type, numa_distance,
        }),
        layout!(PointerInfo as "hsa_amd_pointer_info_t" {
            size, kind = "type", agent_base_address = "agentBaseAddress", host_base_address = "hostBaseAddress",
            size_in_bytes = "sizeInBytes", user_data = "userData", agent_owner = "agentOwner", global_flags,
        }),
        layout!(Times as "hsa_amd_profiling_dispatch_time_t" { start, end }),
        layout!(Times as "hsa_amd_profiling_async_copy_time_t" { start, end }),
        layout!(HdpFlush as "hsa_amd_hdp_flush_t" {
            mem_flush_cntl = "HDP_MEM_FLUSH_CNTL", reg_flush_cntl = "HDP_REG_FLUSH_CNTL",
        }),
        layout!(ImageFormat as "hsa_ext_image_format_t" { channel_type, channel_order }),
        layout!(ImageDescriptor as "hsa_ext_image_descriptor_t" {
            geometry, width, height, depth, array_size, format,
        }),
        layout!(ImageDataInfo as "hsa_ext_image_data_info_t" { size, alignment }),
        layout!(ImageRegion as "hsa_ext_image_region_t" { offset, range }),
        layout!(SamplerDescriptor as "hsa_ext_sampler_descriptor_t" { coordinate_mode, filter_mode, address_mode }),
        layout!(MemoryFaultEvent as "hsa_amd_event_t" {
            event_type, agent = "memory_fault.agent", virtual_address = "memory_fault.virtual_address",
            fault_reason_mask = "memory_fault.fault_reason_mask",
        }),
        layout!(SegmentDescriptor as "hsa_ven_amd_loader_segment_descriptor_t" {
            agent, executable, code_object_storage_type, code_object_storage_base, code_object_storage_size,
            code_object_storage_offset, segment_base, segment_size,
        }),
    ]
}

/// Layouts of types that the headers of ROCm 5.2 do not declare, or declare without the last fields.
fn newer_layouts() -> Vec<Layout> {
    vec![
        layout!(SamplerDescriptorV2 as "hsa_ext_sampler_descriptor_v2_t" {
            coordinate_mode, filter_mode, address_modes,
        }),
        layout!(ImageTable as "hsa_ext_images_1_pfn_t" {
            get_capability = "hsa_ext_image_get_capability", data_get_info = "hsa_ext_image_data_get_info",
            create = "hsa_ext_image_create", destroy = "hsa_ext_image_destroy", copy = "hsa_ext_image_copy",
            import = "hsa_ext_image_import", export = "hsa_ext_image_export", clear = "hsa_ext_image_clear",
            sampler_create = "hsa_ext_sampler_create", sampler_destroy = "hsa_ext_sampler_destroy",
            get_capability_with_layout = "hsa_ext_image_get_capability_with_layout",
            data_get_info_with_layout = "hsa_ext_image_data_get_info_with_layout",
            create_with_layout = "hsa_ext_image_create_with_layout", sampler_create_v2 = "hsa_ext_sampler_create_v2",
        }),
    ]
}

#[test]
fn types_are_laid_out_as_in_the_headers_of_every_release() {
    let mut facts: HashMap<&str, Vec<(usize, &str)>> = HashMap::new();
    for line in FACTS.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.splitn(3, ' ');
        let mut word = || words.next().unwrap_or_else(|| panic!("{line}"));
        let (name, number, releases) = (word(), word(), word());
        let number = number.parse().expect(line);
        facts.entry(name).or_default().push((number, releases));
    }
    let check = |name: &str, number: usize, is_newer: bool| {
        let found = facts.get(name).map(Vec::as_slice).unwrap_or_default();
        if is_newer {
            let last = found
                .last()
                .filter(|(_, releases)| releases.ends_with("6.4 7.2"));
            assert_eq!(last.map(|(number, _)| *number), Some(number), "{name}");
        } else {
            assert_eq!(found, [(number, "5.2 6.4 7.2")], "{name}");
        }
    };
    let all = layouts().into_iter().map(|layout| (layout, false));
    let newer = newer_layouts().into_iter().map(|layout| (layout, true));
    for ((name, size, fields), is_newer) in all.chain(newer) {
        check(name, size, is_newer);
        for (field, offset) in fields {
            check(&format!("{name}.{field}"), offset, is_newer);
        }
    }
}

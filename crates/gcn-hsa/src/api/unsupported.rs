//! Unsupported API functions. Each returns an error, and reports its first call on standard error.

use gcn_report::program::say::say_once;

use crate::status::Status;

macro_rules! unsupported {
    ($($why:literal: $($name:ident)*;)*) => {
        $($(
            #[unsafe(no_mangle)]
            pub extern "C" fn $name() -> Status {
                say_once(concat!(stringify!($name), " is not supported: ", $why));
                Status::ERROR
            }
        )*)*
    };
}

unsupported! {
    "there is no graphics driver for tiled images":
        hsa_amd_image_create;
    "there is no HSAIL finalizer":
        hsa_ext_program_add_module hsa_ext_program_create hsa_ext_program_destroy hsa_ext_program_finalize
        hsa_ext_program_get_info hsa_ext_program_iterate_modules;
    "signals are not shared between processes":
        hsa_amd_ipc_signal_attach hsa_amd_ipc_signal_create;
    "there is no graphics driver to share memory with":
        hsa_amd_interop_map_buffer hsa_amd_interop_unmap_buffer hsa_amd_portable_export_dmabuf
        hsa_amd_portable_export_dmabuf_v2 hsa_amd_portable_close_dmabuf;
    "the emulated devices have no shared virtual memory":
        hsa_amd_svm_attributes_get hsa_amd_svm_attributes_set hsa_amd_svm_prefetch_async;
    "memory does not move between pools":
        hsa_amd_memory_migrate;
    "code objects are loaded through code object readers":
        hsa_code_object_deserialize hsa_code_object_destroy hsa_code_object_get_info hsa_code_object_get_symbol
        hsa_code_object_get_symbol_from_name hsa_code_object_iterate_symbols hsa_code_object_serialize
        hsa_code_symbol_get_info hsa_executable_load_code_object;
    "only agent code objects can be loaded":
        hsa_executable_load_program_code_object;
    "only devices have queues":
        hsa_soft_queue_create;
    "the emulated devices have no streaming performance counters":
        hsa_amd_spm_acquire hsa_amd_spm_release hsa_amd_spm_set_dest_buffer;
    "the emulated devices do not implement it":
        hsa_amd_enable_logging hsa_amd_ais_file_read hsa_amd_ais_file_write;
    "the emulated devices do not sample program counters":
        hsa_ven_amd_pcs_create hsa_ven_amd_pcs_create_from_id hsa_ven_amd_pcs_destroy hsa_ven_amd_pcs_flush
        hsa_ven_amd_pcs_iterate_configuration hsa_ven_amd_pcs_start hsa_ven_amd_pcs_stop;
}

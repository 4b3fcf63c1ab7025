//! Random bytes: reading a code object, a bundle, a host program or a program of an OpenCL driver never panics. Neither
//! does any use of the result.
#![no_main]

use gcn_object::BundleEntry;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    use_all(data);
    use_program(data);
    if let Ok(entries) = gcn_object::code_objects(data) {
        entries.flatten().for_each(|entry| use_entry(&entry));
    }
});

fn use_entry(entry: &BundleEntry) {
    let _ = entry.target();
    let _ = entry.kernel_names();
    let _ = entry.read();
    use_all(&entry.bytes);
}

/// Uses all functions for code objects.
fn use_all(bytes: &[u8]) {
    let Ok(object) = gcn_object::read(bytes) else { return };
    if let Ok(mut image) = object.image_within(1 << 20) {
        let _ = object.apply_relocations(&mut image, 0x1_0000_0000);
    }
    for section in &object.sections {
        let _ = object.section_bytes(section);
    }
    let _ = object.processor();
    object.kernels.iter().for_each(|kernel| {
        let _ = gcn_object::declaration(&kernel.name);
    });
}

/// Reads a program of Catalyst or Gallium, and uses the result.
fn use_program(bytes: &[u8]) {
    let Ok(program) = gcn_object::read_driver_program(bytes) else { return };
    assert!(gcn_object::is_driver_program(bytes));
    for kernel in &program.kernels {
        assert!(program.code(kernel).len() <= bytes.len());
        assert!(kernel.arguments.len() <= bytes.len());
    }
}

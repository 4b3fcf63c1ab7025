//! Any bytes: reading a code object is total, and so is everything that uses what was read.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = gcn_object::container_entries(data);
    let Ok(object) = gcn_object::read(data) else { return };
    if let Ok(mut image) = object.image_within(1 << 20) {
        let _ = object.apply_relocations(&mut image, 0x1_0000_0000);
    }
    for section in &object.sections {
        let _ = object.section_bytes(section);
    }
    let _ = object.processor();
});

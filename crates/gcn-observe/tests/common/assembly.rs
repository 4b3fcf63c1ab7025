//! Devices, and modules that are assembled for them.

use gcn_asm::{Options, Source, assemble};
use gcn_runtime::{Device, Module};

/// A device of one thread, so that waves are in the same order each time.
pub fn device(target: &str) -> Device {
    let builder = Device::builder(target).expect("a target");
    builder.threads(1).build()
}

/// Assembles a source, which must have no error, and loads it.
#[track_caller]
pub fn module(device: &Device, text: &str) -> Module {
    let source = Source {
        name: "test.s",
        text,
    };
    let assembly = assemble(&source, &Options::new(device.target()));
    let problems = &assembly.diagnostics;
    assert!(!assembly.has_errors(), "{problems:?}\n{text}");
    let object = assembly.program.to_object(None).expect("an object");
    device.load(&object).expect("it loads")
}

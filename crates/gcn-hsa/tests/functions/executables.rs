//! Tests of code objects, symbols and external variables.

use std::ffi::c_void;
use std::process::Command;
use std::time::Duration;

use gcn_hsa::numbers::{
    HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES, HSA_AMD_AGENT_INFO_NEAREST_CPU,
    HSA_EXECUTABLE_STATE_FROZEN, HSA_EXECUTABLE_STATE_UNFROZEN,
};

use super::hsa::*;

const USER: &str = "
    .text
    .type read,@function
    read:
      s_endpgm
    .data
    .globl pointer
    .type pointer,@object
    .size pointer, 8
    pointer:
      .quad shared+4
    .rodata
    .p2align 6
    .amdhsa_kernel read
      .amdhsa_next_free_vgpr 1
      .amdhsa_next_free_sgpr 1
    .end_amdhsa_kernel
";

/// Assembles and links [`USER`] with LLVM. The symbol `shared` remains undefined until the code object is loaded.
fn user() -> Vec<u8> {
    let directory = tempfile::tempdir().expect("a directory");
    let [source, object, linked] =
        ["user.s", "user.o", "user.co"].map(|name| directory.path().join(name));
    std::fs::write(&source, USER).expect("a file");
    let run = |command: &mut Command| {
        let output = command
            .output()
            .expect("LLVM 19 is there; `cargo xtask tools` installs it");
        let problem = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{problem}");
    };
    let target = [
        "-triple=amdgcn-amd-amdhsa",
        "-mcpu=gfx906",
        "-filetype=obj",
        "-o",
    ];
    run(Command::new("llvm-mc-19")
        .args(target)
        .arg(&object)
        .arg(&source));
    run(Command::new("ld.lld-19")
        .args(["-shared", "-o"])
        .arg(&linked)
        .arg(&object));
    std::fs::read(&linked).expect("a file")
}

/// Defines `shared` at an address, if one is given, and loads the code object. Returns the executable and the status of
/// loading.
fn load_user(shared: Option<*mut u32>) -> (Handle, Status) {
    let object = user();
    agents();
    let (mut reader, mut executable) = (0, 0);
    // SAFETY: the object is readable, the output pointers are writable, and the name is null-terminated.
    unsafe {
        let bytes = object.as_ptr().cast();
        check(hsa_code_object_reader_create_from_memory(
            bytes,
            object.len(),
            &raw mut reader,
        ));
        check(hsa_executable_create_alt(
            0,
            0,
            std::ptr::null(),
            &raw mut executable,
        ));
        if let Some(shared) = shared {
            let define = |address: *mut u32| {
                hsa_executable_agent_global_variable_define(
                    executable,
                    agents().device,
                    c"shared".as_ptr(),
                    address.cast(),
                )
            };
            check(define(shared));
            // A redefinition is an error and does not replace the first definition.
            let again = define(shared.wrapping_add(1));
            assert_eq!(again, Status::VARIABLE_ALREADY_DEFINED);
        }
        let none = std::ptr::null_mut();
        let device = agents().device;
        let status = hsa_executable_load_agent_code_object(
            executable,
            device,
            reader,
            std::ptr::null(),
            none,
        );
        (executable, status)
    }
}

#[test]
fn variables_of_others_are_defined_before() {
    let shared = allocate::<u32>(2);
    let (executable, status) = load_user(Some(shared));
    check(status);
    check(hsa_executable_freeze(executable, std::ptr::null()));
    let address = symbol_info(symbol(executable, c"pointer"), 21);
    let pointer = std::ptr::with_exposed_provenance::<u64>(address as usize);
    // SAFETY: the variable is 8 bytes long.
    let value = unsafe { pointer.read_unaligned() };
    assert_eq!(value, shared.addr() as u64 + 4);
    assert_eq!(
        hsa_executable_freeze(executable, std::ptr::null()),
        Status::FROZEN_EXECUTABLE
    );
    check(hsa_executable_destroy(executable));
    assert_eq!(
        hsa_executable_destroy(executable),
        Status::INVALID_EXECUTABLE
    );
    let (executable, status) = load_user(None);
    assert_eq!(status, Status::VARIABLE_UNDEFINED);
    check(hsa_executable_destroy(executable));
}

#[test]
fn executables_are_created_frozen_on_request() {
    agents();
    for (state, expected) in [
        (HSA_EXECUTABLE_STATE_UNFROZEN, Status::SUCCESS),
        (HSA_EXECUTABLE_STATE_FROZEN, Status::FROZEN_EXECUTABLE),
    ] {
        let mut executable = 0;
        // SAFETY: `executable` is writable.
        check(unsafe { hsa_executable_create(0, state, std::ptr::null(), &raw mut executable) });
        let frozen = hsa_executable_freeze(executable, std::ptr::null());
        assert_eq!(frozen, expected);
        check(hsa_executable_destroy(executable));
    }
}

/// Returns the number of symbols in an executable.
fn symbol_count(executable: Handle) -> usize {
    unsafe extern "C" fn count(_: Handle, _: Handle, data: *mut c_void) -> Status {
        // SAFETY: `data` points to `number` below.
        unsafe { *data.cast::<usize>() += 1 };
        Status::SUCCESS
    }
    let mut number = 0_usize;
    let data = (&raw mut number).cast();
    // SAFETY: `data` is the argument that the callback expects.
    check(unsafe { hsa_executable_iterate_symbols(executable, Some(count), data) });
    number
}

/// Freezes an executable while another thread loads a code object into it.
#[test]
fn a_frozen_executable_gains_no_object() {
    let object = object(
        "
        .text
        .type none,@function
        none:
          s_endpgm
        .data
        .zero 0x100000
        .rodata
        .p2align 6
        .amdhsa_kernel none
          .amdhsa_next_free_vgpr 1
          .amdhsa_next_free_sgpr 1
        .end_amdhsa_kernel
        ",
    );
    let device = agents().device;
    let mut reader = 0;
    let bytes = object.as_ptr().cast();
    // SAFETY: the object is readable, and `reader` is writable.
    check(unsafe {
        hsa_code_object_reader_create_from_memory(bytes, object.len(), &raw mut reader)
    });
    for round in 0..50 {
        let mut executable = 0;
        // SAFETY: `executable` is writable.
        check(unsafe { hsa_executable_create(0, 0, std::ptr::null(), &raw mut executable) });
        let (frozen, loaded) = std::thread::scope(|scope| {
            let load = scope.spawn(|| {
                let (options, none) = (std::ptr::null(), std::ptr::null_mut());
                // SAFETY: the handles are valid, and the output pointer is null.
                unsafe {
                    hsa_executable_load_agent_code_object(executable, device, reader, options, none)
                }
            });
            std::thread::sleep(Duration::from_micros(20 * round));
            check(hsa_executable_freeze(executable, std::ptr::null()));
            let frozen = symbol_count(executable);
            (frozen, load.join().expect("it returns"))
        });
        let expected = match frozen {
            0 => Status::FROZEN_EXECUTABLE,
            _ => Status::SUCCESS,
        };
        assert_eq!(loaded, expected, "round {round}");
        assert_eq!(symbol_count(executable), frozen, "round {round}");
        check(hsa_executable_destroy(executable));
    }
    check(hsa_code_object_reader_destroy(reader));
}

#[test]
fn symbols_have_their_kinds_and_sizes() {
    let kernel = symbol(kernels(), c"add.kd");
    assert_eq!(symbol_info(kernel, 0), 1);
    assert_ne!(symbol_info(kernel, 22), 0);
    let mut missing = 0;
    let agent = &raw const agents().device;
    // SAFETY: the name is null-terminated, and `missing` is writable.
    let status = unsafe {
        hsa_executable_get_symbol_by_name(kernels(), c"sub.kd".as_ptr(), agent, &raw mut missing)
    };
    assert_eq!(status, Status::INVALID_SYMBOL_NAME);
}

/// Returns the status of loading bytes as a code object.
fn status_of_loading(bytes: &[u8]) -> Status {
    agents();
    let (mut reader, mut executable) = (0, 0);
    // SAFETY: the bytes are readable, and the output pointers are writable.
    let status = unsafe {
        check(hsa_code_object_reader_create_from_memory(
            bytes.as_ptr().cast(),
            bytes.len(),
            &raw mut reader,
        ));
        check(hsa_executable_create_alt(
            0,
            0,
            std::ptr::null(),
            &raw mut executable,
        ));
        let none = std::ptr::null_mut();
        hsa_executable_load_agent_code_object(
            executable,
            agents().device,
            reader,
            std::ptr::null(),
            none,
        )
    };
    check(hsa_executable_destroy(executable));
    check(hsa_code_object_reader_destroy(reader));
    status
}

#[test]
fn bytes_that_are_no_code_are_refused() {
    assert_eq!(status_of_loading(&[0; 100]), Status::INVALID_CODE_OBJECT);
}

#[test]
fn code_for_another_device_is_refused() {
    let text = |id: &str| {
        format!(
            "
            .amdgcn_target \"amdgcn-amd-amdhsa--{id}\"
            .text
            .type none,@function
            none:
              s_endpgm
            .rodata
            .p2align 6
            .amdhsa_kernel none
              .amdhsa_next_free_vgpr 1
              .amdhsa_next_free_sgpr 1
            .end_amdhsa_kernel
            "
        )
    };
    for (target, id, expected) in [
        ("gfx906", "gfx906", Status::SUCCESS),
        ("gfx906", "gfx906:xnack-", Status::SUCCESS),
        ("gfx906", "gfx906:sramecc+:xnack-", Status::SUCCESS),
        ("gfx906", "gfx906:xnack+", Status::INCOMPATIBLE_ARGUMENTS),
        ("gfx906", "gfx906:sramecc-", Status::INCOMPATIBLE_ARGUMENTS),
        ("gfx900", "gfx900", Status::INCOMPATIBLE_ARGUMENTS),
        ("gfx803", "gfx803", Status::INCOMPATIBLE_ARGUMENTS),
    ] {
        let object = object_for(target, &text(id));
        assert_eq!(status_of_loading(&object), expected, "{id}");
    }
}

#[test]
fn what_is_not_supported_is_an_error() {
    assert_eq!(hsa_amd_image_create(), Status::ERROR);
    let mut text = std::ptr::null();
    // SAFETY: `text` is writable.
    let status = unsafe { hsa_status_string(Status(0x7777), &raw mut text) };
    assert_eq!(status, Status::INVALID_ARGUMENT);
}

#[test]
fn agents_are_a_processor_and_a_radeon() {
    let mut name = [0u8; 64];
    // SAFETY: a name takes at most 64 bytes.
    check(unsafe { hsa_agent_get_info(agents().device, 0, name.as_mut_ptr().cast()) });
    assert!(name.starts_with(b"gfx906\0"));
    // SAFETY: as above.
    check(unsafe { hsa_agent_get_info(agents().device, 0xa009, name.as_mut_ptr().cast()) });
    assert!(String::from_utf8_lossy(&name).contains("(emulated)"));
    let mut kind = 9u32;
    // SAFETY: a device type takes 32 bits.
    check(unsafe { hsa_agent_get_info(agents().host, 17, (&raw mut kind).cast()) });
    assert_eq!(kind, 0);
}

/// HIP rejects a device if it fails to query one of the attributes that HIP uses.
#[test]
fn attributes_of_newer_headers_have_values() {
    let mut value = [0u64; 128];
    let to = value.as_mut_ptr().cast();
    let mut seen = 0;
    for line in include_str!("../../src/numbers.rs").lines() {
        let Some((name, number)) = line
            .strip_prefix("pub const ")
            .and_then(|it| it.split_once(": u32 = 0x"))
        else {
            continue;
        };
        let digits = number.split(';').next().unwrap_or_default();
        let attribute = u32::from_str_radix(digits, 16).expect(line);
        let is_of = |prefixes: [&str; 2]| prefixes.iter().any(|prefix| name.starts_with(prefix));
        // SAFETY: `value` is larger than any attribute.
        let status = unsafe {
            if is_of(["HSA_AGENT_INFO_", "HSA_EXT_AGENT_INFO_"])
                || name.starts_with("HSA_AMD_AGENT_INFO_")
            {
                hsa_agent_get_info(agents().device, attribute, to)
            } else if is_of(["HSA_SYSTEM_INFO_", "HSA_AMD_SYSTEM_INFO_"]) {
                hsa_system_get_info(attribute, to)
            } else {
                continue;
            }
        };
        assert_eq!(status, Status::SUCCESS, "{line}");
        seen += 1;
    }
    assert!(seen > 80, "{seen}");
    // SAFETY: as above.
    check(unsafe { hsa_agent_get_info(agents().device, HSA_AMD_AGENT_INFO_NEAREST_CPU, to) });
    assert_eq!(value[0], agents().host);
    // SAFETY: the function does not write the value of an unknown attribute.
    let status = unsafe { hsa_agent_get_info(agents().device, 0xa7ff, to) };
    assert_eq!(status, Status::INVALID_ARGUMENT);
}

/// `HSA_AMD_MEMORY_PROPERTY_AGENT_IS_APU` is a bit number, 1, so APUs report 2. HIP derives `integrated` from this bit.
#[test]
fn apus_say_that_they_are() {
    const CASE: &str = "TEST_APU";
    const NAME: &str = "executables::apus_say_that_they_are";
    let Some(expected) = std::env::var_os(CASE) else {
        for (target, expected) in [
            ("gfx803", "0"),
            ("gfx906", "0"),
            ("gfx902", "2"),
            ("gfx90c", "2"),
        ] {
            let ended = run_again(NAME, [(CASE, expected), ("GCN_TARGET", target)]);
            let text = String::from_utf8_lossy(&ended.stderr);
            assert!(ended.status.success(), "{target}: {text}");
        }
        return;
    };
    let mut flags = 0u64;
    let attribute = HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES;
    // SAFETY: the attribute takes 8 bytes.
    check(unsafe { hsa_agent_get_info(agents().device, attribute, (&raw mut flags).cast()) });
    assert_eq!(flags.to_string(), expected.to_string_lossy());
}

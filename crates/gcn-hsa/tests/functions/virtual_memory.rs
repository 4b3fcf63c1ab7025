//! Tests of virtual memory, and of memory shared between processes.

use std::ffi::c_void;
use std::fs::File;
use std::os::fd::AsRawFd;

use gcn_hsa::abi::MemoryAccess;
use gcn_hsa::numbers::{
    HSA_ACCESS_PERMISSION_NONE, HSA_ACCESS_PERMISSION_RW, HSA_EXT_POINTER_TYPE_HSA_VMEM,
    HSA_EXT_POINTER_TYPE_IPC, MEMORY_TYPE_PINNED,
};
use gcn_hsa::status::Status;

use super::hsa::*;

#[rustfmt::skip]
unsafe extern "C" {
    fn hsa_amd_vmem_address_reserve(at: *mut *mut c_void, size: usize, wanted: u64, flags: u64) -> Status;
    fn hsa_amd_vmem_address_free(at: *mut c_void, size: usize) -> Status;
    fn hsa_amd_vmem_handle_create(pool: Handle, size: usize, kind: u32, flags: u64, handle: *mut Handle) -> Status;
    safe fn hsa_amd_vmem_handle_release(handle: Handle) -> Status;
    fn hsa_amd_vmem_map(at: *mut c_void, size: usize, offset: usize, handle: Handle, flags: u64) -> Status;
    fn hsa_amd_vmem_unmap(at: *mut c_void, size: usize) -> Status;
    fn hsa_amd_vmem_set_access(at: *mut c_void, size: usize, access: *const MemoryAccess, count: usize) -> Status;
    fn hsa_amd_vmem_get_access(at: *mut c_void, permissions: *mut u32, agent: Handle) -> Status;
    fn hsa_amd_vmem_export_shareable_handle(file: *mut i32, handle: Handle, flags: u64) -> Status;
    fn hsa_amd_vmem_import_shareable_handle(file: i32, handle: *mut Handle) -> Status;
    fn hsa_amd_vmem_retain_alloc_handle(handle: *mut Handle, at: *mut c_void) -> Status;
    fn hsa_amd_ipc_memory_create(memory: *mut c_void, size: usize, handle: *mut [u32; 8]) -> Status;
    fn hsa_amd_ipc_memory_attach(handle: *const [u32; 8], size: usize, count: u32, agents: *const Handle, at: *mut *mut c_void) -> Status;
    safe fn hsa_amd_ipc_memory_detach(at: *mut c_void) -> Status;
}

/// Flags of the device's coarse-grained memory pool.
const COARSE: u32 = 4;
/// Size of each mapping in bytes.
const UNIT: usize = 1 << 16;

fn at(base: *mut c_void, offset: usize) -> *mut c_void {
    base.wrapping_byte_add(offset)
}

fn memory_handle(size: usize) -> Handle {
    let mut handle = 0;
    let pool = pool(agents().device, COARSE);
    // SAFETY: `handle` is writable.
    check(unsafe {
        hsa_amd_vmem_handle_create(pool, size, MEMORY_TYPE_PINNED, 0, &raw mut handle)
    });
    handle
}

fn set_access(base: *mut c_void, size: usize, permissions: u32) -> Status {
    let access = MemoryAccess {
        permissions,
        agent: agents().device,
    };
    // SAFETY: `access` is one readable element.
    unsafe { hsa_amd_vmem_set_access(base, size, &raw const access, 1) }
}

fn add(array: *mut u32, items: u32, value: u32) {
    let (queue, done) = (Queue::new(64), signal(1));
    queue.dispatch(
        DISPATCH,
        kernel(c"add.kd"),
        items,
        arguments(Add { array, value }),
        done,
    );
    finish(done);
}

#[test]
fn handles_are_mapped_side_by_side_and_again_elsewhere() {
    let mut base = std::ptr::null_mut();
    // SAFETY: `base` is writable.
    check(unsafe { hsa_amd_vmem_address_reserve(&raw mut base, 4 * UNIT, 0, 0) });
    let (first, second) = (memory_handle(UNIT), memory_handle(UNIT));
    // SAFETY: only this test uses the reserved range.
    unsafe {
        // Maps the higher addresses first.
        check(hsa_amd_vmem_map(at(base, UNIT), UNIT, 0, second, 0));
        check(hsa_amd_vmem_map(base, UNIT, 0, first, 0));
        assert_eq!(
            hsa_amd_vmem_map(base, UNIT, 0, second, 0),
            Status::INVALID_ALLOCATION
        );
        assert_eq!(
            hsa_amd_vmem_map(at(base, 4 * UNIT), UNIT, 0, first, 0),
            Status::INVALID_ARGUMENT
        );
        assert_eq!(
            hsa_amd_vmem_map(at(base, 2 * UNIT), UNIT, UNIT, first, 0),
            Status::INVALID_ARGUMENT
        );
        assert_eq!(
            hsa_amd_vmem_map(at(base, 2 * UNIT), 100, 0, first, 0),
            Status::INVALID_ARGUMENT
        );
    }
    assert_eq!(
        set_access(base, 3 * UNIT, HSA_ACCESS_PERMISSION_RW),
        Status::INVALID_ALLOCATION
    );
    check(set_access(at(base, UNIT), UNIT, HSA_ACCESS_PERMISSION_RW));
    check(set_access(base, 2 * UNIT, HSA_ACCESS_PERMISSION_RW));
    assert_eq!(
        pointer_info(at(base, UNIT + 4)).kind,
        HSA_EXT_POINTER_TYPE_HSA_VMEM
    );
    // The array spans both mappings.
    let array = at(base, UNIT / 2 + 4).cast::<u32>();
    add(array, (UNIT / 4) as u32, 5);
    // SAFETY: the memory is mapped, and no kernel is running.
    let values = unsafe { std::slice::from_raw_parts(base.cast::<u32>(), 2 * UNIT / 4) };
    let expected =
        |index: usize| u32::from((UNIT / 8 + 1..UNIT / 8 + 1 + UNIT / 4).contains(&index)) * 5;
    assert!(
        values
            .iter()
            .enumerate()
            .all(|(index, value)| *value == expected(index))
    );
    let mut permissions = 9;
    let mut retained = 0;
    // SAFETY: `permissions` and `retained` are writable, and only this test uses the reserved range.
    unsafe {
        check(hsa_amd_vmem_get_access(
            at(base, UNIT),
            &raw mut permissions,
            agents().device,
        ));
        assert_eq!(permissions, HSA_ACCESS_PERMISSION_RW);
        check(hsa_amd_vmem_get_access(
            base,
            &raw mut permissions,
            agents().host,
        ));
        assert_eq!(permissions, HSA_ACCESS_PERMISSION_NONE);
        assert_eq!(
            hsa_amd_vmem_address_free(base, 4 * UNIT),
            Status::RESOURCE_BUSY
        );
        check(hsa_amd_vmem_retain_alloc_handle(
            &raw mut retained,
            at(base, UNIT),
        ));
        check(hsa_amd_vmem_unmap(at(base, UNIT), UNIT));
        assert_eq!(
            hsa_amd_vmem_unmap(at(base, UNIT), UNIT),
            Status::INVALID_ALLOCATION
        );
        check(hsa_amd_vmem_map(at(base, 3 * UNIT), UNIT, 0, retained, 0));
    }
    check(set_access(
        at(base, 3 * UNIT),
        UNIT,
        HSA_ACCESS_PERMISSION_RW,
    ));
    // SAFETY: the memory is mapped, and no kernel is running.
    assert_eq!(unsafe { at(base, 3 * UNIT).cast::<u32>().read() }, 5);
    for handle in [first, second, retained] {
        check(hsa_amd_vmem_handle_release(handle));
    }
    assert_eq!(hsa_amd_vmem_handle_release(first), Status::INVALID_ARGUMENT);
    // SAFETY: the memory is no longer used.
    unsafe {
        check(hsa_amd_vmem_unmap(base, UNIT));
        check(hsa_amd_vmem_unmap(at(base, 3 * UNIT), UNIT));
        check(hsa_amd_vmem_address_free(base, 4 * UNIT));
        assert_eq!(
            hsa_amd_vmem_address_free(base, 4 * UNIT),
            Status::INVALID_ALLOCATION
        );
    }
}

/// The second handle refers to a file opened read-only, which cannot be mapped for writing.
#[test]
fn a_failed_change_of_access_changes_nothing() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    file.as_file().set_len(UNIT as u64).expect("it can grow");
    let read_only = File::open(file.path()).expect("it exists");
    let (first, mut second) = (memory_handle(UNIT), 0);
    let (mut base, mut permissions) = (std::ptr::null_mut(), 9);
    // SAFETY: the output pointers are writable.
    unsafe {
        let read_only = read_only.as_raw_fd();
        check(hsa_amd_vmem_import_shareable_handle(
            read_only,
            &raw mut second,
        ));
        check(hsa_amd_vmem_address_reserve(&raw mut base, 2 * UNIT, 0, 0));
        check(hsa_amd_vmem_map(base, UNIT, 0, first, 0));
        check(hsa_amd_vmem_map(at(base, UNIT), UNIT, 0, second, 0));
    }
    assert_eq!(
        set_access(base, 2 * UNIT, HSA_ACCESS_PERMISSION_RW),
        Status::INVALID_ARGUMENT
    );
    // SAFETY: `permissions` is writable.
    check(unsafe { hsa_amd_vmem_get_access(base, &raw mut permissions, agents().device) });
    assert_eq!(permissions, HSA_ACCESS_PERMISSION_NONE);
    assert_eq!(pointer_info(base).kind, 0);
    check(set_access(base, UNIT, HSA_ACCESS_PERMISSION_RW));
    // SAFETY: the memory is no longer used.
    unsafe {
        check(hsa_amd_vmem_unmap(base, UNIT));
        check(hsa_amd_vmem_unmap(at(base, UNIT), UNIT));
        check(hsa_amd_vmem_address_free(base, 2 * UNIT));
    }
    for handle in [first, second] {
        check(hsa_amd_vmem_handle_release(handle));
    }
}

#[test]
fn a_handle_goes_through_a_file_and_memory_through_a_handle() {
    let handle = memory_handle(UNIT);
    let (mut file, mut other, mut base) = (-1, 0, std::ptr::null_mut());
    // SAFETY: the output pointers are writable.
    unsafe {
        check(hsa_amd_vmem_export_shareable_handle(
            &raw mut file,
            handle,
            0,
        ));
        check(hsa_amd_vmem_import_shareable_handle(file, &raw mut other));
        assert_eq!(
            hsa_amd_vmem_import_shareable_handle(-1, &raw mut other),
            Status::INVALID_ARGUMENT
        );
        check(hsa_amd_vmem_address_reserve(&raw mut base, 2 * UNIT, 0, 0));
        check(hsa_amd_vmem_map(base, UNIT, 0, handle, 0));
        check(hsa_amd_vmem_map(at(base, UNIT), UNIT, 0, other, 0));
    }
    check(set_access(base, 2 * UNIT, HSA_ACCESS_PERMISSION_RW));
    add(base.cast(), 64, 3);
    // SAFETY: the memory is mapped, and no kernel is running.
    assert_eq!(unsafe { at(base, UNIT + 63 * 4).cast::<u32>().read() }, 3);

    let array = allocate::<u32>(300);
    add(array, 300, 1);
    let (mut shared, mut seen) = ([0; 8], std::ptr::null_mut());
    // SAFETY: the output pointers are writable.
    unsafe {
        check(hsa_amd_ipc_memory_create(
            array.cast(),
            1200,
            &raw mut shared,
        ));
        check(hsa_amd_ipc_memory_attach(
            &raw const shared,
            1200,
            0,
            std::ptr::null(),
            &raw mut seen,
        ));
    }
    assert_eq!(pointer_info(seen).kind, HSA_EXT_POINTER_TYPE_IPC);
    add(seen.cast(), 300, 10);
    // SAFETY: the memory is still allocated, and no kernel is running.
    assert_eq!(unsafe { array.add(299).read() }, 11);
    check(hsa_amd_ipc_memory_detach(seen));
    assert_eq!(hsa_amd_ipc_memory_detach(seen), Status::INVALID_ALLOCATION);
    check(hsa_amd_memory_pool_free(array.cast()));
    // SAFETY: `shared` is readable, and `seen` is writable.
    let gone = unsafe {
        hsa_amd_ipc_memory_attach(&raw const shared, 1200, 0, std::ptr::null(), &raw mut seen)
    };
    assert_eq!(gone, Status::INVALID_ARGUMENT, "it has been freed");
}

//! Declarations of the API functions under test, and helpers shared by the tests.

use std::ffi::{CStr, c_char, c_void};
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::time::Duration;

use gcn_asm::{Options, Source, assemble};
pub use gcn_hsa::abi::{
    BarrierPacket, BarrierValuePacket, Dim3, DispatchPacket, FreeCallback, Handle, HandleCallback,
    HsaQueue, ImageDataInfo, ImageDescriptor, ImageFormat, ImageRegion, PitchedPtr, PointerInfo,
    QueueCallback, SamplerDescriptor, SamplerDescriptorV2, SignalHandler, Times,
};
pub use gcn_hsa::status::Status;
use gcn_isa::Target;
// Links the crate, which exports the API functions only as C symbols.
use gcn_hsa as _;

#[rustfmt::skip]
unsafe extern "C" {
    pub safe fn hsa_init() -> Status;
    pub safe fn hsa_shut_down() -> Status;
    pub fn hsa_status_string(status: Status, text: *mut *const c_char) -> Status;
    pub fn hsa_system_get_info(attribute: u32, value: *mut c_void) -> Status;
    pub fn hsa_iterate_agents(callback: Option<HandleCallback>, data: *mut c_void) -> Status;
    pub fn hsa_agent_get_info(agent: Handle, attribute: u32, value: *mut c_void) -> Status;
    pub fn hsa_signal_create(value: i64, count: u32, consumers: *const Handle, signal: *mut Handle) -> Status;
    pub safe fn hsa_signal_destroy(signal: Handle) -> Status;
    pub fn hsa_signal_load_scacquire(signal: Handle) -> i64;
    pub fn hsa_signal_store_screlease(signal: Handle, value: i64);
    pub fn hsa_signal_add_relaxed(signal: Handle, value: i64);
    pub fn hsa_signal_subtract_scacq_screl(signal: Handle, value: i64);
    pub fn hsa_signal_exchange_acq_rel(signal: Handle, value: i64) -> i64;
    pub fn hsa_signal_cas_scacq_screl(signal: Handle, expected: i64, value: i64) -> i64;
    pub fn hsa_signal_and_relaxed(signal: Handle, value: i64);
    pub fn hsa_signal_or_relaxed(signal: Handle, value: i64);
    pub fn hsa_signal_xor_relaxed(signal: Handle, value: i64);
    pub fn hsa_signal_wait_scacquire(signal: Handle, condition: u32, compare: i64, timeout: u64, state: u32) -> i64;
    pub fn hsa_amd_signal_async_handler(signal: Handle, condition: u32, value: i64, handler: Option<SignalHandler>, argument: *mut c_void) -> Status;
    pub fn hsa_amd_signal_value_pointer(signal: Handle, pointer: *mut *mut i64) -> Status;
    pub fn hsa_amd_signal_wait_any(count: u32, signals: *const Handle, conditions: *const u32, values: *const i64, timeout: u64, hint: u32, satisfying: *mut i64) -> u32;
    pub fn hsa_signal_group_create(count: u32, signals: *const Handle, consumers: u32, agents: *const Handle, group: *mut Handle) -> Status;
    pub safe fn hsa_signal_group_destroy(group: Handle) -> Status;
    pub fn hsa_signal_group_wait_any_scacquire(group: Handle, conditions: *const u32, values: *const i64, state: u32, signal: *mut Handle, value: *mut i64) -> Status;
    pub fn hsa_queue_create(agent: Handle, size: u32, kind: u32, callback: Option<QueueCallback>, data: *mut c_void, private: u32, group: u32, queue: *mut *mut HsaQueue) -> Status;
    pub fn hsa_queue_destroy(queue: *mut HsaQueue) -> Status;
    pub safe fn hsa_queue_inactivate(queue: *mut HsaQueue) -> Status;
    pub fn hsa_queue_add_write_index_screlease(queue: *const HsaQueue, value: u64) -> u64;
    pub fn hsa_queue_load_read_index_scacquire(queue: *const HsaQueue) -> u64;
    pub fn hsa_amd_profiling_get_dispatch_time(agent: Handle, signal: Handle, times: *mut Times) -> Status;
    pub fn hsa_amd_agent_iterate_memory_pools(agent: Handle, callback: Option<HandleCallback>, data: *mut c_void) -> Status;
    pub fn hsa_amd_memory_pool_get_info(pool: Handle, attribute: u32, value: *mut c_void) -> Status;
    pub fn hsa_amd_memory_pool_allocate(pool: Handle, size: usize, flags: u32, to: *mut *mut c_void) -> Status;
    pub safe fn hsa_amd_memory_pool_free(memory: *mut c_void) -> Status;
    pub safe fn hsa_memory_register(memory: *mut c_void, size: usize) -> Status;
    pub safe fn hsa_memory_deregister(memory: *mut c_void, size: usize) -> Status;
    pub safe fn hsa_amd_register_deallocation_callback(memory: *mut c_void, callback: Option<FreeCallback>, data: *mut c_void) -> Status;
    pub safe fn hsa_amd_deregister_deallocation_callback(memory: *mut c_void, callback: Option<FreeCallback>) -> Status;
    pub fn hsa_amd_memory_lock(memory: *mut c_void, size: usize, agents: *mut Handle, count: i32, seen: *mut *mut c_void) -> Status;
    pub safe fn hsa_amd_memory_unlock(memory: *mut c_void) -> Status;
    pub fn hsa_amd_memory_fill(memory: *mut c_void, value: u32, count: usize) -> Status;
    pub fn hsa_amd_memory_async_copy(to: *mut c_void, to_agent: Handle, from: *const c_void, from_agent: Handle, size: usize, count: u32, after: *const Handle, done: Handle) -> Status;
    pub fn hsa_amd_memory_async_copy_rect(to: *const PitchedPtr, to_offset: *const Dim3, from: *const PitchedPtr, from_offset: *const Dim3, range: *const Dim3, agent: Handle, direction: u32, count: u32, after: *const Handle, done: Handle) -> Status;
    pub fn hsa_amd_pointer_info(memory: *const c_void, info: *mut PointerInfo, allocate: Option<unsafe extern "C" fn(usize) -> *mut c_void>, count: *mut u32, accessible: *mut *mut Handle) -> Status;
    pub safe fn hsa_amd_pointer_info_set_userdata(memory: *const c_void, user_data: *mut c_void) -> Status;
    pub fn hsa_code_object_reader_create_from_memory(code: *const c_void, size: usize, reader: *mut Handle) -> Status;
    pub safe fn hsa_code_object_reader_destroy(reader: Handle) -> Status;
    pub fn hsa_executable_create_alt(profile: u32, rounding: u32, options: *const c_char, executable: *mut Handle) -> Status;
    pub fn hsa_executable_create(profile: u32, state: u32, options: *const c_char, executable: *mut Handle) -> Status;
    pub safe fn hsa_executable_destroy(executable: Handle) -> Status;
    pub fn hsa_executable_load_agent_code_object(executable: Handle, agent: Handle, reader: Handle, options: *const c_char, loaded: *mut Handle) -> Status;
    pub safe fn hsa_executable_freeze(executable: Handle, options: *const c_char) -> Status;
    pub fn hsa_executable_iterate_symbols(executable: Handle, callback: Option<unsafe extern "C" fn(Handle, Handle, *mut c_void) -> Status>, data: *mut c_void) -> Status;
    pub fn hsa_executable_get_symbol_by_name(executable: Handle, name: *const c_char, agent: *const Handle, symbol: *mut Handle) -> Status;
    pub fn hsa_executable_symbol_get_info(symbol: Handle, attribute: u32, value: *mut c_void) -> Status;
    pub fn hsa_executable_agent_global_variable_define(executable: Handle, agent: Handle, name: *const c_char, address: *mut c_void) -> Status;
    pub safe fn hsa_amd_image_create() -> Status;
    pub fn hsa_ext_image_get_capability(agent: Handle, geometry: u32, format: *const ImageFormat, mask: *mut u32) -> Status;
    pub fn hsa_ext_image_get_capability_with_layout(agent: Handle, geometry: u32, format: *const ImageFormat, layout: u32, mask: *mut u32) -> Status;
    pub fn hsa_ext_image_data_get_info(agent: Handle, desc: *const ImageDescriptor, permission: u32, info: *mut ImageDataInfo) -> Status;
    pub fn hsa_ext_image_data_get_info_with_layout(agent: Handle, desc: *const ImageDescriptor, permission: u32, layout: u32, row: usize, slice: usize, info: *mut ImageDataInfo) -> Status;
    pub fn hsa_ext_image_create(agent: Handle, desc: *const ImageDescriptor, texels: *const c_void, permission: u32, image: *mut Handle) -> Status;
    pub fn hsa_ext_image_create_with_layout(agent: Handle, desc: *const ImageDescriptor, texels: *const c_void, permission: u32, layout: u32, row: usize, slice: usize, image: *mut Handle) -> Status;
    pub safe fn hsa_ext_image_destroy(agent: Handle, image: Handle) -> Status;
    pub fn hsa_ext_image_copy(agent: Handle, from: Handle, from_offset: *const Dim3, to: Handle, to_offset: *const Dim3, range: *const Dim3) -> Status;
    pub fn hsa_ext_image_import(agent: Handle, from: *const c_void, row: usize, slice: usize, image: Handle, region: *const ImageRegion) -> Status;
    pub fn hsa_ext_image_export(agent: Handle, image: Handle, to: *mut c_void, row: usize, slice: usize, region: *const ImageRegion) -> Status;
    pub fn hsa_ext_image_clear(agent: Handle, image: Handle, color: *const c_void, region: *const ImageRegion) -> Status;
    pub fn hsa_ext_sampler_create(agent: Handle, desc: *const SamplerDescriptor, sampler: *mut Handle) -> Status;
    pub fn hsa_ext_sampler_create_v2(agent: Handle, desc: *const SamplerDescriptorV2, sampler: *mut Handle) -> Status;
    pub safe fn hsa_ext_sampler_destroy(agent: Handle, sampler: Handle) -> Status;
    pub fn hsa_amd_image_get_info_max_dim(agent: Handle, attribute: u32, value: *mut c_void) -> Status;
    pub fn hsa_system_extension_supported(extension: u16, major: u16, minor: u16, result: *mut bool) -> Status;
    pub fn hsa_agent_extension_supported(extension: u16, agent: Handle, major: u16, minor: u16, result: *mut bool) -> Status;
    pub fn hsa_agent_major_extension_supported(extension: u16, agent: Handle, major: u16, minor: *mut u16, result: *mut bool) -> Status;
    pub fn hsa_system_get_major_extension_table(extension: u16, major: u16, bytes: usize, table: *mut c_void) -> Status;
    pub fn hsa_system_get_extension_table(extension: u16, major: u16, minor: u16, table: *mut c_void) -> Status;
}

// Wait conditions.
pub const EQUAL: u32 = 0;
pub const NOT_EQUAL: u32 = 1;
pub const LESS: u32 = 2;
pub const AT_LEAST: u32 = 3;

/// Header bits for acquire and release fences with system scope. The headers of dispatch and barrier packets below
/// include them.
pub const FENCES: u16 = 2 << 9 | 2 << 11;
pub const DISPATCH: u16 = 2 | FENCES;
pub const BARRIER_AND: u16 = 3 | FENCES;
pub const BARRIER_OR: u16 = 5 | FENCES;
pub const BARRIER_BIT: u16 = 1 << 8;

/// Maximum time in nanoseconds that a wait may take.
pub const PATIENCE: u64 = 10_000_000_000;

#[track_caller]
pub fn check(status: Status) {
    assert_eq!(status, Status::SUCCESS, "{:?}", status.text());
}

/// Collects the handles that an iteration function passes to its callback.
pub fn collect(iterate: impl FnOnce(Option<HandleCallback>, *mut c_void) -> Status) -> Vec<Handle> {
    unsafe extern "C" fn push(handle: Handle, handles: *mut c_void) -> Status {
        // SAFETY: `handles` points to the vector below.
        unsafe { (*handles.cast::<Vec<Handle>>()).push(handle) };
        Status::SUCCESS
    }
    let mut handles: Vec<Handle> = Vec::new();
    check(iterate(Some(push), (&raw mut handles).cast()));
    handles
}

/// Agents of the process: the host CPU and a gfx906.
pub struct Agents {
    pub host: Handle,
    pub device: Handle,
}

/// Runs a test of this binary in a new process with additional environment variables.
pub fn run_again<const N: usize>(test: &str, variables: [(&str, &str); N]) -> Output {
    let program = std::env::current_exe().expect("a name");
    let mut again = Command::new(program);
    again.args(["--exact", test, "--nocapture"]).envs(variables);
    again.output().expect("it can be run")
}

pub fn agents() -> &'static Agents {
    static AGENTS: LazyLock<Agents> = LazyLock::new(|| {
        check(hsa_init());
        // SAFETY: `data` is the argument that the callback expects.
        let agents = collect(|callback, data| unsafe { hsa_iterate_agents(callback, data) });
        assert_eq!(agents.len(), 2);
        Agents {
            host: agents[0],
            device: agents[1],
        }
    });
    &AGENTS
}

/// Returns an agent's first memory pool with the given flags.
pub fn pool(agent: Handle, flags: u32) -> Handle {
    // SAFETY: `data` is the argument that the callback expects.
    let pools = collect(|callback, data| unsafe {
        hsa_amd_agent_iterate_memory_pools(agent, callback, data)
    });
    let has_flags = |pool: &Handle| {
        let mut found = 0u32;
        // SAFETY: the flags take 32 bits.
        check(unsafe { hsa_amd_memory_pool_get_info(*pool, 1, (&raw mut found).cast()) });
        found == flags
    };
    pools
        .into_iter()
        .find(has_flags)
        .expect("there is such a pool")
}

/// Queries the allocation or lock that contains an address.
pub fn pointer_info(memory: *const c_void) -> PointerInfo {
    let mut info = PointerInfo {
        size: size_of::<PointerInfo>() as u32,
        kind: 99,
        agent_base_address: 0,
        host_base_address: 0,
        size_in_bytes: 0,
        user_data: 0,
        agent_owner: 0,
        global_flags: 0,
        registered: 0,
    };
    let (count, list) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: `info` is writable, and the other outputs are null.
    check(unsafe { hsa_amd_pointer_info(memory, &raw mut info, None, count, list) });
    info
}

/// Allocates device memory for `count` values.
pub fn allocate<T>(count: usize) -> *mut T {
    let mut memory = std::ptr::null_mut();
    let pool = pool(agents().device, 4);
    // SAFETY: `memory` is writable.
    check(unsafe {
        hsa_amd_memory_pool_allocate(pool, count * size_of::<T>(), 0, &raw mut memory)
    });
    memory.cast()
}

pub fn signal(value: i64) -> Handle {
    agents();
    let mut signal = 0;
    // SAFETY: the list of consumers is empty, and `signal` is writable.
    check(unsafe { hsa_signal_create(value, 0, std::ptr::null(), &raw mut signal) });
    signal
}

pub fn load(signal: Handle) -> i64 {
    // SAFETY: tests pass existing signals.
    unsafe { hsa_signal_load_scacquire(signal) }
}

/// Waits until a signal is 0.
#[track_caller]
pub fn finish(signal: Handle) {
    // SAFETY: tests pass existing signals.
    let value = unsafe { hsa_signal_wait_scacquire(signal, EQUAL, 0, PATIENCE, 0) };
    assert_eq!(value, 0);
}

/// Sets two signals to 0 alternately, but never both at the same time, until `signal` is 0.
#[track_caller]
pub fn finish_in_turns(others: [Handle; 2], signal: Handle) {
    for _ in 0..1000 {
        for other in others {
            // SAFETY: tests pass existing signals.
            unsafe { hsa_signal_store_screlease(other, 0) };
            std::thread::sleep(Duration::from_millis(2));
            // SAFETY: as above.
            unsafe { hsa_signal_store_screlease(other, 1) };
        }
        if load(signal) == 0 {
            return;
        }
    }
    panic!("a command waits for signals to be 0 at the same time");
}

/// Queue, destroyed on drop.
pub struct Queue(pub *mut HsaQueue);

impl Queue {
    pub fn new(size: u32) -> Queue {
        Queue::with(size, None, std::ptr::null_mut())
    }

    pub fn with(size: u32, callback: Option<QueueCallback>, data: *mut c_void) -> Queue {
        let mut queue = std::ptr::null_mut();
        let device = agents().device;
        // SAFETY: `data` is the argument that the callback expects, and `queue` is writable.
        check(unsafe { hsa_queue_create(device, size, 0, callback, data, 0, 0, &raw mut queue) });
        Queue(queue)
    }

    /// Reserves a slot, waits until it is free, writes a packet to it with the header last, and rings the doorbell.
    pub fn submit<T: Copy>(&self, header: u16, packet: T) {
        assert_eq!(size_of::<T>(), 64);
        // SAFETY: the queue exists, and only this thread writes to the slot once the queue has read its previous packet.
        unsafe {
            let queue = *self.0;
            let index = hsa_queue_add_write_index_screlease(self.0, 1);
            while index - hsa_queue_load_read_index_scacquire(self.0) >= u64::from(queue.size) {
                std::thread::yield_now();
            }
            let slot = queue.base_address + index % u64::from(queue.size) * 64;
            let slot = std::ptr::with_exposed_provenance_mut::<u8>(slot as usize);
            std::ptr::copy_nonoverlapping((&raw const packet).cast::<u8>().add(2), slot.add(2), 62);
            let first = &*slot.cast::<std::sync::atomic::AtomicU16>();
            first.store(header, std::sync::atomic::Ordering::Release);
            hsa_signal_store_screlease(queue.doorbell_signal, index.cast_signed());
        }
    }

    /// Dispatches a kernel with `items` work-items in workgroups of up to 64, without waiting for it to complete.
    pub fn dispatch<T>(
        &self,
        header: u16,
        kernel: u64,
        items: u32,
        arguments: *const T,
        done: Handle,
    ) {
        let packet = DispatchPacket {
            header: 0,
            setup: 1,
            workgroup_size: [64.min(items as u16), 1, 1],
            reserved0: 0,
            grid_size: [items, 1, 1],
            private_segment_size: 0,
            group_segment_size: 0,
            kernel_object: kernel,
            kernarg_address: arguments.expose_provenance() as u64,
            reserved2: 0,
            completion_signal: done,
        };
        self.submit(header, packet);
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: the queue exists.
        check(unsafe { hsa_queue_destroy(self.0) });
    }
}

/// Assembles code and kernel descriptors into a code object for the test device.
pub fn object(text: &str) -> Vec<u8> {
    object_for("gfx906", text)
}

/// Assembles code and kernel descriptors into a code object for a target.
pub fn object_for(target: &str, text: &str) -> Vec<u8> {
    let target = Target::named(target).expect("a target");
    let source = Source {
        name: "test.s",
        text,
    };
    let assembly = assemble(&source, &Options::new(target));
    assert_eq!(assembly.diagnostics, []);
    assembly.program.to_object(None).expect("an object")
}

/// Creates a frozen executable with one code object.
pub fn executable(object: &[u8]) -> Handle {
    agents();
    let (mut reader, mut executable) = (0, 0);
    // SAFETY: the object is readable, and the output pointers are writable.
    unsafe {
        check(hsa_code_object_reader_create_from_memory(
            object.as_ptr().cast(),
            object.len(),
            &raw mut reader,
        ));
        check(hsa_executable_create_alt(
            0,
            0,
            std::ptr::null(),
            &raw mut executable,
        ));
        let loaded = std::ptr::null_mut();
        check(hsa_executable_load_agent_code_object(
            executable,
            agents().device,
            reader,
            std::ptr::null(),
            loaded,
        ));
    }
    check(hsa_executable_freeze(executable, std::ptr::null()));
    check(hsa_code_object_reader_destroy(reader));
    executable
}

/// Looks up a symbol of an executable on the test device.
pub fn symbol(executable: Handle, name: &CStr) -> Handle {
    let mut symbol = 0;
    let agent = &raw const agents().device;
    // SAFETY: the name is null-terminated, and `symbol` is writable.
    check(unsafe {
        hsa_executable_get_symbol_by_name(executable, name.as_ptr(), agent, &raw mut symbol)
    });
    symbol
}

/// Queries an attribute of a symbol: 0 is its kind, 21 a variable's address, 22 a kernel object.
pub fn symbol_info(symbol: Handle, attribute: u32) -> u64 {
    let mut value = 0u64;
    // SAFETY: these attributes take at most 64 bits.
    check(unsafe { hsa_executable_symbol_get_info(symbol, attribute, (&raw mut value).cast()) });
    value
}

/// Test kernels. In `add`, each work-item atomically adds the second argument to its dword of the array to which the
/// first argument points. `add_plain` does the same with a load and a store. `fault` stores to an unmapped address.
/// `spin` never ends. `ring` decrements the signal in its argument as AMD's device library does: it updates the value,
/// writes the event ID to the mailbox and sends the interrupt message.
const KERNELS: &str = "
    .text
    .p2align 8
    .type add,@function
    add:
      s_load_dwordx2 s[4:5], s[0:1], 0x0
      s_load_dword s6, s[0:1], 0x8
      s_lshl_b32 s2, s2, 6
      v_add_u32 v0, s2, v0
      v_lshlrev_b32 v0, 2, v0
      s_waitcnt lgkmcnt(0)
      v_mov_b32 v1, s6
      global_atomic_add v0, v1, s[4:5]
      s_endpgm
    .p2align 8
    .type add_plain,@function
    add_plain:
      s_load_dwordx2 s[4:5], s[0:1], 0x0
      s_load_dword s6, s[0:1], 0x8
      s_lshl_b32 s2, s2, 6
      v_add_u32 v0, s2, v0
      v_lshlrev_b32 v0, 2, v0
      s_waitcnt lgkmcnt(0)
      global_load_dword v1, v0, s[4:5]
      s_waitcnt vmcnt(0)
      v_add_u32 v1, s6, v1
      global_store_dword v0, v1, s[4:5]
      s_endpgm
    .p2align 8
    .type fault,@function
    fault:
      v_mov_b32 v0, 0x1000
      v_mov_b32 v1, 0
      global_store_dword v[0:1], v0, off
      s_endpgm
    .p2align 8
    .type spin,@function
    spin:
      s_branch spin
    .p2align 8
    .type ring,@function
    ring:
      s_load_dwordx2 s[4:5], s[0:1], 0x0
      v_mov_b32 v0, -1
      v_mov_b32 v1, -1
      v_mov_b32 v2, 0
      s_waitcnt lgkmcnt(0)
      global_atomic_add_x2 v2, v[0:1], s[4:5] offset:8
      s_load_dwordx2 s[6:7], s[4:5], 0x10
      s_load_dword s8, s[4:5], 0x18
      s_waitcnt vmcnt(0) lgkmcnt(0)
      v_mov_b32 v0, s8
      v_mov_b32 v1, 0
      global_store_dwordx2 v2, v[0:1], s[6:7]
      s_waitcnt vmcnt(0)
      s_mov_b32 m0, s8
      s_sendmsg sendmsg(MSG_INTERRUPT)
      s_endpgm
    .rodata
";

/// Returns the executable that contains the test kernels.
pub fn kernels() -> Handle {
    static KERNELS_OF_TESTS: LazyLock<Handle> = LazyLock::new(|| {
        let mut text = KERNELS.to_owned();
        for name in ["add", "add_plain", "fault", "spin", "ring"] {
            text += &format!(
                "
                .p2align 6
                .amdhsa_kernel {name}
                  .amdhsa_user_sgpr_kernarg_segment_ptr 1
                  .amdhsa_next_free_vgpr 3
                  .amdhsa_next_free_sgpr 9
                .end_amdhsa_kernel
                "
            );
        }
        executable(&object(&text))
    });
    *KERNELS_OF_TESTS
}

/// Returns the kernel object of a test kernel. `descriptor` is the symbol of its descriptor, such as `add.kd`.
pub fn kernel(descriptor: &CStr) -> u64 {
    symbol_info(symbol(kernels(), descriptor), 22)
}

/// Arguments of `add` and `add_plain`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Add {
    pub array: *mut u32,
    pub value: u32,
}

/// Copies kernel arguments to newly allocated device memory.
pub fn arguments<T>(arguments: T) -> *const T {
    let memory = allocate::<T>(1);
    // SAFETY: the memory has just been allocated.
    unsafe { memory.write(arguments) };
    memory
}

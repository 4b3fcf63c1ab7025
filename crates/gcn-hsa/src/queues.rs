//! AQL queues. Each queue has a thread that executes its packets in order.
//!
//! This module may use `unsafe`: queues and their packets are in memory that programs and kernels write to.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::mem::offset_of;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gcn_report::program::say::say;
use gcn_runtime::Device;

use crate::abi::{
    AmdQueue, BarrierPacket, BarrierValuePacket, DispatchPacket, FORMAT_BARRIER_VALUE, Handle,
    HsaQueue, PACKET_BYTES, QUEUE_IS_PTR64, QueueCallback, SIGNAL_DOORBELL,
};
use crate::agents::{MAX_QUEUE, MIN_QUEUE};
use crate::changes::Changes;
use crate::clock::now;
use crate::signals::{CHANGES, Dependencies, FAILED, Signal, SignalCondition, SignalTable};
use crate::status::{HsaResult, Status};

// Packet types.
const VENDOR: u16 = 0;
const INVALID: u16 = 1;
const KERNEL_DISPATCH: u16 = 2;
const BARRIER_AND: u16 = 3;
const AGENT_DISPATCH: u16 = 4;
const BARRIER_OR: u16 = 5;
/// Mask for the packet type in a packet header.
const TYPE: u16 = 0xff;
/// Mask for the acquire fence scope in a packet header; 0 means no fence.
const ACQUIRE_SCOPE: u16 = 3 << 9;
/// Number of queue types: multiple producers, a single producer, and cooperative kernels.
const KINDS: u32 = 3;
/// Supported queue features: kernel dispatches.
const FEATURES: u32 = 1;

#[derive(Debug)]
pub(crate) struct Queue {
    /// Address of the [`AmdQueue`], which identifies the queue to programs.
    address: u64,
    base: u64,
    size: u32,
    agent: usize,
    doorbell: Signal,
    /// Change counter of the doorbell, never freed, since a program may ring the doorbell while destroying the queue.
    doorbell_changes: &'static Changes,
    emulated: gcn_runtime::Queue,
    signals: &'static SignalTable,
    run: RunPacket,
    callback: Option<(QueueCallback, usize)>,
    /// True if the queue's thread should end.
    is_over: AtomicBool,
    /// True if the running kernel should stop.
    stop: Arc<AtomicBool>,
    /// True if a packet after the last dispatch has had an acquire fence.
    has_acquired: AtomicBool,
    /// True once a packet has failed. All later kernel dispatches fail too.
    has_failed: AtomicBool,
    /// Compute unit mask set by the program, with 32 units per word. The mask has no effect.
    mask: Mutex<Vec<u32>>,
    thread: Mutex<Option<std::thread::JoinHandle<()>>>,
}

/// Dispatch packet and its address.
pub(crate) struct QueuedPacket {
    pub(crate) packet: DispatchPacket,
    pub(crate) address: u64,
    /// True if this packet, or a barrier packet after the previous dispatch, has an acquire fence.
    pub(crate) acquires: bool,
}

/// Function that runs a dispatch packet's kernel to completion.
pub(crate) type RunPacket = fn(&Queue, &QueuedPacket) -> HsaResult;

/// Parameters for creating a queue.
pub(crate) struct QueueParameters {
    /// Agent index.
    pub(crate) agent: usize,
    pub(crate) signals: &'static SignalTable,
    pub(crate) run: RunPacket,
    pub(crate) size: u32,
    pub(crate) kind: u32,
    pub(crate) callback: Option<QueueCallback>,
    pub(crate) data: *mut c_void,
}

/// Returns the queue structure for a pointer from the program.
///
/// # Safety
/// The pointer must be from [`Queue::create`], as the HSA API requires.
pub(crate) unsafe fn raw(queue: *const HsaQueue) -> &'static AmdQueue {
    // SAFETY: the caller guarantees a valid pointer. The memory lives as long as the queue, and all fields that
    // change are atomic.
    unsafe { &*queue.cast::<AmdQueue>() }
}

/// Fails if the command of any signal has failed.
fn check_commands(signals: &[Signal]) -> HsaResult {
    let has_failed = |signal: &Signal| signal.load(Ordering::Acquire) == FAILED;
    match signals.iter().any(has_failed) {
        true => Err(Status::EXCEPTION),
        false => Ok(()),
    }
}

impl Queue {
    /// Creates a queue on a device.
    pub(crate) fn create(device: &Device, terms: QueueParameters) -> HsaResult<Arc<Queue>> {
        if !terms.size.is_power_of_two() || terms.kind >= KINDS {
            return Err(Status::INVALID_ARGUMENT);
        }
        if terms.size > MAX_QUEUE {
            return Err(Status::INVALID_QUEUE_CREATION);
        }
        let allocate = |name: &str, bytes: u64| {
            let address = device.memory().allocate(name, bytes);
            address.map_err(|_| Status::OUT_OF_RESOURCES)
        };
        let free = |address: u64| {
            let freed = device.memory().free(address);
            debug_assert!(freed.is_ok(), "it is freed here only");
        };
        let size = terms.size.max(MIN_QUEUE);
        let base = allocate("packets of an HSA queue", u64::from(size) * PACKET_BYTES)?;
        let address = allocate("an HSA queue", size_of::<AmdQueue>() as u64);
        let address = address.inspect_err(|_| free(base))?;
        let doorbell = terms.signals.create(0).inspect_err(|_| {
            free(base);
            free(address);
        })?;
        let doorbell_changes: &'static Changes = Box::leak(Box::default());
        let signal = doorbell.raw();
        let changes = std::ptr::from_ref(doorbell_changes).expose_provenance() as u64;
        signal.event_mailbox_ptr.store(changes, Ordering::Relaxed);
        signal.queue_ptr.store(address, Ordering::Relaxed);
        signal.kind.store(SIGNAL_DOORBELL, Ordering::Release);
        let queue = Arc::new(Queue {
            address,
            base,
            size,
            agent: terms.agent,
            doorbell,
            doorbell_changes,
            emulated: device.queue(),
            signals: terms.signals,
            run: terms.run,
            callback: terms
                .callback
                .map(|callback| (callback, terms.data.expose_provenance())),
            is_over: AtomicBool::new(false),
            stop: Arc::default(),
            has_acquired: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            mask: Mutex::default(),
            thread: Mutex::default(),
        });
        queue.initialise(device, &terms, doorbell.handle());
        let serving = queue.clone();
        let thread = std::thread::Builder::new().name("gcn hsa queue".to_owned());
        let thread = thread.spawn(move || serving.serve()).map_err(|_| {
            queue.release();
            Status::OUT_OF_RESOURCES
        })?;
        *queue.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        Ok(queue)
    }

    /// Initialises the queue structure and the packet headers of a new queue.
    fn initialise(&self, device: &Device, terms: &QueueParameters, doorbell: Handle) {
        for index in 0..self.size.into() {
            self.header(index).store(INVALID, Ordering::Relaxed);
        }
        let apertures = device.apertures();
        let queue = AmdQueue {
            hsa_queue: HsaQueue {
                kind: terms.kind,
                features: FEATURES,
                base_address: self.base,
                doorbell_signal: doorbell,
                size: self.size,
                reserved1: 0,
                id: crate::handles::next(),
            },
            reserved1: [0; 4],
            write_dispatch_id: AtomicU64::new(0),
            group_segment_aperture_base_hi: apertures.shared,
            private_segment_aperture_base_hi: apertures.private,
            max_cu_id: 0,
            max_wave_id: 0,
            max_legacy_doorbell_dispatch_id_plus_1: 0,
            legacy_doorbell_lock: 0,
            reserved2: [0; 9],
            read_dispatch_id: AtomicU64::new(0),
            read_dispatch_id_field_base_byte_offset: offset_of!(AmdQueue, read_dispatch_id) as u32,
            compute_tmpring_size: 0,
            scratch_resource_descriptor: [0; 4],
            scratch_backing_memory_location: 0,
            scratch_backing_memory_byte_size: 0,
            scratch_wave64_lane_byte_size: 0,
            queue_properties: QUEUE_IS_PTR64,
            reserved3: [0; 2],
            queue_inactive_signal: 0,
            reserved4: [0; 14],
        };
        let memory = std::ptr::with_exposed_provenance_mut::<AmdQueue>(self.address as usize);
        // SAFETY: the allocation is large enough and aligned, and no other code has its address yet.
        unsafe { memory.write(queue) };
    }

    /// Returns the address that identifies the queue to programs.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    pub(crate) fn doorbell(&self) -> Handle {
        self.doorbell.handle()
    }

    pub(crate) fn agent(&self) -> usize {
        self.agent
    }

    pub(crate) fn emulated(&self) -> &gcn_runtime::Queue {
        &self.emulated
    }

    /// Returns true once the queue has been destroyed or inactivated.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    /// Returns the flag that stops the running kernel.
    pub(crate) fn stop(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// Clears the stop flag, unless the queue has been destroyed or inactivated.
    pub(crate) fn reset_stop(&self) {
        self.stop.store(false, Ordering::SeqCst);
        if self.is_over() {
            self.stop.store(true, Ordering::SeqCst);
        }
    }

    pub(crate) fn set_mask(&self, mask: &[u32]) {
        *self.mask.lock().unwrap_or_else(PoisonError::into_inner) = mask.to_vec();
    }

    pub(crate) fn mask(&self) -> Vec<u32> {
        self.mask
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Destroys the queue: stops the running packet, discards later packets, and frees the queue's memory.
    pub(crate) fn destroy(&self) {
        self.inactivate();
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        // The queue's own thread may call this from a callback.
        if let Some(thread) =
            thread.filter(|thread| thread.thread().id() != std::thread::current().id())
        {
            drop(thread.join());
        }
        self.release();
    }

    /// Stops the running packet, and executes no further packets.
    pub(crate) fn inactivate(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        self.stop.store(true, Ordering::SeqCst);
        self.doorbell_changes.count();
        CHANGES.count();
    }

    fn release(&self) {
        let memory = self.emulated.device().memory();
        for address in [self.base, self.address] {
            let freed = memory.free(address);
            debug_assert!(freed.is_ok(), "a queue is released once");
        }
        let destroyed = self.signals.destroy(self.doorbell);
        debug_assert!(destroyed.is_ok(), "a queue is released once");
    }

    fn packet_address(&self, index: u64) -> u64 {
        self.base + (index & u64::from(self.size - 1)) * PACKET_BYTES
    }

    fn header(&self, index: u64) -> &AtomicU16 {
        let address = self.packet_address(index) as usize;
        // SAFETY: the packet memory is freed after the queue's thread ends, or by a callback on that thread, which then ends.
        unsafe { &*std::ptr::with_exposed_provenance::<AtomicU16>(address) }
    }

    /// Reads the packet at `index` as a `T`, the structure for the packet's type.
    fn packet<T: Copy>(&self, index: u64) -> T {
        const { assert!(size_of::<T>() == PACKET_BYTES as usize) };
        let address = self.packet_address(index) as usize;
        // SAFETY: the address is in the packet memory, and any bytes are a valid `T`. The program writes the header last.
        unsafe { std::ptr::with_exposed_provenance::<T>(address).read() }
    }

    /// Processes packets until the queue is destroyed or inactivated.
    fn serve(self: Arc<Queue>) {
        // SAFETY: the queue's memory is freed after its thread ends, or by a callback on this thread, which then ends.
        let raw = unsafe { raw(std::ptr::with_exposed_provenance(self.address as usize)) };
        let mut index = 0;
        loop {
            let header = self.doorbell_changes.wait(None, || {
                // Checked first: a callback on this thread may have destroyed the queue and freed its packets.
                if self.is_over() {
                    return Some(INVALID);
                }
                let header = self.header(index).load(Ordering::Acquire);
                (header & TYPE != INVALID).then_some(header)
            });
            let Some(header) = header.filter(|_| !self.is_over()) else {
                return;
            };
            let begin = now();
            let (result, completion) = self.carry_out(header, index);
            if self.is_over() {
                return;
            }
            self.header(index).store(INVALID, Ordering::Relaxed);
            index += 1;
            raw.read_dispatch_id.store(index, Ordering::Release);
            if let Ok(Some(signal)) = self.signals.get_optional(completion) {
                signal.complete(result, begin, now());
            } else {
                CHANGES.count();
            }
            if let Err(status) = result {
                self.fail(status);
            }
        }
    }

    /// Executes a packet. Returns the result and the handle of the completion signal.
    fn carry_out(&self, header: u16, index: u64) -> (HsaResult, Handle) {
        let kind = header & TYPE;
        let acquires = header & ACQUIRE_SCOPE != 0;
        self.has_acquired.fetch_or(acquires, Ordering::Relaxed);
        if kind == KERNEL_DISPATCH {
            let packet: DispatchPacket = self.packet(index);
            if self.has_failed.load(Ordering::Relaxed) {
                return (Err(Status::EXCEPTION), packet.completion_signal);
            }
            let dispatch = QueuedPacket {
                packet,
                address: self.packet_address(index),
                acquires: self.has_acquired.swap(false, Ordering::Relaxed),
            };
            return ((self.run)(self, &dispatch), packet.completion_signal);
        }
        if kind == BARRIER_AND || kind == BARRIER_OR {
            let packet: BarrierPacket = self.packet(index);
            let signals: HsaResult<Vec<Option<Signal>>> = packet
                .dep_signal
                .iter()
                .map(|handle| self.signals.get_optional(*handle))
                .collect();
            let result = signals.and_then(|signals| {
                let signals: Vec<Signal> = signals.into_iter().flatten().collect();
                if kind == BARRIER_AND {
                    let dependencies = Dependencies::new(signals);
                    self.wait(|| dependencies.are_complete());
                    return dependencies.result();
                }
                if signals.is_empty() {
                    // In a barrier-OR packet, a null signal is an unsatisfied dependency.
                    say(&format!(
                        "packet {index} of a queue is a barrier-OR packet without signals, which never completes"
                    ));
                }
                self.wait(|| signals.iter().any(|signal| signal.is_complete()));
                check_commands(&signals)
            });
            return (result, packet.completion_signal);
        }
        let packet: BarrierValuePacket = self.packet(index);
        if kind == VENDOR && packet.amd_format == FORMAT_BARRIER_VALUE {
            let result = self.signals.get_optional(packet.signal).and_then(|signal| {
                // In a barrier-value packet, a null signal is a satisfied dependency.
                let Some(signal) = signal else {
                    return Ok(());
                };
                let condition = SignalCondition::new(packet.cond)?;
                self.wait(|| {
                    let value = signal.load(Ordering::Acquire);
                    value == FAILED || condition.holds(value & packet.mask, packet.value)
                });
                check_commands(&[signal])
            });
            return (result, packet.completion_signal);
        }
        // Agent dispatch packets are for soft queues, whose packets the host processes.
        let what = match kind {
            AGENT_DISPATCH => "an agent dispatch packet, which devices do not process".to_owned(),
            VENDOR => format!(
                "a vendor-specific packet of unknown format {}",
                packet.amd_format
            ),
            other => format!("a packet of unknown type {other}"),
        };
        say(&format!("packet {index} of a queue is {what}"));
        (Err(Status::INVALID_PACKET_FORMAT), packet.completion_signal)
    }

    /// Waits until `condition` holds, or the queue is destroyed or inactivated.
    fn wait(&self, condition: impl Fn() -> bool) {
        CHANGES.wait(None, || (condition() || self.is_over()).then_some(()));
    }

    /// Makes later kernel dispatches fail. Calls the program's error callback on the first failure.
    fn fail(&self, status: Status) {
        if self.has_failed.swap(true, Ordering::SeqCst) {
            return;
        }
        if let Some((callback, data)) = self.callback {
            let queue = std::ptr::with_exposed_provenance_mut::<HsaQueue>(self.address as usize);
            // SAFETY: the program registered the function and its argument for this call.
            unsafe { callback(status, queue, std::ptr::with_exposed_provenance_mut(data)) };
        }
    }
}

//! Host calls from kernels: HIP's `printf`, and memory for the device's `malloc`.
//!
//! A wave pops a packet from the free stack, writes its request of eight words per lane, pushes the packet onto the
//! ready stack, and sleeps until the host clears the packet's ready flag. Then it reads the response of two words per
//! lane, and pushes the packet onto the free stack. The thread that runs the wave calls [`Hostcall::serve`], the host
//! side, after each turn.
//!
//! A message, such as a `printf`, may consist of several calls. The first call returns a message number, which later
//! calls pass back.
//!
//! Sources: `hostcall_impl.cl`, `services.cl` and `dm.cl` of AMD's device libraries (device side: protocol, messages,
//! heap); `devhostcall.cpp`, `devhcmessages.cpp` and `devhcprintf.cpp` of AMD's clr (host side).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_emu::device::{HostCalls, SavedCalls};
use gcn_emu::memory::{AllocError, DEVICE_HEAP, Memory};
use gcn_emu::wave::LANES;

use crate::abi::owned::Owned;
use crate::abi::printf::{MAX_TEXT, print_words};

/// Size of a word in bytes.
const WORD: u64 = 8;
/// Offsets in the buffer that a hidden argument points to: addresses of headers, payloads and doorbell signal, heads of
/// the two stacks, and the mask that extracts a packet number from a stack entry.
const HEADERS: u64 = 0;
const PAYLOADS: u64 = WORD;
const DOORBELL: u64 = 2 * WORD;
const FREE_STACK: u64 = 3 * WORD;
const READY_STACK: u64 = 4 * WORD;
const INDEX_MASK: u64 = 5 * WORD;
/// Size of the buffer structure in bytes; the headers follow.
const BUFFER_BYTES: u64 = 64;
/// Offsets in a packet header: next stack entry, active lanes, service, control.
const NEXT: u64 = 0;
const ACTIVE: u64 = WORD;
const SERVICE: u64 = 2 * WORD;
const CONTROL: u64 = SERVICE + 4;
const HEADER_BYTES: u64 = 3 * WORD;
/// Control flag: the packet is ready for the host.
const READY: u32 = 1;
/// Number of words per lane in a packet's payload.
const SLOT_WORDS: usize = 8;
const SLOT_BYTES: u64 = SLOT_WORDS as u64 * WORD;
const PAYLOAD_BYTES: u64 = LANES as u64 * SLOT_BYTES;
/// Size of an HSA signal in bytes, and the kind in its first word. All other fields are zero.
const SIGNAL_BYTES: u64 = 64;
const SIGNAL_KIND: u64 = 1;

/// Service numbers.
const FUNCTION_CALL: u32 = 1;
const PRINTF: u32 = 2;
const DEVICE_MEMORY: u32 = 3;

/// Fields of a message descriptor, the first word of a call: begin flag, end flag, word count, message number.
const BEGINS: u64 = 1 << 0;
const ENDS: u64 = 1 << 1;
const LENGTH_SHIFT: u32 = 5;
const LENGTH_MASK: u64 = 7;
const NUMBER_SHIFT: u32 = 8;
/// Control bit in the first word of a `printf` message: write to standard error.
const PRINTF_CONTROL: u64 = 1;
/// Result of a failed `printf`.
const FAILED: u64 = u64::MAX;

/// Maximum total number of words in unfinished messages, whose lengths the kernel chooses.
const MAX_WORDS: usize = 1 << 22;

/// Size of the zero-initialized structure that holds the free lists of the device's `malloc`.
const HEAP_BYTES: u64 = 128 << 10;
/// Maximum total memory for the device's `malloc`, in bytes.
pub(crate) const DEVICE_MEMORY_BYTES: u64 = 256 << 20;
/// Size and alignment in bytes of the slabs that `malloc` requests. To find a block's slab, it rounds the address down.
const SLAB_BYTES: u64 = 2 << 20;
/// Granularity of other allocations in bytes.
const PAGE_BYTES: u64 = 4 << 10;

/// Server for the host calls of a launch.
#[derive(Debug)]
pub(crate) struct Hostcall {
    buffer: u64,
    packets: u64,
    heap: u64,
    state: Mutex<HostcallState>,
}

#[derive(Clone, Debug, Default)]
struct HostcallState {
    messages: HashMap<u64, Vec<u64>>,
    /// Number of words in unfinished messages.
    words: usize,
    next_message: u64,
    printed: Vec<u8>,
    lost: u64,
    pool: DeviceHeap,
}

/// Reason why a host call cannot be served.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum HostcallError {
    /// Call to a host function, which is not supported.
    #[error("calls a host function at {0:#x}, which the emulator does not support")]
    Function(u64),
    /// Unknown service.
    #[error("requests the unknown host service {0}")]
    Service(u32),
    /// Continuation of a message that was not started or has ended.
    #[error("continues the host message {0}, which has not been started or has ended")]
    Message(u64),
    /// Unfinished messages that are too long.
    #[error("has unfinished host messages of more than {MAX_WORDS} words")]
    TooLong,
    /// Packets corrupted by the kernel.
    #[error("has overwritten the packets of its host calls")]
    Destroyed,
}

impl Hostcall {
    /// Allocates packets for `waves` waves, and memory for `malloc`.
    ///
    /// # Errors
    /// Fails if there is not enough memory.
    pub(crate) fn new(memory: &mut Owned, waves: u64) -> Result<Hostcall, AllocError> {
        // A wave uses at most one packet. With only one packet, there would be no tag bit to distinguish packet 0 from null.
        let packets = waves.max(2).next_power_of_two();
        let headers_bytes = (packets * HEADER_BYTES).next_multiple_of(SLOT_BYTES);
        let bytes = BUFFER_BYTES + headers_bytes + packets * PAYLOAD_BYTES;
        let buffer = memory.allocate("the buffer of calls to the host", bytes)?;
        let doorbell = memory.allocate("the signal of calls to the host", SIGNAL_BYTES)?;
        let heap = memory.allocate("the lists of the device's malloc", HEAP_BYTES)?;
        // Most kernels that contain `malloc` never call it, so the pool is optional.
        let pool = memory
            .allocate(DEVICE_HEAP, DEVICE_MEMORY_BYTES)
            .map_or_else(
                |_| DeviceHeap::default(),
                |base| DeviceHeap::new(base, DEVICE_MEMORY_BYTES),
            );
        let memory = memory.memory();
        let headers = buffer + BUFFER_BYTES;
        // Initially, all packets are on the free stack. Packet 0 has a tag, because null ends the stack.
        let entry = |number: u64| if number == 0 { packets } else { number };
        for number in 1..packets {
            memory.store_u64(headers + number * HEADER_BYTES + NEXT, entry(number - 1));
        }
        for (offset, value) in [
            (HEADERS, headers),
            (PAYLOADS, headers + headers_bytes),
            (DOORBELL, doorbell),
            (FREE_STACK, entry(packets - 1)),
            (READY_STACK, 0),
            (INDEX_MASK, packets - 1),
        ] {
            memory.store_u64(buffer + offset, value);
        }
        memory.store_u64(doorbell, SIGNAL_KIND);
        let state = HostcallState {
            pool,
            ..HostcallState::default()
        };
        Ok(Hostcall {
            buffer,
            packets,
            heap,
            state: Mutex::new(state),
        })
    }

    /// Returns the guest address of the buffer, for the kernel's hidden argument.
    pub(crate) fn address(&self) -> u64 {
        self.buffer
    }

    /// Returns the guest address of `malloc`'s free lists, for the kernel's hidden argument.
    pub(crate) fn heap_address(&self) -> u64 {
        self.heap
    }

    /// Takes the printed bytes and the number of dropped bytes.
    pub(crate) fn take_printed(&self) -> (Vec<u8>, u64) {
        let mut state = self.state();
        (
            std::mem::take(&mut state.printed),
            std::mem::take(&mut state.lost),
        )
    }

    fn state(&self) -> MutexGuard<'_, HostcallState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves all ready calls.
    ///
    /// # Errors
    /// Fails if a call cannot be served.
    pub(crate) fn serve(&self, memory: &Memory) -> Result<(), HostcallError> {
        let ready = self.buffer + READY_STACK;
        if memory.load_u64(ready) == Some(0) {
            return Ok(());
        }
        let mut entry = memory.update_u64(ready, |_| 0).unwrap_or(0);
        let mut entries = Vec::new();
        while entry != 0 {
            // A stack longer than the number of packets contains a cycle.
            if entries.len() as u64 == self.packets {
                return Err(HostcallError::Destroyed);
            }
            let number = entry & (self.packets - 1);
            entries.push(number);
            let next = self.header(number) + NEXT;
            entry = memory.load_u64(next).ok_or(HostcallError::Destroyed)?;
        }
        let mut state = self.state();
        // The earliest call is at the bottom of the stack.
        for number in entries.into_iter().rev() {
            self.answer(&mut state, memory, number)
                .ok_or(HostcallError::Destroyed)??;
        }
        Ok(())
    }

    fn header(&self, number: u64) -> u64 {
        self.buffer + BUFFER_BYTES + number * HEADER_BYTES
    }

    /// Serves all lanes of a packet. Returns `None` if the packet is invalid.
    fn answer(
        &self,
        state: &mut HostcallState,
        memory: &Memory,
        number: u64,
    ) -> Option<Result<(), HostcallError>> {
        let header = self.header(number);
        let payloads = memory.load_u64(self.buffer + PAYLOADS)?;
        let payload = payloads.checked_add(number * PAYLOAD_BYTES)?;
        let active = memory.load_u64(header + ACTIVE)?;
        let service = memory.load_u32(header + SERVICE)?;
        for lane in (0..LANES as u64).filter(|lane| active >> lane & 1 != 0) {
            let slot = payload.checked_add(lane * SLOT_BYTES)?;
            let mut words = [0; SLOT_WORDS];
            for (place, word) in (0..).zip(&mut words) {
                *word = memory.load_u64(slot + place * WORD)?;
            }
            match state.call(service, &words) {
                Ok(answer) => memory.store_u64(slot, answer)?,
                Err(error) => return Some(Err(error)),
            }
        }
        memory.update_u32(header + CONTROL, |control| control & !READY)?;
        Some(Ok(()))
    }
}

impl HostCalls for Hostcall {
    fn serve(&self, memory: &Memory) -> Result<(), String> {
        Hostcall::serve(self, memory).map_err(|error| error.to_string())
    }

    /// Saves messages and printed text. Returns `None` if the kernel has used the heap, which is too large to save.
    fn save(&self) -> Option<SavedCalls> {
        let state = self.state();
        (!state.pool.is_used()).then(|| Arc::new(state.clone()) as SavedCalls)
    }

    fn restore(&self, saved: &SavedCalls) {
        if let Some(saved) = saved.downcast_ref() {
            self.state().clone_from(saved);
        }
    }
}

impl HostcallState {
    /// Serves the call of one lane, and returns the first word of the response. No supported service uses the second.
    fn call(&mut self, service: u32, words: &[u64; SLOT_WORDS]) -> Result<u64, HostcallError> {
        match service {
            FUNCTION_CALL => Err(HostcallError::Function(words[0])),
            PRINTF => self.message(words),
            DEVICE_MEMORY if words[0] != 0 => {
                self.pool.free(words[0]);
                Ok(0)
            }
            DEVICE_MEMORY => Ok(self.pool.allocate(words[1]).unwrap_or(0)),
            _ => Err(HostcallError::Service(service)),
        }
    }

    /// Adds a part of a message. Returns the descriptor for the next part or, after the last part, the number of printed
    /// bytes.
    fn message(&mut self, words: &[u64; SLOT_WORDS]) -> Result<u64, HostcallError> {
        let [descriptor, contents @ ..] = words;
        let number = if descriptor & BEGINS == 0 {
            descriptor >> NUMBER_SHIFT
        } else {
            self.next_message += 1;
            self.messages.insert(self.next_message, Vec::new());
            self.next_message
        };
        let message = self.messages.get_mut(&number);
        let message = message.ok_or(HostcallError::Message(number))?;
        let length = (descriptor >> LENGTH_SHIFT & LENGTH_MASK) as usize;
        message.extend(&contents[..length]);
        self.words += length;
        if descriptor & ENDS == 0 {
            // Each message also counts as one word, so that empty messages are limited.
            return if self.words + self.messages.len() > MAX_WORDS {
                Err(HostcallError::TooLong)
            } else {
                let flags = descriptor & ((1 << NUMBER_SHIFT) - 1) & !BEGINS;
                Ok(number << NUMBER_SHIFT | flags)
            };
        }
        let message = self.messages.remove(&number).unwrap_or_default();
        self.words -= message.len();
        Ok(self.print(&message))
    }

    /// Prints a message, which consists of a control word, a format and arguments.
    fn print(&mut self, message: &[u64]) -> u64 {
        let Some((control, words)) = message.split_first() else {
            return FAILED;
        };
        if control & !PRINTF_CONTROL != 0 {
            return FAILED;
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let before = self.printed.len();
        print_words(&bytes, &mut self.printed);
        let count = self.printed.len() - before;
        self.lost += self.printed.len().saturating_sub(MAX_TEXT) as u64;
        self.printed.truncate(MAX_TEXT);
        count as u64
    }
}

/// Memory for the device's `malloc`, which requests slabs and large blocks.
#[derive(Clone, Debug, Default)]
struct DeviceHeap {
    /// Start of the memory that has never been allocated.
    next: u64,
    end: u64,
    /// Sizes of allocated blocks, by address.
    given: HashMap<u64, u64>,
    /// Addresses and sizes of freed blocks.
    freed: Vec<(u64, u64)>,
}

impl DeviceHeap {
    fn new(base: u64, bytes: u64) -> DeviceHeap {
        DeviceHeap {
            next: base,
            end: base + bytes,
            ..DeviceHeap::default()
        }
    }

    /// Allocates an uninitialized block. Returns `None` if there is not enough memory.
    fn allocate(&mut self, bytes: u64) -> Option<u64> {
        let unit = if bytes == SLAB_BYTES {
            SLAB_BYTES
        } else {
            PAGE_BYTES
        };
        let bytes = bytes.max(1).checked_next_multiple_of(unit)?;
        let fits = |(address, size): &(u64, u64)| *size == bytes && address.is_multiple_of(unit);
        let address = match self.freed.iter().position(fits) {
            Some(place) => self.freed.swap_remove(place).0,
            None => {
                let address = self.next.checked_next_multiple_of(unit)?;
                let next = address.checked_add(bytes)?;
                if next > self.end {
                    return None;
                }
                self.next = next;
                address
            }
        };
        self.given.insert(address, bytes);
        Some(address)
    }

    /// True if a block has ever been allocated.
    fn is_used(&self) -> bool {
        !self.given.is_empty() || !self.freed.is_empty()
    }

    /// Frees a block. Ignores unknown addresses, like AMD's runtime.
    fn free(&mut self, address: u64) {
        if let Some(bytes) = self.given.remove(&address) {
            self.freed.push((address, bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Minimal device that submits packets as waves do.
    struct Caller {
        memory: Memory,
        host: Hostcall,
        _owned: Owned,
    }

    impl Caller {
        fn new(waves: u64) -> Caller {
            let memory = Memory::new();
            let mut owned = Owned::new(&memory);
            let host = Hostcall::new(&mut owned, waves).expect("memory");
            Caller {
                memory,
                host,
                _owned: owned,
            }
        }

        fn load(&self, address: u64) -> u64 {
            self.memory.load_u64(address).expect("mapped")
        }

        /// Pops a packet and makes it ready. Returns its stack entry.
        fn send(&self, service: u32, lanes: &[(u64, [u64; SLOT_WORDS])]) -> u64 {
            let buffer = self.host.address();
            let entry = self.load(buffer + FREE_STACK);
            let number = entry & self.load(buffer + INDEX_MASK);
            let header = self.load(buffer + HEADERS) + number * HEADER_BYTES;
            self.memory
                .store_u64(buffer + FREE_STACK, self.load(header + NEXT));
            let payload = self.load(buffer + PAYLOADS) + number * PAYLOAD_BYTES;
            let mut active = 0;
            for (lane, words) in lanes {
                active |= 1 << lane;
                for (place, word) in (0..).zip(words) {
                    self.memory
                        .store_u64(payload + lane * SLOT_BYTES + place * WORD, *word);
                }
            }
            self.memory.store_u64(header + ACTIVE, active);
            self.memory.store_u32(header + SERVICE, service);
            self.memory.store_u32(header + CONTROL, READY);
            self.memory
                .store_u64(header + NEXT, self.load(buffer + READY_STACK));
            self.memory.store_u64(buffer + READY_STACK, entry);
            entry
        }

        /// Returns the response to a lane if the packet has been served.
        fn answer(&self, entry: u64, lane: u64) -> Option<u64> {
            let buffer = self.host.address();
            let number = entry & self.load(buffer + INDEX_MASK);
            let header = self.load(buffer + HEADERS) + number * HEADER_BYTES;
            let payload = self.load(buffer + PAYLOADS) + number * PAYLOAD_BYTES;
            let control = self.memory.load_u32(header + CONTROL)?;
            (control & READY == 0).then(|| self.load(payload + lane * SLOT_BYTES))
        }

        fn serve(&self) -> Result<(), HostcallError> {
            self.host.serve(&self.memory)
        }
    }

    fn descriptor(number: u64, length: u64, flags: u64) -> u64 {
        number << NUMBER_SHIFT | length << LENGTH_SHIFT | flags
    }

    fn text(bytes: &[u8; 8]) -> u64 {
        u64::from_le_bytes(*bytes)
    }

    #[test]
    fn messages_of_lanes_are_put_together() {
        let caller = Caller::new(4);
        let begin = [descriptor(0, 1, BEGINS), 0, 9, 9, 9, 9, 9, 9];
        let first = caller.send(PRINTF, &[(3, begin), (63, begin)]);
        assert_eq!(caller.answer(first, 3), None);
        caller.serve().expect("an answer");
        let three = caller.answer(first, 3).expect("an answer") >> NUMBER_SHIFT;
        let last = caller.answer(first, 63).expect("an answer") >> NUMBER_SHIFT;
        assert_ne!(three, last);
        let finish = |number, value| {
            [
                descriptor(number, 2, ENDS),
                text(b"<%d>\n\0\0\0"),
                value,
                0,
                0,
                0,
                0,
                0,
            ]
        };
        let other = caller.send(PRINTF, &[(63, finish(last, 12345))]);
        let first = caller.send(PRINTF, &[(3, finish(three, 7))]);
        caller.serve().expect("an answer");
        assert_eq!(caller.answer(other, 63), Some(8), "the characters");
        assert_eq!(caller.answer(first, 3), Some(4));
        assert_eq!(
            caller.host.take_printed(),
            (b"<12345>\n<7>\n".to_vec(), 0),
            "in the order of the calls"
        );
    }

    #[test]
    fn every_wave_has_a_packet() {
        let caller = Caller::new(6);
        let entries: Vec<u64> = (0..8)
            .map(|_| caller.send(DEVICE_MEMORY, &[(0, [1; 8])]))
            .collect();
        assert!(entries.iter().all(|entry| *entry != 0));
        caller.serve().expect("answers");
        assert!(
            entries
                .iter()
                .all(|entry| caller.answer(*entry, 0).is_some())
        );
    }

    #[test]
    fn what_has_no_answer_is_an_error() {
        let words = [0x1234, 0, 0, 0, 0, 0, 0, 0];
        for (service, words, error) in [
            (FUNCTION_CALL, words, HostcallError::Function(0x1234)),
            (77, words, HostcallError::Service(77)),
            (
                PRINTF,
                [descriptor(5, 0, ENDS), 0, 0, 0, 0, 0, 0, 0],
                HostcallError::Message(5),
            ),
        ] {
            let caller = Caller::new(1);
            caller.send(service, &[(0, words)]);
            assert_eq!(caller.serve(), Err(error));
        }
        let caller = Caller::new(1);
        let entry = caller.send(PRINTF, &[(0, [0; 8])]);
        let header = caller.host.header(entry & 1);
        caller.memory.store_u64(header + NEXT, entry);
        assert_eq!(caller.serve(), Err(HostcallError::Destroyed));
        let caller = Caller::new(1);
        let begin = [descriptor(0, 0, BEGINS), 0, 0, 0, 0, 0, 0, 0];
        let mut state = caller.host.state();
        let error = (0..=MAX_WORDS).find_map(|_| state.call(PRINTF, &begin).err());
        assert_eq!(error, Some(HostcallError::TooLong));
    }

    #[test]
    fn memory_is_given_and_taken_back() {
        let mut pool = DeviceHeap::new(0x1_2345_0000, 8 * SLAB_BYTES);
        let small = pool.allocate(5000).expect("memory");
        let slab = pool.allocate(SLAB_BYTES).expect("memory");
        assert!(slab.is_multiple_of(SLAB_BYTES) && small + 5000 <= slab);
        let next = pool.allocate(1).expect("memory");
        assert_eq!(next, slab + SLAB_BYTES);
        pool.free(slab);
        pool.free(slab);
        pool.free(17);
        assert_eq!(pool.allocate(SLAB_BYTES), Some(slab));
        assert_ne!(pool.allocate(SLAB_BYTES), Some(slab));
        assert_eq!(pool.allocate(8 * SLAB_BYTES), None);
        assert_eq!(pool.allocate(u64::MAX), None);
    }
}

//! Guards around mapped files. Where another process makes a mapped file shorter, the system sends SIGBUS to who reads
//! behind its new end, which would end the tool without a word. The handler puts zeros in place of the lost part, so that the
//! command comes to its end, and [`shortened`] tells of it.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, Once, PoisonError};

/// Maps that are guarded at one time; a command has one or two, and one for each file that a source includes.
const MAX_MAPS: usize = 256;

/// A guarded map, as the handler sees it; free if `end` is 0.
struct GuardSlot {
    begin: AtomicUsize,
    end: AtomicUsize,
    is_shortened: AtomicBool,
}

static SLOTS: [GuardSlot; MAX_MAPS] = [const {
    GuardSlot {
        begin: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        is_shortened: AtomicBool::new(false),
    }
}; MAX_MAPS];
/// The files of the slots, which the handler does not look at.
static NAMES: Mutex<[Option<String>; MAX_MAPS]> = Mutex::new([const { None }; MAX_MAPS]);

/// Guard of a map, which ends when this is dropped.
pub struct Guard(usize);

impl Guard {
    /// Guards the map of a file at these addresses; `None` if too many are guarded already.
    ///
    /// # Errors
    /// The system refuses the handler.
    pub fn new(name: String, addresses: Range<usize>) -> io::Result<Option<Guard>> {
        handle()?;
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        // A slot whose file was shortened is kept for `shortened`.
        let Some(free) = names.iter().position(Option::is_none) else {
            return Ok(None);
        };
        names[free] = Some(name);
        SLOTS[free].begin.store(addresses.start, SeqCst);
        SLOTS[free].end.store(addresses.end, SeqCst);
        Ok(Some(Guard(free)))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let slot = &SLOTS[self.0];
        slot.end.store(0, SeqCst);
        if !slot.is_shortened.load(SeqCst) {
            NAMES.lock().unwrap_or_else(PoisonError::into_inner)[self.0] = None;
        }
    }
}

/// The name of a file of which a part was read that is no longer there.
pub fn shortened() -> Option<String> {
    let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let place = SLOTS.iter().position(|slot| slot.is_shortened.load(SeqCst));
    place.and_then(|place| names[place].clone())
}

#[cfg(unix)]
use unix::handle;

#[cfg(not(unix))]
fn handle() -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
mod unix {
    use std::ffi::{c_int, c_void};
    use std::mem::MaybeUninit;
    use std::sync::OnceLock;
    use std::{io, ptr};

    use super::{Once, SLOTS, SeqCst};

    /// The action at SIGBUS before this module.
    static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();
    /// Size of a page in bytes, which the handler must not ask for.
    static PAGE: OnceLock<usize> = OnceLock::new();

    /// Has SIGBUS handled from now on.
    pub(super) fn handle() -> io::Result<()> {
        static ONCE: Once = Once::new();
        let mut result = Ok(());
        ONCE.call_once(|| {
            // SAFETY: A question to the system without side effects.
            let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
            let _ = PAGE.set(usize::try_from(page).unwrap_or(4096));
            let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = on_sigbus;
            // SAFETY: All bits zero are a value of this structure of C; both pointers are to such structures, and the
            // handler has the form that SA_SIGINFO asks for and only calls what a handler may.
            let failed = unsafe {
                let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
                let mut before: libc::sigaction = MaybeUninit::zeroed().assume_init();
                action.sa_sigaction = handler as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                let failed = libc::sigaction(libc::SIGBUS, &action, &mut before);
                let _ = BEFORE.set(before);
                failed
            };
            if failed != 0 {
                result = Err(io::Error::last_os_error());
            }
        });
        result
    }

    extern "C" fn on_sigbus(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
        // SAFETY: The system gives the description of the signal, whose address says where the access was.
        let address = unsafe { (*info).si_addr() } as usize;
        let page = PAGE.get().copied().unwrap_or(4096);
        for slot in &SLOTS {
            let (begin, end) = (slot.begin.load(SeqCst), slot.end.load(SeqCst));
            if (begin..end).contains(&address) {
                let from = address / page * page;
                // SAFETY: The pages from the access to the end of the map belong to the map of a file, which nothing in
                // this process writes to, and which stays where it is. mmap is a bare call of the system.
                let zeros = unsafe {
                    libc::mmap(
                        ptr::with_exposed_provenance_mut(from),
                        end - from,
                        libc::PROT_READ,
                        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                        -1,
                        0,
                    )
                };
                if zeros != libc::MAP_FAILED {
                    slot.is_shortened.store(true, SeqCst);
                    return;
                }
            }
        }
        // Not about a guarded map: the access is repeated and comes to who handled the signal before.
        if let Some(before) = BEFORE.get() {
            // SAFETY: The structure came from the system.
            unsafe { libc::sigaction(libc::SIGBUS, before, ptr::null_mut()) };
        }
    }
}

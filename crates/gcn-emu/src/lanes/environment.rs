//! The host's floating-point environment: rounding, denormals, exceptions. A program may change it for its threads, with
//! `fesetround` or as what is compiled by `-ffast-math` does when it starts, and a thread has it from the one that makes it.
//!
//! This is one of the modules that may use `unsafe`: no function of Rust's reads or writes the register.

/// A thread's floating-point environment as it was before it became the usual one, which the emulator computes with: nearest
/// even, denormals kept, no exception trapped. It is as before when this is dropped.
///
/// # Examples
/// ```
/// use gcn_emu::run::FloatEnvironment;
///
/// let environment = FloatEnvironment::usual();
/// // What the program has asked for is of no account here.
/// assert_eq!(f32::MIN_POSITIVE / 2.0 * 2.0, f32::MIN_POSITIVE);
/// drop(environment);
/// ```
#[derive(Debug)]
#[must_use = "it lasts until this is dropped"]
pub struct FloatEnvironment {
    before: Register,
    /// The environment is the thread's.
    _of_thread: std::marker::PhantomData<*const ()>,
}

impl FloatEnvironment {
    /// The usual one, in this thread.
    pub fn usual() -> FloatEnvironment {
        let before = register();
        set_register(USUAL);
        FloatEnvironment {
            before,
            _of_thread: std::marker::PhantomData,
        }
    }
}

impl Drop for FloatEnvironment {
    fn drop(&mut self) {
        set_register(self.before);
    }
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::asm;

    /// MXCSR.
    pub(super) type Register = u32;
    /// All exceptions masked.
    pub(super) const USUAL: Register = 0x1f80;

    pub(super) fn register() -> Register {
        let mut register: Register = 0;
        // SAFETY: it writes what it is given the address of.
        unsafe { asm!("stmxcsr [{}]", in(reg) &mut register, options(nostack, preserves_flags)) };
        register
    }

    pub(super) fn set_register(register: Register) {
        // SAFETY: it reads what it is given the address of. The code around computes nothing before it is the usual one.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &register, options(nostack, preserves_flags)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod host {
    use std::arch::asm;

    /// FPCR.
    pub(super) type Register = u64;
    pub(super) const USUAL: Register = 0;

    pub(super) fn register() -> Register {
        let register;
        // SAFETY: it reads the register.
        unsafe {
            asm!("mrs {}, fpcr", out(reg) register, options(nomem, nostack, preserves_flags))
        };
        register
    }

    pub(super) fn set_register(register: Register) {
        // SAFETY: the code around computes nothing before it is the usual one.
        unsafe { asm!("msr fpcr, {}", in(reg) register, options(nostack, preserves_flags)) };
    }
}

/// Hosts whose register is not known: it stays as it is.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod host {
    pub(super) type Register = ();
    pub(super) const USUAL: Register = ();

    pub(super) fn register() -> Register {}

    pub(super) fn set_register((): Register) {}
}

use host::{Register, USUAL, register, set_register};

//! Floating-point environment of the host: rounding, denormals and exceptions. A program may change it, with
//! `fesetround` or through the startup code that `-ffast-math` links, and a thread inherits it from its creator.
//!
//! This is one of the modules that may use `unsafe`: Rust has no function to read or write the control register.

/// Guard that saves a thread's floating-point environment and sets the default one, which the emulator requires:
/// round to nearest even, denormals preserved, no exceptions trapped. Dropping it restores the saved environment.
///
/// # Examples
/// ```
/// use gcn_emu::run::FloatEnvironment;
///
/// let environment = FloatEnvironment::usual();
/// // The program's own environment does not matter here.
/// assert_eq!(f32::MIN_POSITIVE / 2.0 * 2.0, f32::MIN_POSITIVE);
/// drop(environment);
/// ```
#[derive(Debug)]
#[must_use = "it lasts until this is dropped"]
pub struct FloatEnvironment {
    before: Register,
    /// Makes the guard not `Send`, since the environment belongs to a thread.
    _of_thread: std::marker::PhantomData<*const ()>,
}

impl FloatEnvironment {
    /// Sets the default environment in this thread.
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
    /// Round to nearest, denormals preserved, all exceptions masked.
    pub(super) const USUAL: Register = 0x1f80;

    pub(super) fn register() -> Register {
        let mut register: Register = 0;
        // SAFETY: the instruction writes only the variable at the given address.
        unsafe { asm!("stmxcsr [{}]", in(reg) &mut register, options(nostack, preserves_flags)) };
        register
    }

    pub(super) fn set_register(register: Register) {
        // SAFETY: the instruction reads only the variable at the given address. Surrounding code performs no
        // floating-point operations until the default environment is set.
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
        // SAFETY: the instruction only reads the register.
        unsafe {
            asm!("mrs {}, fpcr", out(reg) register, options(nomem, nostack, preserves_flags))
        };
        register
    }

    pub(super) fn set_register(register: Register) {
        // SAFETY: surrounding code performs no floating-point operations until the default environment is set.
        unsafe { asm!("msr fpcr, {}", in(reg) register, options(nostack, preserves_flags)) };
    }
}

/// Hosts with an unknown control register, which is left unchanged.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod host {
    pub(super) type Register = ();
    pub(super) const USUAL: Register = ();

    pub(super) fn register() -> Register {}

    pub(super) fn set_register((): Register) {}
}

use host::{Register, USUAL, register, set_register};

//! Selection of the execution engine.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use crate::lanes::Level;

/// Execution engine of the emulator. Results do not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Engine {
    /// Interpreter only.
    Interpreter,
    /// Host code for frequently entered blocks if the host has AVX2, and the interpreter for everything else.
    Auto,
    /// Host code for every block that can be compiled, if the host has AVX2.
    Compiled,
}

/// Thresholds for compiling a block, and the variant to compile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policy {
    /// Number of entries after which a block is compiled.
    pub(crate) entries: u16,
    /// Divisor of `entries` that gives the threshold for compiling a successor together with the block.
    pub(crate) least_share: u16,
    /// Minimum number of the block's instructions that must become host code.
    pub(crate) instructions: usize,
    pub(crate) variant: Variant,
}

/// Variant of a block's host code, by the instructions that it leaves to the interpreter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Variant {
    /// Leaves only instructions that cannot be compiled.
    Full,
    /// Also leaves loads and stores.
    WithoutMemory,
    /// Also leaves stores and atomics outside LDS, barriers and the end of the wave, for runs whose observers want
    /// events for them.
    WithoutStores,
    /// Leaves everything except arithmetic and branches, for runs whose observers want events for the rest.
    Observed,
}

impl Variant {
    /// True if host code may contain instructions that wait for other waves or end the wave.
    pub(crate) fn has_waits(self) -> bool {
        matches!(self, Variant::Full | Variant::WithoutMemory)
    }

    /// Number of variants.
    pub(crate) const COUNT: usize = 4;
}

/// Environment variable that selects the engine of a process.
pub const ENGINE_VARIABLE: &str = "GCN_ENGINE";

/// Error for an unknown engine name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not one of interpreter, auto, compiled")]
pub struct EngineError(String);

/// Current engine, determined on first use.
static ENGINE: AtomicU8 = AtomicU8::new(UNKNOWN);
/// Value of [`ENGINE`] before the first use.
const UNKNOWN: u8 = u8::MAX;

impl Engine {
    /// All engines with their names in the environment variable.
    pub const NAMES: [(&str, Engine); 3] = [
        ("interpreter", Engine::Interpreter),
        ("auto", Engine::Auto),
        ("compiled", Engine::Compiled),
    ];

    /// Name of the engine.
    pub fn name(self) -> &'static str {
        Engine::NAMES[self as usize].0
    }

    /// Returns the engine with this name.
    ///
    /// # Errors
    /// Fails if no engine has this name.
    ///
    /// # Examples
    /// ```
    /// use gcn_emu::run::Engine;
    /// assert_eq!(Engine::named("compiled"), Ok(Engine::Compiled));
    /// assert!(Engine::named("fast").is_err());
    /// ```
    pub fn named(name: &str) -> Result<Engine, EngineError> {
        let named = Engine::NAMES.into_iter().find(|(known, _)| *known == name);
        named
            .map(|(_, engine)| engine)
            .ok_or_else(|| EngineError(name.to_owned()))
    }

    /// Selects this engine for the whole process from now on.
    pub fn set(self) {
        ENGINE.store(self as u8, Relaxed);
    }

    /// Engine selected by the environment, or [`Engine::Auto`] if the variable is unset or empty.
    ///
    /// # Errors
    /// Fails if the variable holds an unknown name.
    pub fn of_environment() -> Result<Engine, EngineError> {
        let Some(name) = std::env::var_os(ENGINE_VARIABLE).filter(|name| !name.is_empty()) else {
            return Ok(Engine::Auto);
        };
        Engine::named(&name.to_string_lossy())
    }

    /// Engine in use.
    pub fn current() -> Engine {
        match ENGINE.load(Relaxed) {
            0 => Engine::Interpreter,
            1 => Engine::Auto,
            2 => Engine::Compiled,
            _ => {
                // A run reports an error in the environment variable before it starts.
                let engine = Engine::of_environment().unwrap_or(Engine::Auto);
                engine.set();
                engine
            }
        }
    }

    /// Thresholds for compiling this variant; `None` if nothing is compiled.
    pub(crate) fn policy(variant: Variant) -> Option<Policy> {
        if Level::current() < Level::Avx2 {
            return None;
        }
        match Engine::current() {
            Engine::Interpreter => None,
            // Compiling a block takes as long as interpreting it a few hundred times.
            Engine::Auto => Some(Policy {
                entries: 256,
                least_share: 16,
                instructions: 4,
                variant,
            }),
            Engine::Compiled => Some(Policy {
                entries: 0,
                least_share: 1,
                instructions: 1,
                variant,
            }),
        }
    }
}

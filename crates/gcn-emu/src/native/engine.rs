//! Choice of the engine.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use crate::lanes::Level;

/// Part of the emulator that executes instructions. Results do not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Engine {
    /// The interpreter alone.
    Interpreter,
    /// Host code for blocks that are entered often, where the host has AVX2; the interpreter for all else.
    Auto,
    /// Host code for all blocks for which there can be any.
    Compiled,
}

/// Conditions for compiling.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policy {
    /// Entries of a block before it is compiled.
    pub(crate) entries: u16,
    /// Blocks that it leads to are compiled with it if they were entered this many times less often at most.
    pub(crate) least_share: u16,
    /// Instructions of the block that become host code, at least.
    pub(crate) instructions: usize,
    /// Loads and stores become host code.
    pub(crate) with_memory: bool,
}

/// The environment variable that names the engine for a process.
pub const ENGINE_VARIABLE: &str = "GCN_ENGINE";

/// Reason for which an engine cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is none of interpreter, auto, compiled")]
pub struct EngineError(String);

/// The engine in use; it is found at the first use.
static ENGINE: AtomicU8 = AtomicU8::new(UNKNOWN);
/// Value of [`ENGINE`] before the first use.
const UNKNOWN: u8 = u8::MAX;

impl Engine {
    /// All engines with their names, as the environment variable has them.
    pub const NAMES: [(&str, Engine); 3] = [
        ("interpreter", Engine::Interpreter),
        ("auto", Engine::Auto),
        ("compiled", Engine::Compiled),
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        Engine::NAMES[self as usize].0
    }

    /// The engine that a name is of.
    ///
    /// # Errors
    /// It is none's.
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

    /// Uses this engine from now on, in the whole process.
    pub fn set(self) {
        ENGINE.store(self as u8, Relaxed);
    }

    /// The engine that the environment asks for, or else [`Engine::Auto`].
    ///
    /// # Errors
    /// The variable names none.
    pub fn of_environment() -> Result<Engine, EngineError> {
        let Some(name) = std::env::var_os(ENGINE_VARIABLE).filter(|name| !name.is_empty()) else {
            return Ok(Engine::Auto);
        };
        Engine::named(&name.to_string_lossy())
    }

    /// The engine in use.
    pub fn current() -> Engine {
        match ENGINE.load(Relaxed) {
            0 => Engine::Interpreter,
            1 => Engine::Auto,
            2 => Engine::Compiled,
            _ => {
                // A run reports an error of the environment before it begins.
                let engine = Engine::of_environment().unwrap_or(Engine::Auto);
                engine.set();
                engine
            }
        }
    }

    /// Conditions for compiling; `None` if nothing is compiled.
    pub(crate) fn policy() -> Option<Policy> {
        if Level::current() < Level::Avx2 {
            return None;
        }
        match Engine::current() {
            Engine::Interpreter => None,
            // Compiling a block takes as long as some hundred executions of it by the interpreter.
            Engine::Auto => Some(Policy {
                entries: 2048,
                least_share: 16,
                instructions: 4,
                with_memory: true,
            }),
            Engine::Compiled => Some(Policy {
                entries: 0,
                least_share: 1,
                instructions: 1,
                with_memory: true,
            }),
        }
    }
}

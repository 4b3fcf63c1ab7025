//! Levels of host vector instructions, and functions compiled for each of them.
//!
//! This is one of the modules that may use `unsafe`: functions compiled for optional host instructions are called
//! only on hosts that have them.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Level of host vector instructions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Level {
    /// Instructions that every host of the architecture supports.
    Baseline,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 with the extensions of server processors.
    Avx512,
}

/// Environment variable that selects the level of a process.
pub const LEVEL_VARIABLE: &str = "GCN_VECTORS";

/// Reason why a level cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LevelError {
    /// Invalid level name in the variable.
    #[error("{LEVEL_VARIABLE}={0} is not one of baseline, avx2, avx512")]
    Unknown(String),
    /// Level that the host does not support.
    #[error("{LEVEL_VARIABLE}={0}: this host does not have these vector instructions")]
    Unavailable(Level),
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Level {
    /// All levels, from narrowest to widest.
    pub const ALL: [Level; 3] = [Level::Baseline, Level::Avx2, Level::Avx512];

    /// Returns the level's name, as used in the environment variable.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Baseline => "baseline",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }

    /// True if the host supports the level.
    pub fn is_available(self) -> bool {
        self <= best_level()
    }

    /// Returns the level in use.
    pub fn current() -> Level {
        level()
    }

    /// Selects the level for the whole process. Code decoded earlier keeps its level; results are the same at every
    /// level.
    ///
    /// # Errors
    /// Returns [`LevelError::Unavailable`] if the host does not support the level.
    pub fn set(self) -> Result<(), LevelError> {
        if !self.is_available() {
            return Err(LevelError::Unavailable(self));
        }
        LEVEL.store(self as u8, Relaxed);
        Ok(())
    }

    /// Returns the level requested by the environment, or else the widest level of the host.
    ///
    /// # Errors
    /// Fails if the variable contains no valid level name, or the host does not support the level.
    pub fn of_environment() -> Result<Level, LevelError> {
        let Some(name) = std::env::var_os(LEVEL_VARIABLE).filter(|name| !name.is_empty()) else {
            return Ok(best_level());
        };
        let unknown = || LevelError::Unknown(name.to_string_lossy().into_owned());
        let named = Level::ALL.into_iter().find(|level| name == level.name());
        let level = named.ok_or_else(unknown)?;
        if level.is_available() {
            Ok(level)
        } else {
            Err(LevelError::Unavailable(level))
        }
    }

    /// True if fused multiply-add is a single host instruction.
    pub(crate) const fn fuses(self) -> bool {
        !matches!(self, Level::Baseline)
            || cfg!(any(target_arch = "aarch64", target_feature = "fma"))
    }
}

/// Level in use, determined on first use.
pub(super) static LEVEL: AtomicU8 = AtomicU8::new(UNKNOWN);
/// Value of [`LEVEL`] before the first use.
const UNKNOWN: u8 = u8::MAX;

/// Returns the level in use, initially the widest supported by the host unless the environment selects one.
#[inline(always)]
pub(crate) fn level() -> Level {
    const AVX512: u8 = Level::Avx512 as u8;
    const AVX2: u8 = Level::Avx2 as u8;
    match LEVEL.load(Relaxed) {
        AVX512 => Level::Avx512,
        AVX2 => Level::Avx2,
        UNKNOWN => find_level(),
        _ => Level::Baseline,
    }
}

#[cold]
#[inline(never)]
fn find_level() -> Level {
    // A run reports an invalid environment variable before it starts.
    let level = Level::of_environment().unwrap_or_else(|_| best_level());
    LEVEL.store(level as u8, Relaxed);
    level
}

#[cfg(not(target_arch = "x86_64"))]
fn best_level() -> Level {
    Level::Baseline
}

/// Declares `at_each_level` and the detection of the best level. The generated macro has variables of its own; passing
/// the dollar sign as an argument keeps them apart from the variables of this macro.
macro_rules! levels {
    ($d:tt $($Level:ident $at:ident [$($feature:tt)*];)*) => {
        #[cfg(target_arch = "x86_64")]
        fn best_level() -> Level {
            $(if true $(&& is_x86_feature_detected!($feature))* {
                return Level::$Level;
            })*
            Level::Baseline
        }

        /// Compiles functions for each level of host vector instructions and dispatches to the level in use. Inlined
        /// functions and closures inside them are compiled for the level as well. Within them, `FUSES` is the result
        /// of [`Level::fuses`].
        macro_rules! at_each_level {
            ($d(
                $d(#[$d meta:meta])*
                $d vis:vis fn $d name:ident $d(<$d($d G:ident: $d First:ident $d(+ $d Other:ident)*),+>)?
                ($d($d arg:ident: $d Arg:ty),* $d(,)?) $d(-> $d Result:ty)? $d body:block
            )*) => {$d(
                $d(#[$d meta])*
                $d vis fn $d name $d(<$d($d G: $d First $d(+ $d Other)*),+>)? ($d($d arg: $d Arg),*) $d(-> $d Result)? {
                    $(
                        #[cfg(target_arch = "x86_64")]
                        $(#[target_feature(enable = $feature)])*
                        fn $at $d(<$d($d G: $d First $d(+ $d Other)*),+>)? ($d($d arg: $d Arg),*) $d(-> $d Result)? {
                            #[allow(dead_code)] // Few functions use it.
                            const FUSES: bool = $crate::lanes::Level::$Level.fuses();
                            $d body
                        }
                    )*
                    fn baseline $d(<$d($d G: $d First $d(+ $d Other)*),+>)? ($d($d arg: $d Arg),*) $d(-> $d Result)? {
                        #[allow(dead_code)]
                        const FUSES: bool = $crate::lanes::Level::Baseline.fuses();
                        $d body
                    }
                    match $crate::lanes::level() {
                        $(
                            #[cfg(target_arch = "x86_64")]
                            // SAFETY: the host supports the level in use and thus these features.
                            $crate::lanes::Level::$Level => unsafe { $at $d(::<$d($d G),+>)? ($d($d arg),*) },
                        )*
                        _ => baseline $d(::<$d($d G),+>)? ($d($d arg),*),
                    }
                }
            )*};
        }
    };
}

levels! { $
    Avx512 avx512 ["avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512cd" "avx2" "fma" "bmi1" "bmi2" "f16c" "lzcnt" "popcnt"];
    Avx2 avx2 ["avx2" "fma" "bmi1" "bmi2" "f16c" "lzcnt" "popcnt"];
}

#[expect(
    clippy::single_component_path_imports,
    reason = "a macro has no path without it"
)]
pub(crate) use at_each_level;

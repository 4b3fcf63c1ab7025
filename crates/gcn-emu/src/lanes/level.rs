//! Levels of the host's vector instructions, and functions that are compiled for each of them.
//!
//! This is one of the modules that may use `unsafe`: what is compiled for instructions that not every host has is
//! called only where the host has been found to have them.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A level of the host's vector instructions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Level {
    /// Instructions that every host of the architecture has.
    Baseline,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 as servers have it.
    Avx512,
}

/// The environment variable that names the level for a process.
pub const LEVEL_VARIABLE: &str = "GCN_VECTORS";

/// Reason for which a level cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LevelError {
    /// The variable names none.
    #[error("{LEVEL_VARIABLE}={0} is none of baseline, avx2, avx512")]
    Unknown(String),
    /// The host does not have its instructions.
    #[error("{LEVEL_VARIABLE}={0}: this host does not have these vector instructions")]
    Unavailable(Level),
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Level {
    /// All levels, from the narrowest to the widest.
    pub const ALL: [Level; 3] = [Level::Baseline, Level::Avx2, Level::Avx512];

    /// Name, as the environment variable has it.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Baseline => "baseline",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }

    /// True if the host has its instructions.
    pub fn is_available(self) -> bool {
        self <= best_level()
    }

    /// The level in use.
    pub fn current() -> Level {
        level()
    }

    /// Uses this level from now on, in the whole process. What has been decoded keeps the level that it was decoded for;
    /// results are the same at every level.
    ///
    /// # Errors
    /// [`LevelError::Unavailable`].
    pub fn set(self) -> Result<(), LevelError> {
        if !self.is_available() {
            return Err(LevelError::Unavailable(self));
        }
        LEVEL.store(self as u8, Relaxed);
        Ok(())
    }

    /// The level that the environment asks for, or else the host's widest.
    ///
    /// # Errors
    /// The variable names none, or one that the host does not have.
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

    /// True if a product and a sum that are rounded once are one instruction.
    pub(crate) const fn fuses(self) -> bool {
        !matches!(self, Level::Baseline)
            || cfg!(any(target_arch = "aarch64", target_feature = "fma"))
    }
}

/// The level in use; it is found at the first use.
pub(super) static LEVEL: AtomicU8 = AtomicU8::new(UNKNOWN);
/// Value of [`LEVEL`] before the first use.
const UNKNOWN: u8 = u8::MAX;

/// The level in use: what the host has.
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
    // A run reports an error of the environment before it begins.
    let level = Level::of_environment().unwrap_or_else(|_| best_level());
    LEVEL.store(level as u8, Relaxed);
    level
}

#[cfg(not(target_arch = "x86_64"))]
fn best_level() -> Level {
    Level::Baseline
}

/// Declares what the levels have: `at_each_level` and the function that finds the best one. The macro made has
/// variables, whose dollar sign is given first so that it is none of this one's.
macro_rules! levels {
    ($d:tt $($Level:ident $at:ident [$($feature:tt)*];)*) => {
        #[cfg(target_arch = "x86_64")]
        fn best_level() -> Level {
            $(if true $(&& is_x86_feature_detected!($feature))* {
                return Level::$Level;
            })*
            Level::Baseline
        }

        /// Compiles functions for each level of the host's vectors and makes them call the one for the host. What is
        /// inlined into them and the closures written in them is compiled for the level as well. `FUSES` in them is what
        /// [`Level::fuses`] says of it.
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
                            #[allow(dead_code)] // Few have a use for it.
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
                            // SAFETY: the level is the host's: it has these features.
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

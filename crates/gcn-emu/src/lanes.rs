//! The 64-lane loop. Only here is SIMD thought about.
//!
//! A vector register is [`Lanes`]: one dword for each of the 64 lanes. An operation computes all lanes and
//! blends the result in under EXEC; with all lanes active the blend is a copy. There is one loop, [`map`]: every
//! vector instruction is a function of a lane's sources given to it. Tables of handlers are written in
//! `at_each_level`, which compiles them for several levels of the host's vector instructions; which of the tables
//! an instruction's handler is taken from is decided when it is decoded.
//!
//! Modules, each of which imports only those above it: registers (`register`) and the values that lanes have (`lane`); the levels
//! of the host's instructions (`level`), and its vectors (`vectors`); the floating-point environment (`environment`); masks
//! (`masks`); values in half precision (`halves`); the sources of the loop (`source`), and the loop (`map`); registers with
//! addresses (`addresses`) and with contents (`contents`); dwords that move between lanes (`rows`); memory that a
//! thread has for itself, read and written by lanes (`elements`).

mod register;
mod lane;
mod level;
#[cfg(target_arch = "x86_64")]
mod vectors;
mod environment;
mod masks;
mod halves;
mod source;
mod map;
mod addresses;
mod contents;
mod rows;
mod elements;

pub(crate) use addresses::{
    AddressPattern, GROUP, are_below, are_bytes, are_dwords, are_equal, are_one, are_shorts,
    places, reach, sums,
};
pub(crate) use contents::{
    bytes, clear, extend_sign, insert, keep_low, shift_down, shorts, widen, widen_shorts,
};
pub use elements::{Elements, Gather};
#[cfg(target_arch = "x86_64")]
pub(crate) use elements::{LOADED, load, store};
pub use environment::FloatEnvironment;
pub(crate) use halves::{HalfFloat, of_single, to_single};
pub use halves::{narrowed, widened};
pub use lane::{Bit, Lane};
pub use level::{LEVEL_VARIABLE, Level, LevelError};
pub(crate) use level::{at_each_level, level};
pub use map::map;
pub(crate) use masks::signs;
pub use register::{LANES, Lanes, active};
pub(crate) use register::{NOTHING, keep_if};
pub use rows::{from_elements, permuted, to_elements};
pub use source::{Same, Sign, SignBits, SourceLanes};

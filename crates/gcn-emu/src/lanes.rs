//! Vector operations over 64 lanes, compiled for the host's vector instructions.
//!
//! A vector register is [`Lanes`]: one dword for each of the 64 lanes. An operation computes all lanes and blends the
//! result under EXEC; with all lanes active the blend is a copy. Handlers share one loop, [`map`], and pass it a
//! function of one lane's sources. Handler tables are defined in `at_each_level`, which compiles them for several
//! levels of host vector instructions. Decoding an instruction selects the table that provides its handler.
//!
//! Each module imports only those listed before it: registers (`register`) and lane values (`lane`); host instruction
//! levels (`level`) and host vectors (`vectors`); the floating-point environment (`environment`); masks (`masks`); half
//! precision (`halves`); loop sources (`source`) and the loop (`map`); registers of addresses (`addresses`) and of
//! memory contents (`contents`); moves of dwords between lanes (`rows`); lane-wise memory access (`elements`).

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
    begin_partly, begin_with, bytes, extend_sign, insert, keep_low, shift_down, shorts, widen,
    widen_shorts,
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

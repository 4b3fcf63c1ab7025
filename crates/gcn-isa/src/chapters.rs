//! Chapters of AMD's manuals, one module for each encoding or family of encodings: field maps, then a row per
//! instruction.

pub mod ds;
pub mod exp;
pub mod flat;
pub mod mimg;
pub mod mtbuf;
pub mod mubuf;
pub mod smem;
pub mod sop;
pub mod vintrp;
pub mod vop3;
pub mod vopc;
pub mod vop;

//! Arguments in guest memory: buffers are allocated and filled, and addresses become known.

use std::fs::File;
use std::io::Read;

use anyhow::{Context, Result, bail};
use gcn_emu::device::Device;
use gcn_runtime::hsa::Placed;

use super::block::{Block, POINTER};
use super::fill::Fill;
use super::plan::{Contents, Plan, Planned, sizes};
use super::value::Type;

/// A buffer in guest memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// The name it was given.
    pub name: String,
    /// The argument's number, where a launch has it to itself.
    pub index: Option<usize>,
    /// Its address.
    pub address: u64,
    /// In bytes.
    pub bytes: u64,
    /// Of its elements.
    pub ty: Type,
}

/// The arguments of a launch, ready to be launched with.
#[derive(Default)]
pub struct Bound {
    /// Bytes of the argument segment.
    pub placed: Vec<Placed>,
    /// Dynamic LDS that arguments ask for, in bytes.
    pub lds: u32,
}

/// Everything that is wrong with a launch.
#[derive(Debug, thiserror::Error)]
#[error("{}", .problems.join("; "))]
pub struct Problems {
    /// Each is a message.
    pub problems: Vec<String>,
    /// What would be right; may have several lines.
    pub help: Option<String>,
}

impl Problems {
    /// An error, if there are problems.
    ///
    /// # Errors
    /// The problems.
    pub fn check(problems: Vec<String>, help: impl FnOnce() -> Option<String>) -> Result<()> {
        if problems.is_empty() {
            return Ok(());
        }
        let help = help();
        bail!(Problems { problems, help })
    }
}

/// Bytes that the buffers of all plans take.
///
/// # Errors
/// They are more than `budget`.
pub fn afford<'a>(plans: impl Iterator<Item = &'a Planned>, budget: u64) -> Result<u64> {
    let sizes = sizes(plans);
    let needed = sizes
        .iter()
        .fold(0u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
    if needed > budget {
        let buffers = sizes.iter().map(|(name, bytes)| format!("{name} {bytes}"));
        let list = buffers.collect::<Vec<_>>().join(", ");
        bail!(
            "the buffers take {needed} bytes ({list}), more than the {budget} bytes of memory there are; --memory changes that"
        );
    }
    Ok(needed)
}

/// Allocates what is planned and makes the bytes of the argument segment. New buffers are added to `buffers`, in which
/// those that launches share are already. `fixed` is the LDS before the dynamic one, in bytes.
///
/// # Errors
/// Memory or LDS does not suffice, or a file cannot be read.
pub fn place(
    plans: Vec<Planned>,
    fixed: u32,
    device: &mut Device,
    buffers: &mut Vec<Buffer>,
) -> Result<Bound> {
    let mut bound = Bound::default();
    let fixed = u64::from(fixed);
    let first = buffers.len();
    // What refers to other buffers comes behind them.
    let refers = |planned: &Planned| match &planned.plan {
        Plan::Same { .. } => true,
        Plan::Bytes(Block { pointers, .. }) => !pointers.is_empty(),
        _ => false,
    };
    let (referring, own): (Vec<_>, Vec<_>) = plans.into_iter().partition(refers);
    for planned in own.into_iter().chain(referring) {
        let buffer = |address, bytes, ty| Buffer {
            name: planned.name.clone(),
            index: planned.index,
            address,
            bytes,
            ty,
        };
        let bytes = match planned.plan {
            Plan::Bytes(mut block) => {
                for pointer in &block.pointers {
                    let (address, ..) = element(buffers, first, &pointer.name, pointer.from)?;
                    let end = pointer.at + POINTER as usize;
                    if let Some(place) = block.bytes.get_mut(pointer.at..end) {
                        place.copy_from_slice(&address.to_le_bytes());
                    }
                }
                block.bytes
            }
            Plan::Null => vec![0; POINTER as usize],
            Plan::Buffer {
                ty,
                contents,
                bytes,
            } => {
                let address = device.memory.allocate(&planned.name, bytes)?;
                fill(device, address, ty, contents)?;
                buffers.push(buffer(address, bytes, ty));
                address.to_le_bytes().to_vec()
            }
            Plan::Same { name, from, ty } => {
                let (address, bytes, own) = element(buffers, first, &name, from)?;
                let is_whole = |ty: &Type| bytes.is_multiple_of(ty.size() as u64);
                let ty = ty.filter(is_whole).unwrap_or(own);
                buffers.push(buffer(address, bytes, ty));
                address.to_le_bytes().to_vec()
            }
            Plan::Local { bytes, align } => {
                let begin = (fixed + u64::from(bound.lds)).next_multiple_of(align);
                let end = begin + u64::from(bytes) - fixed;
                bound.lds = u32::try_from(end).context("more LDS than there is")?;
                (begin as u32).to_le_bytes().to_vec()
            }
        };
        bound.placed.push(Placed {
            offset: planned.offset,
            bytes,
        });
    }
    if let Some(new) = buffers.get_mut(first..) {
        new.sort_by_key(|buffer| buffer.index);
    }
    Ok(bound)
}

/// The address of a buffer's element, the bytes from there on, and the type. Buffers from number `first` on are the
/// launch's own, and come before others of the name.
fn element(buffers: &[Buffer], first: usize, name: &str, from: u64) -> Result<(u64, u64, Type)> {
    let (shared, own) = buffers.split_at(first.min(buffers.len()));
    let mut all = own.iter().chain(shared);
    let buffer = all
        .find(|buffer| buffer.name == name)
        .with_context(|| format!("{name} is no buffer"))?;
    let before = from.saturating_mul(buffer.ty.size() as u64);
    let bytes = buffer
        .bytes
        .checked_sub(before)
        .with_context(|| format!("{name} has no element {from}"))?;
    Ok((buffer.address + before, bytes, buffer.ty))
}

/// Writes what a buffer begins as.
fn fill(device: &Device, address: u64, ty: Type, contents: Contents) -> Result<()> {
    let mut to = address;
    let mut write = |piece: &[u8]| {
        device.memory.write(to, piece);
        to += piece.len() as u64;
    };
    match contents {
        Contents::Data(data) => data.pieces(write)?,
        // Memory is zero already.
        Contents::Filled(Fill::Zero, _) => {}
        Contents::Filled(fill, count) => {
            for piece in fill.pieces(ty, count) {
                write(&piece);
            }
        }
    }
    Ok(())
}

/// Bytes of memory that the machine has to spare: half of what is available, where that can be found out.
pub fn spare_memory() -> u64 {
    /// What is assumed where it cannot be found out.
    const UNKNOWN: u64 = 4 << 30;
    let read = || {
        let mut text = String::new();
        File::open("/proc/meminfo")
            .ok()?
            .read_to_string(&mut text)
            .ok()?;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("MemAvailable:"))?;
        let kibibytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
        kibibytes.checked_mul(1024 / 2)
    };
    read().unwrap_or(UNKNOWN)
}

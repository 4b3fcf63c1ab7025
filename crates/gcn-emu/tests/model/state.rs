//! State that a memory instruction reads and changes, shared by the model and the emulator.

use gcn_isa::Isa;

pub use crate::stage::SCALARS;

pub const LANES: usize = 64;
pub const VGPRS: usize = 24;
pub const M0: usize = 124;
pub const EXEC: usize = 126;

/// GCN generation, as the documents number them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Generation {
    /// GCN 1.0.
    Gfx6,
    /// GCN 1.1.
    Gfx7,
    /// GCN 1.2.
    Gfx8,
    /// GCN 1.4.
    Gfx9,
}

impl Generation {
    pub fn of(isa: Isa) -> Generation {
        match isa {
            Isa::Si => Generation::Gfx6,
            Isa::Ci => Generation::Gfx7,
            Isa::Vi | Isa::Stoney => Generation::Gfx8,
            Isa::Gfx9 | Isa::Vega12 | Isa::Vega20 => Generation::Gfx9,
        }
    }
}

/// Contents of an allocation in global memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Region {
    pub base: u64,
    pub bytes: Vec<u8>,
}

/// Global memory: addresses outside of all regions are unmapped.
#[derive(Clone, PartialEq, Debug)]
pub struct Global(pub Vec<Region>);

impl Global {
    /// Bytes of an element, if a single region contains all of them.
    pub fn find(&mut self, address: u64, bytes: u64) -> Option<&mut [u8]> {
        self.0.iter_mut().find_map(|region| {
            let begin = address.checked_sub(region.base)?;
            let end = begin.checked_add(bytes)?;
            region.bytes.get_mut(begin as usize..end as usize)
        })
    }
}

/// Constants of a run: locations of scratch and of the FLAT apertures.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    pub isa: Isa,
    pub generation: Generation,
    /// Upper halves of the LDS and scratch apertures.
    pub shared: u32,
    pub private: u32,
    /// Hidden base of FLAT_SCRATCH on GCN 1.1 and 1.2.
    pub hidden_base: u64,
    /// Bytes of scratch per lane.
    pub scratch_bytes: u32,
}

impl Context {
    /// E071, E263: a load of half a register keeps the other half of `old`, except on gfx906, which clears it.
    pub fn kept_half(&self, old: u32) -> u32 {
        if self.isa == Isa::Vega20 { 0 } else { old }
    }
}

/// State that an instruction may read or write.
#[derive(Clone, PartialEq)]
pub struct State {
    pub vgprs: Vec<[u32; LANES]>,
    pub scalars: [u32; SCALARS],
    /// MODE; bits 4 and 5 enable single-precision denormals in sources and results.
    pub mode: u32,
    pub lds: Vec<u8>,
    pub gds: Vec<u8>,
    pub global: Global,
    /// Sticky memory violation flag.
    pub violated: bool,
    /// The instruction did something that no source defines: nothing is compared.
    pub undefined: bool,
}

impl State {
    pub fn m0(&self) -> u32 {
        self.scalars[M0]
    }

    pub fn exec(&self) -> u64 {
        self.scalar64(EXEC)
    }

    pub fn scalar64(&self, register: usize) -> u64 {
        u64::from(self.scalars[register]) | u64::from(self.scalars[register + 1]) << 32
    }

    /// Active lanes in ascending order.
    pub fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        let exec = self.exec();
        (0..LANES).filter(move |lane| exec >> lane & 1 != 0)
    }

    /// Value of 4 or 8 bytes in a lane's registers.
    pub fn value(&self, first: usize, bytes: usize, lane: usize) -> u64 {
        let high = match bytes {
            8 => self.vgprs[first + 1][lane],
            _ => 0,
        };
        u64::from(self.vgprs[first][lane]) | u64::from(high) << 32
    }

    pub fn set_value(&mut self, first: usize, bytes: usize, lane: usize, value: u64) {
        self.vgprs[first][lane] = value as u32;
        if bytes == 8 {
            self.vgprs[first + 1][lane] = (value >> 32) as u32;
        }
    }

    /// Describes the first difference.
    pub fn difference(&self, other: &State) -> Option<String> {
        let of = |what: String, mine: u32, theirs: u32| {
            Some(format!("{what}: model {mine:#x}, emulator {theirs:#x}"))
        };
        for (register, (mine, theirs)) in self.vgprs.iter().zip(&other.vgprs).enumerate() {
            if let Some(lane) = (0..LANES).find(|&lane| mine[lane] != theirs[lane]) {
                return of(format!("v{register} lane {lane}"), mine[lane], theirs[lane]);
            }
        }
        for (register, (mine, theirs)) in self.scalars.iter().zip(&other.scalars).enumerate() {
            if mine != theirs {
                return of(format!("s{register}"), *mine, *theirs);
            }
        }
        let bytes = |name: String, mine: &[u8], theirs: &[u8]| {
            let at = (0..mine.len()).find(|&at| mine[at] != theirs[at])?;
            of(
                format!("{name} {at:#x}"),
                mine[at].into(),
                theirs[at].into(),
            )
        };
        let memories = [
            ("LDS", &self.lds, &other.lds),
            ("GDS", &self.gds, &other.gds),
        ];
        for (name, mine, theirs) in memories {
            if let Some(found) = bytes(name.to_owned(), mine, theirs) {
                return Some(found);
            }
        }
        for (mine, theirs) in self.global.0.iter().zip(&other.global.0) {
            let name = format!("memory at {:#x} +", mine.base);
            if let Some(found) = bytes(name, &mine.bytes, &theirs.bytes) {
                return Some(found);
            }
        }
        (self.violated != other.violated).then(|| {
            format!(
                "violation: model {}, emulator {}",
                self.violated, other.violated
            )
        })
    }
}

/// Unsigned little-endian number.
pub fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Extends a shorter number to a dword.
pub fn extend(value: u64, bytes: u64, is_signed: bool) -> u32 {
    let unused = 32 - 8 * bytes as u32;
    let high = (value as u32) << unused;
    if is_signed {
        ((high as i32) >> unused) as u32
    } else {
        high >> unused
    }
}

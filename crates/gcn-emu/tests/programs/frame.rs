//! Code around a random program: initialization of registers and memory, and stores of the final state.

use gcn_emu::device::Apertures;
use gcn_emu::run::InitialSgpr;
use gcn_isa::image::{ImageDescriptor, ImageKind, SamplerDescriptor, number_format, texel_format};
use gcn_isa::simm::{HWREG_MODE, HWREG_STATUS, HWREGS};
use gcn_isa::{Isa, Target, regs};

/// Number of VGPRs that programs name, number of VGPRs of the wave, and VGPR with the lanes' offsets.
pub(super) const NAMED_VGPRS: u8 = 24;
pub(super) const VGPRS: usize = 32;
pub(super) const OFFSETS: usize = VGPRS - 1;
/// Number of SGPRs. Programs do not write those from `KEPT` on. The first of these is the scratch descriptor, which
/// programs use only in memory accesses, since it contains the address of a thread's scratch.
pub(super) const SGPRS: u8 = 96;
pub(super) const KEPT: u8 = 80;
pub(super) const SCRATCH: u8 = KEPT;
/// SGPRs that initially have the offset of the wave's scratch, and the workgroup's number.
const SCRATCH_OFFSET: u8 = 88;
const GROUP: u8 = 89;
/// Size of a VGPR of all lanes in bytes.
pub(super) const ROW: u64 = 256;
/// Memory layout of a workgroup: initial VGPRs, data of the program, and stores of the epilogue.
pub(super) const WORK: u64 = 0x2000;
const WORK_BYTES: u64 = 0x1000;
pub(super) const DUMP: u64 = WORK + WORK_BYTES;
pub(super) const REGION: u64 = 0x8000;
pub(super) const GROUPS: u32 = 4;
/// Bytes of LDS, and of scratch per lane.
pub(super) const LDS_BYTES: u32 = 512;
pub(super) const SCRATCH_BYTES: u32 = 128;
/// Number of rows of a wave's scratch.
pub(super) const SCRATCH_ROWS: u64 = SCRATCH_BYTES as u64 / 4;
/// Last dword of the scratch descriptor that HSA programs use, and positions of its element size and index stride
/// fields.
const SCRATCH_FORMAT: u32 = 0x00e8_f000;
const SCRATCH_FORMAT_VI: u32 = 0x00e8_0000;
const ELEMENT_SHIFT: u32 = 19;
const RECORDS_SHIFT: u32 = 21;
/// First SGPRs of the image and sampler descriptors.
pub(super) const IMAGE: u8 = 68;
pub(super) const SAMPLER: u8 = 76;
const IMAGE_FORMAT: (u8, u8) = (
    texel_format::IMG_DATA_FORMAT_32,
    number_format::IMG_NUM_FORMAT_UINT,
);
const IMAGE_SIZE: [u32; 3] = [64, 16, 1];

/// Activates all lanes, and sets [`OFFSETS`] to the lane number times `dwords` dwords, a power of two.
fn offsets(dwords: u32) -> String {
    let shift = (dwords * 4).trailing_zeros();
    format!(
        "s_mov_b64 exec, -1\n v_mbcnt_lo_u32_b32 v{OFFSETS}, -1, 0\n v_mbcnt_hi_u32_b32 v{OFFSETS}, -1, v{OFFSETS}\n \
         v_lshlrev_b32 v{OFFSETS}, {shift}, v{OFFSETS}\n"
    )
}

/// First SGPRs of the descriptors of the workgroup's memory, and of the wave's scratch as plain bytes.
const MEMORY: u8 = 92;
const RAW_SCRATCH: u8 = 88;

/// Moves `dwords` dwords of each lane between VGPRs and an offset in the memory of a descriptor. [`OFFSETS`] must have
/// the lanes' offsets for that number.
fn transfer(verb: &str, dwords: usize, register: usize, descriptor: u8, offset: u64) -> String {
    let (suffix, registers) = match dwords {
        1 => (String::new(), format!("v{register}")),
        _ => (
            format!("x{dwords}"),
            format!("v[{register}:{}]", register + dwords - 1),
        ),
    };
    let last = descriptor + 3;
    format!(
        "s_mov_b32 s86, {offset:#x}\n buffer_{verb}_dword{suffix} {registers}, v{OFFSETS}, s[{descriptor}:{last}], s86 offen\n"
    )
}

/// Number of dwords that most transfers move per lane: few long accesses are compiled faster than many short ones.
const DWORDS: usize = 4;

/// Interleaving of scratch by its descriptor: dwords by wave, as compilers do, or otherwise.
#[derive(Clone, Copy)]
pub(super) struct Interleaving {
    /// Exclusive-ored with the descriptor's element size and index stride.
    pub(super) element: u32,
    pub(super) records: u32,
}

impl Interleaving {
    /// Interleaving that compilers use.
    pub(super) const USUAL: Interleaving = Interleaving {
        element: 0,
        records: 0,
    };

    /// Last dword of the descriptor.
    fn format(self, isa: Isa) -> u32 {
        let usual = if isa < Isa::Vi {
            SCRATCH_FORMAT
        } else {
            SCRATCH_FORMAT_VI
        };
        usual ^ self.element << ELEMENT_SHIFT ^ self.records << RECORDS_SHIFT
    }
}

/// Contents of the scalar registers before the prologue.
pub(super) fn initial(scalars: &[u32]) -> Vec<InitialSgpr> {
    let values = scalars.iter().map(|&value| InitialSgpr::Value(value));
    let mut sgprs: Vec<_> = values.collect();
    sgprs.resize(usize::from(GROUP) + 1, InitialSgpr::Value(0));
    for (number, value) in [
        (SCRATCH, InitialSgpr::ScratchBase(0)),
        (SCRATCH + 1, InitialSgpr::ScratchBase(1)),
        (SCRATCH_OFFSET, InitialSgpr::ScratchWaveOffset),
        (GROUP, InitialSgpr::GroupId(0)),
    ] {
        sgprs[usize::from(number)] = value;
    }
    sgprs
}

/// Sets FLAT_SCRATCH and two scratch descriptors: s[80:83], which interleaves lanes, and s[88:91], which does not.
fn scratch(target: &Target, interleaving: Interleaving) -> String {
    let mut text = String::new();
    if let Some(first) = regs::flat_scratch(target.isa)
        && target.isa < Isa::Gfx9
    {
        let [low, high] = [first, first + 1].map(|number| name(target.isa, number));
        text += &format!(
            "s_mov_b32 {}, {SCRATCH_BYTES}\n s_lshr_b32 {}, s88, 8\n",
            low.expect("a name"),
            high.expect("a name")
        );
    }
    text += &format!(
        "s_add_u32 s80, s80, s88\n s_addc_u32 s81, s81, 0\n s_mov_b32 s82, {:#x}\n s_mov_b32 s83, {:#x}\n",
        SCRATCH_ROWS * ROW,
        interleaving.format(target.isa)
    );
    text += &raw_scratch();
    if target.isa >= Isa::Gfx9 {
        text += "s_mov_b64 flat_scratch, s[88:89]\n";
    }
    text
}

/// Makes s[88:91] a descriptor of the wave's scratch as plain bytes.
fn raw_scratch() -> String {
    format!(
        "s_mov_b32 s88, s80\n s_and_b32 s89, s81, 0xffff\n s_mov_b32 s90, {:#x}\n s_mov_b32 s91, 0xf000\n",
        SCRATCH_ROWS * ROW
    )
}

/// Copies the wave's scratch from an offset in memory, or to it.
fn copy_scratch(memory: u64, is_from_memory: bool) -> String {
    let [from, to] = if is_from_memory {
        [MEMORY, RAW_SCRATCH]
    } else {
        [RAW_SCRATCH, MEMORY]
    };
    let mut text = String::new();
    for row in (0..SCRATCH_ROWS).step_by(DWORDS) {
        let offset = |descriptor| match descriptor {
            MEMORY => memory + row * ROW,
            _ => row * ROW,
        };
        text += &transfer("load", DWORDS, 0, from, offset(from));
        text += "s_waitcnt vmcnt(0)\n";
        text += &transfer("store", DWORDS, 0, to, offset(to));
    }
    text
}

/// Assembly name of a scalar register.
fn name(isa: Isa, number: u8) -> Option<String> {
    regs::scalar_name(isa, number, 1)
}

/// Fills scratch, loads the VGPRs, and sets up addresses. s[0:1] has the address of memory, and s[4:7] and s[8:11] are
/// descriptors of its bytes and of records. v[2:3] and v[6:7] are addresses, v4 and v5 are offsets. s[68:75] and
/// s[76:79] are descriptors of an image and a sampler. v8, v10 and v12 are offsets in scratch, equal in all lanes of
/// v12; together with the next registers, they are FLAT addresses. So are v[14:15] in LDS, and v[16:17] in memory and
/// scratch.
pub(super) fn prologue(target: &Target, buffer: u64, interleaving: Interleaving) -> String {
    let mut text = format!(
        "s_mul_i32 s92, s89, {REGION:#x}\n s_add_u32 s92, s92, {:#x}\n s_mov_b32 s93, {:#x}\n s_mov_b32 s94, {REGION:#x}\n \
         s_mov_b32 s95, 0xf000\n",
        buffer as u32,
        buffer >> 32
    );
    text += &offsets(DWORDS as u32);
    text += &scratch(target, interleaving);
    text += &copy_scratch(0, true);
    for register in (0..usize::from(NAMED_VGPRS)).step_by(DWORDS) {
        text += &transfer("load", DWORDS, register, MEMORY, register as u64 * ROW);
    }
    text += &offsets(1);
    text += &format!(
        "s_waitcnt vmcnt(0)\n s_add_u32 s0, s92, {WORK:#x}\n s_mov_b32 s1, s93\n s_mov_b64 s[4:5], s[0:1]\n \
         s_mov_b32 s6, {WORK_BYTES:#x}\n s_mov_b32 s7, s95\n s_mov_b32 s8, s0\n s_or_b32 s9, s1, 0x80000\n s_mov_b32 s10, 512\n \
         s_mov_b32 s11, s95\n s_mov_b32 s12, 16\n"
    );
    let image = ImageDescriptor::linear(target.isa, ImageKind::D2, IMAGE_FORMAT, IMAGE_SIZE);
    let image = image.expect("a layout");
    assert_eq!(image.bytes(target.isa), Ok(WORK_BYTES));
    text += &format!("s_lshr_b64 s[{IMAGE}:{}], s[0:1], 8\n", IMAGE + 1);
    for (word, number) in image.words(target.isa).into_iter().zip(IMAGE..).skip(1) {
        // The address extends into the second dword.
        text += &match number - IMAGE {
            1 => format!("s_or_b32 s{number}, s{number}, {word:#x}\n"),
            _ => format!("s_mov_b32 s{number}, {word:#x}\n"),
        };
    }
    for (word, number) in SamplerDescriptor::default()
        .words()
        .into_iter()
        .zip(SAMPLER..)
    {
        text += &format!("s_mov_b32 s{number}, {word:#x}\n");
    }
    for (register, mask) in [
        (2, 0xffc),
        (4, 0x1fc),
        (5, 0x1ff),
        (6, 0xff0),
        (8, 0x3c),
        (10, 0x3f),
        (12, 0x3c),
        (14, 0x1fc),
    ] {
        text += &format!("v_and_b32 v{register}, {mask:#x}, v{register}\n");
    }
    for register in [2, 6] {
        text += &format!(
            "v_or_b32 v{register}, s0, v{register}\n v_mov_b32 v{}, s1\n",
            register + 1
        );
    }
    let Apertures { shared, private } = Apertures::default();
    text += "v_readfirstlane_b32 s86, v12\n v_mov_b32 v12, s86\n";
    for (register, aperture) in [(9, private), (11, private), (13, private), (15, shared)] {
        text += &format!("v_mov_b32 v{register}, {aperture:#x}\n");
    }
    text += "s_mov_b32 vcc_lo, 0x0f0f00ff\n s_mov_b32 vcc_hi, 0xff00f0f0\n v_cndmask_b32 v16, v8, v2, vcc\n \
             v_cndmask_b32 v17, v9, v3, vcc\n";
    text + "s_mov_b32 m0, -1\n"
}

/// Statements after the prologue that turn some address registers into rows, in which lanes are one, two or four bytes
/// or dwords apart, or all have the same address. Other registers do not change.
pub(super) fn address_rows<E>(mut shape: impl FnMut() -> Result<usize, E>) -> Result<String, E> {
    let mut text = String::new();
    for (register, base) in [(2, "s0"), (6, "s0"), (4, "0")] {
        text += &match shape()? {
            shift @ 0..3 => format!(
                "v_lshlrev_b32 v{register}, {shift}, v{OFFSETS}\n v_or_b32 v{register}, {base}, v{register}\n"
            ),
            shift @ 4..6 => format!(
                "v_lshrrev_b32 v{register}, {}, v{OFFSETS}\n v_or_b32 v{register}, {base}, v{register}\n",
                shift - 3
            ),
            3 => format!("v_mov_b32 v{register}, {base}\n"),
            _ => String::new(),
        };
    }
    Ok(text)
}

/// Code of the epilogue, and what it stores.
pub(super) struct Dump {
    pub(super) text: String,
    /// Contents of the workgroup's memory from [`DUMP`] on, with their offsets in ascending order.
    contents: Vec<(u64, Contents)>,
    /// Scalar registers in the lanes of [`SCALARS`] that are not stored yet.
    scalars: Vec<String>,
}

/// Contents of one or more rows of the dump.
enum Contents {
    /// VGPRs, [`DWORDS`] starting with this one: those of a lane are adjacent.
    Vgprs(usize),
    /// Row of scalar registers, one per lane.
    Scalars(Vec<String>),
    /// Other rows.
    Rows(String, u64),
}

impl Contents {
    /// Size in bytes.
    fn bytes(&self) -> u64 {
        match self {
            Contents::Vgprs(_) => DWORDS as u64 * ROW,
            Contents::Scalars(_) => ROW,
            Contents::Rows(_, rows) => rows * ROW,
        }
    }

    /// Describes the dword with an index.
    fn describe(&self, dword: usize) -> String {
        match self {
            Contents::Vgprs(first) => {
                format!("v{}, lane {}", first + dword % DWORDS, dword / DWORDS)
            }
            Contents::Scalars(names) => names.get(dword).cloned().unwrap_or_default(),
            Contents::Rows(name, _) => format!("{name}, dword {dword}"),
        }
    }
}

/// VGPR that collects scalar registers, after all VGPRs have been stored.
const SCALARS: usize = 1;

impl Dump {
    /// Adds contents. Returns their offset.
    fn add(&mut self, contents: Contents) -> u64 {
        let last = self.contents.last();
        let offset = last.map_or(DUMP, |(offset, last)| offset + last.bytes());
        assert!(offset + contents.bytes() <= REGION);
        self.contents.push((offset, contents));
        offset
    }

    /// Stores a scalar register.
    fn store_scalar(&mut self, register: &str, name: impl Into<String>) {
        let lane = self.scalars.len();
        self.text += &format!("v_writelane_b32 v{SCALARS}, {register}, {lane}\n");
        self.scalars.push(name.into());
        if self.scalars.len() as u64 * 4 == ROW {
            self.store_scalars();
        }
    }

    /// Stores the scalar registers that have been collected.
    fn store_scalars(&mut self) {
        let names = std::mem::take(&mut self.scalars);
        let offset = self.add(Contents::Scalars(names));
        self.text += &transfer("store", 1, SCALARS, MEMORY, offset);
    }

    /// Describes the dword at an offset in the workgroup's memory, from [`DUMP`] on.
    pub(super) fn describe(&self, offset: u64) -> String {
        let found = self.contents.iter().rfind(|(first, _)| *first <= offset);
        let (first, contents) = found.expect("the dump begins at DUMP");
        contents.describe((offset - first) as usize / 4)
    }

    /// Offset of a scalar register in the workgroup's memory.
    fn place_of(&self, name: &str) -> Option<usize> {
        self.contents
            .iter()
            .find_map(|(first, contents)| match contents {
                Contents::Scalars(names) => {
                    let lane = names.iter().position(|it| it == name)?;
                    Some(*first as usize + lane * 4)
                }
                Contents::Vgprs(_) | Contents::Rows(..) => None,
            })
    }

    /// Zeroes the addresses of scratch in the memory of all workgroups, because each thread has its own scratch.
    pub(super) fn forget_addresses(&self, isa: Isa, memory: &mut [u8]) {
        let range = |what: &str| self.place_of(what).map(|begin| begin..begin + 4);
        let names = [0, 1].map(|half| regs::flat_scratch(isa).and_then(|it| name(isa, it + half)));
        for group in memory.chunks_exact_mut(REGION as usize) {
            for (address, name) in SCRATCH_ADDRESS.into_iter().zip(&names) {
                let address = range(address).expect("it is stored");
                let flat_scratch = name.as_deref().and_then(range);
                if let Some(dword) =
                    flat_scratch.filter(|it| group[it.clone()] == group[address.clone()])
                {
                    group[dword].fill(0);
                }
                group[address].fill(0);
            }
        }
    }
}

/// V_MOV_B32 to v0, without its source.
const MOVE_TO_V0: u32 = 0x7e00_0200;
/// Hardware register that contains the counters.
const COUNTERS: &str = "HW_REG_IB_STS";

/// Names of the dwords of the address of the wave's scratch.
const SCRATCH_ADDRESS: [&str; 2] = ["scratch address, low", "scratch address, high"];

/// Stores all registers that the program may have written, LDS, and scratch.
pub(super) fn epilogue(isa: Isa) -> Dump {
    let mut dump = Dump {
        text: format!(
            "s_getreg_b32 s84, hwreg({HWREG_STATUS}, 0, 32)\n s_getreg_b32 s85, hwreg({HWREG_MODE}, 0, 32)\n \
             s_setreg_imm32_b32 hwreg({HWREG_MODE}, 0, 32), 0xf0\n s_mov_b32 s87, m0\n s_mov_b32 s88, vcc_lo\n \
             s_mov_b32 s89, vcc_hi\n s_mov_b64 s[90:91], exec\n"
        ),
        contents: Vec::new(),
        scalars: Vec::new(),
    };
    dump.text += &offsets(DWORDS as u32);
    for register in (0..VGPRS).step_by(DWORDS) {
        let offset = dump.add(Contents::Vgprs(register));
        dump.text += &transfer("store", DWORDS, register, MEMORY, offset);
    }
    dump.text += &offsets(1);
    for register in 0..KEPT {
        dump.store_scalar(&format!("s{register}"), format!("s{register}"));
    }
    for (register, what) in [
        (84, "STATUS"),
        (85, "MODE"),
        (87, "M0"),
        (88, "VCC, low"),
        (89, "VCC, high"),
        (90, "EXEC, low"),
        (91, "EXEC, high"),
    ] {
        dump.store_scalar(&format!("s{register}"), what);
    }
    // FLAT_SCRATCH, XNACK_MASK, and trap registers.
    for number in isa.sgprs()..regs::M0 {
        let vcc = regs::VCC_LO..=regs::VCC_LO + 1;
        if let Some(name) = name(isa, number).filter(|_| !vcc.contains(&number)) {
            // Encoded as a number, since assemblers do not accept XNACK_MASK for some chips.
            dump.text += &format!(
                ".long {:#x}\n v_readfirstlane_b32 s86, v0\n",
                MOVE_TO_V0 | u32::from(number)
            );
            dump.store_scalar("s86", name);
        }
    }
    for (name, id, on) in HWREGS {
        // The emulator tracks the counters only for programs that read them.
        let is_left_out = matches!(*id, HWREG_MODE | HWREG_STATUS) || *name == COUNTERS;
        if on.has(isa) && !is_left_out {
            dump.text += &format!("s_getreg_b32 s86, hwreg({id}, 0, 32)\n");
            dump.store_scalar("s86", *name);
        }
    }
    dump.text += "s_mov_b32 m0, -1\n";
    for row in [0, ROW] {
        dump.text += &format!("ds_read_b32 v0, v{OFFSETS} offset:{row}\n s_waitcnt lgkmcnt(0)\n");
        let offset = dump.add(Contents::Rows(format!("LDS from {row} on"), 1));
        dump.text += &transfer("store", 1, 0, MEMORY, offset);
    }
    dump.text += &raw_scratch();
    for (register, what) in ["s88", "s89"].into_iter().zip(SCRATCH_ADDRESS) {
        dump.store_scalar(register, what);
    }
    dump.store_scalars();
    let offset = dump.add(Contents::Rows("scratch".to_owned(), SCRATCH_ROWS));
    dump.text += &offsets(DWORDS as u32);
    dump.text += &copy_scratch(offset, false);
    dump.text += "s_endpgm\n";
    dump
}

//! Vector instructions of the host. A table row defines an instruction with its AVX2 and AVX-512 names.

use iced_x86::IcedError;
use iced_x86::code_asm::{
    AsmMemoryOperand, AsmRegister32, AsmRegisterK, byte_ptr, dword_bcst, dword_ptr, eax, esi, rdx,
    word_ptr, ymmword_ptr, zmmword_ptr,
};

use super::host::{MaskRegister, OTHER, Place, SCRATCH, Vector, Width, with_mask};
use super::places::{Assembly, EXEC, mask_bits};

/// VPERMQ selector that exchanges the two middle quarters of a register. Moves the halves of each group of four lanes
/// to the halves of the register, or back.
const MIDDLE_QWORDS: u32 = 0b11_01_10_00;

/// Lanes of the third and fourth dwords of elements in a row.
const UPPER_PAIRS: u32 = 0xcccc;

/// Odd lanes of a slice.
const ODD: u32 = 0xaaaa;

/// Emits an instruction with a destination register, a source register and a second source operand.
macro_rules! two_sources {
    ($code:ident, $avx2:ident, $avx512:ident, $to:ident, $a:ident, $b:ident $(, $immediate:ident)?) => {
        match ($code.width, $b.into()) {
            (Width::Avx2, Place::Register(b)) => {
                $code.asm.$avx2($to.ymm(), $a.ymm(), b.ymm() $(, $immediate)?)
            }
            (Width::Avx2, Place::Memory(b) | Place::Uniform(b)) => {
                $code.asm.$avx2($to.ymm(), $a.ymm(), ymmword_ptr(b) $(, $immediate)?)
            }
            (Width::Avx512, Place::Register(b)) => {
                $code.asm.$avx512($to.zmm(), $a.zmm(), b.zmm() $(, $immediate)?)
            }
            (Width::Avx512, Place::Memory(b)) => {
                $code.asm.$avx512($to.zmm(), $a.zmm(), zmmword_ptr(b) $(, $immediate)?)
            }
            (Width::Avx512, Place::Uniform(b)) => {
                $code.asm.$avx512($to.zmm(), $a.zmm(), dword_bcst(b) $(, $immediate)?)
            }
        }
    };
}

macro_rules! on_dwords {
    ($($name:ident / $avx512:ident;)*) => {
        /// Instructions on dwords, with two sources.
        impl Assembly {$(
            pub(super) fn $name(&mut self, to: Vector, a: Vector, b: impl Into<Place>) -> Result<(), IcedError> {
                two_sources!(self, $name, $avx512, to, a, b)
            }
        )*}
    };
}

on_dwords! {
    vpaddd / vpaddd;
    vpsubd / vpsubd;
    vpmulld / vpmulld;
    vpand / vpandd;
    vpandn / vpandnd;
    vpor / vpord;
    vpxor / vpxord;
    vpsllvd / vpsllvd;
    vpsrlvd / vpsrlvd;
    vpsravd / vpsravd;
    vpminsd / vpminsd;
    vpminud / vpminud;
    vpmaxsd / vpmaxsd;
    vpmaxud / vpmaxud;
    vpunpckldq / vpunpckldq;
    vpunpckhdq / vpunpckhdq;
    vaddps / vaddps;
    vsubps / vsubps;
    vmulps / vmulps;
    vdivps / vdivps;
    vminps / vminps;
    vmaxps / vmaxps;
    vfmadd213ps / vfmadd213ps;
    vfmadd231ps / vfmadd231ps;
}

macro_rules! on_other_elements {
    ($($name:ident)*) => {
        /// Instructions on elements of other sizes, with two sources.
        impl Assembly {$(
            pub(super) fn $name(&mut self, to: Vector, a: Vector, b: impl Into<Place>) -> Result<(), IcedError> {
                let b = self.full_vector(b.into())?;
                two_sources!(self, $name, $name, to, a, b)
            }
        )*}
    };
}

on_other_elements! {
    vpmuludq vpmuldq vpmaddwd vaddpd vmulpd vdivpd vfmadd213pd vfmadd231pd
}

macro_rules! one_source {
    ($($name:ident / $avx512:ident $(($immediate:ident))?;)*) => {
        /// Instructions with one source.
        impl Assembly {$(
            pub(super) fn $name(&mut self, to: Vector, a: Vector $(, $immediate: i32)?) -> Result<(), IcedError> {
                match self.width {
                    Width::Avx2 => self.asm.$name(to.ymm(), a.ymm() $(, $immediate)?),
                    Width::Avx512 => self.asm.$avx512(to.zmm(), a.zmm() $(, $immediate)?),
                }
            }
        )*}
    };
}

one_source! {
    vcvtdq2ps / vcvtdq2ps;
    vcvttps2dq / vcvttps2dq;
    vsqrtps / vsqrtps;
    vpslld / vpslld (count);
    vpsrld / vpsrld (count);
    vpsrad / vpsrad (count);
    vpsrlq / vpsrlq (count);
    vpsllw / vpsllw (count);
    vpsraw / vpsraw (count);
    vroundps / vrndscaleps (rounding);
}

impl Assembly {
    /// Shuffles dwords within groups of four lanes.
    pub(super) fn vshufps(
        &mut self,
        to: Vector,
        a: Vector,
        b: impl Into<Place>,
        selector: i32,
    ) -> Result<(), IcedError> {
        two_sources!(self, vshufps, vshufps, to, a, b, selector)
    }

    /// For AVX-512, replaces a uniform dword with a vector in [`SCRATCH`].
    fn full_vector(&mut self, place: Place) -> Result<Place, IcedError> {
        if let (Width::Avx512, Place::Uniform(_)) = (self.width, place) {
            self.load(SCRATCH, place)?;
            return Ok(Place::Register(SCRATCH));
        }
        Ok(place)
    }

    /// Copies an operand to a register.
    pub(super) fn load(&mut self, to: Vector, from: impl Into<Place>) -> Result<(), IcedError> {
        let (from, asm) = (from.into(), &mut self.asm);
        match (self.width, from) {
            (_, Place::Register(from)) if from == to => Ok(()),
            (Width::Avx2, Place::Register(from)) => asm.vmovdqa(to.ymm(), from.ymm()),
            (Width::Avx2, Place::Memory(from)) => asm.vmovdqu(to.ymm(), ymmword_ptr(from)),
            (Width::Avx2, Place::Uniform(from)) => asm.vpbroadcastd(to.ymm(), dword_ptr(from)),
            (Width::Avx512, Place::Register(from)) => asm.vmovdqa32(to.zmm(), from.zmm()),
            (Width::Avx512, Place::Memory(from)) => asm.vmovdqu32(to.zmm(), zmmword_ptr(from)),
            (Width::Avx512, Place::Uniform(from)) => asm.vpbroadcastd(to.zmm(), dword_ptr(from)),
        }
    }

    /// Stores a register.
    pub(super) fn store(&mut self, to: AsmMemoryOperand, from: Vector) -> Result<(), IcedError> {
        match self.width {
            Width::Avx2 => self.asm.vmovdqu(ymmword_ptr(to), from.ymm()),
            Width::Avx512 => self.asm.vmovdqu32(zmmword_ptr(to), from.zmm()),
        }
    }

    /// Copies lane 0 to all lanes.
    pub(super) fn broadcast(&mut self, to: Vector, from: Vector) -> Result<(), IcedError> {
        match self.width {
            Width::Avx2 => self.asm.vpbroadcastd(to.ymm(), from.xmm()),
            Width::Avx512 => self.asm.vpbroadcastd(to.zmm(), from.xmm()),
        }
    }

    /// Copies a general register to all lanes.
    pub(super) fn broadcast_from(
        &mut self,
        to: Vector,
        from: AsmRegister32,
    ) -> Result<(), IcedError> {
        match self.width {
            Width::Avx2 => {
                self.asm.vmovd(to.xmm(), from)?;
                self.asm.vpbroadcastd(to.ymm(), to.xmm())
            }
            Width::Avx512 => self.asm.vpbroadcastd(to.zmm(), from),
        }
    }

    /// Copies lane 0 to a general register.
    pub(super) fn first_lane(&mut self, to: AsmRegister32, from: Vector) -> Result<(), IcedError> {
        match self.width {
            Width::Avx2 => self.asm.vmovd(to, from.xmm()),
            Width::Avx512 => self.asm.evex().vmovd(to, from.xmm()),
        }
    }
}

macro_rules! only_avx2 {
    ($($name:ident $(($immediate:ident))?;)*) => {
        /// AVX2 instructions that have no counterpart with the same operands.
        impl Assembly {$(
            pub(super) fn $name(
                &mut self,
                to: Vector,
                a: Vector,
                b: impl Into<Place>
                $(, $immediate: u32)?
            ) -> Result<(), IcedError> {
                match b.into() {
                    Place::Register(b) => self.asm.$name(to.ymm(), a.ymm(), b.ymm() $(, $immediate)?),
                    Place::Memory(b) | Place::Uniform(b) => {
                        self.asm.$name(to.ymm(), a.ymm(), ymmword_ptr(b) $(, $immediate)?)
                    }
                }
            }
        )*}
    };
}

only_avx2! {
    vpcmpeqd;
    vpcmpgtd;
    vcmpps (predicate);
    vcmppd (predicate);
    vpblendd (lanes);
    vpshufb;
}

macro_rules! mask_registers {
    ($($name:ident / $avx512:ident $(($immediate:ident))?;)*) => {
        /// AVX-512 instructions whose result is a mask.
        impl Assembly {$(
            pub(super) fn $name(
                &mut self,
                to: AsmRegisterK,
                a: Vector,
                b: impl Into<Place>
                $(, $immediate: u32)?
            ) -> Result<(), IcedError> {
                match b.into() {
                    Place::Register(b) => self.asm.$avx512(to, a.zmm(), b.zmm() $(, $immediate)?),
                    Place::Memory(b) => {
                        self.asm.$avx512(to, a.zmm(), zmmword_ptr(b) $(, $immediate)?)
                    }
                    Place::Uniform(b) => {
                        self.asm.$avx512(to, a.zmm(), dword_bcst(b) $(, $immediate)?)
                    }
                }
            }
        )*}
    };
}

mask_registers! {
    equal_mask / vpcmpeqd;
    greater_mask / vpcmpgtd;
    unsigned_mask / vpcmpud (comparison);
    float_mask / vcmpps (predicate);
}

impl Assembly {
    /// Copies an operand to the lanes that a mask selects. The other lanes become zero, or keep their values if
    /// `merges` is set.
    pub(super) fn load_where(
        &mut self,
        mask: MaskRegister,
        to: Vector,
        from: impl Into<Place>,
        merges: bool,
    ) -> Result<(), IcedError> {
        let to = if merges {
            to.merged(mask)
        } else {
            to.zeroed(mask)
        };
        match from.into() {
            Place::Register(from) => self.asm.vmovdqa32(to, from.zmm()),
            Place::Memory(from) => self.asm.vmovdqu32(to, zmmword_ptr(from)),
            Place::Uniform(from) => self.asm.vpbroadcastd(to, dword_ptr(from)),
        }
    }

    /// Selects `one` in the lanes that a mask selects, `other` elsewhere.
    pub(super) fn select(
        &mut self,
        mask: MaskRegister,
        to: Vector,
        one: Place,
        other: Vector,
    ) -> Result<(), IcedError> {
        let to = to.merged(mask);
        match one {
            Place::Register(one) => self.asm.vpblendmd(to, other.zmm(), one.zmm()),
            Place::Memory(one) => self.asm.vpblendmd(to, other.zmm(), zmmword_ptr(one)),
            Place::Uniform(one) => self.asm.vpblendmd(to, other.zmm(), dword_bcst(one)),
        }
    }
}

/// Operations that take several instructions, or different instructions at each width.
impl Assembly {
    /// Compares doubles, for AVX-512.
    pub(super) fn double_mask(
        &mut self,
        to: AsmRegisterK,
        a: Vector,
        b: Place,
        predicate: u32,
    ) -> Result<(), IcedError> {
        match self.full_vector(b)? {
            Place::Register(b) => self.asm.vcmppd(to, a.zmm(), b.zmm(), predicate),
            Place::Memory(b) | Place::Uniform(b) => {
                self.asm.vcmppd(to, a.zmm(), zmmword_ptr(b), predicate)
            }
        }
    }

    /// Loads a mask's bits for the current slice into EAX.
    pub(super) fn load_mask(&mut self, first: u8) -> Result<(), IcedError> {
        let from = mask_bits(first);
        match self.width {
            Width::Avx2 => self.asm.movzx(eax, byte_ptr(from)),
            Width::Avx512 => self.asm.movzx(eax, word_ptr(from)),
        }
    }

    /// Prepares [`Assembly::merge_active`]: for AVX2, loads the mask of active lanes into [`SCRATCH`].
    pub(super) fn load_exec(&mut self) -> Result<(), IcedError> {
        match self.width {
            Width::Avx2 => self.load(SCRATCH, Place::Memory(self.slot(EXEC))),
            Width::Avx512 => Ok(()),
        }
    }

    /// Copies the active lanes of an operand to a register.
    pub(super) fn merge_active(
        &mut self,
        to: Vector,
        from: impl Into<Place>,
    ) -> Result<(), IcedError> {
        match self.width {
            Width::Avx2 => self.vblendvps(to, to, from, SCRATCH),
            Width::Avx512 => self.load_where(MaskRegister::EXEC, to, from, true),
        }
    }

    /// Selects `one` in the lanes that an AVX2 mask selects, `other` elsewhere.
    pub(super) fn vblendvps(
        &mut self,
        to: Vector,
        other: Vector,
        one: impl Into<Place>,
        mask: Vector,
    ) -> Result<(), IcedError> {
        let (to, other, mask) = (to.ymm(), other.ymm(), mask.ymm());
        match one.into() {
            Place::Register(one) => self.asm.vblendvps(to, other, one.ymm(), mask),
            Place::Memory(one) | Place::Uniform(one) => {
                self.asm.vblendvps(to, other, ymmword_ptr(one), mask)
            }
        }
    }

    /// Rotates dwords to the left by 1 to 31 bits.
    pub(super) fn rotate(&mut self, to: Vector, a: Vector, count: i32) -> Result<(), IcedError> {
        if self.width == Width::Avx512 {
            return self.asm.vprold(to.zmm(), a.zmm(), count);
        }
        self.vpslld(SCRATCH, a, count)?;
        self.vpsrld(to, a, u32::BITS as i32 - count)?;
        self.vpor(to, to, SCRATCH)
    }

    /// Joins even lanes of `a` with odd lanes of `b`.
    pub(super) fn interleave(&mut self, to: Vector, a: Vector, b: Place) -> Result<(), IcedError> {
        if self.width == Width::Avx2 {
            return self.vpblendd(to, a, b, ODD & 0xff);
        }
        let odd = MaskRegister::SCRATCH;
        self.asm.mov(eax, ODD)?;
        self.asm.kmovw(odd.k(), eax)?;
        self.select(odd, to, b, a)
    }

    /// Estimates the reciprocal square root of doubles in the range of single precision.
    pub(super) fn rsqrt_estimate(&mut self, to: Vector, a: Vector) -> Result<(), IcedError> {
        if self.width == Width::Avx512 {
            return self.asm.vrsqrt14pd(to.zmm(), a.zmm());
        }
        let scratch = SCRATCH.xmm();
        self.asm.vcvtpd2ps(scratch, a.ymm())?;
        self.asm.vrsqrtps(scratch, scratch)?;
        self.asm.vcvtps2pd(to.ymm(), scratch)
    }

    /// Converts half of each group of four lanes to double precision.
    pub(super) fn widen(&mut self, to: Vector, a: Vector, is_high: bool) -> Result<(), IcedError> {
        if self.width == Width::Avx512 {
            // Dwords 0 and 1, or 2 and 3, of each group.
            let half = if is_high { 2 } else { 0 };
            let lanes = self.constant(|lane| lane / 2 % 4 * 4 + half + lane % 2);
            self.load(SCRATCH, lanes)?;
            self.asm.vpermd(SCRATCH.zmm(), SCRATCH.zmm(), a.zmm())?;
            return self.asm.vcvtps2pd(to.zmm(), SCRATCH.ymm());
        }
        self.asm.vpermq(SCRATCH.ymm(), a.ymm(), MIDDLE_QWORDS)?;
        if is_high {
            self.asm.vextracti128(SCRATCH.xmm(), SCRATCH.ymm(), 1)?;
        }
        self.asm.vcvtps2pd(to.ymm(), SCRATCH.xmm())
    }

    /// Converts both halves of the lanes to single precision.
    pub(super) fn narrow(&mut self, to: Vector, low: Vector, high: Place) -> Result<(), IcedError> {
        if self.width == Width::Avx512 {
            match self.full_vector(high)? {
                Place::Register(high) => self.asm.vcvtpd2ps(SCRATCH.ymm(), high.zmm())?,
                Place::Memory(high) | Place::Uniform(high) => {
                    self.asm.vcvtpd2ps(SCRATCH.ymm(), zmmword_ptr(high))?;
                }
            }
            // Qwords of the low and the high half alternate.
            let lanes = self.constant(|lane| lane / 4 * 2 + lane % 2 + lane / 2 % 2 * 8);
            self.asm.vcvtpd2ps(OTHER.ymm(), low.zmm())?;
            let (from, to) = (OTHER.zmm(), to.zmm());
            self.asm.vinserti64x4(from, from, SCRATCH.ymm(), 1)?;
            self.load(SCRATCH, lanes)?;
            return self.asm.vpermd(to, SCRATCH.zmm(), from);
        }
        let low_half = SCRATCH.xmm();
        match high {
            Place::Register(high) => self.asm.vcvtpd2ps(low_half, high.ymm())?,
            Place::Memory(high) | Place::Uniform(high) => {
                self.asm.vcvtpd2ps(low_half, ymmword_ptr(high))?;
            }
        }
        self.asm.vcvtpd2ps(to.xmm(), low.ymm())?;
        self.asm.vinserti128(to.ymm(), to.ymm(), low_half, 1)?;
        self.asm.vpermq(to.ymm(), to.ymm(), MIDDLE_QWORDS)
    }

    /// Splits adjacent elements of two or four dwords into one register per dword, for AVX-512.
    pub(super) fn transpose(&mut self, of: &[Vector]) -> Result<(), IcedError> {
        let (scratch, other) = (SCRATCH.zmm(), OTHER.zmm());
        match of {
            [a, b] => {
                for (odd, to) in [(0, SCRATCH), (1, OTHER)] {
                    let lanes = self.constant(|lane| 2 * lane + odd);
                    self.load(to, lanes)?;
                    self.asm.vpermi2d(to.zmm(), a.zmm(), b.zmm())?;
                }
                self.load(*a, SCRATCH)?;
                self.load(*b, OTHER)
            }
            [a, b, c, d] => {
                // Each half of a permuted register holds one dword of half of the lanes.
                let first = self.constant(|lane| lane % 8 * 4 + lane / 8);
                let second = self.constant(|lane| lane % 8 * 4 + lane / 8 + 2);
                let (a, b, c, d) = (*a, *b, *c, *d);
                self.load(SCRATCH, first)?;
                self.asm.vpermi2d(scratch, a.zmm(), b.zmm())?;
                self.load(OTHER, second)?;
                self.asm.vpermi2d(other, a.zmm(), b.zmm())?;
                self.load(a, first)?;
                self.asm.vpermi2d(a.zmm(), c.zmm(), d.zmm())?;
                self.load(b, second)?;
                self.asm.vpermi2d(b.zmm(), c.zmm(), d.zmm())?;
                let (a, b, c, d) = (a.zmm(), b.zmm(), c.zmm(), d.zmm());
                self.asm.vshufi64x2(c, other, b, 0x44)?;
                self.asm.vshufi64x2(d, other, b, 0xee)?;
                self.asm.vshufi64x2(b, scratch, a, 0xee)?;
                self.asm.vshufi64x2(a, scratch, a, 0x44)
            }
            _ => Ok(()),
        }
    }

    /// Joins the registers of two or four dwords into adjacent elements, for AVX-512. Leaves the vector with index
    /// `row` of the result in [`SCRATCH`].
    pub(super) fn element_row(&mut self, of: &[Vector], row: usize) -> Result<(), IcedError> {
        let count = of.len() as u32;
        let first = row as u32 * Width::MAX_LANES as u32 / count;
        let lanes = self.constant(|lane| lane % 2 * 16 + first + lane / count);
        match of {
            [a, b] => {
                self.load(SCRATCH, lanes)?;
                self.asm.vpermi2d(SCRATCH.zmm(), a.zmm(), b.zmm())
            }
            [a, b, c, d] => {
                let upper = MaskRegister::SCRATCH;
                self.load(SCRATCH, lanes)?;
                self.asm.vpermi2d(SCRATCH.zmm(), a.zmm(), b.zmm())?;
                self.load(OTHER, lanes)?;
                self.asm.vpermi2d(OTHER.zmm(), c.zmm(), d.zmm())?;
                self.asm.mov(esi, UPPER_PAIRS)?;
                self.asm.kmovw(upper.k(), esi)?;
                self.load_where(upper, SCRATCH, OTHER, true)
            }
            _ => Ok(()),
        }
    }

    /// Stores dwords at the offsets in [`OTHER`] from RDX, for AVX-512. Overlapping lanes store in order.
    pub(super) fn scatter(
        &mut self,
        value: Vector,
        offset: usize,
        all_active: bool,
    ) -> Result<(), IcedError> {
        self.lanes_to_move(all_active)?;
        let to = zmmword_ptr(rdx + OTHER.zmm() + offset);
        self.asm
            .vpscatterdd(with_mask!(to, MaskRegister::SCRATCH), value.zmm())
    }

    /// Copies the active lanes to the scratch mask register, which a gather or scatter clears.
    pub(super) fn lanes_to_move(&mut self, all_active: bool) -> Result<(), IcedError> {
        let mask = MaskRegister::SCRATCH.k();
        if all_active {
            self.asm.kxnorw(mask, mask, mask)
        } else {
            self.asm.kmovw(mask, MaskRegister::EXEC.k())
        }
    }

    /// Stores the lanes of a register that a mask selects.
    pub(super) fn store_where(
        &mut self,
        mask: MaskRegister,
        to: AsmMemoryOperand,
        from: Vector,
    ) -> Result<(), IcedError> {
        self.asm
            .vmovdqu32(with_mask!(zmmword_ptr(to), mask), from.zmm())
    }
}

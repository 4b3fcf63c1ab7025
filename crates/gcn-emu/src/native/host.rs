//! Widths of the host's vectors, and their registers. AVX2 code computes eight lanes at a time, with masks in vector
//! registers. AVX-512 code computes sixteen, with masks in mask registers.

use iced_x86::code_asm::{
    AsmMemoryOperand, AsmRegisterK, AsmRegisterXmm, AsmRegisterYmm, AsmRegisterZmm, registers,
};

use crate::lanes::Level;

/// Applies an opmask to an operand.
macro_rules! with_mask {
    ($operand:expr, $mask:expr) => {
        match $mask.0 {
            1 => $operand.k1(),
            2 => $operand.k2(),
            3 => $operand.k3(),
            4 => $operand.k4(),
            5 => $operand.k5(),
            6 => $operand.k6(),
            _ => $operand.k7(),
        }
    };
}
pub(super) use with_mask;

/// Width of the host's vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    Avx2,
    Avx512,
}

impl Width {
    /// Number of lanes of the widest vectors.
    pub(super) const MAX_LANES: usize = Width::Avx512.lanes();

    /// Widest vectors that the process may use.
    pub(super) fn current() -> Width {
        if Level::current() >= Level::Avx512 {
            Width::Avx512
        } else {
            Width::Avx2
        }
    }

    /// Number of lanes in a slice.
    pub(super) const fn lanes(self) -> usize {
        match self {
            Width::Avx2 => 8,
            Width::Avx512 => 16,
        }
    }

    /// Size of a slice of a vector register in bytes.
    pub(super) const fn bytes(self) -> usize {
        self.lanes() * size_of::<u32>()
    }

    /// Bits of all lanes of a slice.
    pub(super) const fn all(self) -> i32 {
        (1 << self.lanes()) - 1
    }

    /// Registers that hold values.
    pub(super) fn values(self) -> impl Iterator<Item = Vector> {
        let all = match self {
            Width::Avx2 => YMM.len() / 2,
            Width::Avx512 => ZMM.len(),
        };
        let is_value = |it: &Vector| *it != SCRATCH && *it != OTHER;
        (0..all as u8).map(Vector).filter(is_value)
    }
}

/// Vector register of the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Vector(pub(super) u8);

pub(super) const SCRATCH: Vector = Vector(14);
pub(super) const OTHER: Vector = Vector(15);

/// Mask register of an AVX-512 host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MaskRegister(pub(super) u8);

impl MaskRegister {
    /// Number of mask registers of the host.
    pub(super) const COUNT: usize = 8;
    /// Second scratch register, which cannot select lanes.
    pub(super) const OTHER: MaskRegister = MaskRegister(0);
    pub(super) const SCRATCH: MaskRegister = MaskRegister(6);
    /// Active lanes of the slice, unless all are active.
    pub(super) const EXEC: MaskRegister = MaskRegister(7);

    /// Registers that hold values.
    pub(super) fn values() -> impl Iterator<Item = MaskRegister> + Clone {
        (1..MaskRegister::SCRATCH.0).map(MaskRegister)
    }

    pub(super) fn k(self) -> AsmRegisterK {
        use registers::*;
        [k0, k1, k2, k3, k4, k5, k6, k7][usize::from(self.0)]
    }
}

#[rustfmt::skip]
const XMM: [AsmRegisterXmm; 32] = {
    use registers::*;
    [xmm0, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13, xmm14, xmm15,
    xmm16, xmm17, xmm18, xmm19, xmm20, xmm21, xmm22, xmm23, xmm24, xmm25, xmm26, xmm27, xmm28, xmm29, xmm30, xmm31]
};
#[rustfmt::skip]
const YMM: [AsmRegisterYmm; 32] = {
    use registers::*;
    [ymm0, ymm1, ymm2, ymm3, ymm4, ymm5, ymm6, ymm7, ymm8, ymm9, ymm10, ymm11, ymm12, ymm13, ymm14, ymm15,
    ymm16, ymm17, ymm18, ymm19, ymm20, ymm21, ymm22, ymm23, ymm24, ymm25, ymm26, ymm27, ymm28, ymm29, ymm30, ymm31]
};
#[rustfmt::skip]
const ZMM: [AsmRegisterZmm; 32] = {
    use registers::*;
    [zmm0, zmm1, zmm2, zmm3, zmm4, zmm5, zmm6, zmm7, zmm8, zmm9, zmm10, zmm11, zmm12, zmm13, zmm14, zmm15,
    zmm16, zmm17, zmm18, zmm19, zmm20, zmm21, zmm22, zmm23, zmm24, zmm25, zmm26, zmm27, zmm28, zmm29, zmm30, zmm31]
};

impl Vector {
    pub(super) fn xmm(self) -> AsmRegisterXmm {
        XMM[usize::from(self.0)]
    }

    pub(super) fn ymm(self) -> AsmRegisterYmm {
        YMM[usize::from(self.0)]
    }

    pub(super) fn zmm(self) -> AsmRegisterZmm {
        ZMM[usize::from(self.0)]
    }

    /// The register as a destination that keeps the lanes outside a mask.
    pub(super) fn merged(self, mask: MaskRegister) -> AsmRegisterZmm {
        with_mask!(self.zmm(), mask)
    }

    /// The register as a destination whose lanes outside a mask become zero.
    pub(super) fn zeroed(self, mask: MaskRegister) -> AsmRegisterZmm {
        self.merged(mask).z()
    }
}

/// Source operand of a vector instruction.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Register(Vector),
    /// Address of a vector.
    Memory(AsmMemoryOperand),
    /// Address of a dword that is the same in all lanes. Unless an AVX2 instruction only loads the operand, seven
    /// copies must follow the dword.
    Uniform(AsmMemoryOperand),
}

impl From<Vector> for Place {
    fn from(register: Vector) -> Place {
        Place::Register(register)
    }
}

/// Vector that does not cross a cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row(pub(super) [u32; Width::MAX_LANES]);

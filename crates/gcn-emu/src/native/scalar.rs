//! Lowering of scalar instructions. Their values are in lane 0.

use gcn_isa::effect::{AluOp, Test, Value, body};
use gcn_isa::{AluTypes, Does, Ty, regs};

use super::graph::{Id, Op};
use super::lower::{Builder, MaskResult, compared};
use super::record::{Recorded, RecordedFlag};
use crate::step::{Arg, Step};
use crate::wave::SCALARS;

/// Result of a scalar instruction.
struct ScalarResult {
    dwords: Vec<Id>,
    scc: Option<MaskResult>,
}

impl Builder {
    /// Lowers a scalar instruction; `None` if that is not possible.
    pub(super) fn lower_scalar(&mut self, step: &Step) -> Option<()> {
        if step.relative.is_some() {
            return None;
        }
        let types = step.inst.row().alu_types();
        match step.inst.does() {
            Does::Compare(test, _) => self.compare_scalars(step, test, types),
            Does::Alu(AluOp::SaveExec(op)) => {
                self.write_exec(step, true, |a, exec| op.apply(a, exec))
            }
            Does::Alu(AluOp::WriteExec(op)) => {
                self.write_exec(step, false, |a, exec| op.apply(a, exec))
            }
            Does::Alu(op) => {
                let ScalarResult { dwords, scc } = self.scalar_result(step, op, types)?;
                self.set_scalars(step.args[0], &dwords)?;
                if scc.is_some() {
                    self.state.scc = scc;
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Operand at an index, as a value of type `ty`.
    fn scalar(&self, step: &Step, place: usize, ty: Ty) -> Option<Recorded<'_>> {
        let is_signed = matches!(ty, Ty::I32 | Ty::I64);
        let arg = match step.args[place] {
            Arg::Imm(value) => Arg::Const(value as u64),
            arg => arg,
        };
        let low = self.dword(arg, 0)?;
        Some(match ty.dwords() {
            0 | 1 => Recorded::dword(&self.recorder, low, is_signed),
            _ => Recorded::wide(&self.recorder, [low, self.dword(arg, 1)?], is_signed),
        })
    }

    fn scc(&self) -> RecordedFlag<'_> {
        let known = self.state.scc.unwrap_or_else(|| MaskResult {
            mask: self.recorder.add(Op::Scc),
            is_inverted: false,
        });
        let flag = RecordedFlag::new(&self.recorder, known.mask);
        if known.is_inverted { !flag } else { flag }
    }

    fn set_scalars(&mut self, arg: Arg, ids: &[Id]) -> Option<()> {
        let Arg::Scalar(first) = arg else {
            return None;
        };
        for (register, id) in (first..).zip(ids) {
            self.state.scalars.insert(register % SCALARS as u8, *id);
        }
        Some(())
    }

    fn compare_scalars(&mut self, step: &Step, test: Test, types: AluTypes) -> Option<()> {
        let ty = types.source;
        let (a, b) = (self.scalar(step, 0, ty)?, self.scalar(step, 1, ty)?);
        // Unsigned SOPK comparisons zero-extend the constant.
        let b = if types.is_sopk && ty == Ty::U32 {
            b & b.constant(0xffff)
        } else {
            b
        };
        let scc = compared(test, a, b)?.into();
        self.state.scc = Some(scc);
        Some(())
    }

    /// Lowers an instruction that updates EXEC and returns the old or the new value.
    fn write_exec(
        &mut self,
        step: &Step,
        saves: bool,
        op: impl for<'r> Fn(Recorded<'r>, Recorded<'r>) -> Recorded<'r>,
    ) -> Option<()> {
        let exec_arg = Arg::Scalar(regs::EXEC_LO);
        let [low, high] = [self.dword(exec_arg, 0)?, self.dword(exec_arg, 1)?];
        let exec = Recorded::wide(&self.recorder, [low, high], false);
        let new = op(self.scalar(step, 1, Ty::B64)?, exec);
        let scc = is_not_zero(new);
        let new = new.ids().to_vec();
        let old = [low, high];
        self.set_scalars(step.args[0], if saves { &old } else { &new })?;
        self.set_scalars(exec_arg, &new)?;
        self.state.scc = Some(scc);
        Some(())
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the interpreter executes all others"
    )]
    fn scalar_result(&self, step: &Step, op: AluOp, types: AluTypes) -> Option<ScalarResult> {
        use AluOp::*;
        let ty = match op {
            Abs | AbsDiff | SignExtend(_) => Ty::I32,
            Add | Mul if types.is_sopk => Ty::I32,
            _ => types.result,
        };
        // SOPK instructions read their destination.
        let places = if types.is_sopk { [0, 1] } else { [1, 2] };
        let source = |number: usize, ty| self.scalar(step, places[number], ty);
        let value = |result: Recorded<'_>| ScalarResult {
            dwords: result.ids().to_vec(),
            scc: None,
        };
        let with_scc = |result: Recorded<'_>, flag: RecordedFlag<'_>| ScalarResult {
            scc: Some(flag.into()),
            ..value(result)
        };
        let with_non_zero = |result: Recorded<'_>| ScalarResult {
            scc: Some(is_not_zero(result)),
            ..value(result)
        };
        Some(match op {
            Move if types.is_sopk => value(self.scalar(step, 1, ty)?),
            Move => value(source(0, ty)?),
            MoveIf => {
                let place = if types.is_sopk { 1 } else { places[0] };
                let (new, old) = (self.scalar(step, place, ty)?, self.scalar(step, 0, ty)?);
                value(Recorded::select(self.scc(), new, old))
            }
            Select => value(Recorded::select(self.scc(), source(0, ty)?, source(1, ty)?)),
            Add => {
                let (sum, flag) = source(0, ty)?.overflowing_add(source(1, ty)?);
                with_scc(sum, flag)
            }
            Sub => {
                let (difference, flag) = source(0, ty)?.overflowing_sub(source(1, ty)?);
                with_scc(difference, flag)
            }
            AddCarry => {
                let (sum, flag) =
                    body::add_carry(source(0, Ty::U32)?, source(1, Ty::U32)?, self.scc());
                with_scc(sum, flag)
            }
            SubBorrow => {
                let (difference, flag) =
                    body::sub_borrow(source(0, Ty::U32)?, source(1, Ty::U32)?, self.scc());
                with_scc(difference, flag)
            }
            ShiftByAdd(by) => {
                let (sum, flag) = body::shift_by_add(by, source(0, Ty::U32)?, source(1, Ty::U32)?);
                with_scc(sum, flag)
            }
            Min => {
                let (a, b) = (source(0, ty)?, source(1, ty)?);
                with_scc(body::min(a, b), a.less(b))
            }
            Max => {
                let (a, b) = (source(0, ty)?, source(1, ty)?);
                with_scc(body::max(a, b), b.less(a))
            }
            Mul | MulHigh | SignExtend(_) if ty.dwords() <= 1 => {
                let a = source(0, ty)?;
                let b = if matches!(op, SignExtend(_)) {
                    a
                } else {
                    source(1, ty)?
                };
                value(body::evaluate(op, [a, b, b], self.scc())?)
            }
            Not | Abs => {
                let a = source(0, ty)?;
                let result = body::evaluate(op, [a; 3], self.scc())?;
                with_non_zero(result)
            }
            Bitwise(_) | AbsDiff => {
                let (a, b) = (source(0, ty)?, source(1, ty)?);
                let result = body::evaluate(op, [a, b, b], self.scc())?;
                with_non_zero(result)
            }
            Shift(how) => {
                let result = how.apply(source(0, ty)?, source(1, Ty::U32)?);
                with_non_zero(result)
            }
            ExtractPacked if ty.dwords() <= 1 => {
                let result = body::extract_packed(source(0, ty)?, source(1, Ty::U32)?);
                with_non_zero(result)
            }
            _ => return None,
        })
    }
}

fn is_not_zero(value: Recorded<'_>) -> MaskResult {
    (!value.equals(value.constant(0))).into()
}

//! Vector comparisons.

use gcn_isa::vopc::Vopc;

use super::float::{F16, Float};
use super::protocol::{compare, compare_float};
use crate::code::Handler;

/// The handler of a comparison. Those that write EXEC, and those that signal, compare like those that do not.
#[rustfmt::skip]
#[allow(
    clippy::neg_cmp_op_on_partial_ord,
    clippy::nonminimal_bool,
    clippy::double_comparisons
)] // The names have the negations, and NaN makes them matter.
pub fn vopc(op: Vopc) -> Option<Handler> {
    use Vopc::*;
    let handler: Handler = match op {
        V_CMP_F_F32 | V_CMPX_F_F32 | V_CMPS_F_F32 | V_CMPSX_F_F32 => |w, s| compare_float(w, s, |_: f32, _: f32| false),
        V_CMP_LT_F32 | V_CMPX_LT_F32 | V_CMPS_LT_F32 | V_CMPSX_LT_F32 =>
            |w, s| compare_float(w, s, |a: f32, b: f32| a < b),
        V_CMP_EQ_F32 | V_CMPX_EQ_F32 | V_CMPS_EQ_F32 | V_CMPSX_EQ_F32 =>
            |w, s| compare_float(w, s, |a: f32, b: f32| a == b),
        V_CMP_LE_F32 | V_CMPX_LE_F32 | V_CMPS_LE_F32 | V_CMPSX_LE_F32 =>
            |w, s| compare_float(w, s, |a: f32, b: f32| a <= b),
        V_CMP_GT_F32 | V_CMPX_GT_F32 | V_CMPS_GT_F32 | V_CMPSX_GT_F32 =>
            |w, s| compare_float(w, s, |a: f32, b: f32| a > b),
        V_CMP_LG_F32 | V_CMPX_LG_F32 | V_CMPS_LG_F32 | V_CMPSX_LG_F32 =>
            |w, s| compare_float(w, s, |a: f32, b: f32| a < b || a > b),
        V_CMP_GE_F32 | V_CMPX_GE_F32 | V_CMPS_GE_F32 | V_CMPSX_GE_F32 =>
            |w, s| compare_float(w, s, |a: f32, b: f32| a >= b),
        V_CMP_O_F32 | V_CMPX_O_F32 | V_CMPS_O_F32 | V_CMPSX_O_F32 => |w, s| compare_float(w, s, |a: f32, b: f32| !unordered(a, b)),
        V_CMP_U_F32 | V_CMPX_U_F32 | V_CMPS_U_F32 | V_CMPSX_U_F32 => |w, s| compare_float(w, s, |a: f32, b: f32| unordered(a, b)),
        V_CMP_NGE_F32 | V_CMPX_NGE_F32 | V_CMPS_NGE_F32 | V_CMPSX_NGE_F32 =>
            |w, s| compare_float(w, s, |a: f32, b: f32| !(a >= b)),
        V_CMP_NLG_F32 | V_CMPX_NLG_F32 | V_CMPS_NLG_F32 | V_CMPSX_NLG_F32 =>
            |w, s| compare_float(w, s, |a: f32, b: f32| !(a < b || a > b)),
        V_CMP_NGT_F32 | V_CMPX_NGT_F32 | V_CMPS_NGT_F32 | V_CMPSX_NGT_F32 =>
            |w, s| compare_float(w, s, |a: f32, b: f32| !(a > b)),
        V_CMP_NLE_F32 | V_CMPX_NLE_F32 | V_CMPS_NLE_F32 | V_CMPSX_NLE_F32 =>
            |w, s| compare_float(w, s, |a: f32, b: f32| !(a <= b)),
        V_CMP_NEQ_F32 | V_CMPX_NEQ_F32 | V_CMPS_NEQ_F32 | V_CMPSX_NEQ_F32 =>
            |w, s| compare_float(w, s, |a: f32, b: f32| a != b),
        V_CMP_NLT_F32 | V_CMPX_NLT_F32 | V_CMPS_NLT_F32 | V_CMPSX_NLT_F32 =>
            |w, s| compare_float(w, s, |a: f32, b: f32| !(a < b)),
        V_CMP_TRU_F32 | V_CMPX_TRU_F32 | V_CMPS_TRU_F32 | V_CMPSX_TRU_F32 =>
            |w, s| compare_float(w, s, |_: f32, _: f32| true),
        V_CMP_F_F64 | V_CMPX_F_F64 | V_CMPS_F_F64 | V_CMPSX_F_F64 => |w, s| compare_float(w, s, |_: f64, _: f64| false),
        V_CMP_LT_F64 | V_CMPX_LT_F64 | V_CMPS_LT_F64 | V_CMPSX_LT_F64 =>
            |w, s| compare_float(w, s, |a: f64, b: f64| a < b),
        V_CMP_EQ_F64 | V_CMPX_EQ_F64 | V_CMPS_EQ_F64 | V_CMPSX_EQ_F64 =>
            |w, s| compare_float(w, s, |a: f64, b: f64| a == b),
        V_CMP_LE_F64 | V_CMPX_LE_F64 | V_CMPS_LE_F64 | V_CMPSX_LE_F64 =>
            |w, s| compare_float(w, s, |a: f64, b: f64| a <= b),
        V_CMP_GT_F64 | V_CMPX_GT_F64 | V_CMPS_GT_F64 | V_CMPSX_GT_F64 =>
            |w, s| compare_float(w, s, |a: f64, b: f64| a > b),
        V_CMP_LG_F64 | V_CMPX_LG_F64 | V_CMPS_LG_F64 | V_CMPSX_LG_F64 =>
            |w, s| compare_float(w, s, |a: f64, b: f64| a < b || a > b),
        V_CMP_GE_F64 | V_CMPX_GE_F64 | V_CMPS_GE_F64 | V_CMPSX_GE_F64 =>
            |w, s| compare_float(w, s, |a: f64, b: f64| a >= b),
        V_CMP_O_F64 | V_CMPX_O_F64 | V_CMPS_O_F64 | V_CMPSX_O_F64 => |w, s| compare_float(w, s, |a: f64, b: f64| !unordered(a, b)),
        V_CMP_U_F64 | V_CMPX_U_F64 | V_CMPS_U_F64 | V_CMPSX_U_F64 => |w, s| compare_float(w, s, |a: f64, b: f64| unordered(a, b)),
        V_CMP_NGE_F64 | V_CMPX_NGE_F64 | V_CMPS_NGE_F64 | V_CMPSX_NGE_F64 =>
            |w, s| compare_float(w, s, |a: f64, b: f64| !(a >= b)),
        V_CMP_NLG_F64 | V_CMPX_NLG_F64 | V_CMPS_NLG_F64 | V_CMPSX_NLG_F64 =>
            |w, s| compare_float(w, s, |a: f64, b: f64| !(a < b || a > b)),
        V_CMP_NGT_F64 | V_CMPX_NGT_F64 | V_CMPS_NGT_F64 | V_CMPSX_NGT_F64 =>
            |w, s| compare_float(w, s, |a: f64, b: f64| !(a > b)),
        V_CMP_NLE_F64 | V_CMPX_NLE_F64 | V_CMPS_NLE_F64 | V_CMPSX_NLE_F64 =>
            |w, s| compare_float(w, s, |a: f64, b: f64| !(a <= b)),
        V_CMP_NEQ_F64 | V_CMPX_NEQ_F64 | V_CMPS_NEQ_F64 | V_CMPSX_NEQ_F64 =>
            |w, s| compare_float(w, s, |a: f64, b: f64| a != b),
        V_CMP_NLT_F64 | V_CMPX_NLT_F64 | V_CMPS_NLT_F64 | V_CMPSX_NLT_F64 =>
            |w, s| compare_float(w, s, |a: f64, b: f64| !(a < b)),
        V_CMP_TRU_F64 | V_CMPX_TRU_F64 | V_CMPS_TRU_F64 | V_CMPSX_TRU_F64 =>
            |w, s| compare_float(w, s, |_: f64, _: f64| true),
        V_CMP_F_I32 | V_CMPX_F_I32 => |w, s| compare(w, s, |_: i32, _: i32| false),
        V_CMP_LT_I32 | V_CMPX_LT_I32 => |w, s| compare(w, s, |a: i32, b: i32| a < b),
        V_CMP_EQ_I32 | V_CMPX_EQ_I32 => |w, s| compare(w, s, |a: i32, b: i32| a == b),
        V_CMP_LE_I32 | V_CMPX_LE_I32 => |w, s| compare(w, s, |a: i32, b: i32| a <= b),
        V_CMP_GT_I32 | V_CMPX_GT_I32 => |w, s| compare(w, s, |a: i32, b: i32| a > b),
        V_CMP_NE_I32 | V_CMPX_NE_I32 => |w, s| compare(w, s, |a: i32, b: i32| a != b),
        V_CMP_GE_I32 | V_CMPX_GE_I32 => |w, s| compare(w, s, |a: i32, b: i32| a >= b),
        V_CMP_T_I32 | V_CMPX_T_I32 => |w, s| compare(w, s, |_: i32, _: i32| true),
        V_CMP_F_I64 | V_CMPX_F_I64 => |w, s| compare(w, s, |_: i64, _: i64| false),
        V_CMP_LT_I64 | V_CMPX_LT_I64 => |w, s| compare(w, s, |a: i64, b: i64| a < b),
        V_CMP_EQ_I64 | V_CMPX_EQ_I64 => |w, s| compare(w, s, |a: i64, b: i64| a == b),
        V_CMP_LE_I64 | V_CMPX_LE_I64 => |w, s| compare(w, s, |a: i64, b: i64| a <= b),
        V_CMP_GT_I64 | V_CMPX_GT_I64 => |w, s| compare(w, s, |a: i64, b: i64| a > b),
        V_CMP_NE_I64 | V_CMPX_NE_I64 => |w, s| compare(w, s, |a: i64, b: i64| a != b),
        V_CMP_GE_I64 | V_CMPX_GE_I64 => |w, s| compare(w, s, |a: i64, b: i64| a >= b),
        V_CMP_T_I64 | V_CMPX_T_I64 => |w, s| compare(w, s, |_: i64, _: i64| true),
        V_CMP_F_U32 | V_CMPX_F_U32 => |w, s| compare(w, s, |_: u32, _: u32| false),
        V_CMP_LT_U32 | V_CMPX_LT_U32 => |w, s| compare(w, s, |a: u32, b: u32| a < b),
        V_CMP_EQ_U32 | V_CMPX_EQ_U32 => |w, s| compare(w, s, |a: u32, b: u32| a == b),
        V_CMP_LE_U32 | V_CMPX_LE_U32 => |w, s| compare(w, s, |a: u32, b: u32| a <= b),
        V_CMP_GT_U32 | V_CMPX_GT_U32 => |w, s| compare(w, s, |a: u32, b: u32| a > b),
        V_CMP_NE_U32 | V_CMPX_NE_U32 => |w, s| compare(w, s, |a: u32, b: u32| a != b),
        V_CMP_GE_U32 | V_CMPX_GE_U32 => |w, s| compare(w, s, |a: u32, b: u32| a >= b),
        V_CMP_T_U32 | V_CMPX_T_U32 => |w, s| compare(w, s, |_: u32, _: u32| true),
        V_CMP_F_U64 | V_CMPX_F_U64 => |w, s| compare(w, s, |_: u64, _: u64| false),
        V_CMP_LT_U64 | V_CMPX_LT_U64 => |w, s| compare(w, s, |a: u64, b: u64| a < b),
        V_CMP_EQ_U64 | V_CMPX_EQ_U64 => |w, s| compare(w, s, |a: u64, b: u64| a == b),
        V_CMP_LE_U64 | V_CMPX_LE_U64 => |w, s| compare(w, s, |a: u64, b: u64| a <= b),
        V_CMP_GT_U64 | V_CMPX_GT_U64 => |w, s| compare(w, s, |a: u64, b: u64| a > b),
        V_CMP_NE_U64 | V_CMPX_NE_U64 => |w, s| compare(w, s, |a: u64, b: u64| a != b),
        V_CMP_GE_U64 | V_CMPX_GE_U64 => |w, s| compare(w, s, |a: u64, b: u64| a >= b),
        V_CMP_T_U64 | V_CMPX_T_U64 => |w, s| compare(w, s, |_: u64, _: u64| true),
        V_CMP_CLASS_F32 | V_CMPX_CLASS_F32 => |w, s| compare(w, s, |a: f32, mask: u32| mask & a.class() != 0),
        V_CMP_CLASS_F64 | V_CMPX_CLASS_F64 => |w, s| compare(w, s, |a: f64, mask: u32| mask & a.class() != 0),
        V_CMP_F_F16 | V_CMPX_F_F16 => |w, s| compare_float(w, s, |_: F16, _: F16| false),
        V_CMP_LT_F16 | V_CMPX_LT_F16 => |w, s| compare_float(w, s, |a: F16, b: F16| a < b),
        V_CMP_EQ_F16 | V_CMPX_EQ_F16 => |w, s| compare_float(w, s, |a: F16, b: F16| a == b),
        V_CMP_LE_F16 | V_CMPX_LE_F16 => |w, s| compare_float(w, s, |a: F16, b: F16| a <= b),
        V_CMP_GT_F16 | V_CMPX_GT_F16 => |w, s| compare_float(w, s, |a: F16, b: F16| a > b),
        V_CMP_LG_F16 | V_CMPX_LG_F16 => |w, s| compare_float(w, s, |a: F16, b: F16| a < b || a > b),
        V_CMP_GE_F16 | V_CMPX_GE_F16 => |w, s| compare_float(w, s, |a: F16, b: F16| a >= b),
        V_CMP_O_F16 | V_CMPX_O_F16 => |w, s| compare_float(w, s, |a: F16, b: F16| !unordered(a, b)),
        V_CMP_U_F16 | V_CMPX_U_F16 => |w, s| compare_float(w, s, |a: F16, b: F16| unordered(a, b)),
        V_CMP_NGE_F16 | V_CMPX_NGE_F16 => |w, s| compare_float(w, s, |a: F16, b: F16| !(a >= b)),
        V_CMP_NLG_F16 | V_CMPX_NLG_F16 => |w, s| compare_float(w, s, |a: F16, b: F16| !(a < b || a > b)),
        V_CMP_NGT_F16 | V_CMPX_NGT_F16 => |w, s| compare_float(w, s, |a: F16, b: F16| !(a > b)),
        V_CMP_NLE_F16 | V_CMPX_NLE_F16 => |w, s| compare_float(w, s, |a: F16, b: F16| !(a <= b)),
        V_CMP_NEQ_F16 | V_CMPX_NEQ_F16 => |w, s| compare_float(w, s, |a: F16, b: F16| a != b),
        V_CMP_NLT_F16 | V_CMPX_NLT_F16 => |w, s| compare_float(w, s, |a: F16, b: F16| !(a < b)),
        V_CMP_TRU_F16 | V_CMPX_TRU_F16 => |w, s| compare_float(w, s, |_: F16, _: F16| true),
        V_CMP_F_I16 | V_CMPX_F_I16 => |w, s| compare(w, s, |_: i16, _: i16| false),
        V_CMP_LT_I16 | V_CMPX_LT_I16 => |w, s| compare(w, s, |a: i16, b: i16| a < b),
        V_CMP_EQ_I16 | V_CMPX_EQ_I16 => |w, s| compare(w, s, |a: i16, b: i16| a == b),
        V_CMP_LE_I16 | V_CMPX_LE_I16 => |w, s| compare(w, s, |a: i16, b: i16| a <= b),
        V_CMP_GT_I16 | V_CMPX_GT_I16 => |w, s| compare(w, s, |a: i16, b: i16| a > b),
        V_CMP_NE_I16 | V_CMPX_NE_I16 => |w, s| compare(w, s, |a: i16, b: i16| a != b),
        V_CMP_GE_I16 | V_CMPX_GE_I16 => |w, s| compare(w, s, |a: i16, b: i16| a >= b),
        V_CMP_T_I16 | V_CMPX_T_I16 => |w, s| compare(w, s, |_: i16, _: i16| true),
        V_CMP_F_U16 | V_CMPX_F_U16 => |w, s| compare(w, s, |_: u16, _: u16| false),
        V_CMP_LT_U16 | V_CMPX_LT_U16 => |w, s| compare(w, s, |a: u16, b: u16| a < b),
        V_CMP_EQ_U16 | V_CMPX_EQ_U16 => |w, s| compare(w, s, |a: u16, b: u16| a == b),
        V_CMP_LE_U16 | V_CMPX_LE_U16 => |w, s| compare(w, s, |a: u16, b: u16| a <= b),
        V_CMP_GT_U16 | V_CMPX_GT_U16 => |w, s| compare(w, s, |a: u16, b: u16| a > b),
        V_CMP_NE_U16 | V_CMPX_NE_U16 => |w, s| compare(w, s, |a: u16, b: u16| a != b),
        V_CMP_GE_U16 | V_CMPX_GE_U16 => |w, s| compare(w, s, |a: u16, b: u16| a >= b),
        V_CMP_T_U16 | V_CMPX_T_U16 => |w, s| compare(w, s, |_: u16, _: u16| true),
        V_CMP_CLASS_F16 | V_CMPX_CLASS_F16 => |w, s| compare(w, s, |a: F16, mask: u32| mask & a.class() != 0),
    };
    Some(handler)
}

#[inline(always)]
#[allow(clippy::eq_op)] // Only a NaN differs from itself.
fn unordered<F: PartialEq>(a: F, b: F) -> bool {
    a != a || b != b
}

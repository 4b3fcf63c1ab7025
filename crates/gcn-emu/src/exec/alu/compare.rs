//! Vector comparisons.

use gcn_isa::Ty;
use gcn_isa::effect::Test;

use super::float::{F16, Float};
use super::floating::compare_float;
use super::protocol::{compare, compare_constant};
use crate::lanes::{Lane, at_each_level};
use crate::step::Handler;

/// Returns the handler of a comparison of sources of type `ty`. Signaling comparisons behave like quiet ones.
pub fn handler(test: Test, ty: Ty) -> Option<Handler> {
    match ty {
        Ty::F16 => Some(float::<F16>(test)),
        Ty::F32 => Some(float::<f32>(test)),
        Ty::F64 => Some(float::<f64>(test)),
        // Signedness does not affect tests for equality.
        Ty::I16 => order::<i16>(test).or_else(|| equality::<u16>(test)),
        Ty::I32 => order::<i32>(test).or_else(|| equality::<u32>(test)),
        Ty::I64 => order::<i64>(test).or_else(|| equality::<u64>(test)),
        Ty::U16 => order::<u16>(test).or_else(|| equality::<u16>(test)),
        Ty::U32 => order::<u32>(test).or_else(|| equality::<u32>(test)),
        Ty::U64 => order::<u64>(test).or_else(|| equality::<u64>(test)),
        Ty::B8 | Ty::B16 | Ty::B32 | Ty::B64 | Ty::B96 | Ty::B128 | Ty::B256 | Ty::B512 => None,
        Ty::U8 | Ty::I8 | Ty::F16x2 | Ty::I16x2 => None,
    }
}

at_each_level! {
#[rustfmt::skip]
#[allow(clippy::neg_cmp_op_on_partial_ord, clippy::nonminimal_bool, clippy::double_comparisons)]
// Some tests are negations, which differ from the opposite comparison if a source is a NaN.
fn float<F: Float>(test: Test) -> Handler {
    match test {
        Test::F     => |w, s| compare_constant(w, s, false),
        Test::Lt    => |w, s| compare_float(w, s, |a: F, b: F| a < b),
        Test::Eq    => |w, s| compare_float(w, s, |a: F, b: F| a == b),
        Test::Le    => |w, s| compare_float(w, s, |a: F, b: F| a <= b),
        Test::Gt    => |w, s| compare_float(w, s, |a: F, b: F| a > b),
        Test::Lg    => |w, s| compare_float(w, s, |a: F, b: F| a < b || a > b),
        Test::Ge    => |w, s| compare_float(w, s, |a: F, b: F| a >= b),
        Test::O     => |w, s| compare_float(w, s, |a: F, b: F| !unordered(a, b)),
        Test::U     => |w, s| compare_float(w, s, |a: F, b: F| unordered(a, b)),
        Test::Nge   => |w, s| compare_float(w, s, |a: F, b: F| !(a >= b)),
        Test::Nlg   => |w, s| compare_float(w, s, |a: F, b: F| !(a < b || a > b)),
        Test::Ngt   => |w, s| compare_float(w, s, |a: F, b: F| !(a > b)),
        Test::Nle   => |w, s| compare_float(w, s, |a: F, b: F| !(a <= b)),
        Test::Neq   => |w, s| compare_float(w, s, |a: F, b: F| a != b),
        Test::Nlt   => |w, s| compare_float(w, s, |a: F, b: F| !(a < b)),
        Test::Tru   => |w, s| compare_constant(w, s, true),
        // Denormals have their own class, regardless of MODE.
        Test::Class => |w, s| compare(w, s, |a: F, mask: u32| mask & a.class() != 0),
    }
}
}

at_each_level! {
#[rustfmt::skip]
fn order<I: Lane + Ord>(test: Test) -> Option<Handler> {
    let handler: Handler = match test {
        Test::Lt => |w, s| compare(w, s, |a: I, b: I| a < b),
        Test::Le => |w, s| compare(w, s, |a: I, b: I| a <= b),
        Test::Gt => |w, s| compare(w, s, |a: I, b: I| a > b),
        Test::Ge => |w, s| compare(w, s, |a: I, b: I| a >= b),
        Test::F | Test::Eq | Test::Neq | Test::Tru => return None,
        // Only floating-point comparisons have these tests.
        Test::Lg | Test::O | Test::U | Test::Nge | Test::Nlg | Test::Ngt | Test::Nle | Test::Nlt => return None,
        Test::Class => return None,
    };
    Some(handler)
}
}

at_each_level! {
#[rustfmt::skip]
fn equality<I: Lane + Eq>(test: Test) -> Option<Handler> {
    let handler: Handler = match test {
        Test::F   => |w, s| compare_constant(w, s, false),
        Test::Eq  => |w, s| compare(w, s, |a: I, b: I| a == b),
        Test::Neq => |w, s| compare(w, s, |a: I, b: I| a != b),
        Test::Tru => |w, s| compare_constant(w, s, true),
        Test::Lt | Test::Le | Test::Gt | Test::Ge => return None,
        Test::Lg | Test::O | Test::U | Test::Nge | Test::Nlg | Test::Ngt | Test::Nle | Test::Nlt => return None,
        Test::Class => return None,
    };
    Some(handler)
}
}

#[inline(always)]
#[allow(clippy::eq_op)] // Only a NaN differs from itself.
fn unordered<F: PartialEq>(a: F, b: F) -> bool {
    a != a || b != b
}

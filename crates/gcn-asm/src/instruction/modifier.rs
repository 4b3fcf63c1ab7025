//! Parses the modifiers after an instruction's operands.

use gcn_isa::dpp::Permutation;
use gcn_isa::{Field, Isa, Modifier, ModifierValue, Op, clrx, mtbuf, swizzle};

use crate::argument::{DelayedValue, ModArg, lower_case};
use crate::assembler::parser::Parser;
use crate::cursor::Cursor;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::encode::AS_NUMBER;
use crate::ids;
use crate::operand::function;

/// DPP permutation names.
const PERMUTATIONS: [&str; 14] = [
    "row_hmirror",
    "quad_perm",
    "row_shl",
    "row_shr",
    "row_ror",
    "row_mirror",
    "row_half_mirror",
    "row_bcast",
    "row_bcast15",
    "row_bcast31",
    "wave_shl",
    "wave_shr",
    "wave_rol",
    "wave_ror",
];
/// Buffer size in bytes, at least the length of the longest permutation name.
const PERMUTATION_NAME: usize = 16;
/// Modifiers that CLRX accepts wherever the encoding has their bits.
static CLRX_MODIFIERS: [Modifier; 18] = [
    of_any(Field::Offen, &["offen"], ModifierValue::Flag),
    of_any(Field::Idxen, &["idxen"], ModifierValue::Flag),
    of_any(Field::Addr64, &["addr64"], ModifierValue::Flag),
    of_any(Field::D16, &["d16"], ModifierValue::Flag),
    of_any(Field::Glc, &["glc"], ModifierValue::Flag),
    of_any(Field::Slc, &["slc"], ModifierValue::Flag),
    of_any(Field::Tfe, &["tfe"], ModifierValue::Flag),
    of_any(Field::Nv, &["nv"], ModifierValue::Flag),
    of_any(
        Field::DstSel,
        &["dst_sel"],
        ModifierValue::Named(gcn_isa::operand::SELECTIONS),
    ),
    of_any(
        Field::DstUnused,
        &["dst_unused", "dst_un"],
        ModifierValue::Named(gcn_isa::operand::UNUSED),
    ),
    of_any(Field::High, &["high"], ModifierValue::Flag),
    of_any(Field::Clamp, &["clamp"], ModifierValue::Flag),
    of_any(Field::Omod, &["omod", "mul", "div"], ModifierValue::Omod),
    of_any(Field::OpSel, &["op_sel"], ModifierValue::BitList),
    of_any(Field::OpSelHi, &["op_sel_hi"], ModifierValue::BitList),
    of_any(Field::Neg, &["neg_lo"], ModifierValue::BitList),
    of_any(Field::NegHi, &["neg_hi"], ModifierValue::BitList),
    of_any(Field::Lds, &["lds"], ModifierValue::Flag),
];

const fn of_any(field: Field, names: &'static [&'static str], value: ModifierValue) -> Modifier {
    Modifier {
        field,
        names,
        value,
        required: false,
        default: 0,
    }
}

/// Finds a modifier by name among those of the instruction's encodings or, in CLRX's dialect, [`CLRX_MODIFIERS`].
pub(crate) fn modifier_named(parser: &Parser<'_>, op: Op, name: &str) -> Option<&'static Modifier> {
    // Most names are spelled exactly as in the tables.
    let is_same = |m: &&'static Modifier| m.names.contains(&name);
    if let Some(modifier) = of_any_form(parser.isa, op, is_same) {
        return Some(modifier);
    }
    // CLRX's name for the field that `mul` and `div` set.
    let is_omod = name.eq_ignore_ascii_case("omod");
    let is_permutation = PERMUTATIONS.iter().any(|n| n.eq_ignore_ascii_case(name));
    let is_meant = |m: &&'static Modifier| {
        is_named(m, name)
            || is_omod && m.field == Field::Omod
            || is_permutation && m.value == ModifierValue::LanePermutation
    };
    let of_encoding = of_any_form(parser.isa, op, is_meant);
    if of_encoding.is_some() || !parser.dialect.takes_all_modifiers() {
        return of_encoding;
    }
    CLRX_MODIFIERS.iter().find(|m| is_named(m, name))
}

/// First modifier that satisfies `is_meant`, in the instruction's row or in its SDWA and DPP encodings.
fn of_any_form(
    isa: Isa,
    op: Op,
    is_meant: impl Fn(&&'static Modifier) -> bool,
) -> Option<&'static Modifier> {
    let of_row = op.row().modifiers().find(&is_meant);
    of_row.or_else(|| {
        let forms = isa.tables().forms(op).iter();
        forms
            .filter(|form| form.encoding.is_extended())
            .flat_map(|form| form.modifiers.iter().map(|placed| placed.modifier))
            .find(&is_meant)
    })
}

/// Parses a modifier's value; the cursor is after the modifier's name.
pub(crate) fn modifier(
    parser: &mut Parser<'_>,
    modifier: &'static Modifier,
    name: &str,
) -> Result<ModArg, Fail> {
    let start = parser.cursor.pos() - name.len();
    if modifier.value == ModifierValue::LanePermutation {
        let value = lane_permutation(parser, name)?;
        let span = parser.cursor.since(start);
        return Ok(ModArg {
            modifier,
            value,
            count: 0,
            later: None,
            span,
        });
    }
    let mut probe = parser.cursor.clone();
    let has_value = probe.eat_after_blanks(b':');
    if has_value {
        parser.cursor = probe;
    } else if modifier.value != ModifierValue::Flag && modifier.field != Field::BoundCtrl {
        let message = format!("`{name}` needs a value");
        return Err(
            fail(&ids::MODIFIER_VALUE, start..start + name.len(), message)
                .with_help(format!("write `{name}:N`")),
        );
    }
    let mut count = 0;
    let mut later = None;
    let value = match modifier.value {
        ModifierValue::Flag if has_value && parser.dialect.takes_all_modifiers() => {
            i64::from(parser.switch(name)?)
        }
        ModifierValue::Flag if has_value => parser.absolute_within(name, 0, 1)?,
        ModifierValue::Flag => i64::from(!is_negated(modifier, name)),
        // Both `bound_ctrl:0` and `bound_ctrl:1` make out-of-bounds lanes read 0.
        ModifierValue::Unsigned if modifier.field == Field::BoundCtrl && !has_value => 1,
        ModifierValue::Unsigned if modifier.field == Field::BoundCtrl => {
            parser.absolute_within(name, 0, 1)?;
            // In CLRX's syntax, another colon precedes the value.
            match parser.cursor.eat_after_blanks(b':') {
                true => i64::from(parser.switch(name)?),
                false => 1,
            }
        }
        ModifierValue::Named(names) => {
            let isa = parser.isa;
            let max = names.len() as i64 - 1;
            let everywhere = isa.only();
            let theirs = clrx::choices(modifier.field);
            let names = (0u8..)
                .zip(names)
                .map(|(id, &n)| (n, id))
                .chain(theirs)
                .map(|(n, id)| (n, id, everywhere));
            i64::from(function::named_number(parser, name, names, isa, max)?)
        }
        ModifierValue::Unsigned
        | ModifierValue::Signed
        | ModifierValue::Hex
        | ModifierValue::Mask
        | ModifierValue::Part
        | ModifierValue::LanePermutation => match parser.number_or_later(name)? {
            Ok(value) => value,
            Err(id) => {
                later = Some(parser.delay(DelayedValue::Expr(id)));
                0
            }
        },
        ModifierValue::Swizzle => swizzle(parser)?,
        ModifierValue::BufferFormat => buffer_format(parser)?,
        ModifierValue::Omod if name.eq_ignore_ascii_case("omod") => parser.absolute(name)?,
        ModifierValue::Omod => output_modifier(parser, name)?,
        ModifierValue::BitList => bit_list(parser, name, &mut count)?,
    };
    Ok(ModArg {
        modifier,
        value,
        count,
        later,
        span: parser.cursor.since(start),
    })
}

/// Parses a lane permutation such as `quad_perm:[0,1,2,3]`, `row_shl:1` or `row_mirror`; the cursor is after its name.
fn lane_permutation(parser: &mut Parser<'_>, name: &str) -> Result<i64, Fail> {
    let mut buffer = [0; PERMUTATION_NAME];
    let lower = lower_case(name, &mut buffer).unwrap_or(name);
    let single = match lower {
        "row_mirror" => Some(Permutation::RowMirror),
        "row_half_mirror" | "row_hmirror" => Some(Permutation::RowHalfMirror),
        "row_bcast15" => Some(Permutation::RowBcast15),
        "row_bcast31" => Some(Permutation::RowBcast31),
        _ => None,
    };
    if let Some(single) = single {
        return Ok(i64::from(single.pack()));
    }
    let mut probe = parser.cursor.clone();
    if !probe.eat_after_blanks(b':') {
        // Whole-wave shifts move by one lane only.
        let by_one = Permutation::named(lower, &[1]);
        return match by_one.filter(|_| lower.starts_with("wave_")) {
            Some(by_one) => Ok(i64::from(by_one.pack())),
            None => Err(parser.cursor.expected("`:` and a value")),
        };
    }
    parser.cursor = probe;
    let start = parser.cursor.token_start();
    let permutation = match lower {
        "dpp_ctrl" => return parser.absolute(name),
        "quad_perm" => {
            let mut quad = [0; 4];
            let mut separator = b'[';
            for lane in &mut quad {
                let what = if separator == b'[' { "`[`" } else { "`,`" };
                parser.cursor.require(separator, what)?;
                *lane = parser.absolute_within("a lane of the group", 0, 3)? as u8;
                separator = b',';
            }
            parser.cursor.require(b']', "`]`")?;
            Permutation::QuadPerm(quad)
        }
        "row_shl" => Permutation::RowShl(parser.absolute_within(name, 1, 15)? as u8),
        "row_shr" => Permutation::RowShr(parser.absolute_within(name, 1, 15)? as u8),
        "row_ror" => Permutation::RowRor(parser.absolute_within(name, 1, 15)? as u8),
        "row_bcast" => match parser.absolute(name)? {
            15 => Permutation::RowBcast15,
            31 => Permutation::RowBcast31,
            other => {
                let message = format!("`row_bcast:{other}` does not exist");
                return Err(
                    fail(&ids::MODIFIER_VALUE, parser.cursor.since(start), message)
                        .with_help("there are row_bcast:15 and row_bcast:31"),
                );
            }
        },
        wave => {
            parser.absolute_within(name, 1, 1)?;
            match wave {
                "wave_shl" => Permutation::WaveShl,
                "wave_rol" => Permutation::WaveRol,
                "wave_shr" => Permutation::WaveShr,
                _ => Permutation::WaveRor,
            }
        }
    };
    Ok(i64::from(permutation.pack()))
}

/// Parses `mul:2`, `mul:4` or `div:2`; a factor of one stands for no modifier.
fn output_modifier(parser: &mut Parser<'_>, name: &str) -> Result<i64, Fail> {
    let start = parser.cursor.token_start();
    let by = parser.absolute(name)?;
    match (name.eq_ignore_ascii_case("mul"), by) {
        (_, 1) => Ok(0),
        (true, 2) => Ok(1),
        (true, 4) => Ok(2),
        (false, 2) => Ok(3),
        _ => Err(fail(
            &ids::MODIFIER_VALUE,
            parser.cursor.since(start),
            format!("`{name}:{by}` does not exist"),
        )
        .with_help("the output modifiers are mul:2, mul:4 and div:2")),
    }
}

/// Parses a buffer format: a number, or one or both names in any order, as in
/// `[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]`.
fn buffer_format(parser: &mut Parser<'_>) -> Result<i64, Fail> {
    /// Offset added to number formats, larger than any data format.
    const NUMBERS: u8 = 1 << mtbuf::DATA_FORMAT_BITS;
    parser.cursor.skip_blanks();
    if !parser.cursor.eat(b'[') {
        return parser.absolute("the format");
    }
    let isa = parser.isa;
    let numbers = mtbuf::number_formats(isa);
    let names = (0u8..)
        .zip(mtbuf::DATA_FORMATS)
        .chain((NUMBERS..).zip(numbers))
        .map(|(id, name)| (name, id, isa.only()));
    let (mut data, mut number) = (None, None);
    loop {
        let start = parser.cursor.token_start();
        let id = match clrx_format(&mut parser.cursor, data.is_some()) {
            Some(id) => id,
            None => function::named_number(
                parser,
                "format",
                names.clone(),
                isa,
                i64::from(NUMBERS) - 1,
            )?,
        };
        let is_second =
            data.is_some() && id < NUMBERS && parser.cursor.slice(start..start + 1) == "@";
        let id = if is_second { id + NUMBERS } else { id };
        let (place, value) = if id < NUMBERS {
            (&mut data, id)
        } else {
            (&mut number, id - NUMBERS)
        };
        if place.replace(value).is_some() {
            let message = "a format has one data format and one number format";
            return Err(fail(
                &ids::MODIFIER_VALUE,
                parser.cursor.since(start),
                message,
            ));
        }
        if !parser.cursor.list_continues(b']')? {
            break;
        }
    }
    let data = data.unwrap_or(mtbuf::DEFAULT_FORMAT);
    let number = number.unwrap_or(0);
    Ok(i64::from(data) | i64::from(number) << mtbuf::DATA_FORMAT_BITS)
}

/// Parses CLRX's name for a data format, such as `8_8`, or for a number format; number formats are offset by the length
/// of [`mtbuf::DATA_FORMATS`].
fn clrx_format(cursor: &mut Cursor<'_>, has_data: bool) -> Option<u8> {
    let numbers = mtbuf::DATA_FORMATS.len() as u8;
    let mut probe = cursor.clone();
    let text = probe.tail_word();
    let find = |names: &[&str]| names.iter().position(|n| n.eq_ignore_ascii_case(text));
    let data = find(&clrx::DATA_FORMATS).filter(|_| !has_data);
    let number = find(&clrx::NUMBER_FORMATS).map(|i| i as u8 + numbers);
    let id = data.map(|i| i as u8).or(number)?;
    *cursor = probe;
    Some(id)
}

/// Parses a bit list such as `[0,1,1]`, lowest bit first. In CLRX's dialect, it may be a single number.
fn bit_list(parser: &mut Parser<'_>, name: &str, count: &mut usize) -> Result<i64, Fail> {
    const MOST: usize = 4;
    if !parser.cursor.eat_after_blanks(b'[') {
        if parser.dialect.takes_all_modifiers() {
            *count = AS_NUMBER;
            return parser.absolute(name);
        }
        return Err(parser.cursor.expected("`[`"));
    }
    let mut bits = 0;
    loop {
        let bit = parser.absolute_within(name, 0, 1)?;
        if *count >= MOST {
            return Err(parser.cursor.expected("`]`"));
        }
        bits |= bit << *count;
        *count += 1;
        if !parser.cursor.list_continues(b']')? {
            return Ok(bits);
        }
    }
}

/// Parses a swizzle offset: a number or `swizzle(MODE, …)` (errata E023).
fn swizzle(parser: &mut Parser<'_>) -> Result<i64, Fail> {
    parser.cursor.skip_blanks();
    let mut probe = parser.cursor.clone();
    let word = probe.word().unwrap_or("");
    if word != "swizzle" {
        return parser.absolute("offset");
    }
    parser.cursor = probe;
    parser.cursor.require(b'(', "`(`")?;
    parser.cursor.skip_blanks();
    let at = parser.cursor.pos();
    let mode = parser.cursor.word().unwrap_or("");
    let offset = match mode {
        "QUAD_PERM" => {
            let mut offset = swizzle::QUAD_PERM;
            for lane in 0..4 {
                offset |= (argument(parser, "a lane of the group", 0, 3)? as u16) << (2 * lane);
            }
            offset
        }
        "BITMASK_PERM" => bitmask(&mut parser.cursor)?,
        "BROADCAST" => {
            let group = group_size(parser, 2, 32)?;
            let lane = argument(parser, "the lane", 0, group - 1)?;
            swizzle::bitmask((32 - group) as u8, lane as u8, 0)
        }
        "SWAP" => swizzle::bitmask(31, 0, group_size(parser, 1, 16)? as u8),
        "REVERSE" => swizzle::bitmask(31, 0, (group_size(parser, 2, 32)? - 1) as u8),
        "FFT" | "ROTATE" if parser.isa < Isa::Vi => {
            let message = format!("{} has no swizzle mode `{mode}`", parser.isa);
            return Err(
                fail(&ids::INVALID_SWIZZLE, parser.cursor.since(at), message)
                    .with_help("it exists on GCN 1.2, 1.4, 1.4.1"),
            );
        }
        "FFT" => swizzle::FFT | argument(parser, "the mask", 0, 31)? as u16,
        "ROTATE" => {
            let direction = argument(parser, "the direction", 0, 1)? as u16;
            let by = argument(parser, "the distance", 0, 31)? as u16;
            swizzle::ROTATE | direction << 10 | by << 5
        }
        _ => {
            return Err(fail(&ids::INVALID_SWIZZLE, parser.cursor.since(at), format!("unknown swizzle mode `{mode}`"),
            )
            .with_help(
                "the modes are QUAD_PERM, BITMASK_PERM, BROADCAST, SWAP, REVERSE, and from GCN 1.2 on FFT and ROTATE",
            ));
        }
    };
    if !parser.cursor.eat_after_blanks(b')') {
        return Err(parser.cursor.expected("`)`"));
    }
    Ok(i64::from(offset))
}

fn argument(parser: &mut Parser<'_>, what: &str, low: i64, high: i64) -> Result<i64, Fail> {
    parser.cursor.comma(what)?;
    parser.absolute_within(what, low, high)
}

fn group_size(parser: &mut Parser<'_>, low: i64, high: i64) -> Result<i64, Fail> {
    let from = parser.cursor.pos();
    let size = argument(parser, "the group size", low, high)?;
    if size.count_ones() == 1 {
        Ok(size)
    } else {
        let message = format!("the group size is {size}, but must be a power of two");
        Err(fail(
            &ids::INVALID_SWIZZLE,
            parser.cursor.since(from),
            message,
        ))
    }
}

/// Parses a mask such as `"01pip"`, which sets each lane ID bit to 0 or 1, preserves it or inverts it, highest bit first.
fn bitmask(cursor: &mut Cursor<'_>) -> Result<u16, Fail> {
    cursor.comma("a mask")?;
    let start = cursor.token_start();
    let mask = cursor.string()?;
    let span = cursor.since(start);
    let (mut and, mut or, mut xor) = (0, 0, 0);
    if mask.len() != 5 {
        let message = format!("the mask has {} characters, not 5", mask.len());
        return Err(fail(&ids::INVALID_SWIZZLE, span, message));
    }
    for byte in mask {
        (and, or, xor) = (and << 1, or << 1, xor << 1);
        match byte {
            b'0' => {}
            b'1' => or |= 1,
            b'p' => and |= 1,
            b'i' => {
                and |= 1;
                xor |= 1;
            }
            _ => {
                let message = "the mask has other characters than 0, 1, p and i";
                return Err(fail(&ids::INVALID_SWIZZLE, span, message).with_help(
                    "0 and 1 set a bit of the lane number, p preserves it, i inverts it",
                ));
            }
        }
    }
    Ok(swizzle::bitmask(and, or, xor))
}

/// Returns true if `name` is one of the modifier's names or a negated form, ignoring case.
fn is_named(modifier: &Modifier, name: &str) -> bool {
    let is_name = |n: &&str| n.eq_ignore_ascii_case(name);
    modifier.names.iter().any(is_name) || is_negated(modifier, name)
}

/// Returns true if `name` is a negated form of the modifier's name, such as `noclamp`.
fn is_negated(modifier: &Modifier, name: &str) -> bool {
    const NO: &str = "no";
    let head = name.get(..NO.len());
    let is_flag = modifier.value == ModifierValue::Flag;
    is_flag
        && head.is_some_and(|head| head.eq_ignore_ascii_case(NO))
        && modifier.names.iter().any(|n| {
            name.get(NO.len()..)
                .is_some_and(|rest| n.eq_ignore_ascii_case(rest))
        })
}

//! Text buffer optimized for listings, which consist of short, mostly precomputed pieces.
//!
//! A short piece is always stored as a fixed number of bytes, and the next piece overwrites the excess. This avoids loops
//! and calls.

use std::fmt;

/// A text buffer with fast appends.
///
/// ```
/// let mut text = gcn_isa::text::Text::new();
/// text.push_str("at ");
/// text.push_hex(0x1f0);
/// assert_eq!(text.as_str(), "at 0x1f0");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// The text, with spare capacity at the end.
    bytes: Vec<u8>,
    /// Length of the text in bytes.
    len: usize,
}

/// Bits per hexadecimal digit.
const HEX_BITS: u32 = 4;

/// The two digits of each number below 100.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut value = 0;
    while value < pairs.len() {
        pairs[value] = [b'0' + (value / 10) as u8, b'0' + (value % 10) as u8];
        value += 1;
    }
    pairs
};

/// Smallest number with more than four decimal digits.
const FOUR_DIGITS: u64 = 10_000;
/// Four zero digits.
const ZEROS: u32 = u32::from_le_bytes([b'0'; ZEROS_COUNT]);
const ZEROS_COUNT: usize = 4;
/// Mask of the last of four digits, which is always shown.
const LAST_DIGIT: u32 = u32::from_le_bytes([0, 0, 0, 0xff]);

/// The four digits of a number below 10000, the first digit in the low byte.
#[inline(always)]
fn four_digits(value: u32) -> u32 {
    let pair = |value: u32| {
        let digits = PAIRS.get(value as usize).unwrap_or(&[b'0'; 2]);
        u32::from(u16::from_le_bytes(*digits))
    };
    pair(value / 100) | pair(value % 100) << u16::BITS
}

/// The eight hexadecimal digits of a word, the first digit in the low byte.
#[inline(always)]
fn hex_digits(word: u32) -> u64 {
    /// 1 in each byte.
    const EACH: u64 = u64::MAX / 0xff;
    /// Distance from the character after `9` to `a`.
    const TO_LETTER: u64 = (b'a' - b'9' - 1) as u64;
    // Spread the digits in three steps, so that each byte holds one digit.
    let spread = u64::from(word);
    let spread = (spread | spread << 16) & 0x0000_ffff_0000_ffff;
    let spread = (spread | spread << 8) & 0x00ff_00ff_00ff_00ff;
    let spread = (spread | spread << 4) & (0xf * EACH);
    let is_letter = (spread + 6 * EACH) >> HEX_BITS & EACH;
    (spread + u64::from(b'0') * EACH + is_letter * TO_LETTER).swap_bytes()
}

/// Minimum growth in bytes.
const GROWTH: usize = 1 << 12;

impl Text {
    /// Creates an empty text without capacity.
    pub const fn new() -> Text {
        Text {
            bytes: Vec::new(),
            len: 0,
        }
    }

    /// Creates an empty text with capacity for `bytes` bytes.
    pub fn with_room(bytes: usize) -> Text {
        Text {
            bytes: vec![0; bytes],
            len: 0,
        }
    }

    /// Length of the text in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if the text is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The text; empty if [`Text::truncate`] split a character.
    pub fn as_str(&self) -> &str {
        str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// Text from byte `begin` to the end; empty if `begin` is out of bounds or inside a character.
    ///
    /// # Examples
    /// ```
    /// let mut text = gcn_isa::text::Text::with_room(64);
    /// text.push_str("s_nop");
    /// let end = text.len();
    /// text.push(' ');
    /// text.push_decimal(7);
    /// assert_eq!(text.from(end), " 7");
    /// text.truncate(end);
    /// assert_eq!(text.as_str(), "s_nop");
    /// ```
    pub fn from(&self, begin: usize) -> &str {
        let bytes = self.as_bytes().get(begin..).unwrap_or_default();
        str::from_utf8(bytes).unwrap_or_default()
    }

    /// Bytes of the text.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// Truncates the text to the first `len` bytes.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Clears the text and keeps its capacity.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Removes the last `count` bytes.
    #[inline]
    pub(crate) fn shorten(&mut self, count: usize) {
        self.len = self.len.saturating_sub(count);
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, by: usize) {
        let room = self.len + by.max(self.len).max(GROWTH);
        self.bytes.resize(room, 0);
    }

    /// Stores `N` bytes, the first `used` of which are text.
    #[inline(always)]
    fn store<const N: usize>(&mut self, bytes: &[u8; N], used: usize) {
        let end = self.len.wrapping_add(N);
        if let Some(place) = self.bytes.get_mut(self.len..end) {
            place.copy_from_slice(bytes);
            self.len += used;
        } else {
            self.store_growing(bytes, used);
        }
    }

    /// Like [`Text::store`], but grows the buffer first.
    #[cold]
    #[inline(never)]
    fn store_growing(&mut self, bytes: &[u8], used: usize) {
        self.grow(bytes.len());
        let end = self.len.wrapping_add(bytes.len());
        if let Some(place) = self.bytes.get_mut(self.len..end) {
            place.copy_from_slice(bytes);
            self.len += used;
        }
    }

    /// Begins a line at the end of the text.
    #[inline(always)]
    pub(crate) fn line(&mut self) -> Option<Line<'_>> {
        let end = self.len.wrapping_add(LINE_ROOM);
        if self.bytes.len() < end {
            self.grow(LINE_ROOM);
        }
        Some(Line {
            room: self.bytes.get_mut(self.len..end)?.first_chunk_mut()?,
            text: &mut self.len,
            sum: 0,
        })
    }

    /// Appends a piece.
    #[inline(always)]
    pub(crate) fn push_piece<const N: usize>(&mut self, piece: &Piece<N>) {
        self.store(&piece.bytes, usize::from(piece.sum() as u8));
    }

    /// Appends a few bytes of ASCII.
    #[inline(always)]
    pub(crate) fn push_ascii<const N: usize>(&mut self, bytes: &[u8; N]) {
        self.store(bytes, N);
    }

    /// Appends a character.
    #[inline]
    pub fn push(&mut self, character: char) {
        if character.is_ascii() {
            self.push_ascii(&[character as u8]);
        } else {
            self.push_str(character.encode_utf8(&mut [0; 4]));
        }
    }

    /// Appends a string.
    #[inline]
    pub fn push_str(&mut self, text: &str) {
        if self.bytes.len() - self.len < text.len() {
            self.grow(text.len());
        }
        let end = self.len + text.len();
        if let Some(place) = self.bytes.get_mut(self.len..end) {
            place.copy_from_slice(text.as_bytes());
            self.len = end;
        }
    }

    /// Appends a number in decimal.
    #[inline]
    pub fn push_decimal(&mut self, value: u64) {
        if value < FOUR_DIGITS {
            // The first digit is in the low byte; leading zeros are shifted out.
            let digits = four_digits(value as u32);
            let leading = ((digits ^ ZEROS) | LAST_DIGIT).trailing_zeros() / u8::BITS;
            let shown = digits >> (leading * u8::BITS);
            self.store(&shown.to_le_bytes(), ZEROS_COUNT - leading as usize);
        } else {
            self.push_decimal(value / FOUR_DIGITS);
            self.push_ascii(&four_digits((value % FOUR_DIGITS) as u32).to_le_bytes());
        }
    }

    /// Appends a signed number in decimal.
    #[inline]
    pub fn push_signed(&mut self, value: i64) {
        if value < 0 {
            self.push_ascii(b"-");
        }
        self.push_decimal(value.unsigned_abs());
    }

    /// Appends a number in hexadecimal, with `0x`.
    #[inline]
    pub fn push_hex(&mut self, value: u64) {
        self.push_ascii(b"0x");
        self.push_hex_digits(value);
    }

    /// Appends the hexadecimal digits of a number.
    #[inline]
    pub fn push_hex_digits(&mut self, value: u64) {
        match u32::try_from(value) {
            Ok(word) => {
                // The first digit goes to the low byte.
                let count = (u32::BITS - word.leading_zeros()).div_ceil(HEX_BITS).max(1);
                let digits = hex_digits(word << (u32::BITS - count * HEX_BITS));
                self.store(&digits.to_le_bytes(), count as usize);
            }
            Err(_) => {
                self.push_hex_digits(value >> u32::BITS);
                self.push_ascii(&hex_digits(value as u32).to_le_bytes());
            }
        }
    }

    /// Appends a word in hexadecimal, with `0x` and leading zeros.
    ///
    /// # Examples
    /// ```
    /// let mut text = gcn_isa::text::Text::new();
    /// text.push_word(0x1f);
    /// text.push_blanks(1);
    /// text.push_hex(0x1f);
    /// text.push_blanks(1);
    /// text.push_hex_digits(0x1f);
    /// assert_eq!(text.as_str(), "0x0000001f 0x1f 1f");
    /// ```
    pub fn push_word(&mut self, word: u32) {
        self.push_ascii(b"0x");
        self.push_ascii(&hex_digits(word).to_le_bytes());
    }

    /// Appends `count` spaces.
    pub fn push_blanks(&mut self, count: usize) {
        const MANY: [u8; 16] = [b' '; 16];
        let mut left = count;
        while left > 0 {
            let now = left.min(MANY.len());
            self.store(&MANY, now);
            left -= now;
        }
    }
}

/// One more than the maximum length of a [`Line`], which fits in a byte.
const LINE: usize = 1 << u8::BITS;
/// Capacity for a line, and for a piece stored at its end.
const LINE_ROOM: usize = LINE + (1 << 6);

/// A short line. For speed, pieces are stored and their [sums](Piece) are added without checks, so overlong lines are
/// garbled.
pub(crate) struct Line<'a> {
    room: &'a mut [u8; LINE_ROOM],
    /// Length of the preceding text in bytes.
    text: &'a mut usize,
    sum: u16,
}

impl Line<'_> {
    /// Appends a piece.
    #[inline(always)]
    pub(crate) fn push_piece<const N: usize>(&mut self, piece: &Piece<N>) {
        const { assert!(N <= LINE_ROOM - LINE) }
        let begin = usize::from(self.sum as u8);
        if let Some(place) = self.room.get_mut(begin..begin + N) {
            place.copy_from_slice(&piece.bytes);
        }
        self.sum = self.sum.wrapping_add(piece.sum());
    }

    /// Appends an ASCII character.
    #[inline(always)]
    pub(crate) fn push_ascii(&mut self, character: u8) {
        if let Some(place) = self.room.get_mut(usize::from(self.sum as u8)) {
            *place = character;
        }
        self.sum = self.sum.wrapping_add(1);
    }

    /// Removes the last `count` bytes.
    #[inline(always)]
    pub(crate) fn shorten(&mut self, count: u8) {
        self.sum = self.sum.wrapping_sub(count.into());
    }

    /// Finishes the line, making it part of the text.
    #[inline(always)]
    pub(crate) fn end(self) {
        *self.text += usize::from(self.sum as u8);
    }

    /// Sum of the marks of the line's pieces.
    #[inline(always)]
    pub(crate) fn marks(&self) -> u8 {
        (self.sum >> u8::BITS) as u8
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

/// A short text stored in `N` bytes. The last two bytes form its sum: the length in the low byte and a mark, defined by the
/// user, in the high byte. Adding two sums adds both parts at once.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub(crate) struct Piece<const N: usize> {
    bytes: [u8; N],
}

/// Size of a sum in bytes.
const SUM: usize = 2;

impl<const N: usize> Piece<N> {
    /// Maximum number of text bytes.
    pub(crate) const ROOM: usize = N - SUM;

    /// Piece without text.
    pub(crate) const EMPTY: Piece<N> = Piece { bytes: [0; N] };

    /// Creates a piece; `None` if the text is too long.
    pub(crate) fn new(text: &str) -> Option<Piece<N>> {
        let mut piece = Piece::EMPTY;
        let room = piece.bytes.get_mut(..Self::ROOM)?;
        room.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        let length = u8::try_from(text.len()).ok()?;
        piece.bytes[Self::ROOM] = length;
        Some(piece)
    }

    /// Sets the mark.
    pub(crate) const fn marked(mut self, mark: u8) -> Piece<N> {
        self.bytes[N - 1] = mark;
        self
    }

    #[inline(always)]
    fn sum(&self) -> u16 {
        u16::from_le_bytes([self.bytes[N - SUM], self.bytes[N - 1]])
    }

    /// Mark; 0 by default.
    #[inline(always)]
    pub(crate) const fn mark(&self) -> u8 {
        self.bytes[N - 1]
    }

    /// True if the text is empty.
    pub(crate) const fn is_empty(&self) -> bool {
        self.bytes[N - SUM] == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_they_are_formatted() {
        let powers = (0..u64::BITS).map(|bit| 1u64 << bit);
        let near = powers.flat_map(|power| [power - 1, power, power + 1]);
        for value in (0..20_000).chain(near).chain([u64::MAX]) {
            let mut text = Text::new();
            text.push_decimal(value);
            text.push(' ');
            text.push_hex(value);
            text.push(' ');
            text.push_signed(value.cast_signed());
            text.push_blanks(value as usize % 50);
            text.push_word(value as u32);
            let (signed, blanks) = (value.cast_signed(), " ".repeat(value as usize % 50));
            let expected = format!("{value} {value:#x} {signed}{blanks}{:#010x}", value as u32);
            assert_eq!(text.as_str(), expected);
        }
    }

    #[test]
    fn pieces_follow_each_other_without_gaps() {
        let piece = Piece::<16>::new("v123, ").unwrap_or(Piece::EMPTY);
        assert!(Piece::<4>::new("v123, ").is_none());
        let (mut text, mut expected) = (Text::new(), String::new());
        for i in 0..5000 {
            text.push_piece(&piece);
            text.push_ascii(b"ab");
            text.push(if i % 7 == 0 { 'é' } else { 'e' });
            text.push_str("tail");
            expected.push_str("v123, ab");
            expected.push(if i % 7 == 0 { 'é' } else { 'e' });
            expected.push_str("tail");
        }
        assert_eq!(text.as_str(), expected);
        text.shorten(4);
        assert_eq!(text.as_str(), &expected[..expected.len() - 4]);
        text.truncate(8);
        assert_eq!(
            (text.as_str(), text.from(6), text.len()),
            ("v123, ab", "ab", 8)
        );
        text.clear();
        assert!(text.is_empty());
    }
}

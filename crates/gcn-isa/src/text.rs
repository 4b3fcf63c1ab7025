//! Text that is built quickly: most of a listing is short pieces, known beforehand, one after another.
//!
//! A short piece is stored as a whole number of machine words, whatever its length, and the next one is written
//! over what was too much. So none needs a loop or a call.

use std::fmt;

/// Text that grows at its end.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// The text, and room after it.
    bytes: Vec<u8>,
    /// Bytes of text.
    len: usize,
}

/// Bits of a hexadecimal digit.
const HEX_BITS: u32 = 4;

/// The two digits of the numbers below 100.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut value = 0;
    while value < pairs.len() {
        pairs[value] = [b'0' + (value / 10) as u8, b'0' + (value % 10) as u8];
        value += 1;
    }
    pairs
};

/// The least room that is made at a time.
const GROWTH: usize = 1 << 12;

impl Text {
    /// No text, and no room.
    pub const fn new() -> Text {
        Text {
            bytes: Vec::new(),
            len: 0,
        }
    }

    /// No text, and room for this many bytes.
    pub fn with_room(bytes: usize) -> Text {
        Text {
            bytes: vec![0; bytes],
            len: 0,
        }
    }

    /// Bytes of text.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The text. Nothing if [`Text::truncate`] cut a character.
    pub fn as_str(&self) -> &str {
        str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// The text from byte `begin` on; nothing beyond its end or inside a character.
    pub fn from(&self, begin: usize) -> &str {
        let bytes = self.as_bytes().get(begin..).unwrap_or_default();
        str::from_utf8(bytes).unwrap_or_default()
    }

    /// The text's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// Takes away what comes after the first `len` bytes.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Takes all text away and keeps the room.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Takes the last `count` bytes away.
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

    /// The place of the next `N` bytes.
    #[inline(always)]
    fn room<const N: usize>(&mut self) -> Option<&mut [u8; N]> {
        if self.bytes.len() - self.len < N {
            self.grow(N);
        }
        self.bytes.get_mut(self.len..)?.first_chunk_mut()
    }

    /// Stores `N` bytes, of which the first `used` are text.
    #[inline(always)]
    fn store<const N: usize>(&mut self, bytes: &[u8; N], used: usize) {
        if let Some(room) = self.room() {
            *room = *bytes;
            self.len += used;
        }
    }

    /// Appends what `write` puts on a line.
    #[inline(always)]
    pub(crate) fn on_line<T>(&mut self, write: impl FnOnce(&mut Line) -> T) -> Option<T> {
        let mut line = Line {
            room: self.room()?,
            len: 0,
        };
        let result = write(&mut line);
        let len = line.len;
        self.len += len;
        Some(result)
    }

    /// Appends a piece.
    #[inline(always)]
    pub(crate) fn push_piece<const N: usize>(&mut self, piece: &Piece<N>) {
        self.store(&piece.bytes, usize::from(piece.len & !MARK));
    }

    /// Appends a few bytes of ASCII, as many as the array has.
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
        match value {
            0..10 => self.push_ascii(&[b'0' + value as u8]),
            10..100 => self.push_pair(value),
            100..1000 => {
                self.push_ascii(&[b'0' + (value / 100) as u8]);
                self.push_pair(value % 100);
            }
            1000..10_000 => {
                self.push_pair(value / 100);
                self.push_pair(value % 100);
            }
            _ => {
                self.push_decimal(value / 10_000);
                self.push_pair(value / 100 % 100);
                self.push_pair(value % 100);
            }
        }
    }

    /// Appends two decimal digits.
    #[inline(always)]
    fn push_pair(&mut self, value: u64) {
        self.push_ascii(PAIRS.get(value as usize).unwrap_or(&[b'0'; 2]));
    }

    /// Appends a number with its sign in decimal.
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

    /// Appends the digits of a number in hexadecimal.
    #[inline]
    pub fn push_hex_digits(&mut self, value: u64) {
        let count = (u64::BITS - value.leading_zeros())
            .div_ceil(HEX_BITS)
            .max(1);
        // The first digit at the top.
        let mut rest = value << (u64::BITS - count * HEX_BITS);
        let mut digits = [b'0'; (u64::BITS / HEX_BITS) as usize];
        for digit in digits.iter_mut().take(count as usize) {
            rest = rest.rotate_left(HEX_BITS);
            *digit = b"0123456789abcdef"[(rest & 0xf) as usize];
        }
        self.store(&digits, count as usize);
    }

    /// Appends a word in hexadecimal, with `0x` and all of its digits.
    pub fn push_word(&mut self, word: u32) {
        const DIGITS: u32 = u32::BITS / HEX_BITS;
        let mut text = *b"0x00000000";
        let mut rest = word;
        for digit in text.iter_mut().rev().take(DIGITS as usize) {
            *digit = b"0123456789abcdef"[(rest & 0xf) as usize];
            rest >>= HEX_BITS;
        }
        self.push_ascii(&text);
    }

    /// Appends blanks.
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

/// The most bytes of a [`Line`], a power of two.
pub(crate) const LINE: usize = 1 << 7;
/// Room for it, and for the pieces that are stored at its end.
const LINE_ROOM: usize = LINE + (1 << 6);

/// A piece of a text, of at most [`LINE`] bytes. Nothing is checked for each of its pieces.
pub(crate) struct Line<'a> {
    room: &'a mut [u8; LINE_ROOM],
    len: usize,
}

impl Line<'_> {
    /// Appends a piece. A line that would be too long is nonsense.
    #[inline(always)]
    pub(crate) fn push_piece<const N: usize>(&mut self, piece: &Piece<N>) {
        const { assert!(N <= LINE_ROOM - LINE) }
        let begin = self.len % LINE;
        if let Some(place) = self.room.get_mut(begin..begin + N) {
            place.copy_from_slice(&piece.bytes);
        }
        self.len = begin + usize::from(piece.len & !MARK);
    }

    /// Takes the last `count` bytes away.
    #[inline(always)]
    pub(crate) fn shorten(&mut self, count: u8) {
        self.len = self.len.saturating_sub(count.into());
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

/// A short text, ready to be stored as a whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<const N: usize> {
    bytes: [u8; N],
    /// Its length, and whether it has a mark.
    len: u8,
}

/// The bit beside a length that is a mark.
const MARK: u8 = 1 << 7;

impl<const N: usize> Piece<N> {
    /// No text.
    pub(crate) const EMPTY: Piece<N> = Piece {
        bytes: [0; N],
        len: 0,
    };

    /// The piece of a text, if that is short enough.
    pub(crate) fn new(text: &str) -> Option<Piece<N>> {
        let mut piece = Piece::EMPTY;
        piece
            .bytes
            .get_mut(..text.len())?
            .copy_from_slice(text.as_bytes());
        piece.len = u8::try_from(text.len())
            .ok()
            .filter(|len| len & MARK == 0)?;
        Some(piece)
    }

    /// The same text with a mark, which means what its owner wants.
    pub(crate) const fn marked(mut self) -> Piece<N> {
        self.len |= MARK;
        self
    }

    /// Whether it has a mark.
    #[inline(always)]
    pub(crate) const fn is_marked(&self) -> bool {
        self.len & MARK != 0
    }

    /// Whether it has no text.
    #[inline(always)]
    pub(crate) const fn is_empty(&self) -> bool {
        self.len == 0
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

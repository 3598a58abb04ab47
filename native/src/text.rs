//! Strings: where one ends, what it says, how long it is, and what its bytes are good for.

use std::collections::HashSet;

use crate::pass::{Go, Stop};

/// A byte that ends a string.
pub const QUOTE: u16 = 1;
/// A byte that opens an escape.
pub const ESCAPE: u16 = 2;
/// A byte that no string may hold.
pub const CONTROL: u16 = 4;
/// A byte at which a mark of reasoning may begin.
pub const TAG: u16 = 8;
/// A byte that makes a literal possible: a bracket or an equals sign.
pub const BRACKET: u16 = 16;
/// A byte that a word has which is a sign anywhere.
pub const WORD: u16 = 32;

const STOPS: u16 = QUOTE | ESCAPE | CONTROL;
const BLOCK: usize = 32;

/// What each byte is good for.
pub struct Classes {
    table: [u16; 256],
    rare: [u8; 3],
    always: u16,
}

impl Classes {
    /// Classes for words each of which has one of the bytes `rare`.
    pub fn new(rare: &HashSet<u8>) -> Self {
        let mut table = [0; 256];
        for (class, byte) in table.iter_mut().zip(0..=u8::MAX) {
            *class = plain_class(byte) | if rare.contains(&byte) { WORD } else { 0 };
        }
        let mut few = rare.iter().copied();
        let rare = [(); 3].map(|()| few.next().unwrap_or(b'"'));
        let always = if few.next().is_none() { 0 } else { WORD };
        Self { table, rare, always }
    }

    fn of(&self, byte: u8) -> u16 {
        self.table.get(usize::from(byte)).copied().unwrap_or(CONTROL)
    }

    /// Every class that occurs in `text`.
    pub fn all(&self, text: &[u8]) -> u16 {
        text.iter().fold(self.always, |seen, &byte| seen | self.of(byte))
    }

    /// Every class that occurs in a block; written so that the compiler makes vectors of it.
    fn block(&self, block: &[u8; BLOCK]) -> u16 {
        let [one, other, third] = self.rare;
        let (mut stop, mut tag, mut bracket, mut word) = (0, 0, 0, 0);
        for &byte in block {
            stop |= u8::from(byte < b' ') | u8::from(byte == b'"') | u8::from(byte == b'\\');
            tag |= u8::from(byte == b'<')
                | u8::from(byte == b'*')
                | u8::from(byte == b'[')
                | u8::from(byte == 0xE2)
                | u8::from(byte == 0xEF);
            bracket |= u8::from(byte == b'(') | u8::from(byte == b'=') | u8::from(byte | 0x20 == b'{');
            word |= u8::from(byte == one) | u8::from(byte == other) | u8::from(byte == third);
        }
        let class = |seen: u8, class: u16| if seen == 0 { 0 } else { class };
        class(stop, STOPS) | class(tag, TAG) | class(bracket, BRACKET) | class(word, WORD)
    }

    /// The length of the string that `rest` opens with (without its quotes), and the classes of its bytes.
    ///
    /// `rest` begins behind the opening quote. Escapes are stepped over and not looked at.
    pub fn string(&self, rest: &[u8]) -> Go<(usize, u16)> {
        let mut seen = self.always;
        let mut bytes = rest.iter();
        loop {
            let mut turns = BLOCK;
            while turns != 0 {
                turns -= 1;
                let Some(&byte) = bytes.next() else { return Err(Stop::Malformed) };
                let class = self.of(byte);
                if class & STOPS != 0 {
                    if class & QUOTE != 0 {
                        return Ok((rest.len() - bytes.len() - 1, seen));
                    }
                    if class & CONTROL != 0 {
                        return Err(Stop::Malformed);
                    }
                    bytes.next();
                }
                seen |= class;
            }
            while let Some((block, tail)) = bytes.as_slice().split_first_chunk::<BLOCK>() {
                let classes = self.block(block);
                if classes & STOPS != 0 {
                    break;
                }
                seen |= classes;
                bytes = tail.iter();
            }
        }
    }
}

const fn plain_class(byte: u8) -> u16 {
    match byte {
        b'"' => QUOTE,
        b'\\' => ESCAPE,
        0..=0x1F => CONTROL,
        b'<' | b'*' => TAG,
        b'[' => TAG | BRACKET,
        b'{' | b'(' | b'=' => BRACKET,
        0xE2 | 0xEF => TAG, // the first bytes of the marks that open outside ASCII
        _ => 0,
    }
}

/// Put what the inside of a string says into `out`.
pub fn unescape(raw: &[u8], out: &mut Vec<u8>) -> Go {
    out.clear();
    let mut rest = raw;
    loop {
        if rest.first() == Some(&b'\\') {
            rest = unescape_one(rest, out)?;
            continue;
        }
        let Some(at) = memchr::memchr(b'\\', rest) else { break };
        let (before, escape) = rest.split_at_checked(at).ok_or(Stop::Malformed)?;
        out.extend_from_slice(before);
        rest = escape;
    }
    out.extend_from_slice(rest);
    Ok(())
}

/// What follows the escape that `escape` opens with.
fn unescape_one<'a>(escape: &'a [u8], out: &mut Vec<u8>) -> Go<&'a [u8]> {
    let (Some(kind), Some(rest)) = (escape.get(1), escape.get(2..)) else {
        return Err(Stop::Malformed);
    };
    let plain = match kind {
        b'"' | b'\\' | b'/' => *kind,
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'f' => 12,
        b'u' => return unescape_code(rest, out),
        _ => return Err(Stop::Malformed),
    };
    out.push(plain);
    Ok(rest)
}

fn unescape_code<'a>(digits: &'a [u8], out: &mut Vec<u8>) -> Go<&'a [u8]> {
    let (first, rest) = unit(digits)?;
    let (code, rest) = match first {
        0xD800..=0xDBFF => {
            let (second, rest) = unit(rest.strip_prefix(b"\\u").ok_or(Stop::Malformed)?)?;
            if !(0xDC00..=0xDFFF).contains(&second) {
                return Err(Stop::Malformed);
            }
            (0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00), rest)
        }
        code => (code, rest),
    };
    let letter = char::from_u32(code).ok_or(Stop::Malformed)?;
    out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    Ok(rest)
}

const NO_DIGIT: u8 = 0x80;

/// What each byte is worth as a digit.
const HEXADECIMAL: [u8; 256] = hexadecimal();

#[allow(clippy::indexing_slicing)] // evaluated by the compiler
const fn hexadecimal() -> [u8; 256] {
    let mut table = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        table[b"0123456789abcdef"[value] as usize] = value as u8;
        table[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    table
}

/// Four hexadecimal digits, and what follows them.
fn unit(digits: &[u8]) -> Go<(u32, &[u8])> {
    let (four, rest) = digits.split_at_checked(4).ok_or(Stop::Malformed)?;
    let mut code = 0;
    let mut worst = 0;
    for &digit in four {
        let value = HEXADECIMAL.get(usize::from(digit)).copied().unwrap_or(NO_DIGIT);
        worst |= value;
        code = code << 4 | u32::from(value);
    }
    if worst & NO_DIGIT != 0 {
        Err(Stop::Malformed)
    } else {
        Ok((code, rest))
    }
}

/// `text` without the blanks in front, as Python's `str.lstrip` counts blanks.
pub fn without_blanks(text: &[u8]) -> &[u8] {
    let mut rest = text;
    loop {
        rest = match rest {
            [0x09..=0x0D | 0x1C..=0x20, tail @ ..]
            | [0xC2, 0x85 | 0xA0, tail @ ..]
            | [0xE1, 0x9A, 0x80, tail @ ..]
            | [0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF, tail @ ..]
            | [0xE2, 0x81, 0x9F, tail @ ..]
            | [0xE3, 0x80, 0x80, tail @ ..] => tail,
            _ => return rest,
        };
    }
}

/// Characters in all strings of valid JSON `data` that are values and not keys.
pub fn measure(data: &[u8]) -> usize {
    let mut total = 0;
    let mut rest = data;
    while let Some(after) = memchr::memchr(b'"', rest).and_then(|at| rest.get(at + 1..)) {
        let Some(length) = length(after) else { break };
        let (Some(inside), Some(tail)) = (after.get(..length), after.get(length + 1..)) else {
            break;
        };
        let next = tail.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        if next != Some(&b':') {
            total += characters(inside);
        }
        rest = tail;
    }
    total
}

/// The length of the string that `rest`, which is valid, goes on with.
fn length(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', rest.get(at..)?)?;
        if rest.get(at) == Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// Characters that the inside of a string stands for.
fn characters(raw: &[u8]) -> usize {
    let mut total = 0;
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (before, escape) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        total += points(before) + 1;
        rest = match escape {
            // The second half of a pair makes no character of its own.
            [b'\\', b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', _, _, b'\\', b'u', _, _, _, _, tail @ ..]
            | [b'\\', b'u', _, _, _, _, tail @ ..]
            | [b'\\', _, tail @ ..] => tail,
            _ => &[],
        };
    }
    total + points(rest)
}

/// Characters of UTF-8.
fn points(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

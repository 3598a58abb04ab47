//! The grammar of JSON, byte by byte.

use crate::pass::{Go, Stop};
use crate::text::Classes;

/// Digits that make no number infinite.
const LONGEST_NUMBER: usize = 100;

/// A place in a text.
pub struct Cursor<'d> {
    data: &'d [u8],
    at: usize,
}

impl<'d> Cursor<'d> {
    /// The beginning of `data`.
    pub fn new(data: &'d [u8]) -> Self {
        Self { data, at: 0 }
    }

    /// The offset from the beginning.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Step over one byte.
    pub fn step(&mut self) {
        self.at += 1;
    }

    /// Nothing but blanks may follow.
    pub fn end(&mut self) -> Go {
        self.space();
        if self.at == self.data.len() {
            Ok(())
        } else {
            Err(Stop::Malformed)
        }
    }

    /// The inside of the string whose opening quote was stepped over, and the classes of its bytes.
    pub fn string(&mut self, classes: &Classes) -> Go<(&'d [u8], u16)> {
        let rest = self.data.get(self.at..).unwrap_or_default();
        let (length, seen) = classes.string(rest)?;
        self.at += length + 1;
        Ok((rest.get(..length).unwrap_or_default(), seen))
    }

    pub fn peek(&self) -> Option<u8> {
        self.data.get(self.at).copied()
    }

    pub fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    pub fn expect(&mut self, byte: u8) -> Go {
        if self.eat(byte) {
            Ok(())
        } else {
            Err(Stop::Malformed)
        }
    }

    pub fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    pub fn word(&mut self, word: &[u8]) -> Go {
        let found = self.data.get(self.at..).is_some_and(|rest| rest.starts_with(word));
        self.at += word.len();
        if found {
            Ok(())
        } else {
            Err(Stop::Malformed)
        }
    }

    pub fn number(&mut self) -> Go {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        let long = self.at - start > LONGEST_NUMBER;
        if self.eat(b'e') || self.eat(b'E') {
            if !self.eat(b'-') {
                self.eat(b'+');
            }
            if self.digits()? > 2 {
                return Err(Stop::Unsure);
            }
        }
        if long {
            Err(Stop::Unsure)
        } else {
            Ok(())
        }
    }

    pub fn digits(&mut self) -> Go<usize> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start {
            Err(Stop::Malformed)
        } else {
            Ok(self.at - start)
        }
    }
}

//! What objects and arrays are part of, what becomes of them, and which bytes go with a block.

use crate::pass::{Go, Stop};
use crate::tables::{Key, Kind, CONTENT, HOOKED, ROOTED, UNTYPED};

/// What an object is part of.
#[derive(Clone, Copy, Default)]
pub struct Place {
    /// The closed list that it is an element of, as one bit.
    pub list: u8,
    /// Whether it may be taken out of that list.
    pub candidate: bool,
    /// Whether it may be a message that loses blocks.
    pub message: bool,
    /// Whether it is the whole document.
    pub root: bool,
}

/// What the elements of an array are.
#[derive(Clone, Copy, Default)]
pub struct Elements {
    pub list: u8,
    pub candidates: bool,
    pub messages: bool,
    /// No key stands above the array, so that its objects may be events of a stream.
    pub keyless: bool,
}

/// What became of an object.
pub enum Judged {
    Typed,
    Untyped,
    Gone(usize),
}

/// What an object has.
#[derive(Default)]
pub struct Members {
    pub count: usize,
    pub kind: Option<Kind>,
    pub flags: u16,
    pub other_list: bool,
    pub assistant: bool,
    pub banned: u32,
    pub needed: u32,
    pub content: Content,
    pub lost: bool,
}

/// What became of the content of a message.
#[derive(Clone, Copy, Default)]
pub struct Content {
    pub gone: usize,
    pub kept: usize,
    pub untyped: bool,
}

impl Members {
    pub fn note(&mut self, key: Key) {
        self.count += 1;
        self.banned |= !key.allowed;
        self.needed |= key.needed;
        for flag in [HOOKED, ROOTED, UNTYPED] {
            self.flags |= if key.is(flag) { flag } else { 0 };
        }
        self.other_list |= key.list != 0 && !key.is(CONTENT);
    }

    /// Make sure that what the message loses, if anything, leaves nothing else to be done.
    pub fn check_message(&self, root: bool) -> Go {
        let Content { gone, kept, untyped } = self.content;
        let plain = self.assistant && self.flags & HOOKED == 0 && !self.other_list;
        if gone != 0 && (kept == 0 || untyped || !plain) {
            return Err(Stop::Unsure);
        }
        if root && self.lost && (gone != 0 || self.flags & ROOTED != 0) {
            return Err(Stop::Unsure);
        }
        Ok(())
    }
}

/// The ranges that go from an array: a run of elements, and the comma that must go with it.
#[derive(Default)]
pub struct Gaps {
    kept: Option<usize>,
    run: Option<(usize, usize)>,
}

impl Gaps {
    pub fn lose(&mut self, start: usize, end: usize) {
        self.run = Some((self.run.map_or(start, |(first, _)| first), end));
    }

    pub fn keep(&mut self, start: usize, end: usize) -> Option<(usize, usize)> {
        self.kept = Some(end);
        self.run.take().map(|(first, _)| (first, start))
    }

    pub fn last(&mut self) -> Option<(usize, usize)> {
        let (_, end) = self.run?;
        self.kept.map(|kept| (kept, end))
    }
}

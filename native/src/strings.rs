//! What strings may hold: a type, a mark of reasoning, a prose form, another document, a literal.

use crate::layout::Members;
use crate::pass::{Go, Pass, Signs, Stop};
use crate::tables::{Key, ROLE, TYPE};
use crate::text::{self, BRACKET, TAG, WORD};

/// Strings below it hold nothing that any rule could tell.
const SHORTEST: usize = 7;
/// Texts below it are no JSON that the walk would open.
const SHORTEST_JSON: usize = 20;
/// JSON inside strings inside JSON that is followed.
const DEEPEST_NESTING: usize = 3;

impl<'d> Pass<'d> {
    /// The name of the member here, and the classes of its bytes.
    pub fn key(&mut self) -> Go<(&'d [u8], u16)> {
        self.input.expect(b'"')?;
        let (name, classes) = self.input.string(&self.tables.classes)?;
        if classes & text::ESCAPE != 0 {
            return Err(Stop::Unsure);
        }
        Ok((name, classes))
    }

    /// Settle the string here, which stands under `key`.
    pub fn string(&mut self, key: Key, members: &mut Members) -> Go {
        self.input.step();
        let (raw, classes) = self.input.string(&self.tables.classes)?;
        if classes & text::ESCAPE == 0 {
            return self.told(key, raw, classes, members);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let found = text::unescape(raw, &mut scratch)
            .and_then(|()| self.told(key, &scratch, self.tables.classes.all(&scratch), members));
        self.scratch = scratch;
        found
    }

    /// Take in what the string under `key` says.
    fn told(&mut self, key: Key, said: &[u8], classes: u16, members: &mut Members) -> Go {
        if key.is(TYPE) {
            let kind = self.tables.kind(said);
            members.kind = Some(kind);
            if kind.lone != 0 {
                self.sign()?;
            }
        } else if key.is(ROLE) {
            members.assistant = said == b"assistant";
        }
        if self.tables.is_sign(key, said) {
            self.sign()?;
        }
        if said.len() < SHORTEST || self.signs == Signs::Seen {
            return Ok(());
        }
        self.text(said, classes)
    }

    /// Settle a text that may hold a mark, another document or a literal.
    fn text(&mut self, said: &[u8], classes: u16) -> Go {
        if classes & (TAG | BRACKET) == 0 {
            return self.plain(said, classes);
        }
        let mut lower = std::mem::take(&mut self.lower);
        lower.clear();
        lower.extend(said.iter().map(u8::to_ascii_lowercase));
        let found = self.marked(said, &lower, classes);
        self.lower = lower;
        found
    }

    /// As `text`, for one without a bracket or anything that a mark opens with.
    fn plain(&mut self, said: &[u8], classes: u16) -> Go {
        let bare = text::without_blanks(said);
        if (classes & WORD != 0 && self.tables.holds_word(said)) || self.tables.opens(bare) {
            return self.sign();
        }
        let quoted = bare.len() >= SHORTEST_JSON && bare.first() == Some(&b'"');
        if quoted && self.nested(said) == Err(Stop::Unsure) {
            return self.sign();
        }
        Ok(())
    }

    /// As `text`, for any other; `lower` is the same in small letters.
    fn marked(&mut self, said: &[u8], lower: &[u8], classes: u16) -> Go {
        if classes & TAG != 0 && self.tables.holds_mark(lower) {
            return self.sign();
        }
        let bare = text::without_blanks(said);
        if bare.len() >= SHORTEST_JSON && matches!(bare.first(), Some(b'{' | b'[')) {
            match self.nested(said) {
                Ok(()) => return if self.tables.holds_word(said) { self.sign() } else { Ok(()) },
                Err(Stop::Unsure) => return self.sign(),
                Err(Stop::Malformed) => (),
            }
        }
        if classes & BRACKET != 0 && (may_hold_object(said) || self.tables.holds_marker(lower)) {
            return self.sign();
        }
        self.plain(said, classes)
    }

    fn nested(&mut self, said: &[u8]) -> Go {
        if self.nesting == DEEPEST_NESTING {
            return Err(Stop::Unsure);
        }
        let mut inner = Pass::new(self.tables, said);
        inner.hashes = std::mem::take(&mut self.hashes);
        inner.depth = self.depth + 2;
        inner.nesting = self.nesting + 1;
        let mark = inner.hashes.len();
        let found = inner.inside();
        self.hashes = std::mem::take(&mut inner.hashes);
        self.hashes.truncate(mark);
        found
    }
}

/// Whether a text may hold an object.
fn may_hold_object(said: &[u8]) -> bool {
    let holds = |byte| memchr::memchr(byte, said).is_some();
    holds(b'{') && holds(b':') && (holds(b'"') || holds(b'\''))
}

//! One pass over JSON bytes: strict about the grammar, and unsure about all that is not proved.
//!
//! The pass builds no tree. It answers that the walk of the library would find nothing, or which whole blocks it would
//! take out, or that it cannot tell. `docs/decisions/0046-a-native-pass-that-may-be-unsure.md` has the argument.

use crate::cursor::Cursor;
use crate::layout::{Content, Elements, Gaps, Judged, Members, Place};
use crate::tables::{Key, Tables, ALWAYS, ARRAY, CONTENT, MESSAGES, TRUE, UNTYPED};

/// Why the pass ends early.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// This is certainly not JSON.
    Malformed,
    /// The library has to look.
    Unsure,
}

/// A step of the pass.
pub type Go<T = ()> = Result<T, Stop>;

/// Members up to which every key is compared with every other.
const FEW: usize = 12;

/// A block that goes as a whole.
pub struct Gone {
    /// The position of its rule.
    pub rule: usize,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The position of its message in the history, if it is in one.
    pub message: Option<usize>,
    /// Its position in the content.
    pub block: usize,
}

/// What a sign does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Signs {
    /// It ends the pass.
    Stop,
    /// It waits for the end of the block around it, which may be one that goes.
    Wait,
    /// It waits, and there was one.
    Seen,
}

/// One pass.
pub struct Pass<'d> {
    pub(crate) tables: &'d Tables,
    pub(crate) input: Cursor<'d>,
    pub(crate) depth: usize,
    pub(crate) nesting: usize,
    pub(crate) hashes: Vec<u64>,
    pub(crate) scratch: Vec<u8>,
    pub(crate) lower: Vec<u8>,
    pub(crate) signs: Signs,
    message: Option<usize>,
    /// The blocks that go, in order.
    pub gone: Vec<Gone>,
    /// The bytes that go, in order, with the commas that go with the blocks.
    pub cuts: Vec<(usize, usize)>,
}

impl<'d> Pass<'d> {
    /// A pass over `data`, which is UTF-8.
    pub fn new(tables: &'d Tables, data: &'d [u8]) -> Self {
        Self {
            tables,
            input: Cursor::new(data),
            depth: 0,
            nesting: 0,
            hashes: Vec::new(),
            scratch: Vec::new(),
            lower: Vec::new(),
            signs: Signs::Stop,
            message: None,
            gone: Vec::new(),
            cuts: Vec::new(),
        }
    }

    /// Settle a whole document.
    pub fn document(&mut self) -> Go {
        self.input.space();
        if self.input.peek() != Some(b'{') {
            return Err(Stop::Unsure);
        }
        self.object(Place { message: true, root: true, ..Place::default() })?;
        self.input.end()
    }

    /// Settle the text of a string that looks like a document.
    pub(crate) fn inside(&mut self) -> Go {
        self.input.space();
        match self.input.peek() {
            Some(b'[') => drop(self.array(Elements { keyless: true, ..Elements::default() })?),
            _ => drop(self.value(Key::default(), Place::default(), &mut Members::default())?),
        }
        self.input.end()
    }

    fn object(&mut self, place: Place) -> Go<Judged> {
        self.enter()?;
        let mark = self.hashes.len();
        let mut members = Members::default();
        self.input.space();
        if !self.input.eat(b'}') {
            loop {
                self.member(place, &mut members)?;
                self.input.space();
                if self.input.eat(b'}') {
                    break;
                }
                self.input.expect(b',')?;
                self.input.space();
            }
            self.check_twins(mark)?;
        }
        self.depth -= 1;
        self.judge(place, &members)
    }

    fn member(&mut self, place: Place, members: &mut Members) -> Go {
        let (name, classes) = self.key()?;
        let hash = self.tables.hash(name);
        let key = self.tables.key(hash, name);
        self.hashes.push(hash);
        self.input.space();
        self.input.expect(b':')?;
        self.input.space();
        if key.is(ALWAYS) || self.tables.is_odd(name, classes) {
            self.sign()?;
        }
        members.note(key);
        self.value(key, place, members)
    }

    /// Settle the value under `key` in an object at `place`.
    fn value(&mut self, key: Key, place: Place, members: &mut Members) -> Go {
        match self.input.peek() {
            Some(b'"') => self.string(key, members),
            Some(b'{') => self.object(Place::default()).map(drop),
            Some(b'[') => self.list(key, place, members),
            Some(b't') => {
                if key.is(TRUE) {
                    self.sign()?;
                }
                self.input.word(b"true")
            }
            Some(b'f') => self.input.word(b"false"),
            Some(b'n') => self.input.word(b"null"),
            _ => self.input.number(),
        }
    }

    fn list(&mut self, key: Key, place: Place, members: &mut Members) -> Go {
        if key.is(ARRAY) {
            self.sign()?;
        }
        let candidates = place.message && key.is(CONTENT);
        let messages = place.root && key.is(MESSAGES);
        let content = self.array(Elements { list: key.list, candidates, messages, keyless: false })?;
        if candidates {
            members.content = content;
        }
        members.lost |= messages && !self.gone.is_empty() && members.content.gone < self.gone.len();
        Ok(())
    }

    fn array(&mut self, of: Elements) -> Go<Content> {
        self.enter()?;
        let mut content = Content::default();
        let mut gaps = Gaps::default();
        self.input.space();
        if !self.input.eat(b']') {
            let mut position = 0;
            loop {
                self.element(of, position, &mut content, &mut gaps)?;
                position += 1;
                self.input.space();
                if self.input.eat(b']') {
                    break;
                }
                self.input.expect(b',')?;
                self.input.space();
            }
            self.cuts.extend(gaps.last());
        }
        self.depth -= 1;
        Ok(content)
    }

    fn element(&mut self, of: Elements, position: usize, content: &mut Content, gaps: &mut Gaps) -> Go {
        let start = self.input.at();
        match self.input.peek() {
            Some(b'{') if of.candidates => {
                if let Some(rule) = self.candidate(of, content)? {
                    self.gone.push(Gone { rule, start, end: self.input.at(), message: self.message, block: position });
                    content.gone += 1;
                    gaps.lose(start, self.input.at());
                    return Ok(());
                }
            }
            Some(b'{') if of.keyless => return Err(Stop::Unsure),
            Some(b'{') if of.messages => {
                self.message = Some(position);
                self.object(Place { message: true, ..Place::default() })?;
                self.message = None;
            }
            Some(b'{') => {
                self.object(Place { list: of.list, ..Place::default() })?;
            }
            Some(b'[') => {
                content.untyped = true;
                self.array(Elements { keyless: of.keyless, ..Elements::default() })?;
            }
            _ => {
                content.untyped = true;
                self.value(Key::default(), Place::default(), &mut Members::default())?;
            }
        }
        content.kept += 1;
        self.cuts.extend(gaps.keep(start, self.input.at()));
        Ok(())
    }

    /// The rule that takes the block here out of the content of a message, if one does.
    fn candidate(&mut self, of: Elements, content: &mut Content) -> Go<Option<usize>> {
        self.signs = Signs::Wait;
        let judged = self.object(Place { list: of.list, candidate: true, ..Place::default() })?;
        let signs = std::mem::replace(&mut self.signs, Signs::Stop);
        match judged {
            Judged::Gone(rule) => Ok(Some(rule)),
            _ if signs == Signs::Seen => Err(Stop::Unsure),
            Judged::Typed => Ok(None),
            Judged::Untyped => {
                content.untyped = true;
                Ok(None)
            }
        }
    }

    /// Judge an object by what it has.
    fn judge(&self, place: Place, members: &Members) -> Go<Judged> {
        if place.message {
            members.check_message(place.root)?;
        }
        match members.kind {
            _ if place.list == 0 => Ok(Judged::Typed),
            Some(kind) if kind.lone != 0 && place.candidate => self
                .tables
                .rule(kind, !members.banned, members.needed)
                .map_or(Err(Stop::Unsure), |rule| Ok(Judged::Gone(rule))),
            Some(kind) if kind.lone == 0 && kind.known & place.list != 0 => Ok(Judged::Typed),
            Some(_) => Err(Stop::Unsure),
            None if members.count == 0 || members.flags & UNTYPED != 0 => Ok(Judged::Untyped),
            None => Err(Stop::Unsure),
        }
    }

    /// Two copies of one key hide one of them from whoever parses; so do two keys of one number.
    fn check_twins(&mut self, mark: usize) -> Go {
        let Some(own) = self.hashes.get_mut(mark..) else { return Err(Stop::Unsure) };
        if own.len() > FEW {
            own.sort_unstable();
            if own.windows(2).any(|pair| pair.first() == pair.last()) {
                return Err(Stop::Unsure);
            }
        } else if own.iter().enumerate().any(|(at, hash)| own.iter().take(at).any(|other| other == hash)) {
            return Err(Stop::Unsure);
        }
        self.hashes.truncate(mark);
        Ok(())
    }

    /// Note something that the library has to look at, unless the block around it goes.
    pub(crate) fn sign(&mut self) -> Go {
        if self.signs == Signs::Stop {
            return Err(Stop::Unsure);
        }
        self.signs = Signs::Seen;
        Ok(())
    }

    fn enter(&mut self) -> Go {
        self.input.step();
        self.depth += 1;
        if self.depth > self.tables.depth {
            Err(Stop::Unsure)
        } else {
            Ok(())
        }
    }
}

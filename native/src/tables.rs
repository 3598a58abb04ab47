//! The tables of one program, as Python hands them over, turned into look-ups.

use std::collections::HashMap;
use std::hash::BuildHasher;

use aho_corasick::{packed, AhoCorasick};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use memchr::memmem::Finder;
use pyo3::prelude::*;
use regex::bytes::Regex;

use crate::building::{open, unknown, Building, Source};
use crate::text::{Classes, TAG, WORD};

/// Levels that no table can ask for more of: the pass calls itself for each.
const DEEPEST: usize = 256;

/// Something about a key: a sign whatever stands under it.
pub const ALWAYS: u16 = 1;
/// A sign when an array stands under it.
pub const ARRAY: u16 = 2;
/// A sign when `true` stands under it.
pub const TRUE: u16 = 4;
/// The discriminator of blocks.
pub const TYPE: u16 = 8;
/// Who wrote a message.
pub const ROLE: u16 = 16;
/// The list of a message that whole blocks may be taken from.
pub const CONTENT: u16 = 32;
/// The messages of a history.
pub const MESSAGES: u16 = 64;
/// Some hook looks at a message that has it.
pub const HOOKED: u16 = 128;
/// Some hook, or a position, looks at a history that has it.
pub const ROOTED: u16 = 256;
/// An object that has it needs no type in a closed list.
pub const UNTYPED: u16 = 512;

/// What is known about one key.
#[derive(Clone, Copy, Default)]
pub struct Key {
    pub(crate) flags: u16,
    /// The closed list that an array under it is, as one bit.
    pub list: u8,
    /// One bit for each lone rule whose blocks may have it.
    pub allowed: u32,
    /// One bit for each lone rule that needs one of several members, of which it is one.
    pub needed: u32,
    pub(crate) values: Option<usize>,
}

impl Key {
    /// Whether any of `flags` is set.
    pub fn is(self, flags: u16) -> bool {
        self.flags & flags != 0
    }
}

/// Texts that are signs under one key.
#[derive(Default)]
pub struct Values {
    pub(crate) whole: hashbrown::HashSet<Vec<u8>, FixedState>,
    pub(crate) starts: Vec<Vec<u8>>,
}

/// What is known about one value of `type`.
#[derive(Clone, Copy, Default)]
pub struct Kind {
    /// One bit for each closed list that it may stand in.
    pub known: u8,
    /// One bit for each lone rule that takes blocks of this type.
    pub lone: u32,
}

/// A rule that takes a whole block.
struct Lone {
    needs: bool,
}

/// The look-ups.
pub struct Tables {
    hasher: FixedState,
    keys: HashTable<(Vec<u8>, Key)>,
    starts: Vec<Vec<u8>>,
    /// Classes of bytes.
    pub classes: Classes,
    values: Vec<Values>,
    kinds: HashTable<(Vec<u8>, Kind)>,
    open: Vec<(Vec<u8>, bool)>,
    words: Words,
    shortest: usize,
    lone: Vec<Lone>,
    openings: Vec<Vec<u8>>,
    opener: Regex,
    hint: Regex,
    markers: Words,
    caseless: Vec<Finder<'static>>,
    /// Levels that a document may nest.
    pub depth: usize,
}

impl Tables {
    /// Look-ups for `source`, and the names of the rules that take whole blocks.
    ///
    /// An error means that something in it has a form that this pass does not know; nothing may be settled then.
    pub fn new(source: Source) -> PyResult<(Self, Vec<String>)> {
        if source.lone.len() > 32 || source.known.len() > 8 {
            return Err(unknown("so many rules or lists"));
        }
        let mut building = Building::default();
        for sign in source.signs.iter().chain(&source.words) {
            building.sign(sign)?;
        }
        building.layout(&source);
        let (keys, kinds) = (building.keys, building.kinds);
        let hasher = FixedState::with_seed(0x7265_7469_6365_6e74);
        let tables = Self {
            keys: table(keys, &hasher),
            kinds: table(kinds, &hasher),
            hasher,
            starts: building.starts,
            classes: Classes::new(&building.words.iter().map(|word| rare(word)).collect()),
            values: building.values,
            open: source.open.iter().filter_map(|pattern| open(pattern)).collect(),
            shortest: building.words.iter().map(Vec::len).min().unwrap_or(usize::MAX),
            words: Words::new(&building.words)?,
            lone: source.lone.iter().map(|(_, _, needs, _)| Lone { needs: !needs.is_empty() }).collect(),
            openings: source.openings.into_iter().map(String::into_bytes).collect(),
            opener: pattern(&format!("^(?:{})", source.opener))?,
            hint: pattern(&format!("(?-u:{})", source.hint))?,
            markers: Words::new(&source.markers)?,
            caseless: source.caseless.chars().map(|letter| Finder::new(&letter.to_string()).into_owned()).collect(),
            depth: source.depth.min(DEEPEST),
        };
        Ok((tables, source.lone.into_iter().map(|(_, rule, _, _)| rule).collect()))
    }

    /// A number that equal keys share.
    pub fn hash(&self, key: &[u8]) -> u64 {
        self.hasher.hash_one(key)
    }

    /// What is known about `key`; `hash` is its number.
    pub fn key(&self, hash: u64, key: &[u8]) -> Key {
        self.keys.find(hash, |(name, _)| name == key).map_or_else(Key::default, |&(_, found)| found)
    }

    /// What is known about a type.
    pub fn kind(&self, name: &[u8]) -> Kind {
        let found = self.kinds.find(self.hash(name), |(kind, _)| kind == name);
        let mut kind = found.map_or_else(Kind::default, |&(_, kind)| kind);
        if kind.known != u8::MAX && self.is_open(name) {
            kind.known = u8::MAX;
        }
        kind
    }

    fn is_open(&self, name: &[u8]) -> bool {
        self.open.iter().any(|(start, goes_on)| if *goes_on { name.starts_with(start) } else { name == start })
    }

    /// Whether a key that no table names is a sign all the same: by how it begins, or by what it holds.
    pub fn is_odd(&self, key: &[u8], classes: u16) -> bool {
        self.starts.iter().any(|start| starts(key, start))
            || (classes & TAG != 0 && self.holds_mark(&key.to_ascii_lowercase()))
            || (classes & WORD != 0 && self.holds_word(key))
    }

    /// Whether `text` under `key` is a sign there.
    pub fn is_sign(&self, key: Key, text: &[u8]) -> bool {
        let Some(values) = key.values.and_then(|at| self.values.get(at)) else { return false };
        values.whole.contains(text) || values.starts.iter().any(|start| text.starts_with(start))
    }

    /// Whether `text` holds a word that is a sign anywhere.
    pub fn holds_word(&self, text: &[u8]) -> bool {
        text.len() >= self.shortest && self.words.occur(text)
    }

    /// Whether a text may hold a mark of reasoning; `lower` is that text in small letters.
    pub fn holds_mark(&self, lower: &[u8]) -> bool {
        self.hint.is_match(lower)
    }

    /// Whether `text`, without the blanks in front, opens like a prose form.
    pub fn opens(&self, text: &[u8]) -> bool {
        self.openings.iter().any(|opening| starts(text, opening))
            || (text.first() == Some(&b'H') && self.opener.is_match(text))
    }

    /// Whether a text names a word that carriers have; `lower` is that text in small letters.
    pub fn holds_marker(&self, lower: &[u8]) -> bool {
        self.markers.occur(lower)
            || (!lower.is_ascii() && self.caseless.iter().any(|letter| letter.find(lower).is_some()))
    }

    /// The lone rule that takes a block of `kind` whose keys are all `allowed` by these rules and `needed` by those.
    pub fn rule(&self, kind: Kind, allowed: u32, needed: u32) -> Option<usize> {
        let applies = |&(at, rule): &(usize, &Lone)| kind.lone & 1 << at != 0 && (!rule.needs || needed & 1 << at != 0);
        let (at, _) = self.lone.iter().enumerate().find(applies)?;
        (allowed & 1 << at != 0).then_some(at)
    }
}

/// A few words that are searched for with vector instructions where the machine has them.
enum Words {
    Packed(packed::Searcher),
    Plain(AhoCorasick),
}

impl Words {
    fn new<T: AsRef<[u8]>>(words: &[T]) -> PyResult<Self> {
        if let Some(found) = packed::Searcher::new(words) {
            return Ok(Self::Packed(found));
        }
        AhoCorasick::new(words).map(Self::Plain).map_err(|_| unknown("words"))
    }

    fn occur(&self, text: &[u8]) -> bool {
        match self {
            Self::Packed(words) => words.find(text).is_some(),
            Self::Plain(words) => words.is_match(text),
        }
    }
}

/// Whether `text` begins with `start`; most do not even have its first byte.
fn starts(text: &[u8], start: &[u8]) -> bool {
    text.first() == start.first() && text.starts_with(start)
}

/// The byte of a word that is the rarest in prose, as far as one can guess.
fn rare(word: &[u8]) -> u8 {
    let odd = word.iter().find(|byte| !byte.is_ascii_lowercase());
    odd.or(word.first()).copied().unwrap_or(b'"')
}

fn table<T>(entries: HashMap<Vec<u8>, T>, hasher: &FixedState) -> HashTable<(Vec<u8>, T)> {
    let mut table = HashTable::with_capacity(entries.len());
    let hash = |(name, _): &(Vec<u8>, T)| hasher.hash_one(name.as_slice());
    for entry in entries {
        table.insert_unique(hash(&entry), entry, hash);
    }
    table
}

fn pattern(text: &str) -> PyResult<Regex> {
    Regex::new(text).map_err(|_| unknown("a pattern"))
}

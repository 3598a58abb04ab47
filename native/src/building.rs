//! What Python hands over, and how it becomes tables.

use std::collections::{HashMap, HashSet};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::tables::{Key, Kind, Values, ALWAYS, ARRAY, CONTENT, HOOKED, MESSAGES, ROLE, ROOTED, TRUE, TYPE, UNTYPED};

/// What Python hands over: `reticent.serializers.native` says where each table comes from.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Source {
    pub signs: Vec<String>,
    pub words: Vec<String>,
    pub known: HashMap<String, HashSet<String>>,
    pub open: Vec<String>,
    pub untyped: HashSet<String>,
    pub lone: Vec<(String, String, HashSet<String>, HashSet<String>)>,
    pub hooked: HashSet<String>,
    pub rooted: HashSet<String>,
    pub openings: Vec<String>,
    pub opener: String,
    pub hint: String,
    pub markers: Vec<String>,
    pub caseless: String,
    pub depth: usize,
}

/// Tables while they are put together.
#[derive(Default)]
pub struct Building {
    pub keys: HashMap<Vec<u8>, Key>,
    pub starts: Vec<Vec<u8>>,
    pub values: Vec<Values>,
    pub kinds: HashMap<Vec<u8>, Kind>,
    pub words: Vec<Vec<u8>>,
}

impl Building {
    /// Take in one sign: `"key":`, `"key":"value"`, `"key":"start`, `"key":[`, `"key":true`, `"start` or a bare word.
    pub fn sign(&mut self, sign: &str) -> PyResult<()> {
        let Some(rest) = sign.strip_prefix('"') else {
            if sign.is_empty() || sign.contains(['"', '\\', '{', '}', '[', ']', ',']) {
                return Err(unknown("a word"));
            }
            self.words.push(sign.into());
            return Ok(());
        };
        if sign.contains('\\') {
            return Err(unknown("a sign with an escape"));
        }
        let Some((key, value)) = rest.split_once('"') else {
            self.starts.push(rest.into());
            return Ok(());
        };
        match value {
            ":" => self.flag(key, ALWAYS),
            ":[" => self.flag(key, ARRAY),
            ":true" => self.flag(key, TRUE),
            _ => self.value(key, value.strip_prefix(":\"").ok_or_else(|| unknown("a sign"))?)?,
        }
        Ok(())
    }

    fn value(&mut self, key: &str, text: &str) -> PyResult<()> {
        let next = self.values.len();
        let at = *self.entry(key).values.get_or_insert(next);
        if at == next {
            self.values.push(Values::default());
        }
        let values = self.values.get_mut(at).ok_or_else(|| unknown("a sign"))?;
        match text.split_once('"') {
            None => values.starts.push(text.into()),
            Some((whole, "")) => drop(values.whole.insert(whole.into())),
            Some(_) => return Err(unknown("a sign")),
        }
        Ok(())
    }

    /// Take in what is known about lists, and about the blocks that go from them.
    pub fn layout(&mut self, source: &Source) {
        for (bit, (list, kinds)) in source.known.iter().enumerate() {
            self.entry(list).list = 1 << bit;
            for kind in kinds {
                self.kinds.entry(kind.as_bytes().to_vec()).or_default().known |= 1 << bit;
            }
        }
        for (flag, key) in [(TYPE, "type"), (ROLE, "role"), (CONTENT, "content"), (MESSAGES, "messages")] {
            self.flag(key, flag);
        }
        for (flag, keys) in [(HOOKED, &source.hooked), (ROOTED, &source.rooted), (UNTYPED, &source.untyped)] {
            keys.iter().for_each(|key| self.flag(key, flag));
        }
        for (bit, (kind, _, needs, allowed)) in source.lone.iter().enumerate() {
            self.kinds.entry(kind.as_bytes().to_vec()).or_default().lone |= 1 << bit;
            needs.iter().for_each(|key| self.entry(key).needed |= 1 << bit);
            allowed.iter().for_each(|key| self.entry(key).allowed |= 1 << bit);
        }
    }

    fn flag(&mut self, key: &str, flag: u16) {
        self.entry(key).flags |= flag;
    }

    fn entry(&mut self, key: &str) -> &mut Key {
        self.keys.entry(key.as_bytes().to_vec()).or_default()
    }
}

/// A name, and whether more may follow it; other patterns are left to Python.
pub fn open(pattern: &str) -> Option<(Vec<u8>, bool)> {
    let (name, goes_on) = pattern.strip_suffix('*').map_or((pattern, false), |start| (start, true));
    (!name.contains(['*', '?', '['])).then(|| (name.into(), goes_on))
}

/// The error that switches the pass off for a program.
pub fn unknown(what: &str) -> PyErr {
    PyValueError::new_err(format!("the native pass does not know {what} of this form"))
}

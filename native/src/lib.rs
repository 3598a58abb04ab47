//! The native settle pass of reticent: one look over JSON bytes that proves them clean or takes whole blocks out.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

mod building;
mod cursor;
mod layout;
mod pass;
mod strings;
mod tables;
mod text;

use building::Source;
use pass::Pass;
use tables::Tables;

/// The form of the tables and of the answers; Python uses a pass of its own form only.
const CONTRACT: u32 = 3;

/// What one program looks for, compiled; safe to share between threads.
#[pyclass(frozen, module = "reticent_native")]
struct Settler {
    tables: Tables,
    rules: Vec<Py<PyString>>,
}

#[pymethods]
impl Settler {
    /// Compile `tables`.
    ///
    /// Raises:
    ///     ValueError: something in them has a form that this pass does not know.
    #[new]
    fn new(py: Python<'_>, tables: Source) -> PyResult<Self> {
        let (tables, rules) = Tables::new(tables)?;
        let rules = rules.iter().map(|rule| PyString::new(py, rule).unbind()).collect();
        Ok(Self { tables, rules })
    }

    /// `data` itself when the walk would find nothing in it.
    ///
    /// `(bytes, gone)` when it would take out whole blocks, each `(rule, characters, message, block)`, with the
    /// position of the message in the history, or None, and that of the block in its content. None when it has to
    /// look.
    fn settle<'py>(&self, py: Python<'py>, data: &Bound<'py, PyBytes>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let bytes = data.as_bytes();
        if simdutf8::basic::from_utf8(bytes).is_err() {
            return Ok(None);
        }
        let mut pass = Pass::new(&self.tables, bytes);
        if pass.document().is_err() {
            return Ok(None);
        }
        if pass.gone.is_empty() {
            return Ok(Some(data.clone().into_any()));
        }
        let gone = pass.gone.iter().map(|block| {
            let length = text::measure(bytes.get(block.start..block.end).unwrap_or_default());
            (self.rules.get(block.rule), length, block.message, block.block)
        });
        let gone = PyList::new(py, gone.collect::<Vec<_>>())?;
        let left = PyBytes::new(py, &without(bytes, &pass.cuts));
        Ok(Some(PyTuple::new(py, [left.into_any(), gone.into_any()])?.into_any()))
    }
}

/// `data` without the ranges `cuts`, which are in order.
fn without(data: &[u8], cuts: &[(usize, usize)]) -> Vec<u8> {
    let mut left = Vec::with_capacity(data.len());
    let mut at = 0;
    for &(start, end) in cuts {
        left.extend_from_slice(data.get(at..start).unwrap_or_default());
        at = end;
    }
    left.extend_from_slice(data.get(at..).unwrap_or_default());
    left
}

/// The module.
#[pymodule]
fn reticent_native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("CONTRACT", CONTRACT)?;
    module.add_class::<Settler>()
}

//! What was computed already, by what was asked for.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use xai_core::Result;

use crate::model::black_box::lock;

/// Results by type and parameters of the work they come from.
#[derive(Default)]
pub(crate) struct Cache(RefCell<Vec<Box<dyn Any>>>);

impl Cache {
    /// The result of some work, if it was done.
    pub(crate) fn get<K: PartialEq + 'static, V: 'static>(&self, work: &K) -> Option<Rc<V>> {
        let known = self.0.borrow();
        let mut known = known.iter().filter_map(|e| e.downcast_ref::<(K, Rc<V>)>());
        let (_, value) = known.find(|(key, _)| key == work)?;
        Some(Rc::clone(value))
    }

    /// Lets go of the result of some work.
    pub(crate) fn forget<K: PartialEq + 'static, V: 'static>(&self, work: &K) {
        let is_other = |entry: &Box<dyn Any>| {
            let known = entry.downcast_ref::<(K, Rc<V>)>();
            known.is_none_or(|(key, _)| key != work)
        };
        self.0.borrow_mut().retain(is_other);
    }

    /// The result of some work, done once. The work may ask the cache for other work.
    pub(crate) fn get_or<K, V>(&self, work: &K, make: impl FnOnce() -> Result<V>) -> Result<Rc<V>>
    where
        K: PartialEq + Clone + 'static,
        V: 'static,
    {
        if let Some(value) = self.get(work) {
            return Ok(value);
        }
        let value = Rc::new(make()?);
        let entry = (work.clone(), Rc::clone(&value));
        self.0.borrow_mut().push(Box::new(entry));
        Ok(value)
    }
}

/// As [`Cache`], for work that batches on several threads share.
#[derive(Default)]
pub(crate) struct SharedCache(Mutex<Vec<Box<dyn Any + Send + Sync>>>);

impl SharedCache {
    /// As [`Cache::get_or`]. Work that two threads begin at once is done twice and kept once.
    pub(crate) fn get_or<K, V>(&self, work: &K, make: impl FnOnce() -> Result<V>) -> Result<Arc<V>>
    where
        K: PartialEq + Clone + Send + Sync + 'static,
        V: Send + Sync + 'static,
    {
        let get = |known: &[Box<dyn Any + Send + Sync>]| {
            let mut known = known.iter().filter_map(|e| e.downcast_ref::<(K, Arc<V>)>());
            known
                .find(|(key, _)| key == work)
                .map(|(_, value)| Arc::clone(value))
        };
        if let Some(value) = get(&lock(&self.0)) {
            return Ok(value);
        }
        let value = Arc::new(make()?);
        let mut known = lock(&self.0);
        if let Some(value) = get(&known) {
            return Ok(value);
        }
        known.push(Box::new((work.clone(), Arc::clone(&value))));
        Ok(value)
    }
}

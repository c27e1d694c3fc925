//! The nearest training rows of queries or counterfactuals.

use std::sync::{Arc, Mutex, PoisonError};

use xai_core::Result;
use xai_neighbors::Nearest;

/// Training rows among which neighbours of a row are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Among {
    All,
    Class(i64),
    Except(i64),
}

impl Among {
    pub(crate) fn has(self, class: i64) -> bool {
        match self {
            Self::All => true,
            Self::Class(own) => class == own,
            Self::Except(other) => class != other,
        }
    }
}

/// Number of neighbours that is searched at least, the default of most metrics: five cost little more than one.
pub(crate) const SEARCHED_AT_LEAST: usize = 5;

/// Numbers of nearest training rows that a metric reads for each row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Wanted {
    /// Among all training rows.
    all: usize,
    /// Among those of the row's own class.
    own: usize,
    /// Among those of all other classes.
    others: usize,
    /// Among those of each class.
    each: usize,
}

impl Wanted {
    pub(crate) fn all(k: usize) -> Self {
        Self {
            all: k,
            ..Self::default()
        }
    }

    pub(crate) fn own(k: usize) -> Self {
        Self {
            own: k,
            ..Self::default()
        }
    }

    pub(crate) fn others(k: usize) -> Self {
        Self {
            others: k,
            ..Self::default()
        }
    }

    pub(crate) fn each(k: usize) -> Self {
        Self {
            each: k,
            ..Self::default()
        }
    }

    /// Returns the larger of the numbers of both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            all: self.all.max(other.all),
            own: self.own.max(other.own),
            others: self.others.max(other.others),
            each: self.each.max(other.each),
        }
    }

    fn includes(self, other: Self) -> bool {
        self.and(other) == self
    }

    /// Largest number of neighbours that [`select`](Self::select) returns; `None` if it depends on the number of
    /// classes.
    pub(crate) fn most(self) -> Option<usize> {
        let most = self.all.saturating_add(self.own);
        (self.each == 0).then_some(most.saturating_add(self.others))
    }

    /// Number of neighbours to search in the row's own class.
    pub(crate) fn in_own_class(self) -> usize {
        self.all.max(self.own).max(self.each)
    }

    /// Number of neighbours to search in each other class.
    pub(crate) fn in_another_class(self) -> usize {
        self.all.max(self.others).max(self.each)
    }

    /// The numbers for a search whose result also serves the other metrics.
    pub(crate) fn shared(self, knows_own_class: bool, n_classes: usize) -> Self {
        let at_least = |k: usize, least: usize| if k > 0 { k.max(least) } else { 0 };
        let all = at_least(self.all, SEARCHED_AT_LEAST);
        Self {
            all,
            // A search among all rows goes through every class, so it finds these, too.
            own: at_least(self.own, SEARCHED_AT_LEAST).max(if knows_own_class { all } else { 0 }),
            others: at_least(self.others, SEARCHED_AT_LEAST),
            each: self.each.max(usize::from(n_classes <= all)),
        }
    }

    /// Keeps the wanted neighbours among the nearest rows of the classes, and sorts them by distance and then index.
    pub(crate) fn select(
        self,
        mut found: Vec<Nearest>,
        own: Option<i64>,
        class_of: impl Fn(usize) -> i64,
    ) -> Vec<Nearest> {
        found.sort_unstable_by(|a, b| {
            a.distance
                .total_cmp(&b.distance)
                .then(a.index.cmp(&b.index))
        });
        // Ranks of the row at hand among all rows, those of its own class, those of the others, and of each class.
        let (mut all, mut of_own, mut of_others) = (0, 0, 0);
        let mut of_each: Vec<(i64, usize)> = Vec::new();
        found.retain(|near| {
            let class = class_of(near.index);
            all += 1;
            let mut is_wanted = all <= self.all;
            if own == Some(class) {
                of_own += 1;
                is_wanted |= of_own <= self.own;
            } else {
                of_others += 1;
                is_wanted |= of_others <= self.others;
            }
            if self.each > 0 {
                let position = of_each.iter().position(|(other, _)| *other == class);
                let position = position.unwrap_or_else(|| {
                    of_each.push((class, 0));
                    of_each.len() - 1
                });
                of_each[position].1 += 1;
                is_wanted |= of_each[position].1 <= self.each;
            }
            is_wanted
        });
        found
    }
}

/// The nearest training rows of some rows, by ascending distance and then index.
#[derive(Debug)]
pub(crate) struct Neighborhood {
    wanted: Wanted,
    /// The rows' own classes, if they are known.
    own: Option<Vec<i64>>,
    /// First neighbour of each row, and the number of all.
    starts: Vec<usize>,
    // Separate lists take 12 bytes per neighbour instead of 16.
    indices: Vec<u32>,
    distances: Vec<f64>,
}

impl Neighborhood {
    pub(crate) fn new(wanted: Wanted, own: Option<Vec<i64>>) -> Self {
        Self {
            wanted,
            own,
            starts: vec![0],
            indices: Vec::new(),
            distances: Vec::new(),
        }
    }

    /// Adds the neighbours of the next row.
    pub(crate) fn push(&mut self, found: &[Nearest]) {
        // There are fewer training rows than 2³², see `Reference::new`.
        self.indices
            .extend(found.iter().map(|near| near.index as u32));
        self.distances
            .extend(found.iter().map(|near| near.distance));
        self.starts.push(self.indices.len());
    }

    /// Iterates over the neighbours of a row.
    pub(crate) fn neighbors(&self, row: usize) -> impl Iterator<Item = Nearest> + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        let pairs = self.indices[range.clone()]
            .iter()
            .zip(&self.distances[range]);
        pairs.map(|(&index, &distance)| Nearest {
            index: index as usize,
            distance,
        })
    }
}

/// Neighbourhoods that were searched, by a key of their rows.
#[derive(Debug)]
pub(crate) struct Searched<K>(Mutex<Vec<(K, Arc<Neighborhood>)>>);

impl<K> Default for Searched<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: PartialEq> Searched<K> {
    /// Most neighbourhoods that are kept.
    const MOST: usize = 4;

    /// Returns the neighbourhood with this key if it has the wanted rows. Otherwise `search` is called, and its result
    /// kept.
    ///
    /// `own` are the classes of the rows.
    pub(crate) fn get(
        &self,
        key: K,
        own: Option<&[i64]>,
        wanted: Wanted,
        search: impl FnOnce(Wanted) -> Result<Neighborhood>,
    ) -> Result<Arc<Neighborhood>> {
        let is_same = |(other, found): &(K, Arc<Neighborhood>)| {
            *other == key && (own.is_none() || found.own.as_deref() == own)
        };
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock()
            .iter()
            .find(|of| is_same(of))
            .map(|of| Arc::clone(&of.1));
        let wanted = match known {
            Some(found) if found.wanted.includes(wanted) => return Ok(found),
            Some(found) => found.wanted.and(wanted),
            None => wanted,
        };
        // Not under the lock: a thread that waits for its part of a search may take up a task that needs the lock.
        let found = Arc::new(search(wanted)?);
        let mut all = lock();
        all.retain(|of| !is_same(of));
        all.truncate(Self::MOST - 1);
        all.insert(0, (key, Arc::clone(&found)));
        Ok(found)
    }
}

//! Limits of the length and nesting of a query.
//!
//! The parser turns `a + b + c + …` into nested terms, and the engine walks them recursively, which takes stack for
//! each level. So terms that are nested too deeply are refused before planning, on a thread whose stack has room for
//! the deepest nesting that fits into a query of the maximum length.

use std::ops::ControlFlow;
use std::thread;

use datafusion::sql::sqlparser::ast::{self, Query, Select, SetExpr, Visit, Visitor};
use xai_files::Failure;

/// Largest number of nested terms, parts of a UNION or tables of a join: a thousand, and some around them.
pub(crate) const DEEPEST: usize = 1_100;
/// Largest number of bytes of a query.
pub(crate) const LONGEST: usize = 1 << 20;
/// Stack for the deepest terms that fit into a query of that length. The system provides its pages when they are used.
const STACK: usize = 1 << 30;

const WAY_OUT: &str = "write a list of values as `x IN (…)`, or put values into a file and join it";

/// Runs work on a thread with a large stack.
pub(crate) fn with_stack<T: Send>(
    work: impl FnOnce() -> T + Send,
) -> std::io::Result<thread::Result<T>> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK);
        Ok(thread.spawn_scoped(scope, work)?.join())
    })
}

/// Refuses a query that is too long.
pub(crate) fn check_text(query: &str) -> Result<(), Failure> {
    let n_bytes = query.len();
    if n_bytes > LONGEST {
        let what = format_args!("the query has {n_bytes} bytes, more than {LONGEST}");
        return Err(Failure::usage(what).help(WAY_OUT));
    }
    Ok(())
}

/// Refuses a statement whose terms are nested too deeply.
pub(crate) fn check_statement(statement: &impl Visit) -> Result<(), Failure> {
    match statement.visit(&mut Depth::default()) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Failure::usage(too_deep()).help(WAY_OUT)),
    }
}

fn too_deep() -> String {
    format!("more than {DEEPEST} terms inside each other, as in a + b + …")
}

/// Number of terms around the visited one.
#[derive(Default)]
struct Depth(usize);

impl Depth {
    fn down(&mut self) -> bool {
        self.0 += 1;
        self.0 > DEEPEST
    }
}

fn broken_if(is_too_deep: bool) -> ControlFlow<()> {
    if is_too_deep {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

impl Visitor for Depth {
    type Break = ();

    fn pre_visit_expr(&mut self, _: &ast::Expr) -> ControlFlow<()> {
        broken_if(self.down())
    }

    fn post_visit_expr(&mut self, _: &ast::Expr) -> ControlFlow<()> {
        self.0 -= 1;
        ControlFlow::Continue(())
    }

    /// `a UNION b UNION c` is parsed as `(a UNION b) UNION c`.
    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        // Not recursive, because the nesting may be deep.
        let (mut parts, mut body) = (1, &*query.body);
        while let SetExpr::SetOperation { left, .. } = body {
            (parts, body) = (parts + 1, left);
        }
        broken_if(parts > DEEPEST)
    }

    /// A join of many tables is parsed as a join of a join and a table.
    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        let tables = select.from.iter().map(|from| 1 + from.joins.len());
        broken_if(tables.sum::<usize>() > DEEPEST)
    }
}

#[cfg(test)]
mod tests {
    use datafusion::sql::sqlparser::dialect::GenericDialect;
    use datafusion::sql::sqlparser::parser::Parser;

    use super::*;

    fn is_refused(query: &str) -> bool {
        let statement = Parser::parse_sql(&GenericDialect {}, query).expect("SQL");
        check_statement(&statement).is_err()
    }

    #[test]
    fn a_thousand_terms_may_be_inside_each_other_and_no_more_than_the_limit() {
        let check = || {
            for (first, next, last) in [
                ("SELECT 1", " + 1", ""),
                ("SELECT sum(a", " * a", ") FROM t WHERE b"),
                ("SELECT 1 FROM t WHERE a", " OR a", ""),
                ("SELECT 1", " UNION SELECT 1", ""),
                ("SELECT 1 FROM t", ", t", ""),
                ("SELECT 1 FROM t", " JOIN t ON true", ""),
            ] {
                let query = |n| format!("{first}{}{last}", next.repeat(n));
                assert!(!is_refused(&query(1000)), "{next}");
                assert!(is_refused(&query(DEEPEST)), "{next}");
            }
            // Side by side.
            assert!(!is_refused(&format!(
                "SELECT 1 IN (1{})",
                ", 1".repeat(9000)
            )));
        };
        with_stack(check).expect("a thread").expect("no panic");
    }
}

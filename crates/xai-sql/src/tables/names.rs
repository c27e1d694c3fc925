//! Paths as names of tables.
//!
//! A dot divides a name in SQL, and a path has dots. So a table gets a name of letters, and the query is changed to use it.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, Ident, ObjectName, Statement, visit_expressions_mut, visit_relations_mut,
};

/// A name of letters, digits and underscores for a path, different from the names that are taken.
pub(super) fn plain(path: &str, taken: &[String]) -> String {
    let letter = |c: char| match c.is_ascii_alphanumeric() {
        true => c.to_ascii_lowercase(),
        false => '_',
    };
    let name: String = path.chars().map(letter).collect();
    let name = match name.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("_{name}"),
        false => name,
    };
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    let free = names.find(|name| !taken.contains(name));
    free.unwrap_or(name)
}

/// Says a table by another name, wherever a statement names it.
pub(super) fn rename(statement: &mut Statement, from: &str, to: &str) {
    let is_it = |ident: &Ident| ident.quote_style.is_some() && ident.value == from;
    let new = || Ident::with_quote('"', to);
    let _ = visit_relations_mut(statement, |relation| {
        let only = match &relation.0[..] {
            [part] => part.as_ident().is_some_and(is_it),
            _ => false,
        };
        if only {
            *relation = ObjectName::from(vec![new()]);
        }
        ControlFlow::<()>::Continue(())
    });
    let _ = visit_expressions_mut(statement, |expression| {
        if let Expr::CompoundIdentifier(parts) = expression
            && parts.first().is_some_and(is_it)
        {
            parts[0] = new();
        }
        ControlFlow::<()>::Continue(())
    });
}

#[cfg(test)]
mod tests {
    use datafusion::sql::sqlparser::dialect::GenericDialect;
    use datafusion::sql::sqlparser::parser::Parser;

    use super::*;

    #[test]
    fn a_path_is_said_by_a_name_of_letters() {
        let taken = ["runs_a_csv".to_owned()];
        assert_eq!(plain("1/ä.csv", &taken), "_1___csv");
        assert_eq!(plain("runs/a.csv", &taken), "runs_a_csv_2");
        let sql = "SELECT 'a.csv', \"a.csv\".x FROM 'a.csv' JOIN b ON \"a.csv\".x = b.x";
        let mut statement = Parser::parse_sql(&GenericDialect {}, sql)
            .expect("SQL")
            .remove(0);
        rename(&mut statement, "a.csv", "a_csv");
        let renamed = "SELECT 'a.csv', \"a_csv\".x FROM \"a_csv\" JOIN b ON \"a_csv\".x = b.x";
        assert_eq!(statement.to_string(), renamed);
    }
}

//! Conditions on the columns of events and of groups.

use super::column::{Column, Key};

bindery_model::closed_set! {
    /// The comparison of a filter.
    Operator {
        /// The value is one of those of the filter.
        In = "in",
        /// The value is none of those of the filter.
        NotIn = "notIn",
        /// The value is greater than that of the filter.
        GreaterThan = "greaterThan",
        /// The value is greater than that of the filter, or equal.
        GreaterThanOrEqual = "greaterThanOrEqual",
        /// The value is less than that of the filter.
        LessThan = "lessThan",
        /// The value is less than that of the filter, or equal.
        LessThanOrEqual = "lessThanOrEqual",
    }
}

impl Operator {
    /// Returns `true` if the operator compares with a list of values.
    pub const fn takes_list(self) -> bool {
        matches!(self, Self::In | Self::NotIn)
    }
}

/// A condition on a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Filter {
    /// The column.
    pub column: Column,
    operator: Operator,
    /// Sorted.
    values: Vec<Key>,
}

impl Filter {
    /// Creates a filter. Comparisons by size take one value.
    pub fn new(column: Column, operator: Operator, mut values: Vec<Key>) -> Self {
        values.sort();
        Self { column, operator, values }
    }

    /// Replaces the values.
    pub fn replace(&mut self, replaced: impl Fn(&Key) -> Key) {
        self.values = self.values.iter().map(replaced).collect();
        self.values.sort();
    }

    /// Returns the values if events or groups must have one of them.
    pub fn listed(&self) -> Option<&[Key]> {
        (self.operator == Operator::In).then_some(&self.values)
    }

    /// Returns `true` if an event, or a group, with these values of the column passes the filter. A
    /// column with several values passes [`Operator::In`] if one of them is listed.
    pub fn passes(&self, found: &[Key]) -> bool {
        let is_listed = || found.iter().any(|key| self.values.binary_search(key).is_ok());
        let compares = |holds: fn(&Key, &Key) -> bool| {
            let limit = self.values.first();
            limit.is_some_and(|limit| found.iter().any(|key| holds(key, limit)))
        };
        match self.operator {
            Operator::In => is_listed(),
            Operator::NotIn => !is_listed(),
            Operator::GreaterThan => compares(|key, limit| key > limit),
            Operator::GreaterThanOrEqual => compares(|key, limit| key >= limit),
            Operator::LessThan => compares(|key, limit| key < limit),
            Operator::LessThanOrEqual => compares(|key, limit| key <= limit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::column::ColumnName;
    use super::*;

    #[test]
    fn every_operator_compares() {
        let check = |operator: Operator, found: &[i64], expect: bool| {
            let column = Column::new(ColumnName::EventSearchResults);
            let filter = Filter::new(column, operator, vec![Key::Int(2)]);
            let found: Vec<Key> = found.iter().copied().map(Key::Int).collect();
            assert_eq!(filter.passes(&found), expect, "{operator:?} {found:?}");
        };
        for (operator, of_1_to_3) in [
            (Operator::In, [false, true, false]),
            (Operator::NotIn, [true, false, true]),
            (Operator::GreaterThan, [false, false, true]),
            (Operator::GreaterThanOrEqual, [false, true, true]),
            (Operator::LessThan, [true, false, false]),
            (Operator::LessThanOrEqual, [true, true, false]),
        ] {
            for (value, expect) in (1..).zip(of_1_to_3) {
                check(operator, &[value], expect);
            }
            // Events without the column are not among the values.
            check(operator, &[], operator == Operator::NotIn);
        }
        check(Operator::In, &[1, 2], true);
        check(Operator::NotIn, &[1, 2], false);
    }
}

//! Divides runs of scripts without spaces into overlapping pairs.
//!
//! `数据库` is divided into `数据` and `据库`, and a text of clusters likewise. The pairs of a query
//! are then found as a phrase, which is exact for words that no dictionary contains.

use unicode_segmentation::UnicodeSegmentation;

use super::compounds::Class;

/// Divides a folded run into its characters: clusters for Thai, Lao, Khmer and Burmese.
pub(crate) fn characters<'r>(folded: &'r str, class: Class, out: &mut Vec<&'r str>) {
    out.clear();
    match class {
        Class::Clusters => out.extend(folded.graphemes(true)),
        Class::Ideographs | Class::Word => {
            let starts = folded.char_indices();
            out.extend(starts.filter_map(|(at, c)| folded.get(at..at + c.len_utf8())));
        }
    }
}

/// Returns the overlapping pairs of adjacent characters.
pub(crate) fn pairs<'r>(folded: &'r str, characters: &[&'r str]) -> impl Iterator<Item = &'r str> {
    let mut start = 0;
    characters.windows(2).filter_map(move |pair| {
        let [first, second] = pair else { return None };
        let found = folded.get(start..start + first.len() + second.len());
        start += first.len();
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(run: &str, class: Class, expect: &[&str]) {
        let mut found = Vec::new();
        characters(run, class, &mut found);
        assert_eq!(pairs(run, &found).collect::<Vec<_>>(), expect, "{run}");
    }

    #[test]
    fn pairs_overlap() {
        check("数据库", Class::Ideographs, &["数据", "据库"]);
        check("사용자", Class::Ideographs, &["사용", "용자"]);
        check("库", Class::Ideographs, &[]);
    }

    #[test]
    fn clusters_are_not_divided() {
        check("ตั้งค่า", Class::Clusters, &["ตั้ง", "งค่", "ค่า"]);
    }
}

//! Division of texts into lines.

use super::fonts::{TextSize, shape};

/// Divides a text into at most `most` lines of a width. The last line ends with an ellipsis if the
/// text continues.
pub(super) fn lines(text: &str, size: TextSize, width: f32, most: usize) -> Vec<String> {
    let fits = |line: &str| shape(line, size.size).1 <= width;
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if fits(&longer) {
            line = longer;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for c in word.chars() {
            line.push(c);
            if !fits(&line) && line.chars().count() > 1 {
                line.pop();
                lines.push(std::mem::replace(&mut line, c.to_string()));
            }
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            while !fits(&format!("{last}…")) && last.pop().is_some() {}
            last.push('…');
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_divided_between_words() {
        let lines = |text: &str, width: f32, most: usize| lines(text, TextSize::TEXT, width, most);
        assert_eq!(lines("one two three", 4_000.0, 3), ["one two three"]);
        assert_eq!(lines("one two three", 130.0, 3), ["one two", "three"]);
        assert!(lines("one two three", 130.0, 1)[0].ends_with('…'));
        let broken = lines("Donaudampfschifffahrt", 130.0, 9);
        assert_eq!(broken.concat(), "Donaudampfschifffahrt");
        assert!(broken.len() > 1);
        assert!(lines("", 130.0, 9).is_empty());
    }
}

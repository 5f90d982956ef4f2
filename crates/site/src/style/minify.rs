//! Removes comments and needless white space from stylesheets and scripts, once per start.

/// Returns an equivalent stylesheet in fewer bytes. Strings are unchanged; a space stays wherever
/// it could have a meaning (between selectors, around operators).
pub(super) fn minify(css: &str) -> String {
    let mut out = String::with_capacity(css.len());
    let mut chars = css.chars().peekable();
    let mut space = false;
    while let Some(c) = chars.next() {
        if c == '/' && chars.peek() == Some(&'*') {
            chars.next();
            skip_comment(&mut chars);
        } else if c.is_whitespace() {
            space = true;
        } else {
            let tight = matches!(c, '{' | '}' | ';' | ',' | '>')
                || out.ends_with(['{', '}', ';', ',', '>', ':', '(']);
            if space && !tight && !out.is_empty() {
                out.push(' ');
            }
            space = false;
            if c == '}' && out.ends_with(';') {
                out.pop();
            }
            out.push(c);
            if matches!(c, '"' | '\'') {
                copy_string(&mut chars, c, &mut out);
            }
        }
    }
    out
}

/// Returns an equivalent script in fewer bytes: without indentation and lines that are comments. No
/// string may continue over several lines.
pub(super) fn minify_script(script: &str) -> String {
    let lines = script.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let mut out = String::with_capacity(script.len());
    for line in lines.filter(|line| !line.is_empty()) {
        out.push_str(line);
        out.push('\n');
    }
    out
}

fn skip_comment(chars: &mut impl Iterator<Item = char>) {
    let mut star = false;
    for c in chars {
        if star && c == '/' {
            return;
        }
        star = c == '*';
    }
}

fn copy_string(chars: &mut impl Iterator<Item = char>, quote: char, out: &mut String) {
    let mut escaped = false;
    for c in chars {
        out.push(c);
        if c == quote && !escaped {
            return;
        }
        escaped = c == '\\' && !escaped;
    }
}

#[cfg(test)]
mod tests {
    use super::minify;

    #[test]
    fn minification_preserves_the_meaning() {
        let check = |input: &str, expect: &str| assert_eq!(minify(input), expect);
        check("/* a */ p { color : red; }\n", "p{color :red}");
        check("a :hover, b > c { margin: 0 auto }", "a :hover,b>c{margin:0 auto}");
        check("x { width: calc(1px + 2px) }", "x{width:calc(1px + 2px)}");
        check("x::before { content: \" > /* \\\" \" }", "x::before{content:\" > /* \\\" \"}");
        check("@media (width > 3px) and (a) { b { c: d } }", "@media (width>3px) and (a){b{c:d}}");
    }
}

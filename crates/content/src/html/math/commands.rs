//! Commands that are replaced by others.

/// Returns the formula that a command without arguments stands for.
pub(super) fn synonym(name: &str) -> Option<&'static str> {
    SYNONYMS.iter().find(|(known, _)| *known == name).map(|(_, formula)| *formula)
}

/// Returns the symbol of a command within text.
pub(super) fn text_symbol(name: &str) -> Option<&'static str> {
    TEXT_SYMBOLS.iter().find(|(known, _)| *known == name).map(|(_, symbol)| *symbol)
}

/// Returns the number of arguments of a command of the crate. An argument that is one token needs
/// braces after it was replaced by several.
pub(super) fn arguments(name: &str) -> usize {
    match name {
        "frac" | "dfrac" | "tfrac" | "cfrac" | "binom" | "dbinom" | "tbinom" | "overset"
        | "underset" | "stackrel" => 2,
        "sqrt"
        | "acute"
        | "bar"
        | "overline"
        | "underbar"
        | "underline"
        | "breve"
        | "check"
        | "dot"
        | "ddot"
        | "grave"
        | "hat"
        | "tilde"
        | "vec"
        | "mathring"
        | "overleftarrow"
        | "underleftarrow"
        | "overrightarrow"
        | "Overrightarrow"
        | "underrightarrow"
        | "overleftrightarrow"
        | "underleftrightarrow"
        | "overleftharpoon"
        | "overrightharpoon"
        | "widecheck"
        | "widehat"
        | "widetilde"
        | "wideparen"
        | "overparen"
        | "overgroup"
        | "undergroup"
        | "overbrace"
        | "underbrace"
        | "underparen"
        | "overbracket"
        | "underbracket"
        | "mathbf"
        | "boldsymbol"
        | "mathcal"
        | "mathit"
        | "mathrm"
        | "mathsf"
        | "mathtt"
        | "mathbb"
        | "mathfrak"
        | "mathsfit"
        | "mathnormal"
        | "mathord"
        | "mathop"
        | "mathbin"
        | "mathrel"
        | "mathopen"
        | "mathclose"
        | "mathpunct"
        | "mathinner" => 1,
        _ => 0,
    }
}

/// Returns the arrow of a command that stretches it under or over its arguments.
pub(super) fn extensible(name: &str) -> Option<char> {
    Some(match name {
        "xleftarrow" => '←',
        "xrightarrow" => '→',
        "xLeftarrow" => '⇐',
        "xRightarrow" => '⇒',
        "xleftrightarrow" => '↔',
        "xLeftrightarrow" => '⇔',
        "xhookleftarrow" => '↩',
        "xhookrightarrow" => '↪',
        "xtwoheadleftarrow" => '↞',
        "xtwoheadrightarrow" => '↠',
        "xleftharpoonup" => '↼',
        "xrightharpoonup" => '⇀',
        "xleftharpoondown" => '↽',
        "xrightharpoondown" => '⇁',
        "xleftrightharpoons" => '⇋',
        "xrightleftharpoons" => '⇌',
        "xtofrom" => '⇄',
        "xmapsto" => '↦',
        "xlongequal" => '=',
        _ => return None,
    })
}

/// Returns the font size of a command, relative to the normal size.
pub(super) fn size(name: &str) -> Option<f64> {
    Some(match name {
        "tiny" => 0.5,
        "sixptsize" => 0.6,
        "scriptsize" => 0.7,
        "footnotesize" => 0.8,
        "small" => 0.9,
        "normalsize" => 1.0,
        "large" => 1.2,
        "Large" => 1.44,
        "LARGE" => 1.728,
        "huge" => 2.074,
        "Huge" => 2.488,
        _ => return None,
    })
}

/// Returns the combining character of an accent within text.
pub(super) fn text_accent(name: &str) -> Option<char> {
    Some(match name {
        "'" => '\u{301}',
        "`" => '\u{300}',
        "^" => '\u{302}',
        "~" => '\u{303}',
        "=" => '\u{304}',
        "u" => '\u{306}',
        "." => '\u{307}',
        "\"" => '\u{308}',
        "r" => '\u{30A}',
        "H" => '\u{30B}',
        "v" => '\u{30C}',
        "c" => '\u{327}',
        "textcircled" => '\u{20DD}',
        _ => return None,
    })
}

/// Commands without arguments, in the order of their names.
const SYNONYMS: &[(&str, &str)] = &[
    ("Bbb", r"\mathbb"),
    ("Complex", r"\mathbb{C}"),
    ("Dagger", r"\ddagger"),
    ("Darr", r"\Downarrow"),
    ("Eqqcolon", r"\mathrel{=\!\dblcolon}"),
    ("Harr", r"\Leftrightarrow"),
    ("Larr", r"\Leftarrow"),
    ("Lrarr", r"\Leftrightarrow"),
    ("N", r"\mathbb{N}"),
    ("R", r"\mathbb{R}"),
    ("Rarr", r"\Rightarrow"),
    ("Reals", r"\mathbb{R}"),
    ("Uarr", r"\Uparrow"),
    ("Z", r"\mathbb{Z}"),
    ("alef", r"\aleph"),
    ("alefsym", r"\aleph"),
    ("angln", r"\angl{n}"),
    ("arcctg", r"\operatorname{arcctg}"),
    ("arctg", r"\operatorname{arctg}"),
    ("argmax", r"\mathop{\operatorname{arg\,max}}"),
    ("argmin", r"\mathop{\operatorname{arg\,min}}"),
    ("bm", r"\boldsymbol"),
    ("bold", r"\mathbf"),
    ("bull", r"\bullet"),
    ("ch", r"\operatorname{ch}"),
    ("clubs", r"\clubsuit"),
    ("cnums", r"\mathbb{C}"),
    ("cosec", r"\operatorname{cosec}"),
    ("cotg", r"\operatorname{cotg}"),
    ("ctg", r"\operatorname{ctg}"),
    ("cth", r"\operatorname{cth}"),
    ("dArr", r"\Downarrow"),
    ("darr", r"\downarrow"),
    ("diamonds", r"\diamondsuit"),
    ("doublecup", r"\Cup"),
    ("empty", r"\emptyset"),
    ("equalscolon", r"\eqqcolon"),
    ("equalscoloncolon", r"\mathrel{=\!\dblcolon}"),
    ("exist", r"\exists"),
    ("frak", r"\mathfrak"),
    ("hArr", r"\Leftrightarrow"),
    ("harr", r"\leftrightarrow"),
    ("hearts", r"\heartsuit"),
    ("image", r"\Im"),
    ("infin", r"\infty"),
    ("injlim", r"\mathop{\operatorname{inj\,lim}}"),
    ("lArr", r"\Leftarrow"),
    ("lang", r"\langle"),
    ("larr", r"\leftarrow"),
    ("llbracket", r"\lBrack"),
    ("lrArr", r"\Leftrightarrow"),
    ("lrarr", r"\leftrightarrow"),
    ("mathscr", r"\mathcal"),
    ("minuso", "⦵"),
    ("natnums", r"\mathbb{N}"),
    ("newline", r"\\"),
    ("overlinesegment", r"\overline"),
    ("plim", r"\mathop{\operatorname{plim}}"),
    ("plusmn", r"\pm"),
    ("pmb", r"\boldsymbol"),
    ("projlim", r"\mathop{\operatorname{proj\,lim}}"),
    ("rArr", r"\Rightarrow"),
    ("rang", r"\rangle"),
    ("rarr", r"\rightarrow"),
    ("real", r"\Re"),
    ("reals", r"\mathbb{R}"),
    ("rrbracket", r"\rBrack"),
    ("sdot", r"\cdot"),
    ("sect", r"\S"),
    ("sh", r"\operatorname{sh}"),
    ("simcolon", r"\mathrel{\sim\!\colon}"),
    ("simcoloncolon", r"\mathrel{\sim\!\dblcolon}"),
    ("space", r"\ "),
    ("spades", r"\spadesuit"),
    ("sub", r"\subset"),
    ("sube", r"\subseteq"),
    ("supe", r"\supseteq"),
    ("tg", r"\operatorname{tg}"),
    ("th", r"\operatorname{th}"),
    ("thetasym", r"\vartheta"),
    ("uArr", r"\Uparrow"),
    ("uarr", r"\uparrow"),
    ("underlinesegment", r"\underline"),
    ("varinjlim", r"\mathop{\underrightarrow{\lim}}"),
    ("varliminf", r"\mathop{\underline{\lim}}"),
    ("varlimsup", r"\mathop{\overline{\lim}}"),
    ("varprojlim", r"\mathop{\underleftarrow{\lim}}"),
    ("weierp", r"\wp"),
];

/// Commands within text, in the order of their names.
const TEXT_SYMBOLS: &[(&str, &str)] = &[
    (" ", "\u{A0}"),
    ("#", "#"),
    ("$", "$"),
    ("%", "%"),
    ("&", "&"),
    (",", "\u{2009}"),
    ("AA", "Å"),
    ("AE", "Æ"),
    ("KaTeX", "KaTeX"),
    ("LaTeX", "LaTeX"),
    ("O", "Ø"),
    ("OE", "Œ"),
    ("P", "¶"),
    ("S", "§"),
    ("TeX", "TeX"),
    ("\\", "\u{A0}"),
    ("_", "_"),
    ("aa", "å"),
    ("ae", "æ"),
    ("copyright", "©"),
    ("dag", "†"),
    ("dots", "…"),
    ("i", "ı"),
    ("j", "ȷ"),
    ("ldots", "…"),
    ("nobreakspace", "\u{A0}"),
    ("o", "ø"),
    ("oe", "œ"),
    ("pounds", "£"),
    ("quad", "\u{2003}"),
    ("sect", "§"),
    ("space", "\u{A0}"),
    ("ss", "ß"),
    ("textasciicircum", "^"),
    ("textasciitilde", "~"),
    ("textbackslash", "\\"),
    ("textbar", "|"),
    ("textbardbl", "‖"),
    ("textbraceleft", "{"),
    ("textbraceright", "}"),
    ("textbullet", "•"),
    ("textdagger", "†"),
    ("textdaggerdbl", "‡"),
    ("textdegree", "°"),
    ("textdollar", "$"),
    ("textellipsis", "…"),
    ("textemdash", "—"),
    ("textendash", "–"),
    ("textgreater", ">"),
    ("textless", "<"),
    ("textquotedblleft", "“"),
    ("textquotedblright", "”"),
    ("textquoteleft", "‘"),
    ("textquoteright", "’"),
    ("textregistered", "®"),
    ("textsterling", "£"),
    ("textunderscore", "_"),
    ("thinspace", "\u{2009}"),
    ("{", "{"),
    ("}", "}"),
    ("~", "~"),
];

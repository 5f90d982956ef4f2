//! Checks the HTML as parsed by a browser against lists of permitted content.

use std::collections::HashSet;

use html5ever::serialize::SerializeOpts;
use html5ever::tendril::TendrilSink as _;
use html5ever::{ParseOpts, QualName, local_name, ns, parse_document, parse_fragment, serialize};
use markup5ever_rcdom::{Handle, NodeData, RcDom, SerializableHandle};

/// The permitted elements other than those of MathML.
const ELEMENTS: &str = "a abbr address article aside b bdi bdo blockquote br button caption cite code col colgroup dd del details dfn div dl dt em fieldset figcaption figure h2 h3 h4 h5 h6 hr i img input ins kbd label legend li mark ol p picture pre q rp rt ruby s samp section small source span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr";
/// The permitted classes other than those with a prefix.
const CLASSES: &str = "about alias anchor annotation away big block box broken-link button button-primary button-secondary c caption card card-body card-cell card-cover card-link card-title cards cards-large center code code-lang code-more code-title column columns content-ref d deleted described edited edited-words embed embed-host embed-picture embed-site embed-text embed-title embed-url emoji expandable expandable-body f file file-size folded framed full-width g gallery hint hl icon image inline inserted k label line math mention moved n note note-mark numbered opaque openapi openapi-method openapi-spec option original p part pictured prompt prompt-head prompt-text rating remark rest s step step-icon stepper t tab-body table tabs tasks tex-angl tex-bcancel tex-box tex-cancel tex-fill tex-phase tex-rule tex-strike title unchanged update update-body update-filter update-head updates user v wrap";
/// The attributes permitted on any element, checked by name only.
const ATTRIBUTES: &str = "alt aria-hidden aria-label aria-level checked class colspan data-align data-code data-fit data-icon data-markdown-ignore data-method data-size data-span data-valign datetime decoding dir disabled download height id loading media name open popover popovertarget rel role rowspan scope start tabindex title type width";
const MATH: &str = "annotation math maction menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics";
const MATH_ATTRIBUTES: &str = "accent accentunder alttext class columnalign columnlines columnspacing columnspan depth display displaystyle fence form height largeop linebreak linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation rowlines rowspacing rowspan rspace scriptlevel separator stretchy symmetric voffset width xmlns";
/// The permitted URL schemes.
const SCHEMES: [&str; 12] = [
    "http", "https", "mailto", "tel", "sms", "ftp", "ssh", "git", "slack", "vscode", "irc", "xmpp",
];

/// Returns everything in the HTML that is not on the lists. The HTML is parsed, serialized and
/// parsed again, because text can turn into markup.
pub(crate) fn found(html: &str) -> Vec<String> {
    let context = QualName::new(None, ns!(html), local_name!("body"));
    let dom = parse_fragment(RcDom::default(), ParseOpts::default(), context, Vec::new(), false);
    let dom = dom.one(html);
    let root = dom.document.children.borrow().first().cloned().unwrap();
    let mut wrong = wrong_below(&root);
    let mut again = Vec::new();
    serialize(&mut again, &SerializableHandle::from(root), SerializeOpts::default()).unwrap();
    let again = String::from_utf8(again).unwrap();
    let document = format!("<!DOCTYPE html><html><head></head><body>{again}</body></html>");
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(document);
    wrong.extend(
        wrong_below(&body(&dom.document)).into_iter().map(|wrong| format!("later {wrong}")),
    );
    wrong
}

/// Returns the body of the document, which contains everything, as hostile markup cannot end it.
fn body(document: &Handle) -> Handle {
    let element = |parent: &Handle, name: &str| {
        let children = parent.children.borrow();
        let found = children.iter().find(|child| match &child.data {
            NodeData::Element { name: found, .. } => &*found.local == name,
            _ => false,
        });
        found.cloned()
    };
    element(&element(document, "html").unwrap(), "body").unwrap()
}

fn wrong_below(root: &Handle) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut ids = HashSet::new();
    let mut open: Vec<Handle> = root.children.borrow().iter().cloned().collect();
    while let Some(node) = open.pop() {
        match &node.data {
            NodeData::Element { name, attrs, template_contents, .. } => {
                let local = name.local.as_ref();
                let in_list = |list: &str, what: &str| list.split(' ').any(|known| known == what);
                let known = match &name.ns {
                    ns if *ns == ns!(html) => in_list(ELEMENTS, local),
                    ns if *ns == ns!(mathml) => in_list(MATH, local),
                    _ => false,
                };
                if !known || template_contents.borrow().is_some() {
                    wrong.push(format!("<{local}>"));
                }
                for attribute in attrs.borrow().iter() {
                    let key = attribute.name.local.as_ref();
                    let value = attribute.value.as_ref();
                    let known = match (&name.ns, local, key) {
                        (ns, ..) if *ns == ns!(mathml) => in_list(MATH_ATTRIBUTES, key),
                        (_, "a", "href") => is_safe_link(value),
                        (_, "img", "src") => {
                            value.starts_with("https:") || value.starts_with("http:")
                        }
                        (_, "source", "srcset") => {
                            (value.starts_with("https:") || value.starts_with("http:"))
                                && !value.contains([' ', ','])
                        }
                        // Ids of the page itself begin with `B--`; within a text, only notes
                        // use them.
                        (.., "id" | "popovertarget") if value.starts_with("B--") => value
                            .strip_prefix("B--note-")
                            .is_some_and(|number| number.parse::<u32>().is_ok()),
                        (_, _, "popovertarget") => false,
                        (_, _, "class") => value.split_whitespace().all(is_class),
                        (_, _, "name") => {
                            value.starts_with("tabs-") || value.starts_with("B--updates-")
                        }
                        (_, "input", "type") => value == "checkbox" || value == "radio",
                        (_, "button", "type") => value == "button",
                        (_, _, key) => in_list(ATTRIBUTES, key),
                    };
                    if !known {
                        wrong.push(format!("<{local} {key}={value:?}>"));
                    }
                    if key == "id" && !ids.insert(value.to_owned()) {
                        wrong.push(format!("twice id={value:?}"));
                    }
                }
            }
            NodeData::Document | NodeData::Text { .. } => {}
            NodeData::Comment { .. }
            | NodeData::Doctype { .. }
            | NodeData::ProcessingInstruction { .. } => {
                wrong.push("a comment".to_owned());
            }
        }
        open.extend(node.children.borrow().iter().cloned());
    }
    wrong
}

/// Returns `true` if the class is one by which texts are styled.
fn is_class(class: &str) -> bool {
    const PREFIXES: [&str; 8] =
        ["language-", "color-", "bg-", "hint-", "with-", "part-", "pick-", "width-"];
    CLASSES.split(' ').any(|known| known == class)
        || PREFIXES.iter().any(|prefix| class.starts_with(prefix))
}

/// Returns `true` if a browser follows the link to a permitted scheme or stays on the page.
fn is_safe_link(href: &str) -> bool {
    // Browsers ignore line breaks and tabs, and leading control characters.
    let href: String = href.chars().filter(|c| !matches!(c, '\n' | '\r' | '\t')).collect();
    let href = href.trim_start_matches(|c: char| c <= ' ');
    if href.starts_with('#') || href.starts_with("//") {
        return true;
    }
    let scheme = href.split(':').next().unwrap_or_default();
    SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme))
}

/// The check detects what it is meant to detect.
#[test]
fn the_check_can_fail() {
    for html in [
        "<script>1</script>",
        "<p onclick=\"x\">a</p>",
        "<p style=\"x\">a</p>",
        "<a href=\"javascript:x\">a</a>",
        "<a href=\" java\nscript:x\">a</a>",
        "<a href=\"x/y\">a</a>",
        "<img src=\"data:x\">",
        "<svg></svg>",
        "<math><annotation-xml></annotation-xml></math>",
        "<template></template>",
        "<!-- x -->",
        "<input type=\"text\">",
        "<p class=\"site-header\">a</p>",
        "<p id=\"B--content\">a</p>",
        "<button type=\"button\" popovertarget=\"B--pages\">a</button>",
        "<details name=\"x\">a</details>",
        "<p id=\"a\">a</p><p id=\"a\">b</p>",
        // Harmless in its original position but not where the parser moves it: known to return as
        // markup.
        "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
    ] {
        assert!(!found(html).is_empty(), "{html}");
    }
    assert!(found("<p>a <a href=\"https://x.y\">b</a></p>").is_empty());
    assert!(found("<p class=\"hint hint-info\" id=\"B--note-1\">a</p>").is_empty());
}

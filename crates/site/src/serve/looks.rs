//! Applies the customization of a site space to its pages.

use bindery_content::html::safe_web_url;
use bindery_model::{PageId, Result, SpaceId};
use serde_json::Value;

use super::page::{PageContext, emoji};
use crate::i18n::{Messages, fill};
use crate::icons::IconStyle;
use crate::style::{Background, ColorPair, Corners, Font, MonospaceFont, SidebarList, Theme};
use crate::view::{
    Announcement, Favicon, HeaderItem, HeaderItemStyle, Link, LinkGroup, Scheme, SiteView,
    ThemedImage, Tone,
};

/// The colours of customizations that were never changed: the primary one, that of greys, and those of
/// hints. The stylesheet has its own.
const DEFAULT_PRIMARY: &str = "#346DDB";
const DEFAULT_TINT: &str = "#787878";
const DEFAULT_TONES: [(&str, &str); 4] = [
    ("/styling/infoColor", "#787878"),
    ("/styling/successColor", "#00C950"),
    ("/styling/warningColor", "#FE9A00"),
    ("/styling/dangerColor", "#FB2C36"),
];
/// The fonts of customizations that were never changed. Pages bring the first one and have the code
/// font of the reader's system.
const DEFAULT_FONT: &str = "Inter";
const DEFAULT_MONOSPACE_FONT: &str = "IBMPlexMono";
/// The assistants that a page links to, with the addresses that take a question.
const ASSISTANTS: [(&str, &str); 2] =
    [("ChatGPT", "https://chatgpt.com/?q="), ("Claude", "https://claude.ai/new?q=")];

fn text<'v>(settings: &'v Value, pointer: &str) -> Option<&'v str> {
    settings.pointer(pointer).and_then(Value::as_str)
}

fn items<'v>(settings: &'v Value, pointer: &str) -> impl Iterator<Item = &'v Value> {
    settings.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

/// Returns `true` if a customization switches a part of the pages on.
pub(super) fn flag(settings: &Value, pointer: &str) -> bool {
    settings.pointer(pointer).and_then(Value::as_bool).unwrap_or(false)
}

/// Returns `false` if a customization switches a part of the pages off.
pub(super) fn is_on(settings: &Value, pointer: &str) -> bool {
    settings.pointer(pointer).and_then(Value::as_bool).unwrap_or(true)
}

/// Returns the language that the customization gives to content without a language of its own;
/// `None` for the default.
pub(super) fn locale(settings: &Value) -> Option<&str> {
    text(settings, "/internationalization/locale").filter(|locale| *locale != "en")
}

/// Returns the links to AI assistants that ask about the page at an address.
pub(super) fn assistants(settings: &Value, address: &str, messages: &Messages) -> Vec<Link> {
    if !flag(settings, "/pageActions/externalAI") {
        return Vec::new();
    }
    let question = format!("Read {address} and answer questions about it.");
    let question =
        percent_encoding::utf8_percent_encode(&question, percent_encoding::NON_ALPHANUMERIC);
    let link = |(name, url): (&str, &str)| Link {
        title: fill(messages.ask, name),
        href: format!("{url}{question}"),
    };
    ASSISTANTS.into_iter().map(link).collect()
}

/// Returns the view of a site with the looks of the space that the page is in.
///
/// # Errors
/// Returns an error if the content cannot be read.
pub(super) fn apply(view: SiteView, context: &PageContext<'_>) -> Result<SiteView> {
    let settings = &context.space.customization;
    let title = text(settings, "/title").map(str::to_owned);
    let title = title.unwrap_or_else(|| view.title.clone());
    let mut footer = Vec::new();
    for group in items(settings, "/footer/groups") {
        let title = text(group, "/title").unwrap_or_default().to_owned();
        footer.push(LinkGroup { title, links: links(group, context)? });
    }
    Ok(SiteView {
        theme: theme(settings),
        font_stylesheets: context.space.font_stylesheets.clone(),
        scheme: scheme(settings),
        switches_scheme: is_on(settings, "/themes/toggeable"),
        logo: themed_image(settings, "/header/logo", &title),
        favicon: favicon(settings),
        social_image: text(settings, "/socialPreview/url").and_then(web),
        header: header(settings, context)?,
        hides_header: text(settings, "/header/preset") == Some("none"),
        announcement: announcement(settings, context)?,
        footer,
        footer_logo: themed_image(settings, "/footer/logo", &title),
        copyright: text(settings, "/footer/copyright").map(str::to_owned),
        privacy_policy: text(settings, "/privacyPolicy/url").and_then(web),
        trademark: flag(settings, "/trademark/enabled"),
        opens_windows: text(settings, "/externalLinks/target") == Some("blank"),
        title,
        ..view
    })
}

fn web(url: &str) -> Option<String> {
    safe_web_url(url).map(str::to_owned)
}

fn colors(settings: &Value, pointer: &str) -> Option<ColorPair> {
    let light = text(settings, &format!("{pointer}/light")).unwrap_or_default();
    let dark = text(settings, &format!("{pointer}/dark")).unwrap_or_default();
    ColorPair::parse(light, dark)
}

/// Returns a pair of colours if it differs from the default.
fn changed_colors(settings: &Value, pointer: &str, default: &str) -> Option<ColorPair> {
    colors(settings, pointer).filter(|pair| Some(*pair) != ColorPair::parse(default, default))
}

fn theme(settings: &Value) -> Theme {
    let style = |name: &str| text(settings, &format!("/styling/{name}")).unwrap_or_default();
    let primary = colors(settings, "/styling/primaryColor");
    let preset = text(settings, "/header/preset").unwrap_or_default();
    let is_bold = style("theme") == "bold" || preset == "bold";
    let header = match preset {
        "custom" => colors(settings, "/header/backgroundColor")
            .map(|background| (background, colors(settings, "/header/linkColor"))),
        "contrast" => ColorPair::parse("#15171c", "#f1f2f4").map(|background| (background, None)),
        _ if is_bold => primary.map(|background| (background, None)),
        _ => None,
    };
    Theme {
        primary: changed_colors(settings, "/styling/primaryColor", DEFAULT_PRIMARY),
        tint: changed_colors(settings, "/styling/tint/color", DEFAULT_TINT),
        tones: DEFAULT_TONES.map(|(pointer, default)| changed_colors(settings, pointer, default)),
        header,
        background: match style("theme") {
            "muted" => Background::Muted,
            "gradient" => Background::Gradient,
            // The older form of the theme.
            "clean" if style("background") == "match" => Background::Muted,
            _ => Background::Plain,
        },
        corners: match style("corners") {
            "straight" => Corners::Straight,
            "circular" => Corners::Circular,
            _ => Corners::Rounded,
        },
        flat: style("depth") == "flat",
        accent_links: style("links") == "accent",
        filled_sidebar: style("sidebar/background") == "filled",
        sidebar_list: match style("sidebar/list") {
            "pill" => SidebarList::Pill,
            "line" => SidebarList::Line,
            _ => SidebarList::Default,
        },
        subtle_search: style("search") == "subtle",
        font: Some(style("font")).filter(|font| *font != DEFAULT_FONT).and_then(Font::parse),
        monospace_font: Some(style("monospaceFont"))
            .filter(|font| *font != DEFAULT_MONOSPACE_FONT)
            .and_then(MonospaceFont::parse),
        icons: match style("icons") {
            "solid" => IconStyle::Solid,
            "duotone" => IconStyle::Duotone,
            "light" => IconStyle::Light,
            "thin" => IconStyle::Thin,
            _ => IconStyle::Regular,
        },
    }
}

/// Returns the colour scheme of readers who did not choose one. A light site that readers can switch
/// follows their system.
fn scheme(settings: &Value) -> Scheme {
    let is_dark = text(settings, "/themes/default") == Some("dark");
    match (is_dark, is_on(settings, "/themes/toggeable")) {
        (true, _) => Scheme::Dark,
        (false, true) => Scheme::Reader,
        (false, false) => Scheme::Light,
    }
}

fn themed_image(settings: &Value, pointer: &str, alt: &str) -> Option<ThemedImage> {
    let src = text(settings, &format!("{pointer}/light")).and_then(web)?;
    let dark = text(settings, &format!("{pointer}/dark")).and_then(web);
    let dark = dark.filter(|dark| *dark != src);
    Some(ThemedImage { src, dark, alt: alt.to_owned(), ..ThemedImage::default() })
}

/// Returns the favicon: an image, or an emoji as an image.
fn favicon(settings: &Value) -> Option<Favicon> {
    if let Some(light) = text(settings, "/favicon/icon/light").and_then(web) {
        let dark = text(settings, "/favicon/icon/dark").and_then(web);
        let dark = dark.filter(|dark| *dark != light);
        return Some(Favicon { light, dark });
    }
    let emoji = text(settings, "/favicon/emoji").and_then(emoji)?;
    // Only characters beyond ASCII, each percent-encoded, so that none of them is markup.
    let emoji: String = emoji.chars().filter(|char| !char.is_ascii()).collect();
    if emoji.is_empty() {
        return None;
    }
    let emoji: String = emoji.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let light = format!(
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'%3E\
         %3Ctext y='.9em' font-size='90'%3E{emoji}%3C/text%3E%3C/svg%3E"
    );
    Some(Favicon { light, dark: None })
}

fn announcement(settings: &Value, context: &PageContext<'_>) -> Result<Option<Announcement>> {
    if !flag(settings, "/announcement/enabled") {
        return Ok(None);
    }
    let Some(message) = text(settings, "/announcement/message") else { return Ok(None) };
    let link = match settings.pointer("/announcement/link") {
        Some(item) => link(item, context)?,
        None => None,
    };
    let tone = match text(settings, "/announcement/style") {
        Some("success") => Tone::Success,
        Some("warning") => Tone::Warning,
        Some("danger") => Tone::Danger,
        _ => Tone::Info,
    };
    Ok(Some(Announcement { message: message.to_owned(), link, tone }))
}

/// Returns the items of the header that the visitor sees.
fn header(settings: &Value, context: &PageContext<'_>) -> Result<Vec<HeaderItem>> {
    let mut header = Vec::new();
    for item in items(settings, "/header/links") {
        let condition = text(item, "/condition").filter(|text| !text.is_empty());
        if !context.answers.holds_for_site(condition) {
            continue;
        }
        let href = link(item, context)?.map(|link| link.href);
        let links = links(item, context)?;
        if href.is_none() && links.is_empty() {
            continue;
        }
        header.push(HeaderItem {
            title: text(item, "/title").unwrap_or_default().to_owned(),
            href,
            links,
            style: match text(item, "/style") {
                Some("button-primary") => HeaderItemStyle::PrimaryButton,
                Some("button-secondary") => HeaderItemStyle::SecondaryButton,
                _ => HeaderItemStyle::Link,
            },
        });
    }
    Ok(header)
}

/// Returns the links of a group whose targets exist.
fn links(group: &Value, context: &PageContext<'_>) -> Result<Vec<Link>> {
    let mut links = Vec::new();
    for item in items(group, "/links") {
        links.extend(link(item, context)?);
    }
    Ok(links)
}

fn link(item: &Value, context: &PageContext<'_>) -> Result<Option<Link>> {
    let Some(to) = item.get("to") else { return Ok(None) };
    let href = href(to, context)?;
    Ok(href.map(|href| Link { title: text(item, "/title").unwrap_or_default().to_owned(), href }))
}

/// Returns the address of a target; `None` if it does not exist for the visitor.
fn href(to: &Value, context: &PageContext<'_>) -> Result<Option<String>> {
    let space = text(to, "/space").and_then(SpaceId::parse);
    let page = || {
        let page = text(to, "/page").and_then(PageId::parse);
        page.map_or(Ok(None), |page| context.page_of_site(space, page))
    };
    Ok(match text(to, "/kind") {
        Some("url") => text(to, "/url").and_then(|url| web(url).or_else(|| mail(url))),
        Some("page") => page()?,
        Some("anchor") => page()?.zip(text(to, "/anchor")).map(|(page, anchor)| {
            let anchor = anchor.trim_start_matches('#');
            format!("{page}#{}", crate::urls::encode(anchor))
        }),
        Some("space") => {
            let found = context.site.spaces.iter().find(|one| Some(one.space.id) == space);
            found.map(|space| context.site.space_base(space))
        }
        _ => None,
    })
}

/// Returns an address of a mailbox, as customizations are checked to contain.
fn mail(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_at_checked(7)?;
    let is_mail = scheme.eq_ignore_ascii_case("mailto:")
        && rest.chars().all(|char| !char.is_control() && !char.is_whitespace());
    is_mail.then(|| url.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_older_background_makes_a_clean_theme_muted() {
        for (name, background, expect) in [
            ("clean", "plain", Background::Plain),
            ("clean", "match", Background::Muted),
            ("gradient", "match", Background::Gradient),
        ] {
            let settings = json!({ "styling": { "theme": name, "background": background } });
            assert_eq!(theme(&settings).background, expect, "{name} {background}");
        }
    }
}

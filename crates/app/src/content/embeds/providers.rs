//! Services whose players are shown instead of a link. Their HTML is made from the ids in an
//! address, without a request to the service.

use bindery_outbound::Url;

use super::Embed;

/// Returns the player of an address of a known service.
pub(super) fn player(url: &Url) -> Option<Embed> {
    let host = url.host_str()?;
    let host = host.strip_prefix("www.").unwrap_or(host);
    let segments: Vec<&str> = url.path_segments()?.filter(|segment| !segment.is_empty()).collect();
    let query = |name: &str| {
        url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
    };
    let (site, source) = match (host, segments.as_slice()) {
        ("youtube.com" | "m.youtube.com", ["watch"]) => ("YouTube", youtube(&query("v")?)?),
        ("youtube.com" | "m.youtube.com", ["embed" | "shorts" | "live", id])
        | ("youtu.be", [id]) => ("YouTube", youtube(id)?),
        ("vimeo.com", [id]) | ("player.vimeo.com", ["video", id]) => {
            ("Vimeo", format!("https://player.vimeo.com/video/{}", number(id)?))
        }
        ("loom.com", ["share" | "embed", id]) => {
            ("Loom", format!("https://www.loom.com/embed/{}", word(id)?))
        }
        (
            "open.spotify.com",
            [kind @ ("track" | "album" | "playlist" | "episode" | "show"), id],
        ) => ("Spotify", format!("https://open.spotify.com/embed/{kind}/{}", word(id)?)),
        ("codepen.io", [user, "pen" | "embed", id]) => {
            ("CodePen", format!("https://codepen.io/{}/embed/{}", word(user)?, word(id)?))
        }
        ("codesandbox.io", ["s" | "embed", id]) => {
            ("CodeSandbox", format!("https://codesandbox.io/embed/{}", word(id)?))
        }
        _ => return None,
    };
    let html = format!(
        "<iframe src=\"{source}\" title=\"{site}\" width=\"100%\" height=\"400\" frameborder=\"0\" \
         loading=\"lazy\" referrerpolicy=\"strict-origin-when-cross-origin\" \
         sandbox=\"allow-scripts allow-same-origin allow-presentation allow-popups\" \
         allowfullscreen></iframe>"
    );
    Some(Embed { title: site.to_owned(), site: site.to_owned(), icon: None, html: Some(html) })
}

fn youtube(id: &str) -> Option<String> {
    Some(format!("https://www.youtube-nocookie.com/embed/{}", word(id)?))
}

/// Returns an id that consists of letters, digits, `-` and `_`.
fn word(id: &str) -> Option<&str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (!id.is_empty() && id.len() <= 100 && id.chars().all(is_plain)).then_some(id)
}

fn number(id: &str) -> Option<&str> {
    word(id).filter(|id| id.chars().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_made_from_ids() {
        for (url, source) in [
            ("https://www.youtube.com/watch?v=a-B_1&t=3", "youtube-nocookie.com/embed/a-B_1\""),
            ("https://youtu.be/abc", "youtube-nocookie.com/embed/abc\""),
            ("https://vimeo.com/123", "player.vimeo.com/video/123\""),
            ("https://www.loom.com/share/a1", "loom.com/embed/a1\""),
            ("https://codepen.io/me/pen/xyz", "codepen.io/me/embed/xyz\""),
        ] {
            let embed = player(&Url::parse(url).unwrap()).unwrap();
            assert!(embed.html.unwrap().contains(source), "{url}");
        }
        for url in [
            "https://www.youtube.com/watch?v=a%22%3E%3Cscript%3E",
            "https://youtube.com.evil.example/watch?v=a",
            "https://vimeo.com/abc",
            "https://example.com/watch?v=a",
        ] {
            assert_eq!(player(&Url::parse(url).unwrap()), None, "{url}");
        }
    }
}

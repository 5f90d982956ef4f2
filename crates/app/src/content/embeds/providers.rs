//! Services whose players are shown instead of a link. Their HTML is made from the ids in an
//! address, without a request to the service.

use bindery_outbound::Url;

use super::Embed;

/// A player of a known service.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Player {
    /// The name of the service.
    pub site: &'static str,
    /// The address of the player, on one of [`PLAYER_ORIGINS`].
    pub address: String,
}

/// The origins of all players, for policies that permit their frames.
pub const PLAYER_ORIGINS: [&str; 6] = [
    "https://www.youtube-nocookie.com",
    "https://player.vimeo.com",
    "https://www.loom.com",
    "https://open.spotify.com",
    "https://codepen.io",
    "https://codesandbox.io",
];

/// Returns the player for an address of a known service, such as that of a video.
pub fn player(url: &Url) -> Option<Player> {
    let host = url.host_str()?;
    let host = host.strip_prefix("www.").unwrap_or(host);
    let segments: Vec<&str> = url.path_segments()?.filter(|segment| !segment.is_empty()).collect();
    let query = |name: &str| {
        url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
    };
    let (site, address) = match (host, segments.as_slice()) {
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
    Some(Player { site, address })
}

/// Returns the description of an address of a known service, with its player as HTML.
pub(super) fn description(url: &Url) -> Option<Embed> {
    let Player { site, address } = player(url)?;
    let html = format!(
        "<iframe src=\"{address}\" title=\"{site}\" width=\"100%\" height=\"400\" frameborder=\"0\" \
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
            let url = Url::parse(url).unwrap();
            assert!(description(&url).unwrap().html.unwrap().contains(source), "{url}");
            let address = player(&url).unwrap().address;
            assert!(PLAYER_ORIGINS.iter().any(|origin| address.starts_with(origin)), "{url}");
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

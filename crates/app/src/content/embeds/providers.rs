//! Known services: their players, which are shown instead of a link, and their oEmbed endpoints. The
//! HTML of a player is made from the ids in an address, without a request to the service.

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
pub const PLAYER_ORIGINS: [&str; 9] = [
    "https://www.youtube-nocookie.com",
    "https://player.vimeo.com",
    "https://www.loom.com",
    "https://open.spotify.com",
    "https://codepen.io",
    "https://codesandbox.io",
    "https://embed.figma.com",
    "https://w.soundcloud.com",
    "https://stackblitz.com",
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
        ("youtube.com" | "m.youtube.com", ["watch"]) => ("YouTube", youtube(&query("v")?, url)?),
        (
            "youtube.com" | "m.youtube.com" | "youtube-nocookie.com",
            ["embed" | "shorts" | "live", id],
        )
        | ("youtu.be", [id]) => ("YouTube", youtube(id, url)?),
        ("vimeo.com", [id]) | ("player.vimeo.com", ["video", id]) => {
            ("Vimeo", format!("https://player.vimeo.com/video/{}", number(id)?))
        }
        ("loom.com", ["share" | "embed", id]) => {
            ("Loom", format!("https://www.loom.com/embed/{}", word(id)?))
        }
        (
            "open.spotify.com",
            [kind @ ("track" | "album" | "playlist" | "episode" | "show"), id]
            | ["embed", kind @ ("track" | "album" | "playlist" | "episode" | "show"), id],
        ) => ("Spotify", format!("https://open.spotify.com/embed/{kind}/{}", word(id)?)),
        ("codepen.io", [user, "pen" | "embed", id]) => {
            ("CodePen", format!("https://codepen.io/{}/embed/{}", word(user)?, word(id)?))
        }
        ("codesandbox.io", ["s" | "embed", id]) => {
            ("CodeSandbox", format!("https://codesandbox.io/embed/{}", word(id)?))
        }
        // The address of an older player names that of the page.
        ("figma.com", ["embed"]) | ("w.soundcloud.com", ["player"]) => {
            let page = Url::parse(&query("url")?).ok()?;
            let is_player = matches!(page.path_segments()?.next()?, "embed" | "player");
            return if is_player { None } else { player(&page) };
        }
        (
            "figma.com" | "embed.figma.com",
            [kind @ ("file" | "design" | "proto" | "board" | "slides" | "deck"), id, ..],
        ) => {
            // Older addresses of designs say "file".
            let kind = if *kind == "file" { "design" } else { kind };
            let id = word(id)?;
            let node = query("node-id").filter(|node| is_node(node));
            let node = node.map(|node| format!("&node-id={node}")).unwrap_or_default();
            ("Figma", format!("https://embed.figma.com/{kind}/{id}?embed-host=bindery{node}"))
        }
        ("soundcloud.com", [user, track]) => {
            let track =
                format!("https%3A%2F%2Fsoundcloud.com%2F{}%2F{}", word(user)?, word(track)?);
            ("SoundCloud", format!("https://w.soundcloud.com/player/?url={track}"))
        }
        ("api.soundcloud.com", [kind @ ("tracks" | "playlists"), id]) => {
            let track = format!("https%3A%2F%2Fapi.soundcloud.com%2F{kind}%2F{}", number(id)?);
            ("SoundCloud", format!("https://w.soundcloud.com/player/?url={track}"))
        }
        ("stackblitz.com", ["edit", id]) => {
            ("StackBlitz", format!("https://stackblitz.com/edit/{}?embed=1", word(id)?))
        }
        _ => return None,
    };
    Some(Player { site, address })
}

/// Returns `true` for the id of a part of a design, such as `12-34` or `12:34`.
fn is_node(node: &str) -> bool {
    node.len() <= 40 && node.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ':'))
}

/// Returns the address at which a known service describes a URL with oEmbed. Other services name
/// theirs on their pages.
pub(super) fn endpoint(url: &Url) -> Option<Url> {
    let host = url.host_str()?;
    let host = host.strip_prefix("www.").unwrap_or(host);
    let endpoint = match host {
        "youtube.com" | "m.youtube.com" | "youtu.be" | "youtube-nocookie.com" => {
            "https://www.youtube.com/oembed"
        }
        "vimeo.com" | "player.vimeo.com" => "https://vimeo.com/api/oembed.json",
        "loom.com" => "https://www.loom.com/v1/oembed",
        "open.spotify.com" => "https://open.spotify.com/oembed",
        "codepen.io" => "https://codepen.io/api/oembed",
        "codesandbox.io" => "https://codesandbox.io/oembed",
        "figma.com" | "embed.figma.com" => "https://www.figma.com/api/oembed",
        "soundcloud.com" => "https://soundcloud.com/oembed",
        "x.com" | "twitter.com" => "https://publish.twitter.com/oembed",
        "dailymotion.com" => "https://www.dailymotion.com/services/oembed",
        "speakerdeck.com" => "https://speakerdeck.com/oembed.json",
        "ted.com" => "https://www.ted.com/services/v1/oembed.json",
        "miro.com" => "https://miro.com/api/v1/oembed",
        _ => return None,
    };
    let mut endpoint = Url::parse(endpoint).ok()?;
    let page = page_of(host, url).unwrap_or_else(|| url.to_string());
    endpoint.query_pairs_mut().append_pair("format", "json").append_pair("url", &page);
    Some(endpoint)
}

/// Returns the address of the page of a player: endpoints describe only pages.
fn page_of(host: &str, url: &Url) -> Option<String> {
    let segments: Vec<&str> = url.path_segments()?.filter(|segment| !segment.is_empty()).collect();
    Some(match (host, segments.as_slice()) {
        ("youtube.com" | "m.youtube.com" | "youtube-nocookie.com", ["embed" | "live", id]) => {
            format!("https://www.youtube.com/watch?v={}", word(id)?)
        }
        ("player.vimeo.com", ["video", id]) => format!("https://vimeo.com/{}", number(id)?),
        ("loom.com", ["embed", id]) => format!("https://www.loom.com/share/{}", word(id)?),
        ("codesandbox.io", ["embed", id]) => format!("https://codesandbox.io/s/{}", word(id)?),
        ("codepen.io", [user, "embed", id]) => {
            format!("https://codepen.io/{}/pen/{}", word(user)?, word(id)?)
        }
        ("open.spotify.com", ["embed", kind, id]) => {
            format!("https://open.spotify.com/{}/{}", word(kind)?, word(id)?)
        }
        _ => return None,
    })
}

/// Returns the description of an address of a known service, with its player as HTML.
pub(super) fn description(url: &Url) -> Option<Embed> {
    let Player { site, address } = player(url)?;
    // The address is made of plain characters, of which HTML escapes only this one.
    let address = address.replace('&', "&amp;");
    let html = format!(
        "<iframe src=\"{address}\" title=\"{site}\" width=\"100%\" height=\"400\" frameborder=\"0\" \
         loading=\"lazy\" referrerpolicy=\"strict-origin-when-cross-origin\" \
         sandbox=\"allow-scripts allow-same-origin allow-presentation allow-popups\" \
         allowfullscreen></iframe>"
    );
    Some(Embed { title: site.to_owned(), site: site.to_owned(), icon: None, html: Some(html) })
}

/// Returns the player of a video. `url` can state the second at which it starts.
fn youtube(id: &str, url: &Url) -> Option<String> {
    let player = format!("https://www.youtube-nocookie.com/embed/{}", word(id)?);
    let start = url.query_pairs().find(|(name, _)| matches!(&**name, "start" | "t"));
    let start = start.and_then(|(_, value)| value.trim_end_matches('s').parse::<u32>().ok());
    Some(match start {
        Some(start) => format!("{player}?start={start}"),
        None => player,
    })
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
            (
                "https://www.youtube.com/watch?v=a-B_1&t=3s",
                "youtube-nocookie.com/embed/a-B_1?start=3\"",
            ),
            ("https://www.youtube.com/embed/a?start=9", "nocookie.com/embed/a?start=9\""),
            ("https://youtu.be/abc?t=1m", "youtube-nocookie.com/embed/abc\""),
            ("https://youtu.be/abc", "youtube-nocookie.com/embed/abc\""),
            ("https://vimeo.com/123", "player.vimeo.com/video/123\""),
            ("https://www.loom.com/share/a1", "loom.com/embed/a1\""),
            ("https://codepen.io/me/pen/xyz", "codepen.io/me/embed/xyz\""),
            ("https://www.youtube-nocookie.com/embed/abc", "youtube-nocookie.com/embed/abc\""),
            ("https://open.spotify.com/embed/track/a", "spotify.com/embed/track/a\""),
            ("https://www.figma.com/file/a1/Name", "figma.com/design/a1?embed-host=bindery\""),
            (
                "https://www.figma.com/design/a1/Name?node-id=1-2&t=x",
                "figma.com/design/a1?embed-host=bindery&amp;node-id=1-2\"",
            ),
            ("https://soundcloud.com/me/song", "url=https%3A%2F%2Fsoundcloud.com%2Fme%2Fsong\""),
            (
                "https://www.figma.com/embed?embed_host=share&url=https%3A%2F%2Fwww.figma.com%2Ffile%2Fa1%2FN",
                "figma.com/design/a1?embed-host=bindery\"",
            ),
            (
                "https://w.soundcloud.com/player/?url=https%3A//soundcloud.com/me/song&color=%23f50",
                "url=https%3A%2F%2Fsoundcloud.com%2Fme%2Fsong\"",
            ),
            (
                "https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/tracks/12",
                "url=https%3A%2F%2Fapi.soundcloud.com%2Ftracks%2F12\"",
            ),
            ("https://stackblitz.com/edit/a-b", "stackblitz.com/edit/a-b?embed=1\""),
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
            "https://www.figma.com/design/a%22b/Name",
            "https://www.figma.com/embed?url=https://www.figma.com/embed?url=x",
            "https://www.figma.com/embed?url=https://evil.example/embed/a",
        ] {
            assert_eq!(player(&Url::parse(url).unwrap()), None, "{url}");
        }
    }

    #[test]
    fn endpoints_describe_pages() {
        for (url, expect) in [
            (
                "https://youtu.be/a?t=1",
                "https://www.youtube.com/oembed?format=json&url=https%3A%2F%2Fyoutu.be%2Fa%3Ft%3D1",
            ),
            (
                "https://www.youtube.com/embed/a",
                "https://www.youtube.com/oembed?format=json\
                 &url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3Da",
            ),
            (
                "https://player.vimeo.com/video/1",
                "https://vimeo.com/api/oembed.json?format=json&url=https%3A%2F%2Fvimeo.com%2F1",
            ),
        ] {
            let found = endpoint(&Url::parse(url).unwrap()).unwrap();
            assert_eq!(found.as_str(), expect);
        }
        let other = Url::parse("https://youtube.com.evil.example/").unwrap();
        assert_eq!(endpoint(&other), None);
    }
}

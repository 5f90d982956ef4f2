//! Classes of browsers, devices, operating systems and robots by the header `User-Agent`.

bindery_model::closed_set! {
    /// A kind of device.
    Device {
        /// A computer.
        Desktop = "desktop",
        /// A tablet.
        Tablet = "tablet",
        /// A phone.
        Mobile = "mobile",
        /// Another device.
        Unknown = "unknown",
    }
}

bindery_model::closed_set! {
    /// A browser.
    Browser {
        /// Chrome, and browsers that state its name.
        Chrome = "chrome",
        /// Firefox.
        Firefox = "firefox",
        /// Safari.
        Safari = "safari",
        /// Edge.
        Edge = "edge",
        /// Internet Explorer.
        Ie = "ie",
        /// Opera.
        Opera = "opera",
        /// Another browser.
        Unknown = "unknown",
    }
}

bindery_model::closed_set! {
    /// An operating system.
    Os {
        /// Windows.
        Windows = "windows",
        /// macOS.
        Macos = "macos",
        /// Linux and ChromeOS.
        Linux = "linux",
        /// Android.
        Android = "android",
        /// iOS and iPadOS.
        Ios = "ios",
        /// Another system.
        Unknown = "unknown",
    }
}

bindery_model::closed_set! {
    /// A robot.
    Bot {
        /// A robot that is not listed.
        Unknown = "unknown",
        /// Robots of Google.
        Googlebot = "googlebot",
        /// Robots of Bing.
        Bingbot = "bingbot",
        /// Robots of DuckDuckGo.
        Duckduckbot = "duckduckbot",
        /// Robots of Meta.
        Facebookbot = "facebookbot",
        /// Robots of Apple.
        Applebot = "applebot",
        /// Robots of OpenAI.
        Chatgpt = "chatgpt",
        /// Robots of Anthropic.
        Anthropic = "anthropic",
    }
}

/// The classes of a user agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UserAgent {
    /// The kind of device.
    pub device: Device,
    /// The browser.
    pub browser: Browser,
    /// The operating system.
    pub os: Os,
    /// The robot; `None` for people.
    pub bot: Option<Bot>,
}

/// Parts of the names of robots, in lower case. The first that occurs applies.
const BOTS: [(&str, Bot); 19] = [
    ("googlebot", Bot::Googlebot),
    ("google-inspectiontool", Bot::Googlebot),
    ("googleother", Bot::Googlebot),
    ("adsbot-google", Bot::Googlebot),
    ("mediapartners-google", Bot::Googlebot),
    ("bingbot", Bot::Bingbot),
    ("bingpreview", Bot::Bingbot),
    ("duckduckbot", Bot::Duckduckbot),
    ("duckassistbot", Bot::Duckduckbot),
    ("facebookexternalhit", Bot::Facebookbot),
    ("facebookbot", Bot::Facebookbot),
    ("meta-external", Bot::Facebookbot),
    ("applebot", Bot::Applebot),
    ("gptbot", Bot::Chatgpt),
    ("chatgpt-user", Bot::Chatgpt),
    ("oai-searchbot", Bot::Chatgpt),
    ("claudebot", Bot::Anthropic),
    ("claude-", Bot::Anthropic),
    ("anthropic", Bot::Anthropic),
];

/// A phone whose name ends like that of a robot.
const PHONE: &str = "cubot";

/// Parts of the names of programs that are no browsers, in lower case.
const PROGRAMS: [&str; 13] = [
    "bot",
    "crawler",
    "spider",
    "slurp",
    "headless",
    "lighthouse",
    "curl/",
    "wget/",
    "python",
    "go-http-client",
    "java/",
    "okhttp",
    "node-fetch",
];

/// Parts of the names of browsers, in lower case. Browsers state the names of others too, so the
/// first that occurs applies.
const BROWSERS: [(&str, Browser); 14] = [
    ("edg/", Browser::Edge),
    ("edga/", Browser::Edge),
    ("edgios/", Browser::Edge),
    ("edge/", Browser::Edge),
    ("opr/", Browser::Opera),
    ("opt/", Browser::Opera),
    ("opera", Browser::Opera),
    ("msie ", Browser::Ie),
    ("trident/", Browser::Ie),
    ("firefox/", Browser::Firefox),
    ("fxios/", Browser::Firefox),
    ("crios/", Browser::Chrome),
    ("chrome/", Browser::Chrome),
    ("safari/", Browser::Safari),
];

/// Parts of the names of operating systems, in lower case. The first that occurs applies.
const SYSTEMS: [(&str, Os); 9] = [
    ("iphone", Os::Ios),
    ("ipad", Os::Ios),
    ("ipod", Os::Ios),
    ("android", Os::Android),
    ("windows", Os::Windows),
    ("mac os x", Os::Macos),
    ("macintosh", Os::Macos),
    ("linux", Os::Linux),
    ("cros ", Os::Linux),
];

impl UserAgent {
    /// Classifies the value of the header `User-Agent`.
    pub fn parse(text: &str) -> Self {
        let text = text.to_ascii_lowercase();
        let os = first(&SYSTEMS, &text).unwrap_or(Os::Unknown);
        Self {
            device: device(&text, os),
            browser: first(&BROWSERS, &text).unwrap_or(Browser::Unknown),
            os,
            bot: bot(&text),
        }
    }
}

fn first<T: Copy>(table: &[(&str, T)], text: &str) -> Option<T> {
    table.iter().find(|(part, _)| text.contains(part)).map(|(_, value)| *value)
}

fn bot(text: &str) -> Option<Bot> {
    let is_program = || {
        let text = text.replace(PHONE, "");
        PROGRAMS.iter().any(|part| text.contains(part))
    };
    first(&BOTS, text).or_else(|| is_program().then_some(Bot::Unknown))
}

fn device(text: &str, os: Os) -> Device {
    let is_small = text.contains("mobi");
    match os {
        Os::Ios if text.contains("ipad") => Device::Tablet,
        Os::Android if !is_small => Device::Tablet,
        Os::Ios | Os::Android => Device::Mobile,
        _ if text.contains("tablet") => Device::Tablet,
        _ if is_small => Device::Mobile,
        Os::Windows | Os::Macos | Os::Linux => Device::Desktop,
        Os::Unknown => Device::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_told_by_their_names() {
        let check = |text: &str, expect: (Device, Browser, Os)| {
            let UserAgent { device, browser, os, bot } = UserAgent::parse(text);
            assert_eq!((device, browser, os, bot), (expect.0, expect.1, expect.2, None), "{text}");
        };
        let webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
        check(
            &format!(
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) {webkit} Chrome/130.0 Safari/537.36"
            ),
            (Device::Desktop, Browser::Chrome, Os::Windows),
        );
        check(
            &format!("Mozilla/5.0 (Windows NT 10.0) {webkit} Chrome/130.0 Safari/537.36 Edg/130.0"),
            (Device::Desktop, Browser::Edge, Os::Windows),
        );
        check(
            &format!(
                "Mozilla/5.0 (X11; Linux x86_64) {webkit} Chrome/130.0 Safari/537.36 OPR/99.0"
            ),
            (Device::Desktop, Browser::Opera, Os::Linux),
        );
        check(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) AppleWebKit/605 Version/17.0 Safari/605",
            (Device::Desktop, Browser::Safari, Os::Macos),
        );
        check(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Mobile Safari/604",
            (Device::Mobile, Browser::Safari, Os::Ios),
        );
        check(
            "Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) CriOS/130.0 Mobile Safari/604",
            (Device::Tablet, Browser::Chrome, Os::Ios),
        );
        check(
            "Mozilla/5.0 (Android 14; Mobile; rv:131.0) Gecko/131.0 Firefox/131.0",
            (Device::Mobile, Browser::Firefox, Os::Android),
        );
        check(
            &format!("Mozilla/5.0 (Linux; Android 14; SM-X710) {webkit} Chrome/130.0 Safari/537"),
            (Device::Tablet, Browser::Chrome, Os::Android),
        );
        check(
            &format!(
                "Mozilla/5.0 (Linux; Android 9; CUBOT X19) {webkit} Chrome/99 Mobile Safari/5"
            ),
            (Device::Mobile, Browser::Chrome, Os::Android),
        );
        check(
            "Mozilla/5.0 (Windows NT 10.0; Trident/7.0; rv:11.0) like Gecko",
            (Device::Desktop, Browser::Ie, Os::Windows),
        );
        check("", (Device::Unknown, Browser::Unknown, Os::Unknown));
    }

    #[test]
    fn robots_are_told_by_their_names() {
        for (text, expect) in [
            ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/)", Bot::Googlebot),
            ("Mozilla/5.0 (compatible; bingbot/2.0)", Bot::Bingbot),
            ("DuckDuckBot/1.1", Bot::Duckduckbot),
            ("facebookexternalhit/1.1", Bot::Facebookbot),
            ("Mozilla/5.0 (Macintosh) Version/17.4 Safari/605 (Applebot/0.1)", Bot::Applebot),
            ("Mozilla/5.0 (compatible; GPTBot/1.2)", Bot::Chatgpt),
            ("Mozilla/5.0 (compatible; ClaudeBot/1.0)", Bot::Anthropic),
            ("SomeBot/1.0", Bot::Unknown),
            ("curl/8.0", Bot::Unknown),
            ("Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/130.0", Bot::Unknown),
        ] {
            assert_eq!(UserAgent::parse(text).bot, Some(expect), "{text}");
        }
    }
}

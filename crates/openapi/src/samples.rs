//! Programs that send a request, in ten languages.

use std::fmt::Write as _;

use crate::request::{Body, FormField, Request};

/// A programming language, or a command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// The command `curl`.
    Curl,
    /// JavaScript with `fetch`.
    JavaScript,
    /// Python with `requests`.
    Python,
    /// Go with `net/http`.
    Go,
    /// Java with `java.net.http`.
    Java,
    /// Kotlin with `java.net.http`.
    Kotlin,
    /// C# with `HttpClient`.
    CSharp,
    /// PHP with `curl`.
    Php,
    /// Ruby with `net/http`.
    Ruby,
    /// Rust with `reqwest`.
    Rust,
}

impl Language {
    /// All languages, in the order in which they are shown.
    pub const ALL: [Self; 10] = [
        Self::Curl,
        Self::JavaScript,
        Self::Python,
        Self::Go,
        Self::Java,
        Self::Kotlin,
        Self::CSharp,
        Self::Php,
        Self::Ruby,
        Self::Rust,
    ];

    /// Returns the name that people know.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Curl => "cURL",
            Self::JavaScript => "JavaScript",
            Self::Python => "Python",
            Self::Go => "Go",
            Self::Java => "Java",
            Self::Kotlin => "Kotlin",
            Self::CSharp => "C#",
            Self::Php => "PHP",
            Self::Ruby => "Ruby",
            Self::Rust => "Rust",
        }
    }

    /// Returns the name by which its syntax is highlighted.
    #[must_use]
    pub const fn syntax(self) -> &'static str {
        match self {
            Self::Curl => "bash",
            Self::JavaScript => "javascript",
            Self::Python => "python",
            Self::Go => "go",
            Self::Java => "java",
            Self::Kotlin => "kotlin",
            Self::CSharp => "csharp",
            Self::Php => "php",
            Self::Ruby => "ruby",
            Self::Rust => "rust",
        }
    }

    /// Returns a program that sends a request.
    #[must_use]
    pub fn program(self, request: &Request) -> String {
        let written = with_parts(request);
        match self {
            Self::Curl => curl(request),
            Self::JavaScript => javascript(&written),
            Self::Python => python(&written),
            Self::Go => go(&written),
            Self::Java => java(&written),
            Self::Kotlin => kotlin(&written),
            Self::CSharp => csharp(&written),
            Self::Php => php(&written),
            Self::Ruby => ruby(&written),
            Self::Rust => rust(&written),
        }
    }
}

/// Returns the body of a request as it is sent.
fn body_of(request: &Request) -> Option<String> {
    request.body.as_ref().map(|body| match body {
        Body::Json(value) => serde_json::to_string_pretty(value).unwrap_or_default(),
        Body::Form(_) => String::new(),
        Body::Text(text) => text.clone(),
    })
}

/// The line between the parts of a form.
const BOUNDARY: &str = "boundary";

/// Returns a request whose form is written as the text that is sent.
fn with_parts(request: &Request) -> Request {
    let Some(Body::Form(fields)) = &request.body else { return request.clone() };
    let mut text = String::new();
    for FormField { name, value } in fields {
        let _ =
            write!(text, "--{BOUNDARY}\r\nContent-Disposition: form-data; name={}", quoted(name));
        let value = match value {
            Some(value) => value,
            None => {
                text.push_str("; filename=\"file\"");
                "(the content of the file)"
            }
        };
        let _ = write!(text, "\r\n\r\n{value}\r\n");
    }
    let _ = write!(text, "--{BOUNDARY}--\r\n");
    let mut request = Request { body: Some(Body::Text(text)), ..request.clone() };
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    request.headers.push(("Content-Type".to_owned(), kind));
    request
}

/// Returns a text between double quotes, with the escapes that most languages share.
fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            character if character.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(character));
            }
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns a text between double quotes in which a dollar sign means nothing.
fn quoted_with_dollar(text: &str) -> String {
    quoted(text).replace('$', "\\$")
}

/// Returns a text between single quotes, of which only these and the backslash have a meaning.
fn single(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// Returns a word of a command line.
fn word(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn capitalised(method: &str) -> String {
    let mut letters = method.chars();
    letters
        .next()
        .map_or_else(String::new, |first| format!("{first}{}", letters.as_str().to_lowercase()))
}

fn curl(request: &Request) -> String {
    let mut lines = vec![match request.method.as_str() {
        "GET" => format!("curl {}", word(&request.url)),
        "HEAD" => format!("curl --head {}", word(&request.url)),
        method => format!("curl --request {method} {}", word(&request.url)),
    }];
    lines.extend(
        request
            .headers
            .iter()
            .map(|(name, value)| format!("  --header {}", word(&format!("{name}: {value}")))),
    );
    match &request.body {
        Some(Body::Form(fields)) => lines.extend(fields.iter().map(|FormField { name, value }| {
            let part = match value {
                Some(value) => format!("{name}={value}"),
                None => format!("{name}=@file"),
            };
            format!("  --form {}", word(&part))
        })),
        _ => lines.extend(body_of(request).map(|body| format!("  --data {}", word(&body)))),
    }
    lines.join(" \\\n")
}

fn javascript(request: &Request) -> String {
    let mut options = Vec::new();
    if request.method != "GET" {
        options.push(format!("  method: {},\n", quoted(&request.method)));
    }
    if !request.headers.is_empty() {
        let headers = request.headers.iter();
        let headers =
            headers.map(|(name, value)| format!("    {}: {},\n", quoted(name), quoted(value)));
        options.push(format!("  headers: {{\n{}  }},\n", headers.collect::<String>()));
    }
    match &request.body {
        Some(Body::Json(value)) => {
            let json = serde_json::to_string_pretty(value).unwrap_or_default();
            options.push(format!("  body: JSON.stringify({}),\n", json.replace('\n', "\n  ")));
        }
        Some(Body::Text(text)) => options.push(format!("  body: {},\n", quoted(text))),
        Some(Body::Form(_)) | None => {}
    }
    let options = match options.is_empty() {
        true => String::new(),
        false => format!(", {{\n{}}}", options.concat()),
    };
    format!(
        "const response = await fetch({}{options});\nconsole.log(await response.text());",
        quoted(&request.url)
    )
}

fn python(request: &Request) -> String {
    let mut code = format!(
        "import requests\n\nresponse = requests.request(\n    {},\n    {},\n",
        quoted(&request.method),
        quoted(&request.url)
    );
    if !request.headers.is_empty() {
        code.push_str("    headers={\n");
        for (name, value) in &request.headers {
            let _ = writeln!(code, "        {}: {},", quoted(name), quoted(value));
        }
        code.push_str("    },\n");
    }
    if let Some(body) = body_of(request) {
        let _ = writeln!(code, "    data={}.encode(),", triple(&body));
    }
    code.push_str(")\nprint(response.text)");
    code
}

/// Returns a text of several lines in Python.
fn triple(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
    match text.contains('\n') && !text.ends_with('"') {
        true => format!("\"\"\"{text}\"\"\""),
        false => quoted(&text.replace("\\\\", "\\").replace("\\\"", "\"")),
    }
}

fn go(request: &Request) -> String {
    let body = body_of(request);
    let import = if body.is_some() { "\t\"strings\"\n" } else { "" };
    let reader = match &body {
        Some(body) => format!("strings.NewReader({})", quoted(body)),
        None => "nil".to_owned(),
    };
    let mut code = format!(
        "package main\n\nimport (\n\t\"fmt\"\n\t\"io\"\n\t\"net/http\"\n{import})\n\nfunc main() {{\n\trequest, err := http.NewRequest({}, {}, {reader})\n\tif err != nil {{\n\t\tpanic(err)\n\t}}\n",
        quoted(&request.method),
        quoted(&request.url),
    );
    for (name, value) in &request.headers {
        let _ = writeln!(code, "\trequest.Header.Set({}, {})", quoted(name), quoted(value));
    }
    code.push_str("\tresponse, err := http.DefaultClient.Do(request)\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\tdefer response.Body.Close()\n\tbody, _ := io.ReadAll(response.Body)\n\tfmt.Println(string(body))\n}");
    code
}

fn java(request: &Request) -> String {
    let body = body_of(request).map_or_else(
        || "HttpRequest.BodyPublishers.noBody()".to_owned(),
        |body| format!("HttpRequest.BodyPublishers.ofString({})", quoted(&body)),
    );
    let headers: String = request
        .headers
        .iter()
        .map(|(name, value)| format!("    .header({}, {})\n", quoted(name), quoted(value)))
        .collect();
    format!(
        "var request = HttpRequest.newBuilder(URI.create({}))\n{headers}    .method({}, {body})\n    .build();\nvar response = HttpClient.newHttpClient()\n    .send(request, HttpResponse.BodyHandlers.ofString());\nSystem.out.println(response.body());",
        quoted(&request.url),
        quoted(&request.method),
    )
}

fn kotlin(request: &Request) -> String {
    let body = body_of(request).map_or_else(
        || "HttpRequest.BodyPublishers.noBody()".to_owned(),
        |body| format!("HttpRequest.BodyPublishers.ofString({})", quoted_with_dollar(&body)),
    );
    let headers = request.headers.iter().map(|(name, value)| {
        format!("    .header({}, {})\n", quoted_with_dollar(name), quoted_with_dollar(value))
    });
    format!(
        "val request = HttpRequest.newBuilder(URI.create({}))\n{}    .method({}, {body})\n    .build()\nval response = HttpClient.newHttpClient()\n    .send(request, HttpResponse.BodyHandlers.ofString())\nprintln(response.body())",
        quoted_with_dollar(&request.url),
        headers.collect::<String>(),
        quoted(&request.method),
    )
}

fn csharp(request: &Request) -> String {
    let mut code = format!(
        "using var client = new HttpClient();\nusing var request = new HttpRequestMessage(new HttpMethod({}), {});\n",
        quoted(&request.method),
        quoted(&request.url),
    );
    let is_of_body = |name: &str| name.eq_ignore_ascii_case("content-type");
    for (name, value) in request.headers.iter().filter(|(name, _)| !is_of_body(name)) {
        let _ = writeln!(
            code,
            "request.Headers.TryAddWithoutValidation({}, {});",
            quoted(name),
            quoted(value)
        );
    }
    if let Some(body) = body_of(request) {
        let _ = writeln!(code, "request.Content = new StringContent({});", quoted(&body));
        for (_, value) in request.headers.iter().filter(|(name, _)| is_of_body(name)) {
            let _ = writeln!(
                code,
                "request.Content.Headers.ContentType = MediaTypeHeaderValue.Parse({});",
                quoted(value)
            );
        }
    }
    code.push_str("using var response = await client.SendAsync(request);\nConsole.WriteLine(await response.Content.ReadAsStringAsync());");
    code
}

fn php(request: &Request) -> String {
    let mut code = format!(
        "<?php\n$request = curl_init({});\ncurl_setopt_array($request, [\n    CURLOPT_RETURNTRANSFER => true,\n    CURLOPT_CUSTOMREQUEST => {},\n",
        single(&request.url),
        single(&request.method),
    );
    if !request.headers.is_empty() {
        code.push_str("    CURLOPT_HTTPHEADER => [\n");
        for (name, value) in &request.headers {
            let _ = writeln!(code, "        {},", single(&format!("{name}: {value}")));
        }
        code.push_str("    ],\n");
    }
    if let Some(body) = body_of(request) {
        let _ = writeln!(code, "    CURLOPT_POSTFIELDS => {},", single(&body));
    }
    code.push_str("]);\necho curl_exec($request);");
    code
}

fn ruby(request: &Request) -> String {
    let mut code = format!("require \"net/http\"\n\nuri = URI({})\n", single(&request.url));
    let known = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"];
    match known.contains(&request.method.as_str()) {
        true => {
            let _ =
                writeln!(code, "request = Net::HTTP::{}.new(uri)", capitalised(&request.method));
        }
        false => {
            let _ = writeln!(
                code,
                "request = Net::HTTPGenericRequest.new({}, true, true, uri)",
                single(&request.method)
            );
        }
    }
    for (name, value) in &request.headers {
        let _ = writeln!(code, "request[{}] = {}", single(name), single(value));
    }
    if let Some(body) = body_of(request) {
        let _ = writeln!(code, "request.body = {}", single(&body));
    }
    code.push_str("response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == \"https\") do |http|\n  http.request(request)\nend\nputs response.body");
    code
}

fn rust(request: &Request) -> String {
    let mut code = format!(
        "let response = reqwest::Client::new()\n    .request({}.parse()?, {})\n",
        rust_text(&request.method),
        rust_text(&request.url),
    );
    for (name, value) in &request.headers {
        let _ = writeln!(code, "    .header({}, {})", rust_text(name), rust_text(value));
    }
    if let Some(body) = body_of(request) {
        let _ = writeln!(code, "    .body({})", rust_text(&body));
    }
    code.push_str("    .send()\n    .await?;\nprintln!(\"{}\", response.text().await?);");
    code
}

/// Returns a text in Rust, with as many number signs as it needs.
fn rust_text(text: &str) -> String {
    if !text.contains(['"', '\\', '\n']) {
        return quoted(text);
    }
    let marks = (1..).map(|count| "#".repeat(count));
    let marks = marks.into_iter().find(|marks| !text.contains(&format!("\"{marks}")));
    let marks = marks.unwrap_or_default();
    format!("r{marks}\"{text}\"{marks}")
}

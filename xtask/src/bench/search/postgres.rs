//! The full-text search of PostgreSQL on the published pages: words alone, and words together with
//! the similarity of titles.
//!
//! The times are those of the statements in the server, without the connection and without extracts
//! of the pages, which the other engines return.

use super::judged::Query;
use super::{Found, RESULTS, Space};
use crate::postgres::{Cluster, find_or_install};
use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

/// The configurations for languages; others have no stems.
const CONFIGURATIONS: [(&str, &str); 13] = [
    ("de", "german"),
    ("el", "greek"),
    ("en", "english"),
    ("es", "spanish"),
    ("fr", "french"),
    ("hu", "hungarian"),
    ("hy", "armenian"),
    ("it", "italian"),
    ("pt", "portuguese"),
    ("ro", "romanian"),
    ("ru", "russian"),
    ("sr", "serbian"),
    ("tr", "turkish"),
];

const TABLES: &str = "
SET client_min_messages = warning;
CREATE EXTENSION pg_trgm;
CREATE TABLE pages (
    space int, page int, config regconfig, title text, headings text, body text,
    terms tsvector GENERATED ALWAYS AS (
        setweight(to_tsvector(config, title), 'A') || setweight(to_tsvector(config, headings), 'B')
        || setweight(to_tsvector(config, body), 'D')) STORED
);
CREATE TABLE queries (id int, space int, config regconfig, text text);
CREATE TABLE results (variant text, id int, pages int[], seconds float);
";

/// Runs all queries with both variants. The second one also finds pages with some of the words, and
/// pages with a similar title, after those with all words.
const QUERIES: &str = "
CREATE INDEX ON pages USING gin (terms);
CREATE INDEX ON pages USING gin (title gin_trgm_ops);
CREATE INDEX ON pages (space);
ANALYZE;
CREATE FUNCTION run() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    one record;
    words tsquery;
    alternatives tsquery;
    started timestamptz;
    found int[];
BEGIN
    FOR one IN SELECT * FROM queries ORDER BY id LOOP
        started := clock_timestamp();
        words := websearch_to_tsquery(one.config, one.text);
        found := ARRAY(
            SELECT page FROM pages WHERE space = one.space AND terms @@ words
            ORDER BY ts_rank_cd(terms, words, 1) DESC, page LIMIT {limit});
        INSERT INTO results
        SELECT 'words', one.id, found, extract(epoch FROM clock_timestamp() - started);
        started := clock_timestamp();
        words := websearch_to_tsquery(one.config, one.text);
        alternatives := replace(words::text, '&', '|')::tsquery;
        found := ARRAY(
            SELECT page FROM pages
            WHERE space = one.space AND (terms @@ alternatives OR one.text <% title)
            ORDER BY (terms @@ words)::int + ts_rank_cd(terms, alternatives, 33)
                + word_similarity(one.text, title) DESC, page LIMIT {limit});
        INSERT INTO results
        SELECT 'trigrams', one.id, found, extract(epoch FROM clock_timestamp() - started);
    END LOOP;
END $$;
SELECT run();
TRUNCATE results;
SELECT run();
\\pset format unaligned
\\pset tuples_only on
\\pset fieldsep ' '
\\echo RESULTS
SELECT pg_total_relation_size('pages');
SELECT variant, seconds, array_to_string(pages, ',') FROM results ORDER BY id;
";

/// The results of all queries and the size of the table with its indexes.
type Results = (Vec<Found>, u64);

/// Indexes the pages and runs the queries. Returns the results without and with trigrams, or `None`
/// if PostgreSQL is not installed.
pub(super) fn search(spaces: &[Space], queries: &[Query]) -> Result<Option<(Results, Results)>> {
    let Some(programs) = find_or_install()? else { return Ok(None) };
    let Some(psql) = Some(programs.join("psql")).filter(|program| program.is_file()) else {
        return Ok(None);
    };
    let cluster = Cluster::start(&programs)?;
    let script = tempfile::NamedTempFile::new()?;
    std::fs::write(script.path(), statements(spaces, queries))?;
    let printed = run(&psql, cluster.url(), script.path())?;
    let (_, printed) = printed.split_once("RESULTS\n").context("the results")?;
    let (bytes, lines) = printed.split_once('\n').context("the size of the table")?;
    let bytes = bytes.parse().context("the size of the table")?;
    let results = |variant: &str| {
        let lines = lines.lines().filter_map(|line| line.strip_prefix(variant));
        let found: Vec<Found> = lines.filter_map(|line| result(line.trim_start())).collect();
        ensure!(found.len() == queries.len(), "PostgreSQL answered {} queries", found.len());
        Ok((found, bytes))
    };
    Ok(Some((results("words")?, results("trigrams")?)))
}

fn run(psql: &Path, url: &str, script: &Path) -> Result<String> {
    let mut command = Command::new(psql);
    command.args(["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", url]);
    command.stdin(File::open(script)?).stderr(Stdio::inherit());
    let answer = command.output().context("psql could not be started")?;
    ensure!(answer.status.success(), "psql failed");
    Ok(String::from_utf8(answer.stdout)?)
}

/// Reads a line with the time and the pages of a query.
fn result(line: &str) -> Option<Found> {
    let (seconds, pages) = line.split_once(' ')?;
    let pages = pages.split(',').filter_map(|page| page.parse().ok()).collect();
    Some(Found { pages, seconds: seconds.parse().ok()? })
}

fn statements(spaces: &[Space], queries: &[Query]) -> String {
    let mut text = TABLES.to_owned();
    let configuration = |space: &Space| {
        let language = space.language.split('-').next().unwrap_or_default();
        let known = CONFIGURATIONS.iter().find(|(name, _)| *name == language);
        known.map_or("simple", |(_, configuration)| configuration)
    };
    text.push_str("COPY pages (space, page, config, title, headings, body) FROM STDIN;\n");
    for (number, space) in spaces.iter().enumerate() {
        for (at, page) in space.pages.iter().enumerate() {
            let words = page.text();
            let (title, headings) = (escape(&page.title), escape(&words.headings));
            let (config, body) = (configuration(space), escape(&words.body));
            let _ = writeln!(text, "{number}\t{at}\t{config}\t{title}\t{headings}\t{body}");
        }
    }
    text.push_str("\\.\nCOPY queries FROM STDIN;\n");
    for (id, query) in queries.iter().enumerate() {
        let config = spaces.get(query.space).map_or("simple", configuration);
        let _ = writeln!(text, "{id}\t{}\t{config}\t{}", query.space, escape(query.text));
    }
    text.push_str("\\.\n");
    text.push_str(&QUERIES.replace("{limit}", &RESULTS.to_string()));
    text
}

/// Writes a value for `COPY`.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            '\0' => {}
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_of_results_is_read() {
        let Found { pages, seconds } = result("0.000123 4,5").unwrap();
        assert_eq!((pages, seconds), (vec![4, 5], 0.000_123));
        assert_eq!(result("0.1 ").unwrap().pages, Vec::<usize>::new());
    }

    #[test]
    fn values_are_escaped() {
        assert_eq!(escape("a\\b\n\tc"), "a\\\\b\\n\\tc");
    }
}

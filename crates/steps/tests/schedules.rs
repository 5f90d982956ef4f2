//! People who write one text, each with a version of it that may be old: in the session, or without
//! a connection and with a merge at the end. Programs write it as well. No word may be lost.

use std::collections::{HashMap, HashSet};

use bindery_steps::{Merged, Node, Result, Step, rebase};
use serde_json::{Value, json};

/// Returns random numbers that are the same for a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 3).unwrap_or_default() % end.max(1)
    }

    /// Returns a word that nobody else writes.
    fn word(&mut self) -> String {
        format!("p{:09}", self.below(1_000_000_000))
    }
}

fn paragraph(key: &str, text: &str) -> Value {
    let content = match text {
        "" => json!([]),
        text => json!([{ "type": "text", "text": text }]),
    };
    json!({ "type": "paragraph", "attrs": { "key": key }, "content": content })
}

fn document(blocks: &[Value]) -> Result<Node> {
    Node::from_json(&json!({ "type": "doc", "content": blocks }))
}

/// Returns the keys and texts of the paragraphs.
fn paragraphs(doc: &Node) -> Vec<(String, String)> {
    let json = doc.to_json();
    let blocks = json["content"].as_array().into_iter().flatten().map(|block| {
        let nodes = block["content"].as_array().into_iter().flatten();
        let text = nodes.filter_map(|node| node["text"].as_str()).collect();
        (block["attrs"]["key"].as_str().unwrap_or_default().to_owned(), text)
    });
    blocks.collect()
}

/// Returns the words of a text, each of which is a `p` with nine digits, and how often it is there.
fn words(doc: &Node) -> HashMap<String, usize> {
    let text = doc.text_content();
    let words = text.split('p').skip(1).filter_map(|rest| rest.get(..9));
    let mut found = HashMap::new();
    for rest in words {
        *found.entry(format!("p{rest}")).or_default() += 1;
    }
    found
}

/// The text that the server has, with the steps of each version.
struct Server {
    doc: Node,
    batches: Vec<Vec<Step>>,
}

impl Server {
    fn version(&self) -> usize {
        self.batches.len()
    }

    fn since(&self, version: usize) -> Vec<Step> {
        self.batches[version..].concat()
    }

    fn accept(&mut self, steps: &[Step], version: usize) {
        let (steps, doc) = rebase(steps, &self.since(version), &self.doc);
        self.doc = doc;
        self.batches.push(steps);
    }

    fn merge(&mut self, base: &Node, theirs: &Node) {
        let Merged { steps, doc, .. } = self.doc.merged(base, theirs);
        self.doc = doc;
        self.batches.push(steps);
    }
}

/// A window with the text.
struct Person {
    name: usize,
    made: usize,
    version: usize,
    confirmed: Node,
    unconfirmed: Vec<Step>,
    doc: Node,
    written: Vec<String>,
    /// The words that this person saw and removed.
    removed: Vec<String>,
}

impl Person {
    /// Writes a word, splits a paragraph, or removes what is between two places.
    fn write(&mut self, random: &mut Random) -> Result<()> {
        let step = match random.below(12) {
            0 => self.removal(random)?,
            1 | 2 => self.split(random)?,
            _ => self.insertion(random)?,
        };
        let doc = step.apply(&self.doc)?;
        let left = words(&doc);
        let is_removed = |(word, count): &(String, usize)| left.get(word) != Some(count);
        self.removed.extend(words(&self.doc).into_iter().filter(is_removed).map(|(word, _)| word));
        self.doc = doc;
        self.unconfirmed.push(step);
        Ok(())
    }

    /// Returns the positions at which words and paragraphs begin.
    fn places(&self) -> Vec<usize> {
        let mut places = Vec::new();
        let mut start = 1;
        for (_, text) in paragraphs(&self.doc) {
            places.push(start);
            places.extend(text.match_indices(' ').map(|(at, _)| start + at + 1));
            start += text.len() + 2;
        }
        places
    }

    fn place(&self, random: &mut Random) -> usize {
        let places = self.places();
        places[random.below(places.len())]
    }

    fn insertion(&mut self, random: &mut Random) -> Result<Step> {
        let word = random.word();
        let at = self.place(random);
        let content = json!([{ "type": "text", "text": format!("{word} ") }]);
        self.written.push(word);
        replace(at, at, &json!({ "content": content }))
    }

    fn split(&mut self, random: &mut Random) -> Result<Step> {
        self.made += 1;
        let at = self.place(random);
        let blocks = [paragraph("", ""), paragraph(&format!("k{}x{}", self.name, self.made), "")];
        replace(at, at, &json!({ "content": blocks, "openStart": 1, "openEnd": 1 }))
    }

    fn removal(&mut self, random: &mut Random) -> Result<Step> {
        let places = self.places();
        let first = random.below(places.len());
        let last = (first + 1 + random.below(4)).min(places.len() - 1);
        replace(places[first], places[last], &json!({}))
    }

    fn receive(&mut self, server: &Server) -> Result<()> {
        for step in server.since(self.version) {
            self.confirmed = step.apply(&self.confirmed)?;
        }
        let over = server.since(self.version);
        (self.unconfirmed, self.doc) = rebase(&self.unconfirmed, &over, &self.confirmed);
        self.version = server.version();
        Ok(())
    }

    fn send(&mut self, server: &mut Server) -> Result<()> {
        server.accept(&self.unconfirmed, self.version);
        self.unconfirmed.clear();
        self.receive(server)
    }

    fn join(&mut self, server: &mut Server) {
        server.merge(&self.confirmed, &self.doc);
        self.unconfirmed.clear();
        (self.confirmed, self.doc) = (server.doc.clone(), server.doc.clone());
        self.version = server.version();
    }
}

fn replace(from: usize, to: usize, slice: &Value) -> Result<Step> {
    Step::from_json(&json!({ "stepType": "replace", "from": from, "to": to, "slice": slice }))
}

/// Returns the text as a program sees it, which does not keep empty paragraphs and spaces at ends.
fn normalised(doc: &Node) -> Result<Node> {
    let blocks = paragraphs(doc).into_iter().filter(|(_, text)| !text.trim().is_empty());
    let blocks: Vec<Value> = blocks.map(|(key, text)| paragraph(&key, text.trim())).collect();
    match blocks.is_empty() {
        true => document(&[paragraph("", "")]),
        false => document(&blocks),
    }
}

/// Returns the words that are lost after a schedule.
fn lost(seed: u64, has_programs: bool, is_offline: bool) -> Result<Vec<String>> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let first = document(&[paragraph("a", "One."), paragraph("b", "Two.")])?;
    let mut server = Server { doc: first.clone(), batches: Vec::new() };
    let person = |name| Person {
        name,
        made: 0,
        version: 0,
        confirmed: first.clone(),
        unconfirmed: Vec::new(),
        doc: first.clone(),
        written: Vec::new(),
        removed: Vec::new(),
    };
    let mut people: Vec<Person> = (0..4).map(person).collect();
    let mut programs = Vec::new();
    let mut stale = normalised(&server.doc)?;
    for _ in 0..60 {
        let count = people.len();
        let one = &mut people[random.below(count)];
        for _ in 0..random.below(4) {
            one.write(&mut random)?;
        }
        match random.below(8) {
            0 | 1 => one.receive(&server)?,
            2 | 3 => one.send(&mut server)?,
            4 if is_offline => one.join(&mut server),
            5 if has_programs => {
                let word = random.word();
                let mut blocks = paragraphs(&stale);
                blocks.push((word.clone(), word.clone()));
                let blocks: Vec<Value> =
                    blocks.iter().map(|(key, text)| paragraph(key, text)).collect();
                server.merge(&stale, &document(&blocks)?);
                programs.push(word);
            }
            6 => stale = normalised(&server.doc)?,
            _ => {}
        }
    }
    for one in &mut people {
        one.send(&mut server)?;
    }
    let found = words(&server.doc);
    let removed: HashSet<&String> = people.iter().flat_map(|one| &one.removed).collect();
    let written = people.iter().flat_map(|one| &one.written).chain(&programs);
    let is_lost = |word: &&String| !found.contains_key(*word) && !removed.contains(word);
    Ok(written.filter(is_lost).cloned().collect())
}

/// Returns the seeds that `BINDERY_SEEDS` names, separated by commas, or the first ones.
fn seeds() -> Vec<u64> {
    match std::env::var("BINDERY_SEEDS") {
        Ok(named) => named.split(',').filter_map(|seed| seed.parse().ok()).collect(),
        Err(_) => (1..=60).collect(),
    }
}

#[test]
fn no_word_is_lost() -> Result<()> {
    for (has_programs, is_offline) in [(false, false), (false, true), (true, false), (true, true)] {
        for seed in seeds() {
            let lost = lost(seed, has_programs, is_offline)?;
            assert!(lost.is_empty(), "seed {seed}, {has_programs}, {is_offline}: {lost:?}");
        }
    }
    Ok(())
}

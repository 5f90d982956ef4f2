//! Tests of whole jobs.

use bindery_paper::PageInput;
use bindery_paper::folder::{Folder, ImageFile, Job, PageText, Summary};
use typst::ecow::EcoVec;
use typst::layout::{Frame, FrameItem};
use typst::model::Destination;

use super::{PaperWorld, run, world_of};
use crate::chapter::Chapters;

/// A job in a temporary folder.
struct TestJob {
    folder: tempfile::TempDir,
    pages: Vec<PageText>,
    job: Job,
}

impl TestJob {
    fn new() -> Self {
        let job = Job { title: "Manual".into(), language: "en".into(), ..Job::default() };
        Self { folder: tempfile::tempdir().unwrap(), pages: Vec::new(), job }
    }

    fn page(mut self, key: &str, html: &str) -> Self {
        let input = PageInput { key, level: 1, title: key, html, ..PageInput::default() };
        let source = bindery_paper::page(&input).source;
        self.pages.push(PageText { key: key.into(), level: 1, title: key.into(), source });
        self
    }

    fn image(mut self, id: &str, is_svg: bool, bytes: &[u8]) -> Self {
        std::fs::write(Folder::at(self.folder.path()).image(id), bytes).unwrap();
        self.job.images.push(ImageFile { id: id.into(), is_svg });
        self
    }

    fn run(&self) -> Summary {
        let folder = Folder::at(self.folder.path());
        let mut to = folder.page_writer().unwrap();
        self.pages.iter().for_each(|page| Folder::write_page(&mut to, page).unwrap());
        std::io::Write::flush(&mut to).unwrap();
        folder.write_job(&self.job).unwrap();
        let mut done = 0;
        let summary = run(self.folder.path(), &mut |count| done = count).unwrap();
        assert_eq!(done, self.pages.len());
        assert_eq!(folder.summary().unwrap(), summary);
        let pdf = std::fs::read(folder.output()).unwrap();
        assert!(pdf.starts_with(b"%PDF-"));
        assert_eq!(pdf.len(), summary.bytes);
        summary
    }

    fn world(&self) -> PaperWorld {
        let folder = Folder::at(self.folder.path());
        world_of(&folder, &self.job, &self.pages).unwrap().0
    }
}

/// One page with every construct that pages can contain.
const EVERYTHING: &str = r##"
<h2 id="a">Heading <a class="anchor" href="#a">#</a></h2><h3>x</h3><h4>y</h4>
<p>text <strong>b</strong> <em>i</em> <del>d</del> <code>c</code> <kbd>k</kbd> x<sup>2</sup>
<mark class="color-red bg-blue">m</mark> <mark>n</mark> <u>u</u> <q>q</q> <a href="#a">here</a>
<a href="https://example.com/a/very/long/address">there</a>
<span class="emoji" role="img" aria-label="rocket">🚀</span></p>
<p>a<button class="note-mark" popovertarget="B--note-1">1</button> and
<button class="note-mark" popovertarget="B--note-1">1</button></p>
<ul><li>a</li><li>b<ol start="4"><li>c</li></ol></li></ul>
<ul class="tasks"><li><input type="checkbox" disabled checked> done</li><li><p>a</p><p>b</p></li></ul>
<blockquote><p>q</p></blockquote><hr>
<div class="hint hint-warning" aria-label="Warning"><div class="hint-body"><p class="hint-title">Warning</p><p>w</p></div></div>
<figure class="code numbered"><figcaption><span class="code-title">f.rs</span></figcaption><pre><code>
<span class="line hl"><span class="k">let</span> x = 1;
</span><span class="line">
</span></code></pre></figure>
<div class="table"><table><thead><tr><th>a</th><th data-align="end">b</th></tr></thead><tbody>
<tr><td colspan="2">wide</td></tr><tr><td rowspan="9">tall</td><td><ul><li>x</li></ul></td></tr>
<tr></tr><tr><td>1</td><td>2</td><td>3</td></tr></tbody></table></div>
<div class="tabs"><details open><summary>t</summary><div class="tab-body" id="t"><p>x</p></div></details></div>
<ol class="stepper"><li class="step"><h3>s</h3><p>x</p></li></ol>
<div class="columns"><div class="column" data-span="8"><p>l</p></div><div class="column"><p>r</p></div></div>
<ul class="cards"><li class="card"><img src="x-file:missing" alt=""><div class="card-body"><div
class="card-cell">c</div></div><a class="card-link" href="#a" aria-label="Open"></a></li></ul>
<figure class="image"><img src="x-file:missing" alt="absent"><figcaption>cap</figcaption></figure>
<div class="math"><math><mfrac><mi>x</mi><mn>2</mn></mfrac><mo>=</mo><msqrt><mi>y</mi></msqrt>
<mroot><mi>y</mi><mn>3</mn></mroot><msubsup><mi>a</mi><mn>1</mn><mn>2</mn></msubsup>
<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mover><mi>v</mi><mo>→</mo></mover>
<mrow><mo stretchy="true">(</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd></mtd></mtr></mtable><mo stretchy="true">)</mo></mrow>
<mtable class="menv-alignlike"><mtr><mtd><mi>x</mi></mtd><mtd><mo>=</mo></mtd></mtr></mtable>
<menclose notation="box"><mi>z</mi></menclose><mphantom><mi>z</mi></mphantom><mtext>if</mtext>
<mspace width="1em"/><mmultiscripts><mi>C</mi><mn>1</mn><mn>2</mn><mprescripts/><mn>3</mn><mn>4</mn></mmultiscripts>
<mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac><mi mathvariant="normal">d</mi><mi>sin</mi></math></div>
<dl><dt>t</dt><dd>d</dd></dl><a class="embed" href="https://example.com">e</a><unknown>u</unknown>
<aside class="note" id="B--note-1" popover><p>the <em>note</em></p><ul><li>x</li></ul></aside>
"##;

#[test]
fn every_construct_is_accepted() {
    let job = TestJob::new().page("first", EVERYTHING).page("second", "<p>السلام</p>");
    let summary = job.run();
    assert_eq!((summary.failed_pages, summary.omitted_pages), (0, 0));
    assert!(summary.sheets >= 2, "{summary:?}");
}

#[test]
fn rejected_pages_are_replaced_by_a_notice() {
    let mut job = TestJob::new().page("a", "<p>a</p>").page("b", "").page("c", "<p>c</p>");
    job.pages[1].source = "#panic(\"x\")\n".to_owned();
    let summary = job.run();
    assert_eq!((summary.sheets, summary.failed_pages), (3, 1));
}

#[test]
fn the_front_has_its_own_sheets() {
    let mut job = TestJob::new();
    for at in 0..120 {
        job = job.page(&format!("page {at}"), "<p>x</p>");
    }
    job.job.has_front = true;
    let summary = job.run();
    // A title page, and a table of contents of more than two sheets.
    assert!(summary.first_sheet >= 4, "{summary:?}");
    assert_eq!(summary.sheets, summary.first_sheet + 120);
}

#[test]
fn broken_images_are_refused() {
    let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"/>";
    let page = "<p><img src=\"x-file:good\" alt=\"\"><img src=\"x-file:bad\" alt=\"text\">\
                <img src=\"x-file:odd\" alt=\"\"></p>";
    let job = TestJob::new()
        .page("p", page)
        .image("good", true, svg)
        .image("bad", true, b"<svg")
        .image("odd", false, b"\x89PNG\r\n\x1a\n broken");
    let summary = job.run();
    assert_eq!((summary.failed_pages, summary.refused_images), (0, 2));
}

fn links(frame: &Frame, found: &mut Vec<Destination>) {
    for (_, item) in frame.items() {
        match item {
            FrameItem::Group(group) => links(&group.frame, found),
            FrameItem::Link(destination, _) => found.push(destination.clone()),
            _ => {}
        }
    }
}

#[test]
fn links_between_pages_lead_to_positions() {
    let long = "<p>text</p>".repeat(200);
    let first = "<p><a href=\"x-page:b#deep\">deep</a> <a href=\"x-page:b#none\">start</a> \
                 <a href=\"x-page:c\">absent</a> <a href=\"https://x.y/\">out</a></p>";
    let job = TestJob::new().page("a", first).page("b", &format!("{long}<h2 id=\"deep\">d</h2>"));
    let (mut world, mut chapters) = (job.world(), Chapters::new("en"));
    let mut sheets = EcoVec::new();
    for page in &job.pages {
        let made = chapters.lay_out(&mut world, std::slice::from_ref(page)).unwrap();
        sheets.extend(made.sheets);
    }
    crate::links::resolve(&mut sheets);
    let mut found = Vec::new();
    links(&sheets[0].frame, &mut found);
    let sheet = |at: usize| match &found[at] {
        Destination::Position(position) => position.page.get(),
        other => panic!("{other:?}"),
    };
    // The link to the absent page is no link any more.
    assert_eq!(found.len(), 3);
    assert!(sheet(0) > 3, "{found:?}");
    assert_eq!(sheet(1), 2);
    assert!(matches!(&found[2], Destination::Url(url) if url.as_str() == "https://x.y/"));
}

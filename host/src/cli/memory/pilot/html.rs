//! The report as one page that needs nothing else: no scripts, no fonts, no pictures from anywhere.

use std::fmt::Write as _;

use super::plot::{self, Series};
use super::report::{Report, Row};
use super::table::{self, HEAD};
use super::tokens::FORMULA;
use crate::cli::counted;

const LEFT: &str = " class=\"left\"";

const STYLE: &str = "\
:root{color-scheme:light dark;--text:#1c2024;--soft:#5c646c;--page:#fdfdfc;--line:#d9dde0;--all:#e8eaec;\
--c0:#0072b2;--c1:#b34700;--c2:#00795a;--c3:#9a3f7f;--c4:#6b5b00;--c5:#4a55c4}
@media(prefers-color-scheme:dark){:root{--text:#e8eaec;--soft:#a2abb3;--page:#16181b;--line:#3a4046;--all:#2b3035;\
--c0:#56b4e9;--c1:#ff9a5c;--c2:#3fc79a;--c3:#e08fc4;--c4:#e0cf4a;--c5:#98a4ff}}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.2rem}
p,li,.soft{color:var(--soft)}code{color:var(--text);overflow-wrap:anywhere}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{padding:.4rem .6rem;border-bottom:1px solid var(--line);text-align:right;font-variant-numeric:tabular-nums}
th:first-child,td:first-child,.left{text-align:left}
svg{width:100%;height:auto;font:14px system-ui,sans-serif}svg text{fill:var(--text)}
.grid{stroke:var(--line);fill:none}.mark{stroke:var(--text);stroke-width:2}.all{fill:var(--all)}
circle{opacity:.55}polyline,path[class^=s]{fill:none;stroke-width:2.5}
.s0{stroke:var(--c0)}.s1{stroke:var(--c1);stroke-dasharray:8 4}.s2{stroke:var(--c2);stroke-dasharray:2 4}\
.s3{stroke:var(--c3);stroke-dasharray:12 4 2 4}.s4{stroke:var(--c4);stroke-dasharray:4 4}\
.s5{stroke:var(--c5);stroke-dasharray:12 6}
.f0{fill:var(--c0)}.f1{fill:var(--c1)}.f2{fill:var(--c2)}.f3{fill:var(--c3)}.f4{fill:var(--c4)}.f5{fill:var(--c5)}
";

/// The page.
pub(super) fn page(report: &Report) -> String {
    let series: Vec<Series<'_>> =
        report.rows.iter().filter_map(|row| Some((row.provider.as_str(), row.result.as_ref().ok()?))).collect();
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\
         <title>Memory pilot</title><style>{STYLE}</style></head><body><main><h1>Memory pilot</h1>"
    );
    let transcript = &report.transcript;
    let _ = write!(
        page,
        "<p><code>{}</code>: {}, {} tokens of messages, {} marked</p>",
        escape(&transcript.name),
        escape(&transcript.extent()),
        transcript.tokens,
        counted(transcript.marks.len(), "question"),
    );
    table(&mut page, report);
    let plots = [
        (
            "Answer delay",
            plot::delays(&series),
            "Each dot is an answer, on a logarithmic scale in ms; the bars are p50 and p95.",
        ),
        (
            "Tokens added",
            plot::tokens(&series),
            "System prompt and tools at the beginning of each session, recalls and answers of tools in its turns, added up.",
        ),
        (
            "Recall of the marked questions",
            plot::found(&series),
            "The share whose fact was in what the model was given.",
        ),
    ];
    for (title, plot, legend) in plots {
        if let Some(plot) = plot {
            let _ = write!(page, "<h2>{title}</h2><p>{legend}</p>{plot}");
        }
    }
    questions(&mut page, &series);
    sent(&mut page, &report.rows);
    let _ = writeln!(
        page,
        "<h2>How it was measured</h2><p>The conversation was played to each provider in a copy of the home. p50 and p95 \
         are the delays within which half, and 95 of a hundred, of the recalls were there; one that was not in time counts \
         with the time that was waited for it, and an error not at all. {}.</p></main></body></html>",
        escape(&sentence(FORMULA))
    );
    page
}

fn table(page: &mut String, report: &Report) {
    page.push_str("<div class=\"scroll\"><table><thead><tr>");
    HEAD.iter().for_each(|head| cell(page, "th", "", head));
    page.push_str("</tr></thead><tbody>");
    for Row { provider, version, result, .. } in &report.rows {
        page.push_str("<tr>");
        let name = version.as_ref().map_or_else(|| provider.clone(), |version| format!("{provider} {version}"));
        cell(page, "td", "", &name);
        match result {
            Ok(tried) => table::cells(&tried.figures).iter().for_each(|figure| cell(page, "td", "", figure)),
            Err(failure) => {
                let reason = format!("not tried: {}", failure.message);
                cell(page, "td", " class=\"left\" colspan=\"8\"", &reason);
            }
        }
        page.push_str("</tr>");
    }
    page.push_str("</tbody></table></div>");
}

/// Each marked question, and who found what it is about.
fn questions(page: &mut String, series: &[Series<'_>]) {
    let Some((_, first)) = series.first() else { return };
    let marked: Vec<_> = first.turns.iter().filter_map(|turn| Some((turn.line, turn.question.as_ref()?))).collect();
    if marked.is_empty() {
        return;
    }
    page.push_str("<div class=\"scroll\"><table><thead><tr>");
    cell(page, "th", "", "question");
    cell(page, "th", LEFT, "expected");
    series.iter().for_each(|(name, _)| cell(page, "th", "", name));
    page.push_str("</tr></thead><tbody>");
    for (line, question) in marked {
        page.push_str("<tr>");
        cell(page, "td", "", &question.text);
        cell(page, "td", LEFT, &question.expects);
        for (_, tried) in series {
            let same = tried.turns.iter().find(|turn| turn.line == line).and_then(|turn| turn.question.as_ref());
            let found = same.map_or("–", |question| if question.found { "found" } else { "missed" });
            cell(page, "td", "", found);
        }
        page.push_str("</tr>");
    }
    page.push_str("</tbody></table></div>");
}

/// Where the conversation went, and what is left there.
fn sent(page: &mut String, rows: &[Row]) {
    page.push_str("<h2>Where the conversation went</h2><ul>");
    for Row { provider, sent, result, .. } in rows {
        let to = match result {
            Err(_) => "nowhere, it was not tried".to_owned(),
            Ok(_) if sent.is_empty() => "nowhere outside of its copy".to_owned(),
            Ok(_) => sent.join("; "),
        };
        let mut remarks = vec![to];
        if let Ok(tried) = result {
            remarks.extend(tried.cleanup.iter().map(|cleanup| match &cleanup.problem {
                None => format!("deleted there afterwards: {}", cleanup.deleted),
                Some(problem) => format!("something may be left there: {problem}"),
            }));
            remarks.extend(tried.lost.iter().cloned());
        }
        cell(page, "li", "", &format!("{provider}: {}", remarks.join(". ")));
    }
    page.push_str("</ul>");
}

/// An element with a text in it.
fn cell(page: &mut String, name: &str, attributes: &str, text: &str) {
    let _ = write!(page, "<{name}{attributes}>{}</{name}>", escape(text));
}

/// With a capital at its beginning.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A text as it stands in an element or in an attribute with quotation marks. What no page may hold becomes U+FFFD.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() && !c.is_whitespace() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_what_it_stands_in() {
        assert_eq!(escape("<b a=\"x\" c='y'>&amp;"), "&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;amp;");
        assert_eq!(escape("чай\n\u{1b}[2J"), "чай\n\u{fffd}[2J");
    }
}

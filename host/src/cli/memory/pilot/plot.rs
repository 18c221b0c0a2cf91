//! The plots of the report, as SVG that stands in its page.

use std::fmt::Write as _;

use super::html::escape;
use super::measure::Turn;
use super::report::{Tried, millis, share};
use super::table::{delay, percent};

/// A provider in a plot: its name, and what was measured.
pub(super) type Series<'a> = (&'a str, &'a Tried);

/// Widths in units of the drawing: all of it, its part for names, and its part for figures.
const WIDTH: f64 = 760.0;
const NAMES: f64 = 150.0;
const FIGURES: f64 = 190.0;
/// Heights: a line of text, and the curves.
const LINE: f64 = 34.0;
const CURVES: f64 = 240.0;
/// How many colours there are.
const COLOURS: usize = 6;

/// Each delay as a dot, with p50 and p95; the scale is logarithmic. None where nothing was asked.
pub(super) fn delays(series: &[Series<'_>]) -> Option<String> {
    let ms = |tried: &Tried| tried.turns.iter().filter_map(|turn| turn.delay.map(millis)).collect::<Vec<_>>();
    let asked: Vec<_> = series.iter().enumerate().filter(|(_, (_, tried))| tried.figures.asked > 0).collect();
    // A delay of nothing has no place on such a scale.
    let all: Vec<f64> = asked.iter().flat_map(|(_, (_, tried))| ms(tried)).map(|ms| ms.max(0.01)).collect();
    let low = all.iter().copied().reduce(f64::min)?.log10().floor();
    let high = all.iter().copied().fold(f64::MIN, f64::max).log10().ceil().max(low + 1.0);
    let place = |ms: f64| NAMES + (ms.max(0.01).log10() - low) / (high - low) * (WIDTH - NAMES - FIGURES);
    let bottom = LINE * number(asked.len());
    let mut drawing = String::new();
    let mut step = low;
    while step <= high {
        let (x, label) = (place(10_f64.powf(step)), in_ms(step));
        grid(&mut drawing, x, 0.0, x, bottom);
        text(&mut drawing, x, bottom + 18.0, "middle", &label);
        step += 1.0;
    }
    for (row, (colour, (name, tried))) in asked.iter().enumerate() {
        let y = LINE * (number(row) + 0.5);
        text(&mut drawing, 0.0, y + 5.0, "start", name);
        for ms in ms(tried) {
            let _ =
                write!(drawing, r#"<circle class="f{}" cx="{:.1}" cy="{y:.1}" r="4"/>"#, colour % COLOURS, place(ms));
        }
        let (p50, p95) = (tried.figures.p50_ms, tried.figures.p95_ms);
        for ms in [p50, p95].into_iter().flatten() {
            let (x, from, to) = (place(ms), y - 12.0, y + 12.0);
            let _ = write!(drawing, r#"<path class="mark" d="M{x:.1} {from:.1}V{to:.1}"/>"#);
        }
        text(&mut drawing, WIDTH, y + 5.0, "end", &format!("{} · {}", delay(p50), delay(p95)));
    }
    Some(svg("How long each answer took, in milliseconds", bottom + 26.0, &drawing))
}

/// What each memory has added up to each turn.
pub(super) fn tokens(series: &[Series<'_>]) -> Option<String> {
    let added = |turn: &Turn| turn.fixed + turn.recalled + turn.answered;
    let sums = |tried: &Tried| {
        let sum = |sum: &mut u64, turn: &Turn| {
            *sum += added(turn);
            Some(*sum)
        };
        tried.turns.iter().scan(0, sum).collect::<Vec<u64>>()
    };
    let most = series.iter().filter_map(|(_, tried)| sums(tried).last().copied()).max().filter(|most| *most > 0)?;
    let turns = series.iter().map(|(_, tried)| tried.turns.len()).max()?;
    let (step, top) = scale(most);
    let (left, right, above) = (70.0, WIDTH - 10.0, LINE);
    let x = |turn: usize| left + number(turn) / number(turns) * (right - left);
    let y = |tokens: f64| above + CURVES * (1.0 - tokens / number(top));
    let mut drawing = String::new();
    for tokens in (0..=top).step_by(step) {
        let at = y(number(tokens));
        grid(&mut drawing, left, at, right, at);
        text(&mut drawing, left - 8.0, at + 5.0, "end", &tokens.to_string());
    }
    text(&mut drawing, left, above + CURVES + 18.0, "middle", "0");
    text(&mut drawing, right, above + CURVES + 18.0, "end", &format!("turn {turns}"));
    for (colour, (name, tried)) in series.iter().enumerate() {
        let class = colour % COLOURS;
        let points: String = sums(tried)
            .into_iter()
            .enumerate()
            .map(|(turn, sum)| format!(" {:.1},{:.1}", x(turn + 1), y(float(sum))))
            .collect();
        let _ = write!(drawing, r#"<polyline class="s{class}" points="{:.1},{:.1}{points}"/>"#, x(0), y(0.0));
        // The legend, in as many columns as there are curves.
        let at = left + number(colour) * (right - left) / number(series.len());
        let _ = write!(drawing, r#"<path class="s{class}" d="M{at:.1} 12h24"/>"#);
        text(&mut drawing, at + 30.0, 17.0, "start", name);
    }
    Some(svg("Tokens that each memory added, turn after turn", above + CURVES + 26.0, &drawing))
}

/// How many of the marked questions were given what they are about.
pub(super) fn found(series: &[Series<'_>]) -> Option<String> {
    let marked: Vec<_> = series.iter().enumerate().filter(|(_, (_, tried))| tried.figures.marked > 0).collect();
    let whole = WIDTH - NAMES - FIGURES;
    let mut drawing = String::new();
    for (row, (colour, (name, tried))) in marked.iter().enumerate() {
        let (found, of) = (tried.figures.found, tried.figures.marked);
        let share = share(found, of)?;
        let y = LINE * number(row);
        text(&mut drawing, 0.0, y + 22.0, "start", name);
        for (class, width) in [("all".to_owned(), whole), (format!("f{}", colour % COLOURS), whole * share)] {
            let top = y + 7.0;
            let _ = write!(drawing, r#"<rect class="{class}" x="{NAMES}" y="{top}" width="{width:.1}" height="20"/>"#);
        }
        text(&mut drawing, WIDTH, y + 22.0, "end", &format!("{found} of {of} ({})", percent(share)));
    }
    (!marked.is_empty()).then(|| {
        svg("How many of the marked questions were answered by the recall", LINE * number(marked.len()), &drawing)
    })
}

fn svg(label: &str, height: f64, drawing: &str) -> String {
    let label = escape(label);
    format!(r#"<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">{drawing}</svg>"#)
}

fn grid(drawing: &mut String, x: f64, y: f64, to_x: f64, to_y: f64) {
    let _ = write!(drawing, r#"<path class="grid" d="M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}"/>"#);
}

fn text(drawing: &mut String, x: f64, y: f64, anchor: &str, text: &str) {
    let text = escape(text);
    let _ = write!(drawing, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#);
}

/// `0.1`, `10`, `1000`
fn in_ms(power: f64) -> String {
    let ms = 10_f64.powf(power);
    if ms < 1.0 { format!("{ms:.2}").trim_end_matches('0').to_owned() } else { format!("{ms:.0}") }
}

/// The steps of an axis that goes to at least `most`, and where it ends: 1, 2 or 5 times a power of ten, some five steps.
fn scale(most: u64) -> (usize, usize) {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let steps = (0..).flat_map(|power| [1, 2, 5].map(|factor| 10_usize.saturating_pow(power).saturating_mul(factor)));
    let step = steps.into_iter().find(|step| step.saturating_mul(5) >= most).unwrap_or(most);
    (step, most.div_ceil(step) * step)
}

#[expect(clippy::cast_precision_loss, reason = "a place in a drawing")]
fn number(count: usize) -> f64 {
    count as f64
}

#[expect(clippy::cast_precision_loss, reason = "a place in a drawing")]
fn float(tokens: u64) -> f64 {
    tokens as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_steps() {
        for (most, axis) in [(1, (1, 1)), (7, (2, 8)), (23, (5, 25)), (480, (100, 500)), (1234, (500, 1500))] {
            assert_eq!(scale(most), axis, "{most}");
        }
        assert_eq!(["0.1", "1", "1000"], [in_ms(-1.0), in_ms(0.0), in_ms(3.0)].each_ref().map(String::as_str));
        assert_eq!(in_ms(-2.0), "0.01");
    }
}

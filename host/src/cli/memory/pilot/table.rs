//! The report for a terminal: one line for each provider.

use super::report::{Figures, Report, share};
use crate::cli::Ui;

/// What stands in each column.
pub(super) const HEAD: [&str; 9] =
    ["provider", "p50", "p95", "failed", "tokens/turn", "tokens/session", "tokens in all", "growth", "found"];

/// Prints it.
pub(super) fn print(report: &Report, ui: &Ui) {
    let rows: Vec<(&str, Result<[String; 8], &str>)> = report
        .rows
        .iter()
        .map(|row| match &row.result {
            Ok(tried) => (row.provider.as_str(), Ok(cells(&tried.figures))),
            Err(failure) => (row.provider.as_str(), Err(failure.message.as_str())),
        })
        .collect();
    let wide = |text: &str| text.chars().count();
    let first = rows.iter().map(|(provider, _)| wide(provider)).chain([wide(HEAD[0])]).max().unwrap_or_default();
    let width = |at: usize| {
        let cells = rows.iter().filter_map(|(_, cells)| Some(wide(&cells.as_ref().ok()?[at])));
        cells.chain([wide(HEAD[at + 1])]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..8).map(width).collect();
    let line = |provider: &str, cells: &[&str]| {
        let cells: String = cells.iter().zip(&widths).map(|(cell, width)| format!("  {cell:>width$}")).collect();
        format!("{provider:<first$}{cells}")
    };
    ui.out(line(HEAD[0], &HEAD[1..]));
    for (provider, cells) in &rows {
        ui.out(match cells {
            Ok(cells) => line(provider, &cells.each_ref().map(String::as_str)),
            Err(reason) => format!("{provider:<first$}  not tried: {}", reason.lines().next().unwrap_or_default()),
        });
    }
}

/// All columns but the first.
pub(super) fn cells(figures: &Figures) -> [String; 8] {
    let Figures { asked, failed, p50_ms, p95_ms, per_turn, per_session, added, growth, marked, found } = figures;
    [
        delay(*p50_ms),
        delay(*p95_ms),
        if *asked == 0 { "–".to_owned() } else { format!("{failed} of {asked}") },
        format!("{per_turn:.1}"),
        format!("{per_session:.0}"),
        added.to_string(),
        growth.map_or_else(|| "–".to_owned(), |growth| format!("+{}", percent(growth))),
        match share(*found, *marked) {
            Some(share) => format!("{found} of {marked} ({})", percent(share)),
            None => "–".to_owned(),
        },
    ]
}

/// `12.3 ms`
pub(super) fn delay(ms: Option<f64>) -> String {
    ms.map_or_else(|| "–".to_owned(), |ms| format!("{ms:.1} ms"))
}

/// `75 %`
pub(super) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

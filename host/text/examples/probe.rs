use std::io::Read;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    if a.len() > 1 {
        let mut s = String::new();
        std::io::stdin().read_to_string(&mut s).unwrap();
        for l in s.lines() {
            println!("{}", hermes_text::index_terms(l));
        }
        return;
    }
    for unit in ["x", "word ", "猫", "\u{301}", "a'", "ک\u{200C}", "🇩", "👩\u{200D}", "क्", "\0", "1.", "собака "]
    {
        for mb in [2usize, 10] {
            let t = format!("a{}", unit.repeat(mb * 1_000_000 / unit.len()));
            let b = std::time::Instant::now();
            let n = hermes_text::index_terms(&t).len();
            let i = b.elapsed();
            let b = std::time::Instant::now();
            let m = hermes_text::normalize(&t).len();
            println!(
                "{unit:?} {mb}MB index {i:?} ({n}) normalize {:?} ({m}) trivial {}",
                b.elapsed(),
                hermes_text::is_trivial(&t)
            );
        }
    }
}

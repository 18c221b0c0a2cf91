//! Recall of holographic with many facts, through both loaders.

use std::path::Path;

use hermes_host::plugins::hooks::Hooks;
use hermes_provider_api::Hook;
use hermes_provider_api::records::{Caller, PrefetchQuery, Recall, Remember, Remembered, Scope};

use crate::loading::{LOADERS, open};
use crate::samples::{Measured, Samples};
use crate::{Options, Result};

#[path = "../../../providers/holographic/benches/people.rs"]
mod people;

pub(crate) use people::fact;
use people::question;

/// How many facts there are.
const SIZES: [usize; 2] = [1_000, 10_000];

pub(crate) fn measure(options: &Options, folder: &Path) -> Result<Vec<Measured>> {
    let (data, mut known) = (folder.join("facts"), 0);
    let mut measured = Vec::new();
    for size in SIZES {
        let [(_, in_process), _] = LOADERS;
        let filler = open(&options.holographic, &options.hermes, in_process, data.clone())?;
        for at in known..size {
            let wish = Remember { caller: caller(), text: fact(at) };
            let filler: &dyn Hooks = &*filler;
            let kept: Remembered = filler.ask(Hook::Remember, &wish).map_err(|error| error.to_string())?;
            if kept.existed {
                return Err(format!("fact {at} is there twice: {}", wish.text));
            }
        }
        drop(filler);
        known = size;
        for (loader, isolation) in LOADERS {
            let loaded = open(&options.holographic, &options.hermes, isolation, data.clone())?;
            let (mut samples, mut found) = (Samples::default(), 0);
            for at in 0..if options.quick { 60 } else { 240 } {
                let query = PrefetchQuery { caller: caller(), query: question(at), limit: 5 };
                let hooks: &dyn Hooks = &*loaded;
                let mut warm_up = Samples::default();
                let samples = if at < 12 { &mut warm_up } else { &mut samples };
                let recall: Recall =
                    samples.time(|| hooks.ask(Hook::Prefetch, &query)).map_err(|error| error.to_string())?;
                found += usize::from(!recall.items.is_empty());
            }
            if found == 0 {
                return Err("no question is answered".to_owned());
            }
            measured.push(samples.measured(format!("recall/{loader}/{size}")));
        }
    }
    Ok(measured)
}

fn caller() -> Caller {
    Caller { scope: Scope { profile: "default".to_owned(), ..Scope::default() }, ..Caller::default() }
}

//! The matrix of pairs: every client plays every honest flow with every server.

mod flow;
mod pair;
mod peer;

use core::sync::atomic::{AtomicUsize, Ordering};
use std::{
    fs, io,
    path::PathBuf,
    process::ExitCode,
    sync::{Mutex, PoisonError},
    thread,
};

use clap::Args;
use serde::Serialize;

use self::{
    flow::{FLOWS, Flow},
    pair::{Transport, play},
    peer::Peer,
};
use crate::check::{Verdict, cut};

/// The peers.
#[derive(Args)]
pub(crate) struct Options {
    /// A peer: its name and its program with its arguments, separated by spaces.
    #[arg(long = "peer", required = true, value_name = "NAME=COMMAND")]
    peers: Vec<String>,
    /// Plays only the pairs with this peer.
    #[arg(long, value_name = "NAME")]
    with: Option<String>,
    /// The directory of the files `NAME/LIMITS.md`, which name what a peer does not offer.
    #[arg(long, default_value = "conformance/peers", value_name = "DIRECTORY")]
    limits: PathBuf,
    /// Writes the results to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The number of calls that run at once.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

/// The result of one flow of one pair.
#[derive(Clone, Serialize)]
struct PairResult<'a> {
    transport: Transport,
    client: &'a str,
    server: &'a str,
    flow: &'static str,
    #[serde(flatten)]
    verdict: Verdict,
}

/// Plays every flow with every pair.
///
/// # Errors
///
/// Fails if a peer is not `NAME=COMMAND`, a server does not start, or the file cannot be written.
pub(crate) fn run(options: &Options) -> io::Result<ExitCode> {
    let peers = options.peers.iter().map(|text| Peer::start(text, &options.limits));
    let peers = peers.collect::<io::Result<Vec<_>>>()?;
    let mut all: Vec<(Transport, &Peer, &Peer, &'static Flow)> = Vec::new();
    for transport in [Transport::Http, Transport::Stdio] {
        for client in &peers {
            for server in &peers {
                if options.with.as_ref().is_none_or(|it| [&client.name, &server.name].contains(&it))
                {
                    all.extend(FLOWS.iter().map(|flow| (transport, client, server, flow)));
                }
            }
        }
    }
    println!("{} calls, {} at a time", all.len(), options.jobs.max(1));
    let cells = play_all(&all, options.jobs.max(1));
    print(&peers, &cells);
    if let Some(path) = &options.json {
        fs::write(path, serde_json::to_string_pretty(&cells)? + "\n")?;
    }
    let (passed, failed, not_offered) = counts(cells.iter());
    println!("{passed} passed, {failed} failed, {not_offered} not offered");
    Ok(if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn play_all<'a>(
    all: &[(Transport, &'a Peer, &'a Peer, &'static Flow)],
    jobs: usize,
) -> Vec<PairResult<'a>> {
    let (next, cells) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some((transport, client, server, flow)) = all.get(index) else { return };
                    let cell = PairResult {
                        transport: *transport,
                        client: &client.name,
                        server: &server.name,
                        flow: flow.id,
                        verdict: play(*transport, client, server, flow),
                    };
                    cells.lock().unwrap_or_else(PoisonError::into_inner).push((index, cell));
                }
            });
        }
    });
    let mut cells = cells.into_inner().unwrap_or_else(PoisonError::into_inner);
    cells.sort_by_key(|(index, _)| *index);
    cells.into_iter().map(|(_, cell)| cell).collect()
}

fn print(peers: &[Peer], cells: &[PairResult<'_>]) {
    let width = peers.iter().map(|peer| peer.name.len()).max().unwrap_or(0).max(12);
    for transport in [Transport::Http, Transport::Stdio] {
        println!(
            "{transport}: a row is a client, a column a server; passed/offered of {}",
            FLOWS.len()
        );
        let names: String = peers.iter().map(|peer| format!(" {:>width$}", peer.name)).collect();
        println!("{:width$}{names}", "");
        for client in peers {
            let counted = peers.iter().map(|server| {
                let (passed, failed, _) = counts(cells.iter().filter(|cell| {
                    cell.transport == transport
                        && cell.client == client.name
                        && cell.server == server.name
                }));
                let offered = passed + failed;
                let text = if offered == 0 { "-".into() } else { format!("{passed}/{offered}") };
                format!(" {text:>width$}")
            });
            println!("{:width$}{}", client.name, counted.collect::<String>());
        }
        println!();
    }
    for PairResult { transport, client, server, flow, verdict } in cells {
        if let Verdict::Failed { sent, came_back } = verdict {
            println!(
                "FAILED  {transport} {client} -> {server} {flow}: {sent}; {}",
                cut(came_back, 300)
            );
        }
    }
    let mut lacks: Vec<String> = cells
        .iter()
        .filter_map(|cell| match &cell.verdict {
            Verdict::NotOffered { why } => Some(format!("no      {why}")),
            Verdict::Passed { .. } | Verdict::Failed { .. } => None,
        })
        .collect();
    lacks.sort_unstable();
    lacks.dedup();
    for lack in lacks {
        println!("{lack}");
    }
}

fn counts<'a>(cells: impl Iterator<Item = &'a PairResult<'a>>) -> (usize, usize, usize) {
    cells.fold((0, 0, 0), |(passed, failed, not_offered), cell| match cell.verdict {
        Verdict::Passed { .. } => (passed + 1, failed, not_offered),
        Verdict::Failed { .. } => (passed, failed + 1, not_offered),
        Verdict::NotOffered { .. } => (passed, failed, not_offered + 1),
    })
}

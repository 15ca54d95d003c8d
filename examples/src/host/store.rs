//! A store of records over a restart of a host: a file with a record on each line.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead as _, BufReader, Write as _},
    path::Path,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread::{self, JoinHandle},
};

use mrtr_core::host::{Epoch, Event, Record, RecordId};
use tokio::sync::mpsc::UnboundedSender;

/// The most records that wait to be written. Further records are not accepted.
const RECORDS_MAX: usize = 1024;

/// A store of records.
pub trait Store: Send {
    /// Takes a record, to be written after all records before it, and returns at once. The store
    /// calls [`Held::tell`] once the record survives a crash.
    fn put(&mut self, record: Record, held: Held);
}

/// Tells the host whether a record is held. Dropping it without [`Held::tell`] tells that it is not.
#[derive(Debug)]
pub struct Held {
    record: RecordId,
    to: UnboundedSender<Event>,
    is_so: bool,
}

impl Held {
    pub(super) const fn new(record: RecordId, to: UnboundedSender<Event>) -> Self {
        Self { record, to, is_so: false }
    }

    /// Tells the host that the record is held.
    pub fn tell(mut self) {
        self.is_so = true;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let event = if self.is_so { Event::Stored } else { Event::StoreFailed };
        // A host that has ended does not listen.
        let _ = self.to.send(event(self.record));
    }
}

/// Returns an epoch for a host that starts now: above those of all records, and above those of all
/// earlier starts as long as the clock of the computer does not go back.
#[must_use]
pub fn epoch_after(held: &[RecordId], now: u64) -> Epoch {
    let last = held.iter().map(|record| record.interaction.epoch().number()).max();
    Epoch::new(last.map_or(now, |last| now.max(last + 1)))
}

/// A store in a file. It holds answers in the clear, so only its owner may read it.
///
/// After a failure nothing more is written; a restarted host opens the file again.
#[derive(Debug)]
pub struct Journal {
    records: Option<SyncSender<(Record, Held)>>,
    writer: Option<JoinHandle<()>>,
}

impl Journal {
    /// Opens or creates a file, and returns the ids of its records. Only one host can have it open.
    ///
    /// # Errors
    ///
    /// A file that cannot be opened or read, that another host has open, or that has a line that is
    /// not a record.
    pub fn open(path: &Path) -> io::Result<(Self, Vec<RecordId>)> {
        let mut options = OpenOptions::new();
        options.create(true).read(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        file.try_lock()?;
        let held = read(&file)?;
        // The file's name has to survive a crash as well.
        if let Some(folder) = path.parent().filter(|_| cfg!(unix)) {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            File::open(folder)?.sync_all()?;
        }
        let (records, to_write) = sync_channel(RECORDS_MAX);
        let writer = thread::Builder::new().spawn(move || write(file, &to_write))?;
        Ok((Self { records: Some(records), writer: Some(writer) }, held))
    }
}

impl Store for Journal {
    fn put(&mut self, record: Record, held: Held) {
        // A record that is not accepted is dropped, and its `held` tells so.
        let _ = self.records.as_ref().map(|records| records.try_send((record, held)));
    }
}

impl Drop for Journal {
    /// Waits until all records are written.
    fn drop(&mut self) {
        self.records = None;
        let _ = self.writer.take().map(JoinHandle::join);
    }
}

/// Reads the ids of the records. A last line without an end was never held, and is cut off.
fn read(file: &File) -> io::Result<Vec<RecordId>> {
    let mut held = Vec::new();
    let mut whole = 0;
    let mut line = Vec::new();
    let mut reader = BufReader::new(file);
    loop {
        line.clear();
        let bytes = reader.read_until(b'\n', &mut line)?;
        let Some(record) = line.strip_suffix(b"\n") else { break };
        let record = str::from_utf8(record).map_err(io::Error::other)?;
        held.push(RecordId::decode(record).map_err(io::Error::other)?);
        whole += bytes as u64;
    }
    file.set_len(whole)?;
    Ok(held)
}

/// Writes the records that wait at once, lets them reach the disk, and only then tells the host.
fn write(mut file: File, records: &Receiver<(Record, Held)>) {
    while let Ok(first) = records.recv() {
        let mut lines = String::new();
        let mut written: Vec<Held> = Vec::new();
        for (record, held) in core::iter::once(first).chain(records.try_iter()) {
            lines.push_str(&record.to_json());
            lines.push('\n');
            written.push(held);
        }
        // On a failure all records, also later ones, are dropped, and so told as not held.
        if file.write_all(lines.as_bytes()).and_then(|()| file.sync_data()).is_err() {
            return;
        }
        written.into_iter().for_each(Held::tell);
    }
}

//! What is held over a restart of a host: records in a file, one a line.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead as _, BufReader, Write as _},
    path::Path,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread::{self, JoinHandle},
};

use mrtr_core::broker::{Epoch, Event, Record, RecordId};
use tokio::sync::mpsc::UnboundedSender;

/// The records that wait to be written. More are not taken.
const RECORDS_MAX: usize = 1024;

/// Holds records.
pub trait Store: Send {
    /// Takes a record, behind all before it, and does not wait. It says so by `held` once the record
    /// survives a crash.
    fn put(&mut self, record: Record, held: Held);
}

/// Says whether a record is held. Dropping it says that it is not.
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

    /// Says that the record is held.
    pub fn tell(mut self) {
        self.is_so = true;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let event = if self.is_so { Event::Stored } else { Event::StoreFailed };
        // A host that has ended does not wait for it.
        let _ = self.to.send(event(self.record));
    }
}

/// Returns an epoch for a host that starts now: above all those of the records, and of every start
/// before it as long as the clock of the computer does not go back.
#[must_use]
pub fn epoch_after(held: &[RecordId], now: u64) -> Epoch {
    let last = held.iter().map(|record| record.interaction.epoch().number()).max();
    Epoch::new(last.map_or(now, |last| now.max(last + 1)))
}

/// Is a store in a file. It holds answers as they were given: only its owner may read it.
///
/// Whatever fails, nothing is written behind it; a host that starts anew opens the file again.
#[derive(Debug)]
pub struct Journal {
    records: Option<SyncSender<(Record, Held)>>,
    writer: Option<JoinHandle<()>>,
}

impl Journal {
    /// Opens a file, or makes it, and returns which records it holds. No two hosts have it at once.
    ///
    /// # Errors
    ///
    /// A file that can not be opened or read, is another host's, or holds what is no record.
    pub fn open(path: &Path) -> io::Result<(Self, Vec<RecordId>)> {
        let mut options = OpenOptions::new();
        options.create(true).read(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        file.try_lock()?;
        let held = read(&file)?;
        // The file's name is to survive as well.
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
        // One that is not taken is dropped, and has said so.
        let _ = self.records.as_ref().map(|records| records.try_send((record, held)));
    }
}

impl Drop for Journal {
    /// Waits until everything is written.
    fn drop(&mut self) {
        self.records = None;
        let _ = self.writer.take().map(JoinHandle::join);
    }
}

/// Reads which records there are. The end of a line that was not written whole was never held.
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

/// Writes what there is in one go, lets it reach the disk, and only then says that it is held.
fn write(mut file: File, records: &Receiver<(Record, Held)>) {
    while let Ok(first) = records.recv() {
        let mut lines = String::new();
        let mut written: Vec<Held> = Vec::new();
        for (record, held) in core::iter::once(first).chain(records.try_iter()) {
            lines.push_str(&record.to_json());
            lines.push('\n');
            written.push(held);
        }
        // What is not told now is told by being dropped, also of all that comes later.
        if file.write_all(lines.as_bytes()).and_then(|()| file.sync_data()).is_err() {
            return;
        }
        written.into_iter().for_each(Held::tell);
    }
}

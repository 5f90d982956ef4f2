//! The layer as SQLite sees it: the system's functions with a record of writes and syncs.
//!
//! Each open file is a [`File`] of this layer, followed by the system's file in the memory that
//! SQLite provides. Each function forwards to the system's file.

use std::ffi::{CStr, OsStr};
use std::os::raw::{c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::OnceLock;

use rusqlite::ffi::{
    SQLITE_ERROR, SQLITE_OK, sqlite3_file, sqlite3_int64, sqlite3_io_methods, sqlite3_vfs,
    sqlite3_vfs_find, sqlite3_vfs_register,
};

use crate::{Step, record};

/// An open file: SQLite's part, the file's name, and the system's file behind it.
#[repr(C)]
struct File {
    base: sqlite3_file,
    name: Option<Box<PathBuf>>,
}

/// The system's file layer.
struct System(*mut sqlite3_vfs);

// SAFETY: SQLite's registered layers live for ever and may be used from any thread.
unsafe impl Send for System {}
// SAFETY: as above.
unsafe impl Sync for System {}

static SYSTEM: OnceLock<System> = OnceLock::new();

/// Puts the layer below every SQLite connection that this process opens from now on. Returns `true`
/// if SQLite registered it.
pub fn install() -> bool {
    let mut result = SQLITE_OK;
    SYSTEM.get_or_init(|| {
        // SAFETY: a null name asks for the default layer, which lives for ever.
        let system = unsafe { sqlite3_vfs_find(std::ptr::null()) };
        // SAFETY: SQLite has a default layer on every platform that these tests run on.
        let mut ours = unsafe { *system };
        ours.zName = c"faultfs".as_ptr();
        ours.szOsFile += size_of::<File>() as c_int;
        ours.pNext = std::ptr::null_mut();
        ours.xOpen = Some(open);
        ours.xDelete = Some(delete);
        // SAFETY: the layer is leaked, so it lives for ever, as registration requires.
        result = unsafe { sqlite3_vfs_register(Box::leak(Box::new(ours)), 1) };
        System(system)
    });
    result == SQLITE_OK
}

fn system() -> *mut sqlite3_vfs {
    SYSTEM.get().map_or(std::ptr::null_mut(), |system| system.0)
}

fn path(name: *const c_char) -> Option<PathBuf> {
    if name.is_null() {
        return None;
    }
    // SAFETY: SQLite's names end with a zero byte.
    let name = unsafe { CStr::from_ptr(name) };
    Some(OsStr::from_bytes(name.to_bytes()).into())
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    let ours = file.cast::<File>();
    // SAFETY: SQLite provides szOsFile bytes, which covers this layer's file and the system's, and
    // has not initialised them.
    unsafe {
        ours.write(File {
            base: sqlite3_file { pMethods: std::ptr::null() },
            name: path(name).map(Box::new),
        });
        let Some(open) = (*system()).xOpen else {
            return SQLITE_ERROR;
        };
        let result = open(system(), name, underlying_file(file), flags, out);
        if result == SQLITE_OK {
            (*ours).base.pMethods = &raw const METHODS;
        } else {
            // SQLite does not close a file without functions, so the name is dropped here.
            (*ours).name = None;
        }
        result
    }
}

unsafe extern "C" fn delete(_: *mut sqlite3_vfs, name: *const c_char, sync: c_int) -> c_int {
    if let Some(file) = path(name) {
        record(|| Step::Delete { file });
    }
    // SAFETY: the arguments are SQLite's own.
    unsafe {
        match (*system()).xDelete {
            Some(delete) => delete(system(), name, sync),
            None => SQLITE_ERROR,
        }
    }
}

/// Returns the system's file behind this layer's file.
fn underlying_file(file: *mut sqlite3_file) -> *mut sqlite3_file {
    file.wrapping_byte_add(size_of::<File>())
}

/// Records a step of a file that has a name.
///
/// # Safety
/// `file` must have been opened by [`open`].
unsafe fn record_step(file: *mut sqlite3_file, step: impl FnOnce(PathBuf) -> Step) {
    // SAFETY: guaranteed by the caller.
    if let Some(name) = unsafe { &(*file.cast::<File>()).name } {
        record(|| step(name.as_ref().clone()));
    }
}

/// Defines functions that record a step, if given, and forward to the system's file.
macro_rules! forward {
    ($(fn $name:ident($file:ident $(, $arg:ident: $ty:ty)*) -> $out:ty, $method:ident, $failed:expr $(, $note:expr)?;)*) => {$(
        unsafe extern "C" fn $name($file: *mut sqlite3_file $(, $arg: $ty)*) -> $out {
            // SAFETY: SQLite calls this with a file that `open` opened and arguments that the
            // system's function takes.
            unsafe {
                $(record_step($file, $note);)?
                let real = underlying_file($file);
                match (*(*real).pMethods).$method {
                    Some(method) => method(real $(, $arg)*),
                    None => $failed,
                }
            }
        }
    )*};
}

forward! {
    fn read(file, to: *mut c_void, count: c_int, offset: sqlite3_int64) -> c_int, xRead, SQLITE_ERROR;
    fn write(file, from: *const c_void, count: c_int, offset: sqlite3_int64) -> c_int, xWrite, SQLITE_ERROR,
        |file| Step::Write {
            file,
            offset: usize::try_from(offset).unwrap_or(0),
            bytes: std::slice::from_raw_parts(from.cast::<u8>(), usize::try_from(count).unwrap_or(0)).to_vec(),
        };
    fn truncate(file, size: sqlite3_int64) -> c_int, xTruncate, SQLITE_ERROR,
        |file| Step::Truncate { file, size: usize::try_from(size).unwrap_or(0) };
    fn file_size(file, out: *mut sqlite3_int64) -> c_int, xFileSize, SQLITE_ERROR;
    fn lock(file, level: c_int) -> c_int, xLock, SQLITE_ERROR;
    fn unlock(file, level: c_int) -> c_int, xUnlock, SQLITE_ERROR;
    fn check_reserved_lock(file, out: *mut c_int) -> c_int, xCheckReservedLock, SQLITE_ERROR;
    fn file_control(file, op: c_int, arg: *mut c_void) -> c_int, xFileControl, SQLITE_ERROR;
    fn sector_size(file) -> c_int, xSectorSize, 4096;
    fn device_characteristics(file) -> c_int, xDeviceCharacteristics, 0;
    fn shm_map(file, page: c_int, size: c_int, extend: c_int, out: *mut *mut c_void) -> c_int, xShmMap, SQLITE_ERROR;
    fn shm_lock(file, offset: c_int, count: c_int, flags: c_int) -> c_int, xShmLock, SQLITE_ERROR;
    fn shm_barrier(file) -> (), xShmBarrier, ();
    fn shm_unmap(file, delete: c_int) -> c_int, xShmUnmap, SQLITE_ERROR;
}

/// Recorded after it succeeded, as a failed sync guarantees nothing.
unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: SQLite calls this with a file that `open` opened.
    unsafe {
        let real = underlying_file(file);
        let Some(sync) = (*(*real).pMethods).xSync else {
            return SQLITE_ERROR;
        };
        let result = sync(real, flags);
        if result == SQLITE_OK {
            record_step(file, |file| Step::Sync { file });
        }
        result
    }
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    // SAFETY: SQLite calls this once, with a file that `open` opened, and does not use the name
    // later.
    unsafe {
        (*file.cast::<File>()).name = None;
        let real = underlying_file(file);
        match (*real).pMethods.as_ref().and_then(|methods| methods.xClose) {
            Some(close) => close(real),
            None => SQLITE_OK,
        }
    }
}

/// Version 2: with shared memory for the write-ahead log, and without memory-mapped files, whose
/// writes the layer could not see.
static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

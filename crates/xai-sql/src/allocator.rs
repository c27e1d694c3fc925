//! Settings of glibc's allocator.
//!
//! The Parquet reader allocates and frees a buffer of some megabytes for each column of each row group. By default
//! glibc gets such buffers from the system, which clears them page by page each time: a fifth of the time of a query
//! of two columns.
// The function of the C library that sets this is `unsafe` to call, as all of them are.
#![allow(unsafe_code)]

/// Keeps freed memory for the next buffer: buffers of up to 32 MiB, the maximum of glibc, come from heaps, and each
/// heap keeps up to 64 MiB of free memory at its end. Does nothing with other C libraries.
pub(crate) fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `mallopt` takes two integers by value, and this runs before the program starts a thread.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 32 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 64 << 20);
    }
}

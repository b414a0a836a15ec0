//! A way to the server that can be cut.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Passes everything on, until it is cut.
pub(super) struct Proxy {
    port: u16,
    is_cut: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    pub(super) fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = Self {
            port: listener.local_addr().unwrap().port(),
            is_cut: Arc::default(),
            open: Arc::default(),
        };
        let (is_cut, open) = (Arc::clone(&proxy.is_cut), Arc::clone(&proxy.open));
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                if is_cut.load(Ordering::SeqCst) {
                    continue; // closed at once
                }
                let Ok(far) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                let mut open = open.lock().unwrap();
                open.push(near.try_clone().unwrap());
                open.push(far.try_clone().unwrap());
                let (near_too, far_too) = (near.try_clone().unwrap(), far.try_clone().unwrap());
                std::thread::spawn(move || pass(near, far));
                std::thread::spawn(move || pass(far_too, near_too));
            }
        });
        proxy
    }

    pub(super) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Ends all connections, whatever is on its way, and lets none through.
    pub(super) fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
        for stream in self.open.lock().unwrap().drain(..) {
            drop(stream.shutdown(Shutdown::Both));
        }
    }

    pub(super) fn mend(&self) {
        self.is_cut.store(false, Ordering::SeqCst);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(len) = from.read(&mut buffer) {
        if len == 0 || to.write_all(&buffer[..len]).is_err() {
            break;
        }
    }
    drop(to.shutdown(Shutdown::Both));
    drop(from.shutdown(Shutdown::Both));
}

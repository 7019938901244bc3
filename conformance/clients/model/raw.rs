//! A server that breaks HTTP on purpose: silence after the connection or after the headers, a stream cut in the
//! middle. It reads each request whole first, so that the client has no excuse.
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How it breaks off.
#[derive(Clone, Debug)]
pub(crate) enum Manner {
    /// Accepts and reads, and never says a word.
    Silence,
    /// The headers of an event stream, then nothing.
    HeadersThenSilence,
    /// The headers, this text, and the connection is closed.
    CutAfter(String),
}

/// A server on loopback, gone with this value, and so is every connection that it holds open.
pub(crate) struct Raw {
    address: SocketAddr,
    state: Arc<State>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    over: AtomicBool,
    held: Mutex<Vec<TcpStream>>,
    n_requests: Mutex<usize>,
}

impl Raw {
    /// # Panics
    /// When the machine gives no port.
    pub(crate) fn new(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = listener.local_addr().expect("its address");
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        let accepting = thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.over.load(Ordering::SeqCst) {
                    return;
                }
                let (shared, manner) = (Arc::clone(&shared), manner.clone());
                // A client that goes away in the middle is what some cases are about.
                thread::spawn(move || drop(serve(stream, &manner, &shared)));
            }
        });
        Self { address, state, accepting: Some(accepting) }
    }

    /// The base of the API.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// How many requests it has read.
    pub(crate) fn n_requests(&self) -> usize {
        *self.state.n_requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        self.state.over.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            drop(accepting.join());
        }
    }
}

/// A port on loopback on which nobody listens.
///
/// # Panics
/// When the machine gives no port.
pub(crate) fn closed_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
    listener.local_addr().expect("its address").port()
}

fn serve(stream: TcpStream, manner: &Manner, state: &State) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    read_request(&stream)?;
    *state.n_requests.lock().unwrap_or_else(PoisonError::into_inner) += 1;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    match manner {
        Manner::Silence => {}
        Manner::HeadersThenSilence => (&stream).write_all(head.as_bytes())?,
        Manner::CutAfter(text) => {
            // A length that is never reached: the end comes too early, and is not taken for the stream's own.
            let promised = text.len() + 1000;
            let head = head.replace("connection", &format!("content-length: {promised}\r\nconnection"));
            return (&stream).write_all((head + text).as_bytes());
        }
    }
    state.held.lock().unwrap_or_else(PoisonError::into_inner).push(stream);
    Ok(())
}

fn read_request(stream: &TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut n_bytes = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            n_bytes = value.trim().parse().unwrap_or(0);
        }
    }
    std::io::copy(&mut reader.take(n_bytes), &mut std::io::sink())?;
    Ok(())
}

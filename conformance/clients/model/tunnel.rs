//! A proxy that leads to this machine only: a client that speaks through it reaches the scripted models, and whatever
//! else it asks for is refused and remembered. Nothing leaves the machine.
use std::io::{BufRead, BufReader, Write, copy};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread;

/// The one for whoever does not look at what was refused.
pub(crate) static SHARED: LazyLock<Tunnel> = LazyLock::new(Tunnel::new);

/// Listens until the process ends.
pub(crate) struct Tunnel {
    address: SocketAddr,
    refused: Arc<Mutex<Vec<String>>>,
}

impl Tunnel {
    /// # Panics
    /// When the machine gives no port.
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = listener.local_addr().expect("its address");
        let refused = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&refused);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let refused = Arc::clone(&shared);
                // A client that goes away in the middle is what some cases are about.
                thread::spawn(move || drop(serve(stream, &refused)));
            }
        });
        Self { address, refused }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The hosts that were asked for and are elsewhere, each once.
    pub(crate) fn refused(&self) -> Vec<String> {
        let mut hosts = self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone();
        hosts.sort();
        hosts.dedup();
        hosts
    }
}

fn serve(client: TcpStream, refused: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(client.try_clone()?);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        head.push(line);
    }
    let target = head.first().and_then(|line| line.split_whitespace().nth(1)).unwrap_or_default().to_owned();
    let is_here = target.parse::<SocketAddr>().is_ok_and(|address| address.ip().is_loopback());
    if !is_here {
        refused.lock().unwrap_or_else(PoisonError::into_inner).push(target);
        return (&client).write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
    }
    let server = TcpStream::connect(target)?;
    (&client).write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
    let (mut from_server, mut to_client) = (server.try_clone()?, client);
    let back = thread::spawn(move || {
        let copied = copy(&mut from_server, &mut to_client);
        drop(to_client.shutdown(Shutdown::Both));
        copied
    });
    let copied = copy(&mut reader, &mut (&server));
    drop(server.shutdown(Shutdown::Both));
    drop(back.join());
    copied.map(drop)
}

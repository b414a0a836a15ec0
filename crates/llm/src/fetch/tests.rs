//! The reader of pages against servers on real sockets. The test's servers are at 127.0.0.77, which counts as public
//! here; all other loopback addresses are as closed as ever.

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::fetcher::MAX_PAGE_BYTES;
use super::public::is_public;
use super::resolver::Lookup;
use super::{FetchError, Fetched, Fetcher};

const OPEN: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 77));
const CLOSED: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// Longer than anything here takes, also on a busy machine.
const PATIENT_MS: u64 = 60_000;

fn is_open(address: IpAddr) -> bool {
    address == OPEN || is_public(address)
}

/// A stand-in for DNS that gives these answers in turn, the last one for ever, and counts.
fn names(answers: &[&[IpAddr]]) -> (Lookup, Arc<AtomicUsize>) {
    let answers = Mutex::new(answers.iter().map(|answer| answer.to_vec()).collect::<VecDeque<_>>());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let lookup: Lookup = Arc::new(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        let mut answers = answers.lock().unwrap();
        let answer = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        Box::pin(std::future::ready(Ok(answer.unwrap_or_default())))
    });
    (lookup, asked)
}

fn fetcher(answers: &[&[IpAddr]]) -> Fetcher {
    Fetcher::for_tests(names(answers).0, is_open, PATIENT_MS)
}

#[derive(Clone)]
enum Page {
    /// These bytes, then the end of the connection.
    Whole(Vec<u8>),
    /// These bytes, again and again.
    Endless(Vec<u8>),
    /// Not a byte.
    Silent,
}

struct Server {
    port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Serves at an address: each connection gets the next page, the last one for ever.
    async fn at(address: IpAddr, port: u16, pages: Vec<Page>) -> std::io::Result<Self> {
        let listener = TcpListener::bind((address, port)).await?;
        let port = listener.local_addr().unwrap().port();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&heads);
        tokio::spawn(async move {
            for turn in 0.. {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut head = vec![0; 16 * 1024];
                let len = stream.read(&mut head).await.unwrap_or(0);
                seen.lock().unwrap().push(String::from_utf8_lossy(&head[..len]).into_owned());
                let Some(page) = pages.get(turn).or(pages.last()).cloned() else { continue };
                tokio::spawn(async move {
                    match page {
                        Page::Whole(bytes) => {
                            let _ = stream.write_all(&bytes).await;
                        }
                        Page::Endless(bytes) => while stream.write_all(&bytes).await.is_ok() {},
                        Page::Silent => {
                            let _ = stream.read(&mut [0]).await;
                        }
                    }
                });
            }
        });
        Ok(Self { port, heads })
    }

    async fn serving(pages: Vec<Page>) -> Self {
        Self::at(OPEN, 0, pages).await.unwrap()
    }

    fn url(&self, path: &str) -> String {
        format!("http://pages.example:{}{path}", self.port)
    }

    fn hits(&self) -> usize {
        self.heads.lock().unwrap().len()
    }
}

fn page(head: &str, body: &[u8]) -> Page {
    Page::Whole([format!("HTTP/1.1 {head}\r\nconnection: close\r\n\r\n").as_bytes(), body].concat())
}

fn redirect(location: &str) -> Page {
    page(&format!("302 Found\r\nlocation: {location}"), b"")
}

async fn get(pages: Vec<Page>) -> (Result<Fetched, FetchError>, Server) {
    let server = Server::serving(pages).await;
    let fetched = fetcher(&[&[OPEN]]).get(&server.url("/a?b=c")).await;
    (fetched, server)
}

#[tokio::test]
async fn a_page_is_read_and_nothing_but_the_page_is_asked_for() {
    let head = "404 Gone\r\ncontent-type: text/html; charset=utf-8\r\nset-cookie: a=b";
    let (fetched, server) = get(vec![page(head, "naïve \u{1b}[2J".as_bytes())]).await;
    let content_type = "text/html; charset=utf-8".to_owned();
    assert_eq!(
        fetched,
        Ok(Fetched { status: 404, content_type, text: "naïve \u{1b}[2J".to_owned(), is_cut: false })
    );
    fetcher(&[&[OPEN]]).get(&server.url("/")).await.unwrap();
    let heads = server.heads.lock().unwrap().clone();
    assert!(heads[0].starts_with("GET /a?b=c HTTP/1.1\r\n"), "{}", heads[0]);
    for head in heads.iter().map(|head| head.to_ascii_lowercase()) {
        for field in ["cookie:", "authorization:", "referer:", "proxy"] {
            assert!(!head.contains(field), "{head}");
        }
    }
}

#[tokio::test]
async fn a_closed_address_is_refused_in_every_spelling_before_anything_is_looked_up() {
    let (lookup, asked) = names(&[&[OPEN]]);
    let fetcher = Fetcher::for_tests(lookup, is_open, PATIENT_MS);
    for host in [
        "127.0.0.1",
        "127.0.0.1.",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f.1",
        "0x7f000001",
        "0177.0.0.1",
        "017700000001",
        "0x7F.0x0.0x0.0x1",
        "127.0.0.1:80",
        "0",
        "0.0.0.0",
        "%31%32%37.0.0.1",
        "①②⑦.⓪.⓪.①",
        "127。0。0。1",
        "[::1]",
        "[::]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "10.1.2.3",
        "192.168.0.1",
        "172.16.5.4",
        "100.64.0.1",
        "169.254.169.254",
        "0xa9fea9fe",
        "2852039166",
        "224.0.0.1",
        "255.255.255.255",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "ⓛocalhost",
        "localhost:8080",
        "metadata.google.internal",
        "metadata.google.internal.",
        "printer.local",
        "router.home.arpa",
    ] {
        for url in [format!("http://{host}/"), format!("https://{host}/x")] {
            let fetched = fetcher.get(&url).await;
            assert!(matches!(fetched, Err(FetchError::Forbidden { .. })), "{url}: {fetched:?}");
        }
    }
    for url in [
        "http:127.0.0.1",
        "http:\\\\127.0.0.1\\",
        " http://127.0.0.1",
        "HTTP:///127.0.0.1",
        "ht\ntp://127.0.0.1",
    ] {
        let fetched = fetcher.get(url).await;
        assert!(matches!(fetched, Err(FetchError::Forbidden { .. })), "{url:?}: {fetched:?}");
    }
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn other_schemes_and_passwords_are_refused() {
    let fetcher = fetcher(&[&[OPEN]]);
    for url in [
        "file:///etc/passwd",
        "ftp://a.example/",
        "data:text/plain,x",
        "javascript:1",
        "gopher://a.example",
        "unix:/x",
    ] {
        assert!(matches!(fetcher.get(url).await, Err(FetchError::Scheme { .. })), "{url}");
    }
    for url in ["http://me:hunter2@a.example/", "http://hunter2@a.example/", "https://:hunter2@a.example"] {
        let error = fetcher.get(url).await.unwrap_err();
        assert_eq!(error, FetchError::Credentials);
        assert!(!error.to_string().contains("hunter2"));
    }
    for url in ["", "a.example", "//a.example", "http://", "http://[::1", "http://a b/", "http://256.1.1.1/"]
    {
        assert!(matches!(fetcher.get(url).await, Err(FetchError::NoUrl { .. })), "{url}");
    }
    let long = format!("http://a.example/{}", "x".repeat(10_000_000));
    assert_eq!(fetcher.get(&long).await, Err(FetchError::TooLongUrl));
}

#[tokio::test]
async fn a_redirect_leads_to_no_closed_place() {
    for (location, expect) in [
        ("http://169.254.169.254/latest/meta-data/", "169.254.169.254"),
        ("http://localhost/", "localhost"),
        ("//2130706433/", "127.0.0.1"),
        ("https://[::1]/", "[::1]"),
        ("http://metadata.google.internal/", "metadata.google.internal"),
    ] {
        let (fetched, server) = get(vec![redirect(location)]).await;
        assert_eq!(fetched, Err(FetchError::Forbidden { host: expect.to_owned() }), "{location}");
        assert_eq!(server.hits(), 1);
    }
    let (fetched, _) = get(vec![redirect("file:///etc/passwd")]).await;
    assert_eq!(fetched, Err(FetchError::Scheme { scheme: "file".to_owned() }));
    let (fetched, _) = get(vec![redirect("http://me:hunter2@pages.example/")]).await;
    assert_eq!(fetched, Err(FetchError::Credentials));
}

#[tokio::test]
async fn redirects_are_followed_up_to_a_number() {
    let around = redirect("/again");
    let (fetched, server) = get(vec![
        around.clone(),
        around.clone(),
        around.clone(),
        around.clone(),
        around.clone(),
        page("200 OK", b"here"),
    ])
    .await;
    assert_eq!(fetched.unwrap().text, "here");
    assert_eq!(server.hits(), 6);
    let (fetched, server) = get(vec![around]).await;
    assert_eq!(fetched, Err(FetchError::TooManyRedirects));
    assert_eq!(server.hits(), 6);
    let (fetched, _) = get(vec![page("302 Found", b"nowhere")]).await;
    assert_eq!(fetched.unwrap().status, 302);
}

#[tokio::test]
async fn one_closed_address_among_open_ones_closes_the_name() {
    let server = Server::serving(vec![page("200 OK", b"here")]).await;
    for answer in
        [[OPEN, CLOSED], [CLOSED, OPEN], [OPEN, "10.0.0.1".parse().unwrap()], [OPEN, "::1".parse().unwrap()]]
    {
        let fetched = fetcher(&[&answer]).get(&server.url("/")).await;
        assert_eq!(fetched, Err(FetchError::Forbidden { host: "pages.example".to_owned() }));
    }
    assert_eq!(server.hits(), 0);
    let nothing = fetcher(&[&[]]).get(&server.url("/")).await;
    assert!(matches!(nothing, Err(FetchError::Unreachable { .. })), "{nothing:?}");
}

#[tokio::test]
async fn a_name_that_changes_its_address_is_connected_to_where_it_was_checked() {
    // The same port at the closed address: whoever connects there is counted. It may be taken, so others are tried.
    let (server, trap) = loop {
        let server = Server::serving(vec![redirect("/again")]).await;
        let trap = Server::at(CLOSED, server.port, vec![page("200 OK", b"secret")]).await;
        if let Ok(trap) = trap {
            break (server, trap);
        }
    };
    let (lookup, asked) = names(&[&[OPEN], &[CLOSED]]);
    let fetched = Fetcher::for_tests(lookup, is_open, PATIENT_MS).get(&server.url("/")).await;
    assert_eq!(fetched, Err(FetchError::Forbidden { host: "pages.example".to_owned() }));
    // One lookup a request: there is no second one whose answer could differ from the one that was checked.
    assert_eq!((asked.load(Ordering::SeqCst), server.hits(), trap.hits()), (2, 1, 0));
}

#[tokio::test]
async fn a_long_page_is_cut_and_an_endless_one_too() {
    let exact = "x".repeat(MAX_PAGE_BYTES);
    let (fetched, _) = get(vec![page("200 OK", exact.as_bytes())]).await;
    assert_eq!(fetched.map(|page| (page.text.len(), page.is_cut)), Ok((MAX_PAGE_BYTES, false)));
    let (fetched, _) = get(vec![page("200 OK", &b"x".repeat(MAX_PAGE_BYTES + 1))]).await;
    assert_eq!(fetched.map(|page| (page.text.len(), page.is_cut)), Ok((MAX_PAGE_BYTES, true)));
    // A chunk that ends where the limit is, and one more byte.
    let chunks = format!("{MAX_PAGE_BYTES:x}\r\n{exact}\r\n1\r\nx\r\n0\r\n\r\n");
    let (fetched, _) = get(vec![page("200 OK\r\ntransfer-encoding: chunked", chunks.as_bytes())]).await;
    assert_eq!(fetched.map(|page| (page.text.len(), page.is_cut)), Ok((MAX_PAGE_BYTES, true)));
    // The limit falls into the middle of a character of three bytes.
    let (fetched, _) = get(vec![page("200 OK", "日".repeat(4 * 1024 * 1024).as_bytes())]).await;
    assert_eq!(fetched.map(|page| (page.text.len(), page.is_cut)), Ok((MAX_PAGE_BYTES - 1, true)));
    let (fetched, _) = get(vec![page("200 OK", &b"\xff".repeat(MAX_PAGE_BYTES / 2))]).await;
    assert_eq!(fetched.map(|page| (page.text.len(), page.is_cut)), Ok((MAX_PAGE_BYTES - 1, true)));
    let endless = [&b"HTTP/1.1 200 OK\r\n\r\n"[..], &vec![b'y'; 64 * 1024]].concat();
    let (fetched, _) = get(vec![Page::Endless(endless)]).await;
    assert!(fetched.unwrap().is_cut);
    let (fetched, _) = get(vec![Page::Endless(b"HTTP/1.1 200 OK\r\nx-endless: yes\r\n".to_vec())]).await;
    assert!(matches!(fetched, Err(FetchError::Unreachable { .. })), "{fetched:?}");
}

#[tokio::test]
async fn bytes_that_are_no_text_are_replaced() {
    let (fetched, _) = get(vec![page("200 OK\r\ncontent-type: image/png", b"\x89PNG\r\n\x1a\n\0\xff")]).await;
    assert_eq!(fetched.unwrap().text, "\u{fffd}PNG\r\n\u{1a}\n\0\u{fffd}");
}

#[tokio::test]
async fn silence_and_broken_pages_are_told() {
    let server = Server::serving(vec![Page::Silent]).await;
    let fetcher = Fetcher::for_tests(names(&[&[OPEN]]).0, is_open, /* max_fetch_ms */ 200);
    let fetched = fetcher.get(&server.url("/")).await;
    assert_eq!(fetched, Err(FetchError::TimedOut { host: "pages.example".to_owned(), limit_ms: 200 }));
    let torn = page("200 OK\r\ncontent-length: 100", b"half");
    let (fetched, _) = get(vec![torn]).await;
    assert!(matches!(fetched, Err(FetchError::Unreachable { .. })), "{fetched:?}");
    let (fetched, _) = get(vec![Page::Whole(b"\x16\x03\x01\0".to_vec())]).await;
    assert!(matches!(fetched, Err(FetchError::Unreachable { .. })), "{fetched:?}");
}

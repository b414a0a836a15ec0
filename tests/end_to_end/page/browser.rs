//! A real Chromium, driven through WebDriver: the few commands of it that these tests need.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::has_program;

/// How long something may take to appear on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a driver is started that finds no port.
const STARTS: usize = 5;
/// The name under which WebDriver hands out elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A request over HTTP, and its status and body.
pub(crate) fn http(port: u16, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let length = body.len();
    let head =
        format!("{method} {path} HTTP/1.1\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    // Who is refused is told so before the body is read.
    drop(stream.write_all(body.as_bytes()));
    let mut reader = BufReader::new(stream);
    let (mut status, mut line, mut answer_length) = (String::new(), String::new(), None);
    reader.read_line(&mut status).unwrap();
    while reader.read_line(&mut line).unwrap() > 2 {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            answer_length = value.trim().parse().ok();
        }
        line.clear();
    }
    let mut answer = Vec::new();
    drop(reader.take(answer_length.unwrap_or(u64::MAX)).read_to_end(&mut answer));
    let status = status.split(' ').nth(1).unwrap_or_default().parse().unwrap_or(0);
    (status, String::from_utf8_lossy(&answer).into_owned())
}

/// A chromedriver and its port, or `None` where it left before it listened: it takes a free port for IPv4 and wants the
/// same for IPv6, which another program may have taken meanwhile.
fn start_driver() -> Option<(Child, u16)> {
    let mut driver = Command::new("chromedriver")
        .arg("--port=0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines().map_while(Result::ok);
    let port = lines.find_map(|line| {
        let (_, port) = line.split_once("started successfully on port ")?;
        port.trim_end_matches('.').parse().ok()
    });
    let Some(port) = port else {
        driver.wait().unwrap();
        return None;
    };
    // Whoever writes into a closed pipe dies of it.
    std::thread::spawn(move || lines.for_each(drop));
    Some((driver, port))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    Light,
    Dark,
}

pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: tempfile::TempDir,
}

/// How often something that moves is clicked, and how long it is left to stand still.
const MOST_CLICKS: usize = 50;
const STILL: Duration = Duration::from_millis(100);
/// What a driver says of a click at something that has moved or was drawn anew.
const MOVED: [&str; 3] = ["element click intercepted", "stale element reference", "element not interactable"];

impl Browser {
    /// `None`, and a skipped test, where there is no Chromium.
    pub(crate) fn start(test: &str, scheme: Scheme) -> Option<Self> {
        if !has_program(test, "chromium") || !has_program(test, "chromedriver") {
            return None;
        }
        let profile = tempfile::tempdir().unwrap();
        let (driver, port) =
            (0..STARTS).find_map(|_| start_driver()).expect("chromedriver listens on no port");
        let scheme = match scheme {
            Scheme::Light => "--blink-settings=preferredColorScheme=1",
            Scheme::Dark => "--blink-settings=preferredColorScheme=0",
        };
        let folder = format!("--user-data-dir={}", profile.path().display());
        let args = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1200,900",
            scheme,
            &folder,
        ];
        let options = json!({ "binary": "/usr/bin/chromium", "args": args });
        let wanted = json!({ "browserName": "chrome", "goog:loggingPrefs": { "browser": "ALL" }, "goog:chromeOptions": options });
        let mut browser = Self { driver, port, session: String::new(), _profile: profile };
        let made = browser.call("POST", "/session", &json!({ "capabilities": { "alwaysMatch": wanted } }));
        browser.session = format!("/session/{}", made["sessionId"].as_str().unwrap());
        Some(browser)
    }

    #[track_caller]
    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.answer(method, path, body);
        assert_eq!(status, 200, "{path}: {answer:#}");
        answer["value"].clone()
    }

    fn answer(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let headers = format!("host: 127.0.0.1:{}\r\ncontent-type: application/json\r\n", self.port);
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let (status, answer) = http(self.port, method, path, &headers, &body);
        (status, serde_json::from_str(&answer).unwrap_or(Value::Null))
    }

    #[track_caller]
    fn post(&self, path: &str, body: &Value) -> Value {
        self.call("POST", &format!("{}{path}", self.session), body)
    }

    #[track_caller]
    pub(crate) fn go(&self, url: &str) {
        self.post("/url", &json!({ "url": url }));
    }

    /// Runs a script in the page.
    #[track_caller]
    pub(crate) fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub(crate) fn wait(&self, expression: &str) {
        let start = Instant::now();
        while self.run(&format!("return Boolean({expression})")) != true {
            assert!(start.elapsed() < PATIENCE, "never true: {expression}\n{}", self.text());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until the page shows a text.
    #[track_caller]
    pub(crate) fn sees(&self, text: &str) {
        self.wait(&format!("document.body.innerText.includes({})", json!(text)));
    }

    /// What the page shows.
    #[track_caller]
    pub(crate) fn text(&self) -> String {
        self.run("return document.body.innerText").as_str().unwrap_or_default().to_owned()
    }

    #[track_caller]
    fn element(&self, selector: &str) -> String {
        self.wait(&format!("document.querySelector({})", json!(selector)));
        let found = self.post("/element", &json!({ "using": "css selector", "value": selector }));
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    /// Clicks, as soon as the page stands still: it follows what happens, so that what is to be clicked may move just then.
    #[track_caller]
    pub(crate) fn click(&self, selector: &str) {
        let mut answered = Value::Null;
        for _ in 0..MOST_CLICKS {
            let path = format!("{}/element/{}/click", self.session, self.element(selector));
            let (status, answer) = self.answer("POST", &path, &json!({}));
            if status == 200 {
                return;
            }
            let error = answer["value"]["error"].as_str().unwrap_or_default().to_owned();
            assert!(MOVED.contains(&&*error), "{selector}: {answer:#}");
            answered = answer;
            std::thread::sleep(STILL);
        }
        panic!("{selector} does not stand still: {answered:#}");
    }

    #[track_caller]
    pub(crate) fn write(&self, selector: &str, text: &str) {
        let element = self.element(selector);
        self.post(&format!("/element/{element}/clear"), &json!({}));
        self.post(&format!("/element/{element}/value"), &json!({ "text": text }));
    }

    /// Presses one key.
    #[track_caller]
    pub(crate) fn press(&self, key: &str) {
        let keys = json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        self.post("/actions", &json!({ "actions": [{ "type": "key", "id": "keys", "actions": keys }] }));
    }

    /// How wide and high the page is.
    #[track_caller]
    pub(crate) fn size(&self, width: u32, height: u32) {
        let params = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.post(
            "/goog/cdp/execute",
            &json!({ "cmd": "Emulation.setDeviceMetricsOverride", "params": params }),
        );
    }

    /// A picture of what is seen, as PNG in base64.
    #[track_caller]
    pub(crate) fn picture(&self) -> String {
        let picture = self.call("GET", &format!("{}/screenshot", self.session), &Value::Null);
        picture.as_str().unwrap().to_owned()
    }

    /// What the console says that is no mere note.
    #[track_caller]
    pub(crate) fn complaints(&self) -> Vec<String> {
        let log = self.post("/se/log", &json!({ "type": "browser" }));
        let bad = log
            .as_array()
            .unwrap()
            .iter()
            .filter(|line| line["level"] == "SEVERE" || line["level"] == "WARNING");
        bad.map(|line| line["message"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Chromium ends with its session; the driver would leave it behind.
        let headers = format!("host: 127.0.0.1:{}\r\n", self.port);
        drop(std::panic::catch_unwind(|| http(self.port, "DELETE", &self.session, &headers, "")));
        drop(self.driver.kill());
        drop(self.driver.wait());
    }
}

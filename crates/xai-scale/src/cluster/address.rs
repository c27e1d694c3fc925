//! Where a scheduler listens.

use std::fmt;
use std::str::FromStr;

/// The port of a scheduler where none is given.
pub(crate) const DEFAULT_PORT: u16 = 50050;

/// A host and a port: `127.0.0.1:50050`, `scheduler.example`, `[::1]:50050`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// As it stands in an address: an IPv6 one in brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const EXPECTED: &str = "expected HOST:PORT, as in 127.0.0.1:50050";
        let rest = text.strip_prefix("http://").unwrap_or(text);
        let rest = rest.strip_prefix("https://").unwrap_or(rest);
        let (host, port) = match rest.rsplit_once(':') {
            // The last colon of an address in brackets without a port is inside them.
            Some((host, port)) if !port.ends_with(']') => {
                (host, port.parse().map_err(|_| EXPECTED.to_owned())?)
            }
            _ => (rest, DEFAULT_PORT),
        };
        let in_brackets = host.starts_with('[') && host.ends_with(']');
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || "/@?#".contains(c);
        if host.is_empty() || host.contains(is_odd) || (host.contains(':') && !in_brackets) {
            return Err(EXPECTED.to_owned());
        }
        Ok(Self {
            host: host.to_owned(),
            port,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_host_and_a_port() {
        let read = |text: &str| text.parse::<Address>().map(|address| address.to_string());
        assert_eq!(read("127.0.0.1:1"), Ok("127.0.0.1:1".to_owned()));
        assert_eq!(read("http://host"), Ok("host:50050".to_owned()));
        assert_eq!(read("https://host:7"), Ok("host:7".to_owned()));
        assert_eq!(read("[::1]"), Ok("[::1]:50050".to_owned()));
        assert_eq!(read("[::1]:7"), Ok("[::1]:7".to_owned()));
        for wrong in [
            "",
            ":1",
            "::1",
            "host:x",
            "host:99999",
            "a b:1",
            "u@host:1",
            "host/x:1",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}

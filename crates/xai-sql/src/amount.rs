//! Amounts of memory in human-readable form.

/// Parses a number of bytes with a decimal or binary unit: `2GB`, `512 MiB`, `1000000`.
pub(crate) fn bytes(text: &str) -> Result<usize, String> {
    const EXPECTED: &str = "expected a number of bytes such as 512MB or 2GiB";
    let split = text.find(|c: char| !c.is_ascii_digit());
    let (digits, unit) = text.split_at(split.unwrap_or(text.len()));
    let number: usize = digits.parse().map_err(|_| EXPECTED.to_owned())?;
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        _ => return Err(EXPECTED.to_owned()),
    };
    let bytes = number.checked_mul(factor).filter(|&bytes| bytes > 0);
    bytes.ok_or_else(|| EXPECTED.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_decimal_or_binary() {
        assert_eq!(bytes("2GB"), Ok(2_000_000_000));
        assert_eq!(bytes("3 MiB"), Ok(3 << 20));
        assert_eq!(bytes("17"), Ok(17));
        for wrong in [
            "",
            "GB",
            "2TB",
            "-1",
            "1.5GB",
            "0",
            "99999999999999999999",
            "18446744073709551615GB",
        ] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}

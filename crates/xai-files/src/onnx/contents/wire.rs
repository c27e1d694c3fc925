//! The wire format of protocol buffers, as far as ONNX files need it.

/// The value of a field.
pub(super) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Of 4 or 8 bytes.
    Fixed,
}

/// Takes a number of seven bits a byte off the front.
pub(super) fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Takes a field off the front: its number and its value.
pub(super) fn field<'a>(bytes: &mut &'a [u8]) -> Option<(u64, Value<'a>)> {
    let tag = number(bytes)?;
    let value = match tag & 7 {
        0 => Value::Number(number(bytes)?),
        kind @ (1 | 2 | 5) => {
            let length = match kind {
                1 => 8,
                2 => usize::try_from(number(bytes)?).ok()?,
                _ => 4,
            };
            let (value, rest) = bytes.split_at_checked(length)?;
            *bytes = rest;
            match kind {
                2 => Value::Bytes(value),
                _ => Value::Fixed,
            }
        }
        _ => return None,
    };
    Some((tag >> 3, value))
}

/// The fields of a message, up to its end or to what is none.
pub(super) fn fields(mut bytes: &[u8]) -> impl Iterator<Item = (u64, Value<'_>)> {
    std::iter::from_fn(move || field(&mut bytes))
}

/// The last value of a field that is a message or a text.
pub(super) fn bytes_of(message: &[u8], number: u64) -> Option<&[u8]> {
    let of_field = fields(message).filter_map(|(field, value)| match value {
        Value::Bytes(bytes) if field == number => Some(bytes),
        _ => None,
    });
    of_field.last()
}

/// The last value of a field that is a number.
pub(super) fn number_of(message: &[u8], number: u64) -> Option<u64> {
    let of_field = fields(message).filter_map(|(field, value)| match value {
        Value::Number(value) if field == number => Some(value),
        _ => None,
    });
    of_field.last()
}

/// The numbers of a field that may be repeated, packed or one by one.
pub(super) fn numbers_of(message: &[u8], number_of_field: u64) -> Vec<u64> {
    let mut numbers = Vec::new();
    for (field, value) in fields(message) {
        match value {
            Value::Number(value) if field == number_of_field => numbers.push(value),
            Value::Bytes(mut packed) if field == number_of_field => {
                numbers.extend(std::iter::from_fn(|| number(&mut packed)));
            }
            _ => {}
        }
    }
    numbers
}

/// The texts of a field that may be repeated.
pub(super) fn texts_of(message: &[u8], number: u64) -> impl Iterator<Item = String> {
    fields(message).filter_map(move |(field, value)| match value {
        Value::Bytes(bytes) if field == number => Some(text(bytes)),
        _ => None,
    })
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

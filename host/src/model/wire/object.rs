//! A JSON object whose fields keep their order and their bytes, so that what is not ours is passed on as it came.

use std::fmt;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::value::RawValue;

/// Fields in their order.
#[derive(Clone, Debug, Default)]
pub struct Object(Vec<(String, Box<RawValue>)>);

impl Object {
    /// A field as it is written.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.iter().find(|(field, _)| field == name).map(|(_, value)| &**value)
    }

    /// A field as a value of this type, where it is one.
    #[must_use]
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.get(name)?.get()).ok()
    }

    /// Gives a field a value, at its place or behind the others.
    pub fn set(&mut self, name: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(field, _)| field == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// Takes a field out.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(field, _)| field != name);
    }

    /// The object as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        super::raw(self).get().to_owned()
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut fields = Object::default();
                while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    // Of a field that stands there twice the last counts, as nearly every reader has it.
                    fields.set(&name, value);
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::wire::raw;

    #[test]
    fn what_is_not_touched_keeps_its_order_and_bytes() {
        let text = r#"{"z":1.50,"a":{"y": "\u0041", "b":1e2},"m":[ ]}"#;
        let mut object: Object = serde_json::from_str(text).unwrap();
        assert_eq!(object.to_json(), text);
        object.set("a", raw(&true));
        object.set("new", raw("я"));
        object.remove("m");
        assert_eq!(object.to_json(), r#"{"z":1.50,"a":true,"new":"я"}"#);
        assert_eq!((object.read::<bool>("a"), object.read::<bool>("z")), (Some(true), None));
        assert!(serde_json::from_str::<Object>("[1]").is_err());
    }
}

//! From tree to type: serde's side of a [`Node`].
//!
//! Serde compiles this anew for every type that is read, so the methods only choose; what there is to do
//! is done by plain functions of [`Node`] and [`Scalar`].

use std::slice;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};

use crate::fault::{Fault, What};
use crate::scalar::{Meaning, Scalar, Tag};
use crate::tree::{Content, Node};

type Entry<'t> = (Node<'t>, Node<'t>);

impl<'t> Node<'t> {
    fn scalar(&self) -> Result<&Scalar<'t>, Fault> {
        match &self.content {
            Content::Scalar(scalar) => Ok(scalar),
            Content::List(_) | Content::Mapping(_) => Err(Fault::new(What::NotOneValue)),
        }
    }

    fn boolean(&self) -> Result<bool, Fault> {
        let scalar = self.scalar()?;
        let boolean = scalar.boolean().filter(|_| scalar.may_be(Tag::Boolean));
        boolean.ok_or_else(|| Fault::new(What::NotBoolean))
    }

    fn whole(&self, rust_type: &'static str) -> Result<i128, Fault> {
        let scalar = self.scalar()?;
        let whole = scalar.whole().filter(|_| scalar.may_be(Tag::Whole));
        whole.ok_or_else(|| Fault::new(What::NotWhole(rust_type)))
    }

    /// `1e999` is too large for a number that a key asks for; `.inf` is what it says.
    fn number(&self) -> Result<f64, Fault> {
        let scalar = self.scalar()?;
        let overflows = |number: f64| number.is_infinite() && !scalar.text.contains(['i', 'I']);
        let number = scalar.number().filter(|number| scalar.may_be(Tag::Number) && !overflows(*number));
        number.ok_or_else(|| Fault::new(What::NotNumber))
    }

    fn words(&self) -> Result<&str, Fault> {
        let scalar = self.scalar()?;
        if scalar.is_null() {
            return Err(Fault::new(What::NotText));
        }
        match scalar.may_be(Tag::Text) {
            true => Ok(&scalar.text),
            false => Err(Fault::new(What::TagDoesNotFit)),
        }
    }

    fn items(&self) -> Result<&[Node<'t>], Fault> {
        match &self.content {
            Content::List(items) => Ok(items),
            Content::Scalar(_) if self.is_null() => Ok(&[]),
            Content::Scalar(_) | Content::Mapping(_) => Err(Fault::new(What::NotList)),
        }
    }

    fn entries(&self) -> Result<&[Entry<'t>], Fault> {
        match &self.content {
            Content::Mapping(entries) => Ok(entries),
            Content::Scalar(_) if self.is_null() => Ok(&[]),
            Content::Scalar(_) | Content::List(_) => Err(Fault::new(What::NotMapping)),
        }
    }

    /// A variant's name, and what stands behind it if it is written as a key.
    fn variant(&self) -> Result<(&str, Option<&Node<'t>>), Fault> {
        match &self.content {
            Content::Scalar(scalar) => Ok((&scalar.text, None)),
            Content::Mapping(entries) => match entries.as_ref() {
                [(key, value)] => Ok((key.words()?, Some(value))),
                [] | [_, _, ..] => Err(Fault::new(What::NotOneWord)),
            },
            Content::List(_) => Err(Fault::new(What::NotOneWord)),
        }
    }

    fn must_be_empty(&self) -> Result<(), Fault> {
        match &self.content {
            Content::Scalar(_) if self.is_null() => Ok(()),
            Content::Mapping(entries) if entries.is_empty() => Ok(()),
            Content::Scalar(_) | Content::List(_) | Content::Mapping(_) => Err(Fault::new(What::NotEmpty)),
        }
    }
}

macro_rules! whole_numbers {
    ($($method:ident, $visit:ident, $type:ident;)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            const NAME: &str = stringify!($type);
            match $type::try_from(self.whole(NAME)?) {
                Ok(number) => visitor.$visit(number),
                Err(_) => Err(Fault::new(What::NotWhole(NAME))),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for &Node<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let scalar = match &self.content {
            Content::Scalar(scalar) => scalar,
            Content::List(_) => return self.deserialize_seq(visitor),
            Content::Mapping(_) => return self.deserialize_map(visitor),
        };
        match scalar.meaning().ok_or_else(|| Fault::new(What::TagDoesNotFit))? {
            Meaning::Null => visitor.visit_unit(),
            Meaning::Boolean(boolean) => visitor.visit_bool(boolean),
            Meaning::Positive(number) => visitor.visit_u64(number),
            Meaning::Negative(number) => visitor.visit_i64(number),
            Meaning::Number(number) if number.is_finite() => visitor.visit_f64(number),
            Meaning::Number(_) => Err(Fault::new(What::NotFinite)),
            Meaning::Text => visitor.visit_str(&scalar.text),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_bool(self.boolean()?)
    }

    whole_numbers! {
        deserialize_i8, visit_i8, i8;
        deserialize_i16, visit_i16, i16;
        deserialize_i32, visit_i32, i32;
        deserialize_i64, visit_i64, i64;
        deserialize_u8, visit_u8, u8;
        deserialize_u16, visit_u16, u16;
        deserialize_u32, visit_u32, u32;
        deserialize_u64, visit_u64, u64;
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_f64(self.number()?)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_str(self.words()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.must_be_empty()?;
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_seq(Items { items: self.items()?.iter(), index: 0 })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        let items = self.items()?.len();
        if items > len {
            return Err(Fault::invalid_length(items, &format!("a tuple of size {len}").as_str()));
        }
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_map(Entries { entries: self.entries()?.iter(), current: None })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let (name, value) = self.variant()?;
        visitor.visit_enum(Variant { name, value })
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }
}

struct Items<'a, 't> {
    items: slice::Iter<'a, Node<'t>>,
    index: usize,
}

impl<'de> SeqAccess<'de> for Items<'_, '_> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        let Some(item) = self.items.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        match seed.deserialize(item) {
            Ok(value) => Ok(Some(value)),
            Err(fault) => Err(fault.at(item.place).below_item(index)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Entries<'a, 't> {
    entries: slice::Iter<'a, Entry<'t>>,
    current: Option<&'a Entry<'t>>,
}

impl<'de> MapAccess<'de> for Entries<'_, '_> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        self.current = self.entries.next();
        let Some((key, _)) = self.current else { return Ok(None) };
        match seed.deserialize(key) {
            Ok(value) => Ok(Some(value)),
            Err(fault) => Err(fault.at(key.place)),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let Some((key, value)) = self.current else { return Err(Fault::new(What::NotMapping)) };
        seed.deserialize(value).map_err(|fault| fault.below(key, value))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

impl Fault {
    fn below(self, key: &Node<'_>, value: &Node<'_>) -> Fault {
        self.at(value.place).below_key(key.text().map_or("?", AsRef::as_ref))
    }
}

struct Variant<'a, 't> {
    name: &'a str,
    value: Option<&'a Node<'t>>,
}

impl<'de, 'a, 't> EnumAccess<'de> for Variant<'a, 't> {
    type Error = Fault;
    type Variant = Variant<'a, 't>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), Fault> {
        Ok((seed.deserialize(self.name.into_deserializer())?, self))
    }
}

impl Variant<'_, '_> {
    /// What stands behind the name; a name alone has nothing behind it.
    fn read<T>(self, read: impl FnOnce(&Node<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
        let Some(value) = self.value else { return Err(Fault::new(What::NotMapping)) };
        read(value).map_err(|fault| fault.at(value.place).below_key(self.name))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, '_> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        match self.value {
            Some(_) => self.read(|value| value.must_be_empty()),
            None => Ok(()),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Fault> {
        self.read(|value| seed.deserialize(value))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        self.read(|value| value.deserialize_tuple(len, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.read(|value| value.deserialize_map(visitor))
    }
}

//! A document as it stands in its text: values, each with its place.

use std::borrow::Cow;
use std::rc::Rc;

use crate::found::Place;
use crate::scalar::Scalar;

/// A value and where it stands. Copies share what is below them, so an alias costs nothing.
#[derive(Debug, Clone)]
pub(crate) struct Node<'t> {
    pub(crate) place: Place,
    pub(crate) content: Content<'t>,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(crate) enum Content<'t> {
    Scalar(Scalar<'t>),
    List(Rc<[Node<'t>]>),
    /// Each key once, in the order of the text.
    Mapping(Rc<[(Node<'t>, Node<'t>)]>),
}

impl<'t> Node<'t> {
    /// Whether nothing stands here: `~`, `null`, or nothing at all.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.content, Content::Scalar(scalar) if scalar.is_null())
    }

    /// The text of a scalar, also of one that is a number.
    pub(crate) fn text(&self) -> Option<&Cow<'t, str>> {
        match &self.content {
            Content::Scalar(scalar) => Some(&scalar.text),
            Content::List(_) | Content::Mapping(_) => None,
        }
    }

    /// The value at the end of a dotted path of keys; `None` if it is not there.
    pub(crate) fn below(&self, path: &str) -> Option<&Node<'t>> {
        path.split('.').try_fold(self, |node, wanted| match &node.content {
            Content::Mapping(entries) => entries
                .iter()
                .find(|(key, _)| key.text().is_some_and(|key| key == wanted))
                .map(|(_, value)| value),
            Content::Scalar(_) | Content::List(_) => None,
        })
    }
}

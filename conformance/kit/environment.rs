//! Variables for a process that gets no others. A name that is set again has its last value only.

/// Names and values.
#[derive(Clone, Default)]
pub(crate) struct Environment(Vec<(String, String)>);

impl Environment {
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.remove(name);
        self.0.push((name.to_owned(), value.to_owned()));
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| known != name);
    }

    /// For `Command::envs`.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl<'a> FromIterator<(&'a str, String)> for Environment {
    fn from_iter<T: IntoIterator<Item = (&'a str, String)>>(pairs: T) -> Self {
        let mut environment = Self::default();
        pairs.into_iter().for_each(|(name, value)| environment.set(name, &value));
        environment
    }
}

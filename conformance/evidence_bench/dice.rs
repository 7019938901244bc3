//! Numbers that look random and are the same for the same seed.

/// SplitMix64 (Steele, Lea, Flood, 2014).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `low` to `high`, both possible.
    pub(crate) fn from(&mut self, low: usize, high: usize) -> usize {
        low + usize::try_from(self.next() % (high - low + 1) as u64).unwrap()
    }

    pub(crate) fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.from(0, of.len() - 1)]
    }

    /// Happens `percent` times in a hundred.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.from(1, 100) <= percent
    }

    /// A name: lower-case syllables.
    pub(crate) fn name(&mut self, n_syllables: usize) -> String {
        const SYLLABLES: [&str; 20] = [
            "ba", "cor", "dex", "fin", "gal", "hub", "jet", "kol", "lum", "mer", "nox", "por", "qua", "ral",
            "sig", "tor", "uma", "vex", "wil", "zan",
        ];
        (0..n_syllables).map(|_| *self.one(&SYLLABLES)).collect()
    }

    /// Chinese characters at random, as in a name.
    pub(crate) fn characters(&mut self, n: usize) -> String {
        const CHARACTERS: &str = "青鸾白鹭沈若溪林望舒顾清和季云深苏砚秋陆星河温如玉江屿宋知许柏舟程霜叶闻笛";
        let all: Vec<char> = CHARACTERS.chars().collect();
        (0..n).map(|_| *self.one(&all)).collect()
    }
}

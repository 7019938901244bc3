//! What a tool may print and Claude may say of it: sentences with a place for what is particular about them.
//! The lines round a planted fact are of the same kinds, with the same identifiers and other figures of the same length.

use super::dice::Dice;

/// Something that a tool printed, and how Claude says it.
pub(crate) struct Fact {
    /// The whole line.
    pub(crate) line: String,
    /// The part of the line that the auditor must see, as it stands there.
    pub(crate) key: String,
    /// What Claude says; it need not hold the key.
    pub(crate) said: String,
}

/// Names that all lines of a turn share.
pub(crate) struct World {
    services: Vec<String>,
    functions: Vec<String>,
    files: Vec<String>,
    settings: Vec<String>,
    cities: Vec<String>,
}

const WORDS: [&str; 28] = [
    "the", "request", "worker", "started", "with", "cache", "value", "check", "service", "returned", "after",
    "loading", "module", "for", "and", "is", "batch", "pending", "queue", "running", "table", "update",
    "local", "order", "report", "status", "finished", "build",
];
const ZH_WORDS: [&str; 20] = [
    "正在", "处理", "订单", "任务", "开始", "加载", "配置", "数据", "完成", "检查", "服务", "返回", "队列",
    "写入", "缓存", "当前", "记录", "更新", "然后", "等待",
];

impl World {
    pub(crate) fn new(dice: &mut Dice) -> Self {
        let mut names = |n, syllables| (0..n).map(|_| dice.name(syllables)).collect::<Vec<String>>();
        let services = names(6, 3);
        let functions = names(6, 2).into_iter().zip(names(6, 2)).map(|(a, b)| format!("{a}_{b}")).collect();
        let files = names(12, 2)
            .into_iter()
            .zip(names(12, 2))
            .map(|(folder, file)| format!("src/{folder}/{file}.py"))
            .collect();
        let settings = names(6, 2).into_iter().map(|name| format!("{name}_policy")).collect();
        let cities = (0..6).map(|_| dice.characters(2)).collect();
        World { services, functions, files, settings, cities }
    }

    /// A line of one of the kinds, with particulars of its own.
    pub(crate) fn fact(&self, dice: &mut Dice, is_chinese: bool, is_exact: bool) -> Fact {
        let kind = dice.from(0, 6);
        if is_chinese { self.chinese(dice, kind, is_exact) } else { self.english(dice, kind, is_exact) }
    }

    /// A line that nobody speaks of.
    pub(crate) fn filler(&self, dice: &mut Dice, is_chinese: bool) -> String {
        if dice.chance(60) {
            return self.fact(dice, is_chinese, true).line;
        }
        let n_words = if is_chinese { dice.from(6, 16) } else { dice.from(6, 14) };
        words(dice, is_chinese, n_words)
    }

    fn english(&self, dice: &mut Dice, kind: usize, is_exact: bool) -> Fact {
        let prefix = format!("{:02}:{:02}:{:02} ", dice.from(0, 23), dice.from(0, 59), dice.from(0, 59));
        let (key, restated) = match kind {
            0 => {
                let (service, n) = (dice.one(&self.services), dice.from(10_000, 99_999));
                (format!("{service} p95 {n} us"), format!("p95 of {service} is {} µs", grouped(n)))
            }
            1 => {
                let (file, line) = (dice.one(&self.files).clone(), dice.from(100, 999));
                let function = dice.one(&self.functions);
                let name = file.rsplit('/').next().unwrap();
                (
                    format!("{file}:{line}: total = {function}(row)"),
                    format!("`{function}` 在 {name} 第 {line} 行被调用"),
                )
            }
            2 => {
                let (passed, failed) = (dice.from(100, 999), dice.from(10, 99));
                (format!("{passed} passed, {failed} failed"), format!("{passed} 个测试通过，{failed} 个失败"))
            }
            3 => {
                let (code, function) = (dice.from(1_000, 9_999), dice.one(&self.functions));
                (format!("{function} stopped: ERR_{code}"), format!("it stopped with ERR_{code}"))
            }
            4 => {
                let (setting, value) =
                    (dice.one(&self.settings), format!("{} {}", dice.name(2), dice.name(3)));
                (format!("{setting} = \"{value}\""), format!("`{setting}` 的值是“{value}”"))
            }
            5 => {
                let hash = format!("{:07x}", dice.from(0x0100_0000, 0x0fff_ffff));
                (format!("[main {hash}] {}", dice.name(3)), format!("committed as {hash}"))
            }
            _ => {
                let file = format!("dist/{}-{}.tar.gz", dice.name(2), dice.from(10, 99));
                let n = dice.from(1_000_000, 9_999_999);
                let name = file.rsplit('/').next().unwrap().to_owned();
                (format!("{} bytes in {file}", grouped(n)), format!("{name} 有 {n} 字节"))
            }
        };
        fact(&prefix, key, restated, is_exact)
    }

    fn chinese(&self, dice: &mut Dice, kind: usize, is_exact: bool) -> Fact {
        let prefix = format!("记录{:03}：", dice.from(0, 999));
        let (key, restated) = match kind {
            0 => {
                let (city, n) = (dice.one(&self.cities), dice.from(10_000, 99_999));
                (format!("{city}仓库存 {n} 件"), format!("{city}的仓还剩 {} 件", grouped(n)))
            }
            1 => {
                let name = dice.characters(3);
                (format!("负责人改为{name}"), format!("现在归{name}负责"))
            }
            2 => {
                let (passed, failed) = (dice.from(100, 999), dice.from(10, 99));
                (
                    format!("共 {passed} 项通过，{failed} 项失败"),
                    format!("{passed} passed and {failed} failed"),
                )
            }
            3 => {
                let code = dice.from(1_000, 9_999);
                (format!("接口返回错误码 QX{code}"), format!("报的是 `QX{code}`"))
            }
            4 => {
                let value = dice.characters(4);
                (format!("结算方式是「{value}」"), format!("按{value}结算"))
            }
            5 => {
                let (service, n) = (dice.one(&self.services), dice.from(1_000, 9_999));
                (format!("{service} 的超时改成 {n} 毫秒"), format!("{service} timeout is now {n} ms"))
            }
            _ => {
                let (name, city) = (dice.characters(2), dice.one(&self.cities));
                (format!("{city}到{name}的线路已经停用"), format!("停用的是{city}到{name}这条线"))
            }
        };
        fact(&prefix, key, restated, is_exact)
    }
}

/// Something said that rests on nothing in particular.
pub(crate) fn chatter(dice: &mut Dice, is_chinese: bool) -> String {
    let n_words = dice.from(5, 9);
    words(dice, is_chinese, n_words)
}

fn words(dice: &mut Dice, is_chinese: bool, n: usize) -> String {
    let all: &[&str] = if is_chinese { &ZH_WORDS } else { &WORDS };
    let words: Vec<&str> = (0..n).map(|_| *dice.one(all)).collect();
    words.join(if is_chinese { "" } else { " " })
}

fn fact(prefix: &str, key: String, restated: String, is_exact: bool) -> Fact {
    let said = if is_exact { key.clone() } else { restated };
    Fact { line: format!("{prefix}{key}"), key, said }
}

/// `1234567` as `1,234,567`.
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

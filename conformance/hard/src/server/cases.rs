//! One check over many cases: all are tried, and the failed ones are named.

use std::collections::BTreeMap;

use super::CheckResult;
use crate::check::Problem;

/// The number of failed cases that are named.
const NAMED_MAX: usize = 8;

/// Tries each case. Returns how often each word was returned.
pub(crate) fn each<C>(
    cases: impl IntoIterator<Item = (impl Into<String>, C)>,
    try_one: impl Fn(C) -> CheckResult,
) -> CheckResult {
    let mut words: BTreeMap<String, usize> = BTreeMap::new();
    let mut failed = Vec::new();
    let mut first = None;
    let mut lacking = None;
    let mut count = 0_usize;
    for (name, case) in cases {
        count += 1;
        match try_one(case) {
            Ok(word) => *words.entry(word).or_default() += 1,
            Err(Problem::NotOffered(why)) => lacking = Some(why),
            Err(Problem::Failed { sent, came_back }) => {
                failed.push(name.into());
                first = first.or(Some((sent, came_back)));
            }
        }
    }
    if let Some((sent, came_back)) = first {
        let more = if failed.len() > NAMED_MAX { ", .." } else { "" };
        let named = failed.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
        let failed = failed.len();
        let came_back = format!("{failed} of {count} ({named}{more}), first {came_back}");
        return Err(Problem::Failed { sent, came_back });
    }
    if words.is_empty() {
        return Err(Problem::NotOffered(lacking.unwrap_or_else(|| "there are no cases".into())));
    }
    let words = words.iter().map(|(word, count)| format!("{count} x {word}"));
    Ok(words.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(text: &str) -> Problem {
        Problem::Failed { sent: text.into(), came_back: "no".into() }
    }

    #[test]
    fn failed_cases_are_named_and_passed_ones_are_counted() {
        let cases = [("one", 1), ("two", 2), ("three", 3)];
        assert_eq!(each(cases, |_| Ok("ok".into())), Ok("3 x ok".into()));
        let odd = |n: i32| if n % 2 == 1 { Err(failed(&n.to_string())) } else { Ok("ok".into()) };
        let came_back = "2 of 3 (one, three), first no".into();
        assert_eq!(each(cases, odd), Err(Problem::Failed { sent: "1".into(), came_back }));
    }

    #[test]
    fn a_check_without_cases_does_not_pass() {
        let none: [(&str, ()); 0] = [];
        assert!(matches!(each(none, |()| Ok("ok".into())), Err(Problem::NotOffered(_))));
        let lacking = |()| Err(Problem::NotOffered("no form".into()));
        assert_eq!(each([("a", ())], lacking), Err(Problem::NotOffered("no form".into())));
    }
}

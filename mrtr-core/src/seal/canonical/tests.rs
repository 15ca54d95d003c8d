//! What has one canonical form, and what has two.

use alloc::string::String;

use super::*;

fn canonical(json: &str) -> String {
    let raw = RawJson::parse(json).unwrap();
    let mut writer = Writer { text: raw.as_str().as_bytes(), at: 0, canonical: Vec::new() };
    writer.value().unwrap();
    String::from_utf8(writer.canonical).unwrap()
}

fn digest_of(json: &str) -> [u8; 32] {
    digest("tools/call", &RawJson::parse(json).unwrap()).unwrap()
}

/// proves: ST-03
#[test]
fn the_examples_of_rfc_8785_come_out_as_the_rfc_has_them() {
    assert_eq!(
        canonical(
            "{\"numbers\": [1E30, 4.50, 2e-3, 0.000000000000000000000000001],\n \"string\": \
             \"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\", \"literals\": [null, true, false]}"
        ),
        "{\"literals\":[null,true,false],\"numbers\":[1e+30,4.5,0.002,1e-27],\
         \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"
    );
    // RFC 8785 3.2.3: the order of UTF-16 code units, not of code points.
    assert_eq!(
        canonical(
            r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#
        ),
        "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}"
    );
}

/// proves: ST-03
#[test]
fn control_characters_are_written_as_rfc_8785_has_them() {
    assert_eq!(
        canonical(r#""\u0000\u0007\u0008\u0009\u000a\u000b\u000c\u000d\u001f\u007f""#),
        "\"\\u0000\\u0007\\b\\t\\n\\u000b\\f\\r\\u001f\u{7f}\""
    );
}

/// proves: ST-03
#[test]
fn equal_params_match_however_they_are_written() {
    let params = r#"{"name":"deploy","arguments":{"n":1,"m":100,"s":"é/","list":[0.1,-0]}}"#;
    for same in [
        r#"{"arguments":{"list":[1e-1,0.0],"m":1e2,"n":1.0,"s":"\u00e9\/"},"name":"\u0064eploy"}"#,
        r#" { "name" : "deploy" , "arguments" : { "n":1, "m":1E+2, "s":"é/", "list":[ 0.10, 0 ] } } "#,
        r#"{"name":"deploy","_meta":{"progressToken":7},"inputResponses":{},"requestState":"x","arguments":{"n":1,"m":100,"s":"é/","list":[0.1,0]}}"#,
    ] {
        assert_eq!(digest_of(same), digest_of(params), "{same}");
    }
}

/// proves: ST-03
#[test]
fn any_other_difference_does_not_match() {
    let params = r#"{"arguments":{"a":[1,2],"n":9007199254740993,"s":"x"}}"#;
    for other in [
        r#"{"arguments":{"a":[2,1],"n":9007199254740993,"s":"x"}}"#,
        r#"{"arguments":{"a":[1,2],"n":9007199254740992,"s":"x"}}"#,
        r#"{"arguments":{"a":[1,2],"n":"9007199254740993","s":"x"}}"#,
        r#"{"arguments":{"a":[1,2],"n":9007199254740993,"s":"X"}}"#,
        r#"{"arguments":{"a":[1,2],"n":9007199254740993,"s":"x","_meta":1}}"#,
        r#"{"arguments":{"a":[1,2],"n":9007199254740993}}"#,
        r#"{"arguments":{"a":[[1,2]],"n":9007199254740993,"s":"x"}}"#,
        r#"{"arguments":{"a":[12],"n":9007199254740993,"s":"x"}}"#,
    ] {
        assert_ne!(digest_of(other), digest_of(params), "{other}");
    }
    let raw = RawJson::parse(params).unwrap();
    assert_ne!(digest("prompts/get", &raw).unwrap(), digest_of(params));
}

/// proves: ST-03
#[test]
fn unpaired_surrogates_and_huge_numbers_keep_their_value() {
    assert_eq!(canonical(r#""\uD800x""#), r#""\ud800x""#);
    assert_eq!(canonical(r#""\udc00\ud83d""#), r#""\udc00\ud83d""#);
    assert_eq!(canonical(r#""\ud800\u0041""#), r#""\ud800A""#);
    assert_ne!(digest_of(r#"{"a":"\ud800"}"#), digest_of(r#"{"a":"\\ud800"}"#));
    assert_ne!(digest_of(r#"{"a":"\ud800"}"#), digest_of(r#"{"a":"\ufffd"}"#));
    assert_eq!(canonical("1e400"), "1e+400");
    assert_eq!(canonical("10e399"), "1e+400");
    assert_eq!(canonical("123456789012345678901234567890"), "1.2345678901234567890123456789e+29");
    assert_eq!(canonical("333333333.33333329"), "333333333.33333329");
    // A power that fits a number of this machine, and one digit more.
    assert_eq!(canonical("10e999999999999999999"), "1e+1000000000000000000");
    assert_eq!(canonical("10e1000000000000000000"), "10e1000000000000000000");
    let huge = ["1e99999999999999999999", "1e99999999999999999998", "1e-99999999999999999999"];
    for (index, number) in huge.iter().enumerate() {
        for other in huge.iter().skip(index + 1) {
            assert_ne!(canonical(number), canonical(other));
        }
    }
}

/// proves: W-11, ST-03
#[test]
fn params_that_name_a_member_twice_have_no_digest() {
    for twice in [r#"{"a":1,"a":1}"#, r#"{"x":{"a":1,"\u0061":2}}"#, r#"{"x":[{"b":1,"b":1}]}"#] {
        let raw = RawJson::parse(twice).unwrap();
        assert_eq!(digest("m", &raw), Err(WireError::duplicate("params")), "{twice}");
    }
    assert!(digest("m", &RawJson::parse("[]").unwrap()).is_err());
}

//! Forms beside the floor (`serde_json`) and a peer (`jsonschema`), in one run: read the ratios.

use divan::{Bencher, black_box};
use form_model::{Content, Decoder, Form, Limits};
use mrtr_bench::{SIX, SIX_ANSWER, answer, schema};
use serde_json::Value;

fn main() {
    divan::main();
}

fn texts(fields: usize) -> (String, String) {
    if fields == 6 { (SIX.into(), SIX_ANSWER.into()) } else { (schema(fields), answer(fields)) }
}

#[divan::bench_group(sample_count = 200)]
mod decode_schema {
    use super::*;

    #[divan::bench(args = [6, 100])]
    fn form_model(bencher: Bencher<'_, '_>, fields: usize) {
        let (schema, _) = texts(fields);
        bencher.bench(|| Form::from_schema(black_box(&schema)));
    }

    #[divan::bench(args = [6, 100])]
    fn serde_json_value(bencher: Bencher<'_, '_>, fields: usize) {
        let (schema, _) = texts(fields);
        bencher.bench(|| serde_json::from_str::<Value>(black_box(&schema)));
    }

    #[divan::bench(args = [6, 100])]
    fn jsonschema(bencher: Bencher<'_, '_>, fields: usize) {
        let (schema, _) = texts(fields);
        bencher.bench(|| {
            let schema: Value = serde_json::from_str(black_box(&schema)).unwrap();
            jsonschema::validator_for(&schema)
        });
    }
}

#[divan::bench_group(sample_count = 200)]
mod check_answer {
    use super::*;

    #[divan::bench(args = [6, 100])]
    fn form_model(bencher: Bencher<'_, '_>, fields: usize) {
        let (schema, answer) = texts(fields);
        let form = Form::from_schema(&schema).unwrap();
        let content = Content::decode(&answer, &Limits::default()).unwrap();
        bencher
            .with_inputs(|| content.clone())
            .bench_values(|content| form.accept(black_box(content)).unwrap());
    }

    #[divan::bench(args = [6, 100])]
    fn form_model_from_text(bencher: Bencher<'_, '_>, fields: usize) {
        let (schema, answer) = texts(fields);
        let form = Form::from_schema(&schema).unwrap();
        bencher.bench(|| {
            let content = Content::decode(black_box(&answer), &Limits::default()).unwrap();
            form.accept(content).unwrap()
        });
    }

    #[divan::bench(args = [6, 100])]
    fn jsonschema_precompiled(bencher: Bencher<'_, '_>, fields: usize) {
        let (schema, answer) = texts(fields);
        let schema: Value = serde_json::from_str(&schema).unwrap();
        let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        bencher.bench(|| validator.iter_errors(black_box(&answer)).count());
    }
}

#[divan::bench_group(sample_count = 50)]
mod hostile_100_000_fields {
    use super::*;

    #[divan::bench]
    fn form_model(bencher: Bencher<'_, '_>) {
        let schema = schema(100_000);
        bencher.bench(|| Form::from_schema(black_box(&schema)).unwrap_err());
    }

    #[divan::bench]
    fn form_model_without_a_bytes_limit(bencher: Bencher<'_, '_>) {
        let schema = schema(100_000);
        let decoder = Decoder::new(Limits::default().schema_bytes_max(usize::MAX));
        bencher.bench(|| decoder.decode(black_box(&schema)).unwrap_err());
    }

    #[divan::bench(sample_count = 5)]
    fn serde_json_value(bencher: Bencher<'_, '_>) {
        let schema = schema(100_000);
        bencher.bench(|| serde_json::from_str::<Value>(black_box(&schema)));
    }
}

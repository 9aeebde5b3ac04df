//! truston: JSON in its own types, from vectors and from ndarray. It knows no
//! UINT32, and calls text STRING, which no server of the protocol knows.
use crate::{equal, reversed, LENS};
use ndarray::ArrayD;
use truston::client::io::{DataType, InferInput};
use truston::client::triton_client::TritonRestClient;

const MODEL: &str = "openvino.ReverseSequence";

fn lens() -> InferInput {
    InferInput::new("seq_lengths".into(), vec![3], DataType::I64(LENS.to_vec()))
}

async fn ask(client: &TritonRestClient, data: DataType) -> DataType {
    let input = InferInput::new("data".into(), vec![3, 4], data);
    let results = client.infer(vec![input, lens()], MODEL).await.expect("an answer");
    equal("output", ("output", vec![3, 4]),
        (results.outputs[0].name.as_str(), results.outputs[0].shape.clone()));
    results.outputs[0].data.clone()
}

macro_rules! every_type {
    ($client:expr, $($kind:ident $vector:ident $t:ty),*) => {$(
        let x: Vec<$t> = (0..12u8).map(|i| i as $t).collect();
        equal(stringify!($kind), Some(reversed(&x)),
            ask($client, DataType::$kind(x)).await.$vector());
    )*};
}

pub async fn run(url: &str) {
    let client = TritonRestClient::new(url);
    equal("live", true, client.is_server_live().await.expect("live"));
    every_type!(&client, U8 as_u8_vec u8, U16 as_u16_vec u16, U64 as_u64_vec u64,
        I8 as_i8_vec i8, I16 as_i16_vec i16, I32 as_i32_vec i32, I64 as_i64_vec i64,
        F32 as_f32_vec f32, F64 as_f64_vec f64);
    // What it does not convert comes as JSON.
    let flags: Vec<bool> = (0..12).map(|i| i % 3 == 0).collect();
    match ask(&client, DataType::Bool(flags.clone())).await {
        DataType::Raw(json) => {
            equal("BOOL", serde_json::json!(reversed(&flags)), json);
        }
        other => equal("BOOL", "Raw", other.get_type_str()),
    }
    let x = ArrayD::from_shape_vec(vec![3, 4], (0..12).map(f64::from).collect()).unwrap();
    let want = reversed(x.as_slice().unwrap());
    let results = client.infer(vec![InferInput::from_ndarray("data", x), lens()], MODEL).await;
    let array = results.unwrap().outputs[0].data.to_ndarray_f64(&[3, 4]).unwrap();
    equal("ndarray", &want[..], array.as_slice().unwrap());
    errors(&client).await;
}

async fn errors(client: &TritonRestClient) {
    let text = InferInput::new("data".into(), vec![1], DataType::String(vec!["a".into()]));
    for (inputs, model, part) in [
        (vec![lens()], MODEL, "'data' is missing"),
        (vec![lens()], "none", "Request for unknown model: 'none' "),
        (vec![text], MODEL, "datatype is 'STRING'"),
    ] {
        let error = client.infer(inputs, model).await.expect_err("refused").to_string();
        equal(&error, true, error.contains(part));
    }
}

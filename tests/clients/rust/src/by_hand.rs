//! reqwest: JSON and bytes both ways, tasks at once, codings, errors.
use crate::{equal, reversed, LENS};
use reqwest::{header, Client, Method, StatusCode};
use serde_json::{json, Value};
use tokio::task::JoinSet;

type Outcome = Result<(), Box<dyn std::error::Error>>;
const INFER: &str = "/v2/models/openvino.ReverseSequence/infer";
const HEADER_LENGTH: &str = "Inference-Header-Content-Length";

fn question(datatype: &str, input: Value, more: Value) -> Value {
    let mut data = json!({"name": "data", "datatype": datatype, "shape": [3, 4]});
    let lens = json!({"name": "seq_lengths", "datatype": "INT64", "shape": [3], "data": LENS});
    merge(&mut data, input);
    let mut document = json!({"inputs": [data, lens]});
    merge(&mut document, more);
    document
}

fn merge(into: &mut Value, from: Value) {
    into.as_object_mut().unwrap().extend(from.as_object().unwrap().clone());
}

/// Values 0 to 11 as a datatype's bytes.
fn pack(datatype: &str) -> Vec<u8> {
    (0..12u8)
        .flat_map(|i| match datatype {
            "FP32" => f32::from(i).to_le_bytes().to_vec(),
            "FP64" => f64::from(i).to_le_bytes().to_vec(),
            "INT8" | "UINT8" => vec![i],
            "INT16" | "UINT16" => u16::from(i).to_le_bytes().to_vec(),
            "INT32" | "UINT32" => u32::from(i).to_le_bytes().to_vec(),
            _ => u64::from(i).to_le_bytes().to_vec(),
        })
        .collect()
}

async fn every_form(client: &Client, url: &str, datatype: &str) -> Outcome {
    let bytes = pack(datatype);
    let width = bytes.len() / 12;
    let rows: Vec<&[u8]> = bytes.chunks(width).collect();
    let want = reversed(&rows).concat();
    let list: Vec<i64> = (0..12).collect();
    for binary_in in [true, false] {
        for binary_out in [true, false] {
            let what = format!("{datatype} {binary_in} {binary_out}");
            let input = if binary_in {
                json!({"parameters": {"binary_data_size": bytes.len()}})
            } else {
                json!({"data": list})
            };
            let outputs = json!({"outputs": [{"name": "output",
                "parameters": {"binary_data": binary_out}}]});
            let mut body = serde_json::to_vec(&question(datatype, input, outputs))?;
            let length = body.len();
            if binary_in {
                body.extend_from_slice(&bytes);
            }
            let request = client.post(format!("{url}{INFER}")).header(HEADER_LENGTH, length);
            let reply = request.body(body).send().await?;
            equal(&what, StatusCode::OK, reply.status());
            let size = reply.headers().get(HEADER_LENGTH).map(|v| v.to_str().unwrap().parse());
            let got = reply.bytes().await?;
            if let Some(size) = size {
                let (head, tail) = got.split_at(size?);
                let head: Value = serde_json::from_slice(head)?;
                let declared = &head["outputs"][0]["parameters"]["binary_data_size"];
                equal(&what, json!(bytes.len()), declared.clone());
                equal(&what, &want[..], tail);
            } else {
                let answer: Value = serde_json::from_slice(&got)?;
                let numbers: Vec<i64> = answer["outputs"][0]["data"].as_array().unwrap().iter()
                    .map(|v| v.as_f64().unwrap() as i64).collect();
                equal(&what, reversed(&list), numbers);
                equal(&what, binary_out, false);
            }
        }
    }
    Ok(())
}

async fn at_once(client: &Client, url: &str) -> Outcome {
    let mut tasks = JoinSet::new();
    for i in 0..100i64 {
        let (client, to) = (client.clone(), format!("{url}{INFER}"));
        tasks.spawn(async move {
            let x: Vec<i64> = (i..i + 12).collect();
            let ask = question("INT64", json!({"data": x}), json!({"id": i.to_string()}));
            let answer: Value =
                client.post(to).json(&ask).send().await.unwrap().json().await.unwrap();
            equal("id", json!(i.to_string()), answer["id"].clone());
            equal("at once", json!(reversed(&x)), answer["outputs"][0]["data"].clone());
        });
    }
    while let Some(done) = tasks.join_next().await {
        done?;
    }
    Ok(())
}

/// reqwest offers gzip and deflate and takes away the coding that comes.
async fn codings(client: &Client, url: &str) -> Outcome {
    let mut wide = vec![0i64; 50_000];
    wide[0] = 7;
    let ask = json!({"inputs": [
        {"name": "data", "datatype": "INT64", "shape": [1, 50_000], "data": wide},
        {"name": "seq_lengths", "datatype": "INT64", "shape": [1], "data": [50_000]}]});
    for coding in ["gzip", "deflate", "identity"] {
        let request = client.post(format!("{url}{INFER}")).header(header::ACCEPT_ENCODING, coding);
        let answer: Value = request.json(&ask).send().await?.json().await?;
        let data = answer["outputs"][0]["data"].as_array().unwrap();
        equal(coding, (json!(0), json!(7)), (data[0].clone(), data[49_999].clone()));
    }
    let request = client.post(format!("{url}{INFER}")).header(header::CONTENT_ENCODING, "br");
    equal("br", 415, request.body("x").send().await?.status().as_u16());
    Ok(())
}

async fn parameters(client: &Client, url: &str) -> Outcome {
    let own = json!({"content_type": "np", "test-param": 1, "tags": ["a"]});
    let x: Vec<i64> = (0..12).collect();
    let ask = question("INT32", json!({"data": x, "parameters": own}),
        json!({"parameters": own, "outputs": [{"name": "output", "parameters": own}]}));
    let reply = client.post(format!("{url}{INFER}")).json(&ask).send().await?;
    let answer: Value = reply.json().await?;
    equal("keys of one's own", json!(reversed(&x)), answer["outputs"][0]["data"].clone());
    for wrong in ["seq_axes", "time_axis", "triton_x"] {
        let ask = question("INT32", json!({"data": x}), json!({"parameters": {wrong: 1}}));
        let reply = client.post(format!("{url}{INFER}")).json(&ask).send().await?;
        equal(wrong, StatusCode::BAD_REQUEST, reply.status());
        let error: Value = reply.json().await?;
        equal(wrong, true, error["error"].as_str().unwrap().contains(wrong));
    }
    Ok(())
}

async fn routes(client: &Client, url: &str) -> Outcome {
    for (path, want) in [("/v2/health/live", json!({"live": true})),
        ("/v2/health/ready", json!({"ready": true})),
        ("/v2/models/flip/ready", json!({"name": "flip", "ready": true}))] {
        equal(path, want, client.get(format!("{url}{path}")).send().await?.json().await?);
        let head = client.request(Method::HEAD, format!("{url}{path}")).send().await?;
        equal(path, StatusCode::OK, head.status());
    }
    let none = client.get(format!("{url}/v2/models/none")).send().await?;
    equal("no model", StatusCode::NOT_FOUND, none.status());
    let error: Value = none.json().await?;
    let text = error["error"].as_str().unwrap();
    equal(text, true, text.starts_with("Request for unknown model: 'none' "));
    let index: Value = client.post(format!("{url}/v2/repository/index")).send().await?.json().await?;
    equal("index", true, index.as_array().unwrap().iter().any(|m| m["name"] == "flip"));
    Ok(())
}

pub async fn run(url: &str) -> Outcome {
    let client = Client::builder().http1_only().build()?;
    for datatype in ["FP32", "FP64", "INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32",
        "INT64", "UINT64"] {
        every_form(&client, url, datatype).await?;
    }
    at_once(&client, url).await?;
    codings(&client, url).await?;
    parameters(&client, url).await?;
    routes(&client, url).await
}

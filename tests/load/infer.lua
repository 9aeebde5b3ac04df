-- wrk script: ReverseSequence requests of one form and size.
-- Usage: wrk [options] -s infer.lua URL -- json|binary BYTES
-- wrk exits with 1 after any status of 400 or more (wrk counts no others, and
-- flipd has none from 300 to 399), any socket error, or without any answer.

local BATCH = 4
local RAGGED = {1, 0.75, 0.5, 0.25} -- of the sequence, one for each batch entry

local function lengths(time)
    local lens = {}
    for b = 1, BATCH do
        lens[b] = math.floor(time * RAGGED[b])
    end
    return table.concat(lens, ",")
end

local function tensors(time, data, extra)
    return string.format(
        '{"inputs":[{"name":"input","datatype":"FP32","shape":[%d,%d],%s},' ..
        '{"name":"sequence_lens","datatype":"INT64","shape":[%d],' ..
        '"data":[%s]}]%s}', time, BATCH, data, BATCH, lengths(time), extra)
end

local function json_body(bytes)
    local token = "0.12345," -- 8 bytes a number
    local time = math.max(1, math.floor(bytes / (BATCH * #token)))
    local numbers = token:rep(BATCH * time):sub(1, -2)
    return tensors(time, '"data":[' .. numbers .. "]", "")
end

local function binary_body(bytes)
    local time = math.max(1, math.floor(bytes / (BATCH * 4)))
    local size = BATCH * time * 4
    local head = tensors(time,
        '"parameters":{"binary_data_size":' .. size .. "}",
        ',"parameters":{"binary_data_output":true}')
    wrk.headers["Inference-Header-Content-Length"] = #head
    wrk.headers["Content-Type"] = "application/octet-stream"
    return head .. ("\0\0\128\63"):rep(BATCH * time) -- 1.0
end

function init(args)
    local form, bytes = args[1], tonumber(args[2])
    wrk.method = "POST"
    wrk.path = "/v2/models/onnx.ReverseSequence/infer"
    if form == "binary" then
        wrk.body = binary_body(bytes)
    else
        -- The brackets, names and lengths take some 150 bytes.
        wrk.headers["Content-Type"] = "application/json"
        wrk.body = json_body(math.max(64, bytes - 150))
    end
end

function done(summary, latency)
    local e = summary.errors
    local failed = e.connect + e.read + e.write + e.status + e.timeout
    io.write(string.format(
        "%d requests, %d failed, %.0f/s, p50 %.0f us, p99 %.0f us\n",
        summary.requests, failed, summary.requests / summary.duration * 1e6,
        latency:percentile(50), latency:percentile(99)))
    if failed > 0 or summary.requests == 0 then
        io.write(string.format(
            "FAILED: connect %d, read %d, write %d, status %d, timeout %d\n",
            e.connect, e.read, e.write, e.status, e.timeout))
        os.exit(1)
    end
end

#!/bin/bash
# The models file: types, fixed attributes, reload at SIGHUP, statistics.
. "$(dirname "$0")/../lib/daemon.sh"

write() { # JSON
    printf '%s\n' "$1" >"$work/models.json"
}

reload() { # REGEX of a new line in the log
    local lines

    lines=$(wc -l <"$log")
    kill -HUP "$pid"
    new_lines() { tail -n +"$((lines + 1))" "$log" | grep -qE "$1"; }
    succeeds "after SIGHUP the log has no $1" within 5 new_lines "$1"
}

# By the metrics: whether the models file that was read last is in use.
last_read_is() { # 1 or 0
    metric_is 'flipd_last_reload_successful{what="models"}' "$1"
}
read_at() { # unix time at which the file in use was read
    metric 'flipd_last_reload_success_timestamp_seconds{what="models"}'
}

flip='{"name": "asr_flip", "op": "onnx.ReverseSequence", "datatype": "FP32",
  "shape": [-1, -1, 2], "attributes": {"time_axis": 1, "batch_axis": 0},
  "outputs": {"Y": "features"}}'
write "{\"models\": [$flip]}"
start --models "$work/models.json"

# the metadata that load generators read first
ask GET /v2/models/asr_flip
json "metadata" '.inputs[0]' \
    '{"name":"input","datatype":"FP32","shape":[-1,-1,2]}'
json "metadata" '.outputs[0].name' '"features"'
ask GET /v2/models/asr_flip/versions/1/ready
json "ready" . '{"name":"asr_flip","ready":true}'
ask POST /v2/repository/index -d '{"ready":true}'
# Each operator has its vectors, and is a model.
builtin=$(jq -s '[.[][] | select(has("model"))] | length' "$tree"/tests/vectors/*.json)
json "index" '[length, .[-1]]' \
    "[$((builtin + 1)),{\"name\":\"asr_flip\",\"version\":\"1\",\"state\":\"READY\",\"reason\":\"\"}]"
ask POST /v2/repository/models/asr_flip/load -d '{}'
refused "load" 501 '--models'

request='{"inputs":[
  {"name":"input","datatype":"FP32","shape":[1,3,2],"data":[1,2,3,4,5,6]},
  {"name":"sequence_lens","datatype":"INT64","shape":[1],"data":[2]}]}'
infer asr_flip "$request"
json "answer" '[.model_name, .outputs[0].name, .outputs[0].data]' \
    '["asr_flip","features",[3,4,1,2,5,6]]'
infer asr_flip "${request/FP32/FP64}"
refused "datatype" 400 'FP64.*asr_flip takes FP32'
# statistics: every field that perf_analyzer reads
ask GET /v2/models/asr_flip/stats
json "counts" '.model_stats[0] | [.name, .version, .inference_count,
    .execution_count, .inference_stats.success.count,
    .inference_stats.fail.count]' '["asr_flip","1",1,1,1,1]'
json "stages have equal counts" '.model_stats[0].inference_stats |
    [.queue, .compute_input, .compute_infer, .compute_output] |
    map(.count) | unique' '[1]'
json "time passed" '.model_stats[0].inference_stats |
    .success.ns >= .compute_infer.ns and .compute_input.ns > 0' true
json "last inference" \
    ".model_stats[0].last_inference / 1000 - $(date +%s) | fabs < 100" true

# SIGHUP: the new set replaces the old one; a bad file changes nothing
write "{\"models\": [$flip, {\"name\": \"mirror\", \"op\": \"openvino.Reverse\",
  \"attributes\": {\"mode\": \"index\"}}]}"
succeeds "the start is no reading of the file" last_read_is 1
succeeds "the time of the reading" [ $(($(date +%s) - $(read_at))) -lt $((60 * scale)) ]
reload "models read.*models=$((builtin + 2))"
infer mirror '{"inputs":[
  {"name":"data","datatype":"INT8","shape":[3],"data":[1,2,3]},
  {"name":"axis","datatype":"INT32","shape":[1],"data":[0]}]}'
json "a new model" '.outputs[0].data' '[3,2,1]'
counts 'nv_inference_count{model="asr_flip",version="1"}' 1
good=$(read_at)
a_second_later() { [ "$(date +%s)" -gt "$good" ]; }
within 3 a_second_later
write '{"models": [
  {"name": "mirror", "op": "openvino.Reverse",
   "attributes": {"mode": 3}}]}'
reload 'models.json: line 3: models\[0\].attributes: mode is 3'
succeeds "the metrics do not tell of a bad file" last_read_is 0
equal "the time of the file in use" "$good" "$(read_at)"
infer mirror '{"inputs":[
  {"name":"data","datatype":"INT8","shape":[3],"data":[1,2,3]},
  {"name":"axis","datatype":"INT32","shape":[1],"data":[0]}]}'
json "the old set" '.outputs[0].data' '[3,2,1]'
rm "$work/models.json"
reload 'models.json: No such file'
write '{"models": []}'
reload "models read.*models=$builtin"
succeeds "the metrics do not tell of a good file" last_read_is 1
succeeds "the time of a good file stays" [ "$(read_at)" -gt "$good" ]
infer mirror '{}'
refused "a model that is gone" 404 mirror

healthy "models"
stop

# a bad file stops the start
"$daemon" --http-port=0 --models "$work/nothing.json" 2>"$log"
equal "exit code without the file" 1 $?
matches "the reason" 'nothing.json: No such file' "$(<"$log")"
write '{"models": [{"name": "x"}]}'
"$daemon" --http-port=0 --models "$work/models.json" 2>"$log"
equal "exit code with a bad file" 1 $?
matches "the reason" 'models.json: line 1: models\[0\]: op is missing' "$(<"$log")"
finish

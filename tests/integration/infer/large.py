"""make MIB FILE: writes a binary request whose tensor has that size, and
prints the document's length, the answer's digest and the tensor's.

FP32 [time, 4, 16384]: rows of 64 KiB, each of them different, some bits NaN."""

import hashlib
import json
import os
import struct
import sys

from question import reverse_sequence

ROW, BATCH = 65536, 4


def row(number, noise):
    return struct.pack("<Q", number) + noise[8:]


def main():
    mib, path = int(sys.argv[4]), sys.argv[5]
    time = mib * (1 << 20) // (ROW * BATCH)
    lens = [time, time * 3 // 4, 1, 0]
    noise = os.urandom(ROW)
    document = json.dumps({
        "inputs": [
            {"name": "input", "datatype": "FP32",
             "shape": [time, BATCH, ROW // 4],
             "parameters": {"binary_data_size": mib << 20}},
            {"name": "sequence_lens", "datatype": "INT64", "shape": [BATCH],
             "data": lens}],
        "outputs": [{"name": "Y", "parameters": {"binary_data": True}}],
    }).encode()
    asked, answered = hashlib.sha256(), hashlib.sha256()
    with open(path, "wb") as file:
        file.write(document)
        for number in range(time * BATCH):
            data = row(number, noise)
            asked.update(data)
            file.write(data)
    for [number] in reverse_sequence(
            range(time * BATCH), time, BATCH, 1, lens):
        answered.update(row(number, noise))
    print(len(document), answered.hexdigest(), asked.hexdigest())


main()

#!/usr/bin/env python3
"""Clients that connect anew for each request, four at a time, until a file exists; the
requests and those that got no answer, or another than 200. Arguments: port, file."""

import collections
import http.client
import os
import sys
import threading

port, enough = int(sys.argv[1]), sys.argv[2]
answers = collections.Counter()


def ask():
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/v2/health/live", headers={"Connection": "close"})
        return connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return repr(error)
    finally:
        connection.close()


def run():
    while not os.path.exists(enough):
        answers[ask()] += 1


threads = [threading.Thread(target=run) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
lost = sum(count for answer, count in answers.items() if answer != 200)
print(f"{sum(answers.values())} asked, {lost} lost")
if lost:
    print(dict(answers), file=sys.stderr)

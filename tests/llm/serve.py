"""llama.cpp's HTTP server in a process of its own; it ends with its standard input, so that it outlives nobody.

usage: serve.py '{"weights": FILE, "alias": NAME, "template": TEXT, "port": PORT, "context": TOKENS, "api_keys": []}'
"""

import json
import os
import sys
from typing import Any

import xllamacpp

MAX_OUTPUT = 512
"""Tokens of a reply where the request names no limit."""


def params_of(settings: dict[str, Any]) -> xllamacpp.CommonParams:
    params = xllamacpp.CommonParams()
    params.model.path = settings["weights"]
    params.model_alias, params.chat_template = {settings["alias"]}, settings["template"]
    params.hostnames, params.port = ["127.0.0.1"], settings["port"]
    params.api_keys = settings["api_keys"]
    params.n_ctx, params.n_predict = settings["context"], MAX_OUTPUT
    # Threads for calls that wait, and for one that asks how busy it is.
    params.n_parallel, params.n_threads_http = 1, 4
    # Two threads wait for each other at every layer: on a busy machine that costs more than the second one brings.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.n_gpu_layers = params.cache_ram_mib = 0
    params.warmup = params.ui = False
    params.endpoint_metrics = params.endpoint_slots = True
    return params


if __name__ == "__main__":
    server = xllamacpp.Server(params_of(json.loads(sys.argv[1])))
    sys.stdin.read()
    os._exit(0)

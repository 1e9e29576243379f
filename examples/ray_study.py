"""A study of many texts over Ray: python examples/ray_study.py reviews.jsonl minilm study.safetensors

Starts Ray on this machine, or joins the cluster that RAY_ADDRESS names.
"""

import sys

import ray

import fovea.ray


def main() -> None:
    texts, model, output = sys.argv[1:]
    ray.init()
    workers = max(1, int(ray.cluster_resources()["CPU"]) - 1)
    study = fovea.ray.study(ray.data.read_json(texts), model, workers=workers, corpus=texts)
    study.save(output)
    print(f"{study.counts['texts']} texts, {study.layers} × {study.heads} heads → {output}")


main()

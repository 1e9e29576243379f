"""A study of many texts over Spark: spark-submit examples/spark_study.py reviews.jsonl minilm study.safetensors"""

import sys

from pyspark.sql import SparkSession

import fovea.spark


def main() -> None:
    texts, model, output = sys.argv[1:]
    session = SparkSession.builder.appName("fovea study").getOrCreate()
    study = fovea.spark.study(session.read.json(texts), model, corpus=texts)
    study.save(output)
    print(f"{study.counts['texts']} texts, {study.layers} × {study.heads} heads → {output}")
    session.stop()


main()

"""Studies in parts, over Ray and over Spark: the bits of one made in one go."""

import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import fovea

MODEL = "induction"
TEXTS = [" ".join(str((i * 7 + j * j) % 11) for j in range(5 + i % 9)) for i in range(60)]
OPTIONS = {"length": 24, "similarity_rows": 1, "corpus": "numbers"}


@pytest.fixture(scope="module")
def whole():
    model = fovea.load(MODEL)
    study = fovea.Study(model, **OPTIONS)
    study.add(model, TEXTS)
    return study


def test_parts_merge_to_the_same_bits(whole, tmp_path):
    model = fovea.load(MODEL)
    assert (whole.weights, whole.precision) == ("float32", "float32")
    parts = [fovea.Study(model, **OPTIONS) for _ in range(3)]
    for i, part in enumerate(parts):
        part.add(model, TEXTS[i::3])
    merged = fovea.Study.from_bytes(parts[2].to_bytes())
    merged.merge(parts[0])
    merged.merge(parts[1])
    assert merged.to_bytes() == whole.to_bytes()
    assert merged.to_bytes() != parts[0].to_bytes()
    whole.save(tmp_path / "study.safetensors")
    assert fovea.Study.load(tmp_path / "study.safetensors").counts == whole.counts
    assert whole.counts["texts"] == len(TEXTS)


def test_values_are_means_over_the_texts(whole):
    """Entropy from the weights themselves, in NumPy."""
    model = fovea.load(MODEL)
    rows = []
    for text in TEXTS:
        weights = np.asarray(model(text).weights(layer=0, head=0), np.float64)
        rows.extend(-np.where(weights > 0, weights * np.log(np.where(weights > 0, weights, 1)), 0).sum(axis=-1).ravel())
    value = whole.value(0, 0, "entropy")
    assert value.rows == len(rows)
    assert value.mean == pytest.approx(np.mean(rows), abs=1e-5)
    assert value.deviation == pytest.approx(np.std(rows), abs=1e-4)


def test_what_is_wrong_is_said(whole):
    with pytest.raises(fovea.Error, match="no measure \"speed\", expected one of"):
        whole.value(0, 0, "speed")
    with pytest.raises(fovea.Error, match="no layer 99"):
        whole.value(99, 0)
    model = fovea.load(MODEL)
    with pytest.raises(fovea.Error):
        whole.merge(fovea.Study(model, length=12))


def test_spark_partition_without_spark(whole):
    pandas = pytest.importorskip("pandas", reason="needs pandas: pip install pandas")
    from fovea._workers import merged
    from fovea.spark import partition_study

    run = partition_study(MODEL, **OPTIONS)
    frames = [pandas.DataFrame({"text": TEXTS[i : i + 20]}) for i in (0, 20, 40)]
    parts = [frame["study"][0] for frame in list(run(iter(frames[:2]))) + list(run(iter(frames[2:])))]
    assert len(parts) == 2
    assert list(run(iter([]))) == []
    assert merged(parts).to_bytes() == whole.to_bytes()


def test_ray_worker_without_ray(whole):
    from fovea._workers import merged
    from fovea.ray import Study

    worker = Study(MODEL, **OPTIONS)
    parts = [worker({"text": np.array(TEXTS[i : i + 25], dtype=object)})["study"] for i in (0, 25, 50)]
    assert [part.shape for part in parts] == [(1,)] * 3
    assert merged(part[0] for part in parts).to_bytes() == whole.to_bytes()
    assert merged(part[0] for part in parts + parts[:1]).to_bytes() != whole.to_bytes()
    with pytest.raises(fovea.Error, match="no column 'text' in the data, it has id, words"):
        worker({"words": [], "id": []})
    with pytest.raises(fovea.Error, match="got no parts to merge"):
        merged([])
    with pytest.raises(FileNotFoundError):
        Study("no-such-model")


@pytest.fixture(scope="module")
def ray():
    if "FOVEA_TEST_RAY" not in os.environ:
        pytest.skip("needs a cluster of Ray: make test-ray")
    import ray

    # Of the machine as much as two small workers need, and nothing that reports to others.
    os.environ.update(RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0", RAY_USAGE_STATS_ENABLED="0")
    path = os.path.dirname(os.path.dirname(fovea.__file__))
    ray.init(
        address="local",
        num_cpus=3,  # two workers, and one that reads: without it they wait for their texts
        include_dashboard=False,
        object_store_memory=100 << 20,
        logging_level="error",
        runtime_env={"env_vars": {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}},
    )
    yield ray
    ray.shutdown()


def test_ray_with_a_killed_worker(ray, whole, tmp_path):
    """Two workers; one is killed while it works. Batches are slowed down so that this is in the middle."""
    import fovea.ray

    folder = str(tmp_path)

    class SlowStudy(fovea.ray.Study):
        def __call__(self, batch):
            with open(os.path.join(folder, str(os.getpid())), "a") as file:
                file.write("batch\n")
            time.sleep(0.3)
            return super().__call__(batch)

    killed = []

    def batches_of_workers():
        names = [name for name in os.listdir(folder) if name.isdigit()]
        return {int(name): len(open(os.path.join(folder, name)).readlines()) for name in names}

    def kill_one():
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not killed:
            working = batches_of_workers()
            if len(working) >= 2 and sum(working.values()) >= 4:
                killed.append(next(iter(working)))
                os.kill(killed[0], signal.SIGKILL)
            time.sleep(0.05)

    thread = threading.Thread(target=kill_one)
    thread.start()
    dataset = ray.data.from_items([{"text": text} for text in TEXTS]).repartition(20)
    study = fovea.ray.study(dataset, MODEL, workers=2, batch_size=3, worker=SlowStudy, **OPTIONS)
    thread.join()
    assert killed, "no worker was killed"
    batches = batches_of_workers()
    assert len(batches) >= 3, "nobody took the place of the one that was killed"
    assert sum(batches.values()) > 20, "no batch was run again"
    assert study.counts["texts"] == len(TEXTS)
    assert study.to_bytes() == whole.to_bytes()


@pytest.mark.skipif("FOVEA_TEST_SPARK" not in os.environ, reason="needs Spark and Java: make test-spark")
def test_spark(whole):
    from pyspark.sql import SparkSession

    import fovea.spark

    path = os.path.dirname(os.path.dirname(fovea.__file__))
    os.environ["PYSPARK_PYTHON"] = sys.executable  # for the workers, which would take the system's
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.executorEnv.PYTHONPATH", path)
        .getOrCreate()
    )
    try:
        frame = session.createDataFrame([(text,) for text in TEXTS], ["text"]).repartition(5)
        assert fovea.spark.study(frame, MODEL, **OPTIONS).to_bytes() == whole.to_bytes()
        with pytest.raises(fovea.Error, match="no column 'words' in the data, it has text"):
            fovea.spark.study(frame, MODEL, column="words")
    finally:
        session.stop()

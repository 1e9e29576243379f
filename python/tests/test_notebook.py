"""What a notebook shows: the explorer inside a page, as a file, served, under BertViz's names."""

import base64
import html
import http.client
import json
import os
import re
import struct

import numpy as np
import pytest
from conftest import draw

import fovea
from fovea import _explorer, _progress


@pytest.fixture(scope="module")
def run():
    return fovea.load("induction")("old tree red moon big bird sing old tree red moon")


def data_of(page):
    """(metadata, arrays) of what the page holds: safetensors, read here by hand."""
    raw = base64.b64decode(re.search(r'id="fovea-data">([^<]*)<', page).group(1))
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    types = {"F16": np.float16, "F32": np.float32, "U8": np.uint8, "I64": np.int64, "F64": np.float64}
    arrays = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = (8 + size + each for each in entry["data_offsets"])
            arrays[name] = np.frombuffer(raw[begin:end], types[entry["dtype"]]).reshape(entry["shape"])
    return header["__metadata__"], arrays


def test_the_page_holds_the_run(run):
    texts, arrays = data_of(run.explore().html)
    stored = arrays["decoder.weights"]
    for layer in range(run.layers):
        for head in range(run.heads):
            np.testing.assert_allclose(stored[layer, head], run.weights(layer, head), atol=2.0**-12)
    capture = json.loads(texts["state"])["captures"][0]
    assert capture["text"].startswith("old tree") and capture["model"] == "induction" and "film" not in capture
    assert capture["sequences"]["decoder"]["tokens"] == run.tokens
    assert "decoder.steps.0.0.q" in arrays and "decoder.steps.1.1.q" not in arrays
    more = data_of(run.explore(steps=[(1, 3)]).html)[1]
    assert "decoder.steps.1.3.q" in more and "decoder.steps.0.0.q" not in more


def capture_of(shown):
    return json.loads(data_of(shown.html)[0]["state"])["captures"][0]


def test_the_page_says_what_was_left_out_and_what_is_special(tmp_path):
    long = fovea.load("induction")(" ".join(["old tree"] * 40))
    assert long.cut == 16 == capture_of(long.explore())["cut"]
    pair = fovea.load("en-zh")("I love you.", "我爱你。")
    shown = capture_of(pair.explore())
    assert (shown["text"], shown["text2"]) == ("I love you.", "我爱你。")
    assert shown["sequences"]["encoder"]["special"] == [token == "</s>" for token in pair.tokens]
    # From a file, without the model: special is what stands for no part of the text.
    pair.save(tmp_path / "run.safetensors")
    assert capture_of(fovea.Run.load(tmp_path / "run.safetensors").explore())["sequences"]["encoder"]["special"] == shown["sequences"]["encoder"]["special"]
    with pair.serve() as server:
        (served,) = json.loads(ask(server, "/api/state")[1])["captures"]
    assert {**served, "id": ""} == {**shown, "id": ""}


def test_fewer_key_heads_are_told(rng):
    q, k = draw(rng, 1, 4, 5, 8), draw(rng, 1, 2, 5, 8)
    run = fovea.Run(fovea._fovea.Run.from_calls("few", [("decoder", 0, q, k, k, "causal", None, None, 0.0)]))
    (kind,) = capture_of(run.explore())["kinds"]
    assert (kind["heads"], kind["kv_heads"], kind["head_width"]) == (4, 2, 8)


def test_the_frame_has_no_rights_of_the_notebook(run):
    shown = run._repr_html_()
    srcdoc = re.search(r'srcdoc="([^"]*)"', shown).group(1)
    assert html.unescape(srcdoc) == run.explore().html
    assert re.search(r'sandbox="([^"]*)"', shown).group(1).split() == ["allow-scripts", "allow-downloads"]
    assert "default-src 'none'" in html.unescape(srcdoc)  # the page's own policy: nothing is fetched
    assert "height:321px" in run.explore(height=321)._repr_html_()


def test_the_page_opens_where_it_is_told_to(run):
    page = run.explore(view="lines", layer=1, heads=[0, 1]).html
    assert '<script type="text/plain" id="fovea-start">view=lines&layer=1&head=0&heads=0.1</script>' in page
    assert '<script type="text/plain" id="fovea-without">study learn</script>' in page
    with pytest.raises(ValueError, match="view"):
        run.explore(view="pie")
    with pytest.raises(ValueError, match="mean"):
        run.explore(head="max")


def test_pages_are_written_whole_or_not_at_all(run, tmp_path, monkeypatch):
    run.to_html(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == run.explore().html
    with pytest.raises(ValueError, match=r"\.html"):
        run.to_html(tmp_path / "run.svg")
    with pytest.raises(FileNotFoundError):
        run.to_html(tmp_path / "nowhere" / "run.html")

    def full(*_):
        raise OSError(28, "No space left on device")

    before = (tmp_path / "run.html").stat().st_mtime_ns
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="space"):
        run.to_html(tmp_path / "run.html", view="grid")
    assert os.listdir(tmp_path) == ["run.html"] and (tmp_path / "run.html").stat().st_mtime_ns == before


def test_an_installation_without_the_page_says_so(run, tmp_path, monkeypatch):
    monkeypatch.setattr(_explorer, "__file__", str(tmp_path / "_explorer.py"))
    with pytest.raises(RuntimeError, match="node"):
        run.explore()
    assert "node" in run._repr_html_() and "induction" in run._repr_html_()


def test_runs_from_elsewhere(rng):
    weights = np.tril(rng.random((2, 3, 5, 5))).astype(np.float32)
    weights /= weights.sum(-1, keepdims=True)
    texts, arrays = data_of(fovea.Run.from_weights(weights[:, None]).explore().html)
    np.testing.assert_allclose(arrays["encoder.weights"], weights, atol=2.0**-12)
    capture = json.loads(texts["state"])["captures"][0]
    assert capture["sequences"]["encoder"]["tokens"] == list("01234")
    assert not any(".steps." in name for name in arrays)
    with pytest.raises(fovea.Error, match="model"):
        fovea.Run.from_weights(weights[:, None]).explore(steps=[(0, 0)])


def test_more_keys_than_queries_are_two_sequences(rng):
    weights = rng.random((1, 1, 2, 3, 5)).astype(np.float32)
    weights /= weights.sum(-1, keepdims=True)
    run = fovea.Run.from_weights(weights, list("abc"), list("vwxyz"))
    texts, arrays = data_of(run.explore().html)
    capture = json.loads(texts["state"])["captures"][0]
    (kind,) = capture["kinds"]
    assert capture["sequences"][kind["query_side"]]["tokens"] == list("abc")
    assert capture["sequences"][kind["key_side"]]["tokens"] == list("vwxyz")
    assert "encoder.rollout" not in arrays


def test_long_texts(rng):
    q = draw(rng, 1, 1, 600, 4)
    run = fovea.Run(fovea._fovea.Run.from_calls("long", [("decoder", 0, q, q, q, "causal", None, None, 0.0)]))
    shown = run.explore()
    assert "serve" in shown.note and "<p>" in shown._repr_html_()
    assert "decoder.weights" not in data_of(shown.html)[1]
    huge = fovea.Run(fovea._fovea.Run.from_calls("huge", [("decoder", 0, *[draw(rng, 1, 1, 20_000, 1)] * 3, "causal", None, None, 0.0)]))
    assert "run.serve()" in huge._repr_html_() and "iframe" not in huge._repr_html_()


def test_head_view_takes_what_bertviz_takes(rng):
    def layers(count, heads, n, m, causal=False):
        made = []
        for _ in range(count):
            each = rng.random((1, heads, n, m)) * (np.tril(np.ones((n, m))) if causal else 1)
            made.append((each / each.sum(-1, keepdims=True)).astype(np.float32))
        return made

    attention = layers(3, 4, 6, 6, causal=True)
    shown = fovea.head_view(attention, ["Ġthe", "Ġcat", "sat", "on", "a", "mat"], layer=2, heads=[1, 3], html_action="return")
    texts, arrays = data_of(shown.html)
    np.testing.assert_allclose(arrays["encoder.weights"][2], attention[2][0], atol=2.0**-12)
    capture = json.loads(texts["state"])["captures"][0]
    assert capture["sequences"]["encoder"]["tokens"][:2] == ["the", "cat"]
    assert capture["kinds"][0]["mask"] == "causal"
    assert "view=lines&layer=2&head=1&heads=1.3" in shown.html and shown.data.startswith("<iframe")
    few = fovea.model_view(attention, list("abcdef"), include_layers=[2, 0], include_heads=[3])
    np.testing.assert_allclose(data_of(few.html)[1]["encoder.weights"][0, 0], attention[2][0, 3], atol=2.0**-12)
    assert "view=grid" in few.html

    encoder, decoder, cross = layers(2, 2, 5, 5), layers(2, 2, 3, 3, True), layers(2, 2, 3, 5)
    shown = fovea.head_view(
        encoder_attention=encoder, decoder_attention=decoder, cross_attention=cross,
        encoder_tokens=list("abcde"), decoder_tokens=list("xyz"),
    )
    arrays = data_of(shown.html)[1]
    for name, given in (("encoder", encoder), ("decoder", decoder), ("cross", cross)):
        np.testing.assert_allclose(arrays[f"{name}.weights"], np.concatenate(given), atol=2.0**-12)
    for wrong, message in (
        (dict(attention=attention), "tokens"),
        (dict(attention=attention, tokens=list("abcdef"), cross_attention=cross), "one or the other"),
        (dict(cross_attention=cross, decoder_tokens=list("xyz")), "encoder_tokens"),
        (dict(attention=[np.ones((2, 1, 6, 6))], tokens=list("abcdef")), "one sequence"),
        (dict(), "expected"),
    ):
        with pytest.raises(ValueError, match=message):
            fovea.head_view(**wrong)
    with pytest.raises(TypeError, match="colour"):
        fovea.model_view(attention, list("abcdef"), colour="red")
    first = fovea.head_view(attention, list("abcdef"), layer=2, include_layers=[1, 2])
    assert "view=lines&layer=1" in first.html


def ask(server, path, method="GET", body=None, **headers):
    port = int(server.url.rsplit(":", 1)[1].strip("/"))
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    return answer.status, answer.read()


def test_the_served_run(run):
    with run.serve() as server:
        assert server.url in server._repr_html_()
        status, page = ask(server, "/")
        assert status == 200 and b'id="app"' in page and b'id="fovea-data"' not in page
        (capture,) = json.loads(ask(server, "/api/state")[1])["captures"]
        assert capture["id"] == "c1"
        status, raw = ask(server, "/api/captures/c1/weights?kind=decoder&layer=1&head=0&rows=2:5&keys=0:4")
        (size,) = struct.unpack("<Q", raw[:8])
        found = np.frombuffer(raw[8 + size :], np.float32).reshape(3, 4)
        np.testing.assert_allclose(found, run.weights(1, 0)[2:5, :4], atol=1e-6)
        assert ask(server, "/api/captures/c1/steps?kind=decoder&layer=0&head=0")[0] == 200
        for name in ("overview", "thumbnails", "similarity", "rollout", "rows"):
            assert ask(server, f"/api/captures/c1/{name}?kind=decoder&layer=0&head=0")[0] == 200, name
        made = post(server, model="induction", text="big bird")
        assert made["id"] == "c2" and made["text"] == "big bird"
        assert [each["id"] for each in json.loads(ask(server, "/api/state")[1])["captures"]] == ["c1", "c2"]
        assert ask(server, "/api/captures/c2", "DELETE", Content_Type="application/json")[0] == 204
        assert [each["id"] for each in json.loads(ask(server, "/api/state")[1])["captures"]] == ["c1"]
        for path, method, body, headers, expected in (
            ("/", "GET", None, {"Host": "evil.example"}, 421),
            ("/api/state", "GET", None, {"Sec_Fetch_Site": "cross-site"}, 403),
            ("/api/captures", "POST", "{}", {"Content_Type": "application/json", "Origin": "http://evil.example"}, 403),
            ("/api/captures", "POST", "{}", {"Content_Type": "text/plain"}, 415),
            ("/api/captures", "POST", "[]", {"Content_Type": "application/json"}, 400),
            ("/api/captures", "POST", '{"model": "induction", "text": "big", "more": "1.x"}', {"Content_Type": "application/json"}, 400),
            ("/api/captures", "POST", '{"model": "minilm", "text": "big"}', {"Content_Type": "application/json"}, 404),
            ("/api/captures", "POST", '{"model": "induction", "text": "big", "more": "99999"}', {"Content_Type": "application/json"}, 422),
            ("/api/captures/c1", "DELETE", None, {}, 415),
            ("/api/captures/c9", "DELETE", None, {"Content_Type": "application/json"}, 404),
            ("/api/captures/c1/lessons", "GET", None, {}, 404),
            ("/alive/guess", "GET", None, {"Sec_Fetch_Site": "cross-site"}, 403),
            ("/api/captures/c9/rows", "GET", None, {}, 404),
            ("/api/captures/c1/weights?kind=decoder&layer=99&head=0", "GET", None, {}, 404),
            ("/api/captures/c1/weights?layer=zero", "GET", None, {}, 400),
            ("/../etc/passwd", "GET", None, {}, 404),
        ):
            status, answer = ask(server, path, method, body, **headers)
            assert status == expected, (path, status)
            assert json.loads(answer)["error"]["message"]
        url = server.url
    with pytest.raises(OSError):
        ask(server, "/")
    assert url == server.url


def post(server, **asked):
    status, body = ask(server, "/api/captures", "POST", json.dumps(asked), Content_Type="application/json")
    assert status == 201, body
    return json.loads(body)


def test_a_served_run_says_what_the_model_predicts_with_and_without_a_head():
    model = fovea.load("induction")
    text = "old tree red moon big bird sing new song old tree"
    with model(text).serve() as server:
        said = lambda query="": json.loads(ask(server, f"/api/captures/c1/predictions?top=2{query}")[1])["positions"][0]
        (expected,) = model.predict(text, top=2)
        assert said()["position"] == expected.position == 10
        for found, (token, _, _, probability) in zip(said()["top"], expected.top):
            assert found["token"] == token and found["probability"] == pytest.approx(probability, rel=1e-5)
        changed = model.whatif(text, ablate="L1H0", top=2)
        assert said("&off=L1H0")["kl"] == pytest.approx(changed.kl[0], rel=1e-4)
        assert said("&off=L1H0")["top"][0]["token"] == changed.after[0].top[0][0]
        # What is looked at is of the changed run, too; and what heads pass on is known.
        weights = f"/api/captures/c1/rows?kind=decoder&layer=1&head=1"
        assert ask(server, weights)[1] == ask(server, weights + "&off=L1H0")[1] != ask(server, weights + "&off=L0H3")[1]
        assert ask(server, weights + "&show=passed")[0] == 200 and ask(server, weights + "&show=passed")[1] != ask(server, weights)[1]
        assert ask(server, "/api/captures/c1/predictions?off=L9H0")[0] == 400
        # One more token; the run before it is no longer listed.
        red = said()["top"][0]["id"]
        longer = post(server, model="induction", text=text, more=str(red), replaces="c1")
        assert longer["id"] == "c2" and longer["more"] == [red] and longer["sequences"]["decoder"]["tokens"][-1] == "red"
        assert [each["id"] for each in json.loads(ask(server, "/api/state")[1])["captures"]] == ["c2"]


def test_a_served_run_shows_studies(run, tmp_path):
    model = fovea.load("induction")
    study = fovea.Study(model, corpus="birds")
    study.add(model, ["old tree red moon", "big bird sing"])
    study.save(tmp_path / "study.safetensors")
    without = '<script type="text/plain" id="fovea-without">%s</script>'
    for given in (study, tmp_path / "study.safetensors", [study, str(tmp_path / "study.safetensors")]):
        with run.serve(study=given, view="study") as server:
            page = ask(server, "/")[1].decode()
            assert without % "learn" in page and ">view=study<" in page
            found = json.loads(ask(server, "/api/state")[1])["studies"]
            assert [each["id"] for each in found] == (["s0", "s1"] if isinstance(given, list) else ["s0"])
            assert (found[0]["corpus"], found[0]["texts"], found[0]["heads"]) == ("birds", 2, run.heads)
            overview = json.loads(ask(server, "/api/studies/s0")[1])
            assert len(overview["heads"]) == run.layers * run.heads
            card = json.loads(ask(server, "/api/studies/s0/head?head=5")[1])
            (entropy,) = (each for each in card["measures"] if each["name"] == "entropy")
            assert entropy["mean"] == pytest.approx(study.value(1, 1, "entropy").mean, abs=1e-6)
            for path, expected in (("s0/head?head=99", 404), ("s0/head", 400), ("s0/head?head=-1", 400), ("s9", 404), ("s0/tail", 404)):
                assert ask(server, f"/api/studies/{path}")[0] == expected, path
    with run.serve() as server:
        assert without % "study learn" in ask(server, "/")[1].decode()
        assert "studies" not in json.loads(ask(server, "/api/state")[1]) and ask(server, "/api/studies/s0")[0] == 404
    with pytest.raises(ValueError, match="view"):
        run.serve(view="study")
    with pytest.raises(fovea.Error, match="at most 4"):
        run.serve(study=[study] * 5)


def test_a_sequence_of_a_batch(rng):
    weights = np.tril(rng.random((2, 3, 2, 4, 4))).astype(np.float32)
    weights /= weights.sum(-1, keepdims=True)
    run = fovea.Run.from_weights(weights)  # three sequences
    for batch in range(3):
        np.testing.assert_allclose(data_of(run.explore(batch=batch).html)[1]["encoder.weights"], weights[:, batch], atol=2.0**-12)
    with run.serve(batch=2) as server:
        raw = ask(server, "/api/captures/c1/weights?kind=encoder&layer=1&head=0")[1]
        np.testing.assert_allclose(np.frombuffer(raw[8 + struct.unpack("<Q", raw[:8])[0] :], np.float32).reshape(4, 4), weights[1, 2, 0], atol=1e-6)
    for wrong in (3, -1):
        with pytest.raises(fovea.Error, match="sequence"):
            run.explore(batch=wrong)


def test_the_frame_of_a_served_run_asks_first_whether_it_is_there(run):
    with run.serve() as server:
        frame = html.unescape(re.search(r'srcdoc="([^"]*)"', server._repr_html_()).group(1))
        path = re.search(r'fetch\(url \+ "([^"]*)"', frame).group(1)
        assert ask(server, "/" + path, Sec_Fetch_Site="cross-site")[0] == 200
        assert server.url in frame and re.search(r'sandbox="([^"]*)"', server._repr_html_()).group(1).split()[-1] == "allow-same-origin"
        with run.serve() as other:
            assert ask(other, "/" + path, Sec_Fetch_Site="cross-site")[0] == 403


def test_a_served_run_without_a_model_takes_no_texts():
    long = np.tril(np.ones((1, 1, 1, 600, 600), np.float32))
    long /= long.sum(-1, keepdims=True)
    server = fovea.head_view([long[0, 0][None]], [str(i) for i in range(600)])  # too long for a page
    with server:
        assert ask(server, "/api/captures", "POST", '{"model": "run", "text": "a"}', Content_Type="application/json")[0] == 422
        assert ask(server, "/api/captures/c1/steps?kind=encoder&layer=0&head=0")[0] == 422


def test_masks_and_heads_draw_themselves(run):
    assert fovea.Mask.causal()._repr_svg_().startswith("<")
    assert fovea.Mask.dense(np.eye(7, dtype=bool))._repr_svg_() == fovea.Mask.dense(np.eye(7, dtype=bool)).to_svg(7)
    assert fovea.Mask.dense(np.ones((2, 3), bool))._repr_svg_() is None
    assert repr(fovea.Mask.causal() & fovea.Mask.window(2)) == "<fovea.Mask (causal & window(2, 2))>"
    head = run.head(1, 0)
    np.testing.assert_array_equal(np.asarray(head), run.weights(1, 0))
    assert head._repr_svg_() == run.plot(1, 0).svg and "head 0" in repr(head)
    with pytest.raises(fovea.Error, match="heads 0 to"):
        run.head(0, 99)


def test_bars_are_for_people(monkeypatch, capsys):
    _progress.show("measures", 0.5)
    _progress.end()
    assert capsys.readouterr() == ("", "")  # a file, a pipe: nothing
    import sys

    monkeypatch.setattr(type(sys.stderr), "isatty", lambda _: True, raising=False)
    clock = iter(range(0, 100, 2))
    monkeypatch.setattr(_progress.time, "monotonic", lambda: next(clock))
    assert list(_progress.bar(range(4), "statistics")) == [0, 1, 2, 3]
    shown = capsys.readouterr().err
    assert "statistics [#######" in shown and "75 %" in shown and shown.endswith("\r")


def test_the_widget(run):
    pytest.importorskip("anywidget", reason="needs anywidget")
    widget = run.widget(height=300, view="matrix")
    assert "fovea-data" in widget._html and "srcdoc" not in widget._frame
    widget.select(layer=1, head=0)
    assert widget.selection == {"layer": 1, "head": 0}
    with pytest.raises(TypeError, match="colour"):
        widget.select(colour=1)

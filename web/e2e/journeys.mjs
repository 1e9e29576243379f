// What a person does one after the other: steps back and forward, addresses, links, typing and running.
import assert from "node:assert/strict";
import { eventually, newPage, openBrowser, shown, test } from "./harness.mjs";

const hashOf = (page) => page.evaluate(() => location.hash);

// The address changes while the page is open, as Back or a pasted link change it. The page follows in a task of its own.
async function go(page, hash, ready) {
  await page.evaluate((text) => (location.hash = text), hash);
  await page.waitForSelector(ready);
}

async function load(session, hash, ready = "main .view") {
  await session.page.goto("about:blank");
  await session.page.goto(`${session.url}#${hash}`);
  await session.page.waitForSelector(ready);
}

const told = (page, look) => eventually(page, async () => assert.match(await page.textContent("main .notice"), look));
const runOnScreen = (page) => page.$eval(".captures select", (select) => select.value);

async function tenSteps({ page, url }, { other }) {
  await load({ page, url }, "c=c1", ".chip");
  const chip = (i) => page.click(`.chip[data-i='${i}']`);
  const key = (name) => page.keyboard.press(name);
  const steps = [
    () => key("2"), () => key("]"), () => key("."), () => key("1"), () => chip(4), () => chip(6), () => key("3"),
    () => page.selectOption(".captures select", other.id), () => key("m"), () => key("6"),
  ];
  await page.waitForFunction(() => location.hash.includes("text="));
  const addresses = [await hashOf(page)];
  for (const step of steps) {
    const entries = await page.evaluate(() => history.length);
    await step();
    await page.waitForFunction((before) => location.hash !== before, addresses.at(-1));
    addresses.push(await hashOf(page));
    assert.equal(await page.evaluate(() => history.length), entries + 1, `one entry for step ${addresses.length - 1}`);
  }
  const state = () => page.evaluate(() => [
    document.querySelector("[aria-current=page]").dataset.view, document.querySelector(".captures select").value,
    ...[...document.querySelectorAll(".steppers output")].map((one) => one.textContent), document.querySelector(".tokens-selected .value").textContent,
  ].join(" | "));
  const isLast = () => eventually(page, async () => assert.match(await state(), new RegExp(`^masks \\| ${other.id} \\| 1 \\| Mean`)));
  await isLast();
  for (let at = steps.length - 1; at >= 0; --at) {
    await page.evaluate(() => history.back());
    await page.waitForFunction((hash) => location.hash === hash, addresses[at]);
  }
  await shown(page, () => document.querySelector(".view-text .chip") && document.querySelector(".captures select").value === "c1");
  await eventually(page, async () => assert.match(await state(), /^text \| c1 \| 0 \| 0 \| none/, "ten Backs: where it began"));
  for (let at = 1; at <= steps.length; ++at) {
    await page.evaluate(() => history.forward());
    await page.waitForFunction((hash) => location.hash === hash, addresses[at]);
    if (at === 6) {
      await shown(page, () => document.querySelector(".chip[data-i='6'][aria-selected=true]"));
      await eventually(page, async () => assert.match(await state(), /^text \| c1 \| 1 \| 1 \| \S+ 6$/, "half way forward again"));
    }
  }
  await isLast();
}

async function quietSteps({ page, url }) {
  await load({ page, url }, "c=c1", ".chip");
  await page.waitForFunction(() => location.hash.includes("text="));
  const entries = () => page.evaluate(() => history.length);
  const before = await entries();
  for (const i of [2, 5, 8]) await page.hover(`.chip[data-i='${i}']`);
  await page.keyboard.press("1"); // the view it is in
  assert.equal(await entries(), before, "hovering and choosing what is there already are no steps");
  await page.keyboard.down("]");
  for (let i = 0; i < 3; ++i) await page.keyboard.down("]"); // held down: it repeats
  await page.keyboard.up("]");
  await page.waitForFunction(() => location.hash.includes("layer=4"));
  assert.equal(await entries(), before + 1, "a key held down is one step");
  await page.evaluate(() => history.back());
  await page.waitForFunction(() => !location.hash.includes("layer="));
}

async function addressInTheTab({ page, url }, { other }) {
  await load({ page, url }, `c=${other.id}`, ".chip");
  await go(page, "view=matrix&layer=2", ".view-matrix");
  assert.equal(await runOnScreen(page), other.id, "an address without a run keeps the one on the screen");
  await page.waitForFunction((id) => location.hash.includes(`c=${id}`), other.id);
  await go(page, "view=lines&c=c999", ".view-lines");
  assert.equal(await runOnScreen(page), other.id, "an unknown run does, too");
  await told(page, /The run named in the address is not available/);
  await page.keyboard.press("4");
  await page.waitForSelector("main .notice", { state: "detached" });
  await page.waitForFunction(() => location.hash.includes("view=grid"));
  await go(page, `model=minilm&text=${encodeURIComponent("A text of its own.")}`, ".chip:has-text('own')");
  await page.evaluate(() => history.back());
  await page.waitForSelector(".view-grid");
  await shown(page, (id) => document.querySelector(".captures select").value === id, other.id);
  await go(page, `view=sideways&c=${other.id}&layer=x`, ".view-text");
  await told(page, /Not understood in the address: view=sideways layer=x/);
  await go(page, `view=steps&example=nonsense&c=${other.id}`, ".stage");
  await told(page, /no example “nonsense”/);
}

async function invalidMask({ page, url }) {
  await load({ page, url }, "c=c1&view=lines&mask=causl", "main [role=alert]");
  await eventually(page, async () => assert.match(await page.textContent("main [role=alert]"), /The mask causl is not used\. Column 1: expected .*got/));
  await go(page, "c=c1&view=matrix&mask=padding([1,0])", ".view-matrix");
  await shown(page, () => /padding\(\[1,0\]\) is not used\. padding is for 2 keys/.test(document.querySelector("main [role=alert]")?.textContent));
  await page.click("main [role=alert] button");
  await page.waitForSelector("main [role=alert]", { state: "detached" });
}

async function modelOfTheLink({ page, url, gpt2 }) {
  await load({ page, url }, "c=c1", ".chip");
  await page.waitForFunction(() => location.hash.includes("model=minilm"));
  await page.selectOption(".run select", gpt2.model);
  await page.keyboard.press("2");
  await page.waitForSelector(".view-matrix");
  assert.match(await hashOf(page), /model=minilm&text=The/, "the model of the run, not of the next one");
  await page.selectOption(".captures select", gpt2.id);
  await page.waitForFunction((model) => location.hash.includes(`model=${encodeURIComponent(model)}`), gpt2.model);
  await eventually(page, async () => assert.equal(await page.$eval(".run select", (select) => select.value), gpt2.model));
}

async function editedNumbers({ page, url }) {
  await load({ page, url }, "view=steps&example=qkv", ".stage");
  await page.click(".box:last-of-type .numbers", { position: { x: 60, y: 32 } });
  await page.fill(".editor input", "40");
  await page.waitForFunction(() => location.hash.includes("numbers=v_0_0_40"));
  await page.reload();
  await page.waitForSelector(".stage");
  await page.click(".timeline li:last-child button");
  await shown(page, () => /28\.07784/.test(document.querySelector(".sum .result")?.textContent));
  await page.click("button:has-text('Original numbers')");
  await shown(page, () => /16\.04448/.test(document.querySelector(".sum .result")?.textContent));
  await page.waitForFunction(() => !location.hash.includes("numbers=")); // written after the screen
}

// Chromium's input method events, as an input method for Chinese makes them.
async function composition({ page, url }) {
  await load({ page, url }, "c=c1&layer=1", ".chip");
  const asked = [];
  await page.route("**/api/captures", (route) => {
    asked.push(route.request().postDataJSON().text);
    return route.continue();
  });
  const cdp = await page.context().newCDPSession(page);
  const pressInComposition = async (key, windowsVirtualKeyCode) => {
    for (const type of ["rawKeyDown", "keyUp"]) await cdp.send("Input.dispatchKeyEvent", { type, key, code: key, windowsVirtualKeyCode });
  };
  await page.fill("#text", "");
  await page.focus("#text");
  await cdp.send("Input.imeSetComposition", { text: "xiao'ming", selectionStart: 9, selectionEnd: 9 });
  assert.equal(await page.inputValue("#text"), "xiao'ming", "half-typed pinyin is in the box");
  await pressInComposition("Enter", 13);
  await pressInComposition("Escape", 27);
  assert.equal(await page.evaluate(() => document.activeElement.id), "text", "Escape belongs to the input method");
  await cdp.send("Input.imeSetComposition", { text: "小明", selectionStart: 2, selectionEnd: 2 });
  await cdp.send("Input.insertText", { text: "小明" });
  await pressInComposition("Enter", 229); // Safari's way: the composition has ended, the key still belongs to it
  assert.equal(await page.inputValue("#text"), "小明");
  assert.deepEqual(asked, [], "nothing ran while the text was composed");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".chip:has-text('明')");
  assert.deepEqual(asked, ["小明"]);
  await page.unroute("**/api/captures");
}

async function runByEnter({ page, url }) {
  await load({ page, url }, "c=c1", ".chip");
  await page.fill("#text", "Keys belong to the views.");
  await page.press("#text", "Enter");
  await page.waitForSelector(".chip:has-text('Keys')");
  await eventually(page, async () => {
    const box = await page.locator("#text").boundingBox();
    assert.ok(box.height < 40, `the box is closed again: ${box.height} pixels`);
  });
  await page.keyboard.press("2");
  await page.waitForSelector(".view-matrix");
  await eventually(page, async () => assert.equal(await page.inputValue("#text"), "Keys belong to the views."));
  await page.evaluate(() => history.back());
  await page.waitForSelector(".view-text");
  await page.evaluate(() => history.back());
  await page.waitForSelector(".chip:has-text('fox')");
  await page.fill("#text", "  ");
  await page.press("#text", "Enter");
  await shown(page, () => /Nothing to run/.test(document.querySelector("main [role=alert]")?.textContent));
  await page.keyboard.press("3");
  await page.waitForSelector("main [role=alert]", { state: "detached" });
  await page.click(".run .primary");
  await page.waitForSelector("main [role=alert]");
  await page.fill("#text", "One.");
  await page.click(".run button:has-text('+B')");
  await page.click(".run .primary");
  await shown(page, () => /The second text is empty/.test(document.querySelector("main [role=alert]")?.textContent));
  await page.click(".run button:has-text('−B')");
}

// The run is forgotten in between: the link brings its text along.
async function linkInAnotherBrowser({ page, url }, { linked }) {
  await load({ page, url }, `c=${linked.id}&view=matrix&layer=2&head=3&mask=causal&tokens=4&key=2`, ".canvas.tall canvas");
  await shown(page, () => / 4 → .* 2: 0\.\d{4}/.test(document.querySelector("[role=status]").textContent));
  await page.keyboard.press("e");
  await page.click("[data-export=link]");
  await shown(page, () => /Link copied|address bar/.test(document.querySelector("[role=status]").textContent));
  const address = page.url();
  await page.click(".canvas.tall", { position: { x: 5, y: 5 } }); // on no cell
  const said = async (one) => {
    await shown(one, () => / → /.test(document.querySelector("[role=status]").textContent));
    return one.textContent("[role=status]");
  };
  await page.goto("about:blank");
  await page.goto(address);
  await page.waitForSelector(".canvas.tall canvas");
  const here = await said(page);
  await page.goto("about:blank");
  await page.request.delete(`${url}api/captures/${linked.id}`, { headers: { "Content-Type": "application/json", Origin: url.replace(/\/$/, "") } });
  const context = await openBrowser();
  try {
    const { page: other, problems } = await newPage(context, url);
    let letGo = null;
    await other.route("**/api/captures", (route) => void (letGo = () => route.continue()));
    await other.goto(address);
    await eventually(other, () => assert.ok(letGo, "the text of the link is run"));
    await other.waitForSelector(".view-matrix .notice");
    assert.equal(await other.locator(".canvas, .start").count(), 0, "no other run stands there meanwhile");
    assert.equal(await other.textContent("[role=status]"), "");
    await letGo();
    await other.waitForSelector(".view-matrix .canvas.tall canvas");
    assert.equal(await said(other), here, "the same numbers");
    assert.equal(await other.textContent(".mask-chip code"), "causal", "the same mask");
    assert.deepEqual(await other.$$eval(".steppers output", (all) => all.map((one) => one.textContent)), ["2", "3"]);
    assert.deepEqual(problems, []);
  } finally {
    await context.close();
  }
}

export async function journeys(world) {
  const texts = await world.second();
  const session = await newPage(world.context, texts.url);
  const with_ = { ...session, gpt2: texts.gpt2 };
  await test("Journey: Back and Forward over ten steps", () => tenSteps(session, texts));
  await test("Journey: hovering is no step, a held key is one", () => quietSteps(session));
  await test("Journey: an address changed in the tab keeps the run, or runs its text", () => addressInTheTab(session, texts));
  await test("Journey: a mask that cannot be used is told", () => invalidMask(session));
  await test("Journey: a link names the model of its run", () => modelOfTheLink(with_));
  await test("Journey: edited numbers survive a reload", () => editedNumbers(session));
  await test("Journey: composing Chinese runs nothing", () => composition(session));
  await test("Journey: Enter closes the text box, an empty text is told", () => runByEnter(session));
  await test("Journey: a link made here opens in another browser", () => linkInAnotherBrowser(session, texts));
  await test("Journey: no error on the console, no foreign request", () => assert.deepEqual(session.problems, []));
  await session.page.close();
}

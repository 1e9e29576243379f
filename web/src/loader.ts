// Inflates the page's script and runs it.
const packed = Uint8Array.from(atob(document.getElementById("code")!.textContent!), (letter) => letter.charCodeAt(0));
const inflated = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
void new Response(inflated).text().then((text) => {
  const script = document.createElement("script");
  script.textContent = text;
  document.body.append(script);
});

// On paper: the picture that Export gives, light whatever the screen is, in place of the canvases.
import { currentPicture } from "./view_export";
import { paintFigure } from "./paint";

const printWidth = 1700; // pixels: about 250 per inch of a page
const paperWidth = 690; // CSS pixels of upright A4 between its margins

export function installPrinting(): () => void {
  let shown: HTMLCanvasElement | null = null;
  const end = () => {
    shown?.parentElement?.classList.remove("wide-paper");
    shown?.remove();
    shown = null;
  };
  const begin = () => {
    end();
    const figure = currentPicture();
    const place = document.querySelector("main .view");
    if (!figure || !place) return;
    shown = paintFigure(figure, Math.min(3, Math.max(1, printWidth / figure.width)));
    shown.className = "print-figure";
    shown.style.setProperty("--print-width", `${Math.round(figure.width)}px`);
    // Pictures side by side would be tiny on upright paper.
    place.classList.toggle("wide-paper", figure.width > paperWidth && figure.width > 1.3 * figure.height);
    place.append(shown);
  };
  addEventListener("beforeprint", begin);
  addEventListener("afterprint", end);
  return () => {
    removeEventListener("beforeprint", begin);
    removeEventListener("afterprint", end);
  };
}

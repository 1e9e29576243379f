// On paper: the picture that Export gives, light whatever the screen is, in place of the canvases.
import { currentPicture } from "./view_export";
import { paintFigure } from "./paint";

const printWidth = 1700; // pixels: about 250 per inch of a page

export function installPrinting(): () => void {
  let shown: HTMLCanvasElement | null = null;
  const end = () => {
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
    place.append(shown);
  };
  addEventListener("beforeprint", begin);
  addEventListener("afterprint", end);
  return () => {
    removeEventListener("beforeprint", begin);
    removeEventListener("afterprint", end);
  };
}

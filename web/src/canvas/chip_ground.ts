// The coloured grounds of chips, on a canvas that covers the part of the text on the screen.
import { makeCanvas, sized } from "./theme";
import type { ColourTable } from "../core/colours";
import { oncePerFrame } from "../core/frame";

const mostRounded = 200; // round corners cost more than the rest of a frame

export class ChipGround {
  private readonly canvas: HTMLCanvasElement;
  private readonly observer: ResizeObserver;
  private readonly scroller: HTMLElement;
  private readonly redraw = oncePerFrame(() => this.draw());
  private chips: HTMLElement[] = [];
  private entries: Uint8Array = new Uint8Array(0);
  private colours: ColourTable | null = null;
  private boxes = new Float32Array(0); // left, top, width, height of each chip
  private boxesOf: HTMLElement[] | null = null; // whose boxes they are
  private part: { top: number; bottom: number; width: number } | null = null; // of the text on the screen
  private readonly flipped = new Map<HTMLElement, number>(); // chips with a ground of their own, and its entry

  constructor(private readonly container: HTMLElement) {
    this.canvas = makeCanvas(container, "ground");
    container.prepend(this.canvas);
    this.scroller = container.closest("main") ?? document.body;
    this.scroller.addEventListener("scroll", this.onScroll, { passive: true });
    this.observer = new ResizeObserver((entries) => {
      if (entries.some(({ target }) => target === container)) this.boxesOf = null;
      this.onScroll();
    });
    this.observer.observe(container);
    this.observer.observe(this.scroller);
  }

  // The chips are used again for the next text: nothing of this one's colours may stay on them.
  dispose(): void {
    this.clear();
    this.observer.disconnect();
    this.scroller.removeEventListener("scroll", this.onScroll);
    this.canvas.remove();
  }

  // Called once per frame at most.
  show(chips: HTMLElement[], entries: Uint8Array, colours: ColourTable): void {
    this.chips = chips;
    this.entries = entries;
    this.colours = colours;
    this.container.classList.toggle("on-light", colours.darkText[0]);
    this.container.classList.toggle("on-dark", !colours.darkText[0]);
    this.flip();
    this.draw();
  }

  clear(): void {
    this.chips = [];
    this.entries = new Uint8Array(0);
    this.container.classList.remove("on-light", "on-dark");
    this.flip();
    this.draw();
  }

  private readonly onScroll = () => {
    this.part = null;
    this.redraw();
  };

  // Letters that would not be legible on their ground change their colour; those chips get the ground themselves.
  private flip(): void {
    const { chips, entries, colours } = this;
    const wanted = new Map<HTMLElement, number>();
    if (colours) {
      for (let i = 0; i < chips.length; ++i) {
        if (colours.darkText[entries[i]] !== colours.darkText[0]) wanted.set(chips[i], entries[i]);
      }
    }
    for (const chip of this.flipped.keys()) {
      if (wanted.has(chip)) continue;
      chip.classList.remove("flip");
      chip.style.backgroundColor = "";
      this.flipped.delete(chip);
    }
    for (const [chip, entry] of wanted) {
      if (this.flipped.get(chip) === entry) continue;
      chip.classList.add("flip");
      chip.style.backgroundColor = colours!.css[entry];
      this.flipped.set(chip, entry);
    }
  }

  private measure(): void {
    if (this.boxesOf === this.chips || !this.chips.length) return;
    this.boxesOf = this.chips;
    const origin = this.container.getBoundingClientRect();
    this.boxes = new Float32Array(4 * this.chips.length);
    this.chips.forEach((chip, i) => {
      const box = chip.getBoundingClientRect();
      this.boxes.set([box.left - origin.left, box.top - origin.top, box.width, box.height], 4 * i);
    });
  }

  private partOnScreen(): { top: number; bottom: number; width: number } {
    const origin = this.container.getBoundingClientRect();
    const screen = this.scroller.getBoundingClientRect();
    const top = Math.max(0, screen.top - origin.top);
    this.canvas.style.top = `${top}px`;
    return { top, bottom: Math.min(origin.height, screen.bottom - origin.top), width: origin.width };
  }

  private draw(): void {
    const { entries } = this;
    const { top, bottom, width: wide } = (this.part ??= this.partOnScreen());
    if (bottom <= top) return void sized(this.canvas, 0, 0); // the text is scrolled away: nothing of it may stay
    this.measure();
    const { boxes } = this;
    const context = sized(this.canvas, wide, bottom - top);
    if (!this.colours) return;
    const rounded = entries.length <= mostRounded;
    for (let i = 0; i < entries.length; ++i) {
      const [x, y, width, height] = [boxes[4 * i], boxes[4 * i + 1], boxes[4 * i + 2], boxes[4 * i + 3]];
      if (y + height < top || y > bottom) continue;
      context.fillStyle = this.colours.css[entries[i]];
      if (!rounded) {
        context.fillRect(x, y - top, width, height);
        continue;
      }
      context.beginPath();
      context.roundRect(x, y - top, width, height, 4);
      context.fill();
    }
  }
}

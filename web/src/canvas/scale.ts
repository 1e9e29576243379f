// Presentations write larger: whatever canvases draw in pixels of their own is multiplied by this.
export let typeScale = 1;

export function chooseScale(scale: number): void {
  typeScale = scale;
}

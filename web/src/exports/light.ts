// Pictures that leave the page are for paper and slides: light, whatever the screen is.
import { ColourTable } from "../core/colours";
import { now, page } from "../core/state";

const lightTable = "Blues"; // what "auto" is on a light screen
const known = new Map<string, ColourTable>();

const grey = () => Array.from({ length: 256 }, (_, i) => (255 - i).toString(16).padStart(2, "0").repeat(3)).join("");

function tableOf(name: string): ColourTable {
  const table = known.get(name) ?? new ColourTable(page.peek()?.colormaps[name] ?? grey());
  known.set(name, table);
  return table;
}

export function pictureColours(): ColourTable {
  const chosen = now.colormap.peek();
  return tableOf(chosen in (page.peek()?.colormaps ?? {}) ? chosen : lightTable);
}

export const pictureDifferenceColours = () => tableOf("RdBu");

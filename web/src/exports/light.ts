// Pictures that leave the page are for paper and slides: light, whatever the screen is.
import { ColourTable } from "../core/colours";
import { now, page } from "../core/state";

const lightTable = "Blues"; // what "auto" is on a light screen
const known = new Map<string, ColourTable>();

export function pictureColours(): ColourTable {
  const tables = page.peek()?.colormaps ?? {};
  const chosen = now.colormap.peek();
  const name = chosen in tables ? chosen : lightTable;
  const grey = () => Array.from({ length: 256 }, (_, i) => (255 - i).toString(16).padStart(2, "0").repeat(3)).join("");
  const table = known.get(name) ?? new ColourTable(tables[name] ?? grey());
  known.set(name, table);
  return table;
}

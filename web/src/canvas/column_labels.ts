// How the names of columns stand, so that none runs into the next: slanted where there is room, upright where the
// columns are narrower, and not all of them where they are narrower still.

import { typeScale } from "./scale";

export const labelSize = () => 11 * typeScale; // pixels
const upright = Math.PI / 2;
const slanted = Math.PI / 4;
const uprightPitch = () => labelSize() + 2; // letters, and the mark below names that the model does not know
const slantedPitch = () => Math.ceil((labelSize() + 4) / Math.sin(slanted));

export interface ColumnLabels {
  angle: number; // from the row's direction
  rise: number; // of a name, as a share of its length
}

// For cells of so many pixels when the whole matrix is shown: zooming does not turn the names.
export function columnLabels(cell: number): ColumnLabels {
  const angle = cell >= uprightPitch() && cell < slantedPitch() ? upright : slanted;
  return { angle, rise: angle === upright ? 1 : 0.72 };
}

// Every how manieth name has room.
export function labelStep({ angle }: ColumnLabels, cell: number): number {
  return Math.max(1, Math.ceil((angle === upright ? uprightPitch() : slantedPitch()) / cell));
}

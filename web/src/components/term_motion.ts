// Row × column → cell: points at one pair of numbers after the other. Nothing moves for people who asked for that.
import { useEffect, useState } from "preact/hooks";
import { reducedMotion } from "../core/frame";
import { isProduct, millisecondsPerCell, playedCells, playingSteps, pointedTerms } from "../core/stage_motion";
import type { Stage } from "../core/stages";
import type { Cell } from "../canvas/matrix_model";

// The term that is pointed at; −1: none. Begins again with every `turn` but the first, which is the stage's opening.
export function useTermMotion(stage: Stage, turn: number): number {
  const [term, setTerm] = useState(-1);
  useEffect(() => {
    if (!turn || !isProduct(stage) || reducedMotion()) {
      setTerm(-1);
      return;
    }
    const terms = pointedTerms(stage.boxes[0].matrix.columns);
    let at = 0;
    setTerm(terms[0] ?? -1);
    const timer = setInterval(() => {
      setTerm(terms[++at] ?? -1);
      if (at >= terms.length) clearInterval(timer);
    }, (0.8 * millisecondsPerCell) / terms.length);
    return () => clearInterval(timer);
  }, [turn]);
  return term;
}

// While the steps play, the cells of a product come one after the other.
export function usePlayedCells(stage: Stage, row: number, select: (cell: Cell) => void): void {
  const playing = playingSteps.value;
  useEffect(() => {
    if (!playing || !isProduct(stage) || reducedMotion()) return;
    const cells = playedCells(stage, row);
    let at = 0;
    select(cells[0]);
    const timer = setInterval(() => {
      if (++at < cells.length) select(cells[at]);
      else clearInterval(timer);
    }, millisecondsPerCell);
    return () => clearInterval(timer);
  }, [playing, stage.name]);
}

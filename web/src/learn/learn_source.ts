// Where lessons come from: the server, or the file the page stands in.
import type { Language } from "../core/language";
import { json, request } from "../data/request";
import type { Catalogue, Diagnosis, Lesson, Live, LiveInput } from "./types";

export interface LearnSource {
  readonly isLive: boolean; // numbers can be changed and are computed again
  catalogue(language: Language): Promise<Catalogue>;
  lesson(id: string, language: Language): Promise<Lesson>;
  live(id: string, language: Language, input: LiveInput, signal: AbortSignal): Promise<Live>;
  // The values that a control can be set to; null: all of its range.
  positions(live: string, control: string): number[] | null;
  // `answer` as it was typed: numbers row by row, or the name of a head.
  check(exercise: string, answer: string): Promise<Diagnosis>;
}

// "1,0;0,1"
const matrixText = (rows: number[][]) => rows.map((row) => row.join(",")).join(";");

export class HttpLearn implements LearnSource {
  readonly isLive = true;

  catalogue(language: Language): Promise<Catalogue> {
    return json<Catalogue>(`api/learn?language=${language}`);
  }

  lesson(id: string, language: Language): Promise<Lesson> {
    return json<Lesson>(`api/learn/lesson?${new URLSearchParams({ lesson: id, language })}`);
  }

  live(id: string, language: Language, input: LiveInput, signal: AbortSignal): Promise<Live> {
    const values = new URLSearchParams({ live: id, language });
    for (const [name, value] of Object.entries(input.controls)) values.set(`control.${name}`, String(value));
    for (const [name, rows] of Object.entries(input.matrices)) values.set(`matrix.${name}`, matrixText(rows));
    return json<Live>(`api/learn/live?${values}`, { signal });
  }

  positions(): null {
    return null;
  }

  async check(exercise: string, answer: string): Promise<Diagnosis> {
    const response = await request("api/learn/check", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ exercise, answer }),
    });
    return (await response.json()) as Diagnosis;
  }
}

// Lessons inside a single file: numbers computed ahead, and the check of a typed answer by comparing it with what the right
// computation and every common mistake give on the exercise's numbers (apps/explorer/learn_file.cc).
import type { Language } from "../core/language";
import { SourceError } from "../data/source";
import { diagnose } from "./file_check";
import type { StoredExercise, StoredMistakes } from "./file_check";
import type { LearnSource } from "./learn_source";
import type { Catalogue, Cell, Diagnosis, Lesson, Live, LiveInput } from "./types";

// One position of the controls, and the values of all matrices there.
interface StoredPosition {
  controls: Record<string, number>;
  values: Cell[][][];
}

interface StoredAnswers {
  mistakes: StoredMistakes;
  exercises: Record<string, StoredExercise>;
}

export class FileLearn implements LearnSource {
  readonly isLive = false;
  private readonly read = new Map<string, unknown>();

  constructor(private readonly texts: Record<string, string | undefined>) {}

  async catalogue(language: Language): Promise<Catalogue> {
    return this.parsed<Catalogue>(`learn.${language}`);
  }

  async lesson(id: string, language: Language): Promise<Lesson> {
    const lesson = this.parsed<Lesson[]>(`learn.lessons.${language}`).find((one) => one.id === id);
    if (!lesson) throw new SourceError(`no lesson ${id} in this file`, 0, true);
    return lesson;
  }

  positions(live: string, control: string): number[] {
    const values = this.stored(live).map(({ controls }) => controls[control]).filter((value) => value !== undefined);
    return [...new Set(values)].sort((a, b) => a - b);
  }

  async live(id: string, language: Language, input: LiveInput): Promise<Live> {
    const first = this.parsed<Lesson[]>(`learn.lessons.${language}`).flatMap(({ steps }) => steps).find(({ live }) => live?.id === id)?.live;
    const wanted = Object.fromEntries(first?.controls.map(({ name, value }) => [name, input.controls[name] ?? value]) ?? []);
    const found = this.stored(id).find(({ controls }) => Object.entries(wanted).every(([name, value]) => controls[name] === value));
    if (!first || !found) throw new SourceError(`${id} is not in this file with these numbers`, 0, true);
    return { ...first, matrices: first.matrices.map((matrix, i) => ({ ...matrix, values: found.values[i]! })) };
  }

  async check(exercise: string, answer: string): Promise<Diagnosis> {
    const { exercises, mistakes } = this.parsed<StoredAnswers>("learn.answers");
    const stored = exercises[exercise];
    const asked = this.parsed<Catalogue>("learn.en").exercises.find(({ id }) => id === exercise);
    if (!stored || !asked) throw new SourceError(`no exercise ${exercise} in this file`, 0, true);
    return diagnose(asked, stored, mistakes, answer);
  }

  private stored(live: string): StoredPosition[] {
    return this.parsed<Record<string, StoredPosition[]>>("learn.positions")[live] ?? [];
  }

  // Parsed once.
  private parsed<T>(name: string): T {
    if (!this.read.has(name)) {
      const text = this.texts[name];
      if (text === undefined) throw new SourceError(`"${name}" is not in this file`, 0, true);
      this.read.set(name, JSON.parse(text));
    }
    return this.read.get(name) as T;
  }
}

// Lessons inside a single file: numbers computed ahead, and the check of a typed answer by comparing it with what the right
// computation and every common mistake give on the exercise's numbers (apps/explorer/learn_file.cc).
import type { Language } from "../core/language";
import { SourceError } from "../data/source";
import { diagnose } from "./file_check";
import type { StoredExercise, StoredMistakes } from "./file_check";
import type { LearnSource } from "./learn_source";
import type { Catalogue, Diagnosis, Lesson, Live, LiveInput } from "./types";

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
    const values = this.stored(live, "en").flatMap(({ controls }) => controls.filter(({ name }) => name === control));
    return [...new Set(values.map(({ value }) => value))].sort((a, b) => a - b);
  }

  // What was not changed stands where it began.
  async live(id: string, language: Language, input: LiveInput): Promise<Live> {
    const first = this.parsed<Lesson[]>(`learn.lessons.${language}`).flatMap(({ steps }) => steps).find(({ live }) => live?.id === id)?.live;
    const wanted = first?.controls.map(({ name, value }) => input.controls[name] ?? value);
    const found = this.stored(id, language).find(({ controls }) => controls.every(({ value }, i) => value === wanted?.[i]));
    if (!found) throw new SourceError(`${id} is not in this file with these numbers`, 0, true);
    return found;
  }

  async check(exercise: string, answer: string): Promise<Diagnosis> {
    const { exercises, mistakes } = this.parsed<StoredAnswers>("learn.answers");
    const stored = exercises[exercise];
    const asked = this.parsed<Catalogue>("learn.en").exercises.find(({ id }) => id === exercise);
    if (!stored || !asked) throw new SourceError(`no exercise ${exercise} in this file`, 0, true);
    return diagnose(asked, stored, mistakes, answer);
  }

  private stored(live: string, language: Language): Live[] {
    return this.parsed<Record<string, Live[]>>(`learn.positions.${language}`)[live] ?? [];
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

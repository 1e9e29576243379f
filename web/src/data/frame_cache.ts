// A source that remembers what it said of single frames: whoever plays a film back and forth asks again and again.
import type { Rollout, Similarity, Source, Thumbnails } from "./source";
import type { KindName, Overview } from "./types";

const mostAnswers = 600;

export function withFrameCache(from: Source): Source {
  const answers = new Map<string, Promise<unknown>>(); // the one used last stands last
  const remember = <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    const known = answers.get(key) as Promise<T> | undefined;
    const answer = known ?? ask();
    answers.delete(key);
    answers.set(key, answer);
    if (!known) answer.catch(() => answers.delete(key));
    if (answers.size > mostAnswers) answers.delete(answers.keys().next().value!);
    return answer;
  };
  const isFrame = (capture: string) => /^f\d+x\d+$/.test(capture);
  const kept = <T>(what: string, ask: (capture: string, kind: KindName) => Promise<T>) =>
    (capture: string, kind: KindName): Promise<T> =>
      isFrame(capture) ? remember(`${what} ${capture} ${kind}`, () => ask(capture, kind)) : ask(capture, kind);
  return Object.assign(Object.create(from) as Source, {
    overview: kept<Overview>("overview", (capture, kind) => from.overview(capture, kind)),
    thumbnails: kept<Thumbnails>("thumbnails", (capture, kind) => from.thumbnails(capture, kind)),
    similarity: kept<Similarity>("similarity", (capture, kind) => from.similarity(capture, kind)),
    rollout: kept<Rollout>("rollout", (capture, kind) => from.rollout(capture, kind)),
  });
}

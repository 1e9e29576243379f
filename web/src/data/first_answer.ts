// Of a run that was changed just now, somebody waits for the prediction. All else that is asked of the same change waits
// until that is here and on the screen: the server has few processors, and the page one thread.
const longestWait = 1000; // milliseconds; a prediction that takes longer than this leads nobody

const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds));

// Until what was just changed is painted: a page in the background has no frames.
function painted(): Promise<void> {
  const frames = new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
  return Promise.race([frames, pause(200)]);
}

export class FirstAnswer {
  private readonly leaders = new Map<string, Promise<void>>();

  constructor(private readonly onScreen: () => Promise<void> = painted) {}

  // The answer that the others wait for, whether it comes or fails.
  lead<T>(change: string, answer: Promise<T>): Promise<T> {
    if (!change) return answer;
    const came = answer.then(() => this.onScreen(), () => undefined);
    const over = Promise.race([came, pause(longestWait)]).then(() => {
      if (this.leaders.get(change) === over) this.leaders.delete(change);
    });
    this.leaders.set(change, over);
    return answer;
  }

  // When it is somebody else's turn.
  turn(change: string): Promise<void> | undefined {
    return this.leaders.get(change);
  }
}

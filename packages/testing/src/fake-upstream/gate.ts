/** A gate stands open until it is held; whoever comes to a held gate waits for its release. */
export class Gate {
  #waiting: (() => void)[] = [];
  #held = false;

  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    for (const go of this.#waiting.splice(0)) go();
  }

  /** Resolves when the gate is open, or the signal aborts. `always` waits for the next release although nobody held the gate. */
  async pass(signal: AbortSignal, always = false): Promise<void> {
    if ((!this.#held && !always) || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
  }
}

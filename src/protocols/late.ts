/** Code that is loaded when it is first needed, which no start has to wait for. */
export class Late<Loaded> {
  /** Undefined until it has been loaded. */
  now: Loaded | undefined;
  private loading: Promise<Loaded> | undefined;

  /** @param begin loads it */
  constructor(private readonly begin: () => Promise<Loaded>) {}

  /** Whether somebody waits for it. */
  get isLoading(): boolean {
    return this.loading !== undefined;
  }

  /** Rejects as `begin` does; if no file could be opened, the next attempt may have more luck. */
  load(): Promise<Loaded> {
    this.loading ??= this.attempt();
    return this.loading;
  }

  private async attempt(): Promise<Loaded> {
    try {
      return (this.now = await this.begin());
    } finally {
      this.loading = undefined;
    }
  }
}

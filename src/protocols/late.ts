/** Code loaded on first use, to keep the start fast. */
export class Late<Loaded> {
  /** Undefined until loaded. */
  now: Loaded | undefined;
  private loading: Promise<Loaded> | undefined;

  /** @param begin loads the code */
  constructor(private readonly begin: () => Promise<Loaded>) {}

  /** Whether loading is in progress. */
  get isLoading(): boolean {
    return this.loading !== undefined;
  }

  /** Rejects like `begin`. A later attempt may succeed, for example after a shortage of file descriptors. */
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

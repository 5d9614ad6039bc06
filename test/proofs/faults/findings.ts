/** Findings about a kind of write. */
export class Findings {
  private counted = { points: 0, kills: 0, errors: 0 };
  readonly violations: string[] = [];

  constructor(readonly kind: string) {}

  /** Number of system calls it makes. */
  points(count: number): void {
    this.counted.points = count;
  }

  kill(): void {
    this.counted.kills++;
  }

  error(): void {
    this.counted.errors++;
  }

  /** Record a check's failure at a point, and continue. */
  async of(point: string, check: () => void | Promise<void>): Promise<void> {
    try {
      await check();
    } catch (error) {
      const violation = `${point}: ${error instanceof Error ? error.message : String(error)}`;
      this.violations.push(violation);
      process.stderr.write(`${violation}\n`);
    }
  }

  get row(): readonly [kind: string, ...figures: number[]] {
    const { points, kills, errors } = this.counted;
    return [this.kind, points, kills, errors, this.violations.length];
  }
}

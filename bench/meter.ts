import type { Figures } from './budgets.js';
import { figures, type Best, type Figure, type Quantity, type Subject, type Who } from './figures.js';
import { measure, type Bench } from './measure.js';
import { idleMemoryMb, shutdownMs, startTimes } from './process-costs.js';
import { handWritten, server, type Program } from './programs.js';
import { workload } from './workloads.js';

/** With fresh processes, the order reversed each time. */
const rounds = 3;
const startRounds = 11;
const memoryInstances = 5;

const programs: Readonly<Record<Who, Program>> = { server, 'hand-written': handWritten };

/**
 * Measures figures by their names, as often as it is asked: they come from everything measured so far, and of each
 * quantity the smallest counts, since what else a machine does only ever adds.
 * @param onProgress told what is measured next
 */
export function createMeter(bench: Bench, onProgress: (what: string) => void) {
  const smallest = new Map<string, number>();
  const best: Best = (subject, quantity) => smallest.get(`${subject}: ${quantity}`);

  return async (names: ReadonlySet<string>): Promise<Figures> => {
    const wanted = Object.entries(figures).filter(([name]) => names.has(name));
    for (const together of groups(wanted.map(([, figure]) => figure))) {
      onProgress(together.join(', '));
      for (let round = 0; round < rounds; round++) {
        for (const subject of round % 2 === 0 ? together : together.toReversed()) await observe(subject, round);
      }
    }
    return new Map(wanted.map(([name, figure]) => [name, figure.from(best)]));
  };

  async function observe(subject: Subject, round: number): Promise<void> {
    const { directories } = bench;
    // Medians of their own, which need no further rounds.
    if (subject === 'start' && round === 0) {
      const [bare, value] = await startTimes(directories, [server], startRounds);
      keep(subject, { bare, value });
    } else if (subject === 'memory' && round === 0) {
      const [value] = await idleMemoryMb(directories, [server], memoryInstances);
      keep(subject, { value });
    } else if (subject === 'shutdown' && round === 0) {
      keep(subject, { value: await shutdownMs(directories, server, rounds) });
    } else if (isLoad(subject)) {
      const [who, name] = split(subject);
      const { p50Ms, p99Ms, serverMsPerRequest, lost } = await measure(bench, workload(name), programs[who]);
      if (who === 'server' && lost !== undefined && lost > 0) {
        throw new Error(`${name}: ${String(lost)} acknowledged edits are not in the file`);
      }
      keep(subject, { p50: p50Ms, p99: p99Ms, cpu: serverMsPerRequest });
    }
  }

  function keep(subject: Subject, quantities: Partial<Record<Quantity, number | undefined>>): void {
    for (const [quantity, value] of Object.entries(quantities)) {
      const key = `${subject}: ${quantity}`;
      if (value !== undefined) smallest.set(key, Math.min(smallest.get(key) ?? Infinity, value));
    }
  }
}

type LoadSubject = Extract<Subject, `${Who}: ${string}`>;

function isLoad(subject: Subject): subject is LoadSubject {
  return subject.includes(': ');
}

function split(subject: LoadSubject): [Who, string] {
  const who = subject.startsWith('server') ? 'server' : 'hand-written';
  return [who, subject.slice(who.length + 2)];
}

/** Each subject once; those that a ratio needs are measured in turns, so that both meet the same minutes. */
function groups(wanted: readonly Figure[]): Subject[][] {
  const result: Subject[][] = [];
  for (const { of } of wanted.toSorted((a, b) => b.of.length - a.of.length)) {
    const missing = of.filter((subject) => !result.flat().includes(subject));
    if (missing.length > 0) result.push(missing);
  }
  return result;
}

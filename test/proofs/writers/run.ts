/**
 * `npm run prove -- writers`: many clients edit a few files through several server processes, some of which are killed
 * or stopped. For each file, the answers and the final content must match those of a single server that runs one call
 * after the other (linearizability).
 *
 *   npm run prove -- writers [--edits=20000] [--sets=0] [--clients=32] [--files=3] [--quiet=4] [--servers=4] [--durability=full]
 *
 * With --sets, one call in four changes several files: what it does must show in all of them or in none, also if its
 * server is killed. The run goes on until there have been so many of them. Files are busy, or quiet so that servers cache them. Ctrl-C ends the run after the current
 * round, with its figures. The environment variable SEED repeats the calls, not their timing. Exits with 1 at the first
 * wrong history, with the best attempt to explain it.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withDirectory } from '../../directory.js';
import { randomFrom, type Random } from '../../reliability/random.js';
import { temporaryFiles } from '../../reliability/server.js';
import { Agent, Counts, type Arena } from './agent.js';
import type { Stuck } from './checker.js';
import { fileModel, view, type Answered, type Text } from './file-calls.js';
import { withFleet, type Berth } from './fleet.js';
import { Clock, History } from './history.js';
import { explainTogether, type Told } from './whole.js';

const { values } = parseArgs({
  options: {
    edits: { type: 'string', default: '20000' },
    sets: { type: 'string', default: '0' },
    clients: { type: 'string', default: '32' },
    files: { type: 'string', default: '3' },
    quiet: { type: 'string', default: '4' },
    servers: { type: 'string', default: '4' },
    durability: { type: 'string', default: 'full' },
  },
});
let wanted = { edits: Number(values.edits), sets: Number(values.sets) };
process.once('SIGINT', () => (wanted = { edits: 0, sets: 0 }));
/** With them, one call in so many is one. */
const setEvery = wanted.sets > 0 ? 4 : 0;
/** Then all pause, and the answers are checked, since a million calls are too many to check together. */
const questionsOfARound = 2_000;
/** How often per round a server is killed or stopped. */
const troublesOfARound = 2;
const busy = Array.from({ length: Number(values.files) }, (_, i) => `busy-${String(i)}.txt`);
const quiet = Array.from({ length: Number(values.quiet) }, (_, i) => `quiet-${String(i)}.txt`);
const names = [...busy, ...quiet];
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 32)) >>> 0;
const random = randomFrom(seed);
console.log(`SEED=${String(seed)}`);
/** Histories of one file in one round: checked, and undecided for too many possible orders. */
let judged = 0;
let undecided = 0;
/** Fraction of all histories. With more undecided ones, a run proves nothing; a short run may have none. */
const mostUndecided = 0.001;

const began = performance.now();
await withDirectory({}, (directory) =>
  withFleet(directory, Number(values.servers), { toolset: 'all', durability: values.durability }, async (fleet) => {
    const clock = new Clock();
    const histories = new Map(names.map((name) => [name, new History(clock)]));
    const counts = new Counts();
    const arena: Arena = { fleet, histories, own: new Map(), setEvery, quiet: new Set(quiet), clock, random, counts };
    const agents = Array.from({ length: Number(values.clients) }, (_, i) => new Agent(`c${String(i)}`, arena));
    const texts = new Map<string, Text>(names.map((name) => [name, null]));
    let questions = 0;
    for (let round = 1; counts.edits < wanted.edits || counts.sets < wanted.sets; round++) {
      const troubles = Array.from({ length: troublesOfARound }, () => random.between(1, questionsOfARound));
      const made: Promise<void>[] = [];
      let left = questionsOfARound;
      const asking = agents.map(async (agent) => {
        while (left-- > 0) {
          if (troubles.includes(left)) made.push(makeTrouble(fleet, random));
          await agent.ask();
        }
      });
      await Promise.all(asking);
      await Promise.all(made);
      // Checking takes a while, during which servers would close connections that the next round believes open.
      for (const agent of agents) agent.close();
      questions += judgeRound(directory, arena, texts);
      if (round % 25 === 0)
        console.log(`${String(counts.edits)} edits, ${String(counts.sets)} sets of changes, ${seconds()} s`);
    }
    const left = temporaryFiles(directory);
    if (left.length > 0 && !(await cleanedUp(fleet, directory))) throw new Error(`left behind: ${left.join(' ')}`);
    if (undecided > mostUndecided * judged) {
      throw new Error(`${String(undecided)} histories of ${String(judged)} undecided`);
    }
    const kills = fleet.reduce((sum, berth) => sum + berth.kills, 0);
    if (setEvery > 0) {
      console.log(
        `${String(counts.sets)} calls that change 2 to 6 files each, ${String(counts.refusedSets)} of them refused, ` +
          `${String(counts.cutSets)} not answered: none partial, none lost`,
      );
    }
    const pauses = fleet.reduce((sum, berth) => sum + berth.pauses, 0);
    console.log(
      `${String(counts.edits)} edits of ${String(busy.length)} busy and ${String(quiet.length)} quiet files by ${values.clients} clients through ` +
        `${values.servers} servers, ${String(counts.refused)} of them refused, and ${String(counts.reads)} reads: ` +
        `${String(questions)} questions in order, none lost, none twice, no read stale, ${String(undecided)} histories undecided, ${String(judged)} judged; ` +
        `${String(kills)} servers killed, ${String(pauses)} paused, ${String(counts.unanswered)} questions not answered, ` +
        `${String(counts.tooLate)} not in time; durability ${values.durability}, ${seconds()} s`,
    );
  }),
);

function seconds(): string {
  return ((performance.now() - began) / 1000).toFixed(0);
}

function makeTrouble(fleet: readonly Berth[], dice: Random): Promise<void> {
  const berth = dice.pick(fleet);
  return dice.between(0, 2) > 0 ? berth.replace() : berth.pause(dice.between(5, 150));
}

/** Check the histories of a round, and the final contents. @returns number of calls checked */
function judgeRound(directory: string, { histories, own, clock }: Arena, texts: Map<string, Text>): number {
  const look = (name: string, history: History): { text: Text; told: Told<Text, Answered> } => {
    const path = join(directory, name);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : null;
    history.answered(view(name), clock.tick(), whatIs(text));
    return { text, told: { name, operations: history.take(), initial: texts.get(name) ?? null } };
  };
  const all = [...histories].map(([name, history]) => {
    const { text, told } = look(name, history);
    texts.set(name, text);
    return told;
  });
  for (const [file, history] of own) {
    const { text, told } = look(file.name, history);
    file.text = text;
    all.push(told);
    rmSync(join(directory, file.name), { force: true });
  }
  own.clear();
  const explained = explainTogether(all, fileModel, ({ call }) => call.set);
  if (explained.kind === 'wrong') {
    console.error(explain(explained.name, explained.verdict));
    throw new Error(`what was told about ${explained.name} cannot be explained`);
  }
  if (explained.kind === 'partial') {
    const parts = all.flatMap(({ name, operations }) =>
      operations
        .filter(({ action }) => action.call.set === explained.set)
        .map(({ action }) => `${name}: ${JSON.stringify(action.call.params)}`),
    );
    throw new Error(`of the changes of one call, some took effect and some did not: ${parts.join('; ')}`);
  }
  judged += all.length - explained.undecided.length;
  undecided += explained.undecided.length;
  return all.reduce((sum, { operations }) => sum + operations.length, 0);
}

/** The disk's content, in the form of an answer to `view`. */
function whatIs(text: Text): Parameters<History['answered']>[2] {
  return text === null
    ? { kind: 'refused', code: -32001, status: 404, message: 'not found', data: {} }
    : { kind: 'done', result: { content: text, size: text.length } };
}

function explain(name: string, { linearizable, order, state, unfit }: Stuck<Text, Answered>): string {
  const show = ({ call, reply }: Answered): string =>
    `${call.operation} ${JSON.stringify(call.params)} -> ${JSON.stringify(reply ?? 'no answer')}`.slice(0, 600);
  const list = (operations: typeof order): string =>
    operations.map(({ action, begin, end }) => `  ${String(begin)}-${String(end)} ${show(action)}`).join('\n');
  return (
    `${name}, ${linearizable === false ? 'wrong' : 'undecided'}, after ${String(order.length)} in order, of which the last:\n${list(order.slice(-8))}\n` +
    `held ${JSON.stringify(state)}, and none of these fits:\n${list(unfit)}`
  );
}

/** A starting server removes others' leftovers. */
async function cleanedUp(fleet: readonly Berth[], directory: string): Promise<boolean> {
  await fleet[0]?.replace();
  return temporaryFiles(directory).length === 0;
}

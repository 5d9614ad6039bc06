// traced.mjs JOBS: makes the calls of each job in the main thread, where a trace shows them in order, with the built code
// of the worker threads. Looks for files that are never there mark in the trace where a job has come.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const { tasksHere } = createRequire(import.meta.url)('../../../../dist/workers/main.cjs');
const mark = (what) => existsSync(`/marked/${what}`);

for (const { setup, before, beside, calls } of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
  const begin = () =>
    tasksHere({ ...setup, phases: new SharedArrayBuffer(4096), timings: new SharedArrayBuffer(4096) });
  const tasks = begin();
  const other = begin();
  const run = async (together, by = tasks) => {
    const [{ operation } = {}] = together;
    const answers = await by.run({ operation, calls: together.map(({ params }, slot) => ({ params, slot })) });
    mark(`answered-${String(answers.filter(({ ok }) => ok).length)}`);
    if (answers.length < together.length || !answers.every(({ ok }) => ok)) {
      console.error(JSON.stringify(answers));
      process.exitCode = 1;
    }
  };
  for (const call of before) await run([call]);
  mark('settled');
  for (const call of beside) await run([call], other);
  mark('begun');
  await run(calls);
  // What comes after the answer: libuv's threads close files.
  await sleep(10);
  tasks.close();
  other.close();
  mark('ended');
}

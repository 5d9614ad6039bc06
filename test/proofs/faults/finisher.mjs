// finisher.mjs start|writer DIRECTORY: does for the directory what the start of a server does, or what its first write
// does, in the main thread, where strace finds it without looking for threads.
import { createRequire } from 'node:module';

const [, , as, directory] = process.argv;
const { tasksHere } = createRequire(import.meta.url)('../../../dist/workers/main.cjs');
const tasks = tasksHere({
  directory,
  readOnly: false,
  maxBytes: 10_000_000,
  maxLines: undefined,
  names: 'portable',
  durability: 'full',
  umask: 0o022,
  keepsReads: false,
  phases: new SharedArrayBuffer(4),
  timings: new SharedArrayBuffer(4096),
});
const params = { name: 'beside.txt', append: 'x', create_if_missing: true };
const outcomes =
  as === 'start' ? tasks.sweep() : await tasks.run({ operation: 'edit_file', calls: [{ params, slot: 0 }] });
for (const { ok, notices = [] } of outcomes) {
  for (const { message } of notices) console.log(message);
  if (!ok) process.exitCode = 1;
}

/**
 * The live part of the status page: polls the server's figures once a second while the page is visible, and draws them.
 */
import { stateText } from '../../status.js';
import { Chart } from './chart.js';
import { completeConnectLines } from './connect-lines.js';
import { between, keep, look, operationsLabel, uptimeOf, type Look, type Point } from './look.js';
import { panels } from './panels.js';
import { byId, SinceStart } from './since-start.js';
import { duration } from './words.js';

const everyMs = 1000;
/** How many polls are kept: five minutes. */
const most = 300;

/** By the server's names for its states; another version may have others. */
const stateTexts: Readonly<Record<string, string>> = stateText;

const state = byId('state');
const uptime = byId('uptime');
const pause = byId('pause');
const writing = operationsLabel((document.querySelector('main')?.dataset['writing'] ?? '').split(' '));

const sinceStart = new SinceStart(writing);
const charts = panels.map((panel) => new Chart(panel));
const points: (Point | null)[] = [];
let before: Look | undefined;
let paused = false;
let timer: number | undefined;
/** The result of a poll that began before the last stop is ignored. */
let run = 0;

byId('charts').append(...charts.map(({ element }) => element));
pause.hidden = false;
completeConnectLines();

async function watch(mine: number): Promise<void> {
  const began = performance.now();
  try {
    const now = await look();
    if (mine !== run) return;
    // A server restarted in the meantime counts from zero.
    add(before === undefined || uptimeOf(now) < uptimeOf(before) ? null : between(before, now, writing));
    before = now;
    say(now.state);
    uptime.textContent = duration(uptimeOf(now));
    sinceStart.show(now);
  } catch {
    if (mine !== run) return;
    before = undefined;
    add(null);
    say(undefined);
  }
  timer = setTimeout(() => void watch(mine), Math.max(100, everyMs - (performance.now() - began)));
}

function add(point: Point | null): void {
  keep(points, point, most);
  if (point === null) return;
  for (const chart of charts) chart.draw(points);
}

/** Writes only changes, or a screen reader would repeat the text every second. */
function say(name: string | undefined): void {
  const text = name === undefined ? 'no answer' : (stateTexts[name] ?? name);
  if (state.textContent !== text) state.textContent = text;
  state.dataset['state'] = name === 'ok' ? 'ok' : 'bad';
}

/** Start or stop polling, depending on the visibility of the page and the state of its button. */
function settle(): void {
  const wanted = !paused && document.visibilityState === 'visible';
  if (wanted === (timer !== undefined)) return;
  run += 1;
  clearTimeout(timer);
  timer = undefined;
  if (!wanted) {
    before = undefined;
    add(null);
    return;
  }
  timer = setTimeout(() => void watch(run));
}

pause.addEventListener('click', () => {
  paused = !paused;
  pause.textContent = paused ? 'Go on' : 'Pause';
  settle();
});
document.addEventListener('visibilitychange', settle);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const chart of charts) chart.redraw();
});
new ResizeObserver(() => {
  for (const chart of charts) chart.resize();
}).observe(byId('charts'));
for (const chart of charts) chart.draw(points);
settle();

/** The same figures as text, for screen readers and for copying. */
import { shown } from './chart.js';
import type { Point } from './look.js';
import { panels } from './panels.js';
import { timeText } from './words.js';

/** How many rows: the last minute. */
const most = 60;

const lines = panels.flatMap((panel) => panel.lines.map((line) => ({ line, title: `${panel.title}: ${line.name}` })));

/** Newest first. */
export function figuresTable(points: readonly (Point | null)[]): HTMLTableElement {
  const table = document.createElement('table');
  const head = table.createTHead().insertRow();
  for (const title of ['Time', ...lines.map(({ title }) => title)]) {
    const cell = document.createElement('th');
    cell.scope = 'col';
    cell.textContent = title;
    head.append(cell);
  }
  const body = table.createTBody();
  for (const point of points.slice(-most).reverse()) {
    if (point === null) continue;
    const row = body.insertRow();
    const time = document.createElement('th');
    time.scope = 'row';
    time.textContent = timeText(point.time);
    row.append(time);
    for (const { line } of lines) row.insertCell().textContent = shown(line, point);
  }
  return table;
}

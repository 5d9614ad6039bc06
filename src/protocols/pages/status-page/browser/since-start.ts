/** Shows the totals since the start, the failures by kind and the calls of each operation. */
import type { Look } from './look.js';
import { callsOf, failureRows, totals } from './totals.js';
import { count } from './words.js';

export class SinceStart {
  private readonly values: readonly HTMLElement[];
  private readonly failures = byId('failures');
  private readonly operations = document.querySelectorAll<HTMLTableRowElement>('tr[data-operation]');
  private shownFailures: string | undefined;

  /** @param writing matches the labels of the operations that write */
  constructor(private readonly writing: RegExp) {
    const list = byId('totals');
    this.values = totals.map(({ name }) => {
      const item = document.createElement('div');
      const [term, value] = [document.createElement('dt'), document.createElement('dd')];
      term.textContent = name;
      item.append(value, term);
      list.append(item);
      return value;
    });
  }

  show({ figures }: Look): void {
    byId('since').hidden = false;
    totals.forEach(({ of }, place) => {
      setText(this.values[place], of(figures, this.writing));
    });
    for (const row of this.operations) {
      const { all, failed } = callsOf(figures, row.dataset['operation'] ?? '');
      const [calls, failures] = row.querySelectorAll('.number');
      setText(calls, count(all));
      setText(failures, count(failed));
    }
    this.showFailures(failureRows(figures));
  }

  /** Replaces rows only if they differ, so a row can be selected and copied. */
  private showFailures(rows: readonly (readonly string[])[]): void {
    const shown = rows.join('\n');
    if (shown === this.shownFailures) return;
    this.shownFailures = shown;
    this.failures.replaceChildren();
    for (const [kind = '', ...texts] of rows.length === 0 ? [['none', '', '', '']] : rows) {
      const row = document.createElement('tr');
      const head = document.createElement('th');
      head.scope = 'row';
      head.textContent = kind;
      row.append(head);
      texts.forEach((text, place) => {
        const cell = row.insertCell();
        cell.textContent = text;
        if (place === 0) cell.className = 'number';
      });
      this.failures.append(row);
    }
  }
}

export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no ${id}`);
  return element;
}

function setText(element: Element | undefined, text: string): void {
  if (element !== undefined && element.textContent !== text) element.textContent = text;
}

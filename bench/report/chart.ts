/** This server against other programs, as an SVG for light and dark pages and the width of a phone. */
import type { Run } from './results-table.js';
import type { Result, Side } from './results.js';
import { figure } from './table.js';

/** Programs a user might choose instead. The other baselines are yardsticks and appear only in the table. */
const peers: Readonly<Record<string, string>> = {
  'MCP server-filesystem': 'the official MCP server, which syncs nothing',
  'node:http by hand': 'node:http and fs.promises by hand',
  'nginx, sendfile': 'nginx, sendfile',
};

const width = 440;
const margin = 16;
/** Room for the figure to the right of the longest bar. */
const figureWidth = 64;
const longest = width - 2 * margin - figureWidth;
const rowHeight = 36;

const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 15px } .peer { font-weight: 600 } .small { font-size: 12px; fill: #59636e }
  .page { fill: #ffffff } .own { fill: #0969da } .other { fill: #bc4c00 } .line { stroke: #1f2328; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .small { fill: #9198a1 }
    .page { fill: #0d1117 } .own { fill: #4493f8 } .other { fill: #f0883e } .line { stroke: #f0f6fc }
  }`;

interface Compared extends Result {
  readonly own: Side;
  readonly baseline: Side;
  readonly result: number;
}

/** Counts come first (lost edits), with a bar for each side; then ratios where more is better, by peer. */
export function chart({ machine, date, results }: Run): string {
  const compared = results.filter(
    (each): each is Compared =>
      each.own !== undefined &&
      each.result !== undefined &&
      each.baseline !== undefined &&
      Object.hasOwn(peers, each.baseline.name),
  );
  const drawing = new Drawing();
  drawing.line('This server beside others', 'title', 26);
  drawing.line(`${machine}; ${date}`, 'small', 18);
  for (const { name, own, baseline } of compared.filter(({ unit }) => unit === ''))
    counts(drawing, name, [own, baseline]);
  const ratios = compared.filter(({ unit, demand }) => unit === '×' && demand === 'at least');
  if (ratios.length > 0) speeds(drawing, ratios);
  return drawing.svg('This server beside others');
}

function counts(drawing: Drawing, name: string, sides: readonly Side[]): void {
  drawing.line(capital(name), 'title', 34);
  drawing.line('Shorter is better.', 'small', 18);
  const most = Math.max(1, ...sides.map(({ value }) => value));
  for (const [index, { name: program, value }] of sides.entries()) {
    drawing.bar(program, (value / most) * longest, figure(value, ''), index === 0 ? 'own' : 'other');
  }
}

function speeds(drawing: Drawing, ratios: readonly Compared[]): void {
  const unit = longest / Math.max(1, ...ratios.map(({ result }) => result));
  drawing.line('How many times as fast', 'title', 34);
  drawing.line('Longer is better. The upright line is the other program.', 'small', 18);
  for (const [peer, title] of Object.entries(peers)) {
    const rows = ratios.filter(({ baseline }) => baseline.name === peer);
    if (rows.length === 0) continue;
    drawing.line(`than ${title}`, 'peer', 28);
    for (const { name, result } of rows) {
      drawing.bar(name, result * unit, figure(result, '×'), 'own', unit);
    }
  }
}

/** Lines and bars, stacked top to bottom. */
class Drawing {
  height = 0;
  readonly #parts: string[] = [];

  line(content: string, kind: string, height: number): void {
    this.height += height;
    this.#parts.push(text(margin, this.height, content, kind));
  }

  /** @param mark where an upright line crosses the bar */
  bar(label: string, length: number, value: string, kind: string, mark = 0): void {
    this.height += rowHeight;
    const y = this.height;
    this.#parts.push(
      text(margin, y - 18, label, 'small'),
      `<rect x="${String(margin)}" y="${String(y - 12)}" width="${rounded(length)}" height="10" class="${kind}"/>`,
      text(margin + Math.max(length, mark) + 6, y - 2, value),
    );
    if (mark === 0) return;
    const x = rounded(margin + mark);
    this.#parts.push(`<line x1="${x}" x2="${x}" y1="${String(y - 15)}" y2="${String(y + 1)}" class="line"/>`);
  }

  svg(title: string): string {
    const size = [width, this.height + margin].map(String).join(' ');
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size}" width="${String(width)}" role="img">
<title>${title}</title>
<style>${style}
</style>
<rect class="page" width="100%" height="100%" rx="6"/>
${this.#parts.join('\n')}
</svg>
`;
  }
}

function text(x: number, y: number, content: string, kind = ''): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<text x="${rounded(x)}" y="${String(y)}" class="${kind}">${escaped}</text>`;
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

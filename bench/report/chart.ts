/** The ratios of a run as an SVG picture that can be read on light and on dark pages. */
import type { Result } from './results.js';
import type { Run } from './results-table.js';
import { figure } from './table.js';

const width = 880;
const margin = 16;
const labelWidth = 430;
const plot = { left: labelWidth + 20, right: width - 70 };
const rowHeight = 34;
const top = 86;
/** Labels of the scale that are this far apart can be told from each other. */
const labelDistance = 44;

type Ratio = Result & { readonly result: number };

const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 15px }
  .small { font-size: 11px; fill: #59636e }
  .grid { stroke: #d1d9e0 } .one { stroke: #59636e } .must { stroke: #1f2328; stroke-width: 3 }
  .page { fill: #ffffff } .reached { fill: #0969da } .missed { fill: #bc4c00 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .small { fill: #9198a1 }
    .grid { stroke: #3d444d } .one { stroke: #9198a1 } .must { stroke: #f0f6fc }
    .page { fill: #0d1117 } .reached { fill: #4493f8 } .missed { fill: #f0883e }
  }`;

/**
 * One bar for each ratio, from 1 on a logarithmic scale, with a mark at what must be reached. Ratios where more is
 * better come first.
 */
export function chart({ machine, date, results }: Run): string {
  const ratios = results.filter((each): each is Ratio => each.unit === '×' && each.result !== undefined);
  const groups = [
    {
      title: 'Times as fast as the baseline: longer is better',
      rows: ratios.filter((each) => each.demand === 'at least'),
    },
    { title: 'Times its cost: shorter is better', rows: ratios.filter((each) => each.demand === 'at most') },
  ].filter(({ rows }) => rows.length > 0);
  let y = top;
  const drawn: string[] = [];
  for (const { title, rows } of groups) {
    const scale = logScale(rows.flatMap(({ result, must }) => [result, must]));
    drawn.push(text(margin, y, title, 'title'));
    y += 26;
    const end = y + rows.length * rowHeight;
    drawn.push(grid(scale, y - 12, end - 12), ...rows.map((row, index) => bar(scale, row, y + index * rowHeight)));
    y = end + 34;
  }
  const height = y - 10;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" role="img">
<title>This server beside its baselines</title>
<style>${style}
</style>
<rect class="page" width="${String(width)}" height="${String(height)}" rx="6"/>
${text(margin, 26, 'This server beside its baselines, measured in the same run', 'title')}
${text(margin, 46, `${machine}; ${date}`, 'small')}
${text(margin, 62, 'Logarithmic scale; the upright mark is what must be reached, orange what misses it.', 'small')}
${drawn.join('\n')}
</svg>
`;
}

interface Scale {
  /** Pixels between two ticks. */
  readonly step: number;
  readonly ticks: readonly number[];
  readonly x: (ratio: number) => number;
}

/** Ticks are powers of two around all values and 1. */
export function logScale(values: readonly number[]): Scale {
  const logs = [0, ...values.filter((value) => value > 0).map(Math.log2)];
  const first = Math.floor(Math.min(...logs)) - 1;
  const last = Math.ceil(Math.max(...logs)) + 1;
  const step = (plot.right - plot.left) / (last - first);
  return {
    step,
    ticks: Array.from({ length: last - first + 1 }, (_, index) => 2 ** (first + index)),
    x: (ratio) => round(plot.left + (Math.max(first, Math.log2(ratio)) - first) * step),
  };
}

function grid({ ticks, step, x }: Scale, from: number, to: number): string {
  const labelled = Math.ceil(labelDistance / step);
  const one = ticks.indexOf(1);
  const lines = ticks.map((tick, index) => {
    const line = upright(x(tick), from, to, tick === 1 ? 'one' : 'grid');
    if ((index - one) % labelled !== 0) return line;
    return `${line}${text(x(tick), to + 12, `${String(tick)}×`, 'small', 'middle')}`;
  });
  return lines.join('\n');
}

function bar({ x }: Scale, { name, baseline, result, must, outcome }: Ratio, y: number): string {
  const [from, to] = [x(1), x(result)].toSorted((a, b) => a - b);
  const kind = outcome === 'missed' ? 'missed' : 'reached';
  const box = `x="${String(from)}" y="${String(y - 4)}" width="${String(round((to ?? 0) - (from ?? 0)))}" height="12"`;
  return [
    text(labelWidth, y, name, '', 'end'),
    text(labelWidth, y + 14, `beside ${baseline?.name ?? ''}`, 'small', 'end'),
    `<rect ${box} class="${kind}"/>`,
    upright(x(must), y - 8, y + 12, 'must'),
    text(Math.max(to ?? 0, x(must)) + 6, y + 7, figure(result, '×')),
  ].join('\n');
}

function text(x: number, y: number, content: string, kind = '', anchor = 'start'): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<text x="${String(x)}" y="${String(y)}" class="${kind}" text-anchor="${anchor}">${escaped}</text>`;
}

function upright(x: number, from: number, to: number, kind: string): string {
  return `<line x1="${String(x)}" x2="${String(x)}" y1="${String(from)}" y2="${String(to)}" class="${kind}"/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

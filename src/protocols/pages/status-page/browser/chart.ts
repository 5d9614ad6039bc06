/** One panel of the page: its title, its values in words, and its chart. */
import uPlot from 'uplot';
import type { Point } from './look.js';
import type { Line, Panel } from './panels.js';
import { agoText, tickText, timeText } from './words.js';

const height = 132;
/** The minimum number of seconds shown, so the first figures do not race across the chart. */
const leastSeconds = 60;
/** Charts move their cursors together. */
const cursorKey = 'status';
const noValue = '–';

function shown(line: Line, point: Point | undefined): string {
  const value = point === undefined ? null : line.of(point);
  return value === null ? noValue : line.show(value);
}

export class Chart {
  readonly element = document.createElement('figure');
  private readonly values: readonly HTMLElement[];
  private readonly moment = document.createElement('span');
  private readonly canvas = document.createElement('div');
  private plot: uPlot | undefined;
  private points: readonly (Point | null)[] = [];

  constructor(private readonly panel: Panel) {
    const caption = document.createElement('figcaption');
    const title = document.createElement('h3');
    title.textContent = panel.title;
    this.moment.className = 'moment';
    caption.append(title, this.moment);
    const list = document.createElement('dl');
    this.values = panel.lines.map(({ name, color }) => {
      const item = document.createElement('div');
      item.className = color;
      const [term, value] = [document.createElement('dt'), document.createElement('dd')];
      term.textContent = name;
      value.textContent = noValue;
      item.append(value, term);
      list.append(item);
      return value;
    });
    this.canvas.className = 'plot';
    this.canvas.setAttribute('role', 'img');
    this.element.append(caption, list, this.canvas);
  }

  /** Draw these points; null is a gap without figures. */
  draw(points: readonly (Point | null)[]): void {
    this.points = points;
    this.plot ??= new uPlot(this.options(), this.data(), this.canvas);
    this.plot.setData(this.data());
    this.tell(this.plot.cursor.idx ?? null);
    const last = points.at(-1) ?? undefined;
    const words = this.panel.lines.map((line) => `${line.name} ${shown(line, last)}`);
    this.canvas.setAttribute('aria-label', `Chart of the last minutes. Now: ${words.join(', ')}.`);
  }

  /** Called when the width of the page changes. */
  resize(): void {
    this.plot?.setSize({ width: this.canvas.clientWidth, height });
  }

  /** Called when the colours of the page change. */
  redraw(): void {
    this.plot?.destroy();
    this.plot = undefined;
    this.draw(this.points);
  }

  /** Show the figures at the cursor, or the current ones. */
  private tell(index: number | null): void {
    const chosen = index === null ? undefined : this.points[index];
    const point = chosen ?? this.points.at(-1) ?? undefined;
    this.panel.lines.forEach((line, place) => {
      const value = this.values[place];
      if (value !== undefined) value.textContent = shown(line, point);
    });
    this.moment.textContent = chosen === undefined || chosen === null ? '' : timeText(chosen.time);
  }

  private data(): uPlot.AlignedData {
    // Relative to now, so the axis has round numbers.
    const now = this.points.at(-1)?.time ?? 0;
    const times = this.points.map((point, index) => (point?.time ?? (this.points[index - 1]?.time ?? 0) + 0.5) - now);
    const values = this.panel.lines.map((line) =>
      this.points.map((point) => (point === null ? null : this.height(line, point))),
    );
    return [times, ...values];
  }

  /** Zero has no logarithm. */
  private height(line: Line, point: Point): number | null {
    const value = line.of(point);
    return value !== null && this.panel.logarithmic === true ? Math.max(value, 0.001) : value;
  }

  private options(): uPlot.Options {
    const { panel } = this;
    const style = getComputedStyle(this.element);
    const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    const axis = {
      stroke: color('quiet'),
      font: `11px ${style.fontFamily}`,
      grid: { stroke: color('grid'), width: 1 },
      ticks: { show: false },
    };
    return {
      width: this.canvas.clientWidth,
      height,
      legend: { show: false },
      padding: [8, 14, 0, 2],
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 }, sync: { key: cursorKey } },
      scales: {
        x: { time: false, range: (_, oldest) => [Math.min(oldest, -leastSeconds), 0] },
        y:
          panel.logarithmic === true
            ? logarithmic(panel.least)
            : { range: (_, __, high) => [0, Math.max(high * 1.08, panel.least)] },
      },
      axes: [
        { ...axis, space: 70, size: 24, incrs: [15, 30, 60, 120], values: (_, times) => times.map(agoText) },
        {
          ...axis,
          space: 32,
          size: 36,
          label: panel.unit,
          labelFont: axis.font,
          labelSize: 16,
          labelGap: 2,
          values: (_, ticks) => ticks.map(tickText),
          ...(panel.logarithmic === true
            ? { splits: (_, __, low, high) => powersOfTen(low, high), filter: (_, ticks) => ticks }
            : {}),
        },
      ],
      series: [
        {},
        ...panel.lines.map((line, place) => ({
          label: line.name,
          stroke: color(line.color),
          width: 1.75,
          ...(place === 0 && panel.logarithmic !== true ? { fill: color(`${line.color}-fill`) } : {}),
          points: { show: false },
        })),
      ],
      hooks: {
        setCursor: [
          (plot) => {
            this.tell(plot.cursor.idx ?? null);
          },
        ],
      },
    };
  }
}

function logarithmic(least: number): uPlot.Scale {
  return {
    // The enum's names exist only as types: the library uses numbers.
    // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment
    distr: 3,
    range: (_, low, high) => decades(low, high, least),
  };
}

/** Whole powers of ten around the values, at least two of them. */
function decades(low: number | null, high: number | null, least: number): [number, number] {
  const top = 10 ** Math.ceil(Math.log10(Math.max(high ?? least, least)));
  const bottom = 10 ** Math.floor(Math.log10(Math.max(low ?? top / 100, 0.001)));
  return [Math.min(bottom, top / 100), top];
}

function powersOfTen(low: number, high: number): number[] {
  const [first, last] = [Math.round(Math.log10(low)), Math.round(Math.log10(high))];
  const step = Math.max(1, Math.ceil((last - first) / 4));
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => 10 ** (first + index * step));
}

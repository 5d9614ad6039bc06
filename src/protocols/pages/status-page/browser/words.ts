/** Figures in human-readable form. */
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const clock = new Intl.DateTimeFormat([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat([], { month: 'short', day: 'numeric' });

/** With about three digits. */
function short(value: number): string {
  return new Intl.NumberFormat('en', { maximumSignificantDigits: value < 1000 ? 3 : 4 }).format(value);
}

export const perSecond = (value: number): string => `${short(value)} /s`;
export const milliseconds = (value: number): string =>
  value < 0.1 ? `${short(value * 1000)} µs` : `${short(value)} ms`;
export const percent = (value: number): string => `${whole.format(value)} %`;
export const megabytes = (value: number): string => (value < 1 ? `${short(value * 1024)} kB` : `${short(value)} MB`);
export const count = (value: number): string => whole.format(value);

/** A moment, in seconds since 1970. */
export function timeText(time: number): string {
  return clock.format(time * 1000);
}

/** A moment that may be days ago. */
export function dateText(time: number): string {
  return `${day.format(time * 1000)}, ${timeText(time)}`;
}

export function duration(seconds: number): string {
  const at = Math.floor(seconds);
  const [days, hours, minutes] = [Math.floor(at / 86_400), Math.floor(at / 3600) % 24, Math.floor(at / 60) % 60];
  if (days > 0) return `${String(days)} d ${String(hours)} h`;
  if (hours > 0) return `${String(hours)} h ${String(minutes)} min`;
  return minutes > 0 ? `${String(minutes)} min ${String(at % 60)} s` : `${String(at)} s`;
}

/** A value on an axis, which shows the unit. */
export function tickText(tick: number): string {
  if (tick >= 1e6) return `${String(tick / 1e6)}M`;
  if (tick >= 1e3) return `${String(tick / 1e3)}k`;
  return String(Number(tick.toPrecision(3)));
}

/** Seconds before now, as a negative number. */
export function agoText(time: number): string {
  if (time === 0) return 'now';
  return time % 60 === 0 ? `−${String(-time / 60)} min` : `−${String(-time)} s`;
}

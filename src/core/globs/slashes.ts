/** The pattern with `/` for each `\` between names, as on Windows; undefined if it has none. */
export function withSlashes(text: string): string | undefined {
  const slashed = text.replaceAll(/(?<=[^\\/])\\+(?=[^\\/])/g, '/');
  return slashed === text ? undefined : slashed;
}

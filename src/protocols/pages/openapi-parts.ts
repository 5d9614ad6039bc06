/** What several parts of the OpenAPI document have in common. */
export type Json = Readonly<Record<string, unknown>>;

export const text = { type: 'string' } as const;

/** The headers of an answer; all answers have the first one. */
export function headersOf(more: Readonly<Record<string, Json>> = {}): Json {
  return { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' }, ...more };
}

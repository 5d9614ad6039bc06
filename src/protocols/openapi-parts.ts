/** What several parts of the OpenAPI document are made of. */
export type Json = Readonly<Record<string, unknown>>;

export const text = { type: 'string' } as const;

/** The headers of an answer; all have the first of them. */
export function headersOf(more: Readonly<Record<string, Json>> = {}): Json {
  return { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' }, ...more };
}

/**
 * The longest text of one result that clients show their model whole (spec 17). They truncate longer ones, or save them
 * to a file that the model has to read with other tools.
 */
import { isObject } from '../../core/json/json-body.js';

/** The known limit of a client. */
interface ClientPage {
  /** In code points. */
  readonly characters: number;
  /** Where it is documented. */
  readonly source: string;
}

/** Of a client's name, in characters. */
const mostOfName = 64;

/** In code points, for any other client. */
export const usualPage = 40_000;

/** By the exact name in `clientInfo`. */
export const clientPages: ReadonlyMap<string, ClientPage> = new Map([
  [
    'claude-code',
    {
      characters: 100_000,
      source:
        'https://code.claude.com/docs/en/mcp#mcp-output-limits-and-warnings: 25,000 tokens, at some four characters each',
    },
  ],
]);

/**
 * What a client calls itself, for the history (spec 18). @param clientInfo as sent by the client, unchecked
 * @returns undefined if it has no name
 */
export function clientNameOf(clientInfo: unknown): string | undefined {
  const name = isObject(clientInfo) ? clientInfo['name'] : undefined;
  if (typeof name !== 'string' || name === '') return undefined;
  return Array.from(name)
    .slice(0, mostOfName)
    .join('')
    .replaceAll(/[^\p{L}\p{N}._\- ]/gu, '_');
}

/** The longest text of one result. @param clientInfo as sent by the client, unchecked */
export function pageOf(clientInfo: unknown): number {
  const name = isObject(clientInfo) ? clientInfo['name'] : undefined;
  return (typeof name === 'string' ? clientPages.get(name)?.characters : undefined) ?? usualPage;
}

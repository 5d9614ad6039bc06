/** The check of Content-Type (spec 7). */
import { failure, type Failure } from '../../core/errors.js';

/** The refusal of a body that is not declared as JSON in UTF-8 (spec 7). */
export function wrongContentType(): Failure {
  return failure('invalid_request', 'Content-Type must be application/json', {
    details: 'Send the parameters as JSON in UTF-8, and declare that in this header.',
  });
}

/** The charset may be absent or UTF-8 in any spelling; other parameters are ignored (spec 7). */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  if (contentType === 'application/json') return true;
  const [type, ...parameters] = partsOf(contentType.toLowerCase());
  return type?.trim() === 'application/json' && parameters.every(isHarmless);
}

/** The parts between unquoted semicolons; empty if a quote is not closed. */
function partsOf(value: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < value.length; at++) {
    const character = value[at];
    if (character === '"') quoted = !quoted;
    else if (quoted && character === '\\') at++;
    else if (!quoted && character === ';') {
      parts.push(value.slice(start, at));
      start = at + 1;
    }
  }
  return quoted ? [] : [...parts, value.slice(start)];
}

function isHarmless(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=');
  return name.trim() !== 'charset' || value.replace(/\\(.)/g, '$1').replace(/[\s"_-]/g, '') === 'utf8';
}

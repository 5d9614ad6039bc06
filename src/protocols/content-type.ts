/** Which bodies are read at all (contract 7). */
import { failure, type Failure } from '../errors.js';

/** The refusal of a body that is not said to be JSON in UTF-8 (contract 7). */
export function wrongContentType(): Failure {
  return failure('invalid_request', 'Content-Type must be application/json', {
    details: 'Send the parameters as JSON in UTF-8, with the header Content-Type: application/json.',
  });
}

/** A part of the value up to the next semicolon that is not in quotes. */
const parts = /(?:[^;"]|"(?:[^"\\]|\\.)*")+/g;

/** The charset may be absent or UTF-8 in any spelling; other parameters are ignored (contract 7). */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = contentType.toLowerCase().match(parts) ?? [];
  return type.trim() === 'application/json' && !hasOpenQuote(contentType) && parameters.every(isHarmless);
}

function hasOpenQuote(value: string): boolean {
  return value.replace(parts, '').includes('"');
}

function isHarmless(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=');
  return name.trim() !== 'charset' || value.replace(/\\(.)/g, '$1').replace(/[\s"_-]/g, '') === 'utf8';
}

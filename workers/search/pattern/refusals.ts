import { OperationError } from '../../../src/core/errors.js';

const asText = 'To find the text as it stands, send literal: true.';

/** @param place number of the character, counted from 1 */
export function invalidPattern(what: string, place: number, advice: string): OperationError {
  return refusal(`is not a valid regular expression: ${what} at character ${place}`, `${advice} ${asText}`);
}

/** For a feature that JavaScript has, but no linear-time engine. */
export function unsupported(what: string, place: number, advice: string): OperationError {
  return refusal(`uses ${what} at character ${place}, which is not supported`, `${advice} ${asText}`);
}

/** For a line separator, which no line contains. @param place 0: somewhere in a text */
export function separatorNamed(place: number): OperationError {
  const where = place === 0 ? '' : ` at character ${place}`;
  return refusal(
    `has a line break${where}, and a match never spans lines`,
    'Search for the text of one line, and view the lines around what is found, or send context; $ and ^ stand for the ends of a line. What line breaks a file has is told by view: [line breaks: \\r\\n] if they are not \\n.',
  );
}

export function tooLarge(most: number): OperationError {
  return refusal(
    'is too large a regular expression',
    `Repetitions count as often as they may occur, and all together may have ${most} characters. Send smaller numbers in {}, or * or + instead of them.`,
  );
}

function refusal(message: string, details: string): OperationError {
  return new OperationError('invalid_params', `Invalid params: /pattern ${message}`, { details });
}

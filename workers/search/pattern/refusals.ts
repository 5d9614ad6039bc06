import { OperationError } from '../../../src/core/errors.js';

const asText = 'To find the text as it stands, send literal: true.';

/** @param place number of the character, counted from 1 */
export function invalidPattern(what: string, place: number, advice: string): OperationError {
  return refusal(`is no regular expression: ${what} at character ${place}`, `${advice} ${asText}`);
}

/** For what JavaScript has, but no engine whose time is linear. */
export function unsupported(what: string, place: number, advice: string): OperationError {
  return refusal(`has ${what} at character ${place}, which are not supported`, `${advice} ${asText}`);
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

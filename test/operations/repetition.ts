import assert from 'node:assert/strict';

/** Spec 5.5: the details never repeat the message or themselves. A model pays for each word. */
export function assertNoRepetition(message: string, details: string): void {
  const told = ` ${wordsOf(message).join(' ')} `;
  const words = wordsOf(details);
  for (let at = 0; at + 4 <= words.length; at++) {
    const clause = words.slice(at, at + 4).join(' ');
    assert.ok(
      !told.includes(` ${clause} `),
      `"${clause}" of the details is in the message too: ${message}\n${details}`,
    );
  }
  const sentences = details.split(/(?<=[.!?]) (?=[A-Z])/);
  assert.equal(new Set(sentences).size, sentences.length, `a sentence stands twice in the details: ${details}`);
  const outcomes = `${message} ${details}`.match(/nothing (was|is) (written|done|changed)/gi) ?? [];
  assert.ok(outcomes.length <= 1, `what was done is said twice: ${message}\n${details}`);
}

/** Without the surrounding punctuation. */
function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}/]+|[^\p{L}\p{N}/]+$/gu, ''))
    .filter((word) => word !== '');
}

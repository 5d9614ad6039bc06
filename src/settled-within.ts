/**
 * Wait for a promise, but not for ever. Never rejects: whoever wants its value, or its error, asks the promise itself.
 * @param ms how long at most, in milliseconds
 * @returns whether it was settled in time
 */
export function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, false);
    const settle = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    promise.then(settle, settle);
  });
}

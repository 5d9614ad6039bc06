/**
 * Wait for a promise with a time-out. Never rejects: use the promise itself for its value or error.
 * @param ms time-out in milliseconds
 * @returns whether it settled in time
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

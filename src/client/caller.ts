/**
 * Makes calls and retries them where that is safe: calls that the server did not begin, and calls that may run twice.
 */
import type { OperationName, Results } from '../core/schemas.js';
import { sendOnce, type Ending } from './send.js';
import type { ClientCall, FileEditorOptions } from './call.js';
import { FileEditorError } from './error.js';
import { baseOf, requestOf, unsent } from './request.js';

const defaultTimeoutMs = 30_000;
const defaultRetries = 3;
/** Backoff before the first retry; doubled for each further one. */
const firstPauseMs = 100;
/** A longer timer would fire immediately. */
const longestTimerMs = 2 ** 31 - 1;

/** Makes the calls of one client. */
export class Caller {
  private readonly base: string;

  constructor(
    url: string | URL,
    private readonly settings: FileEditorOptions,
  ) {
    this.base = baseOf(url, settings);
  }

  /**
   * @returns the result; undefined if the file is unchanged by the call's If-None-Match
   * @throws FileEditorError; the signal's reason if it aborted the call
   */
  async call<Name extends OperationName>(call: ClientCall<Name>): Promise<Results[Name] | undefined> {
    const { options, writes, repeatable } = call;
    const timeoutMs = timerOf(options.timeoutMs ?? this.settings.timeoutMs ?? defaultTimeoutMs);
    const { url, init } = requestOf(this.base, call, this.settings);
    const fetch = this.settings.fetch ?? ((url, init) => globalThis.fetch(url, init));
    const timeIsUp = AbortSignal.timeout(timeoutMs);
    const signal = options.signal === undefined ? timeIsUp : AbortSignal.any([timeIsUp, options.signal]);
    const ends = performance.now() + timeoutMs;
    let lost = false;
    for (let sent = 0; ; sent++) {
      let outcome: Ending;
      try {
        outcome = await sendOnce(fetch, url, { ...init, signal });
      } catch (cause) {
        options.signal?.throwIfAborted();
        if (!timeIsUp.aborted) throw cause;
        throw new FileEditorError({ message: `No answer within ${String(timeoutMs)} ms`, cause }, writes);
      }
      // The server's operation table determines its type.
      if (outcome.kind === 'done') return outcome.result as Results[Name] | undefined;
      lost ||= writes && outcome.kind === 'lost';
      const again = outcome.kind === 'not executed' || (outcome.kind === 'lost' && repeatable);
      const pauseMs = Math.max(outcome.pauseMs, firstPauseMs * 2 ** sent * (0.5 + Math.random() / 2));
      const most = this.settings.retries ?? defaultRetries;
      if (!again || sent >= most || performance.now() + pauseMs > ends) throw new FileEditorError(outcome.error, lost);
      await pause(pauseMs, options.signal);
    }
  }
}

/** @throws FileEditorError if it is not a valid duration */
function timerOf(timeoutMs: number): number {
  if (!(timeoutMs >= 0)) throw unsent(`timeoutMs has to be a number from 0, not ${String(timeoutMs)}`);
  return Math.min(Math.ceil(timeoutMs), longestTimerMs);
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake);
  });
  signal?.throwIfAborted();
}

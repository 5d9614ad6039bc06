/** Rows of the table of flags (flags.ts) about the history (spec 18). */
import { callerName, present, wholeNumber } from './flag-values.js';
import { flag } from './flag.js';

export const historyFlags = {
  history: flag({
    name: 'history',
    group: 'files',
    summary: 'record changes, so that they can be taken back',
    accept: present,
    fallback: false,
  }),
  historyDays: flag({
    name: 'history-days',
    placeholder: 'DAYS',
    group: 'files',
    summary: 'time that the history goes back, 1-3650',
    unit: 'days',
    needs: ['history'],
    accept: wholeNumber(1, 3650),
    fallback: 30,
  }),
  historyMb: flag({
    name: 'history-mb',
    placeholder: 'MB',
    group: 'files',
    summary: 'disk space of the history, 1-1000000',
    unit: 'MB',
    needs: ['history'],
    accept: wholeNumber(1, 1_000_000, { unit: 'MB' }),
    fallback: 1024,
  }),
  caller: flag<string | undefined>({
    name: 'caller',
    placeholder: 'NAME',
    group: 'files',
    summary: 'who calls, for the history',
    otherwise: 'by client',
    excludes: ['tokens'],
    accept: callerName,
    fallback: undefined,
  }),
};

/**
 * The possible errors of an operation by HTTP status, for OpenAPI: those of its row, and those of every similar
 * operation. Codes and texts come from the tables that the errors themselves use.
 */
import {
  codeOf,
  errorKindNames,
  errorKinds,
  failure,
  statusOf,
  type ErrorKindName,
  type Reason,
} from '../../core/errors.js';
import type { Occurrence } from '../../core/error-kind.js';
import { expectsHash, isAboutAll, type Operation } from '../../core/operations.js';
import { asToldBy } from '../../core/path-failure.js';
import { headersOf, textSchema, type Json } from './openapi-results.js';

const kindsOf = (occurrence: Occurrence): readonly ErrorKindName[] =>
  errorKindNames.filter((kind) => errorKinds[kind].occursIn === occurrence);

interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly reason: Reason | undefined;
  readonly advice: string;
  /** Whether it may have the hash of the file. */
  readonly tellsHash: boolean;
}

/** The responses for the statuses that mean failure. */
export function failuresOf(operation: Operation): Readonly<Record<string, Json>> {
  const refusals = refusalsOf(operation);
  const statuses = unique(refusals.map(({ status }) => status)).sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      response(
        status,
        refusals.filter((each) => each.status === status),
      ),
    ]),
  );
}

function refusalsOf(operation: Operation): Refusal[] {
  const { paths, filename, changes, writes, ownFailures = [] } = operation;
  const kinds = [
    ...kindsOf('all'),
    ...(isAboutAll(operation) ? [] : kindsOf('file')),
    ...(filename === undefined ? [] : kindsOf('name')),
    ...(paths === undefined ? [] : kindsOf('path')),
    ...(writes ? kindsOf('write') : []),
    ...ownFailures,
    ...(expectsHash(operation) ? (['changed'] as const) : []),
  ];
  const told = kinds.map((kind) => ({ kind, told: asToldBy(operation, {}, failure(kind, '')) }));
  const full = {
    kind: 'write_failed',
    told: asToldBy(operation, {}, failure('write_failed', '', { data: { errno: 'ENOSPC' } })),
  } as const;
  const plain = kindsOf('request').map((kind) => ({ kind, told: failure(kind, '') }));
  return [...plain, ...told, ...(writes ? [full] : [])].map(({ kind, told }) => ({
    status: statusOf(told),
    code: codeOf(told),
    reason: told.data?.reason,
    advice: errorKinds[kind].advice,
    tellsHash: kind === 'changed' || (kind === 'file_exists' && (expectsHash(operation) || changes !== undefined)),
  }));
}

function response(status: number, refusals: readonly Refusal[]): Json {
  const codes = unique(refusals.map(({ code }) => code));
  const reasons = unique(refusals.map(({ reason }) => reason));
  const data = reasons.length > 0 ? { data: { properties: { reason: { enum: reasons } } } } : {};
  return {
    description: unique(refusals.map(({ advice }) => `- ${advice}`)).join('\n'),
    headers: headersOf({
      ...(status === 503
        ? { 'Retry-After': { description: 'Seconds to wait; nothing was done.', schema: { type: 'integer' } } }
        : {}),
      ...(refusals.some(({ tellsHash }) => tellsHash)
        ? { ETag: { description: 'Hash of the text now, in quotes, if there is a file.', schema: textSchema } }
        : {}),
    }),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Error' },
            { properties: { error: { properties: { code: { enum: codes }, ...data } } } },
          ],
        },
      },
    },
  };
}

function unique<Item>(items: readonly (Item | undefined)[]): Item[] {
  return [...new Set(items)].filter((item) => item !== undefined);
}

/** Invalid MCP requests: they get a JSON-RPC error, and no tool is called. */
import { didYouMean, oneLine } from '../../core/names/nearest.js';
import { whyAbsent, type Offer } from '../../config/offer.js';
import { legacyRevisions, metaKeys, modernRevisions } from './revisions.js';

export interface Refusal {
  /** For the metrics. */
  readonly kind: string;
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>> & {
    /** One sentence: what an agent should do next (spec 5.5). */
    readonly details: string;
  };
  /** HTTP status. */
  readonly status: number;
}

/** For valid JSON-RPC that is not a valid MCP request. @param problem a sentence */
export function invalidEnvelope(problem: string): Refusal {
  return {
    kind: 'invalid_request',
    code: -32600,
    message: 'Invalid Request',
    data: { details: `${problem} Nothing was done. Correct the message, then send it again.` },
    status: 400,
  };
}

/**
 * Over HTTP, the modern era answers with its own status; the legacy era answers any valid request with 200.
 * @param tools of this server
 */
export function methodNotFound(
  method: string,
  methods: Iterable<string>,
  tools: ReadonlyMap<string, unknown>,
  status: 200 | 404,
): Refusal {
  const known = [...methods];
  const hint = tools.has(method)
    ? `${method} is a tool: call it with the method tools/call. `
    : didYouMean(method, known);
  const details = `${hint}The methods are ${known.join(', ')}.`;
  return {
    kind: 'unknown_operation',
    code: -32601,
    message: `Method not found: ${oneLine(method)}`,
    data: { details },
    status,
  };
}

/** For parameters that do not fit the method. */
export function invalidParams(problem: string): Refusal {
  const details = 'Nothing was done. Correct the params as the message says, then send the request again.';
  return {
    kind: 'invalid_params',
    code: -32602,
    message: `Invalid params: ${problem}`,
    data: { details },
    status: 200,
  };
}

/** The answers of a batch form one message, which has a limit. */
export function tooLongForBatch(): Refusal {
  const details = 'Send this request on its own, or in a smaller batch.';
  return {
    kind: 'request_too_large',
    code: -32600,
    message: 'Batch answer exceeds maximum limit 9MB',
    data: { details },
    status: 413,
  };
}

/** Puts everything into the message, which may be all that a model sees. */
export function unknownTool(name: string, tools: Iterable<string>, offer: Offer): Refusal {
  const known = [...tools];
  const absent = whyAbsent(name, offer);
  const hint = `${absent === undefined ? didYouMean(name, known) : `${absent} `}The tools are ${known.join(', ')}.`;
  const message = `Unknown tool: ${oneLine(name)}. ${hint}`;
  const details = 'Nothing was done. Send the request again with the name of a tool that is offered.';
  return { kind: 'unknown_tool', code: -32602, message, data: { details }, status: 200 };
}

/** For a request of the modern era whose `_meta` is incomplete. */
export function badMeta(problem: string): Refusal {
  const required = [metaKeys.protocolVersion, metaKeys.clientCapabilities];
  const details = `Nothing was done. Send ${required.join(' and ')} in params._meta of every request, or open a session with initialize.`;
  return {
    kind: 'invalid_params',
    code: -32602,
    message: `Invalid params: ${problem}`,
    data: { details, required },
    status: 400,
  };
}

/** For a request with an unknown revision. The specification defines the members of `data` other than `details`. */
export function unsupportedRevision(requested: string): Refusal {
  const known = `${modernRevisions.join(', ')} with every request, or ${legacyRevisions.join(', ')} by initialize`;
  const details = `Nothing was done. Name one of these revisions: ${known}.`;
  return {
    kind: 'unsupported_revision',
    code: -32022,
    message: `Unsupported protocol version: ${oneLine(requested)}`,
    data: { details, supported: modernRevisions, requested: oneLine(requested) },
    status: 400,
  };
}

/** For headers that contradict the body (revision 2026-07-28). */
export function headerMismatch(problem: string): Refusal {
  const details =
    'Nothing was done. Send headers that match the body; encode names that are not valid in a header as Base64.';
  return {
    kind: 'header_mismatch',
    code: -32020,
    message: `Header mismatch: ${problem}`,
    data: { details },
    status: 400,
  };
}

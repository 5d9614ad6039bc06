/**
 * The request head, and the check that its framing is unambiguous. Neither parser is trusted with that: uWebSockets.js
 * calls its handler for conflicting Content-Lengths, for `Transfer-Encoding: xchunked` and for two Host headers, and
 * treats an empty Content-Length as absent.
 */
import type { Caller } from '../../access/permission.js';
import { failure, type Failure } from '../../core/errors.js';

/** The relevant headers; the values of a repeated header are joined with commas (RFC 9110 5.3). */
export class RequestHead {
  host: string | undefined;
  origin: string | undefined;
  authorization: string | undefined;
  contentType: string | undefined;
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
  /** As received; replaced by the site with the id that the answer carries. */
  requestId: string | undefined;
  mcpRevision: string | undefined;
  mcpMethod: string | undefined;
  mcpName: string | undefined;
  /** Its origin, once allowed: pages of that origin may read the answer. */
  allowedOrigin: string | undefined;
  /** Whose token it carries, with `--tokens`. */
  caller: Caller | undefined;
  /** The client has left or has its answer. */
  gone = false;
  /** `Connection` lists `close` among other options. A lone `close` is handled by both listeners. */
  closes = false;
  /** The client waits for `100 Continue` before sending the body. */
  awaitsContinue = false;
  /** The body is chunked, so its length is unknown. */
  chunked = false;
  /** Declared body length in bytes; 0 if unknown. */
  bodyLength = 0;

  /** The client's address, for the log; valid while the request is judged. */
  addressOf: (() => string | undefined) | undefined;

  hosts = 0;
  contentLength: string | undefined;
  transferEncoding: string | undefined;

  constructor(
    /** As sent, usually in upper case. */
    readonly method: string,
    /** The target without the query. */
    readonly path: string,
  ) {}

  get hasBody(): boolean {
    return this.chunked || this.bodyLength > 0;
  }

  /** Take one header line. `name` is in lower case. */
  take(name: string, value: string): void {
    switch (name) {
      case 'host':
        this.hosts += 1;
        this.host = value;
        break;
      case 'content-length':
        this.contentLength = join(this.contentLength, value);
        break;
      case 'content-type':
        this.contentType = join(this.contentType, value);
        break;
      case 'transfer-encoding':
        this.transferEncoding = join(this.transferEncoding, value);
        break;
      case 'origin':
        this.origin = join(this.origin, value);
        break;
      case 'authorization':
        this.authorization = join(this.authorization, value);
        break;
      case 'if-match':
        this.ifMatch = join(this.ifMatch, value);
        break;
      case 'if-none-match':
        this.ifNoneMatch = join(this.ifNoneMatch, value);
        break;
      case 'connection':
        this.closes ||= value.includes(',') && /(?:^|,)\s*close\s*(?:,|$)/i.test(value);
        break;
      case 'x-request-id':
        this.requestId = join(this.requestId, value);
        break;
      case 'mcp-protocol-version':
        this.mcpRevision = join(this.mcpRevision, value);
        break;
      case 'mcp-method':
        this.mcpMethod = join(this.mcpMethod, value);
        break;
      case 'mcp-name':
        this.mcpName = join(this.mcpName, value);
        break;
    }
  }
}

function join(earlier: string | undefined, value: string): string {
  return earlier === undefined ? value : `${earlier}, ${value}`;
}

/** A JavaScript number represents fifteen digits exactly, and no real body needs more. */
const wholeLength = /^\d{1,15}$/;

const visiblePath = /^\/[!-~]*$/;

/**
 * Determine where the body ends: sets `head.chunked` and `head.bodyLength`.
 * @returns why the request is refused if its framing or target host is ambiguous (spec 7)
 */
export function settleFraming(head: RequestHead): Failure | null {
  const { transferEncoding, contentLength } = head;
  if (transferEncoding !== undefined) {
    if (contentLength !== undefined) {
      return ambiguous('Content-Length and Transfer-Encoding exclude each other', 'Send one of the two.');
    }
    // Also refuses repeated lines, which are joined.
    if (transferEncoding !== 'chunked') {
      return ambiguous('Transfer-Encoding must be exactly "chunked"', 'Send that, once, or a Content-Length.');
    }
    head.chunked = true;
  } else if (contentLength !== undefined) {
    if (!wholeLength.test(contentLength)) {
      return ambiguous('Content-Length must be one whole number', 'Send it once, in digits.');
    }
    head.bodyLength = Number(contentLength);
  }
  if (head.hosts !== 1) {
    return ambiguous(
      head.hosts === 0 ? 'The Host header is missing' : 'There is more than one Host header',
      'Send one.',
    );
  }
  // The absolute form is for proxies; uWebSockets.js closes the connection on it.
  if (!visiblePath.test(head.path)) {
    return ambiguous('The request target must be a path', 'Send one that starts with /, in visible ASCII.');
  }
  return null;
}

function ambiguous(message: string, details: string): Failure {
  return failure('invalid_request', message, { details });
}

/**
 * The head of a request, and whether its end is beyond doubt. Neither parser is believed: uWebSockets.js runs its
 * handler on conflicting Content-Length, on `Transfer-Encoding: xchunked` and on two Host headers, and takes an
 * empty Content-Length for none.
 */
import { failure, type Failure } from '../errors.js';

/** The headers that matter here; a header that came several times is joined with commas, as RFC 9110 5.3 says. */
export class RequestHead {
  host: string | undefined;
  origin: string | undefined;
  contentType: string | undefined;
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
  /** As it came; once a site has seen the head, the one that the answer carries. */
  requestId: string | undefined;
  mcpRevision: string | undefined;
  mcpMethod: string | undefined;
  mcpName: string | undefined;
  /** Its origin, once that was let in: the answer may be read by its pages. */
  allowedOrigin: string | undefined;
  /** The client waits for `100 Continue` before it sends the body. */
  awaitsContinue = false;
  /** The body comes in chunks, its length is unknown. */
  chunked = false;
  /** Declared length of the body in bytes; 0 if it is unknown. */
  bodyLength = 0;

  hosts = 0;
  contentLength: string | undefined;
  transferEncoding: string | undefined;

  constructor(
    /** As it came, usually upper case. */
    readonly method: string,
    /** The target up to the query. */
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
      case 'if-match':
        this.ifMatch = join(this.ifMatch, value);
        break;
      case 'if-none-match':
        this.ifNoneMatch = join(this.ifNoneMatch, value);
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

/** Fifteen digits are exact in a JavaScript number, and more than anybody will send. */
const wholeLength = /^\d{1,15}$/;

const visiblePath = /^\/[!-~]*$/;

/**
 * Settle where the body of a request ends, into `head.chunked` and `head.bodyLength`.
 * @returns why it is refused if that, or for whom it is, can be read in two ways (contract 7)
 */
export function settleFraming(head: RequestHead): Failure | null {
  const { transferEncoding, contentLength } = head;
  if (transferEncoding !== undefined) {
    if (contentLength !== undefined) {
      return ambiguous('Content-Length and Transfer-Encoding exclude each other', 'Send one of the two.');
    }
    // Joined lines are not equal to it either.
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

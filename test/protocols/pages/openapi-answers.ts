import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formatsModule from 'ajv-formats';
import type { Fetch } from '../../../src/client/index.js';

/** Checks a server's answers against its own OpenAPI document. */
export class DescribedAnswers {
  private readonly ajv = new Ajv2020({ strict: false });

  /** @param document of OpenAPI 3.1 */
  constructor(document: object) {
    formatsModule.default(this.ajv);
    this.ajv.addSchema(document, 'document');
  }

  static async of(url: string): Promise<DescribedAnswers> {
    const response = await fetch(`${url}/openapi.json`);
    return new DescribedAnswers((await response.json()) as object);
  }

  /** Fails unless the document allows this answer of the operation. */
  check(operation: string, status: number, headers: Headers, body: unknown): void {
    const place = `document#/paths/~1${operation}/post/responses/${String(status)}`;
    assert.ok(this.ajv.getSchema(place), `${operation} may answer ${String(status)}`);
    const fits = this.ajv.getSchema(`${place}/content/application~1json/schema`);
    assert.ok(fits);
    assert.ok(
      fits(body),
      `${operation}, ${String(status)}: ${this.ajv.errorsText(fits.errors)} ${JSON.stringify(body)}`,
    );
    assert.ok(headers.has('x-request-id'));
    for (const [name, only] of [
      ['retry-after', '/headers/Retry-After/schema'],
      ['etag', '/headers/ETag/schema'],
    ] as const) {
      if (headers.has(name)) assert.ok(this.ajv.getSchema(`${place}${only}`), `${place} has ${name}`);
    }
  }
}

/** A `fetch` that checks every operation's answers. */
export async function checkingFetch(url: string): Promise<Fetch> {
  const described = await DescribedAnswers.of(url);
  return async (called, init) => {
    const response = await fetch(called, init);
    const { pathname } = new URL(called);
    described.check(pathname.slice(1), response.status, response.headers, await response.clone().json());
    return response;
  };
}

/** The typed client; every answer it gets is checked against the server's OpenAPI document. */
import { checkingFetch } from '../protocols/pages/openapi-answers.js';
import { client, oneOfEachKind } from './client.js';
import { runCases } from './run-cases.js';

runCases(client(checkingFetch), oneOfEachKind);

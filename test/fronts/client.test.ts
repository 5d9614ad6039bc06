/** The typed client, and whether every answer that it gets is as its server's OpenAPI document says. */
import { checkingFetch } from '../protocols/pages/openapi-answers.js';
import { client, oneOfEachKind } from './client.js';
import { runCases } from './run-cases.js';

runCases(client(checkingFetch), oneOfEachKind);

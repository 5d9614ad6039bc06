/** The typed client, and that every answer it gets is as the OpenAPI document of its server says. */
import { checkingFetch } from '../protocols/openapi-answers.js';
import { client, oneOfEachKind } from './client.js';
import { runCases } from './run-cases.js';

runCases(client(checkingFetch), oneOfEachKind);

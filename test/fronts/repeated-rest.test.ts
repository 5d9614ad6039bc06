import { rest } from './fronts.js';
import { rememberedCases, repeated } from './repeated.js';
import { runCases } from './run-cases.js';

runCases(repeated(rest('REST', {})), rememberedCases);

import { fronts } from './fronts.js';
import { runCases } from './run-cases.js';

for (const front of fronts) runCases(front);

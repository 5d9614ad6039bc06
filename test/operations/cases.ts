import type { Case } from './case.js';
import { editCases } from './edit.cases.js';
import { listCases } from './list.cases.js';
import { readCases } from './read.cases.js';

/** The one list of cases that every front runs. */
export const allCases: readonly Case[] = [...listCases, ...readCases, ...editCases];

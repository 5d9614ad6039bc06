import type { Case } from './case.js';
import { allowedPathsCases } from './allowed-paths.cases.js';
import { applyChangesCases } from './apply-changes.cases.js';
import { applyEditsCases } from './apply-edits.cases.js';
import { changesByGlobCases } from './changes-by-glob.cases.js';
import { createCases } from './create.cases.js';
import { deleteCases } from './delete.cases.js';
import { editCases } from './edit.cases.js';
import { grepCases } from './grep.cases.js';
import { globCases } from './glob.cases.js';
import { historyCases } from './history.cases.js';
import { insertCases } from './insert.cases.js';
import { lineEndingCases } from './line-endings.cases.js';
import { listCases } from './list.cases.js';
import { namesCases } from './names.cases.js';
import { pathCases } from './path.cases.js';
import { readCases } from './read.cases.js';
import { renameCases } from './rename.cases.js';
import { strReplaceCases } from './str-replace.cases.js';
import { viewCases } from './view.cases.js';
import { viewSeveralCases } from './view-several.cases.js';
import { writeCases } from './write.cases.js';

/** The one list of cases that every front runs. */
export const allCases: readonly Case[] = [
  ...listCases,
  ...readCases,
  ...editCases,
  ...viewCases,
  ...viewSeveralCases,
  ...createCases,
  ...strReplaceCases,
  ...insertCases,
  ...deleteCases,
  ...renameCases,
  ...writeCases,
  ...applyEditsCases,
  ...applyChangesCases,
  ...changesByGlobCases,
  ...grepCases,
  ...globCases,
  ...historyCases,
  ...lineEndingCases,
  ...pathCases,
  ...namesCases,
  ...allowedPathsCases,
];

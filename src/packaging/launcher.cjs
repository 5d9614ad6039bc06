#!/usr/bin/env node
// A copy in dist has the name of each program and runs the code beside it. With the form that the build has compiled,
// V8 loads a bundle of 380 kB in 4 ms instead of 18 (npm run bench -- --only=start). Any other Node compiles the code
// itself, and caches the result if it can. The code is ASCII: decoding it as UTF-8 would take 6 ms more.
'use strict';
const { readFileSync } = require('node:fs');
const nodeModule = require('node:module');
const { dirname, join } = require('node:path');
const { compileFunction } = require('node:vm');

const file = __filename.replace(/\.cjs$/, '.code.cjs');
// For `npm run coverage`: the compiled form has no counters.
module.exports = (process.env.NODE_V8_COVERAGE ? undefined : runCompiled()) ?? runPlain();

/** @returns the exports; undefined if this Node cannot use the compiled form */
function runCompiled() {
  const code = readFileSync(file, 'latin1');
  // The code and its compiled form both end with the name of the code (program.ts).
  const label = `${code.slice(code.lastIndexOf('\n') + 1)} ${process.version} ${process.arch}`;
  const compiled = readCompiled();
  const end = (compiled?.length ?? 0) - label.length;
  if (end < 0 || compiled.latin1Slice(end) !== label) return undefined;
  const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];
  const run = compileFunction(code, parameters, { filename: file, cachedData: compiled.subarray(0, end) });
  const loaded = { exports: {} };
  run.call(loaded.exports, loaded.exports, nodeModule.createRequire(file), loaded, file, dirname(file));
  return loaded.exports;
}

function readCompiled() {
  try {
    return readFileSync(file.replace(/cjs$/, 'compiled'));
  } catch {
    return undefined;
  }
}

function runPlain() {
  nodeModule.enableCompileCache?.(join(__dirname, '.compiled'));
  return require(file);
}

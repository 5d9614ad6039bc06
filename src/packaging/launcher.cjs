#!/usr/bin/env node
// Stands in dist under the name of each program and runs the code beside it. With the compiled form that the build has
// left, V8 takes 4 ms for a bundle of 380 kB instead of 18 (npm run bench -- --only=start). Another Node compiles the code
// itself, and keeps the result where it can.
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
  const code = readFileSync(file, 'utf8');
  // Each of the two says which code it is (program.ts).
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

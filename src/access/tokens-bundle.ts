/**
 * Bundled separately (esbuild.config.ts): with its parser it is a fifth of the commands' code, and only `--tokens`
 * needs it.
 */
export { isTokenName, readTokens, tokenNameRule } from './token-file.js';
export { Tokens } from './tokens.js';

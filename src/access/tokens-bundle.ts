/** Bundled apart (esbuild.config.ts): with its parser it is a fifth of the code of the commands, and only `--tokens` needs it. */
export { isTokenName, readTokens, tokenNameRule } from './token-file.js';
export { Tokens } from './tokens.js';

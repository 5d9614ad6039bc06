/** fast-check, with the same cases each time if there is a number in SEED: what is new must not fail CI by chance. */
import fc from 'fast-check';

const seed = process.env['SEED'];
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });

export default fc;
export type { Arbitrary } from 'fast-check';

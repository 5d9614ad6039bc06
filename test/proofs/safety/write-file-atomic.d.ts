/** The package ships no types; these cover the parts in use. */
declare module 'write-file-atomic' {
  export default function writeFileAtomic(path: string, data: string): Promise<void>;
}

/** The package brings no types; this is what is used of it. */
declare module 'write-file-atomic' {
  export default function writeFileAtomic(path: string, data: string): Promise<void>;
}

/** The part of fs-native-extensions (which ships no types) that this project uses: all by descriptor. */
declare module 'fs-native-extensions' {
  /** False if another open file description holds the lock; throws other system errors. */
  export function tryLock(fd: number, offset: number, length: number, options: { readonly shared: boolean }): boolean;
  export function unlock(fd: number, offset: number, length: number): void;
  export function listAttrsSync(fd: number): string[];
  export function getAttrSync(fd: number, name: string): Buffer | null;
  export function removeAttrSync(fd: number, name: string): void;
  export function setAttrSync(fd: number, name: string, value: Buffer): void;
}

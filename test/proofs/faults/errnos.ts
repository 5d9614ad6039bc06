/** A way in which a system call can fail. */
export interface Fault {
  /** ENOSPC, or what else happens. */
  readonly name: string;
  /** In the words of strace. */
  readonly effect: string;
  /** All calls of the same name from there on, and not that one only. */
  readonly forEver: boolean;
  /** The calls that it can happen to, if not all. */
  readonly calls?: RegExp;
}

/** Errors by what they say about a call: the specification has another answer for each class. */
export const errorClasses = {
  /** The disk, the quota, the descriptors or the memory is at its end, or broken: refused, and the error is named. */
  broken: ['ENOSPC', 'EIO', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOLCK', 'EFBIG', 'ENODEV'],
  /** Refused as denied. */
  denied: ['EACCES', 'EPERM'],
  /** Passes by itself: tried again. */
  passing: ['EINTR', 'EAGAIN', 'ESTALE', 'EBUSY'],
  /** Says what is at a path, or what the file system cannot do. */
  telling: [
    'ENOENT',
    'EEXIST',
    'ENOTDIR',
    'ELOOP',
    'EXDEV',
    'EINVAL',
    'EOPNOTSUPP',
    'ENOSYS',
    'EMLINK',
    'ENOTEMPTY',
    'ENAMETOOLONG',
    'ENXIO',
    'EOVERFLOW',
  ],
} as const;

export type ErrorClass = keyof typeof errorClasses;

export function classOf(name: string): ErrorClass | undefined {
  const names = Object.keys(errorClasses) as ErrorClass[];
  return names.find((each) => (errorClasses[each] as readonly string[]).includes(name));
}

/** libuv takes these for a kernel without statx, and goes on with other calls for good. */
const unknownCall = ['EPERM', 'EINVAL', 'ENOSYS', 'EOPNOTSUPP'];

const errorOnce = (name: string): Fault => ({
  name,
  effect: `error=${name}`,
  forEver: false,
  ...(unknownCall.includes(name) ? { calls: /^(?!statx$)/ } : {}),
});

/** Threads wake each other with writes, which must not fail; and EACCES and EAGAIN of fcntl say that a lock is held. */
const errorForEver = (name: string): Fault => ({
  name: `${name} for ever`,
  effect: `error=${name}`,
  forEver: true,
  calls: /^E(?:ACCES|AGAIN)$/.test(name) ? /^(?!(?:write|fcntl)$)/ : /^(?!write$)/,
});

/** The call is not made, and says that it has done that much. */
const short: readonly Fault[] = [
  { name: 'short', effect: 'retval=2', forEver: false, calls: /^p?write/ },
  { name: 'nothing', effect: 'retval=0', forEver: false, calls: /^p?write/ },
  { name: 'early end', effect: 'retval=0', forEver: false, calls: /^pread/ },
];

/** All that is known. */
export const allFaults: readonly Fault[] = [
  ...Object.values(errorClasses).flat().map(errorOnce),
  ...['ENOSPC', 'EIO', 'EMFILE', 'EACCES', 'EAGAIN', 'ESTALE'].map(errorForEver),
  ...short,
];

/** What shows most: one that stands for the disk, one for what the process runs out of, and one that Node has no name for. */
export const commonFaults: readonly Fault[] = [
  ...['EIO', 'EMFILE'].map(errorOnce),
  { ...errorOnce('EDQUOT'), calls: /^(?:write|fsync)$/ },
  ...short,
];

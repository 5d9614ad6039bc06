/** A way in which a system call can fail. */
export interface Fault {
  /** ENOSPC, for example, or another effect. */
  readonly name: string;
  /** In strace's syntax. */
  readonly effect: string;
  /** Applies to all later calls of the same name as well. */
  readonly forEver: boolean;
  /** The calls it applies to, if not all. */
  readonly calls?: RegExp;
}

/** Errors by meaning: the specification has a different answer for each class. */
export const errorClasses = {
  /** Disk, quota, descriptors or memory are exhausted or broken: refused, naming the error. */
  broken: ['ENOSPC', 'EIO', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOLCK', 'EFBIG', 'ENODEV'],
  /** Refused as denied. */
  denied: ['EACCES', 'EPERM'],
  /** Transient: retried. */
  passing: ['EINTR', 'EAGAIN', 'ESTALE', 'EBUSY'],
  /** Describes what is at a path, or what the file system cannot do. */
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

/** libuv takes these for a kernel without statx, and permanently falls back to other calls. */
const unknownCall = ['EPERM', 'EINVAL', 'ENOSYS', 'EOPNOTSUPP'];

const errorOnce = (name: string): Fault => ({
  name,
  effect: `error=${name}`,
  forEver: false,
  ...(unknownCall.includes(name) ? { calls: /^(?!statx$)/ } : {}),
});

/** Threads wake each other with writes, which must not fail; EACCES and EAGAIN from fcntl mean that a lock is held. */
const errorForEver = (name: string): Fault => ({
  name: `${name} for ever`,
  effect: `error=${name}`,
  forEver: true,
  calls: /^E(?:ACCES|AGAIN)$/.test(name) ? /^(?!(?:write|fcntl)$)/ : /^(?!write$)/,
});

/** The call is skipped, and reports having done that much. */
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

/** The most telling ones: one for the disk, one for process limits, and one that Node has no name for. */
export const commonFaults: readonly Fault[] = [
  ...['EIO', 'EMFILE'].map(errorOnce),
  { ...errorOnce('EDQUOT'), calls: /^(?:write|fsync)$/ },
  ...short,
];

/** For those who finish the changes of others: the next one goes on. */
export const finisherFaults: readonly Fault[] = ['EIO', 'ENOSPC', 'EACCES'].map((name) => ({
  ...errorOnce(name),
  calls: name === 'EACCES' ? /^(?!fcntl$)/ : /^/,
}));

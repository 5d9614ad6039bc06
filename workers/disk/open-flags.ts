/** How files are opened. Windows has none of the flags that are left out there. */
import { constants } from 'node:fs';

/** The last name of a path is not a link. */
const noLink = constants.O_NOFOLLOW ?? 0;
/** Do not wait for the other end of a FIFO. */
const noWait = constants.O_NONBLOCK ?? 0;

export const toRead = constants.O_RDONLY | noLink | noWait;
export const toReadAndWrite = constants.O_RDWR | noLink;
/** Not to wait for the other end of a FIFO matters only where anything may be there. */
export const toReadAndWriteAny = toReadAndWrite | noWait;
/** A file that is not there yet. */
export const toCreate = toReadAndWrite | constants.O_CREAT | constants.O_EXCL;

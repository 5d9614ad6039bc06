/**
 * Why a test cannot run on this system, for `skip`; false where it can. Windows has some of this, but for those alone
 * who have the right to it or have installed it, and Wine has not.
 */
const isWindows = process.platform === 'win32';

export const needs = {
  links: isWindows && 'needs a right to make symbolic links',
  modes: isWindows && 'modes and the umask say nothing there',
  namesOfOpenFiles: isWindows && 'an open file keeps its name there',
  sockets: isWindows && 'needs sockets that have a path',
  git: isWindows && 'needs git',
  posixPaths: isWindows && 'is about paths of POSIX',
  proc: process.platform !== 'linux' && 'needs /proc',
} as const;

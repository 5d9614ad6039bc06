/** Words that callers chose: what was probably meant by them, and how they are sent back, for errors that teach. */
import { distance } from './distance.js';

/** Names that callers use for one another, without separators; the first one that is known is suggested. */
const synonyms: readonly (readonly string[])[] = [
  ['name', 'filename', 'file', 'path', 'filepath', 'uri'],
  // Of those who would replace a text: to append its replacement is not what they want.
  ['edits', 'oldtext', 'oldstring', 'oldstr', 'newtext', 'newstring', 'newstr', 'newcontent', 'replacement', 'replace'],
  ['append', 'content', 'contents', 'text', 'value', 'data', 'body'],
  ['content', 'contents', 'text', 'newtext', 'newcontent', 'newstring', 'newstr', 'value', 'data', 'body', 'append'],
  ['content', 'filetext'],
  ['newstr', 'inserttext', 'content', 'text', 'newtext', 'newstring', 'newcontent', 'replacement', 'replace'],
  ['newstring', 'newtext', 'newstr', 'newcontent', 'content', 'text', 'replacement', 'replace'],
  ['oldstr', 'oldtext', 'oldstring', 'oldcontent', 'search', 'find'],
  ['oldstring', 'oldtext', 'oldstr', 'oldcontent', 'search', 'find'],
  ['path', 'name', 'filename', 'file', 'filepath', 'uri', 'directory', 'dir'],
  ['oldpath', 'path', 'name', 'source', 'src', 'from', 'oldname'],
  ['newpath', 'destination', 'target', 'dst', 'dest', 'to', 'newname'],
  ['insertline', 'line', 'linenumber', 'at', 'position'],
  ['edits', 'changes', 'operations', 'edit', 'replacements', 'patches'],
  ['line', 'linenumber', 'lineno', 'at', 'insertline', 'startline', 'position'],
  ['operation', 'type', 'action', 'op', 'command', 'kind', 'mode'],
  ['startline', 'linestart', 'start', 'from', 'fromline', 'first', 'firstline', 'offset', 'begin', 'line'],
  ['endline', 'lineend', 'stopline', 'end', 'to', 'toline', 'last', 'lastline', 'until', 'stop'],
  ['caseinsensitive', 'ignorecase', 'nocase'],
  ['replaceall', 'all', 'global'],
  ['createifmissing', 'create', 'createfile', 'createifnotexists'],
  ['expectedhash', 'hash', 'ifmatch', 'etag', 'basehash', 'version'],
  ['returnhash', 'hash', 'withhash', 'includehash'],
  ['listfiles', 'ls', 'dir', 'glob', 'listdirectory', 'listdir', 'readdir'],
  ['readfile', 'cat', 'view', 'viewfile', 'openfile', 'getfile', 'readtextfile'],
  ['editfile', 'writefile', 'createfile', 'appendfile', 'updatefile', 'strreplace', 'insert', 'create', 'write'],
];

/** Nearly the name of a parameter, but the opposite of what it means. */
const opposites: ReadonlySet<string> = new Set(['casesensitive']);

/** A longer word cannot be a slip for any name here, and would cost quadratic time. */
const longest = 40;

/**
 * The one of `known` that `word` was probably meant to be, or undefined: equal except for case and separators, a
 * synonym, at most a third of its characters mistyped, or a prefix.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > longest) return undefined;
  const wanted = bare(word);
  if (wanted === '' || opposites.has(wanted)) return undefined;
  const same = known.find((name) => bareName(name) === wanted);
  if (same !== undefined) return same;
  for (const group of synonyms) {
    if (!group.includes(wanted)) continue;
    const synonym = known.find((name) => bareName(name) === group[0]);
    if (synonym !== undefined) return synonym;
  }
  let best: string | undefined;
  let fewest = Math.floor(wanted.length / 3) + 1;
  for (const name of known) {
    const slips = distance(wanted, bareName(name), fewest);
    if (slips < fewest) [best, fewest] = [name, slips];
  }
  return best ?? known.find((name) => wanted.length > 1 && isBeginning(wanted, bareName(name)));
}

/** The same as a sentence, with a space behind it; empty if there is none. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant === undefined ? '' : `Did you mean '${meant}'? `;
}

/** Whether one begins with the other, as `dir` and `directory`. */
function isBeginning(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}

function bare(word: string): string {
  return word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Names that are known are few, and asked for again and again: a batch may have 20,000 words that are not. */
const bareNames = new Map<string, string>();

function bareName(name: string): string {
  let found = bareNames.get(name);
  if (found === undefined) bareNames.set(name, (found = bare(name)));
  return found;
}

/** In characters. */
const mostEchoed = 60;

/** A word that a client chose, as it may be sent back: short, well-formed, on one line. */
export function oneLine(word: string): string {
  const short = word.length > mostEchoed ? `${word.slice(0, mostEchoed)}…` : word;
  return short.toWellFormed().replaceAll(/\p{Cc}/gu, '\ufffd');
}

/** Guesses the name a caller meant, and echoes callers' words safely, for errors that teach. */
import { distance } from './distance.js';

/** Groups of names that callers confuse, without separators; the first of a group is suggested if it is known. */
const synonyms: readonly (readonly string[])[] = [
  ['name', 'filename', 'file', 'path', 'filepath', 'uri'],
  // For callers who want to replace text: suggesting `append` would mislead them.
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
  ['renameto', 'newpath', 'destination', 'target', 'dst', 'dest', 'to', 'newname', 'rename', 'moveto'],
  ['newpath', 'destination', 'target', 'dst', 'dest', 'to', 'newname'],
  ['insertline', 'line', 'linenumber', 'at', 'position'],
  ['changes', 'edits', 'operations', 'files', 'change'],
  ['edits', 'changes', 'operations', 'edit', 'replacements', 'patches'],
  ['line', 'linenumber', 'lineno', 'at', 'insertline', 'startline', 'position'],
  ['operation', 'type', 'action', 'op', 'command', 'kind', 'mode'],
  ['startline', 'linestart', 'start', 'from', 'fromline', 'first', 'firstline', 'offset', 'begin', 'line'],
  ['endline', 'lineend', 'stopline', 'end', 'to', 'toline', 'last', 'lastline', 'until', 'stop'],
  ['pattern', 'query', 'regex', 'regexp', 'search', 'find', 'text', 'glob'],
  ['glob', 'include', 'includes', 'fileglob', 'filepattern', 'files'],
  ['caseinsensitive', 'ignorecase', 'nocase'],
  ['ignorecase', 'caseinsensitive', 'nocase'],
  ['context', 'contextlines', 'before', 'after', 'linesaround'],
  ['limit', 'maxresults', 'headlimit', 'maxcount', 'count', 'max'],
  ['mode', 'outputmode', 'output'],
  ['literal', 'fixedstrings', 'isliteral', 'plain'],
  ['replaceall', 'all', 'global'],
  ['createifmissing', 'create', 'createfile', 'createifnotexists'],
  ['expectedhash', 'hash', 'ifmatch', 'etag', 'basehash', 'version'],
  ['returnhash', 'hash', 'withhash', 'includehash'],
  ['listfiles', 'ls', 'dir', 'glob', 'listdirectory', 'listdir', 'readdir'],
  ['grep', 'search', 'ripgrep', 'rg', 'searchcode', 'searchtext', 'searchcontent', 'findinfiles', 'grepsearch'],
  ['glob', 'find', 'findfiles', 'searchfiles', 'filesearch'],
  ['applychanges', 'applypatch', 'patch', 'multiedit', 'editfiles', 'edit', 'batchedit', 'applydiff'],
  ['readfile', 'cat', 'view', 'viewfile', 'openfile', 'getfile', 'readtextfile'],
  ['editfile', 'writefile', 'createfile', 'appendfile', 'updatefile', 'strreplace', 'insert', 'create', 'write'],
];

/** Resembles a parameter but means its opposite. */
const opposites: ReadonlySet<string> = new Set(['casesensitive']);

/** A longer word cannot be a typo of any name here, and comparing takes quadratic time. */
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

/** The same as a sentence with a trailing space; empty if there is no suggestion. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant === undefined ? '' : `Did you mean '${meant}'? `;
}

/** Whether one is a prefix of the other, as `dir` of `directory`. */
function isBeginning(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}

function bare(word: string): string {
  return word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Memoizes the few known names: a batch may compare them with 20,000 unknown words. */
const bareNames = new Map<string, string>();

function bareName(name: string): string {
  let found = bareNames.get(name);
  if (found === undefined) bareNames.set(name, (found = bare(name)));
  return found;
}

/** In characters. */
const mostEchoed = 60;

/** A client's word, safe to echo: short, well-formed, on one line. */
export function oneLine(word: string): string {
  const short = word.length > mostEchoed ? `${word.slice(0, mostEchoed)}…` : word;
  return short.toWellFormed().replaceAll(/\p{Cc}/gu, '\ufffd');
}

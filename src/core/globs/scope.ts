/** Which files callers may use, by their paths (spec 16, and `--paths` of spec 17). */
import { folded } from '../names/reserved-name.js';
import { Glob } from './glob.js';

type Names = readonly string[];

/**
 * Patterns from the root of the directory. A file is allowed if one of them matches and none that begins with `!`
 * excludes it. If all begin with `!`, every other file is allowed.
 */
type Patterns = readonly string[];

/** The limits of a caller, as plain data for the threads. An absent member allows everything. */
export interface Limits {
  /** For all callers of this server. */
  readonly server?: Patterns;
  /** For callers with this token. */
  readonly token?: Patterns;
  /** For the files that they change. */
  readonly changes?: Patterns;
}

/** Longest list of patterns in an error, in characters. */
const mostTold = 300;

/** The paths that several limits all allow. */
export class Scope {
  private constructor(
    private readonly included: readonly (readonly Rule[])[],
    private readonly excluded: readonly Rule[],
    /** The paths that may be read, of which it allows only some to be changed. */
    private readonly readable: Scope | undefined,
    /** In sentences: what it allows, and what a caller who needs more can do. */
    readonly told: string,
  ) {}

  /** @throws GlobFault if one is not a valid pattern */
  static of(limits: Limits): Scope {
    const { changes, ...ofReading } = limits;
    const parts = Object.values(limits).map(parted);
    return new Scope(
      parts.map(({ included }) => included.map((glob) => Glob.of(glob))),
      parts.flatMap(({ excluded }) => excluded.map(excluding)),
      changes === undefined ? undefined : Scope.of(ofReading),
      `${toldOf(limits)} ${adviceFor(limits)}`,
    );
  }

  /** The paths that may be read. */
  get toRead(): Scope {
    return this.readable ?? this;
  }

  /** Whether the file of this path is allowed. */
  holds(path: Names): boolean {
    return this.namesIn(path.slice(0, -1))(path.at(-1) ?? '');
  }

  /** The test for the names of files in a directory: what its path decides is found out once. */
  namesIn(directory: Names): (name: string) => boolean {
    const included = this.included.map((rules) => rules.map((rule) => rule.namesIn(directory)));
    const excluded = this.excluded.map((rule) => rule.namesIn(directory));
    return (name) =>
      included.every((tests) => tests.some((test) => test(name))) && excluded.every((test) => test(name));
  }

  /** Whether anything in this directory, or below it, can be allowed. */
  reaches(directory: Names): boolean {
    return this.allows((rule) => rule.reaches(directory));
  }

  /** Whether everything in this directory, and below it, is allowed. */
  covers(directory: Names): boolean {
    return this.allows((rule) => rule.covers(directory));
  }

  private allows(matches: (rule: Rule) => boolean): boolean {
    return this.included.every((rules) => rules.some(matches)) && this.excluded.every(matches);
  }
}

/** What some limits allow, in sentences. @param most characters of each list */
export function toldOf({ server, token, changes }: Limits, most = mostTold): string {
  const ofToken = [
    ...(token === undefined ? [] : [`only ${listed(token, most)}`]),
    ...(changes === undefined ? [] : [`changes only of ${listed(changes, most)}`]),
  ];
  return [
    ...(server === undefined ? [] : [`This server allows only ${listed(server, most)}.`]),
    ...(ofToken.length === 0 ? [] : [`This token allows ${ofToken.join(', and ')}.`]),
  ].join(' ');
}

function adviceFor({ server, ...ofToken }: Limits): string {
  if (server === undefined) return 'Use a path that matches, or ask for a token that allows this one.';
  if (Object.keys(ofToken).length === 0)
    return 'Use a path that matches, or ask the operator of the server to allow this one.';
  return 'Use a path that both allow.';
}

function listed(patterns: Patterns, most: number): string {
  const { included, excluded } = parted(patterns);
  const list = [...included, ...excluded].join(', ');
  return list.length > most ? `${list.slice(0, most)}…` : list;
}

function parted(patterns: Patterns): { readonly included: Patterns; readonly excluded: Patterns } {
  const excluded = patterns.filter(excludes);
  const isAllButThese = excluded.length === patterns.length;
  return { included: isAllButThese ? ['**'] : patterns.filter((glob) => !excludes(glob)), excluded };
}

type Rule = Pick<Glob, 'namesIn' | 'reaches' | 'covers'>;

function excludes(glob: string): boolean {
  return glob.startsWith('!');
}

/** Also excludes the other spellings that a lenient file system takes for the same name. */
function excluding(text: string): Rule {
  const strict = Glob.of(text);
  const lenient = Glob.of(text.normalize('NFKC').toLowerCase());
  const foldedAll = (names: Names): string[] => names.map(folded);
  return {
    namesIn(directory) {
      const [isNamed, isFoldedNamed] = [strict.namesIn(directory), lenient.namesIn(foldedAll(directory))];
      return (name) => isNamed(name) && isFoldedNamed(folded(name));
    },
    reaches: (directory) => strict.reaches(directory) && lenient.reaches(foldedAll(directory)),
    covers: (directory) => strict.covers(directory) && lenient.covers(foldedAll(directory)),
  };
}

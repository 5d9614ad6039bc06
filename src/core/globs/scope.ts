/** Which files a token allows, by their paths (spec 16). */
import { folded } from '../names/reserved-name.js';
import { Glob } from './glob.js';

type Names = readonly string[];

/** Longest list of patterns in an error, in characters. */
const mostTold = 300;

/** The paths that one token allows. */
export class Scope {
  private constructor(
    private readonly included: readonly Rule[],
    private readonly excluded: readonly Rule[],
    /** The patterns, for errors. */
    readonly told: string,
  ) {}

  /**
   * @param globs A file is allowed if one of them matches and none that begins with `!` excludes it. If all begin with
   *   `!`, every other file is allowed
   * @throws GlobFault if one is no pattern
   */
  static of(globs: readonly string[]): Scope {
    const excluded = globs.filter(excludes);
    const included = excluded.length === globs.length ? ['**'] : globs.filter((glob) => !excludes(glob));
    const list = [...included, ...excluded].join(', ');
    const told = list.length > mostTold ? `${list.slice(0, mostTold)}…` : list;
    return new Scope(
      included.map((glob) => Glob.of(glob)),
      excluded.map(excluding),
      told,
    );
  }

  /** Whether the file of this path is allowed. */
  holds(path: Names): boolean {
    const directory = path.slice(0, -1);
    const name = path.at(-1) ?? '';
    return this.allows((rule) => rule.namesIn(directory)(name));
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
    return this.included.some(matches) && this.excluded.every(matches);
  }
}

type Rule = Pick<Glob, 'namesIn' | 'reaches' | 'covers'>;

function excludes(glob: string): boolean {
  return glob.startsWith('!');
}

/** Excludes also the other spellings that a lenient file system takes for the same name. */
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

import type { Params } from '../../src/core/operations.js';
import { find } from '../../workers/disk/paths/find.js';
import { Directory } from '../../workers/disk/paths/anchor.js';
import { Glob } from '../../src/core/globs/glob.js';
import { Walk } from '../../workers/search/walk.js';
import { workspaceOf } from '../workspace.js';

/** What a walk finds, in its order. @param step runs after each step */
export function found(
  directory: string,
  { pattern, path = '', hidden = false, ignored = false }: Params['glob'],
  step: () => void = () => undefined,
): string[] {
  const workspace = workspaceOf(directory);
  workspace.root.refresh();
  const start = find(workspace.root, path, 'directory');
  const paths: string[] = [];
  try {
    if (!(start instanceof Directory)) throw new Error(`${path} is a file`);
    for (const file of new Walk(workspace.root, start, {
      glob: Glob.parse('pattern', pattern, hidden),
      ignored,
    }).files()) {
      if (file !== undefined) paths.push(file.path);
      step();
    }
    return paths;
  } finally {
    start.close();
    workspace.close();
  }
}

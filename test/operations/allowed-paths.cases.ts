/** What `--paths` allows (spec 17), to every operation. Attacks on such paths: test/fronts/token-paths.test.ts. */
import type { OperationName } from '../../src/core/operations.js';
import { type Case, type ExpectedError, type Files, linkTo, pathError, withOptions } from './case.js';

const before: Files = {
  '.git/config': 'secret',
  'app/.env.local': 'secret',
  'app/main.ts': 'needle\n',
  'notes/plan.md': 'needle\n',
  'notes/plan.txt': 'needle\n',
  'top.txt': 'needle\n',
};

const told = /^This server allows only \*\*, !\.git\/\*\*, !\*\*\/\.env\*\. .* ask the operator of the server to allow/;

const refused = (path: string, message = `Permission denied: ${path}`): ExpectedError =>
  pathError('permission_denied', path, message, { details: told });

/** The same in a list of several files. */
const excluded = (path: string): object => ({
  path,
  error: {
    reason: 'permission_denied',
    message: `Permission denied: ${path}`,
    details:
      'This server allows only **, !.git/**, !**/.env*. Use a path that matches, or ask the operator of the server to allow this one.',
  },
});

const edits = [{ old_string: 'secret', new_string: 'x' }];

/** Every use of a file that is there. */
const uses: readonly ((path: string) => readonly [OperationName, Record<string, unknown>, message?: string])[] = [
  (path) => ['view', { path }],
  (path) => ['grep', { path, pattern: 'secret' }],
  (path) => ['str_replace', { path, old_str: 'secret', new_str: 'x' }],
  (path) => ['insert', { path, insert_line: 0, new_str: 'x' }],
  (path) => ['write', { path, content: 'x', expected_hash: '*' }],
  (path) => ['delete', { path }],
  (path) => ['rename', { old_path: path, new_path: 'moved.txt' }, 'Permission denied'],
  (path) => [
    'apply_edits',
    { path, edits, dry_run: true },
    `Permission denied: ${path}. Use what is allowed, or ask for this to be allowed.`,
  ],
];

const excluding = withOptions({ toolset: 'all', paths: '**,!.git/**,!**/.env*' }, [
  ...uses.flatMap((use) =>
    ['.git/config', 'app/.env.local', 'app/../.git/config'].map((path): Case => {
      const [operation, params, message] = use(path);
      return {
        title: `refuses '${path}', which is excluded`,
        before,
        call: [operation, params],
        error: refused(path, message),
      };
    }),
  ),
  {
    title: 'refuses to make what is excluded',
    before,
    call: ['create', { path: 'new/.env', content: 'x' }],
    error: refused('new/.env'),
  },
  {
    title: 'refuses to move a file to where it is excluded',
    before,
    call: ['rename', { old_path: 'top.txt', new_path: '.git/top.txt' }],
    error: refused('.git/top.txt', 'Permission denied'),
  },
  {
    title: 'refuses all changes if one is of what is excluded',
    before,
    call: [
      'apply_changes',
      {
        changes: [
          { path: 'top.txt', content: 'x', expected_hash: '*' },
          { path: '.git/hooks/pre-commit', content: 'x' },
        ],
      },
    ],
    error: {
      ...refused('.git/hooks/pre-commit'),
      message: /Permission denied: \.git\/hooks\/pre-commit$/,
      data: { reason: 'permission_denied', path: '.git/hooks/pre-commit', change: 2 },
    },
  },
  ...['.env.there', '.env.none'].map((path): Case => {
    const moved = path.toUpperCase();
    return {
      title: `refuses to spell '${path}', which is excluded, in capitals`,
      before: { '.env.there': 'secret' },
      call: ['apply_changes', { changes: [{ path, rename_to: moved }] }],
      error: {
        ...refused(path),
        message: `Change 1 of 1 (${path}) failed: Permission denied`,
        data: { reason: 'permission_denied', path, change: 1 },
      },
    };
  }),
  {
    title: 'refuses what is excluded behind a link',
    before: { 'top.txt': '', 'app/.env': 'secret' },
    make: { link: linkTo('app/.env') },
    call: ['view', { path: 'link' }],
    error: refused('link'),
  },
  {
    title: 'refuses of several files only those that are excluded, whether or not they are there',
    before,
    make: { link: linkTo('app/.env.local') },
    call: ['view', { files: ['.git/config', 'top.txt', 'link', '.git/none', '.git'].map((path) => ({ path })) }],
    result: {
      type: 'files',
      files: [
        excluded('.git/config'),
        { path: 'top.txt', type: 'file', content: 'needle\n', encoding: 'utf-8', size: 7 },
        excluded('link'),
        excluded('.git/none'),
        excluded('.git'),
      ],
      truncated: false,
    },
  },
  {
    title: 'does not tell whether what is excluded is there',
    before,
    call: ['view', { path: '.git/none' }],
    error: refused('.git/none'),
  },
  {
    title: 'leaves out what is excluded',
    before,
    call: ['view', { path: 'app' }],
    result: { type: 'directory', entries: ['main.ts'] },
  },
  {
    title: 'does not search what is excluded, also with hidden files',
    before,
    call: ['grep', { pattern: 'needle|secret', glob: '{app,.git}/**', hidden: true }],
    result: {
      files: [{ path: 'app/main.ts', count: 1, matches: [{ line: 1, text: 'needle' }] }],
      total_matches: 1,
      total_files: 1,
      searched: 1,
      skipped: { binary: 0, too_large: 0, unreadable: 0 },
      truncated: false,
    },
  },
  {
    title: 'edits the rest',
    before,
    call: ['str_replace', { path: 'app/main.ts', old_str: 'needle', new_str: 'x' }],
    result: { success: true, path: 'app/main.ts' },
    after: { ...before, 'app/main.ts': 'x\n' },
  },
]);

const flat: Files = { 'plan.md': 'needle\n', 'plan.txt': 'needle\n' };
const onlyMd = /^This server allows only \*\.md\. /;
const flatRefusal = (name: string): ExpectedError => ({
  code: -32001,
  status: 403,
  message: `Permission denied accessing '${name}'`,
  details: onlyMd,
});

const including = withOptions({ toolset: 'all', paths: '*.md' }, [
  ...['plan.txt', 'none.txt'].flatMap((name): Case[] => [
    {
      title: `refuses '${name}', which does not match`,
      before: flat,
      call: ['read_file', { name }],
      error: flatRefusal(name),
    },
    {
      title: `refuses '${name}', which does not match`,
      before: flat,
      call: ['edit_file', { name, append: 'x', create_if_missing: true }],
      error: flatRefusal(name),
    },
  ]),
  {
    title: 'reads what matches',
    before: flat,
    call: ['read_file', { name: 'plan.md' }],
    result: { content: 'needle', total_lines: 1 },
  },
  {
    title: 'makes what matches, at any depth',
    before: flat,
    call: ['create', { path: 'notes/new.md', content: 'x' }],
    result: { success: true, path: 'notes/new.md' },
    after: { ...flat, 'notes/new.md': 'x' },
  },
  {
    title: 'does not offer what does not match in place of a missing file',
    before: { 'plam.txt': '', 'plam.md': '' },
    call: ['view', { path: 'plan.md' }],
    error: pathError('file_not_found', 'plan.md', 'File not found: plan.md', {
      details: /^Did you mean 'plam\.md'\? (?!.*plam\.txt)/,
    }),
  },
]);

export const allowedPathsCases: readonly Case[] = [...excluding, ...including];

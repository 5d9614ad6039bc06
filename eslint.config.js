import { builtinModules } from 'node:module';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/**
 * The law of imports: a room may use the rooms below it, never those above, of which it may know types only: what
 * it has to offer them. Not listed are the leaves that all may use: config, json, monitoring, version and so on.
 */
const floors = [
  ['cli', 'storage-cli', 'quick-start', 'index'],
  ['commands/'],
  ['server', 'apply-edits', 'file-storage'],
  ['open-transport', 'in-process', 'missing-file'],
  ['edited-place'],
  ['transports/'],
  ['protocols/'],
  ['tools/'],
  ['call'],
  ['validation/', 'pool/'],
  ['operations', 'schemas', 'failures', 'errors', 'error-kinds', 'reasons'],
];

/** The start of a relative import: of the same folder only in files that lie in src itself. */
const fromSrc = String.raw`^\./`;
const fromRoom = String.raw`^(?:\.\./)+(?:src/)?`;

const withoutProtocol = builtinModules
  .filter((name) => !name.startsWith('_') && !name.startsWith('node:'))
  .map((name) => ({ name, message: `Write 'node:${name}'.` }));

/** What is forbidden everywhere, and the given patterns. */
function restricted(...patterns) {
  return { '@typescript-eslint/no-restricted-imports': ['error', { paths: withoutProtocol, patterns }] };
}

/** A pattern that matches the imports of these rooms. */
function importOf(rooms, start) {
  const names = rooms.map((room) => (room.endsWith('/') ? room : String.raw`${room}\.js$`));
  return {
    regex: `${start}(?:${names.join('|')})`,
    allowTypeImports: true,
    message: 'This room lies above: see the law in eslint.config.js.',
  };
}

const threadContract = {
  regex: String.raw`workers/(?!(?:task|packed-answer|timings|closing)\.js$)`,
  message:
    'The main thread knows of the workers only the contract: workers/task.ts, packed-answer.ts, timings.ts, closing.ts.',
};
const buildTools = { regex: '^(?:ajv|esbuild)', message: 'Only the build may load it.' };

const workersOutside = {
  regex: String.raw`^(?:\.\./)+src/(?!operations\.js$|subject\.js$|errors\.js$|error-code\.js$|failures\.js$|file-identity\.js$|reserved-name\.js$|one-spelling\.js$|(?:names-meant|told-names)\.js$|memory/(?:collect|held|free|shared)\.js$|json/(?:json-body|json-of|large-text)\.js$|validation/(?:filename|path)\.js$)`,
  message:
    'Workers know of the main thread only the operations, the errors, JSON and its large texts, the identity of files, names, the rules of the validation, and how memory is bounded, shared, freed and collected.',
};
const unrepeated = {
  regex: '^node:fs$',
  importNamePattern: '^(?!(?:close|fsync|link|rename|unlink|rmdir)(?:Sync)?$|constants$|[A-Z])',
  message: 'Import it from workers/disk/calls.ts, which repeats what fails with an error that passes by itself.',
};

const lawOfFloors = floors.flatMap((rooms, floor) => {
  const above = floors.slice(0, floor).flat();
  return rooms.map((room) => {
    const folder = room.endsWith('/');
    return {
      files: [folder ? `src/${room}**/*.ts` : `src/${room}.ts`],
      rules: restricted(
        ...(above.length === 0 ? [] : [importOf(above, folder ? fromRoom : fromSrc)]),
        threadContract,
        buildTools,
      ),
    };
  });
});

export default defineConfig(
  globalIgnores([
    'dist/',
    'coverage/',
    'workspace/',
    'src/validation/compiled.*',
    'src/status-page/compiled.*',
    'workers/text/kernel.compiled.*',
    'src/json/kernel.compiled.*',
  ]),
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      ...restricted(),
    },
  },
  {
    // Leaves: what is on no floor knows no room but the lowest.
    files: ['src/*.ts'],
    rules: restricted(importOf(floors.slice(0, -1).flat(), fromSrc), threadContract, buildTools),
  },
  {
    files: ['src/{config,json,memory,monitoring,packaging,status-page}/**/*.ts'],
    rules: restricted(importOf(floors.slice(0, -1).flat(), fromRoom), threadContract, buildTools),
  },
  ...lawOfFloors,
  {
    files: [
      'operations',
      'schemas',
      'schemas/*',
      'errors',
      'error-kinds',
      'reasons',
      'system-advice',
      'file-identity',
    ].map((name) => `src/${name}.ts`),
    rules: restricted({
      regex: String.raw`^(?!\./(?:schemas|(?:schemas/)?(?:schema|members|files|storage|edits)|error-kinds|reasons|system-advice|file-identity)\.js$)`,
      message: 'Everybody stands on this file: it imports nothing but what is as low as itself.',
    }),
  },
  {
    files: ['src/validation/compile.ts'],
    rules: restricted(importOf(floors.slice(0, 8).flat(), fromRoom)),
  },
  {
    // It runs in browsers, and where no server is.
    files: ['src/client/**/*.ts'],
    rules: restricted({
      regex: String.raw`^(?!\./)`,
      allowTypeImports: true,
      message: 'The client is on its own: of the rest it knows types only.',
    }),
  },
  {
    // There is no thread border: the caller's thread does the work of a worker.
    files: ['src/in-process.ts', 'src/missing-file.ts'],
    rules: restricted(
      importOf(floors.slice(0, 3).flat(), fromSrc),
      { regex: String.raw`workers/(?!(?:perform|progress|task|workspace|disk/entry-names)\.js$)` },
      buildTools,
    ),
  },
  {
    files: ['workers/**/*.ts'],
    rules: restricted(workersOutside, unrepeated),
  },
  {
    // What becomes an answer, or a line of the log.
    files: ['src/{json,protocols,tools}/**/*.ts', 'workers/operations/**/*.ts'],
    ignores: ['src/json/json-of.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'JSON',
          property: 'stringify',
          message: 'Use jsonOf: it escapes what lenient readers take for a line break.',
        },
      ],
    },
  },
  {
    files: ['workers/disk/calls.ts'],
    rules: restricted(workersOutside),
  },
  {
    // Constants such as O_NOFOLLOW exist on some platforms only, which their types do not say.
    files: ['workers/disk/**/*.ts'],
    rules: { '@typescript-eslint/no-unnecessary-condition': 'off' },
  },
  {
    // node:test keeps the promises of its suites; tests may hold what a program may not.
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', package: 'node:test', name: ['describe', 'it', 'suite', 'test'] },
          ],
        },
      ],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
);

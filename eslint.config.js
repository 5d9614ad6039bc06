import { builtinModules } from 'node:module';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/**
 * The import rules (docs/architecture.md): a module may use the modules below it. From those above it may import
 * only types: the interface it must provide. config, observe and packaging are leaves: all may use them, and they use core.
 * The thread border (src, workers, and core between them) is not here: the compiler enforces it (tsconfig.json of
 * each).
 */
const floors = [
  ['cli', 'storage-cli', 'quick-start', 'index'],
  ['commands/'],
  ['server', 'rehearsal', 'library/'],
  ['transports/'],
  ['protocols/'],
  ['call/'],
  ['pool/'],
  ['access/'],
  ['core/'],
];

/** The start of a relative import; only files in src itself import from their own folder. */
const fromSrc = String.raw`^\./`;
const fromRoom = String.raw`^(?:\.\./)+(?:src/)?`;

const withoutProtocol = builtinModules
  .filter((name) => !name.startsWith('_') && !name.startsWith('node:'))
  .map((name) => ({ name, message: `Write 'node:${name}'.` }));

/** The patterns forbidden everywhere, plus the given ones. */
function restricted(...patterns) {
  return { '@typescript-eslint/no-restricted-imports': ['error', { paths: withoutProtocol, patterns }] };
}

/** A pattern that matches imports of these rooms. */
function importOf(rooms, start) {
  const names = rooms.map((room) => (room.endsWith('/') ? room : String.raw`${room}\.js$`));
  return {
    regex: `${start}(?:${names.join('|')})`,
    allowTypeImports: true,
    message: 'This module lies above: see the import rules in eslint.config.js.',
  };
}

const buildTools = { regex: '^(?:ajv|esbuild)', message: 'Only the build may load it.' };

const unrepeated = {
  regex: '^node:fs$',
  importNamePattern: '^(?!(?:close|fsync|link|rename|unlink|rmdir)(?:Sync)?$|constants$|[A-Z])',
  message: 'Import it from workers/disk/calls.ts, which retries transient failures.',
};

const lawOfFloors = floors.flatMap((rooms, floor) => {
  const above = floors.slice(0, floor).flat();
  return rooms.map((room) => {
    const folder = room.endsWith('/');
    return {
      files: [folder ? `src/${room}**/*.ts` : `src/${room}.ts`],
      rules: restricted(...(above.length === 0 ? [] : [importOf(above, folder ? fromRoom : fromSrc)]), buildTools),
    };
  });
});

export default defineConfig(
  globalIgnores([
    'dist/',
    'coverage/',
    'workspace/',
    'src/call/validation/compiled.*',
    'src/protocols/pages/status-page/compiled.*',
    'workers/text/kernel.compiled.*',
    'src/core/json/kernel.compiled.*',
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
    // Leaves: a module outside the layers may import only the lowest one.
    files: ['src/*.ts'],
    rules: restricted(importOf(floors.slice(0, -1).flat(), fromSrc), buildTools),
  },
  {
    files: ['src/{config,observe,packaging}/**/*.ts'],
    rules: restricted(importOf(floors.slice(0, -1).flat(), fromRoom), buildTools),
  },
  ...lawOfFloors,
  {
    files: [
      'src/core/{operations,errors,error-kind,error-kinds,reasons,system-advice,file-identity}.ts',
      'src/core/schemas/*.ts',
    ],
    rules: restricted({
      regex: String.raw`^(?:\.\./)+(?:json|memory|names|thread)/|^\./(?:json|memory|names|thread)/`,
      message: 'Every module depends on this file: it may import only files of its own level.',
    }),
  },
  {
    files: ['src/call/validation/compile.ts'],
    rules: restricted(importOf(floors.slice(0, 5).flat(), fromRoom)),
  },
  {
    // Runs in browsers, and without a server.
    files: ['src/client/**/*.ts'],
    rules: restricted({
      regex: String.raw`^(?!\./)`,
      allowTypeImports: true,
      message: 'The client is independent: it may import only types from other modules.',
    }),
  },
  {
    files: ['workers/**/*.ts'],
    rules: restricted(unrepeated),
  },
  {
    files: ['src/**/*.ts', 'workers/**/*.ts'],
    ignores: ['src/core/platform.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'MemberExpression[object.name="process"][property.name="platform"]',
          message: 'Name the habit of the system in src/core/platform.ts, and read that.',
        },
      ],
    },
  },
  {
    // What does not fit has two subjects. Its comments count: they are read as well.
    files: ['src/**/*.ts', 'workers/**/*.ts'],
    rules: { 'max-lines': ['error', 300] },
  },
  {
    // Values that become an answer, or a line of the log.
    files: ['src/{core,protocols}/**/*.ts', 'src/call/{parts,result-json}.ts', 'workers/operations/**/*.ts'],
    ignores: ['src/core/json/json-of.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'JSON',
          property: 'stringify',
          message: 'Use jsonOf: it escapes U+2028 and U+2029, which lenient readers treat as line breaks.',
        },
      ],
    },
  },
  {
    files: ['workers/disk/calls.ts'],
    rules: restricted(),
  },
  {
    // Constants such as O_NOFOLLOW exist on some platforms only, which their types do not show.
    files: ['workers/disk/**/*.ts'],
    rules: { '@typescript-eslint/no-unnecessary-condition': 'off' },
  },
  {
    // node:test holds the promises of its suites; tests may do what a program must not.
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

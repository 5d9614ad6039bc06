/** docs/configuration.md has every flag as the program takes it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { helpText } from '../../src/commands/help.js';
import { fileEditor } from '../../src/config/config.js';
import { flags } from '../../src/config/flags.js';
import { sectionsOf, tableOf } from './markdown.js';
import { codeSpans, page } from './newcomer.js';

const head = 'flag | default | accepts | meaning';

interface Row {
  readonly section: string;
  readonly names: readonly string[];
  readonly preset: string;
  readonly accepts: string;
}

const rows: readonly Row[] = [...sectionsOf(page('docs/configuration.md'))].flatMap(([section, text]) =>
  text.includes(`| ${head} |`)
    ? tableOf(text, head).map(([names = '', preset = '', accepts = '']) => ({
        section,
        names: codeSpans(names),
        preset,
        accepts,
      }))
    : [],
);

function rowOf(name: string): Row {
  const row = rows.find(({ names }) => names.includes(`--${name}`));
  assert.ok(row, `no row of --${name}`);
  return row;
}

describe('docs/configuration.md', () => {
  it('lists the flags that --help lists, and no others', () => {
    const inHelp = (helpText(fileEditor).match(/^ +--.*?(?= {2}|$)/gm) ?? []).flatMap(
      (left) => left.match(/--[a-z-]+/g) ?? [],
    );
    const aliases = Object.values(flags).flatMap(({ alias }) => (alias === undefined ? [] : [`--${alias}`]));
    const listed = rows.flatMap(({ names }) => names).filter((name) => name.startsWith('--'));
    assert.deepEqual(listed.sort(), [...inHelp, ...aliases].sort());
  });

  for (const { name, placeholder, fallback, otherwise, accept, transport } of Object.values(flags)) {
    it(`has the default of --${name} and what it accepts`, () => {
      const { preset, accepts, section } = rowOf(name);
      const isSwitch = placeholder === undefined;
      if (isSwitch) assert.deepEqual([preset, accepts], ['off', '']);
      else if (otherwise === undefined && fallback !== undefined && name !== 'workers') {
        assert.equal(codeSpans(preset)[0], String(fallback));
      } else if (otherwise === 'off' || otherwise === 'none') assert.equal(preset, otherwise);
      assert.equal(section === 'How clients reach it' && name !== 'transport', transport === 'http');
      const { rule = '' } = accept;
      const [, from, to] = /^must be between (\d+) and (\d+)/.exec(rule) ?? [];
      if (from !== undefined && to !== undefined) assert.match(accepts, new RegExp(`^${from}–${to}\\b`));
      const [, choices] = /^must be one of: (.*)$/.exec(rule) ?? [];
      if (choices !== undefined) assert.deepEqual(codeSpans(accepts), choices.split(', '));
    });
  }
});

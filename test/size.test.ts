import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import ts from 'typescript';

/** Written by the build. */
const isGenerated = /(?:^|[\\/.])compiled\./;

/** Lines with at least one token: neither blank, nor only a comment. */
function linesOfCode(text: string): number {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest);
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    for (const child of children) visit(child);
    const [start, end] = [node.getStart(source), node.getEnd()];
    if (children.length > 0 || start === end) return;
    const last = source.getLineAndCharacterOfPosition(end).line;
    for (let { line } = source.getLineAndCharacterOfPosition(start); line <= last; line++) lines.add(line);
  };
  visit(source);
  return lines.size;
}

describe('the size of the program', () => {
  it('counts neither comments nor blank lines', () => {
    assert.equal(linesOfCode('/** What\n * it is. */\nexport const a = `\n\n/* in a text */`;\n\n// Why.\n'), 3);
    assert.equal(linesOfCode('const it = /[/]*"/; /* here\n */ const b = it;\nfunction c() {\n  // Nothing.\n}\n'), 4);
  });

  it('is within its budget: what is added is paid for by what goes, or the budget is raised on purpose', () => {
    const budget = JSON.parse(readFileSync('size-budget.json', 'utf8')) as { lines_of_code: number };
    const files = ['src', 'workers'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !isGenerated.test(file))
        .map((file) => join(folder, file)),
    );
    const lines = files.reduce((sum, file) => sum + linesOfCode(readFileSync(file, 'utf8')), 0);
    const text = `${String(lines)} lines of code, and size-budget.json allows ${String(budget.lines_of_code)}`;
    assert.ok(lines <= budget.lines_of_code, text);
  });
});

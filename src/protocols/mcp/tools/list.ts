import { failure, type Success } from '../../../core/errors.js';
import { jsonOf } from '../../../core/json/json-of.js';
import { onOneLine } from '../../../core/names/names-in-messages.js';
import { valueOf } from '../../../call/result-json.js';
import { fits, type Presented, type Tool } from './tool.js';

/** A file as shown to a model. */
interface ListedFile {
  readonly name: string;
  /** Whole seconds, UTC. */
  readonly modified: string;
  readonly lines: number;
  readonly size: number;
}

export const listTool: Tool<'list_files'> = {
  purpose: 'shows the files',
  description: () =>
    'List every file of the working directory with the time of its last change and its number of lines (-1: too large, or not text). Start here: the other tools take these names. Folders are not listed.',
  output: {
    type: 'object',
    properties: {
      files: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            modified: { type: 'string', description: 'UTC.' },
            lines: { type: 'integer', description: '-1: unknown.' },
            size: { type: 'integer', description: 'Bytes.' },
          },
          required: ['name', 'modified', 'lines', 'size'],
        },
      },
      total_count: { type: 'integer' },
    },
    required: ['files', 'total_count'],
  },
  present(success, _params, presentation) {
    const files = filesOf(success);
    const lines = files.map(
      ({ name, modified, lines }) => `name: ${onOneLine(name)}, modified: ${modified}, lines: ${lines}\n`,
    );
    const listing = lines.length === 0 ? '' : `${lines.join('')}\n`;
    const presented: Presented = {
      text: [jsonOf(`Files in directory:\n\n${listing}Total files: ${files.length}`)],
      structured: [jsonOf({ files, total_count: files.length })],
    };
    if (fits(presented, presentation)) return presented;
    return failure('too_large', `The list of ${files.length} files is too long for one answer`, {
      details:
        'Name the file that you need: the other tools work without the list. Moving files into subdirectories shortens it.',
    });
  },
};

/** Parses the JSON-encoded list: names and numbers, a hundred bytes per file. */
function filesOf({ result }: Success): ListedFile[] {
  const parsed = valueOf(result['files']);
  if (!Array.isArray(parsed)) return [];
  return parsed.map((file: Readonly<Record<string, unknown>>) => ({
    name: String(file['name']),
    modified: `${String(file['modified']).slice(0, '2025-06-04T10:30:00'.length)}Z`,
    lines: Number(file['lines']),
    size: Number(file['size']),
  }));
}

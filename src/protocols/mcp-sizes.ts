/** How large answers to MCP messages are. One address has them all: a list of tools, an edit, a file of megabytes. */
import type { Config } from '../config/config.js';
import type { Parsed, Unread } from '../json/json-body.js';
import { availableOperations, type Operation } from '../operations.js';
import type { Need } from '../transports/site.js';
import { answerBytes, AnswerSize, editAnswerBytes, learnList } from './answer-size.js';

/** Of whatever calls no tool; the list of all of them is the largest. */
const plainBytes = 64 * 1024;

/** `view` says what it has read to programs and to models. */
const mostCopies = 2;

export class McpSizes {
  private readonly operations: ReadonlyMap<string, Operation>;
  private readonly ofAll: AnswerSize;
  private readonly ofTool = new Map<string, AnswerSize>();

  constructor(private readonly config: Config) {
    this.operations = availableOperations(config);
    this.ofAll = new AnswerSize(config.maxBytes);
    for (const { name, writes } of this.operations.values()) {
      this.ofTool.set(name, new AnswerSize(writes ? mostCopies * editAnswerBytes : config.maxBytes));
    }
  }

  /** Of a message that nobody has looked at. */
  unknown(purpose: Need['purpose']): Need {
    return { bytes: this.ofAll.estimate, purpose };
  }

  need(message: Parsed | Unread): Need {
    if (!message.ok) return { bytes: editAnswerBytes, purpose: 'read' };
    // What a batch does is known when it is done.
    if (Array.isArray(message.value)) return this.unknown('write');
    const called = this.calledIn(message.value);
    if (called === undefined) return { bytes: plainBytes, purpose: 'read' };
    const { operation, params } = called;
    const size = this.ofTool.get(operation.name) ?? this.ofAll;
    learnList(size, this.config, operation);
    const file = answerBytes(this.config, operation, params);
    return {
      bytes: file === undefined ? size.estimate : mostCopies * file,
      purpose: operation.writes ? 'write' : 'read',
    };
  }

  learn(message: Parsed | Unread, bytes: number): void {
    this.ofAll.learn(bytes);
    const called = message.ok ? this.calledIn(message.value) : undefined;
    if (called !== undefined) this.ofTool.get(called.operation.name)?.learn(bytes);
  }

  private calledIn(message: unknown): { operation: Operation; params: unknown } | undefined {
    if (memberOf(message, 'method') !== 'tools/call') return undefined;
    const params = memberOf(message, 'params');
    const name = memberOf(params, 'name');
    const operation = typeof name === 'string' ? this.operations.get(name) : undefined;
    return operation && { operation, params: memberOf(params, 'arguments') };
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

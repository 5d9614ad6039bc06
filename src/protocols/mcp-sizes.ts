/** How large the answers to MCP messages are. They share one address: a list of tools, an edit, a file of megabytes. */
import type { AnswerRoom } from '../memory/held.js';
import type { Config } from '../config/config.js';
import { isObject, type Parsed, type Unread } from '../json/json-body.js';
import { isAboutAll, type Operation } from '../operations.js';
import { availableOperations } from '../offer.js';
import type { Need } from '../transports/site.js';
import { AnswerSize, editAnswerBytes } from './answer-size.js';

/** For whatever calls no tool; the list of all tools is the largest. */
const plainBytes = 64 * 1024;

/** `view` tells both programs and models what it has read. */
const mostCopies = 2;

/** How much of the room for an answer a text in it may take. */
export function roomForText(room: AnswerRoom): AnswerRoom {
  return {
    bytes: room.bytes / mostCopies,
    async enlarge(bytes) {
      const larger = await room.enlarge(mostCopies * bytes);
      return larger && roomForText(larger);
    },
  };
}

/** Learns how large the answers to messages are, to know how much memory the next ones need. */
export class McpSizes {
  private readonly operations: ReadonlyMap<string, Operation>;
  private readonly ofAll: AnswerSize;
  private readonly ofLists: AnswerSize;

  constructor(config: Config) {
    this.operations = availableOperations(config);
    this.ofAll = new AnswerSize(config.maxBytes);
    this.ofLists = new AnswerSize(config.maxBytes);
  }

  /** For a message that nobody has looked at. */
  unknown(purpose: Need['purpose']): Need {
    return { bytes: this.ofAll.likely, purpose };
  }

  /** The least with which the call in a message can begin. */
  need(message: Parsed | Unread): Need {
    if (!message.ok) return { bytes: editAnswerBytes, purpose: 'read' };
    // What a batch does is known once it is done.
    if (Array.isArray(message.value)) return this.unknown('write');
    const operation = this.calledIn(message.value);
    if (operation === undefined) return { bytes: plainBytes, purpose: 'read' };
    if (operation.writes) return { bytes: mostCopies * editAnswerBytes, purpose: 'write' };
    return { bytes: this.ofLists.leastFor(operation), purpose: 'read' };
  }

  learn(message: Parsed | Unread, bytes: number): void {
    this.ofAll.learn(bytes);
    const operation = message.ok ? this.calledIn(message.value) : undefined;
    if (operation !== undefined && isAboutAll(operation)) this.ofLists.learn(bytes);
  }

  private calledIn(message: unknown): Operation | undefined {
    if (!isObject(message) || message['method'] !== 'tools/call') return undefined;
    const { params } = message;
    const name = isObject(params) ? params['name'] : undefined;
    return typeof name === 'string' ? this.operations.get(name) : undefined;
  }
}

/** The operations as methods of plain JSON-RPC (spec 2). */
import type { MakeCall, CallContext } from '../../call/call.js';
import type { Config } from '../../config/config.js';
import { failure, type Failure, type Outcome } from '../../core/errors.js';
import { isObject } from '../../core/json/json-body.js';
import { didYouMean } from '../../core/names/nearest.js';
import { type Operation, filenameOf } from '../../core/operations.js';
import { availableOperations, whyAbsent } from '../../config/offer.js';
import { asToldBy } from '../../core/path-failure.js';
import type { Request } from './envelope.js';
import { methodNames as mcpMethods } from '../mcp/revisions.js';
import { errorObject, type ErrorObject } from '../../call/result-json.js';

type MethodContext = Omit<CallContext, 'front'>;

/** The methods of one server. */
export class JsonRpcMethods {
  private readonly operations: ReadonlyMap<string, Operation>;

  /** @param call executes an operation */
  constructor(
    private readonly config: Pick<Config, 'toolsets' | 'readOnly'>,
    private readonly call: MakeCall,
  ) {
    this.operations = availableOperations(config);
  }

  /** Whether the answer may be as large as the largest file. */
  isRead(name: string): boolean {
    return this.operations.get(name)?.writes === false;
  }

  /** Execute a request. A write is called before this returns. */
  run({ method, params = {} }: Request, context: MethodContext): Outcome | Promise<Outcome> {
    const operation = this.operations.get(method);
    if (operation === undefined) return this.unknown(method);
    if (!isObject(params)) return asToldBy(operation, {}, badParams(params));
    return this.call(operation, params, { front: 'json-rpc', ...context });
  }

  /** The error of a refused request, with its operation and file. */
  errorOf({ method, params }: Request, refused: Failure): ErrorObject {
    const operation = this.operations.get(method);
    const filename = operation && filenameOf(operation, params);
    return errorObject(refused, { operation: method, ...(filename === undefined ? {} : { filename }) });
  }

  private unknown(name: string): Failure {
    const { operations, config } = this;
    const absent = whyAbsent(name, config);
    const hint = absent === undefined ? didYouMean(name, [...operations.keys(), ...mcpMethods]) : `${absent} `;
    return failure('unknown_operation', 'Method not found', {
      details: `${hint}The methods are ${[...operations.keys()].join(', ')}, and ${mcpMethods.join(', ')} of the MCP.`,
    });
  }
}

function badParams(params: unknown): Failure {
  const given = Array.isArray(params) ? 'an array' : params === null ? 'null' : `a ${typeof params}`;
  return failure('invalid_params', `Invalid params: params must be an object, not ${given}`, {
    details: 'Send the parameters by name, as the members of an object.',
  });
}

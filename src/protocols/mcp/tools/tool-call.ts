/** A tool call, from the model's arguments to the answer it reads (spec 10). */
import { validated, type MakeCall, type CallContext } from '../../../call/call.js';
import type { Failure, LineBase, Success } from '../../../core/errors.js';
import { isObject } from '../../../core/json/json-body.js';
import { jsonOf } from '../../../core/json/json-of.js';
import type { JsonPart } from '../../../call/parts.js';
import { countedFromOne, lineBaseOf } from '../../../core/line-numbers.js';
import type { ModelCall, Operation, OperationName, Params } from '../../../core/operations.js';
import { asToldBy } from '../../../core/path-failure.js';
import { errorObject } from '../../../call/result-json.js';
import { whyUnread } from './unread-arguments.js';
import { hasTooManyMembers, coerceArguments } from './coerce-arguments.js';
import type { Presentation } from './tool.js';
import { toolOf } from './tools.js';

/** The members of a CallToolResult as JSON, each starting with a comma; null if the call was cancelled in time. */
type ToolResult = readonly JsonPart[] | null;

/**
 * Call an operation as a tool. The call is made before this returns, which keeps calls in order. Never rejects.
 * @param given the arguments as sent
 */
export async function callTool(
  call: MakeCall,
  operation: Operation,
  given: unknown,
  context: CallContext,
  presentation: Presentation,
): Promise<ToolResult> {
  const refused = whyUnread(given);
  if (refused !== undefined) return failed(asToldBy(operation, {}, refused), presentation);
  const lineBase = lineBaseOf(operation, presentation.lineBase);
  const { params, filledIn } = paramsOf(operation, given, lineBase);
  const outcome = await call(operation, params, {
    ...context,
    lineBase,
    model: { filledIn, maxChars: presentation.maxChars },
  });
  if (!outcome.ok) return outcome.kind === 'cancelled' ? null : failed(outcome, presentation);
  return succeeded(operation, outcome, validated(params), presentation);
}

/** Validation refuses anything but an object, so that the model sees the error, not only its client. */
function paramsOf(
  operation: Operation,
  given: unknown,
  lineBase: LineBase,
): Pick<ModelCall, 'filledIn'> & { readonly params: unknown } {
  const { defaults = {} } = toolOf(operation);
  const mended = coerceArguments(operation.params, given);
  if (!isObject(mended) || hasTooManyMembers(mended)) {
    return { params: countedFromOne(operation, mended, lineBase), filledIn: [] };
  }
  const filledIn = Object.keys(defaults).filter((name) => !Object.hasOwn(mended, name));
  return { params: countedFromOne(operation, { ...defaults, ...mended }, lineBase), filledIn };
}

/** Most bytes of a result besides its text and structured content. */
const besideParts = 256;

function succeeded(
  operation: Operation,
  success: Success,
  params: Params[OperationName],
  presentation: Presentation,
): ToolResult {
  const maxBytes = presentation.maxBytes - besideParts;
  const presented = toolOf(operation).present(success, params, { ...presentation, maxBytes });
  if ('ok' in presented) return failed(asToldBy(operation, params, presented), presentation);
  const { text, structured, image, hashes = success.hash === undefined ? '' : `Hash: ${success.hash}` } = presented;
  // The model asked for the hash, and many clients show it only the text.
  const asked = 'return_hash' in params && params.return_hash && hashes !== '';
  const hash = asked ? `,{"type":"text","text":${jsonOf(hashes)}}` : '';
  const forPrograms = presentation.textOnly ? [] : [',"structuredContent":', ...structured];
  const shown = image && ['{"type":"image","data":', image.data, `,"mimeType":${jsonOf(image.mimeType)}},`];
  const content = [...(shown ?? []), '{"type":"text","text":', ...text, `}${hash}`];
  return [',"content":[', ...content, ']', ...forPrograms, ',"isError":false'];
}

function failed(failure: Failure, { textOnly }: Presentation): ToolResult {
  const { message, data } = errorObject(failure);
  const { details, reason: code, path } = data;
  const text = jsonOf(`Error: ${message}\n${details}`);
  // The tools for paths are also called by programs.
  const forPrograms = textOnly || code === undefined ? '' : `,"structuredContent":${jsonOf({ code, message, path })}`;
  return [`,"content":[{"type":"text","text":${text}}]${forPrograms},"isError":true`];
}

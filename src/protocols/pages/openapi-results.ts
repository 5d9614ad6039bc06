/** Answers in OpenAPI. A result with several shapes is a union, discriminated by one of its members. */
import type { Operation, Schema } from '../../core/operations.js';
import type { Shapes } from '../../core/schemas/members.js';

export type Json = Readonly<Record<string, unknown>>;

export const textSchema = { type: 'string' } as const;

/** The headers of an answer; all answers share the first one. */
export function headersOf(more: Readonly<Record<string, Json>> = {}): Json {
  return { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' }, ...more };
}

/** The schema of a result. A discriminator must refer to named schemas (`shapesOf`). */
export function resultSchema({ name, result, shapes }: Operation): Schema | Json {
  if (shapes === undefined) return result;
  const names = Object.keys(shapes.kinds).map((kind) => [kind, reference(name, kind)] as const);
  return {
    oneOf: names.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: shapes.by, mapping: Object.fromEntries(names) },
  };
}

const none: Shapes = { by: '', kinds: {} };

/** Each shape of the results of these operations, by name. */
export function shapesOf(operations: readonly Operation[]): Readonly<Record<string, Schema>> {
  return Object.fromEntries(
    operations.flatMap(({ name, result, shapes = none }) =>
      Object.entries(shapes.kinds).map(([kind, members]) => [
        shapeName(name, kind),
        shapeOf(result, shapes.by, kind, members),
      ]),
    ),
  );
}

function shapeOf(
  result: Schema,
  by: string,
  kind: string,
  { required, optional = [] }: Shapes['kinds'][string],
): Schema {
  const names = [...required, ...optional];
  const members = Object.entries(result.properties ?? {}).filter(([member]) => names.includes(member));
  return {
    ...result,
    properties: { [by]: { type: 'string', enum: [kind] }, ...Object.fromEntries(members) },
    required: [by, ...required],
  };
}

function reference(operation: string, kind: string): string {
  return `#/components/schemas/${shapeName(operation, kind)}`;
}

/** Such as `ViewFile`: generated clients use it as a type name. */
function shapeName(...words: readonly string[]): string {
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

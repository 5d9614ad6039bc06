/** The schemas of the table: the part of JSON Schema that is used here, and the types derived from them. */
export interface Schema {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly const?: boolean;
  readonly default?: boolean | string | number;
  readonly format?: 'date-time';
}

/** The type of a schema's values; the schema must be `as const`. */
export type ValueOf<Of extends Schema> = Of extends { readonly const: infer Constant }
  ? Constant
  : Of extends { readonly enum: readonly (infer Member)[] }
    ? Member
    : Of extends { readonly properties: infer Properties extends Readonly<Record<string, Schema>> }
      ? ObjectOf<Properties, RequiredOf<Of>>
      : Of extends { readonly items: infer Item extends Schema }
        ? readonly ValueOf<Item>[]
        : Primitives[Of['type']];

interface Primitives {
  readonly string: string;
  readonly integer: number;
  readonly boolean: boolean;
  readonly array: readonly unknown[];
  readonly object: Readonly<Record<string, unknown>>;
}

type RequiredOf<Of> = Of extends { readonly required: readonly (infer Name)[] } ? Name : never;

type ObjectOf<Properties extends Readonly<Record<string, Schema>>, Required> = keyof Properties extends never
  ? Readonly<Record<string, never>>
  : Flat<
      { readonly [Name in keyof Properties & Required]: ValueOf<Properties[Name]> } & {
        readonly [Name in Exclude<keyof Properties, Required>]?: ValueOf<Properties[Name]>;
      }
    >;

/** Merges an intersection into one object type, as editors show it. */
type Flat<Of> = { readonly [Name in keyof Of]: Of[Name] };

/** What readers of events depend on, as docs/reference/events.json keeps it. */
export interface EventsSnapshot {
  readonly topics: readonly TopicSnapshot[];
}

export interface TopicSnapshot {
  readonly name: string;
  readonly key: string;
  readonly partitions: number;
  /** `data` is a JSON Schema. */
  readonly types: Readonly<Record<string, { readonly version: number; readonly data: unknown }>>;
}

/**
 * What a consumer that knows the old schemas could not read any more, one sentence each. Consumers pass over fields
 * they do not know, so adding an optional field is fine. A breaking change needs a new version of the type; a type or
 * topic that goes away always breaks, because its messages are kept, and so does another key or number of partitions,
 * because they move a key's messages to another partition.
 */
export function breakingChanges(before: EventsSnapshot, after: EventsSnapshot): string[] {
  return before.topics.flatMap((old) => {
    const current = after.topics.find(({ name }) => name === old.name);
    if (current === undefined) return [`${old.name}: the topic was removed`];
    return [
      ...(current.key === old.key ? [] : [`${old.name}: the key was ${old.key} and is ${current.key}`]),
      ...(current.partitions === old.partitions
        ? []
        : [`${old.name}: had ${old.partitions} partitions and has ${current.partitions}`]),
      ...changedTypes(old, current),
    ];
  });
}

function changedTypes(before: TopicSnapshot, after: TopicSnapshot): string[] {
  return Object.entries(before.types).flatMap(([type, old]) => {
    const name = `${before.name} ${type}`;
    const current = after.types[type];
    if (current === undefined) return [`${name}: the type was removed`];
    if (current.version < old.version)
      return [`${name}: the version went back from ${old.version} to ${current.version}`];
    if (current.version > old.version) return [];
    return changesIn(toSchema(old.data), toSchema(current.data), `${name} data`);
  });
}

interface Schema {
  readonly type?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly unknown[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly items?: unknown;
  readonly [keyword: string]: unknown;
}

/**
 * Both directions matter. Old consumers read new messages: nothing they rely on may go away or become something else.
 * New consumers read old messages, which are kept: nothing may be demanded that those do not have.
 */
function changesIn(before: Schema, after: Schema, path: string): string[] {
  const allowedBefore = alternatives(before);
  const allowedAfter = alternatives(after);
  if (allowedBefore.length > 1 || allowedAfter.length > 1)
    return changedAlternatives(allowedBefore, allowedAfter, path);
  if (!same(before.type, after.type)) return [`${path}: was ${kindOf(before)} and is ${kindOf(after)}`];
  if (!same(before.const, after.const)) return [`${path}: was ${kindOf(before)} and is ${kindOf(after)}`];
  return [
    ...changedFields(before, after, path),
    ...changedItems(before, after, path),
    ...changedLimits(before, after, path),
  ];
}

function changedAlternatives(before: readonly Schema[], after: readonly Schema[], path: string): string[] {
  const among = (schema: Schema, others: readonly Schema[]) =>
    others.some((other) => changesIn(schema, other, path).length === 0);
  return [
    ...before
      .filter((schema) => !among(schema, after))
      .map((schema) => `${path}: ${kindOf(schema)} is no longer allowed, and kept messages have it`),
    ...after
      .filter((schema) => !among(schema, before))
      .map((schema) => `${path}: ${kindOf(schema)} is new, and old consumers do not know it`),
  ];
}

function changedFields(before: Schema, after: Schema, path: string): string[] {
  const [oldFields, newFields] = [before.properties ?? {}, after.properties ?? {}];
  const [oldRequired, newRequired] = [new Set(before.required), new Set(after.required)];
  const problems: string[] = [];
  for (const [field, schema] of Object.entries(oldFields)) {
    const at = `${path}.${field}`;
    const current = newFields[field];
    if (current === undefined) problems.push(`${at}: the field was removed`);
    else problems.push(...changesIn(toSchema(schema), toSchema(current), at));
    if (current !== undefined && oldRequired.has(field) && !newRequired.has(field))
      problems.push(`${at}: was required and is optional`);
  }
  for (const field of newRequired) {
    if (!oldRequired.has(field)) problems.push(`${path}.${field}: is newly required, and kept messages may lack it`);
  }
  return problems;
}

function changedItems(before: Schema, after: Schema, path: string): string[] {
  if (before.items === undefined || after.items === undefined) return [];
  return changesIn(toSchema(before.items), toSchema(after.items), `${path}[]`);
}

/** Keyword → which way is narrower. Narrower limits refuse kept messages; wider ones are read by everybody. */
const limits: Readonly<Record<string, 'upper' | 'lower' | 'exact'>> = {
  maxLength: 'upper',
  maximum: 'upper',
  exclusiveMaximum: 'upper',
  maxItems: 'upper',
  minLength: 'lower',
  minimum: 'lower',
  exclusiveMinimum: 'lower',
  minItems: 'lower',
  pattern: 'exact',
  format: 'exact',
  multipleOf: 'exact',
};

function changedLimits(before: Schema, after: Schema, path: string): string[] {
  return Object.entries(limits).flatMap(([keyword, kind]) => {
    const [old, current] = [before[keyword], after[keyword]];
    if (current === undefined || same(old, current)) return [];
    const narrower =
      old === undefined ||
      kind === 'exact' ||
      (kind === 'upper' ? Number(current) < Number(old) : Number(current) > Number(old));
    return narrower ? [`${path}: ${keyword} was ${old ?? 'free'} and is ${current}`] : [];
  });
}

/** `anyOf`, `enum` and a list of types all say "one of these". */
function alternatives(schema: Schema): Schema[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((one) => alternatives(toSchema(one)));
  if (schema.enum !== undefined)
    return schema.enum.map((value) => ({ type: schema.type ?? typeof value, const: value }));
  if (Array.isArray(schema.type)) return schema.type.map((type: unknown) => ({ ...schema, type }));
  return [schema];
}

function kindOf(schema: Schema): string {
  return schema.const === undefined ? String(schema.type ?? 'anything') : JSON.stringify(schema.const);
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function toSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? (value as Schema) : {};
}

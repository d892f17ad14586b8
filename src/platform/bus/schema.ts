import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TopicDefinition } from './port.ts';

/** The compiled schemas of one event type. */
export interface TypeSchemas {
  readonly version: number;
  /** For publishing: exactly the declared fields. Returns what is wrong, or null. */
  problemWhenPublished(data: unknown): string | null;
  /**
   * For consuming: fields that this program does not know are let through, because in a rolling deployment the
   * publisher may be newer than the consumer.
   */
  problemWhenConsumed(data: unknown): string | null;
}

export function compileTopic(topic: TopicDefinition): ReadonlyMap<string, TypeSchemas> {
  return new Map(
    Object.entries(topic.types).map(([type, definition]) => [
      type,
      {
        version: definition.version,
        problemWhenPublished: compile(definition.data),
        problemWhenConsumed: compile(withoutClosedObjects(definition.data)),
      },
    ]),
  );
}

function compile(schema: TSchema): (data: unknown) => string | null {
  const validator = Compile(schema);
  return (data) => {
    if (validator.Check(data)) return null;
    const first = validator.Errors(data)[0];
    return first === undefined ? 'does not match its schema' : `${first.instancePath || '/'} ${first.message}`;
  };
}

/** A schema is plain JSON, so its copy is one too. */
function withoutClosedObjects(schema: TSchema): TSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      (key === 'additionalProperties' || key === 'unevaluatedProperties') && value === false ? undefined : value,
    ),
  ) as TSchema;
}

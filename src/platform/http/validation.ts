import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';

const shared = { allErrors: true, removeAdditional: false, useDefaults: true, strict: false } as const;

/** Bodies are taken as they are: `"1"` is not 1, and an unknown field is an error, not ignored. */
const strict = new Ajv({ ...shared, coerceTypes: false });
/** The same, up to the first problem. */
const brief = new Ajv({ ...shared, allErrors: false, coerceTypes: false });
/** Path and query are text by nature, so `?limit=20` becomes a number. */
const coercing = new Ajv({ ...shared, coerceTypes: 'array' });
// ajv-formats is a CommonJS default export; its type does not say so under nodenext.
const withFormats = addFormats as unknown as (ajv: Ajv) => void;
withFormats(strict);
withFormats(brief);
withFormats(coercing);

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) =>
  (httpPart === 'body' ? strict : coercing).compile(schema);

/**
 * For routes that take large bodies: only the first problem of a body is named. Naming all of them turns megabytes of
 * zeros where objects should be into millions of error objects, a gigabyte of memory and seconds of a blocked process.
 */
export const largeBodyValidatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) =>
  (httpPart === 'body' ? brief : coercing).compile(schema);

/** For parsing outside HTTP: bus messages, documents. */
export function compileSchema(schema: TSchema): (value: unknown) => string[] {
  const validate = strict.compile(schema);
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map((e) => `${e.instancePath || '/'} ${e.message ?? 'is not valid'}`);
}

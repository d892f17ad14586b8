export { type ConfigRow, describeConfig, renderConfigReference } from './describe.ts';
export { type ConfigSources, type Environment, type ParseOptions, type ParseResult, parseConfig } from './parse.ts';
export {
  boolean,
  type ConfigOf,
  type ConfigSchema,
  defineConfig,
  integer,
  list,
  oneOf,
  type Setting,
  secretList,
  seedList,
  text,
  url,
} from './schema.ts';

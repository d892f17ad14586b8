import type { LuaArgType, LuaContract } from './header.ts';
import { type ReturnType, type Scalar, typeText } from './returns.ts';

export interface NamedContract {
  /** The script's file name, beside the generated one. */
  readonly file: string;
  readonly contract: LuaContract;
}

/** The text of `scripts.generated.ts`: one typed function per script of the folder. */
export function emitScripts(scripts: readonly NamedContract[]): string {
  const usesReply = scripts.some(({ contract }) => contract.returns.kind !== 'nothing');
  return [
    '// Generated from the headers of the .lua files beside it: change those and run `npm run generate`.',
    "import type { Redis } from '#platform/redis/port.ts';",
    `import { loadScript${usesReply ? ', reply' : ''} } from '#platform/redis/script.ts';`,
    '',
    ...scripts.map(emitScript),
  ].join('\n');
}

function emitScript({ file, contract }: NamedContract): string {
  const { name, keys, args } = contract;
  const keyType = members(keys.map((key) => ({ ...key, text: 'string' })));
  const argType = members(args.map((arg) => ({ ...arg, text: argTypes[arg.type] })));
  const parameters = [
    'redis: Redis',
    ...(keys.length ? [`keys: ${keyType}`] : []),
    ...(args.length ? [`args: ${argType}`] : []),
  ];
  const keyList = keys.map((key) => `${key.rest ? '...' : ''}keys.${key.name}`).join(', ');
  const argList = args.map((arg) => `${arg.rest ? '...' : ''}args.${arg.name}`).join(', ');
  const call = `await redis.runScript(${name}Script, [${keyList}], [${argList}]);`;
  return [
    `const ${name}Script = loadScript(new URL('./${file}', import.meta.url), {`,
    `  name: '${name}',`,
    `  readOnly: ${contract.readOnly},`,
    '});',
    '',
    `/** ${contract.purpose.replaceAll('*/', '* /')} Cost: ${contract.cost.replaceAll('*/', '* /')}. */`,
    `export async function ${name}(`,
    ...parameters.map((parameter) => `  ${parameter},`),
    `): Promise<${typeText(contract.returns)}> {`,
    ...(contract.returns.kind === 'nothing'
      ? [`  ${call}`]
      : [`  const answer = ${call}`, ...emitRead(contract.returns, name)]),
    '}',
    '',
  ].join('\n');
}

const argTypes: Readonly<Record<LuaArgType, string>> = {
  integer: 'number',
  number: 'number',
  string: 'string',
  bytes: 'Buffer',
};

function members(list: readonly { name: string; rest: boolean; note: string; text: string }[]): string {
  const lines = list.map(({ name, rest, note, text }) => {
    const type = rest ? `readonly ${text}[]` : text;
    return `${note === '' ? '' : `    /** ${note.replaceAll('*/', '* /')} */\n`}    ${name}: ${type};`;
  });
  return `{\n${lines.join('\n')}\n  }`;
}

function emitRead(returns: Exclude<ReturnType, { kind: 'nothing' }>, name: string): string[] {
  switch (returns.kind) {
    case 'scalar':
      return [`  return ${readScalar(returns.scalar, 'answer', returns.nullable, name)};`];
    case 'list':
      return [
        `  return reply.list(answer, '${name}').map((item) => ${readScalar(returns.scalar, 'item', false, name)});`,
      ];
    case 'tuple': {
      const object = (source: string) =>
        `{ ${returns.members
          .map(
            (member, index) =>
              `${member.name}: ${readScalar(member.scalar, `${source}[${index}]`, member.nullable, name)}`,
          )
          .join(', ')} }`;
      if (returns.list) {
        return [
          `  return reply.list(answer, '${name}').map((item) => {`,
          `    const row = reply.tuple(item, ${returns.members.length}, '${name}');`,
          `    return ${object('row')};`,
          '  });',
        ];
      }
      return [
        ...(returns.nullable ? ['  if (answer === null) return null;'] : []),
        `  const row = reply.tuple(answer, ${returns.members.length}, '${name}');`,
        `  return ${object('row')};`,
      ];
    }
  }
}

function readScalar(scalar: Scalar, source: string, nullable: boolean, name: string): string {
  const read = `reply.${scalar}(${source}, '${name}')`;
  return nullable ? `${source} === null ? null : ${read}` : read;
}

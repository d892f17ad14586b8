/** What a script answers: a scalar, perhaps nil, a list of one scalar, a named tuple, or a list of such tuples. */
export type ReturnType =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'scalar'; readonly scalar: Scalar; readonly nullable: boolean }
  | { readonly kind: 'list'; readonly scalar: Scalar }
  | {
      readonly kind: 'tuple';
      readonly members: readonly TupleMember[];
      readonly list: boolean;
      readonly nullable: boolean;
    };

export interface TupleMember {
  readonly name: string;
  readonly scalar: Scalar;
  readonly nullable: boolean;
}

const scalars = ['integer', 'number', 'string', 'boolean'] as const;
export type Scalar = (typeof scalars)[number];

/** `integer` · `string | nil` · `string[]` · `[allowed: boolean, waitMs: integer]` · `[id: string, score: number][]` · `nothing` */
export function parseReturns(text: string): ReturnType | null {
  if (text === 'nothing') return { kind: 'nothing' };
  const tuple = /^\[([^\]]+)\](\[\])?( \| nil)?$/.exec(text);
  if (tuple) {
    if (tuple[2] !== undefined && tuple[3] !== undefined) return null;
    const members = (tuple[1] ?? '').split(',').map(parseMember);
    if (members.some((member) => member === null)) return null;
    const named = members.filter((member) => member !== null);
    return { kind: 'tuple', members: named, list: tuple[2] !== undefined, nullable: tuple[3] !== undefined };
  }
  if (text.endsWith('[]')) {
    const scalar = asScalar(text.slice(0, -2));
    return scalar && { kind: 'list', scalar };
  }
  const nullable = text.endsWith(' | nil');
  const scalar = asScalar(nullable ? text.slice(0, -' | nil'.length) : text);
  return scalar && { kind: 'scalar', scalar, nullable };
}

function parseMember(text: string): TupleMember | null {
  const found = /^\s*([a-z]\w*): (\w+)( \| nil)?\s*$/.exec(text);
  const scalar = asScalar(found?.[2] ?? '');
  return found?.[1] !== undefined && scalar ? { name: found[1], scalar, nullable: found[3] !== undefined } : null;
}

function asScalar(text: string): Scalar | null {
  return scalars.find((known) => known === text) ?? null;
}

export function typeText(type: ReturnType): string {
  switch (type.kind) {
    case 'nothing':
      return 'void';
    case 'scalar':
      return type.nullable ? `${scalarType(type.scalar)} | null` : scalarType(type.scalar);
    case 'list':
      return `${scalarType(type.scalar)}[]`;
    case 'tuple': {
      const members = type.members.map((m) => `${m.name}: ${scalarType(m.scalar)}${m.nullable ? ' | null' : ''}`);
      return `{ ${members.join('; ')} }${type.list ? '[]' : ''}${type.nullable ? ' | null' : ''}`;
    }
  }
}

function scalarType(scalar: Scalar): string {
  return scalar === 'integer' ? 'number' : scalar;
}

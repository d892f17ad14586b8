import type { GeneratedFile } from './generated-file.ts';
export function findBreakingEvents(_root: string, _files: readonly GeneratedFile[]): string[] {
  return [];
}

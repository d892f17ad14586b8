import { sandboxCards } from '#modules/payments/contract.ts';

/** The test cards that the payment page lists. What each does is said there in the reader's language. */
export function renderSandboxCards(): string {
  const lines = sandboxCards.map(({ number, behaviour }) => `  { number: '${number}', behaviour: '${behaviour}' },\n`);
  return `// Generated from src/modules/payments/domain/sandbox-cards.ts by \`npm run generate\`. Do not edit.
export const sandboxCards = [
${lines.join('')}] as const;
`;
}

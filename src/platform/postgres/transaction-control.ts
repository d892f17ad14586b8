/** Where a token begins: what is quoted (no statement is inside), or a word (in which a `$` quotes nothing). */
const token =
  /--[^\n\r]*|\$([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$[\s\S]*?\$\1\$|[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|([A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)/y;
const control =
  /^(?:begin|start\s+transaction|commit|end|abort|prepare\s+transaction|rollback(?!\s+(?:(?:work|transaction)\s+)?to\b))\b/i;
const ofSession =
  /^(?:set(?!\s+(?:local|constraints|transaction)\b)|reset|discard|listen|load|prepare|create\s+(?:(?:local|global)\s+)?temp(?:orary)?)\b/i;
/** Most statements have none of these words and are not looked at further. */
const suspicious = /\b(?:begin|start|commit|end|abort|prepare|rollback)\b/i;
/** One statement that is none of `ofSession`, whatever else is in it: an UPDATE has a SET. */
const ordinary = /^\s*(?:select|insert|update|delete|with)\b[^;]*;?\s*$/i;
const sessionCalls = /\b(?:set_config|pg_(?:try_)?advisory_lock(?:_shared)?)\s*\(/i;

interface Verdict {
  /** The word that begins or ends a transaction. */
  readonly refused: string | null;
  readonly outlives: boolean;
}

/** The same texts come again and again, and looking through one costs up to 25 µs. Those beyond the limit are looked through each time. */
const verdicts = new Map<string, Verdict>();
const verdictsMax = 1_000;
const rememberedLengthMax = 10_000;

/**
 * Transactions begin and end in `database.transaction` alone. A COMMIT in the middle of one would part an effect from the
 * record that it happened, and nothing could bring them together again; a BEGIN would leave the pool a connection in a transaction.
 * Savepoints may be used.
 */
export function refuseTransactionControl(text: string): void {
  const { refused } = verdictOn(text);
  if (refused !== null)
    throw new Error(`${refused.toUpperCase()} is refused: transactions begin and end in database.transaction()`);
}

/** It changes the session, not only the transaction: anyone who gets the connection next would have that too. */
export function outlivesTransaction(text: string): boolean {
  return verdictOn(text).outlives;
}

function verdictOn(text: string): Verdict {
  const known = verdicts.get(text);
  if (known !== undefined) return known;
  const verdict = { refused: wordOfControl(text), outlives: changesSession(text) };
  if (verdicts.size < verdictsMax && text.length <= rememberedLengthMax) verdicts.set(text, verdict);
  return verdict;
}

function wordOfControl(text: string): string | null {
  if (!suspicious.test(text)) return null;
  for (const statement of statementsOf(text)) {
    const found = control.exec(statement);
    if (found !== null) return found[0];
  }
  return null;
}

function changesSession(text: string): boolean {
  if (sessionCalls.test(text)) return true;
  return !ordinary.test(text) && statementsOf(text).some((statement) => ofSession.test(statement));
}

/** Without comments and without what is quoted. */
function statementsOf(text: string): string[] {
  let bare = '';
  for (let at = 0; at < text.length; ) {
    if (text.startsWith('/*', at)) {
      at = endOfComment(text, at);
      bare += ' ';
      continue;
    }
    token.lastIndex = at;
    const [found, , word] = token.exec(text) ?? [];
    bare += found === undefined ? text[at] : (word ?? ' ');
    at += found?.length ?? 1;
  }
  return bare.split(';').map((statement) => statement.trim());
}

/** Comments may contain comments. */
function endOfComment(text: string, start: number): number {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = start;
  let depth = 0;
  for (let found = edge.exec(text); found !== null; found = edge.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return text.length;
}

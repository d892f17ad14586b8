/** Quoted text and comments: what is inside is no statement. */
const quoted =
  /--[^\n]*|\/\*[\s\S]*?\*\/|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$|(?<!\w)[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"/g;
const control =
  /^(?:begin|start\s+transaction|commit|end|abort|prepare\s+transaction|rollback(?!\s+(?:(?:work|transaction)\s+)?to\b))\b/i;
/** Most statements have none of these words and are not looked at further. */
const suspicious = /\b(?:begin|start|commit|end|abort|prepare|rollback)\b/i;

/**
 * Transactions begin and end in `database.transaction` alone. A COMMIT in the middle of one would part an effect from the
 * record that it happened, and nothing could bring them together again; a BEGIN would leave the pool a connection in a transaction.
 * Savepoints may be used.
 */
export function refuseTransactionControl(text: string): void {
  if (!suspicious.test(text)) return;
  for (const statement of text.replaceAll(quoted, ' ').split(';')) {
    const found = control.exec(statement.trim());
    if (found !== null)
      throw new Error(`${found[0].toUpperCase()} is refused: transactions begin and end in database.transaction()`);
  }
}

/** Hands a file to the browser, as if it had been a link. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has begun by then; some browsers read the address a little later.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

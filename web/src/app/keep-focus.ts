/** What had the focus is gone: anyone who uses the keyboard, or hears the page, goes on from the beginning of its content. */
export function keepFocus(): void {
  if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true });
}

// Runs before the first paint, so that nobody sees the wrong theme flash by. src/app/theme.ts and src/i18n/language.ts
// keep the same keys. Storage may be forbidden: then the system decides.
(() => {
  const root = document.documentElement;
  let theme = 'system';
  let language = null;
  try {
    theme = localStorage.getItem('urr.theme') ?? theme;
    language = localStorage.getItem('urr.language');
  } catch {}
  const dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = dark ? 'dark' : 'light';
  if (dark) document.querySelector('meta[name="theme-color"]').content = '#131210';
  const spoken = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag === 'ko' || tag === 'en');
  root.lang = language === 'ko' || language === 'en' ? language : (spoken ?? 'ko');
})();

import './page.css';
import { parseDraw, parseReceipt } from '#edge/draw/parse.ts';
import type { PublishedDraw, Receipt } from '#edge/draw/published.ts';
import { type Verdict, verifyDraw } from '#edge/draw/verify.ts';
import { verifyWithWebCrypto } from '#edge/draw/web-signatures.ts';
import { type Language, sayCheck, sayVerdict } from '#edge/draw/words.ts';
import { texts } from './texts.ts';

const eventId = decodeURIComponent(location.pathname.split('/')[2] ?? '').toLowerCase();
/** Where the waiting page keeps the receipt of this browser. */
const receiptName = `urr.draw.${eventId}`;
const timeoutMs = 60_000;
const fileBytesMax = 256 * 1024 * 1024;

type State = 'looking' | 'found' | 'none' | 'away' | 'tooLarge' | { readonly wrong: string };

let language = chosenLanguage();
let draw: PublishedDraw | null = null;
let receipt: Receipt | null = null;
let verdict: Verdict | null = null;
let drawState: State = 'looking';
let receiptState: State = 'none';
/** Files are read and checked in turns; only the last one is shown. */
let turn = 0;

const part = (id: string) => document.getElementById(id) as HTMLElement;
const write = (id: string, text: string) => {
  part(id).textContent = text;
};

function show(): void {
  const words = texts[language];
  document.documentElement.lang = language;
  document.title = `${words.heading} · urr`;
  write('language', words.switchTo);
  part('language').lang = language === 'ko' ? 'en' : 'ko';
  write('home', language === 'ko' ? '우르르' : 'urr');
  write('heading', words.heading);
  write('intro', words.intro);
  write('files-heading', words.files);
  write('draw-state', stateText(drawState));
  write('draw-label', words.drawFile);
  write('receipt-state', receiptText());
  write('receipt-label', words.receiptFile);
  write('own-code', words.ownCode);
  keepLink('keep-draw', words.keepDraw, draw, `draw-${draw?.eventId}-${draw?.era}.json`);
  keepLink('keep-receipt', words.keepReceipt, receipt, `receipt-${receipt?.eventId}-${receipt?.entry}.json`);
  part('result').hidden = verdict === null;
  if (verdict === null) return;
  write('result-heading', words.result);
  write('verdict', sayVerdict(verdict, language));
  part('verdict').className = verdict.outcome;
  part('number').hidden = verdict.number === null;
  write('number', verdict.number === null ? '' : words.number(verdict.number.toLocaleString(language)));
  part('checks').replaceChildren(
    ...verdict.checks.map((check) => {
      const item = document.createElement('li');
      const mark = document.createElement('b');
      item.className = check.outcome;
      mark.textContent = words.outcome[check.outcome];
      item.append(mark, sayCheck(check, language));
      return item;
    }),
  );
}

function stateText(state: State): string {
  const words = texts[language];
  return typeof state === 'object' ? words.wrong(state.wrong) : words[state];
}

function receiptText(): string {
  const { receiptFound, receiptNone } = texts[language];
  if (receiptState === 'found') return receiptFound;
  return receiptState === 'none' ? receiptNone : stateText(receiptState);
}

function keepLink(id: string, text: string, content: unknown, name: string): void {
  const link = part(id) as HTMLAnchorElement;
  link.hidden = content === null;
  link.textContent = text;
  link.download = name;
  if (link.href.startsWith('blob:')) URL.revokeObjectURL(link.href);
  if (content !== null)
    link.href = URL.createObjectURL(new Blob([JSON.stringify(content)], { type: 'application/json' }));
}

async function check(): Promise<void> {
  turn += 1;
  const own = turn;
  verdict = null;
  show();
  if (draw === null) return;
  const options = { receipt: receipt ?? undefined, nowMs: Date.now(), isSigned: verifyWithWebCrypto };
  const found = await verifyDraw(draw, options);
  if (own !== turn) return;
  verdict = found;
  show();
  write('polite', sayVerdict(found, language));
}

async function fetchDraw(): Promise<void> {
  try {
    const answer = await fetch(`/vwr/draw/${encodeURIComponent(eventId)}`, { signal: AbortSignal.timeout(timeoutMs) });
    if (answer.status === 404) drawState = 'none';
    else if (!answer.ok) drawState = 'away';
    else takeDraw(await answer.text());
  } catch {
    if (drawState === 'looking') drawState = 'away';
  }
  await check();
}

function takeDraw(text: string): void {
  const read = parseDraw(jsonOf(text));
  draw = 'value' in read ? read.value : null;
  drawState = 'value' in read ? 'found' : read;
}

function takeReceipt(text: string): void {
  const read = parseReceipt(jsonOf(text));
  receipt = 'value' in read ? read.value : null;
  receiptState = 'value' in read ? 'found' : read;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function onFile(id: string, options: { take: (text: string) => void; refuse: () => void; say: () => string }): void {
  const { take, refuse, say } = options;
  const input = part(id) as HTMLInputElement;
  input.addEventListener('change', async () => {
    const file = input.files?.[0];
    if (file === undefined) return;
    if (file.size > fileBytesMax) refuse();
    else take(await file.text());
    // The verdict, if there is one, follows.
    write('polite', say());
    await check();
  });
}

function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function chosenLanguage(): Language {
  const chosen = kept('urr.language');
  if (chosen === 'ko' || chosen === 'en') return chosen;
  const spoken = navigator.languages.map((tag) => tag.slice(0, 2));
  return spoken.find((tag) => tag === 'ko' || tag === 'en') ?? 'ko';
}

/** The theme that was chosen on the other pages, else the system's. */
function dress(): void {
  const chosen = kept('urr.theme');
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

dress();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', dress);
part('language').addEventListener('click', () => {
  language = language === 'ko' ? 'en' : 'ko';
  try {
    localStorage.setItem('urr.language', language);
  } catch {
    // A browser that keeps nothing asks again the next time.
  }
  // What was announced in the other language is not left standing.
  write('polite', '');
  show();
});
onFile('draw-file', {
  take: takeDraw,
  refuse() {
    [draw, drawState] = [null, 'tooLarge'];
  },
  say: () => stateText(drawState),
});
onFile('receipt-file', {
  take: takeReceipt,
  refuse() {
    [receipt, receiptState] = [null, 'tooLarge'];
  },
  say: receiptText,
});
const keptReceipt = kept(receiptName);
if (keptReceipt !== null) takeReceipt(keptReceipt);
fetchDraw();

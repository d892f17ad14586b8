import type { View } from './line.ts';
import { type Texts, texts } from './texts.ts';

export type Language = keyof typeof texts;

/** What a room may say in its own words. */
export interface Branding {
  readonly name: string | null;
  readonly logo: string | null;
  readonly title: Readonly<Record<Language, string | null>>;
  readonly heading: Readonly<Record<Language, string | null>>;
  readonly body: Readonly<Record<Language, string | null>>;
  readonly colours: Readonly<Record<string, string>>;
}

/** Everything that is shown. Drawn anew whole: it is a dozen texts. */
export interface Shown {
  readonly view: View | 'joining' | 'proving' | 'turn' | 'sign-in';
  readonly position: number | null;
  readonly progress: number;
  readonly message: string | null;
  readonly isLost: boolean;
  readonly isBusy: boolean;
  readonly isRefused: boolean;
  readonly isDraw: boolean;
  readonly branding: Branding | null;
  readonly goTo: string;
}

export function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`no element ${id}`);
  return found;
}

function show(id: string, text: string | null): void {
  const target = element(id);
  if (target.textContent !== (text ?? '')) target.textContent = text;
  target.hidden = text === null;
}

export function createScreen(options: { language: Language; isSoundOn: () => boolean }) {
  let { language } = options;
  let words: Texts = texts[language];
  let last: Shown | null = null;

  const count = (value: number) => value.toLocaleString(language);
  const clock = (iso: string) =>
    new Date(iso).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' }) + zoneOf(language);

  function noticeOf({ view, isRefused, isBusy }: Shown): string | null {
    if (isRefused) return words.cookies;
    if (view === 'joining') return isBusy ? words.busy : words.joining;
    if (view === 'proving') return words.proving;
    if (view === 'sign-in') return words.signIn;
    if (view === 'turn') return words.turnBody;
    switch (view.kind) {
      case 'opening':
        return view.opensAt === null ? words.entered : `${words.entered} ${words.opening(clock(view.opensAt))}`;
      case 'drawing':
        return words.drawing;
      case 'closed':
        return words.closed;
      case 'waiting':
        if (view.isSoldOut) return words.soldOut;
        if (view.opensAt !== null) return words.early(clock(view.opensAt));
        return view.isPaused ? words.paused : null;
      case 'due':
      case 'off':
        return isBusy ? words.busy : null;
    }
  }

  function draw(shown: Shown): void {
    last = shown;
    const { view, branding, position } = shown;
    const isTurn = view === 'turn';
    document.documentElement.lang = language;
    show('language', words.switchTo);
    element('language').lang = language === 'ko' ? 'en' : 'ko';
    show('name', branding?.name ?? (language === 'ko' ? '우르르' : 'urr'));
    show('event', branding?.title[language] ?? null);
    show('heading', isTurn ? words.turn : (branding?.heading[language] ?? words.heading));
    show('body', isTurn ? null : (branding?.body[language] ?? words.body));
    const waits = typeof view === 'object' && (view.kind === 'waiting' || view.kind === 'due');
    element('ticket').hidden = !(waits && position !== null);
    show('number-label', words.number);
    show('number', position === null ? '' : count(position));
    show('ahead-label', words.ahead);
    show('wait-label', words.wait);
    const ahead = typeof view === 'object' && view.kind === 'waiting' ? view.ahead : 0;
    const waitSeconds = typeof view === 'object' && view.kind === 'waiting' ? view.waitSeconds : 0;
    show('ahead', words.people(count(ahead)));
    show('wait', waitSeconds === null ? words.unknown : words.minutes(waitSeconds));
    const percent = String(Math.round(shown.progress * 100));
    element('bar').setAttribute('aria-valuenow', percent);
    element('bar').setAttribute('aria-label', words.ahead);
    element('bar').setAttribute('aria-valuetext', words.people(count(ahead)));
    (element('bar').firstElementChild as HTMLElement).style.width = `${percent}%`;
    show('notice', noticeOf(shown));
    show('message', shown.message);
    show('lost', shown.isLost ? words.lost : null);
    show('go', isTurn ? words.go : view === 'sign-in' ? words.signInGo : endsHere(view) ? words.home : null);
    element('go').setAttribute('href', isTurn || view === 'sign-in' ? shown.goTo : '/');
    show('sound', waits ? (options.isSoundOn() ? words.soundOn : words.sound) : null);
    element('sound').setAttribute('aria-pressed', String(options.isSoundOn()));
    show('hint', waits ? words.hint : null);
    show('fairness', shown.isDraw ? words.fairness : null);
    document.title = isTurn
      ? `★ ${words.turn}`
      : waits && position !== null
        ? `${words.people(count(ahead))} · ${words.heading}`
        : words.heading;
  }

  return {
    draw,
    words: () => words,
    language: () => language,
    count,
    speak(next: Language): void {
      language = next;
      words = texts[next];
      // What was announced in the other language is not said again, nor left standing.
      for (const id of ['polite', 'alert']) element(id).textContent = '';
      if (last !== null) draw(last);
    },
    politely(text: string): void {
      element('polite').textContent = text;
    },
    alert(text: string): void {
      element('alert').textContent = text;
    },
  };
}

function endsHere(view: Shown['view']): boolean {
  return typeof view === 'object' && (view.kind === 'closed' || (view.kind === 'waiting' && view.isSoldOut));
}

/** Times are the viewer's own; where that is not Korea the page says which it is. */
function zoneOf(language: Language): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if (timeZone === 'Asia/Seoul') return '';
  const part = new Intl.DateTimeFormat(language, { timeZoneName: 'short' }).formatToParts();
  return ` (${part.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone})`;
}

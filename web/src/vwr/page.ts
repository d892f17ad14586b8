import './page.css';
import { brandingOf, paint } from './branding.ts';
import { numbered } from './draw-number.ts';
import { bounceOf, checkDelayMs, type Mine, milestoneOf, nextPollMs, ownPath, retryMs, viewOf } from './line.ts';
import { prove } from './proof.ts';
import { createScreen, element, type Language, type Shown } from './screen.ts';
import { type Answer, ask, mineOf, statusOf, textOf } from './server.ts';
import { createBell } from './sound.ts';

const eventId = decodeURIComponent(location.pathname.split('/')[2] ?? '');
const asked = new URLSearchParams(location.search);
const target = asked.get('target');
const next = ownPath(asked.get('next')) ?? (eventId === '*' || target !== null ? '/' : `/events/${eventId}`);
const api = (call: string) => `/vwr/${call}/${encodeURIComponent(eventId)}`;
const withTarget = target === null ? '' : `?target=${encodeURIComponent(target)}`;
const leaveAfterMs = 2_500;

const kept = {
  read: (name: string) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  },
  write: (name: string, value: string) => {
    try {
      localStorage.setItem(name, value);
    } catch {
      // A browser that keeps nothing asks again the next time.
    }
  },
};

const spoken = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag === 'ko' || tag === 'en');
const bell = createBell();
const keptLanguage = kept.read('urr.language');
const screen = createScreen({
  language: (keptLanguage === 'ko' || keptLanguage === 'en' ? keptLanguage : (spoken ?? 'ko')) as Language,
  isSoundOn: bell.isOn,
});

let shown: Shown = {
  view: 'joining',
  position: null,
  progress: 0,
  message: null,
  isLost: false,
  isBusy: false,
  isRefused: !navigator.cookieEnabled,
  isDraw: false,
  branding: null,
  goTo: next,
};
let mine: Mine | null = null;
let failures = 0;
let furthest = 0;
let served = 0;
let dueSince: number | null = null;
let told = { ahead: Number.POSITIVE_INFINITY, atMs: 0 };
let timer: ReturnType<typeof setTimeout> | undefined;
let isAtWork = false;
let isLeaving = false;

function change(changes: Partial<Shown>): void {
  shown = { ...shown, ...changes };
  screen.draw(shown);
}

function again(inMs: number): void {
  clearTimeout(timer);
  timer = setTimeout(step, inMs);
}

/** One look at a time; how soon the next one comes is the answer. */
async function step(): Promise<void> {
  if (isAtWork || isLeaving) return;
  isAtWork = true;
  let waitMs: number | null;
  try {
    waitMs = mine === null ? await join() : await look(mine);
    if (shown.isLost) screen.politely(screen.words().back);
    failures = 0;
    change({ isLost: false });
  } catch (problem) {
    failures += 1;
    const isBusy = problem instanceof Refused;
    if (!isBusy && !shown.isLost) screen.politely(screen.words().lost);
    change({ isLost: !isBusy, isBusy });
    waitMs = retryMs(failures, isBusy ? problem.answer.retryAfterSeconds : null, Math.random());
  }
  isAtWork = false;
  if (waitMs !== null) again(waitMs);
}

/** 429 and 5xx: there is somebody, who cannot now. */
class Refused extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super(String(answer.status));
    this.answer = answer;
  }
}

function settled(answer: Answer): Answer {
  if (answer.status === 429 || answer.status >= 500) throw new Refused(answer);
  return answer;
}

async function join(): Promise<number | null> {
  let answer = settled(await ask(api('assign') + withTarget, { post: {} }));
  if (answer.body.code === 'PROOF_REQUIRED') {
    change({ view: 'proving' });
    const challenge = settled(await ask(api('challenge')));
    answer = settled(await ask(api('assign') + withTarget, { post: { proof: await prove(challenge.body) } }));
  }
  if (answer.status === 404) return leave();
  if (answer.status === 401 || answer.body.code === 'SIGN_IN_REQUIRED') {
    const here = encodeURIComponent(location.pathname + location.search);
    change({ view: 'sign-in', goTo: `/login?next=${here}` });
    return null;
  }
  if (answer.status >= 400) throw new Refused(answer);
  mine = mineOf(answer);
  const { receipt } = answer.body;
  // The page of the draw finds it there.
  if (typeof receipt === 'object' && receipt !== null) kept.write(`urr.draw.${eventId}`, JSON.stringify(receipt));
  change({ isBusy: false, position: mine.position });
  return look(mine);
}

async function look(known: Mine): Promise<number | null> {
  const status = statusOf(settled(await ask(api('status'))));
  const own = await numbered(known, status);
  if (own !== known) {
    mine = own;
    change({ position: own.position });
  }
  change({ isDraw: own.entry !== null });
  const view = viewOf(status, own);
  const newlyServed = served === 0 ? 0 : status.servingLine - served;
  served = status.servingLine;
  change({ message: status.message });
  if (view.kind === 'waiting') {
    furthest = Math.max(furthest, view.ahead + 1);
    dueSince = null;
    change({ view, isBusy: false, progress: 1 - (view.ahead + 1) / (furthest + 1) });
    announce(view.ahead);
    return nextPollMs(view, Math.random());
  }
  // Another draw, or none, has begun, and one enters again; or this browser cannot reckon: a check tells.
  const isLeftOut = own.line === null && (own.era !== status.drawEra || status.drawn !== null);
  if (view.kind === 'due' || view.kind === 'off' || isLeftOut) {
    if (view.kind === 'due') change({ view, progress: 1 });
    if (dueSince === null && view.kind !== 'off') {
      dueSince = Date.now();
      return checkDelayMs(isLeftOut ? Number.POSITIVE_INFINITY : newlyServed, Math.random());
    }
    return check(own);
  }
  change({ view });
  return nextPollMs(view, Math.random());
}

async function check({ requestId, line }: Mine): Promise<number | null> {
  const answer = settled(await ask(`${api('check')}/${encodeURIComponent(requestId)}${withTarget}`));
  if (answer.status === 404) {
    // It ended, or the room began anew.
    mine = null;
    return 0;
  }
  if (answer.body.admitted === true) return turn(textOf(answer.body.location));
  dueSince = null;
  const told = mineOf(answer);
  if (line === null && told.line !== null) {
    mine = told;
    change({ position: told.position });
    return 0;
  }
  return nextPollMs(null, Math.random());
}

function announce(ahead: number): void {
  const step = milestoneOf(ahead, told, Date.now());
  if (step === null) return;
  if (told.atMs !== 0) screen.politely(`${screen.words().ahead} ${screen.words().people(screen.count(ahead))}`);
  told = step;
}

function turn(location: string | null): null {
  change({ view: 'turn', goTo: location ?? next, isBusy: false, isLost: false });
  screen.alert(`${screen.words().turn}. ${screen.words().turnBody}`);
  bell.ring();
  element('go').focus();
  leave(leaveAfterMs);
  return null;
}

/** Goes on. If the page there sends us straight back, it knows nothing of us yet: later each time. */
function leave(afterMs = 0): null {
  const name = `urr.vwr.${eventId}`;
  const { count, waitMs } = bounceOf(sessionRead(name), Date.now());
  // Three times let in and sent back: the pass does not reach the server, and the likely reason is cookies.
  if (count >= 3) change({ isRefused: true });
  isLeaving = true;
  setTimeout(() => {
    sessionWrite(name, `${count + 1} ${Date.now()}`);
    location.replace(shown.goTo);
  }, afterMs + waitMs);
  return null;
}

function sessionRead(name: string): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

function sessionWrite(name: string, value: string): void {
  try {
    sessionStorage.setItem(name, value);
  } catch {
    // Then every return looks like the first one.
  }
}

/** The theme that was chosen on the other pages, else the system's. */
function dress(): void {
  const chosen = kept.read('urr.theme');
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

element('fairness').setAttribute('href', `/fairness/${eventId}`);
dress();
screen.draw(shown);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', dress);
element('language').addEventListener('click', () => {
  const language = screen.language() === 'ko' ? 'en' : 'ko';
  kept.write('urr.language', language);
  screen.speak(language);
});
element('sound').addEventListener('click', () => {
  bell.toggle();
  change({});
});
// Timers stand still while a phone sleeps: whoever looks again wants to know at once.
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && shown.view !== 'sign-in') again(0);
});
addEventListener('online', () => again(0));
addEventListener('pageshow', (event) => {
  // Back from the page we went on to: this one was kept as it stood.
  if (event.persisted) location.reload();
});
ask(api('branding'))
  .then(({ status, body }) => {
    if (status === 200) change({ branding: paint(brandingOf(body)) });
  })
  .catch(() => {
    // It waits in our own colours.
  });
step();

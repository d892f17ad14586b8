import type { Language } from './language.ts';

const seoul = 'Asia/Seoul';
/** Korea has had no summer time since 1988. */
const seoulOffsetMinutes = 540;
const zoneNames: Readonly<Record<Language, string>> = { ko: ' (한국 시각)', en: ' KST' };

export interface Formats {
  krw(amount: number): string;
  count(value: number): string;
  /** In Seoul: day, weekday and time of day. To a reader elsewhere `time` and `dateTime` say that they are Seoul's. */
  dateTime(ms: number): string;
  date(ms: number): string;
  /** The parts of a day in Seoul, for a timetable. */
  day(ms: number): { readonly month: string; readonly day: string; readonly weekday: string };
  time(ms: number): string;
  /** The same moment where the viewer is, or `null` when that is Seoul's time too. */
  viewerTime(ms: number): { readonly time: string; readonly offset: string } | null;
}

export function createFormats(language: Language, viewerZone?: string): Formats {
  const locale = language === 'ko' ? 'ko-KR' : 'en-GB';
  const number = new Intl.NumberFormat(locale);
  const inSeoul = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: seoul });
  const clock: Intl.DateTimeFormatOptions =
    language === 'ko' ? { hour: 'numeric', minute: '2-digit', hour12: true } : { hour: '2-digit', minute: '2-digit' };
  const fullDay = inSeoul({ year: 'numeric', month: language === 'ko' ? 'long' : 'short', day: 'numeric' });
  const time = inSeoul(clock);
  const month = inSeoul({ month: 'short' });
  const day = new Intl.DateTimeFormat('en', { day: 'numeric', timeZone: seoul });
  const weekday = inSeoul({ weekday: 'short' });
  const zone = viewerZone === undefined ? {} : { timeZone: viewerZone };
  const viewer = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', ...clock, ...zone });
  // The pattern is ours: what browsers make of a weekday beside a time differs from one to the next.
  const date = (ms: number) =>
    language === 'ko' ? `${fullDay.format(ms)} (${weekday.format(ms)})` : `${weekday.format(ms)} ${fullDay.format(ms)}`;

  const isElsewhere = (ms: number) => offsetMinutes(ms, viewerZone) !== seoulOffsetMinutes;
  const timeOfDay = (ms: number) => time.format(ms) + (isElsewhere(ms) ? zoneNames[language] : '');

  return {
    krw: (amount) => (language === 'ko' ? `${number.format(amount)}원` : `₩${number.format(amount)}`),
    count: (value) => number.format(value),
    dateTime: (ms) => (language === 'ko' ? `${date(ms)} ${timeOfDay(ms)}` : `${date(ms)}, ${timeOfDay(ms)}`),
    date,
    day: (ms) => ({ month: month.format(ms), day: day.format(ms), weekday: weekday.format(ms) }),
    time: timeOfDay,
    viewerTime(ms) {
      const minutes = offsetMinutes(ms, viewerZone);
      return minutes === seoulOffsetMinutes ? null : { time: viewer.format(ms), offset: offsetName(minutes) };
    },
  };
}

/** `UTC+9`, `UTC−5`, `UTC+5:30` */
function offsetName(minutes: number): string {
  const whole = Math.floor(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return `UTC${minutes < 0 ? '−' : '+'}${whole}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
}

function offsetMinutes(ms: number, zone: string | undefined): number {
  if (zone === undefined) return -new Date(ms).getTimezoneOffset();
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(ms);
  const match = /([+-])(\d\d):(\d\d)/.exec(parts.find((part) => part.type === 'timeZoneName')?.value ?? '');
  if (match === null) return 0;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
}

import type { Clock } from '#platform/clock.ts';
import type { FindAnswer, PaymentProvider } from '../../ports.ts';
import { type ProviderLimits, providerLimits } from '../limits.ts';
import { createAsking } from './asking.ts';
import { capture, minimumKrw } from './capture.ts';
import { readHint } from './hint.ts';
import { createTossHttp } from './http.ts';
import { list } from './list.ts';
import { refund } from './refund.ts';

export interface TossDeps {
  /** https://api.tosspayments.com, or a stand-in. */
  readonly url: string;
  readonly secretKey: string;
  readonly clientKey: string;
  /** The script that opens Toss's window in a page. */
  readonly sdkUrl: string;
  readonly clock: Clock;
  readonly limits?: ProviderLimits;
  /** Lines of one page of the list. */
  readonly pageMax?: number;
}

/** Toss Payments (API 2022-11-16). It keeps nothing but the keys of refusals that may pass: every process may ask about every payment. */
export function createTossProvider(deps: TossDeps): PaymentProvider {
  const { clock, clientKey, sdkUrl, limits = providerLimits, pageMax = 1_000 } = deps;
  const asking = createAsking({ clock, limits, http: createTossHttp(deps) });

  async function find(by: Parameters<PaymentProvider['find']>[0]): Promise<FindAnswer> {
    const now = await asking.look(by, limits.findMs);
    return now.status === 'found' ? { status: 'found', payment: now.view.payment } : now;
  }

  return {
    name: 'toss',
    clientKey,
    sdkUrl,
    minimumKrw,
    capture: (call) => capture(asking, call),
    find,
    refund: (call) => refund(asking, call),
    list: (range) => list(asking, pageMax, range),
    readHint,
  };
}

import { describe, expect, test } from 'vitest';
import { phaseStates, saleState } from './sale-state.ts';

const opensAt = Date.parse('2026-12-01T11:00:00Z');
const closesAt = Date.parse('2026-12-20T11:00:00Z');

function aSale(status: 'announced' | 'on_sale' | 'sold_out' | 'ended' | 'cancelled' = 'announced') {
  return { status, saleOpensAt: new Date(opensAt).toISOString(), saleClosesAt: new Date(closesAt).toISOString() };
}

describe('the state of a sale', () => {
  test('turns at the very millisecond of the opening', () => {
    expect(saleState(aSale(), opensAt - 1)).toEqual({ kind: 'opens', opensAt });
    expect(saleState(aSale(), opensAt)).toEqual({ kind: 'open', closesAt });
  });

  test('follows the server when our clock is behind', () => {
    expect(saleState(aSale('on_sale'), opensAt - 50)).toEqual({ kind: 'open', closesAt });
  });

  test('ends with the window, also when it is sold out', () => {
    expect(saleState(aSale('on_sale'), closesAt)).toEqual({ kind: 'ended' });
    expect(saleState(aSale('sold_out'), closesAt - 1)).toEqual({ kind: 'sold_out' });
    expect(saleState(aSale('sold_out'), closesAt)).toEqual({ kind: 'ended' });
  });

  test('stays cancelled whatever the time', () => {
    expect(saleState(aSale('cancelled'), opensAt - 1)).toEqual({ kind: 'cancelled' });
    expect(saleState(aSale('cancelled'), closesAt + 1)).toEqual({ kind: 'cancelled' });
  });
});

describe('the phases of a sale', () => {
  const phased = {
    ...aSale(),
    phases: [
      { tier: 'gold' as const, opensAt: new Date(opensAt).toISOString() },
      { tier: 'general' as const, opensAt: new Date(opensAt + 60_000).toISOString() },
    ],
  };
  const statesAt = (nowMs: number) => phaseStates(phased, nowMs).map((phase) => phase.state);

  test('follow one another', () => {
    expect(statesAt(opensAt - 1)).toEqual(['next', 'next']);
    expect(statesAt(opensAt)).toEqual(['now', 'next']);
    expect(statesAt(opensAt + 60_000)).toEqual(['over', 'now']);
    expect(statesAt(closesAt)).toEqual(['over', 'over']);
  });

  test('are not called open when nothing is left', () => {
    const states = phaseStates({ ...phased, status: 'sold_out' }, opensAt).map((phase) => phase.state);
    expect(states).toEqual(['sold_out', 'next']);
  });

  test('are one general phase when none are named', () => {
    expect(phaseStates({ ...aSale(), phases: [] }, opensAt)).toEqual([{ tier: 'general', opensAt, state: 'now' }]);
  });
});

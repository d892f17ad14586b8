import { describe, expect, it } from 'vitest';
import { createReport, median, renderSection, replaceSection } from './report.ts';

function contender(label: string, rates: number[], order: string[] = []) {
  return {
    label,
    run: async () => {
      order.push(label);
      return rates.shift() ?? 0;
    },
  };
}

describe('compare', () => {
  it('runs both by turns, changes who begins, and takes the median of the ratios of the pairs', async () => {
    const order: string[] = [];
    const line = await createReport(() => {}).compare({
      name: 'read',
      unit: 'requests',
      baseline: contender('bare', [100, 200, 100], order),
      subject: contender('urr', [50, 180, 70], order),
      pairs: 3,
      ratioMin: 0.6,
    });
    expect(order).toEqual(['bare', 'urr', 'urr', 'bare', 'bare', 'urr']);
    expect(line).toMatchObject({ rate: 70, baseline: { rate: 100, ratio: 0.7 }, met: true });
  });

  it('runs as many pairs as were asked for, and measures the parts that were asked for', async () => {
    const order: string[] = [];
    const report = createReport(() => {}, { only: ['read'], rounds: 1 });
    expect([report.wants('read'), report.wants('write')]).toEqual([true, false]);
    expect([...report.parts]).toEqual(['read', 'write']);
    await report.compare({
      name: 'read',
      unit: 'requests',
      baseline: contender('bare', [100], order),
      subject: contender('urr', [50], order),
    });
    expect(order).toEqual(['bare', 'urr']);
  });

  it('says when the target is missed', async () => {
    const printed: string[] = [];
    const report = createReport((text) => printed.push(text));
    await report.compare({
      name: 'read',
      unit: 'requests',
      baseline: contender('bare', [1000]),
      subject: contender('urr', [500]),
      pairs: 1,
      ratioMin: 0.6,
    });
    expect(printed.at(-1)).toBe('read: urr 500 requests/s against bare 1,000: ratio 0.50 (ratio ≥ 0.6: MISSED)');
    expect(report.collected.lines[0]?.met).toBe(false);
  });
});

describe('warm-ups', () => {
  it('are run and left out', async () => {
    const report = createReport(() => {});
    const order: string[] = [];
    const [baseline, subject] = [contender('bare', [1, 100], order), contender('urr', [1, 50], order)];
    const line = await report.compare({ name: 'read', unit: 'requests', baseline, subject, pairs: 1, warmUps: 1 });
    expect(order).toEqual(['bare', 'urr', 'bare', 'urr']);
    expect(line).toMatchObject({ rate: 50, baseline: { rate: 100 } });
    const relay = contender('relay', [1, 6000]);
    expect(await report.measure({ name: 'bus', unit: 'events', subject: relay, rounds: 1, warmUps: 1 })).toMatchObject({
      rate: 6000,
    });
  });
});

describe('two targets of a comparison', () => {
  it('must both be met', async () => {
    const met = async (rateMin: number) =>
      createReport(() => {}).compare({
        name: 'bus',
        unit: 'events',
        baseline: contender('bare', [1000]),
        subject: contender('urr', [500]),
        pairs: 1,
        ratioMin: 0.3,
        rateMin,
      });
    expect(await met(500)).toMatchObject({ target: 'ratio ≥ 0.3 and ≥ 500/s', met: true });
    expect(await met(501)).toMatchObject({ met: false });
  });
});

describe('measure', () => {
  it('holds the median against the least acceptable rate', async () => {
    const report = createReport(() => {});
    const subject = contender('relay', [4000, 6000, 9000]);
    expect(await report.measure({ name: 'bus', unit: 'events', subject, rounds: 3, rateMin: 5000 })).toMatchObject({
      rate: 6000,
      target: '≥ 5,000/s',
      met: true,
    });
  });
});

describe('median', () => {
  it('is the middle, or the mean of the two in the middle', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([1, 2, 3, 10])).toBe(2.5);
  });
});

describe('the document', () => {
  it('keeps one section per subject, in its place', async () => {
    const report = createReport(() => {});
    await report.measure({ name: 'relay', unit: 'events', subject: contender('relay', [6000]), rounds: 1 });
    report.note('One partition.');
    const section = renderSection('bus', report.collected, '2030-01-02');
    expect(section).toContain('| relay | relay: 6,000 events/s |');
    expect(section).toContain('- One partition.');
    const once = replaceSection('# Benchmarks\n', 'bus', section);
    const both = replaceSection(once, 'http', '## http');
    expect(replaceSection(both, 'bus', section)).toBe(both);
    expect(replaceSection(both, 'bus', '## new')).toBe(
      '# Benchmarks\n\n<!-- bench:bus -->\n## new\n<!-- /bench:bus -->\n\n<!-- bench:http -->\n## http\n<!-- /bench:http -->\n',
    );
  });
});

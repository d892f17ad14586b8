import { startFakeToss } from '#modules/payments/index.ts';
import { stopOnSignals } from '#platform/lifecycle/signals.ts';
import { type Command, exitCodes, UsageProblem } from './command.ts';

const portDefault = '4100';
const webhookDefault = 'http://localhost:3000/api/payments/webhooks/toss';

export const sandbox: Command = {
  name: 'sandbox',
  summary: 'Run a stand-in for a payment provider: toss.',
  usage: 'sandbox toss [--port N] [--webhook URL] [--state FILE]',
  help: `
Speaks the API of Toss Payments, keeps state, calls webhooks (again after 1, 4, 16 … minutes, seven times), and has bad days. No money moves.
It prints the settings with which urr uses it. In its window the buyer chooses what will happen: approved, declined, an answer that is
lost, 65 seconds, webhooks that contradict each other.

  --port N         where it listens, on this machine only; ${portDefault} without it, 0 takes a free port
  --webhook URL    where webhooks go; ${webhookDefault} without it
  --state FILE     what it knows is kept there and is there again after a restart

It is driven by a small API (JSON):
  POST /control/payments {"orderId","amount","method","behaviour"}   what the window does: answers a paymentKey
  POST /control/payments/KEY/deposit, …/reverse, …/refund {"amount"} the buyer pays in, the bank takes it back, the console refunds
  POST /control/clock {"advanceMs":60000}                            its time goes on
  POST /control/mode {"mode":"up"}                                   or "refuses" or "hangs"
  POST /control/webhooks {"url":"http://…"}                          another address for webhooks; {} tells what waits`,
  options: { port: { type: 'string' }, webhook: { type: 'string' }, state: { type: 'string' } },
  takesWords: true,
  async run({ values, words, print }) {
    if (words.join(' ') !== 'toss') throw new UsageProblem('say which provider: toss');
    const port = Number(values.port ?? portDefault);
    if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new UsageProblem(`${values.port} is no port`);
    const webhookUrl = String(values.webhook ?? webhookDefault);
    if (!/^https?:\/\//.test(webhookUrl) || !URL.canParse(webhookUrl))
      throw new UsageProblem(`${webhookUrl} is no URL`);
    const stopping = stopOnSignals();
    const fake = await startFakeToss({
      port,
      webhookUrl,
      statePath: typeof values.state === 'string' ? values.state : null,
    });
    print(`Fake Toss Payments listens on ${fake.url}; webhooks go to ${webhookUrl}. Start urr with:

URR_TOSS_URL=${fake.url}
URR_TOSS_SDK_URL=${fake.sdkUrl}
URR_TOSS_SECRET_KEY=${fake.secretKey}
URR_TOSS_CLIENT_KEY=${fake.clientKey}

urr help sandbox tells how to drive it. Ctrl-C ends it.`);
    await stopping.asked;
    await fake.stop();
    return exitCodes.ok;
  },
};

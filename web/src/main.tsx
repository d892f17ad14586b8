import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './app/query-client.ts';
import { preloadPages, router } from './app/router.tsx';
import { startServerClock } from './app/server-clock.ts';
import './design/base.css';
import { I18nProvider } from './i18n/i18n.tsx';
import { languages, readLanguage } from './i18n/language.ts';
import { loadMessages } from './i18n/load-messages.ts';
import { startQueues } from './queue/queues.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');

startQueues();
startServerClock();
const language = readLanguage();
// The page's own file is fetched beside the words, so that waiting for these costs no time.
void router.load().catch(() => undefined);
const messages = await loadMessages(language);
createRoot(root).render(
  <StrictMode>
    <I18nProvider first={{ language, messages }}>
      <QueryClientProvider client={createQueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
);

// Safari has no requestIdleCallback; two seconds after the start the page itself has been fetched anywhere.
setTimeout(() => {
  preloadPages();
  for (const other of languages) void loadMessages(other).catch(() => undefined);
}, 2_000);

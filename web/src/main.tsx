import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './app/query-client.ts';
import { preloadPages, router } from './app/router.tsx';
import { startServerClock } from './app/server-clock.ts';
import './design/base.css';
import { I18nProvider } from './i18n/i18n.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');

createRoot(root).render(
  <StrictMode>
    <I18nProvider>
      <QueryClientProvider client={createQueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
);

startServerClock();
// Safari has no requestIdleCallback; two seconds after the start the page itself has been fetched anywhere.
setTimeout(preloadPages, 2_000);

import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { plainPath } from '../tools/plain-path.ts';
import { precompressed } from './precompressed.ts';
import { staticHeader } from './static-header.ts';
import { staticPages } from './static-pages.ts';

/** `vite web` serves the pages with live reload; calls go to the urr that runs beside it. */
const urrUrl = 'http://localhost:3000';

/** What every page needs, and what both choosing and paying do. What only some need (cards and posters, forms) is not paid for by the queue and the seats. */
const isShared =
  /web\/src\/(api\/(?!sandbox)|app|queue|i18n\/(?!ko|en|purchase|account)|events\/event-(queries|types)|booking\/(intent-|kept-in-tab|hold-news|use-soon)|reservations\/(live-hold|reservation-queries)|pages\/event\/room|design\/(?!poster|countdown|choice|field|section|card|tabs|stepper|select|checkbox|sticky))/;

/** What both pages of booking need from the start: one file, since many small ones compress badly. */
const isBooking =
  /web\/src\/(booking\/(?!held\.|changing|way-)|seats\/(seat-(feed|stream|api|names|state-name)|live-map|use-seat-feed))/;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [plainPath(), react(), tailwindcss(), staticPages(), staticHeader(), precompressed()],
  server: { port: 5173, proxy: { '/api': urrUrl, '/docs': urrUrl } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Only a hint to the browser, and those without it are old.
    modulePreload: { polyfill: false },
    sourcemap: true,
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Libraries change seldom, so they keep their name (and their place in caches) when the pages change. What
          // pages share is one file: a slow phone pays more for a request than for a kilobyte.
          groups: [
            // The drawing of QR codes is wanted by one page only, and so is the window of Toss.
            { name: 'libraries', test: /node_modules\/(?!uqr\/|@tosspayments\/)/, priority: 4 },
            { name: 'language-ko', test: /web\/src\/i18n\/ko/, priority: 3 },
            { name: 'language-en', test: /web\/src\/i18n\/en/, priority: 3 },
            { name: 'shared', test: isShared, priority: 2 },
            { name: 'booking', test: isBooking, priority: 1 },
            { name: 'forms', test: /web\/src\/design\/(choice|field|card)/, priority: 1 },
            { name: 'browsing', test: /web\/src\/(events|design\/(poster|countdown|section))/, priority: 1 },
          ],
        },
      },
    },
  },
});

import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `vite web` serves the pages with live reload; calls go to the urr that runs beside it. */
const urrUrl = 'http://localhost:3000';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  server: { port: 5173, proxy: { '/api': urrUrl, '/docs': urrUrl } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    sourcemap: true,
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Libraries change seldom, so they keep their name (and their place in caches) when the pages change. What
          // pages share is one file: a slow phone pays more for a request than for a kilobyte.
          groups: [
            { name: 'libraries', test: /node_modules/ },
            { name: 'shared', test: /web\/src\/(api|app|design|events|i18n)\// },
          ],
        },
      },
    },
  },
});

import type { Plugin } from 'vite';
import { crowdDots } from './src/design/crowd-dots.ts';

/** Draws the sign into the header of `index.html`, which is there before the application is. */
export function staticHeader(): Plugin {
  const circles = crowdDots.map(([x, y, r]) => `<circle cx="${x}" cy="${y}" r="${r}"/>`).join('');
  return { name: 'static-header', transformIndexHtml: (html) => html.replace('<!--crowd-->', circles) };
}

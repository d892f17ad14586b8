import { useMemo } from 'react';
import { qrPath } from './qr-path.ts';

/** Black on white in both themes: scanners at doors read nothing else. */
export function QrCode({ code, label }: { readonly code: string; readonly label: string }) {
  const { size, path } = useMemo(() => qrPath(code), [code]);
  return (
    <svg
      role="img"
      aria-label={label}
      data-qr={code}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="block w-full rounded-control"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

import { useState } from 'react';
import { classNames } from './class-names.ts';
import { posterArt } from './poster-art.ts';

export interface PosterProps {
  readonly imageUrl: string | null;
  /** Decides the picture that is drawn when there is no image: the same for the same id, everywhere. */
  readonly seed: string;
  /** Empty when the title stands right beside it. */
  readonly alt: string;
  readonly className?: string;
  /** The first thing seen on a page is fetched at once, the others when they come near. */
  readonly eager?: boolean;
}

/** A picture of fixed shape, so that nothing moves when it arrives. One that does not arrive is drawn instead. */
export function Poster({ imageUrl, seed, alt, className, eager = false }: PosterProps) {
  const frame = classNames('block overflow-hidden bg-sunk', className);
  const [brokenUrl, setBrokenUrl] = useState<string | null>(null);
  if (imageUrl !== null && imageUrl !== brokenUrl) {
    return (
      <img
        src={imageUrl}
        alt={alt}
        loading={eager ? 'eager' : 'lazy'}
        decoding="async"
        onError={() => setBrokenUrl(imageUrl)}
        className={classNames(frame, 'object-cover')}
      />
    );
  }
  const art = posterArt(seed);
  const named = alt === '' ? {} : { role: 'img', 'aria-label': alt };
  return (
    <div className={frame} {...named}>
      <svg viewBox="0 0 300 400" preserveAspectRatio="xMidYMid slice" className="size-full" aria-hidden="true">
        <rect width="300" height="400" fill={art.ground} />
        {art.shapes.map(({ d, fill = 'none', stroke, width, opacity }) => (
          <path key={d} d={d} fill={fill} stroke={stroke} strokeWidth={width} opacity={opacity} />
        ))}
      </svg>
    </div>
  );
}

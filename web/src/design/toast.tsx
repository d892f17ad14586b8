import { useCallback, useEffect, useState } from 'react';

interface Said {
  readonly text: string;
  /** Two of the same are two. */
  readonly id: number;
}

/** Long enough to read two lines. */
const shownMs = 7_000;

/** A word in passing: what to render, and how to say something. */
export function useToast(): { readonly toast: Said | null; say(text: string): void } {
  const [toast, setToast] = useState<Said | null>(null);
  useEffect(() => {
    if (toast === null) return;
    const timer = setTimeout(() => setToast(null), shownMs);
    return () => clearTimeout(timer);
  }, [toast]);
  const say = useCallback((text: string) => setToast((before) => ({ text, id: (before?.id ?? 0) + 1 })), []);
  return { toast, say };
}

/** The region is always there, so that a screen reader hears what is put into it. */
export function Toast({ toast }: { readonly toast: Said | null }) {
  return (
    <div role="status" className="pointer-events-none fixed inset-x-4 top-36 z-40 flex justify-center">
      {toast !== null && (
        <p
          key={toast.id}
          className="max-w-lg rounded-control bg-ink px-5 py-3.5 font-bold text-[0.9375rem] text-paper shadow-lift"
        >
          {toast.text}
        </p>
      )}
    </div>
  );
}

import { type ReactNode, type RefObject, useEffect, useId, useRef } from 'react';

export interface DialogProps {
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
  readonly close: () => void;
  /** To close it from inside: the browser then gives the focus back. */
  readonly handle?: RefObject<HTMLDialogElement | null>;
}

/** Over everything else, and left with Escape. The first thing in it has the focus, so that should be the safe choice. */
export function Dialog({ title, text, children, close, handle }: DialogProps) {
  const id = useId();
  const own = useRef<HTMLDialogElement>(null);
  const dialog = handle ?? own;
  useEffect(() => dialog.current?.showModal(), [dialog]);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onClose={close}
      className="m-auto max-h-[90dvh] w-[min(26rem,calc(100%-2rem))] overflow-y-auto rounded-card border border-line bg-surface p-6 text-ink shadow-lift backdrop:bg-black/55 sm:p-7"
    >
      <h2 id={`${id}-title`} className="font-extrabold text-title">
        {title}
      </h2>
      <p id={`${id}-text`} className="mt-2 text-ink-soft">
        {text}
      </p>
      {children}
    </dialog>
  );
}

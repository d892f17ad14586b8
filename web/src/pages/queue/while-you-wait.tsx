import { useI18n } from '../../i18n/i18n.tsx';

/** What people fear while they wait, and need not. */
export function WhileYouWait() {
  const { t } = useI18n();
  return (
    <section className="mt-8 border-line border-t pt-6">
      <h2 className="font-bold">{t.queue.keepTitle}</h2>
      <ul className="mt-2 list-disc space-y-1.5 pl-5 text-[0.9375rem] text-ink-soft">
        {t.queue.keep.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

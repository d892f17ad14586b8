import type { ReactNode } from 'react';
import { isUnreachable } from '../api/problem.ts';
import { Button } from '../design/button.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { problemText } from './problem-text.ts';

/** The part of a query's result that matters here. */
export interface Answer<Data> {
  readonly data: Data | undefined;
  readonly error: Error | null;
  readonly fetchStatus: 'fetching' | 'paused' | 'idle';
  refetch(): unknown;
}

export interface QueryViewProps<Data> {
  readonly query: Answer<Data>;
  /** Takes the room that the content will take. */
  readonly skeleton: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** What every page does with an answer that is on its way, cannot come, or has come. */
export function QueryView<Data>({ query, skeleton, children }: QueryViewProps<Data>) {
  const { t } = useI18n();
  if (query.data !== undefined) return children(query.data);
  if (query.fetchStatus === 'paused') return <EmptyState title={t.states.offlineTitle} text={t.states.offlineText} />;
  if (query.error !== null)
    return <ProblemState error={query.error} busy={query.fetchStatus === 'fetching'} retry={query.refetch} />;
  return (
    <div aria-busy="true">
      <p role="status" className="sr-only">
        {t.common.loading}
      </p>
      {skeleton}
    </div>
  );
}

function ProblemState(props: { readonly error: Error; readonly busy: boolean; readonly retry: () => unknown }) {
  const { t } = useI18n();
  const { code, text } = problemText(props.error, t);
  return (
    <div role="alert">
      <EmptyState
        title={t.states.errorTitle}
        text={text}
        action={
          <Button busy={props.busy} onClick={() => void props.retry()}>
            {t.common.retry}
          </Button>
        }
      />
      {!isUnreachable(props.error) && (
        <p className="-mt-8 pb-8 text-center text-ink-soft text-meta">{t.states.code(code)}</p>
      )}
    </div>
  );
}

import type { ApiProblem } from '../../api/problem.ts';
import { problemText } from '../../app/problem-text.ts';
import { TabTitle } from '../../app/tab-title.tsx';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { Skeleton } from '../../design/skeleton.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { TicketFace } from './face.tsx';
import { WhileYouWait } from './while-you-wait.tsx';

/** The place is on its way, in the room that it will take. What goes wrong is told, and tried again meanwhile. */
export function Entering({ problem, retry }: { readonly problem: ApiProblem | null; readonly retry: () => void }) {
  const { t } = useI18n();
  return (
    <>
      <TabTitle>{t.queue.entering}</TabTitle>
      {problem !== null && (
        <div className="mb-4">
          <Notice tone="problem">
            <p>
              {problemText(problem, t).text} {t.queue.enteringRetry}
            </p>
            <Button look="secondary" className="mt-3" onClick={retry}>
              {t.common.retry}
            </Button>
          </Notice>
        </div>
      )}
      <TicketFace
        busy
        position={<Skeleton className="h-full w-56 max-w-full" />}
        wait={<Skeleton className="mx-auto h-[1.22em] w-32" />}
        progress={0}
        figures={nothingYet}
      />
      <p role="status" className="mt-4 flex min-h-11 items-center text-[0.9375rem] text-ink-soft">
        {t.queue.enteringText}
      </p>
      <WhileYouWait />
    </>
  );
}

const nothingYet = { ahead: '–', behind: '–', queueSize: '–', shopping: '–' };

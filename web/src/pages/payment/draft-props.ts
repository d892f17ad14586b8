import type { PayDraft, PayField } from '../../payment/pay-choice.ts';

/** What the parts of the form get: what was filled in, how to change it, and what is not right yet. */
export interface DraftProps {
  readonly draft: PayDraft;
  readonly change: (changes: Partial<PayDraft>) => void;
  readonly wrong: readonly PayField[];
}

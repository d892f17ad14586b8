import { useId } from 'react';
import { sandboxCards } from '../../api/sandbox-cards.generated.ts';
import { Field } from '../../design/field.tsx';
import { Notice } from '../../design/notice.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import { spacedCard } from '../../payment/pay-choice.ts';

export interface TestCardFieldsProps {
  readonly number: string;
  readonly onChange: (number: string) => void;
  readonly isWrong: boolean;
}

/** Most people try these; the others are a press away. */
const firstCount = 3;

/** The sandbox: a card number decides what happens, and which number does what is listed. */
export function TestCardFields({ number, onChange, isWrong }: TestCardFieldsProps) {
  const w = usePurchaseWords();
  const name = useId();
  const plain = number.replaceAll(' ', '');
  const row = (card: (typeof sandboxCards)[number]) => (
    <label
      key={card.number}
      className="flex min-h-13 cursor-pointer items-center gap-3 rounded-control border border-line px-3.5 py-2 has-checked:border-ink has-checked:bg-sunk has-focus-visible:outline-3 has-focus-visible:outline-focus has-focus-visible:outline-offset-2"
    >
      <input
        type="radio"
        name={name}
        className="size-5 shrink-0 accent-seal"
        checked={plain === card.number}
        onChange={() => onChange(spacedCard(card.number))}
      />
      <span className="min-w-0 leading-snug">
        <span className="block font-bold tabular-nums">{spacedCard(card.number)}</span>
        <span className="block text-ink-soft text-meta">{w.pay.testCards[card.behaviour]}</span>
      </span>
    </label>
  );
  return (
    <div className="mt-4">
      <Notice within="live-region">{w.pay.card.sandbox}</Notice>
      <div data-field="cardNumber" className="mt-4">
        <Field
          label={w.pay.card.number}
          name="cardNumber"
          inputMode="numeric"
          autoComplete="off"
          maxLength={23}
          value={number}
          onChange={(event) => onChange(event.target.value)}
          problem={isWrong ? w.pay.card.missing : undefined}
        />
      </div>
      <fieldset className="mt-4">
        <legend className="mb-2 font-bold text-meta">{w.pay.card.choose}</legend>
        <div className="grid gap-2">{sandboxCards.slice(0, firstCount).map(row)}</div>
        <details className="mt-2">
          <summary className="min-h-11 cursor-pointer py-2.5 font-bold text-[0.9375rem]">{w.pay.card.more}</summary>
          <div className="mt-1 grid gap-2">{sandboxCards.slice(firstCount).map(row)}</div>
        </details>
      </fieldset>
    </div>
  );
}

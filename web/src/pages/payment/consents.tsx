import { Card } from '../../design/card.tsx';
import { Checkbox } from '../../design/checkbox.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import { consentNames, type PayDraft } from '../../payment/pay-choice.ts';

export interface ConsentsProps {
  readonly draft: PayDraft;
  readonly change: (changes: Partial<PayDraft>) => void;
  readonly isWrong: boolean;
}

export function Consents({ draft: { consents }, change, isWrong }: ConsentsProps) {
  const { consent } = usePurchaseWords().pay;
  return (
    <Card className="mt-5 p-5 sm:p-6">
      <fieldset data-field="consents" aria-describedby={isWrong ? 'consents-missing' : undefined}>
        <legend className="font-bold text-lead">{consent.title}</legend>
        <div className="mt-2 border-line border-b pb-1 font-bold">
          <Checkbox
            checked={consentNames.every((name) => consents.includes(name))}
            onChange={(isAll) => change({ consents: isAll ? consentNames : [] })}
          >
            {consent.all}
          </Checkbox>
        </div>
        <div className="grid gap-2.5 pt-2">
          {consentNames.map((name) => (
            <Checkbox
              key={name}
              checked={consents.includes(name)}
              onChange={(isGiven) =>
                change({ consents: isGiven ? [...consents, name] : consents.filter((other) => other !== name) })
              }
            >
              {consent[name]}
            </Checkbox>
          ))}
        </div>
      </fieldset>
      {isWrong && (
        <p id="consents-missing" role="alert" className="mt-1 font-bold text-meta text-seal">
          {consent.missing}
        </p>
      )}
      <details className="mt-1">
        <summary className="min-h-11 cursor-pointer py-2.5 font-bold text-[0.9375rem]">{consent.rules}</summary>
        <p className="text-[0.9375rem] text-ink-soft">{consent.rulesText}</p>
      </details>
    </Card>
  );
}

import { Field } from '../../design/field.tsx';
import { Select } from '../../design/select.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import { banks } from '../../payment/banks.ts';
import type { DraftProps } from './draft-props.ts';

/** Where money of a virtual account goes back to: nobody can be asked for it when it comes too late. */
export function RefundAccountFields({ draft, change, wrong }: DraftProps) {
  const { pick } = useI18n();
  const { account } = usePurchaseWords().pay;
  const options = [
    { value: '', label: account.chooseBank },
    ...banks.map(({ value, ko, en }) => ({ value, label: pick(ko, en) })),
  ];
  return (
    <div className="mt-4">
      <p className="text-[0.9375rem]">{account.lead}</p>
      <fieldset className="mt-4 grid gap-4 sm:grid-cols-2">
        <legend className="mb-2 font-bold">{account.legend}</legend>
        <div data-field="bank">
          <Select
            label={account.bank}
            options={options}
            value={draft.bank}
            onChange={(bank) => change({ bank })}
            problem={wrong.includes('bank') ? account.noBank : undefined}
          />
        </div>
        <div data-field="holder">
          <Field
            label={account.holder}
            name="holder"
            autoComplete="name"
            maxLength={60}
            value={draft.holder}
            onChange={(event) => change({ holder: event.target.value })}
            problem={wrong.includes('holder') ? account.noHolder : undefined}
          />
        </div>
        <div data-field="accountNumber" className="sm:col-span-2">
          <Field
            label={account.number}
            name="accountNumber"
            inputMode="numeric"
            autoComplete="off"
            maxLength={30}
            value={draft.accountNumber}
            onChange={(event) => change({ accountNumber: event.target.value })}
            problem={wrong.includes('accountNumber') ? account.badNumber : undefined}
          />
        </div>
      </fieldset>
    </div>
  );
}

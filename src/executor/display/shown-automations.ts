import { builtInName, groupName } from '../../../public/language/en/actions.js';
import { triggerWords } from '../../../public/language/en/automation-words.js';
import { PROPOSAL as LABELS, laterWords, limitWords, WHEN_ASKED } from '../../../public/language/en/proposals.js';
import { plainWords } from '../../../public/language/names.js';
import { insideQuotes } from '../../actions/shared/display-text.ts';
import type { Shown } from '../../actions/shared/shown.ts';
import type { CheckedProposal } from '../../providers/steward/automation-proposals.ts';
import type { DisplayField } from './display-fields.ts';
import type { FieldWriter } from './field-writer.ts';
import { inputFields } from './shown-input.ts';

/** An automation that would be made: when it runs, what it does, and everything that it may do. */
export function automationFields(input: Record<string, unknown>, { automation: checked }: Shown, writer: FieldWriter): DisplayField[] {
  // Its facts are always read before the question.
  if (checked === undefined) return inputFields(input, undefined, writer);
  const { automation, labels } = checked;
  const { does } = automation;
  const reader = { formatter: writer.formatter, nameOf: (id: string) => labels[id], quoted: insideQuotes };
  const when = triggerWords(automation.trigger, reader);
  return [
    ...writer.text('name', LABELS.name, automation.name),
    ...writer.choice('trigger', LABELS.when, `${when.charAt(0).toUpperCase()}${when.slice(1)}`),
    // The text of whoever asks, in full.
    ...(does.type === 'prompt' ? writer.block('prompt', LABELS.prompt, does.prompt) : writer.choice('does', LABELS.does, LABELS.tells)),
    ...permitFields(checked, writer),
    ...accountsField(checked, writer),
    ...writer.choice('when_asked', LABELS.asks, WHEN_ASKED[automation.when_asked]),
    ...writer.choice('budget', LABELS.limits, limitWords(automation.budget)),
  ];
}

function permitFields({ automation, permits }: CheckedProposal, writer: FieldWriter): DisplayField[] {
  const named = (isRead: boolean) =>
    permits.filter(({ effect }) => (effect === 'read') === isRead).map((one) => writer.passage(nameOfAction(one), undefined));
  const [reads, changes] = [named(true), named(false)];
  const groups = automation.actions.filter((pattern) => pattern.endsWith('.*')).map((pattern) => groupName(pattern.slice(0, -2)));
  const later = automation.actions.includes('*') ? laterWords(undefined) : groups.length > 0 ? laterWords(groups) : undefined;
  return [
    ...(reads.length > 0 ? writer.list('reads', LABELS.reads, reads) : writer.choice('reads', LABELS.reads, LABELS.nothing)),
    ...(changes.length > 0 ? writer.list('changes', LABELS.changes, changes) : writer.choice('changes', LABELS.changes, LABELS.nothing)),
    ...writer.choice('later', LABELS.later, later),
  ];
}

function accountsField({ automation: { accounts }, labels }: CheckedProposal, writer: FieldWriter): DisplayField[] {
  if (accounts === null) return writer.choice('accounts', LABELS.accounts, LABELS.allAccounts);
  return writer.list(
    'accounts',
    LABELS.accounts,
    accounts.map((id) => writer.passage(labels[id] ?? id, undefined)),
  );
}

/** The operator's own actions have the words of their names. */
function nameOfAction({ name, use }: CheckedProposal['permits'][number]): string {
  return builtInName(use) ?? plainWords(name.replaceAll('.', ' '));
}

import { LABELS, MATCH_CASE, NEW_TYPES, NOTIFY, ROLES, WHOLE_DOCUMENT } from '../../../public/language/en/approvals.js';
import type { Shown } from '../../actions/shared/shown.ts';
import type { DisplayField } from './display-fields.ts';
import type { FieldWriter } from './field-writer.ts';

/** A file by its name, and what happens to it. */
export function fileFields(input: Record<string, unknown>, { items = {}, role }: Shown, writer: FieldWriter, use: string): DisplayField[] {
  const [file] = items.id ?? [];
  const about = writer.files('id', file?.type === 'folder' ? LABELS.ofFolder : LABELS.file, items.id);
  const folder = writer.files('folder', LABELS.folder, items.folder);
  if (use === 'drive.rename') return writer.change('name', LABELS.name, file?.name, input.name);
  if (use === 'drive.share') return [...about, ...sharedWith(input, writer)];
  if (use === 'drive.unshare') {
    return [
      ...about,
      ...writer.text('who', LABELS.who, input.who),
      ...writer.choice('role', LABELS.access, ROLES[role as keyof typeof ROLES] ?? role),
    ];
  }
  return [
    ...about,
    ...writer.text('name', file === undefined ? LABELS.name : LABELS.newName, input.name),
    ...(use === 'drive.create' ? writer.choice('type', LABELS.type, NEW_TYPES[input.type as keyof typeof NEW_TYPES]) : []),
    ...folder,
    ...writer.block('content', LABELS.content, input.content),
  ];
}

function sharedWith({ email, role, notify }: Record<string, unknown>, writer: FieldWriter): DisplayField[] {
  return [
    // Its path is the argument's own.
    ...writer.people('email', LABELS.shareWith, [String(email)], undefined),
    ...writer.choice('role', LABELS.role, ROLES[role as keyof typeof ROLES]),
    ...writer.choice('notify', LABELS.notify, notify === true ? NOTIFY.fileMailed : NOTIFY.fileSilent),
  ];
}

/** A document by its name, and what goes and what comes. */
export function documentFields(input: Record<string, unknown>, { items = {} }: Shown, writer: FieldWriter, use: string): DisplayField[] {
  const about = writer.files('id', LABELS.ofDocument, items.id);
  const tab = writer.text('tab', LABELS.tab, input.tab);
  if (use === 'documents.create')
    return [...writer.text('title', LABELS.title, input.title), ...writer.block('text', LABELS.text, input.text)];
  if (use === 'documents.append') return [...about, ...tab, ...writer.block('text', LABELS.appended, input.text)];
  const { find = '', replace } = input;
  return [
    ...about,
    {
      name: 'replace',
      label: replace === '' ? LABELS.deleted : LABELS.replaced,
      kind: 'change',
      before: writer.passage(String(find), 'find'),
      ...(replace !== '' && { after: writer.passage(String(replace), 'replace') }),
    },
    ...(input.tab === undefined
      ? writer.choice('tab', LABELS.everywhere, WHOLE_DOCUMENT)
      : writer.text('tab', LABELS.everywhere, input.tab)),
    ...writer.choice('match_case', LABELS.case, MATCH_CASE[input.match_case === false ? 'false' : 'true']),
  ];
}

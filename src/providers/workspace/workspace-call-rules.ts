interface Rule {
  method: RegExp;
  /** Left out: reading is rejected, too. */
  changesOnly?: true;
  why: string;
}

/** Methods that actions must not declare, whatever the token permits. */
const RULES: readonly Rule[] = [
  { method: /\.watch$|\.stop$|\.channels\./, why: 'it would make the provider send requests to any address' },
  { method: /^(sheets|slides)\./, changesOnly: true, why: 'spreadsheets and presentations are read-only' },
  {
    method: /^drive\.(permissions|accessproposals)\.|^calendar\.acl\./,
    changesOnly: true,
    why: 'it changes who has access; drive.share is there for files',
  },
  { method: /^gmail\.users\.settings\./, changesOnly: true, why: 'mail settings can send mail elsewhere' },
  { method: /^drive\.(drives|teamdrives)\./, changesOnly: true, why: 'shared drives are their administrators’' },
  { method: /^drive\.approvals\./, changesOnly: true, why: 'it decides or asks others on the user’s behalf' },
  { method: /^drive\.revisions\.update$/, why: 'it can publish a file to everyone' },
  { method: /^drive\.files\.generateCseToken$/, why: 'its response is a secret' },
  { method: /^drive\.files\.(export|download)$/, why: 'its response is no JSON; drive.read is there for content' },
];

const FIELDS: Readonly<Record<string, string>> = {
  useDomainAdminAccess: 'is for administrators',
  permissions: 'changes who has access; drive.share is there for files',
  permissionIds: 'changes who has access; drive.share is there for files',
  owners: 'changes who has access',
  writersCanShare: 'changes who may share',
  copyRequiresWriterPermission: 'changes who may copy',
  viewersCanCopyContent: 'changes who may copy',
  downloadRestrictions: 'changes who may copy',
  inheritedPermissionsDisabled: 'changes who has access',
  ignoreDefaultVisibility: 'is always true: no new file is visible to the whole domain',
  modifiedTime: 'would hide that a document was changed while the user decides',
};

/** Why a method may not be declared; undefined: it may. */
export function methodRejection(id: string, verb: string): string | undefined {
  const changes = verb !== 'GET';
  return RULES.find(({ method, changesOnly }) => method.test(id) && (changes || changesOnly === undefined))?.why;
}

/** Why a parameter or body field may not be given, though a method has it; undefined: it may. */
export function fieldRejection(field: string): string | undefined {
  return Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
}

import { type AssociatedData, type DataKey, open, seal } from '../../crypto/envelope.ts';
import { canonicalJson } from '../../validation/canonical-json.ts';
import type { Call } from '../call/call.ts';
import { type NamedClient, namedClient } from '../call/named-client.ts';
import type { Display } from '../display/display.ts';
import type { ApprovalPrompt } from './approval-prompt.ts';
import type { ApprovalRow } from './approvals-repository.ts';

/** What the user approves: exactly what will happen. */
export interface ApprovalPreview extends Omit<ApprovalPrompt, 'version' | 'use' | 'title' | 'shown'> {
  /** The question as the thing itself. */
  display: Display;
  approvalId: string;
  action: string;
  /** The account's label. */
  account: string;
  accountId: string;
  /** The arguments, defaults included. */
  input: unknown;
  /** ISO 8601. */
  expiresAt: string;
  /** The client that asked; absent: the user's own front end. */
  client?: NamedClient;
  /** The thread whose assistant asked; absent: a client, or the user's own front end. */
  thread?: string;
  /** The automation of which a run asked; absent: the user was there. */
  automation?: AskingAutomation;
}

/** An automation that asks. */
export interface AskingAutomation {
  id: string;
  /** ISO 8601. */
  askedAt: string;
  /** Absent: it isn't known here, or the automation is gone. */
  name?: string;
}

/** The names of a user's automations, by id. */
export type AutomationNames = (userId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** With the address of the page where the user decides. */
export interface LinkedPreview extends ApprovalPreview {
  url: string;
}

/** The encrypted part of the row. */
export interface Stored extends ApprovalPrompt {
  account: string;
  rawInput: unknown;
  input: unknown;
}

export function storedOf({ account, rawInput, input }: Call, prompt: ApprovalPrompt): Stored {
  return { account: account.label, ...prompt, rawInput, input };
}

type PreviewColumn =
  | 'id'
  | 'action'
  | 'accountId'
  | 'createdAt'
  | 'expiresAt'
  | 'clientId'
  | 'client'
  | 'threadId'
  | 'automationId'
  | 'timeZone'
  | 'language';

export async function preview(row: Pick<ApprovalRow, PreviewColumn>, stored: Stored): Promise<ApprovalPreview> {
  // Not before the first question: each start would load it.
  const { displayOf } = await import('../display/display.ts');
  const { account, summary, audience, notices, provenance, matches, input } = stored;
  const { id: approvalId, action, accountId, createdAt, expiresAt, clientId, client, threadId, automationId, timeZone, language } = row;
  const question = { summary, audience, notices, provenance, matches };
  const display = displayOf({ ...stored, zone: timeZone ?? undefined, language });
  const shown = { approvalId, action, account, accountId, ...question, display, input, expiresAt: expiresAt.toISOString() };
  const automation = automationId !== null && { automation: { id: automationId, askedAt: createdAt.toISOString() } };
  if (threadId !== null) return { ...shown, thread: threadId, ...automation };
  if (clientId === null) return shown;
  return { ...shown, client: client === null ? unnamed(clientId) : namedClient(client) };
}

/** Questions with the names of the automations that ask. */
export async function withNames(
  userId: string,
  questions: readonly LinkedPreview[],
  names: AutomationNames | undefined,
): Promise<LinkedPreview[]> {
  const ids = new Set(questions.flatMap(({ automation }) => automation?.id ?? []));
  const found = ids.size === 0 ? undefined : await names?.(userId, [...ids]);
  return questions.map((question) => {
    const name = question.automation && found?.get(question.automation.id);
    return question.automation === undefined || name === undefined
      ? question
      : { ...question, automation: { ...question.automation, name } };
  });
}

/** A client whose grant is gone. */
function unnamed(id: string): NamedClient {
  return { id, name: id, kind: 'oauth', host: null, redirectHost: null, about: null };
}

/** Whether the arguments that were shown are those that would run. A newer version of the service may have other defaults. */
export function isAbout(stored: Stored, { input }: Call): boolean {
  return canonicalJson(stored.input) === canonicalJson(asJson(input));
}

/** As it is after storing. */
export function asJson(input: unknown): unknown {
  return JSON.parse(JSON.stringify(input));
}

export function sealed(key: DataKey, row: Pick<ApprovalRow, 'id' | 'userId' | 'revision'>, stored: Stored): Buffer {
  return seal(key, associatedData(row), JSON.stringify(stored));
}

/** What a request showed the user; undefined once it is decided, or if it cannot be decrypted. */
export function unseal(key: DataKey, row: Pick<ApprovalRow, 'id' | 'userId' | 'revision' | 'arguments'>): Stored | undefined {
  if (row.arguments === null) return undefined;
  try {
    return JSON.parse(open(key, associatedData(row), row.arguments).toString('utf8')) as Stored;
  } catch {
    return undefined;
  }
}

/** Contains the revision of the action, so that arguments approved under one cannot be decrypted under another. */
function associatedData({ id, userId, revision }: Pick<ApprovalRow, 'id' | 'userId' | 'revision'>): AssociatedData {
  return { table: 'approvals', column: `arguments/${revision}`, userId, rowId: id };
}

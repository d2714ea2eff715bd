/** What a channel may be for. */
export const KINDS = ['approval.waits', 'run.finished', 'needs.attention'] as const;
export type NoticeKind = (typeof KINDS)[number];

/** What has happened. */
export type NoticeType = 'approval.requested' | 'run.finished' | 'automation.paused' | 'account.status' | 'channel.off';

/** Ids and states. None of it is text that anybody wrote. */
export interface NoticeData {
  automation?: string;
  run?: string;
  approval?: string;
  account?: string;
  channel?: string;
  /** Of the conversation. */
  thread?: string;
  /** How a run ended, why an automation was paused, how an account is, or what kind of channel it was. */
  state?: string;
  /** Name of the action that waits for approval. */
  action?: string;
}

/** Something that a user is to be told, wherever they are. */
export interface Notice {
  kind: NoticeKind;
  type: NoticeType;
  /** Of what has happened: it is told once on each channel. */
  key: string;
  /** Of Steward's page about it, from `/` on. */
  path: string;
  data: NoticeData;
  /** It isn't told after this time: an approval has expired then. */
  until?: Date;
}

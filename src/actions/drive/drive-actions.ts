import type { Action } from '../shared/action.ts';
import { copyAction, createAction, moveAction, renameAction, trashAction, untrashAction } from './drive-changes.ts';
import { infoAction, readAction } from './drive-reading.ts';
import { searchAction } from './drive-search.ts';
import { permissionsAction, shareAction, unshareAction } from './drive-sharing.ts';

/** Built-in actions of the drive agent. */
export const driveActions: readonly Action[] = [
  searchAction,
  infoAction,
  readAction,
  permissionsAction,
  createAction,
  copyAction,
  moveAction,
  renameAction,
  trashAction,
  untrashAction,
  shareAction,
  unshareAction,
];

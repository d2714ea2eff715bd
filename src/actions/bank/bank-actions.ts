import type { Action } from '../shared/action.ts';
import { balances } from './balances-action.ts';
import { changes } from './changes-action.ts';
import { numbers } from './numbers-action.ts';
import { spending } from './spending-action.ts';
import { transactions } from './transactions-action.ts';

/** Built-in actions of the bank agent, all read-only. */
export const bankActions: readonly Action[] = [balances, transactions, spending, changes, numbers];

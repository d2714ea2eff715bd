import { actionName } from '../../language/en/actions.js';
import { result as texts } from '../../language/en/results.js';
import { copyButton } from '../kit/button.js';
import { element } from '../kit/dom.js';
import { tabs } from '../kit/tabs.js';
import { readableText } from '../page/page-text.js';
import { resultBadges, resultFacts } from './result-badges.js';
import * as bank from './result-bank.js';
import * as calendar from './result-calendar.js';
import * as files from './result-files.js';
import * as mail from './result-mail.js';
import { treeView } from './result-tree.js';

/** Views by the shape of the data, since declared actions return parts of the same shapes under names of their own. */
const VIEWS = [
  [mail.isMailThread, mail.mailThread],
  [mail.isMailList, mail.mailList],
  [files.isPermissionList, files.permissionList],
  [mail.isLabelList, mail.labelList],
  [calendar.isFreeList, calendar.freeList],
  [calendar.isBusyList, calendar.busyList],
  [calendar.isEventList, calendar.eventList],
  [calendar.isSingleEvent, calendar.singleEvent],
  [files.isFileList, files.fileList],
  [files.isSingleFile, files.singleFile],
  [files.isAttachment, files.attachment],
  [files.isDocument, files.documentText],
  [files.isSlides, files.slideList],
  [files.isSheet, files.sheetTables],
  [bank.isBalances, bank.balanceCards],
  [bank.isNumbers, bank.accountNumbers],
  [bank.isTransactionList, bank.transactionList],
  [bank.isSpending, bank.spendingSums],
  [bank.isChanges, bank.changeTables],
];

/**
 * The result of an action for people, with the JSON beside it.
 *
 * @param action name of the action, or of its tool
 * @param data what it returned
 * @param meta `{account?, ms?, labels? or integrity?, confidentiality?, truncated?, hint?, undo?}`
 */
export function resultView(action, data, meta = {}) {
  const { count, nodes } = viewOf(data);
  const json = JSON.stringify(data, null, 2) ?? 'null';
  const badges = element('div', { className: 'badges' }, ...resultBadges(meta));
  const view = () => {
    const body = element('div', { className: 'view' }, resultFacts(meta, count), ...nodes);
    if (meta.undo) body.append(element('p', { className: 'muted result-more' }, texts.undo(readableText(meta.undo.summary))));
    return body;
  };
  const raw = () => {
    const text = element('pre', { tabIndex: 0, role: 'region', 'aria-label': texts.jsonOf(actionName(action)) }, readableText(json));
    return element('div', { className: 'json' }, copyButton(json, texts.copy), text);
  };
  const panel = tabs(
    texts.of(actionName(action)),
    [
      { name: texts.view, build: view },
      { name: texts.json, build: raw },
    ],
    badges,
  );
  return element('div', { className: 'result-view' }, panel);
}

function viewOf(data) {
  if (Array.isArray(data?.items) && data.items.length === 0) return { nodes: [element('p', { className: 'empty' }, texts.none)] };
  const [, build] = (isObject(data) && VIEWS.find(([fits]) => fits(data))) || [];
  if (build === undefined) return { nodes: [treeView(data)] };
  try {
    return build(data);
  } catch (error) {
    // An action of the operator may return a part of a shape that a view relies on.
    if (error instanceof TypeError) return { nodes: [treeView(data)] };
    throw error;
  }
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

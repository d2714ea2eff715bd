/**
 * Parts of the console that have modules of their own:
 *
 * - `resultView(action, data, meta)` returns an element that shows the result of a call
 * - `approvalCard(preview, {session, onDecided, configured})` returns an element that shows a pending approval and decides it
 * - `chatView(root, session)` builds the view of the conversations
 */
export { approvalCard } from './approvals/approval-card.js';
export { chatView } from './chat/chat-view.js';
export { resultView } from './results/result-view.js';

// Runs once when an image is built. Loads the modules of every start without starting the service, so that their
// compiled code is in the cache, and a missing file or package fails the build. So does it with what first uses load:
// compiling it would keep other requests waiting.
import { createRequire } from 'node:module';
import './module-cache.js';

await Promise.all([
  import('../config/load-config.ts'),
  import('../observability/development-log.ts'),
  import('./announce.ts'),
  import('./startup-error.ts'),
  import('../server.ts'),
]);
await Promise.all([
  import('../jobs/jobs.ts'),
  import('../identity/firebase.ts'),
  import('../identity/oidc.ts'),
  import('../bank/bank-service.ts'),
  import('../bank/event-handlers.ts'),
  import('../providers/bank/bank-provider.ts'),
  import('../providers/bank/bank-webhook-keys.ts'),
  import('../providers/workspace/workspace-provider.ts'),
  import('../providers/workspace/workspace-api.ts'),
]);
await Promise.all([
  import('../assistant/chat-runs.ts'),
  import('../http/endpoints/openapi.ts'),
  import('../mcp/mcp-handler.ts'),
  import('../oauth/authorization-provider.ts'),
  import('../socket/asyncapi.ts'),
]);
await Promise.all([
  import('../approvals/question-replies.ts'),
  import('../automations/account-disconnected.ts'),
  import('../executor/checks/thread-grants.ts'),
  import('../executor/approvals/ended-questions.ts'),
  import('../socket/requests/agent-list.ts'),
  import('../integrations/status-repository.ts'),
  import('../automations/automation-names.ts'),
  import('../automations/automations-service.ts'),
  import('../automations/proposals.ts'),
  import('../executor/approvals/approval-prompt.ts'),
  import('../executor/display/display.ts'),
  import('../executor/run/undo.ts'),
  import('../http/pages/error-page.ts'),
  import('../http/pages/leading-page.ts'),
  import('../oauth/consent/consent-page.ts'),
  import('../sign-in/sign-in-pages.ts'),
  import('../tools/callable-tools.ts'),
  import('../tools/tool-formats.ts'),
  import('../users/export-service.ts'),
  import('../connections/confirmation-page.ts'),
]);
await Promise.all([
  import('../automations/looking/looks.ts'),
  import('../automations/looking/status-events.ts'),
  import('../automations/looking/mail-reader.ts'),
  import('../automations/looking/calendar-reader.ts'),
  import('../automations/looking/drive-reader.ts'),
  import('../automations/looking/bank-reader.ts'),
]);
await Promise.all([
  import('../connections/bindings.ts'),
  import('../connections/callback-service.ts'),
  import('../connections/confirmation-service.ts'),
  import('../connections/flow-start.ts'),
  import('../executor/audit/tool-decisions.ts'),
  import('../integrations/file-tools.ts'),
  import('../providers/mcp/source-authorizer.ts'),
  import('../providers/mcp/source-calls.ts'),
  import('../notifications/channels/confirm-page.ts'),
  import('../notifications/open-notifications.ts'),
  import('../notifications/senders/mail-sender.ts'),
  import('../notifications/senders/push-sender.ts'),
  import('../notifications/senders/webhook-sender.ts'),
  import('../sources/accounts-service.ts'),
  import('../sources/entry-page.ts'),
  import('../sources/source-flows.ts'),
  import('../sources/source-tools.ts'),
  import('../sources/stored-clients.ts'),
  import('../sources/tool-binding.ts'),
  import('../workspace/workspace-connector.ts'),
  import('./open-sources.ts'),
]);
createRequire(import.meta.url)('plaid');

import type { Client, ClientMeta, Options as Options2, RequestResult, TDataShape } from './client/index.js';
import type { DeleteAllowancesIdData, DeleteAllowancesIdErrors, DeleteAllowancesIdResponses, DeleteAuthBankAccountsAccountIdData, DeleteAuthBankAccountsAccountIdErrors, DeleteAuthBankAccountsAccountIdResponses, DeleteAuthSessionData, DeleteAuthSessionErrors, DeleteAuthSessionResponses, DeleteAuthSourcesAccountsAccountIdData, DeleteAuthSourcesAccountsAccountIdErrors, DeleteAuthSourcesAccountsAccountIdResponses, DeleteAuthWorkspaceAccountsAccountIdData, DeleteAuthWorkspaceAccountsAccountIdErrors, DeleteAuthWorkspaceAccountsAccountIdResponses, DeleteAutomationsIdData, DeleteAutomationsIdErrors, DeleteAutomationsIdResponses, DeleteChatIdStreamData, DeleteChatIdStreamErrors, DeleteChatIdStreamResponses, DeleteClientsIdData, DeleteClientsIdErrors, DeleteClientsIdResponses, DeleteNotificationsChannelsIdData, DeleteNotificationsChannelsIdErrors, DeleteNotificationsChannelsIdResponses, DeleteReadOnlyIdData, DeleteReadOnlyIdErrors, DeleteReadOnlyIdResponses, DeleteThreadsIdData, DeleteThreadsIdErrors, DeleteThreadsIdResponses, DeleteTokensIdData, DeleteTokensIdErrors, DeleteTokensIdResponses, DeleteUserData, DeleteUserErrors, DeleteUserResponses, GetAllowancesData, GetAllowancesErrors, GetAllowancesResponses, GetApprovalsData, GetApprovalsErrors, GetApprovalsIdData, GetApprovalsIdErrors, GetApprovalsIdResponses, GetApprovalsIdResultData, GetApprovalsIdResultErrors, GetApprovalsIdResultResponses, GetApprovalsResponses, GetAuthBankAccountsData, GetAuthBankAccountsErrors, GetAuthBankAccountsResponses, GetAuthSessionData, GetAuthSessionErrors, GetAuthSessionResponses, GetAuthSourcesAccountsAccountIdToolsData, GetAuthSourcesAccountsAccountIdToolsErrors, GetAuthSourcesAccountsAccountIdToolsResponses, GetAuthSourcesAccountsData, GetAuthSourcesAccountsErrors, GetAuthSourcesAccountsResponses, GetAuthWorkspaceAccountsData, GetAuthWorkspaceAccountsErrors, GetAuthWorkspaceAccountsResponses, GetAutomationsData, GetAutomationsErrors, GetAutomationsIdData, GetAutomationsIdErrors, GetAutomationsIdResponses, GetAutomationsIdRunsData, GetAutomationsIdRunsErrors, GetAutomationsIdRunsResponses, GetAutomationsResponses, GetClientsData, GetClientsErrors, GetClientsResponses, GetHealthLiveData, GetHealthLiveErrors, GetHealthLiveResponses, GetHealthReadyData, GetHealthReadyErrors, GetHealthReadyResponses, GetIntegrationsData, GetIntegrationsErrors, GetIntegrationsResponses, GetModelsData, GetModelsErrors, GetModelsResponses, GetNotificationsChannelsData, GetNotificationsChannelsErrors, GetNotificationsChannelsResponses, GetOauthClientJsonData, GetOauthClientJsonErrors, GetOauthClientJsonResponses, GetOperatorStatusData, GetOperatorStatusErrors, GetOperatorStatusResponses, GetReadOnlyData, GetReadOnlyErrors, GetReadOnlyResponses, GetTestData, GetTestErrors, GetTestResponses, GetThreadsData, GetThreadsErrors, GetThreadsIdData, GetThreadsIdErrors, GetThreadsIdResponses, GetThreadsResponses, GetTokensData, GetTokensErrors, GetTokensResponses, GetToolsData, GetToolsErrors, GetToolsResponses, GetUpdateIntegrationsData, GetUpdateIntegrationsErrors, GetUpdateIntegrationsResponses, GetUserAuditData, GetUserAuditErrors, GetUserAuditResponses, GetUserExportData, GetUserExportErrors, GetUserExportResponses, GetUserPreferencesData, GetUserPreferencesErrors, GetUserPreferencesResponses, GetWellKnownOauthProtectedResourceData, GetWellKnownOauthProtectedResourceErrors, GetWellKnownOauthProtectedResourceMcpData, GetWellKnownOauthProtectedResourceMcpErrors, GetWellKnownOauthProtectedResourceMcpResponses, GetWellKnownOauthProtectedResourceResponses, PatchAutomationsIdData, PatchAutomationsIdErrors, PatchAutomationsIdResponses, PatchUserPreferencesData, PatchUserPreferencesErrors, PatchUserPreferencesResponses, PostAgentsActionData, PostAgentsActionErrors, PostAgentsActionResponses, PostApprovalsIdData, PostApprovalsIdErrors, PostApprovalsIdResponses, PostAuthBankAccountsAccountIdRefreshData, PostAuthBankAccountsAccountIdRefreshErrors, PostAuthBankAccountsAccountIdRefreshResponses, PostAuthBankCreateLinkTokenData, PostAuthBankCreateLinkTokenErrors, PostAuthBankCreateLinkTokenResponses, PostAuthBankSetAccessTokenData, PostAuthBankSetAccessTokenErrors, PostAuthBankSetAccessTokenResponses, PostAuthSessionData, PostAuthSessionErrors, PostAuthSessionResponses, PostAuthSourcesAccountsAccountIdDefaultData, PostAuthSourcesAccountsAccountIdDefaultErrors, PostAuthSourcesAccountsAccountIdDefaultResponses, PostAuthSourcesAccountsAccountIdToolsToolData, PostAuthSourcesAccountsAccountIdToolsToolErrors, PostAuthSourcesAccountsAccountIdToolsToolResponses, PostAuthSourcesSourceConnectData, PostAuthSourcesSourceConnectErrors, PostAuthSourcesSourceConnectResponses, PostAuthWorkspaceAccountsAccountIdDefaultData, PostAuthWorkspaceAccountsAccountIdDefaultErrors, PostAuthWorkspaceAccountsAccountIdDefaultResponses, PostAutomationsData, PostAutomationsErrors, PostAutomationsIdRunData, PostAutomationsIdRunErrors, PostAutomationsIdRunResponses, PostAutomationsResponses, PostEmailData, PostEmailErrors, PostEmailResponses, PostNotificationsChannelsData, PostNotificationsChannelsErrors, PostNotificationsChannelsIdTestData, PostNotificationsChannelsIdTestErrors, PostNotificationsChannelsIdTestResponses, PostNotificationsChannelsResponses, PostReadOnlyData, PostReadOnlyErrors, PostReadOnlyResponses, PostThreadsIdData, PostThreadsIdErrors, PostThreadsIdResponses, PostTokensData, PostTokensErrors, PostTokensResponses, PostWaitlistData, PostWaitlistErrors, PostWaitlistResponses, PostWorkspaceAccessRequestData, PostWorkspaceAccessRequestErrors, PostWorkspaceAccessRequestResponses } from './types.gen.js';
export type Options<TData extends TDataShape = TDataShape, ThrowOnError extends boolean = boolean, TResponse = unknown> = Options2<TData, ThrowOnError, TResponse> & {
    /**
     * You can provide a client instance returned by `createClient()` instead of
     * individual options. This might be also useful if you want to implement a
     * custom client.
     */
    client?: Client;
    /**
     * You can pass arbitrary values through the `meta` object. This can be
     * used to access values that aren't defined as part of the SDK function.
     */
    meta?: keyof ClientMeta extends never ? Record<string, unknown> : ClientMeta;
};
/**
 * Add an address to the waitlist
 *
 * The response is the same for a new and for a known address. A failed insertion is a 200 with `status: "error"`.
 */
export declare const postWaitlist: <ThrowOnError extends boolean = false>(options: Options<PostWaitlistData, ThrowOnError>) => RequestResult<PostWaitlistResponses, PostWaitlistErrors, ThrowOnError>;
/**
 * Alias of POST /waitlist
 *
 * The response is the same for a new and for a known address. A failed insertion is a 200 with `status: "error"`.
 */
export declare const postEmail: <ThrowOnError extends boolean = false>(options: Options<PostEmailData, ThrowOnError>) => RequestResult<PostEmailResponses, PostEmailErrors, ThrowOnError>;
/**
 * Reload the integrations file
 *
 * Reads integrations.yaml again without a restart. An invalid file changes nothing; the log lists the problems with their lines. In development the response lists them too: `details.problems`, and in `details.more` the number of those left out. Takes no credentials: restrict access to it at the network layer or a reverse proxy.
 */
export declare const getUpdateIntegrations: <ThrowOnError extends boolean = false>(options?: Options<GetUpdateIntegrationsData, ThrowOnError>) => RequestResult<GetUpdateIntegrationsResponses, GetUpdateIntegrationsErrors, ThrowOnError>;
/**
 * Which providers and sources the user is connected to
 *
 * `connected`: at least one account, whatever its status. `needs_attention`: how many accounts must be authorized again, now or soon.
 */
export declare const getIntegrations: <ThrowOnError extends boolean = false>(options?: Options<GetIntegrationsData, ThrowOnError>) => RequestResult<GetIntegrationsResponses, GetIntegrationsErrors, ThrowOnError>;
/**
 * Step 1: request access to a workspace account
 *
 * Starts a flow and binds this browser to the user. Open `login_url` in the same browser within 60 seconds.
 */
export declare const postWorkspaceAccessRequest: <ThrowOnError extends boolean = false>(options: Options<PostWorkspaceAccessRequestData, ThrowOnError>) => RequestResult<PostWorkspaceAccessRequestResponses, PostWorkspaceAccessRequestErrors, ThrowOnError>;
/**
 * List the connected workspace accounts
 */
export declare const getAuthWorkspaceAccounts: <ThrowOnError extends boolean = false>(options?: Options<GetAuthWorkspaceAccountsData, ThrowOnError>) => RequestResult<GetAuthWorkspaceAccountsResponses, GetAuthWorkspaceAccountsErrors, ThrowOnError>;
/**
 * Disconnect a workspace account
 *
 * The account cannot be used from now on. Its tokens are revoked at the provider in the background, with retries.
 */
export declare const deleteAuthWorkspaceAccountsAccountId: <ThrowOnError extends boolean = false>(options: Options<DeleteAuthWorkspaceAccountsAccountIdData, ThrowOnError>) => RequestResult<DeleteAuthWorkspaceAccountsAccountIdResponses, DeleteAuthWorkspaceAccountsAccountIdErrors, ThrowOnError>;
/**
 * Make a workspace account the default
 */
export declare const postAuthWorkspaceAccountsAccountIdDefault: <ThrowOnError extends boolean = false>(options: Options<PostAuthWorkspaceAccountsAccountIdDefaultData, ThrowOnError>) => RequestResult<PostAuthWorkspaceAccountsAccountIdDefaultResponses, PostAuthWorkspaceAccountsAccountIdDefaultErrors, ThrowOnError>;
/**
 * Connect to a source
 *
 * Starts a flow and binds this browser to the user. Open `login_url` in the same browser within 60 seconds.
 */
export declare const postAuthSourcesSourceConnect: <ThrowOnError extends boolean = false>(options: Options<PostAuthSourcesSourceConnectData, ThrowOnError>) => RequestResult<PostAuthSourcesSourceConnectResponses, PostAuthSourcesSourceConnectErrors, ThrowOnError>;
/**
 * List the connections to sources, and the sources that there are
 */
export declare const getAuthSourcesAccounts: <ThrowOnError extends boolean = false>(options?: Options<GetAuthSourcesAccountsData, ThrowOnError>) => RequestResult<GetAuthSourcesAccountsResponses, GetAuthSourcesAccountsErrors, ThrowOnError>;
/**
 * Disconnect from a source
 *
 * The account cannot be used from now on. Its tokens are revoked in the background, where the source’s server can do that.
 */
export declare const deleteAuthSourcesAccountsAccountId: <ThrowOnError extends boolean = false>(options: Options<DeleteAuthSourcesAccountsAccountIdData, ThrowOnError>) => RequestResult<DeleteAuthSourcesAccountsAccountIdResponses, DeleteAuthSourcesAccountsAccountIdErrors, ThrowOnError>;
/**
 * Make a connection the default of its source
 */
export declare const postAuthSourcesAccountsAccountIdDefault: <ThrowOnError extends boolean = false>(options: Options<PostAuthSourcesAccountsAccountIdDefaultData, ThrowOnError>) => RequestResult<PostAuthSourcesAccountsAccountIdDefaultResponses, PostAuthSourcesAccountsAccountIdDefaultErrors, ThrowOnError>;
/**
 * The tools of a connection
 *
 * Those that the integrations file lists: what was approved, what the server lists now, and in which fields the two differ.
 */
export declare const getAuthSourcesAccountsAccountIdTools: <ThrowOnError extends boolean = false>(options: Options<GetAuthSourcesAccountsAccountIdToolsData, ThrowOnError>) => RequestResult<GetAuthSourcesAccountsAccountIdToolsResponses, GetAuthSourcesAccountsAccountIdToolsErrors, ThrowOnError>;
/**
 * Allow or block a tool of a connection
 *
 * By the user in person. `conflict`: the tool has changed since, or the operator has pinned it in the integrations file.
 */
export declare const postAuthSourcesAccountsAccountIdToolsTool: <ThrowOnError extends boolean = false>(options: Options<PostAuthSourcesAccountsAccountIdToolsToolData, ThrowOnError>) => RequestResult<PostAuthSourcesAccountsAccountIdToolsToolResponses, PostAuthSourcesAccountsAccountIdToolsToolErrors, ThrowOnError>;
/**
 * This service as an OAuth client of sources
 *
 * Its client id metadata document, which authorization servers read.
 */
export declare const getOauthClientJson: <ThrowOnError extends boolean = false>(options?: Options<GetOauthClientJsonData, ThrowOnError>) => RequestResult<GetOauthClientJsonResponses, GetOauthClientJsonErrors, ThrowOnError>;
/**
 * Create a link token for the aggregator’s widget
 *
 * With `account_id`: update mode for that entry, to log in again or to add accounts. The sandbox adds `link_url`, its page that replaces the widget.
 */
export declare const postAuthBankCreateLinkToken: <ThrowOnError extends boolean = false>(options?: Options<PostAuthBankCreateLinkTokenData, ThrowOnError>) => RequestResult<PostAuthBankCreateLinkTokenResponses, PostAuthBankCreateLinkTokenErrors, ThrowOnError>;
/**
 * Link a bank with the widget’s public token
 *
 * Linking the same login again keeps the id of its entry if the new accounts include all previous ones, compared by the bank’s persistent ids, else by name, mask and type. Otherwise both entries are kept, and `also_linked` lists the others.
 */
export declare const postAuthBankSetAccessToken: <ThrowOnError extends boolean = false>(options: Options<PostAuthBankSetAccessTokenData, ThrowOnError>) => RequestResult<PostAuthBankSetAccessTokenResponses, PostAuthBankSetAccessTokenErrors, ThrowOnError>;
/**
 * List the bank account entries
 */
export declare const getAuthBankAccounts: <ThrowOnError extends boolean = false>(options?: Options<GetAuthBankAccountsData, ThrowOnError>) => RequestResult<GetAuthBankAccountsResponses, GetAuthBankAccountsErrors, ThrowOnError>;
/**
 * Delete a bank account entry
 *
 * The entry cannot be used from now on. It is removed at the aggregator in the background, with retries.
 */
export declare const deleteAuthBankAccountsAccountId: <ThrowOnError extends boolean = false>(options: Options<DeleteAuthBankAccountsAccountIdData, ThrowOnError>) => RequestResult<DeleteAuthBankAccountsAccountIdResponses, DeleteAuthBankAccountsAccountIdErrors, ThrowOnError>;
/**
 * Reload a bank account entry after update mode
 *
 * Clears `relink_required` and stores the selected accounts.
 */
export declare const postAuthBankAccountsAccountIdRefresh: <ThrowOnError extends boolean = false>(options: Options<PostAuthBankAccountsAccountIdRefreshData, ThrowOnError>) => RequestResult<PostAuthBankAccountsAccountIdRefreshResponses, PostAuthBankAccountsAccountIdRefreshErrors, ThrowOnError>;
/**
 * Preferences of the user
 *
 * What is null was not said yet.
 */
export declare const getUserPreferences: <ThrowOnError extends boolean = false>(options?: Options<GetUserPreferencesData, ThrowOnError>) => RequestResult<GetUserPreferencesResponses, GetUserPreferencesErrors, ThrowOnError>;
/**
 * Change the preferences of the user
 *
 * A JSON merge patch (RFC 7396): a field that is left out stays as it is, null removes it. The assistant, the pages of Steward the periods of bank actions and notifications use them. `quiet_hours` is replaced as a whole.
 */
export declare const patchUserPreferences: <ThrowOnError extends boolean = false>(options: Options<PatchUserPreferencesData, ThrowOnError>) => RequestResult<PatchUserPreferencesResponses, PatchUserPreferencesErrors, ThrowOnError>;
/**
 * Audit log of the user
 *
 * Every call of an action, allowed or rejected, newest first, without its content. Rows that are added meanwhile come before the first page. Rows are kept for 400 days.
 */
export declare const getUserAudit: <ThrowOnError extends boolean = false>(options?: Options<GetUserAuditData, ThrowOnError>) => RequestResult<GetUserAuditResponses, GetUserAuditErrors, ThrowOnError>;
/**
 * Export of the user’s data
 *
 * All rows of the user at one point in time, as a file. Secrets are left out; `withheld` names them. `LIMIT_USER_EXPORTS_PER_MINUTE` limits it.
 */
export declare const getUserExport: <ThrowOnError extends boolean = false>(options?: Options<GetUserExportData, ThrowOnError>) => RequestResult<GetUserExportResponses, GetUserExportErrors, ThrowOnError>;
/**
 * Delete the user
 *
 * Disconnects all accounts, deletes the user, the user’s key and the waitlist entry of the user’s address, and closes the user’s WebSockets. ID tokens issued before are rejected until they expire. Requires a sign-in within the last five minutes.
 */
export declare const deleteUser: <ThrowOnError extends boolean = false>(options?: Options<DeleteUserData, ThrowOnError>) => RequestResult<DeleteUserResponses, DeleteUserErrors, ThrowOnError>;
/**
 * Notification channels
 *
 * Where the user is told something, newest first, and what a new channel needs.
 */
export declare const getNotificationsChannels: <ThrowOnError extends boolean = false>(options?: Options<GetNotificationsChannelsData, ThrowOnError>) => RequestResult<GetNotificationsChannelsResponses, GetNotificationsChannelsErrors, ThrowOnError>;
/**
 * Add a notification channel
 *
 * At most 10. A mail address is sent a link that opens a page with a form. The secret of a webhook (Standard Webhooks) is returned once.
 */
export declare const postNotificationsChannels: <ThrowOnError extends boolean = false>(options: Options<PostNotificationsChannelsData, ThrowOnError>) => RequestResult<PostNotificationsChannelsResponses, PostNotificationsChannelsErrors, ThrowOnError>;
/**
 * Remove a notification channel
 *
 * Nothing is sent there from now on, also of what waits.
 */
export declare const deleteNotificationsChannelsId: <ThrowOnError extends boolean = false>(options: Options<DeleteNotificationsChannelsIdData, ThrowOnError>) => RequestResult<DeleteNotificationsChannelsIdResponses, DeleteNotificationsChannelsIdErrors, ThrowOnError>;
/**
 * Send a test
 *
 * Responds once it was taken or not (`error`). To a mail address that is not confirmed, a new link is sent instead.
 */
export declare const postNotificationsChannelsIdTest: <ThrowOnError extends boolean = false>(options: Options<PostNotificationsChannelsIdTestData, ThrowOnError>) => RequestResult<PostNotificationsChannelsIdTestResponses, PostNotificationsChannelsIdTestErrors, ThrowOnError>;
/**
 * Personal access tokens
 *
 * The user’s tokens, newest first, without the tokens themselves. Those that have ended are listed for 30 days.
 */
export declare const getTokens: <ThrowOnError extends boolean = false>(options?: Options<GetTokensData, ThrowOnError>) => RequestResult<GetTokensResponses, GetTokensErrors, ThrowOnError>;
/**
 * New personal access token
 *
 * A credential for a script or an assistant, which can list and call the actions it names and fetch the results of calls that the user has approved: at `GET /tools`, `POST /agents/{action}`, `GET /approvals/{id}/result`, `/mcp` and over the WebSocket. It can do nothing else. The token is returned once. Requires a sign-in within the last five minutes.
 */
export declare const postTokens: <ThrowOnError extends boolean = false>(options: Options<PostTokensData, ThrowOnError>) => RequestResult<PostTokensResponses, PostTokensErrors, ThrowOnError>;
/**
 * Revoke a personal access token
 *
 * It counts for the next request; changes that have started run to their end. Pending approvals that it requested end. Requires a sign-in within the last five minutes.
 */
export declare const deleteTokensId: <ThrowOnError extends boolean = false>(options: Options<DeleteTokensIdData, ThrowOnError>) => RequestResult<DeleteTokensIdResponses, DeleteTokensIdErrors, ThrowOnError>;
/**
 * Connected apps
 *
 * The user’s personal access tokens and the clients that signed in with OAuth, newest first. Those that have ended are listed for 30 days.
 */
export declare const getClients: <ThrowOnError extends boolean = false>(options?: Options<GetClientsData, ThrowOnError>) => RequestResult<GetClientsResponses, GetClientsErrors, ThrowOnError>;
/**
 * Disconnect an app
 *
 * Ends a personal access token, or one access of an app with all its tokens: an app that has signed in more than once is listed as often. It counts for the next request; changes that have started run to their end. Pending approvals that it requested end, and results that it could fetch are deleted. No recent sign-in is required: ending access always works.
 */
export declare const deleteClientsId: <ThrowOnError extends boolean = false>(options: Options<DeleteClientsIdData, ThrowOnError>) => RequestResult<DeleteClientsIdResponses, DeleteClientsIdErrors, ThrowOnError>;
/**
 * Call an action
 *
 * Runs an action with the body as its arguments, like `call` on the WebSocket. By a tool’s name (`mail_search`), the body may name the `account`, too. A change with an `Idempotency-Key` header runs once within 24 hours; each token has keys of its own, and the user’s own front ends share theirs. `approval_required`: the user has to approve the call first; `details` describes it.
 */
export declare const postAgentsAction: <ThrowOnError extends boolean = false>(options: Options<PostAgentsActionData, ThrowOnError>) => RequestResult<PostAgentsActionResponses, PostAgentsActionErrors, ThrowOnError>;
/**
 * List actions as tools of a model
 *
 * The actions that the caller can call now, in the format that the vendor’s API takes. Call one with `POST /agents/{action}`, with the tool’s name and the model’s arguments as they are. With `query`, only those that fit it best, eight at most.
 */
export declare const getTools: <ThrowOnError extends boolean = false>(options?: Options<GetToolsData, ThrowOnError>) => RequestResult<GetToolsResponses, GetToolsErrors, ThrowOnError>;
/**
 * Pending approvals
 *
 * Calls that wait for the user’s decision, oldest first.
 */
export declare const getApprovals: <ThrowOnError extends boolean = false>(options?: Options<GetApprovalsData, ThrowOnError>) => RequestResult<GetApprovalsResponses, GetApprovalsErrors, ThrowOnError>;
/**
 * One pending approval
 */
export declare const getApprovalsId: <ThrowOnError extends boolean = false>(options: Options<GetApprovalsIdData, ThrowOnError>) => RequestResult<GetApprovalsIdResponses, GetApprovalsIdErrors, ThrowOnError>;
/**
 * Approve or deny a call
 *
 * Approved: repeats every check, runs the call once and returns its result. Denied: `data` is `{"approved": false}`. With `input`, the user approves other arguments; if more people would see the changed call, the response is `approval_required` with the new question. With `remember_for`, later calls of the action on the account run without a question if nobody sees them but the people who see this one or, for `drive.create`, `copy` and `move`, if they are for the same folder; a call for which that is not possible is not run (`invalid_request`). A session decides on the question that it was shown (`shown`).
 */
export declare const postApprovalsId: <ThrowOnError extends boolean = false>(options: Options<PostApprovalsIdData, ThrowOnError>) => RequestResult<PostApprovalsIdResponses, PostApprovalsIdErrors, ThrowOnError>;
/**
 * How an approval ended
 *
 * For the token, or the user in person, that made the call: whether the user has decided, and for an hour after the run its result or its error. Reading a result counts as making the call: text of others in it marks the reader.
 */
export declare const getApprovalsIdResult: <ThrowOnError extends boolean = false>(options: Options<GetApprovalsIdResultData, ThrowOnError>) => RequestResult<GetApprovalsIdResultResponses, GetApprovalsIdResultErrors, ThrowOnError>;
/**
 * Calls allowed in advance
 *
 * What the user has allowed when approving a call, newest first. An allowance is for the caller that asked for that call, and ends when its time is up, when the client has ended, when the account is disconnected, or when the configuration of its action changes.
 */
export declare const getAllowances: <ThrowOnError extends boolean = false>(options?: Options<GetAllowancesData, ThrowOnError>) => RequestResult<GetAllowancesResponses, GetAllowancesErrors, ThrowOnError>;
/**
 * Revoke an allowance
 *
 * It takes effect for every call that has not started.
 */
export declare const deleteAllowancesId: <ThrowOnError extends boolean = false>(options: Options<DeleteAllowancesIdData, ThrowOnError>) => RequestResult<DeleteAllowancesIdResponses, DeleteAllowancesIdErrors, ThrowOnError>;
/**
 * Read-only accounts
 *
 * Accounts and banks on which the user permits no changes, oldest setting first.
 */
export declare const getReadOnly: <ThrowOnError extends boolean = false>(options?: Options<GetReadOnlyData, ThrowOnError>) => RequestResult<GetReadOnlyResponses, GetReadOnlyErrors, ThrowOnError>;
/**
 * Set an account to read-only
 *
 * No action changes anything in the account or at the bank afterwards, for every caller or for one token or connected app; changes that have started run to their end. Pending approvals for it end. It holds until it is lifted or the account is disconnected.
 */
export declare const postReadOnly: <ThrowOnError extends boolean = false>(options: Options<PostReadOnlyData, ThrowOnError>) => RequestResult<PostReadOnlyResponses, PostReadOnlyErrors, ThrowOnError>;
/**
 * Permit changes again
 *
 * Requires a sign-in within the last five minutes.
 */
export declare const deleteReadOnlyId: <ThrowOnError extends boolean = false>(options: Options<DeleteReadOnlyIdData, ThrowOnError>) => RequestResult<DeleteReadOnlyIdResponses, DeleteReadOnlyIdErrors, ThrowOnError>;
/**
 * Conversations with the assistant
 *
 * The latest first. `search` finds titles that contain a text, in any case.
 */
export declare const getThreads: <ThrowOnError extends boolean = false>(options?: Options<GetThreadsData, ThrowOnError>) => RequestResult<GetThreadsResponses, GetThreadsErrors, ThrowOnError>;
/**
 * Delete a conversation
 *
 * With its messages, and what is remembered of what was read in it. Its run is cancelled and its pending approvals end; changes that have started run to their end.
 */
export declare const deleteThreadsId: <ThrowOnError extends boolean = false>(options: Options<DeleteThreadsIdData, ThrowOnError>) => RequestResult<DeleteThreadsIdResponses, DeleteThreadsIdErrors, ThrowOnError>;
/**
 * A conversation
 *
 * Its messages are UIMessages of the AI SDK, oldest first; `useChat` takes them as they are.
 */
export declare const getThreadsId: <ThrowOnError extends boolean = false>(options: Options<GetThreadsIdData, ThrowOnError>) => RequestResult<GetThreadsIdResponses, GetThreadsIdErrors, ThrowOnError>;
/**
 * Rename a conversation
 *
 * Characters that can’t be seen are removed from the title.
 */
export declare const postThreadsId: <ThrowOnError extends boolean = false>(options: Options<PostThreadsIdData, ThrowOnError>) => RequestResult<PostThreadsIdResponses, PostThreadsIdErrors, ThrowOnError>;
/**
 * Automations
 *
 * What runs without the user, oldest first.
 */
export declare const getAutomations: <ThrowOnError extends boolean = false>(options?: Options<GetAutomationsData, ThrowOnError>) => RequestResult<GetAutomationsResponses, GetAutomationsErrors, ThrowOnError>;
/**
 * New automation
 *
 * A user has at most 50. Each run may do what `actions` names, in the accounts of `accounts`, and what an approval is required for only with the user’s approval.
 */
export declare const postAutomations: <ThrowOnError extends boolean = false>(options: Options<PostAutomationsData, ThrowOnError>) => RequestResult<PostAutomationsResponses, PostAutomationsErrors, ThrowOnError>;
/**
 * Delete an automation
 *
 * With its runs and their conversations. Their pending approvals end; changes that have started run to their end.
 */
export declare const deleteAutomationsId: <ThrowOnError extends boolean = false>(options: Options<DeleteAutomationsIdData, ThrowOnError>) => RequestResult<DeleteAutomationsIdResponses, DeleteAutomationsIdErrors, ThrowOnError>;
/**
 * An automation
 */
export declare const getAutomationsId: <ThrowOnError extends boolean = false>(options: Options<GetAutomationsIdData, ThrowOnError>) => RequestResult<GetAutomationsIdResponses, GetAutomationsIdErrors, ThrowOnError>;
/**
 * Change an automation
 *
 * What is left out stays as it is, in `budget`, too; `trigger` and `does` are replaced as a whole. `state` pauses it, and lets a paused one run again: from now on, without what it has missed.
 */
export declare const patchAutomationsId: <ThrowOnError extends boolean = false>(options: Options<PatchAutomationsIdData, ThrowOnError>) => RequestResult<PatchAutomationsIdResponses, PatchAutomationsIdErrors, ThrowOnError>;
/**
 * Run an automation now
 *
 * Also a paused one. It begins within seconds.
 */
export declare const postAutomationsIdRun: <ThrowOnError extends boolean = false>(options: Options<PostAutomationsIdRunData, ThrowOnError>) => RequestResult<PostAutomationsIdRunResponses, PostAutomationsIdRunErrors, ThrowOnError>;
/**
 * Runs of an automation
 *
 * The latest first. They are kept for 30 days.
 */
export declare const getAutomationsIdRuns: <ThrowOnError extends boolean = false>(options: Options<GetAutomationsIdRunsData, ThrowOnError>) => RequestResult<GetAutomationsIdRunsResponses, GetAutomationsIdRunsErrors, ThrowOnError>;
/**
 * Stop an answer
 *
 * Within two seconds, on every replica. Changes that have started run to their end. With `run` (`runId` in the message’s metadata) only this answer is stopped: if it has ended, another one that has begun since goes on.
 */
export declare const deleteChatIdStream: <ThrowOnError extends boolean = false>(options: Options<DeleteChatIdStreamData, ThrowOnError>) => RequestResult<DeleteChatIdStreamResponses, DeleteChatIdStreamErrors, ThrowOnError>;
/**
 * The assistant’s models
 *
 * And what the user has used of today’s budget. Without a model, `models` is empty and `budget` is null.
 */
export declare const getModels: <ThrowOnError extends boolean = false>(options?: Options<GetModelsData, ThrowOnError>) => RequestResult<GetModelsResponses, GetModelsErrors, ThrowOnError>;
/**
 * How clients of /mcp sign in
 *
 * Metadata of the protected resource (RFC 9728).
 */
export declare const getWellKnownOauthProtectedResource: <ThrowOnError extends boolean = false>(options?: Options<GetWellKnownOauthProtectedResourceData, ThrowOnError>) => RequestResult<GetWellKnownOauthProtectedResourceResponses, GetWellKnownOauthProtectedResourceErrors, ThrowOnError>;
/**
 * How clients of /mcp sign in
 *
 * Metadata of the protected resource (RFC 9728).
 */
export declare const getWellKnownOauthProtectedResourceMcp: <ThrowOnError extends boolean = false>(options?: Options<GetWellKnownOauthProtectedResourceMcpData, ThrowOnError>) => RequestResult<GetWellKnownOauthProtectedResourceMcpResponses, GetWellKnownOauthProtectedResourceMcpErrors, ThrowOnError>;
/**
 * End the session
 *
 * With an ID token: all sessions of the user. It takes effect with the next request, on every replica; WebSockets are closed within two seconds.
 */
export declare const deleteAuthSession: <ThrowOnError extends boolean = false>(options?: Options<DeleteAuthSessionData, ThrowOnError>) => RequestResult<DeleteAuthSessionResponses, DeleteAuthSessionErrors, ThrowOnError>;
/**
 * Who is signed in
 *
 * For pages of the service’s own origin only: whose session this browser has, and how one signs in.
 */
export declare const getAuthSession: <ThrowOnError extends boolean = false>(options?: Options<GetAuthSessionData, ThrowOnError>) => RequestResult<GetAuthSessionResponses, GetAuthSessionErrors, ThrowOnError>;
/**
 * Begin a session at the service’s own pages
 *
 * Sets the cookie of a session of 12 hours, which pages of the service’s own origin use in place of an ID token. Either with an ID token in the `Authorization` header, or as a form of the page at `SIGN_IN_URL`, with `id_token` and the `state` that the page received; the response leads to `return_to`.
 */
export declare const postAuthSession: <ThrowOnError extends boolean = false>(options?: Options<PostAuthSessionData, ThrowOnError>) => RequestResult<PostAuthSessionResponses, PostAuthSessionErrors, ThrowOnError>;
/**
 * Integrations with their problems, models and limits
 *
 * For users of `OPERATORS` in person: 403 `forbidden` for others. Says nothing of single users, and no keys.
 */
export declare const getOperatorStatus: <ThrowOnError extends boolean = false>(options?: Options<GetOperatorStatusData, ThrowOnError>) => RequestResult<GetOperatorStatusResponses, GetOperatorStatusErrors, ThrowOnError>;
/**
 * Health check
 *
 * `connections` counts the open WebSocket connections of this process.
 */
export declare const getTest: <ThrowOnError extends boolean = false>(options?: Options<GetTestData, ThrowOnError>) => RequestResult<GetTestResponses, GetTestErrors, ThrowOnError>;
/**
 * Liveness probe: the process runs
 */
export declare const getHealthLive: <ThrowOnError extends boolean = false>(options?: Options<GetHealthLiveData, ThrowOnError>) => RequestResult<GetHealthLiveResponses, GetHealthLiveErrors, ThrowOnError>;
/**
 * Readiness probe: the process can serve requests
 *
 * The database accepts writes and has a schema for this release, the master keys that stored data needs are present, and the process is not shutting down.
 */
export declare const getHealthReady: <ThrowOnError extends boolean = false>(options?: Options<GetHealthReadyData, ThrowOnError>) => RequestResult<GetHealthReadyResponses, GetHealthReadyErrors, ThrowOnError>;

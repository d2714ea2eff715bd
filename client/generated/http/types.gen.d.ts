export type ClientOptions = {
    baseUrl: 'http://127.0.0.1:8080' | (string & {});
};
export type WaitlistForm = {
    email: string;
};
export type WorkspaceAccessForm = {
    email: string;
    /**
     * Where the flow ends; one of the allowed addresses.
     */
    redirect_uri?: string;
};
export type SourceConnectForm = {
    /**
     * Where the flow ends; one of the allowed addresses.
     */
    redirect_uri?: string;
    /**
     * The account to connect again; absent: a new one.
     */
    account_id?: string;
    /**
     * How to call the connection; absent: after its source.
     */
    label?: string;
};
export type SourceToolDecision = {
    decision: 'allow' | 'block';
    /**
     * Of the definition that the user has seen.
     */
    hash: string;
};
export type LinkTokenForm = {
    account_id?: string;
};
export type PublicTokenForm = {
    public_token: string;
};
export type PreferencesPatch = {
    /**
     * An IANA time zone, such as `Europe/Berlin`.
     */
    time_zone?: string | null;
    /**
     * A language tag (BCP 47). Steward writes English where it has no texts in the language.
     */
    language?: string | null;
    /**
     * What the assistant calls the user.
     */
    name?: string | null;
    /**
     * In the user’s time zone (UTC until it is known), every day from one time to the next other one. Meanwhile nothing is told on notification channels but questions that would expire.
     */
    quiet_hours?: QuietHours | null;
};
export type QuietHours = {
    from: string;
    to: string;
};
export type ChannelRequest = {
    type: 'mail' | 'push' | 'webhook';
    /**
     * Of `mail`. A link is sent there first, and nothing else until it was confirmed.
     */
    address?: string;
    /**
     * Of `push`: the browser’s `PushSubscription`, as JSON.
     */
    subscription?: PushSubscription;
    /**
     * Of `push`: what the browser is called, such as “Firefox on Linux”.
     */
    label?: string;
    /**
     * Of `webhook`: an https address in the public internet.
     */
    url?: string;
    /**
     * What is told there.
     */
    kinds: Array<'approval.waits' | 'run.finished' | 'needs.attention'>;
    /**
     * Whether mail and push say which action an approval is about. They never have text of others.
     */
    summaries?: boolean;
};
export type PushSubscription = {
    endpoint: string;
    keys: {
        p256dh: string;
        auth: string;
    };
};
export type TokenRequest = {
    /**
     * What the user knows it by.
     */
    name: string;
    /**
     * `*`, `mail.*` or `calendar.list`.
     */
    actions: Array<string>;
    /**
     * `read`: only actions that change nothing.
     */
    access?: 'read' | 'write';
    /**
     * Ids of accounts; absent: all, also later ones.
     */
    accounts?: Array<string>;
    /**
     * 1 to 366; 90 by default.
     */
    expires_in_days?: number;
};
export type ActionInput = {
    [key: string]: unknown;
};
export type Decision = {
    approved: boolean | 'true' | 'false';
    /**
     * The arguments that the user puts in place of those shown.
     */
    input?: {
        [key: string]: unknown;
    };
    /**
     * From the page’s form: `input` as JSON.
     */
    input_json?: string;
    /**
     * Days for which calls like this one are allowed in advance, 1 to 30.
     */
    remember_for?: number;
    /**
     * Of the question: another one than the one shown is not decided. Required with a session.
     */
    shown?: string;
    /**
     * From the page’s form.
     */
    csrf?: string;
    /**
     * From the page’s form: `input` as fields, each `field.` and the argument’s name.
     */
    changed?: 'yes';
    [key: string]: unknown;
};
export type ReadOnlyRequest = {
    account_id: string;
    /**
     * Id in `GET /clients`; absent: it holds for every caller.
     */
    client_id?: string;
};
export type ThreadTitle = {
    title: string;
};
export type NewAutomation = {
    /**
     * What the user knows it by.
     */
    name: string;
    trigger: AutomationTrigger;
    does: AutomationDoes;
    /**
     * What its runs may do: `*`, `mail.*` or `calendar.list`.
     */
    actions?: Array<string>;
    /**
     * Ids of the accounts that its runs may use; null: all, also later ones.
     */
    accounts?: Array<string> | null;
    /**
     * What a run does where a call needs the user’s approval: wait for it, leave the call out, or write a mail as a draft.
     */
    when_asked?: 'wait' | 'skip' | 'draft';
    state?: 'active' | 'paused';
    budget?: {
        /**
         * Of the assistant, in one run.
         */
        steps?: number;
        /**
         * Of the model, in one run.
         */
        tokens?: number;
        /**
         * Of one run, in the currency of the operator’s prices; null: no bound of its own.
         */
        cost?: number | null;
        runs_per_hour?: number;
        runs_per_day?: number;
    };
};
export type AutomationTrigger = {
    type: 'schedule';
    /**
     * The minute: `00:15` is a quarter past each hour.
     */
    at: string;
    /**
     * An IANA time zone, such as `Europe/Berlin`.
     */
    time_zone: string;
    every: 'hour';
} | {
    type: 'schedule';
    /**
     * As clocks in the time zone show it: `08:00`.
     */
    at: string;
    /**
     * An IANA time zone, such as `Europe/Berlin`.
     */
    time_zone: string;
    every: 'day';
} | {
    type: 'schedule';
    /**
     * As clocks in the time zone show it: `08:00`.
     */
    at: string;
    /**
     * An IANA time zone, such as `Europe/Berlin`.
     */
    time_zone: string;
    /**
     * Monday to Friday.
     */
    every: 'weekday';
} | {
    type: 'schedule';
    /**
     * As clocks in the time zone show it: `08:00`.
     */
    at: string;
    /**
     * An IANA time zone, such as `Europe/Berlin`.
     */
    time_zone: string;
    every: 'week';
    on: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';
} | {
    type: 'schedule';
    /**
     * As clocks in the time zone show it: `08:00`.
     */
    at: string;
    /**
     * An IANA time zone, such as `Europe/Berlin`.
     */
    time_zone: string;
    every: 'month';
    /**
     * The day. In a month that has fewer, the last one.
     */
    on: number;
} | {
    type: 'event';
    /**
     * Whose events.
     */
    account: string;
    event: 'mail.received';
    filter?: {
        /**
         * An address, or all of a domain: `@example.com`.
         */
        from?: string;
        to?: string;
        /**
         * Words that the subject has, in any case.
         */
        subject?: string;
        has_attachment?: boolean;
    };
} | {
    type: 'event';
    /**
     * Whose events.
     */
    account: string;
    event: 'calendar.changed';
    filter?: {
        /**
         * Words that the title has, in any case.
         */
        title?: string;
    };
} | {
    type: 'event';
    /**
     * Whose events.
     */
    account: string;
    event: 'calendar.starting';
    minutes_before: number;
    filter?: {
        /**
         * Words that the title has, in any case.
         */
        title?: string;
    };
} | {
    type: 'event';
    /**
     * Whose events.
     */
    account: string;
    event: 'drive.changed';
    filter?: {
        /**
         * Words that the name has, in any case.
         */
        name?: string;
        /**
         * The id of the folder that it is in.
         */
        folder?: string;
    };
} | {
    type: 'event';
    /**
     * Whose events.
     */
    account: string;
    event: 'bank.transaction';
    filter?: {
        /**
         * In the currency of the bank’s account.
         */
        amount_over?: number;
        /**
         * `out`: money that leaves the account.
         */
        direction?: 'out' | 'in' | 'any';
        /**
         * Words that the merchant’s name has, in any case.
         */
        merchant?: string;
        /**
         * Words that the category’s name has, in any case.
         */
        category?: string;
    };
} | {
    type: 'event';
    /**
     * Whose status; null: of any account.
     */
    account?: string | null;
    event: 'account.status';
};
export type AutomationDoes = {
    type: 'prompt';
    /**
     * What the assistant is asked each time.
     */
    prompt: string;
} | {
    type: 'action';
    action: string;
    /**
     * Null: the default account of the action’s provider.
     */
    account?: string | null;
    /**
     * Its arguments. Nothing of what happened is put into them.
     */
    input: {
        [key: string]: unknown;
    };
} | {
    /**
     * The user is told, and nothing else is done.
     */
    type: 'notify';
};
export type AutomationPatch = {
    /**
     * What the user knows it by.
     */
    name?: string;
    trigger?: AutomationTrigger;
    does?: AutomationDoes;
    /**
     * What its runs may do: `*`, `mail.*` or `calendar.list`.
     */
    actions?: Array<string>;
    /**
     * Ids of the accounts that its runs may use; null: all, also later ones.
     */
    accounts?: Array<string> | null;
    /**
     * What a run does where a call needs the user’s approval: wait for it, leave the call out, or write a mail as a draft.
     */
    when_asked?: 'wait' | 'skip' | 'draft';
    state?: 'active' | 'paused';
    budget?: {
        /**
         * Of the assistant, in one run.
         */
        steps?: number;
        /**
         * Of the model, in one run.
         */
        tokens?: number;
        /**
         * Of one run, in the currency of the operator’s prices; null: no bound of its own.
         */
        cost?: number | null;
        runs_per_hour?: number;
        runs_per_day?: number;
    };
};
export type SessionForm = {
    id_token?: string;
    /**
     * As the page received it.
     */
    state?: string;
    /**
     * As the page received it, or another page of the service.
     */
    return_to?: string;
};
export type WaitlistResult = {
    status: 'success' | 'error';
    message?: string;
};
export type ReloadResult = {
    status: 'success';
};
export type IntegrationStatus = {
    workspace: ProviderStatus;
    bank: ProviderStatus;
    /**
     * Of each source of the integrations file, by its name.
     */
    sources: {
        [key: string]: SourceStatus;
    };
};
export type ProviderStatus = {
    connected: boolean;
    needs_attention: number;
};
export type SourceStatus = {
    connected: boolean;
    needs_attention: number;
    label: string;
};
export type WorkspaceAccess = {
    status: 'success';
    login_url: string;
    expires_at: string;
};
export type WorkspaceAccountList = {
    accounts: Array<WorkspaceAccount>;
};
export type WorkspaceAccount = {
    id: string;
    email: string;
    name: string;
    picture: string;
    default: boolean;
    status: 'active' | 'reauth_required';
    missing_scopes: Array<WorkspaceScope>;
};
export type WorkspaceScope = 'userinfo.email' | 'userinfo.profile' | 'calendar.events.owned' | 'mail.send' | 'mail.modify' | 'documents' | 'docs' | 'drive' | 'spreadsheets.readonly' | 'presentations.readonly';
export type Success = {
    success: true;
};
export type SourceConnect = {
    login_url: string;
    expires_at: string;
};
export type SourceAccountList = {
    accounts: Array<SourceAccount>;
    sources: Array<Source>;
};
export type SourceAccount = {
    id: string;
    /**
     * Its name in the integrations file.
     */
    source: string;
    label: string;
    /**
     * Of the server that it is connected to.
     */
    host: string;
    /**
     * Of its source.
     */
    default: boolean;
    status: 'active' | 'reauth_required';
    connected_at: string;
    /**
     * When the server’s tools were read last; null: not yet.
     */
    listed_at: string | null;
    /**
     * Code of the error with which they were read last; null: they could be read. It is tried again.
     */
    list_error: string | null;
    /**
     * Permissions that the server asked for in refusing something: connect it again to give them.
     */
    missing_scopes: Array<string>;
    tools: {
        allowed: number;
        /**
         * New or changed: they are not called until the user decides.
         */
        held: number;
        blocked: number;
        /**
         * The server does not list them, or has not been read yet.
         */
        gone: number;
    };
};
export type Source = {
    name: string;
    label: string;
    host: string;
    /**
     * How one connects: a sign-in there, a key that the user enters, or neither.
     */
    auth: 'oauth' | 'header' | 'none';
    /**
     * `operator`: the operator of this service answers for it.
     */
    trust: 'third_party' | 'operator';
};
export type SourceToolList = {
    tools: Array<SourceTool>;
};
export type SourceTool = {
    /**
     * Its name at the server.
     */
    tool: string;
    /**
     * `held`: new, or defined differently than was approved. Only an allowed tool is called.
     */
    state: 'allowed' | 'held' | 'blocked' | 'gone';
    /**
     * `operator`: by its hash in the integrations file; users don’t decide.
     */
    pinned_by: 'operator' | 'user';
    /**
     * Of the listed definition, which a decision names; of a tool that is gone, of the approved one.
     */
    hash?: string;
    /**
     * Of a tool that is gone: why the server’s definition of it can’t be used; absent: it isn’t listed.
     */
    problem?: string;
    /**
     * As the server defines it (MCP, `Tool`): name, title, description, inputSchema, outputSchema, annotations, _meta.
     */
    approved?: {
        [key: string]: unknown;
    };
    /**
     * As the server defines it (MCP, `Tool`): name, title, description, inputSchema, outputSchema, annotations, _meta.
     */
    listed?: {
        [key: string]: unknown;
    };
    /**
     * Fields in which the two differ.
     */
    changed: Array<string>;
};
export type ClientDocument = {
    client_id: string;
    client_name: string;
    client_uri: string;
    redirect_uris: Array<string>;
    grant_types: Array<string>;
    response_types: Array<string>;
    token_endpoint_auth_method: string;
};
export type LinkToken = {
    link_token: string;
    expiration: string;
    request_id: string;
    link_url?: string;
};
export type BankLinkResult = {
    success: true;
    /**
     * Ids of entries of the same bank that were kept although they may share an account with the new one.
     */
    also_linked?: Array<string>;
};
export type BankAccountList = {
    accounts: Array<BankAccount>;
};
export type BankAccount = {
    id: string;
    bank_name: string;
    mask: Array<{
        name: string;
        mask: string;
    }>;
    status: 'active' | 'relink_required' | 'item_gone';
    /**
     * Access ends soon unless the user completes update mode.
     */
    warning?: 'pending_disconnect' | 'pending_expiration';
    /**
     * When access ends, if that is known.
     */
    expires_at?: string;
    /**
     * The bank has further accounts that the user can share in update mode.
     */
    new_accounts?: true;
};
export type Preferences = {
    time_zone: string | null;
    language: string | null;
    name: string | null;
    quiet_hours: QuietHours | null;
};
export type AuditPage = {
    entries: Array<AuditEntry>;
    /**
     * Where the next page begins; null on the last page.
     */
    next_cursor: string | null;
};
export type AuditEntry = {
    at: string;
    /**
     * The same for all rows of one call: requested, decided, started and ended.
     */
    call_id: string;
    /**
     * Where the call came from.
     */
    surface: string;
    /**
     * Where the user approved or denied the call; null if no decision was required or none was made yet.
     */
    decided_surface: string | null;
    /**
     * The personal access token that made the call, that was created or revoked, or for which the account was set to read-only; null: the user’s own front end.
     */
    client_id: string | null;
    /**
     * Of tool_allowed and tool_blocked: the source, `/`, and the tool’s name there.
     */
    action: string;
    account_id: string | null;
    /**
     * started (a change, before it is sent), allowed, refused, approval_required, edited (the user changed the arguments), approved, denied, allowance_created (with an approval), allowance_used (instead of allowed), allowance_revoked, read_only_set, read_only_lifted, token_created, token_revoked, client_connected or client_revoked (an OAuth client), tool_allowed or tool_blocked (a tool of a source)
     */
    decision: string;
    /**
     * ok, or the code of the error
     */
    outcome: string;
    milliseconds: number;
    /**
     * Number of calls in this row: more than 1 if too many were rejected within a minute to record each.
     */
    count: number;
    /**
     * Of tool_allowed and tool_blocked: of the tool’s definition that the user decided on; null: of other rows.
     */
    definition_hash: string | null;
};
export type UserExport = {
    format: 'steward.user-export';
    version: 1;
    exported_at: string;
    /**
     * Tables of which only the newest rows or contents are included.
     */
    truncated: Array<string>;
    /**
     * What is stored but left out, and why.
     */
    withheld: Array<string>;
    user: {
        id: string;
        issuer: string;
        subject: string;
        email: string | null;
        time_zone: string | null;
        language: string | null;
        /**
         * What the user is called.
         */
        name: string | null;
        /**
         * From when on nothing is told that can wait.
         */
        quiet_from: string | null;
        quiet_to: string | null;
        created_at: string;
        event_seq: number;
    };
    /**
     * Entry of the verified address.
     */
    waitlist: {
        email: string;
        created_at: string;
    } | null;
    /**
     * The last time a user with this identity was deleted; kept for 30 days.
     */
    deleted_before: {
        deleted_at: string;
        user_id: string;
    } | null;
    user_keys: Array<{
        id: string;
        master_key_id: string;
        rewrapped: boolean;
        created_at: string;
    }>;
    former_user_keys: Array<{
        id: string;
        master_key_id: string;
        replaced_at: string;
    }>;
    grants: Array<{
        id: string;
        provider: string;
        subject: string;
        scopes: Array<string>;
        status: string;
        version: number;
        expires_at: string | null;
        lease_until: string | null;
        refresh_failures: number;
        refresh_after: string | null;
        created_at: string;
        updated_at: string;
    }>;
    workspace_accounts: Array<{
        id: string;
        grant_id: string;
        email: string;
        name: string;
        picture: string;
        is_default: boolean;
        connected_at: string;
    }>;
    bank_items: Array<{
        id: string;
        grant_id: string;
        institution_id: string | null;
        bank_name: string;
        accounts: unknown;
        connected_at: string;
        sync_state: unknown;
        warning: string | null;
        expires_at: string | null;
        new_accounts: boolean;
        update_mode_at: string | null;
        checks: number;
        check_after: string;
    }>;
    bank_webhooks: Array<{
        id: string;
        grant_id: string;
        item_id: string;
        event: string;
        details: unknown;
        received_at: string;
        queued_at: string | null;
        handled_at: string | null;
    }>;
    source_accounts: Array<{
        id: string;
        grant_id: string;
        source: string;
        url: string;
        label: string;
        is_default: boolean;
        connected_at: string;
        tools_version: number;
        listed_at: string | null;
        list_after: string;
        list_failures: number;
        list_error: string | null;
        wanted_scopes: Array<string>;
        used_at: string;
    }>;
    /**
     * Tools of the connected MCP servers.
     */
    source_tools: Array<{
        account_id: string;
        tool: string;
        /**
         * The definition that may be called.
         */
        approved: unknown | null;
        approved_hash: string | null;
        /**
         * The definition that the server listed last.
         */
        listed: unknown | null;
        listed_hash: string | null;
        problem: string | null;
        is_blocked: boolean;
        changed_at: string;
    }>;
    browser_bindings: Array<{
        expires_at: string;
    }>;
    oauth_flows: Array<{
        id: string;
        source: string | null;
        account_id: string | null;
        email: string | null;
        redirect_uri: string;
        created_at: string;
        ticket_expires_at: string | null;
        opened_at: string | null;
        expires_at: string;
        consumed_at: string | null;
        outcome: unknown;
        finished_at: string | null;
        pending_subject: string | null;
        confirmation_expires_at: string | null;
    }>;
    /**
     * Disconnected accounts whose tokens could not be revoked yet.
     */
    ended_grants: Array<{
        id: string;
        grant_id: string;
        provider: string;
        subject: string;
        ended_at: string;
        try_after: string;
    }>;
    /**
     * Browsers that are signed in at the service’s own pages, without their secrets.
     */
    web_sessions: Array<{
        auth_time: string | null;
        created_at: string;
        expires_at: string;
    }>;
    /**
     * Personal access tokens and connected OAuth clients, without the tokens.
     */
    client_grants: Array<{
        id: string;
        kind: string;
        name: string;
        last_four: string | null;
        oauth_client_id: string | null;
        redirect_host: string | null;
        actions: Array<string>;
        access: string;
        account_ids: Array<string> | null;
        except_account_ids: Array<string>;
        created_at: string;
        expires_at: string;
        last_used_at: string | null;
        last_action: string | null;
        revoked_at: string | null;
    }>;
    approvals: Array<{
        id: string;
        account_id: string;
        action: string;
        idempotency_key: string | null;
        revision: string;
        /**
         * Where the call came from.
         */
        surface: string;
        client_id: string | null;
        /**
         * The conversation whose assistant asked.
         */
        thread_id: string | null;
        status: string;
        created_at: string;
        expires_at: string;
        decided_at: string | null;
        /**
         * The user changed the arguments.
         */
        edited: boolean;
        end_reason: string | null;
        /**
         * A run of an automation asked.
         */
        parked: boolean;
        outcome_until: string | null;
        repeats_until: string | null;
        /**
         * The result or the error of the approved call, for an hour; of a run of an automation, for a day.
         */
        outcome: unknown;
        /**
         * The request while it waits for a decision: account, summary and arguments.
         */
        arguments: unknown;
    }>;
    /**
     * Calls that the user has allowed in advance.
     */
    allowances: Array<{
        id: string;
        account_id: string;
        grant_id: string;
        subject: string;
        action: string;
        revision: string;
        /**
         * `user`, `assistant` or `client`.
         */
        asker: string;
        client_id: string | null;
        /**
         * The recipients, or the folder with its readers; the arguments.
         */
        covered: unknown;
        created_at: string;
        expires_at: string;
    }>;
    /**
     * Accounts on which the user permits no changes: to anything, or to one client.
     */
    read_only_accounts: Array<{
        id: string;
        account_id: string;
        grant_id: string;
        client_id: string | null;
        since: string;
    }>;
    idempotency_keys: Array<{
        /**
         * Who called: `user`, `client:` or `thread:` with its id.
         */
        asker: string;
        account_id: string | null;
        action: string;
        key: string;
        call_id: string;
        status: string;
        running_until: string;
        created_at: string;
        /**
         * The result of the call.
         */
        answer: unknown;
    }>;
    /**
     * Until when text of others, and a bank’s data, counts as read: by the user’s own front ends (`user`), by one client, or in one conversation (`infinity`).
     */
    contexts: Array<{
        name: string;
        tainted_until: string | 'infinity';
        financial_until: string | 'infinity' | null;
    }>;
    /**
     * Until when the data of an account counts as read, as in contexts.
     */
    context_origins: Array<{
        name: string;
        account_id: string;
        until: string | 'infinity';
    }>;
    events: Array<{
        seq: number;
        event: string;
        data: unknown;
        client_id: string | null;
        created_at: string;
    }>;
    /**
     * Conversations with the assistant.
     */
    threads: Array<{
        id: string;
        title: string | null;
        /**
         * What a model is told in place of the messages up to a position: text and position.
         */
        summary: unknown;
        created_at: string;
        updated_at: string;
        /**
         * The automation whose run it is.
         */
        automation_id: string | null;
    }>;
    /**
     * What runs of automations may do in their conversations.
     */
    thread_grants: Array<{
        thread_id: string;
        actions: Array<string>;
        account_ids: Array<string> | null;
        /**
         * `wait`, `skip` or `draft`.
         */
        when_asked: string;
    }>;
    messages: Array<{
        thread_id: string;
        id: string;
        position: number;
        role: string;
        /**
         * Parts and metadata.
         */
        content: unknown;
        created_at: string;
    }>;
    /**
     * Answers of a model; kept for 40 days.
     */
    runs: Array<{
        id: string;
        thread_id: string;
        message_id: string;
        model: string;
        status: string;
        error: string | null;
        cancel_requested: boolean;
        lease_until: string;
        steps: number;
        input_tokens: number;
        output_tokens: number;
        cost: number;
        started_at: string;
        ended_at: string | null;
    }>;
    /**
     * What runs without the user.
     */
    automations: Array<{
        id: string;
        state: string;
        paused_by: string | null;
        kind: string;
        account_id: string | null;
        named_accounts: Array<string>;
        /**
         * Name, trigger, what it does and what it may do.
         */
        definition: unknown;
        due_at: string | null;
        planning_until: string | null;
        revision: number;
        failures: number;
        created_at: string;
        updated_at: string;
        watched_since: string | null;
    }>;
    /**
     * Runs of automations; kept for 30 days.
     */
    automation_runs: Array<{
        id: string;
        automation_id: string;
        /**
         * The planned time, or what happened.
         */
        occurrence: string;
        status: string;
        /**
         * Its conversation.
         */
        thread_id: string | null;
        /**
         * Ids of what happened.
         */
        event: unknown | null;
        /**
         * Text of others started it.
         */
        is_tainted: boolean;
        /**
         * Data of a bank started it.
         */
        is_financial: boolean;
        planned_at: string;
        /**
         * It stands for times that were missed.
         */
        late: boolean;
        act_at: string | null;
        attempts: number;
        started_at: string | null;
        ended_at: string | null;
        error: string | null;
    }>;
    /**
     * Where the user is told something.
     */
    notification_channels: Array<{
        id: string;
        type: string;
        /**
         * An address, a push subscription, or a webhook with its secret.
         */
        destination: unknown;
        kinds: Array<string>;
        summaries: boolean;
        state: string;
        error: string | null;
        failures: number;
        confirmation_until: string | null;
        confirmed_at: string | null;
        last_sent_at: string | null;
        due_at: string | null;
        held_until: string | null;
        created_at: string;
    }>;
    /**
     * What was told, or waits to be; kept for 7 days.
     */
    notification_deliveries: Array<{
        id: string;
        channel_id: string;
        key: string;
        kind: string;
        type: string;
        data: unknown;
        automation_id: string | null;
        /**
         * Of the page about it.
         */
        path: string;
        happened_at: string;
        /**
         * It isn’t told after this time.
         */
        until: string | null;
        message_id: string | null;
        outcome: string | null;
        ended_at: string | null;
    }>;
    /**
     * Accounts that are read for what starts automations, and how far.
     */
    watches: Array<{
        account_id: string;
        grant_id: string;
        kind: string;
        position: unknown | null;
        revision: number;
        look_after: string;
        looked_at: string | null;
        failures: number;
        error: string | null;
    }>;
    /**
     * The newest rows; `next_cursor` continues at GET /user/audit.
     */
    audit_log: AuditPage;
};
export type NotificationChannels = {
    channels: Array<NotificationChannel>;
    /**
     * Types that this server can send to.
     */
    types: Array<'mail' | 'push' | 'webhook'>;
    /**
     * `applicationServerKey` for a push subscription, base64url.
     */
    push_key: string;
};
export type NotificationChannel = {
    id: string;
    type: 'mail' | 'push' | 'webhook';
    /**
     * The mail address, the host of the webhook, or what the browser is called.
     */
    label: string;
    kinds: Array<'approval.waits' | 'run.finished' | 'needs.attention'>;
    summaries: boolean;
    /**
     * False: a mail address whose link was not confirmed yet. Nothing else is sent there.
     */
    confirmed: boolean;
    /**
     * `off`: sending failed for good. Remove it, and add it again.
     */
    state: 'active' | 'off';
    /**
     * Why the last message was not taken; null: it was.
     */
    error: 'unreachable' | 'timed_out' | 'forbidden_address' | 'rejected' | 'gone' | null;
    created_at: string;
    last_sent_at: string | null;
};
export type NewNotificationChannel = {
    id: string;
    type: 'mail' | 'push' | 'webhook';
    /**
     * The mail address, the host of the webhook, or what the browser is called.
     */
    label: string;
    kinds: Array<'approval.waits' | 'run.finished' | 'needs.attention'>;
    summaries: boolean;
    /**
     * False: a mail address whose link was not confirmed yet. Nothing else is sent there.
     */
    confirmed: boolean;
    /**
     * `off`: sending failed for good. Remove it, and add it again.
     */
    state: 'active' | 'off';
    /**
     * Why the last message was not taken; null: it was.
     */
    error: 'unreachable' | 'timed_out' | 'forbidden_address' | 'rejected' | 'gone' | null;
    created_at: string;
    last_sent_at: string | null;
    /**
     * `whsec_…`, of a webhook: it verifies the signatures.
     */
    secret?: string;
};
export type ClientTokens = {
    tokens: Array<ClientToken>;
};
export type ClientToken = {
    id: string;
    name: string;
    actions: Array<string>;
    access: 'read' | 'write';
    /**
     * null: all accounts, also later ones.
     */
    accounts: Array<string> | null;
    /**
     * Where `accounts` is null: those that it may not use.
     */
    except_accounts: Array<string>;
    created_at: string;
    expires_at: string;
    /**
     * To the minute.
     */
    last_used_at: string | null;
    revoked_at: string | null;
    /**
     * The last characters of the token.
     */
    last_four: string;
};
export type NewClientToken = {
    id: string;
    name: string;
    actions: Array<string>;
    access: 'read' | 'write';
    /**
     * null: all accounts, also later ones.
     */
    accounts: Array<string> | null;
    /**
     * Where `accounts` is null: those that it may not use.
     */
    except_accounts: Array<string>;
    created_at: string;
    expires_at: string;
    /**
     * To the minute.
     */
    last_used_at: string | null;
    revoked_at: string | null;
    /**
     * The last characters of the token.
     */
    last_four: string;
    /**
     * `stw_pat_…`
     */
    token: string;
};
export type Clients = {
    clients: Array<Client>;
};
export type Client = {
    id: string;
    /**
     * Of a token; of an OAuth client: what it calls itself.
     */
    name: string;
    actions: Array<string>;
    access: 'read' | 'write';
    /**
     * null: all accounts, also later ones.
     */
    accounts: Array<string> | null;
    /**
     * Where `accounts` is null: those that it may not use.
     */
    except_accounts: Array<string>;
    created_at: string;
    expires_at: string;
    /**
     * To the minute.
     */
    last_used_at: string | null;
    revoked_at: string | null;
    kind: 'personal_access_token' | 'oauth';
    /**
     * Of an OAuth client whose id is an https URL: the host of that URL, which has confirmed where its redirects may go. In development without a way to the internet, a client on the same machine has gone on unconfirmed.
     */
    host: string | null;
    /**
     * Of an OAuth client: the host to which its redirects go.
     */
    redirect_host: string | null;
    /**
     * Of an OAuth client: where it is from, as far as that is known, in sentences for its user.
     */
    about: string | null;
    /**
     * Of a personal access token: its last characters.
     */
    last_four: string | null;
    /**
     * The action that it called last.
     */
    last_action: string | null;
};
export type CallResult = {
    data: unknown;
    meta: {
        [key: string]: unknown;
    };
};
export type Tools = {
    tools: Array<{
        [key: string]: unknown;
    }>;
};
export type Approvals = {
    approvals: Array<Approval>;
};
export type Approval = {
    id: string;
    action: string;
    /**
     * The account’s label; empty: the action uses none.
     */
    account: string;
    /**
     * Of an action that uses no account: the user’s own id.
     */
    account_id: string;
    /**
     * One line: what will happen.
     */
    summary: string;
    /**
     * Who else sees the effect.
     */
    audience: Array<{
        kind: 'person' | 'group' | 'domain' | 'service' | 'anyone' | 'unknown';
        address?: string;
        domain?: string;
        /**
         * Of a `service`, another people’s server that receives the arguments.
         */
        host?: string;
        /**
         * Of a `service`.
         */
        name?: string;
        /**
         * How the user knows the person; absent: it could not be read.
         */
        relation?: 'own' | 'written_to' | 'new';
        /**
         * The user typed the address in the conversation whose assistant asks.
         */
        named?: true;
    }>;
    /**
     * What deserves attention.
     */
    notices: Array<string>;
    /**
     * What others wrote and was read before.
     */
    provenance: Array<{
        action: string;
        author?: string;
        name?: string;
        time?: string;
    }>;
    /**
     * Parts of the arguments that repeat what others wrote: `field` is the path of the argument; `thing`: the name of what the arguments name by an id.
     */
    matches: Array<{
        action: string;
        author?: string;
        name?: string;
        time?: string;
        field: string;
        text: string;
        from: number;
        to: number;
    }>;
    display: Display;
    /**
     * The arguments.
     */
    input: unknown;
    /**
     * The page where the user decides.
     */
    url: string;
    /**
     * Of all of this, to send with the decision: another question is not decided.
     */
    shown: string;
    expires_at: string;
    /**
     * The client that asked; absent: the user’s own front end.
     */
    client?: {
        id: string;
        /**
         * Of a token; of an OAuth client: what it calls itself.
         */
        name: string;
        kind: 'personal_access_token' | 'oauth';
        /**
         * Of an OAuth client whose id is an https URL: the host of that URL, which has confirmed where its redirects may go. In development without a way to the internet, a client on the same machine has gone on unconfirmed.
         */
        host: string | null;
        /**
         * Of an OAuth client: the host to which its redirects go.
         */
        redirect_host: string | null;
        /**
         * Of an OAuth client: where it is from, as far as that is known, in sentences for its user.
         */
        about: string | null;
    };
    /**
     * The conversation whose assistant asked.
     */
    thread?: string;
    /**
     * The automation of which a run asked; absent: the user was there.
     */
    automation?: {
        id: string;
        name?: string;
        asked_at: string;
    };
};
/**
 * The question as people read it.
 */
export type Display = {
    /**
     * Verb and object: “Send a mail”.
     */
    title: string;
    /**
     * Who sees it, those first who deserve attention; empty: only the user.
     */
    viewers: Array<{
        kind: 'person' | 'group' | 'domain' | 'service' | 'anyone' | 'unknown';
        address?: string;
        name?: string;
        /**
         * How the user knows them, in words.
         */
        relation: string;
        tone: 'new' | 'unknown' | 'known' | 'own';
    }>;
    /**
     * Number of viewers that are left out.
     */
    more: number;
    /**
     * The mail, event, share or change in words; empty fields are left out.
     */
    fields: Array<{
        /**
         * The argument that it shows, or a name of its own.
         */
        name: string;
        label: string;
        kind: 'text' | 'block' | 'choice';
        text: string;
        /**
         * Parts that repeat what others wrote: from and to, in UTF-16 units.
         */
        marks?: Array<[
            number,
            number
        ]>;
        /**
         * Characters that are left out at the end.
         */
        omitted?: number;
    } | {
        /**
         * The argument that it shows, or a name of its own.
         */
        name: string;
        label: string;
        kind: 'when';
        text: string;
        /**
         * The same in the user’s zone.
         */
        local?: string;
    } | {
        /**
         * The argument that it shows, or a name of its own.
         */
        name: string;
        label: string;
        kind: 'people';
        people: Array<{
            address: string;
            name?: string;
            marked?: true;
        }>;
        /**
         * Number of entries that are left out.
         */
        more?: number;
    } | {
        /**
         * The argument that it shows, or a name of its own.
         */
        name: string;
        label: string;
        kind: 'file';
        files: Array<{
            name: string;
            link?: string;
            note?: string;
        }>;
        /**
         * Number of entries that are left out.
         */
        more?: number;
    } | {
        /**
         * The argument that it shows, or a name of its own.
         */
        name: string;
        label: string;
        kind: 'list';
        items: Array<{
            text: string;
            /**
             * Parts that repeat what others wrote: from and to, in UTF-16 units.
             */
            marks?: Array<[
                number,
                number
            ]>;
            /**
             * Characters that are left out at the end.
             */
            omitted?: number;
        }>;
        /**
         * Number of entries that are left out.
         */
        more?: number;
    } | {
        /**
         * The argument that it shows, or a name of its own.
         */
        name: string;
        label: string;
        kind: 'change';
        before?: {
            text: string;
            /**
             * Parts that repeat what others wrote: from and to, in UTF-16 units.
             */
            marks?: Array<[
                number,
                number
            ]>;
            /**
             * Characters that are left out at the end.
             */
            omitted?: number;
        };
        after?: {
            text: string;
            /**
             * Parts that repeat what others wrote: from and to, in UTF-16 units.
             */
            marks?: Array<[
                number,
                number
            ]>;
            /**
             * Characters that are left out at the end.
             */
            omitted?: number;
        };
    }>;
    /**
     * One line on what deserves attention.
     */
    risk: {
        text: string;
        level: 'warning' | 'notice';
    } | null;
    /**
     * What the line is about.
     */
    evidence: {
        notices: Array<string>;
        matches: Array<{
            action: string;
            author?: string;
            name?: string;
            time?: string;
            field: string;
            text: string;
            from: number;
            to: number;
        }>;
        provenance: Array<{
            action: string;
            author?: string;
            name?: string;
            time?: string;
        }>;
    };
    /**
     * Text of others is repeated, or someone is not known to the user: offer “Deny” first.
     */
    caution: boolean;
};
export type ApprovalWithForm = {
    id: string;
    action: string;
    /**
     * The account’s label; empty: the action uses none.
     */
    account: string;
    /**
     * Of an action that uses no account: the user’s own id.
     */
    account_id: string;
    /**
     * One line: what will happen.
     */
    summary: string;
    /**
     * Who else sees the effect.
     */
    audience: Array<{
        kind: 'person' | 'group' | 'domain' | 'service' | 'anyone' | 'unknown';
        address?: string;
        domain?: string;
        /**
         * Of a `service`, another people’s server that receives the arguments.
         */
        host?: string;
        /**
         * Of a `service`.
         */
        name?: string;
        /**
         * How the user knows the person; absent: it could not be read.
         */
        relation?: 'own' | 'written_to' | 'new';
        /**
         * The user typed the address in the conversation whose assistant asks.
         */
        named?: true;
    }>;
    /**
     * What deserves attention.
     */
    notices: Array<string>;
    /**
     * What others wrote and was read before.
     */
    provenance: Array<{
        action: string;
        author?: string;
        name?: string;
        time?: string;
    }>;
    /**
     * Parts of the arguments that repeat what others wrote: `field` is the path of the argument; `thing`: the name of what the arguments name by an id.
     */
    matches: Array<{
        action: string;
        author?: string;
        name?: string;
        time?: string;
        field: string;
        text: string;
        from: number;
        to: number;
    }>;
    display: Display;
    /**
     * The arguments.
     */
    input: unknown;
    /**
     * The page where the user decides.
     */
    url: string;
    /**
     * Of all of this, to send with the decision: another question is not decided.
     */
    shown: string;
    expires_at: string;
    /**
     * The client that asked; absent: the user’s own front end.
     */
    client?: {
        id: string;
        /**
         * Of a token; of an OAuth client: what it calls itself.
         */
        name: string;
        kind: 'personal_access_token' | 'oauth';
        /**
         * Of an OAuth client whose id is an https URL: the host of that URL, which has confirmed where its redirects may go. In development without a way to the internet, a client on the same machine has gone on unconfirmed.
         */
        host: string | null;
        /**
         * Of an OAuth client: the host to which its redirects go.
         */
        redirect_host: string | null;
        /**
         * Of an OAuth client: where it is from, as far as that is known, in sentences for its user.
         */
        about: string | null;
    };
    /**
     * The conversation whose assistant asked.
     */
    thread?: string;
    /**
     * The automation of which a run asked; absent: the user was there.
     */
    automation?: {
        id: string;
        name?: string;
        asked_at: string;
    };
    /**
     * Fields to change the arguments in; arguments without one keep their values, or are changed as JSON.
     */
    form: Array<{
        /**
         * The argument.
         */
        path: string;
        label: string;
        control: 'text' | 'textarea' | 'email' | 'number' | 'date' | 'datetime' | 'checkbox' | 'select' | 'lines';
        options?: Array<string>;
        /**
         * As it is entered: of `lines`, an entry on each line.
         */
        value: string | boolean;
        required: boolean;
        hint?: string;
    }>;
};
export type ApprovalOutcome = {
    /**
     * `ended`: it can’t be decided any more, for another reason than its time.
     */
    status: 'pending' | 'denied' | 'expired' | 'ended' | 'running' | 'done' | 'failed';
    /**
     * The user changed the arguments before approving.
     */
    edited?: true;
    /**
     * If `done`.
     */
    result?: CallResult;
    /**
     * If `failed`.
     */
    error?: {
        code: string;
        message: string;
    };
};
export type Allowances = {
    allowances: Array<Allowance>;
};
export type Allowance = {
    id: string;
    action: string;
    account_id: string;
    /**
     * Who may see the calls; for a folder, who saw what is in it.
     */
    recipients: Array<{
        address: string;
        /**
         * How the user knew the person; absent: it could not be read.
         */
        relation?: 'own' | 'written_to' | 'new';
    }>;
    /**
     * Hosts of other people’s servers that may be told the arguments.
     */
    services: Array<string>;
    /**
     * Into which the calls may put something.
     */
    folder: {
        id: string;
        name: string;
    } | null;
    /**
     * The arguments that the calls have to give: these and no others, with these values.
     */
    arguments: Array<{
        /**
         * Its path: `notify`, `attachments.name`.
         */
        name: string;
        /**
         * Where it is yes or no, a number or one of a fixed list; absent: any text.
         */
        values?: Array<boolean | number | string>;
    }>;
    /**
     * Whose calls: those of the user’s own front ends, of the assistant in any conversation, or of one client.
     */
    asker: 'user' | 'assistant' | 'client';
    /**
     * That client.
     */
    client: {
        id: string;
        /**
         * Of a token; of an OAuth client: what it calls itself.
         */
        name: string;
        kind: 'personal_access_token' | 'oauth';
        /**
         * Of an OAuth client whose id is an https URL: the host of that URL, which has confirmed where its redirects may go. In development without a way to the internet, a client on the same machine has gone on unconfirmed.
         */
        host: string | null;
        /**
         * Of an OAuth client: the host to which its redirects go.
         */
        redirect_host: string | null;
        /**
         * Of an OAuth client: where it is from, as far as that is known, in sentences for its user.
         */
        about: string | null;
    } | null;
    created_at: string;
    expires_at: string;
};
export type ReadOnlyAccounts = {
    read_only: Array<ReadOnly>;
};
export type ReadOnly = {
    id: string;
    account_id: string;
    /**
     * The token or connected app for which it holds; null: for everything.
     */
    client_id: string | null;
    since: string;
};
export type Threads = {
    threads: Array<Thread>;
    /**
     * Where the next page begins; null on the last page.
     */
    next: string | null;
};
export type Thread = {
    /**
     * Chosen by the front end that began the conversation.
     */
    id: string;
    /**
     * One line of text, not markup.
     */
    title: string;
    created_at: string;
    /**
     * When a message was last added or changed.
     */
    updated_at: string;
    /**
     * Of the last run; null: there was none. `interrupted`: the process that ran it ended, and nothing is repeated.
     */
    status: 'running' | 'done' | 'awaiting_approval' | 'interrupted' | 'cancelled' | 'failed' | null;
};
export type ThreadMessages = {
    thread: Thread;
    messages: Array<Message>;
    /**
     * The last run.
     */
    run: Run | null;
};
export type Message = {
    id: string;
    role: 'user' | 'assistant';
    parts: Array<{
        [key: string]: unknown;
    }>;
    metadata?: unknown;
};
export type Run = {
    id: string;
    status: 'running' | 'done' | 'awaiting_approval' | 'interrupted' | 'cancelled' | 'failed';
    model: string;
    /**
     * Of the assistant’s message.
     */
    message_id: string;
    /**
     * The code of the error with which it failed.
     */
    error: string | null;
};
export type Automations = {
    automations: Array<Automation>;
};
export type Automation = {
    id: string;
    /**
     * What the user knows it by.
     */
    name: string;
    trigger: AutomationTriggerOutput;
    does: AutomationDoesOutput;
    /**
     * What its runs may do: `*`, `mail.*` or `calendar.list`.
     */
    actions: Array<string>;
    /**
     * Ids of the accounts that its runs may use; null: all, also later ones.
     */
    accounts: Array<string> | null;
    /**
     * What a run does where a call needs the user’s approval: wait for it, leave the call out, or write a mail as a draft.
     */
    when_asked: 'wait' | 'skip' | 'draft';
    state: 'active' | 'paused';
    budget: {
        /**
         * Of the assistant, in one run.
         */
        steps: number;
        /**
         * Of the model, in one run.
         */
        tokens: number;
        /**
         * Of one run, in the currency of the operator’s prices; null: no bound of its own.
         */
        cost: number | null;
        runs_per_hour: number;
        runs_per_day: number;
    };
    /**
     * `failures`: five runs in a row failed; `account`: an account that it names was disconnected. Null: it is active.
     */
    paused_by: 'user' | 'failures' | 'account' | null;
    /**
     * Of an active schedule.
     */
    next_run_at: string | null;
    /**
     * When the account was last read for what starts it.
     */
    last_looked_at: string | null;
    /**
     * The code of the error with which reading it last failed; null: it was read.
     */
    look_error: string | null;
    last_run: AutomationRun | null;
    /**
     * Runs in a row that failed.
     */
    failures: number;
    created_at: string;
    updated_at: string;
};
export type AutomationRun = {
    id: string;
    automation_id: string;
    /**
     * `waiting`: for the user’s approval.
     */
    status: 'due' | 'running' | 'waiting' | 'done' | 'failed' | 'skipped' | 'cancelled';
    planned_at: string;
    started_at: string | null;
    ended_at: string | null;
    /**
     * It began more than 12 hours after it was planned.
     */
    late: boolean;
    /**
     * Its conversation; null: it has none.
     */
    thread_id: string | null;
    /**
     * The code of the error with which it failed.
     */
    error: string | null;
};
export type AutomationRuns = {
    runs: Array<AutomationRun>;
    /**
     * Where the next page begins; null on the last page.
     */
    next: string | null;
};
export type Models = {
    models: Array<{
        /**
         * For `model` of `POST /chat`.
         */
        name: string;
        default: boolean;
        /**
         * The sandbox’s, which follows rules and is no language model.
         */
        stand_in: boolean;
    }>;
    budget: ModelBudget | null;
};
export type ModelBudget = {
    /**
     * It ends at midnight UTC.
     */
    day: string;
    runs: {
        used: number;
        /**
         * null: none.
         */
        limit: number | null;
    };
    steps: {
        used: number;
        /**
         * null: none.
         */
        limit: number | null;
    };
    tokens: {
        used: number;
        /**
         * null: none.
         */
        limit: number | null;
    };
    seconds: {
        used: number;
        /**
         * null: none.
         */
        limit: number | null;
    };
    /**
     * In the currency of the operator’s prices.
     */
    cost: {
        used: number;
        /**
         * null: none.
         */
        limit: number | null;
    };
};
export type ProtectedResource = {
    resource: string;
    resource_name: string;
    authorization_servers: Array<string>;
    scopes_supported: Array<string>;
    bearer_methods_supported: Array<string>;
};
export type SessionState = {
    /**
     * null: nobody is signed in.
     */
    session: {
        user: {
            /**
             * The user’s id, under which a page may keep something in the browser.
             */
            key: string;
            /**
             * To show.
             */
            label: string;
            /**
             * Verified; null: there is none.
             */
            email: string | null;
        };
        /**
         * For the header `x-csrf-token`, and the first frame of a WebSocket.
         */
        csrf_token: string;
        /**
         * `auth_time`; null: the issuer does not say.
         */
        signed_in_at: string | null;
        expires_at: string;
        /**
         * One of `OPERATORS`.
         */
        operator: boolean;
    } | null;
    sign_in: {
        /**
         * Where users sign in; null: the operator has not set it up.
         */
        url: string | null;
        /**
         * The sandbox’s users sign in without a password (development only).
         */
        sandbox: boolean;
        /**
         * An ID token may be pasted (development only).
         */
        token: boolean;
    };
};
export type OperatorStatus = {
    integrations: Array<{
        provider: string;
        configured: boolean;
        agents: Array<{
            name: string;
            /**
             * Those that are enabled.
             */
            actions: Array<string>;
        }>;
        /**
         * Of all users.
         */
        accounts: number;
        /**
         * Accounts that must be authorized again, now or soon.
         */
        needs_attention: number;
    }>;
    /**
     * The integrations file; with problems, an earlier version of it is in force.
     */
    file: {
        /**
         * Of the integrations in force.
         */
        revision: string;
        problems: Array<{
            line: number;
            column: number;
            path: string;
            message: string;
        }>;
        /**
         * Number of further problems.
         */
        more: number;
    };
    models: Array<{
        name: string;
        provider: string;
        model: string;
        default: boolean;
        stand_in: boolean;
        context_tokens: number;
        /**
         * null: no limit.
         */
        input_price: number | null;
        /**
         * null: no limit.
         */
        output_price: number | null;
    }>;
    /**
     * What one user’s answers may use within a day (UTC).
     */
    budget: {
        /**
         * null: no limit.
         */
        runs: number | null;
        /**
         * null: no limit.
         */
        steps: number | null;
        /**
         * null: no limit.
         */
        tokens: number | null;
        /**
         * null: no limit.
         */
        seconds: number | null;
        /**
         * null: no limit.
         */
        cost: number | null;
    };
    /**
     * By the names of their variables.
     */
    limits: {
        [key: string]: number;
    };
};
export type ServiceStatus = {
    status: 'success';
    service: 'steward';
    environment: 'production' | 'development';
    connections: number;
};
export type ProbeResult = {
    status: 'success';
};
export type AutomationTriggerOutput = {
    type: 'schedule';
    /**
     * The minute: `00:15` is a quarter past each hour.
     */
    at: string;
    /**
     * An IANA time zone, such as `Europe/Berlin`.
     */
    time_zone: string;
    every: 'hour';
} | {
    type: 'schedule';
    /**
     * As clocks in the time zone show it: `08:00`.
     */
    at: string;
    /**
     * An IANA time zone, such as `Europe/Berlin`.
     */
    time_zone: string;
    every: 'day';
} | {
    type: 'schedule';
    /**
     * As clocks in the time zone show it: `08:00`.
     */
    at: string;
    /**
     * An IANA time zone, such as `Europe/Berlin`.
     */
    time_zone: string;
    /**
     * Monday to Friday.
     */
    every: 'weekday';
} | {
    type: 'schedule';
    /**
     * As clocks in the time zone show it: `08:00`.
     */
    at: string;
    /**
     * An IANA time zone, such as `Europe/Berlin`.
     */
    time_zone: string;
    every: 'week';
    on: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';
} | {
    type: 'schedule';
    /**
     * As clocks in the time zone show it: `08:00`.
     */
    at: string;
    /**
     * An IANA time zone, such as `Europe/Berlin`.
     */
    time_zone: string;
    every: 'month';
    /**
     * The day. In a month that has fewer, the last one.
     */
    on: number;
} | {
    type: 'event';
    /**
     * Whose events.
     */
    account: string;
    event: 'mail.received';
    filter: {
        /**
         * An address, or all of a domain: `@example.com`.
         */
        from?: string;
        to?: string;
        /**
         * Words that the subject has, in any case.
         */
        subject?: string;
        has_attachment?: boolean;
    };
} | {
    type: 'event';
    /**
     * Whose events.
     */
    account: string;
    event: 'calendar.changed';
    filter: {
        /**
         * Words that the title has, in any case.
         */
        title?: string;
    };
} | {
    type: 'event';
    /**
     * Whose events.
     */
    account: string;
    event: 'calendar.starting';
    minutes_before: number;
    filter: {
        /**
         * Words that the title has, in any case.
         */
        title?: string;
    };
} | {
    type: 'event';
    /**
     * Whose events.
     */
    account: string;
    event: 'drive.changed';
    filter: {
        /**
         * Words that the name has, in any case.
         */
        name?: string;
        /**
         * The id of the folder that it is in.
         */
        folder?: string;
    };
} | {
    type: 'event';
    /**
     * Whose events.
     */
    account: string;
    event: 'bank.transaction';
    filter: {
        /**
         * In the currency of the bank’s account.
         */
        amount_over?: number;
        /**
         * `out`: money that leaves the account.
         */
        direction: 'out' | 'in' | 'any';
        /**
         * Words that the merchant’s name has, in any case.
         */
        merchant?: string;
        /**
         * Words that the category’s name has, in any case.
         */
        category?: string;
    };
} | {
    type: 'event';
    /**
     * Whose status; null: of any account.
     */
    account: string | null;
    event: 'account.status';
};
export type AutomationDoesOutput = {
    type: 'prompt';
    /**
     * What the assistant is asked each time.
     */
    prompt: string;
} | {
    type: 'action';
    action: string;
    /**
     * Null: the default account of the action’s provider.
     */
    account: string | null;
    /**
     * Its arguments. Nothing of what happened is put into them.
     */
    input: {
        [key: string]: unknown;
    };
} | {
    /**
     * The user is told, and nothing else is done.
     */
    type: 'notify';
};
export type Error = {
    status: 'error';
    code: 'invalid_request' | 'invalid_token' | 'token_expired' | 'forbidden' | 'recent_login_required' | 'missing_scopes' | 'not_found' | 'method_not_allowed' | 'reauth_required' | 'relink_required' | 'item_gone' | 'conflict' | 'approval_required' | 'aborted' | 'too_large' | 'unsupported_media_type' | 'invalid_configuration' | 'unsupported_account' | 'rate_limited' | 'internal' | 'provider_error' | 'outcome_unknown' | 'unavailable' | 'not_configured' | 'assistant_disabled' | 'provider_timeout';
    /**
     * For people.
     */
    message: string;
    request_id: string;
    /**
     * Further facts for programs, if there are any.
     */
    details?: {
        [key: string]: unknown;
    };
    [key: string]: unknown;
};
export type PostWaitlistData = {
    body: WaitlistForm;
    path?: never;
    query?: never;
    url: '/waitlist';
};
export type PostWaitlistErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `too_large`
     */
    413: Error & {
        code?: 'too_large';
    };
    /**
     * `unsupported_media_type`
     */
    415: Error & {
        code?: 'unsupported_media_type';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type PostWaitlistError = PostWaitlistErrors[keyof PostWaitlistErrors];
export type PostWaitlistResponses = {
    /**
     * Success
     */
    200: WaitlistResult;
};
export type PostWaitlistResponse = PostWaitlistResponses[keyof PostWaitlistResponses];
export type PostEmailData = {
    body: WaitlistForm;
    path?: never;
    query?: never;
    url: '/email';
};
export type PostEmailErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `too_large`
     */
    413: Error & {
        code?: 'too_large';
    };
    /**
     * `unsupported_media_type`
     */
    415: Error & {
        code?: 'unsupported_media_type';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type PostEmailError = PostEmailErrors[keyof PostEmailErrors];
export type PostEmailResponses = {
    /**
     * Success
     */
    200: WaitlistResult;
};
export type PostEmailResponse = PostEmailResponses[keyof PostEmailResponses];
export type GetUpdateIntegrationsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/update_integrations';
};
export type GetUpdateIntegrationsErrors = {
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `invalid_configuration`
     */
    422: Error & {
        code?: 'invalid_configuration';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetUpdateIntegrationsError = GetUpdateIntegrationsErrors[keyof GetUpdateIntegrationsErrors];
export type GetUpdateIntegrationsResponses = {
    /**
     * Success
     */
    200: ReloadResult;
};
export type GetUpdateIntegrationsResponse = GetUpdateIntegrationsResponses[keyof GetUpdateIntegrationsResponses];
export type GetIntegrationsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/integrations';
};
export type GetIntegrationsErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetIntegrationsError = GetIntegrationsErrors[keyof GetIntegrationsErrors];
export type GetIntegrationsResponses = {
    /**
     * Success
     */
    200: IntegrationStatus;
};
export type GetIntegrationsResponse = GetIntegrationsResponses[keyof GetIntegrationsResponses];
export type PostWorkspaceAccessRequestData = {
    body: WorkspaceAccessForm;
    path?: never;
    query?: never;
    url: '/workspace_access_request';
};
export type PostWorkspaceAccessRequestErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `too_large`
     */
    413: Error & {
        code?: 'too_large';
    };
    /**
     * `unsupported_media_type`
     */
    415: Error & {
        code?: 'unsupported_media_type';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`, `not_configured`
     */
    503: Error & {
        code?: 'unavailable' | 'not_configured';
    };
};
export type PostWorkspaceAccessRequestError = PostWorkspaceAccessRequestErrors[keyof PostWorkspaceAccessRequestErrors];
export type PostWorkspaceAccessRequestResponses = {
    /**
     * Success
     */
    200: WorkspaceAccess;
};
export type PostWorkspaceAccessRequestResponse = PostWorkspaceAccessRequestResponses[keyof PostWorkspaceAccessRequestResponses];
export type GetAuthWorkspaceAccountsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/auth/workspace/accounts';
};
export type GetAuthWorkspaceAccountsErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetAuthWorkspaceAccountsError = GetAuthWorkspaceAccountsErrors[keyof GetAuthWorkspaceAccountsErrors];
export type GetAuthWorkspaceAccountsResponses = {
    /**
     * Success
     */
    200: WorkspaceAccountList;
};
export type GetAuthWorkspaceAccountsResponse = GetAuthWorkspaceAccountsResponses[keyof GetAuthWorkspaceAccountsResponses];
export type DeleteAuthWorkspaceAccountsAccountIdData = {
    body?: never;
    path: {
        account_id: string;
    };
    query?: never;
    url: '/auth/workspace/accounts/{account_id}';
};
export type DeleteAuthWorkspaceAccountsAccountIdErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type DeleteAuthWorkspaceAccountsAccountIdError = DeleteAuthWorkspaceAccountsAccountIdErrors[keyof DeleteAuthWorkspaceAccountsAccountIdErrors];
export type DeleteAuthWorkspaceAccountsAccountIdResponses = {
    /**
     * Success
     */
    200: Success;
};
export type DeleteAuthWorkspaceAccountsAccountIdResponse = DeleteAuthWorkspaceAccountsAccountIdResponses[keyof DeleteAuthWorkspaceAccountsAccountIdResponses];
export type PostAuthWorkspaceAccountsAccountIdDefaultData = {
    body?: never;
    path: {
        account_id: string;
    };
    query?: never;
    url: '/auth/workspace/accounts/{account_id}/default';
};
export type PostAuthWorkspaceAccountsAccountIdDefaultErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type PostAuthWorkspaceAccountsAccountIdDefaultError = PostAuthWorkspaceAccountsAccountIdDefaultErrors[keyof PostAuthWorkspaceAccountsAccountIdDefaultErrors];
export type PostAuthWorkspaceAccountsAccountIdDefaultResponses = {
    /**
     * Success
     */
    200: Success;
};
export type PostAuthWorkspaceAccountsAccountIdDefaultResponse = PostAuthWorkspaceAccountsAccountIdDefaultResponses[keyof PostAuthWorkspaceAccountsAccountIdDefaultResponses];
export type PostAuthSourcesSourceConnectData = {
    body?: SourceConnectForm;
    path: {
        source: string;
    };
    query?: never;
    url: '/auth/sources/{source}/connect';
};
export type PostAuthSourcesSourceConnectErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `conflict`
     */
    409: Error & {
        code?: 'conflict';
    };
    /**
     * `too_large`
     */
    413: Error & {
        code?: 'too_large';
    };
    /**
     * `unsupported_media_type`
     */
    415: Error & {
        code?: 'unsupported_media_type';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `provider_error`
     */
    502: Error & {
        code?: 'provider_error';
    };
    /**
     * `unavailable`, `not_configured`
     */
    503: Error & {
        code?: 'unavailable' | 'not_configured';
    };
    /**
     * `provider_timeout`
     */
    504: Error & {
        code?: 'provider_timeout';
    };
};
export type PostAuthSourcesSourceConnectError = PostAuthSourcesSourceConnectErrors[keyof PostAuthSourcesSourceConnectErrors];
export type PostAuthSourcesSourceConnectResponses = {
    /**
     * Success
     */
    200: SourceConnect;
};
export type PostAuthSourcesSourceConnectResponse = PostAuthSourcesSourceConnectResponses[keyof PostAuthSourcesSourceConnectResponses];
export type GetAuthSourcesAccountsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/auth/sources/accounts';
};
export type GetAuthSourcesAccountsErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetAuthSourcesAccountsError = GetAuthSourcesAccountsErrors[keyof GetAuthSourcesAccountsErrors];
export type GetAuthSourcesAccountsResponses = {
    /**
     * Success
     */
    200: SourceAccountList;
};
export type GetAuthSourcesAccountsResponse = GetAuthSourcesAccountsResponses[keyof GetAuthSourcesAccountsResponses];
export type DeleteAuthSourcesAccountsAccountIdData = {
    body?: never;
    path: {
        account_id: string;
    };
    query?: never;
    url: '/auth/sources/accounts/{account_id}';
};
export type DeleteAuthSourcesAccountsAccountIdErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type DeleteAuthSourcesAccountsAccountIdError = DeleteAuthSourcesAccountsAccountIdErrors[keyof DeleteAuthSourcesAccountsAccountIdErrors];
export type DeleteAuthSourcesAccountsAccountIdResponses = {
    /**
     * Success
     */
    200: Success;
};
export type DeleteAuthSourcesAccountsAccountIdResponse = DeleteAuthSourcesAccountsAccountIdResponses[keyof DeleteAuthSourcesAccountsAccountIdResponses];
export type PostAuthSourcesAccountsAccountIdDefaultData = {
    body?: never;
    path: {
        account_id: string;
    };
    query?: never;
    url: '/auth/sources/accounts/{account_id}/default';
};
export type PostAuthSourcesAccountsAccountIdDefaultErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type PostAuthSourcesAccountsAccountIdDefaultError = PostAuthSourcesAccountsAccountIdDefaultErrors[keyof PostAuthSourcesAccountsAccountIdDefaultErrors];
export type PostAuthSourcesAccountsAccountIdDefaultResponses = {
    /**
     * Success
     */
    200: Success;
};
export type PostAuthSourcesAccountsAccountIdDefaultResponse = PostAuthSourcesAccountsAccountIdDefaultResponses[keyof PostAuthSourcesAccountsAccountIdDefaultResponses];
export type GetAuthSourcesAccountsAccountIdToolsData = {
    body?: never;
    path: {
        account_id: string;
    };
    query?: never;
    url: '/auth/sources/accounts/{account_id}/tools';
};
export type GetAuthSourcesAccountsAccountIdToolsErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetAuthSourcesAccountsAccountIdToolsError = GetAuthSourcesAccountsAccountIdToolsErrors[keyof GetAuthSourcesAccountsAccountIdToolsErrors];
export type GetAuthSourcesAccountsAccountIdToolsResponses = {
    /**
     * Success
     */
    200: SourceToolList;
};
export type GetAuthSourcesAccountsAccountIdToolsResponse = GetAuthSourcesAccountsAccountIdToolsResponses[keyof GetAuthSourcesAccountsAccountIdToolsResponses];
export type PostAuthSourcesAccountsAccountIdToolsToolData = {
    body: SourceToolDecision;
    path: {
        account_id: string;
        tool: string;
    };
    query?: never;
    url: '/auth/sources/accounts/{account_id}/tools/{tool}';
};
export type PostAuthSourcesAccountsAccountIdToolsToolErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `conflict`
     */
    409: Error & {
        code?: 'conflict';
    };
    /**
     * `too_large`
     */
    413: Error & {
        code?: 'too_large';
    };
    /**
     * `unsupported_media_type`
     */
    415: Error & {
        code?: 'unsupported_media_type';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type PostAuthSourcesAccountsAccountIdToolsToolError = PostAuthSourcesAccountsAccountIdToolsToolErrors[keyof PostAuthSourcesAccountsAccountIdToolsToolErrors];
export type PostAuthSourcesAccountsAccountIdToolsToolResponses = {
    /**
     * Success
     */
    200: Success;
};
export type PostAuthSourcesAccountsAccountIdToolsToolResponse = PostAuthSourcesAccountsAccountIdToolsToolResponses[keyof PostAuthSourcesAccountsAccountIdToolsToolResponses];
export type GetOauthClientJsonData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/oauth/client.json';
};
export type GetOauthClientJsonErrors = {
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetOauthClientJsonError = GetOauthClientJsonErrors[keyof GetOauthClientJsonErrors];
export type GetOauthClientJsonResponses = {
    /**
     * Success
     */
    200: ClientDocument;
};
export type GetOauthClientJsonResponse = GetOauthClientJsonResponses[keyof GetOauthClientJsonResponses];
export type PostAuthBankCreateLinkTokenData = {
    body?: LinkTokenForm;
    path?: never;
    query?: never;
    url: '/auth/bank/create_link_token';
};
export type PostAuthBankCreateLinkTokenErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `relink_required`, `item_gone`
     */
    409: Error & {
        code?: 'relink_required' | 'item_gone';
    };
    /**
     * `too_large`
     */
    413: Error & {
        code?: 'too_large';
    };
    /**
     * `unsupported_media_type`
     */
    415: Error & {
        code?: 'unsupported_media_type';
    };
    /**
     * `unsupported_account`
     */
    422: Error & {
        code?: 'unsupported_account';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `provider_error`
     */
    502: Error & {
        code?: 'provider_error';
    };
    /**
     * `unavailable`, `not_configured`
     */
    503: Error & {
        code?: 'unavailable' | 'not_configured';
    };
    /**
     * `provider_timeout`
     */
    504: Error & {
        code?: 'provider_timeout';
    };
};
export type PostAuthBankCreateLinkTokenError = PostAuthBankCreateLinkTokenErrors[keyof PostAuthBankCreateLinkTokenErrors];
export type PostAuthBankCreateLinkTokenResponses = {
    /**
     * Success
     */
    200: LinkToken;
};
export type PostAuthBankCreateLinkTokenResponse = PostAuthBankCreateLinkTokenResponses[keyof PostAuthBankCreateLinkTokenResponses];
export type PostAuthBankSetAccessTokenData = {
    body: PublicTokenForm;
    path?: never;
    query?: never;
    url: '/auth/bank/set_access_token';
};
export type PostAuthBankSetAccessTokenErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `relink_required`, `item_gone`
     */
    409: Error & {
        code?: 'relink_required' | 'item_gone';
    };
    /**
     * `too_large`
     */
    413: Error & {
        code?: 'too_large';
    };
    /**
     * `unsupported_media_type`
     */
    415: Error & {
        code?: 'unsupported_media_type';
    };
    /**
     * `unsupported_account`
     */
    422: Error & {
        code?: 'unsupported_account';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `provider_error`
     */
    502: Error & {
        code?: 'provider_error';
    };
    /**
     * `unavailable`, `not_configured`
     */
    503: Error & {
        code?: 'unavailable' | 'not_configured';
    };
    /**
     * `provider_timeout`
     */
    504: Error & {
        code?: 'provider_timeout';
    };
};
export type PostAuthBankSetAccessTokenError = PostAuthBankSetAccessTokenErrors[keyof PostAuthBankSetAccessTokenErrors];
export type PostAuthBankSetAccessTokenResponses = {
    /**
     * Success
     */
    200: BankLinkResult;
};
export type PostAuthBankSetAccessTokenResponse = PostAuthBankSetAccessTokenResponses[keyof PostAuthBankSetAccessTokenResponses];
export type GetAuthBankAccountsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/auth/bank/accounts';
};
export type GetAuthBankAccountsErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetAuthBankAccountsError = GetAuthBankAccountsErrors[keyof GetAuthBankAccountsErrors];
export type GetAuthBankAccountsResponses = {
    /**
     * Success
     */
    200: BankAccountList;
};
export type GetAuthBankAccountsResponse = GetAuthBankAccountsResponses[keyof GetAuthBankAccountsResponses];
export type DeleteAuthBankAccountsAccountIdData = {
    body?: never;
    path: {
        account_id: string;
    };
    query?: never;
    url: '/auth/bank/accounts/{account_id}';
};
export type DeleteAuthBankAccountsAccountIdErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type DeleteAuthBankAccountsAccountIdError = DeleteAuthBankAccountsAccountIdErrors[keyof DeleteAuthBankAccountsAccountIdErrors];
export type DeleteAuthBankAccountsAccountIdResponses = {
    /**
     * Success
     */
    200: Success;
};
export type DeleteAuthBankAccountsAccountIdResponse = DeleteAuthBankAccountsAccountIdResponses[keyof DeleteAuthBankAccountsAccountIdResponses];
export type PostAuthBankAccountsAccountIdRefreshData = {
    body?: never;
    path: {
        account_id: string;
    };
    query?: never;
    url: '/auth/bank/accounts/{account_id}/refresh';
};
export type PostAuthBankAccountsAccountIdRefreshErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `relink_required`, `item_gone`
     */
    409: Error & {
        code?: 'relink_required' | 'item_gone';
    };
    /**
     * `unsupported_account`
     */
    422: Error & {
        code?: 'unsupported_account';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `provider_error`
     */
    502: Error & {
        code?: 'provider_error';
    };
    /**
     * `unavailable`, `not_configured`
     */
    503: Error & {
        code?: 'unavailable' | 'not_configured';
    };
    /**
     * `provider_timeout`
     */
    504: Error & {
        code?: 'provider_timeout';
    };
};
export type PostAuthBankAccountsAccountIdRefreshError = PostAuthBankAccountsAccountIdRefreshErrors[keyof PostAuthBankAccountsAccountIdRefreshErrors];
export type PostAuthBankAccountsAccountIdRefreshResponses = {
    /**
     * Success
     */
    200: Success;
};
export type PostAuthBankAccountsAccountIdRefreshResponse = PostAuthBankAccountsAccountIdRefreshResponses[keyof PostAuthBankAccountsAccountIdRefreshResponses];
export type GetUserPreferencesData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/user/preferences';
};
export type GetUserPreferencesErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetUserPreferencesError = GetUserPreferencesErrors[keyof GetUserPreferencesErrors];
export type GetUserPreferencesResponses = {
    /**
     * Success
     */
    200: Preferences;
};
export type GetUserPreferencesResponse = GetUserPreferencesResponses[keyof GetUserPreferencesResponses];
export type PatchUserPreferencesData = {
    body: PreferencesPatch;
    path?: never;
    query?: never;
    url: '/user/preferences';
};
export type PatchUserPreferencesErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `too_large`
     */
    413: Error & {
        code?: 'too_large';
    };
    /**
     * `unsupported_media_type`
     */
    415: Error & {
        code?: 'unsupported_media_type';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type PatchUserPreferencesError = PatchUserPreferencesErrors[keyof PatchUserPreferencesErrors];
export type PatchUserPreferencesResponses = {
    /**
     * Success
     */
    200: Preferences;
};
export type PatchUserPreferencesResponse = PatchUserPreferencesResponses[keyof PatchUserPreferencesResponses];
export type GetUserAuditData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Number of rows on a page, 1 to 200; 50 by default.
         */
        limit?: string;
        /**
         * `next_cursor` of the previous page.
         */
        cursor?: string;
    };
    url: '/user/audit';
};
export type GetUserAuditErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetUserAuditError = GetUserAuditErrors[keyof GetUserAuditErrors];
export type GetUserAuditResponses = {
    /**
     * Success
     */
    200: AuditPage;
};
export type GetUserAuditResponse = GetUserAuditResponses[keyof GetUserAuditResponses];
export type GetUserExportData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/user/export';
};
export type GetUserExportErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetUserExportError = GetUserExportErrors[keyof GetUserExportErrors];
export type GetUserExportResponses = {
    /**
     * Success
     */
    200: UserExport;
};
export type GetUserExportResponse = GetUserExportResponses[keyof GetUserExportResponses];
export type DeleteUserData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/user';
};
export type DeleteUserErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`, `recent_login_required`
     */
    403: Error & {
        code?: 'forbidden' | 'recent_login_required';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type DeleteUserError = DeleteUserErrors[keyof DeleteUserErrors];
export type DeleteUserResponses = {
    /**
     * Success
     */
    200: Success;
};
export type DeleteUserResponse = DeleteUserResponses[keyof DeleteUserResponses];
export type GetNotificationsChannelsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/notifications/channels';
};
export type GetNotificationsChannelsErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetNotificationsChannelsError = GetNotificationsChannelsErrors[keyof GetNotificationsChannelsErrors];
export type GetNotificationsChannelsResponses = {
    /**
     * Success
     */
    200: NotificationChannels;
};
export type GetNotificationsChannelsResponse = GetNotificationsChannelsResponses[keyof GetNotificationsChannelsResponses];
export type PostNotificationsChannelsData = {
    body: ChannelRequest;
    path?: never;
    query?: never;
    url: '/notifications/channels';
};
export type PostNotificationsChannelsErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `conflict`
     */
    409: Error & {
        code?: 'conflict';
    };
    /**
     * `too_large`
     */
    413: Error & {
        code?: 'too_large';
    };
    /**
     * `unsupported_media_type`
     */
    415: Error & {
        code?: 'unsupported_media_type';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`, `not_configured`
     */
    503: Error & {
        code?: 'unavailable' | 'not_configured';
    };
};
export type PostNotificationsChannelsError = PostNotificationsChannelsErrors[keyof PostNotificationsChannelsErrors];
export type PostNotificationsChannelsResponses = {
    /**
     * Success
     */
    200: NewNotificationChannel;
};
export type PostNotificationsChannelsResponse = PostNotificationsChannelsResponses[keyof PostNotificationsChannelsResponses];
export type DeleteNotificationsChannelsIdData = {
    body?: never;
    path: {
        id: string;
    };
    query?: never;
    url: '/notifications/channels/{id}';
};
export type DeleteNotificationsChannelsIdErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type DeleteNotificationsChannelsIdError = DeleteNotificationsChannelsIdErrors[keyof DeleteNotificationsChannelsIdErrors];
export type DeleteNotificationsChannelsIdResponses = {
    /**
     * Success
     */
    200: Success;
};
export type DeleteNotificationsChannelsIdResponse = DeleteNotificationsChannelsIdResponses[keyof DeleteNotificationsChannelsIdResponses];
export type PostNotificationsChannelsIdTestData = {
    body?: never;
    path: {
        id: string;
    };
    query?: never;
    url: '/notifications/channels/{id}/test';
};
export type PostNotificationsChannelsIdTestErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`, `not_configured`
     */
    503: Error & {
        code?: 'unavailable' | 'not_configured';
    };
};
export type PostNotificationsChannelsIdTestError = PostNotificationsChannelsIdTestErrors[keyof PostNotificationsChannelsIdTestErrors];
export type PostNotificationsChannelsIdTestResponses = {
    /**
     * Success
     */
    200: NotificationChannel;
};
export type PostNotificationsChannelsIdTestResponse = PostNotificationsChannelsIdTestResponses[keyof PostNotificationsChannelsIdTestResponses];
export type GetTokensData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/tokens';
};
export type GetTokensErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetTokensError = GetTokensErrors[keyof GetTokensErrors];
export type GetTokensResponses = {
    /**
     * Success
     */
    200: ClientTokens;
};
export type GetTokensResponse = GetTokensResponses[keyof GetTokensResponses];
export type PostTokensData = {
    body: TokenRequest;
    path?: never;
    query?: never;
    url: '/tokens';
};
export type PostTokensErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`, `recent_login_required`
     */
    403: Error & {
        code?: 'forbidden' | 'recent_login_required';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `conflict`
     */
    409: Error & {
        code?: 'conflict';
    };
    /**
     * `too_large`
     */
    413: Error & {
        code?: 'too_large';
    };
    /**
     * `unsupported_media_type`
     */
    415: Error & {
        code?: 'unsupported_media_type';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type PostTokensError = PostTokensErrors[keyof PostTokensErrors];
export type PostTokensResponses = {
    /**
     * Success
     */
    200: NewClientToken;
};
export type PostTokensResponse = PostTokensResponses[keyof PostTokensResponses];
export type DeleteTokensIdData = {
    body?: never;
    path: {
        id: string;
    };
    query?: never;
    url: '/tokens/{id}';
};
export type DeleteTokensIdErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`, `recent_login_required`
     */
    403: Error & {
        code?: 'forbidden' | 'recent_login_required';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type DeleteTokensIdError = DeleteTokensIdErrors[keyof DeleteTokensIdErrors];
export type DeleteTokensIdResponses = {
    /**
     * Success
     */
    200: Success;
};
export type DeleteTokensIdResponse = DeleteTokensIdResponses[keyof DeleteTokensIdResponses];
export type GetClientsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/clients';
};
export type GetClientsErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetClientsError = GetClientsErrors[keyof GetClientsErrors];
export type GetClientsResponses = {
    /**
     * Success
     */
    200: Clients;
};
export type GetClientsResponse = GetClientsResponses[keyof GetClientsResponses];
export type DeleteClientsIdData = {
    body?: never;
    path: {
        id: string;
    };
    query?: never;
    url: '/clients/{id}';
};
export type DeleteClientsIdErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type DeleteClientsIdError = DeleteClientsIdErrors[keyof DeleteClientsIdErrors];
export type DeleteClientsIdResponses = {
    /**
     * Success
     */
    200: Success;
};
export type DeleteClientsIdResponse = DeleteClientsIdResponses[keyof DeleteClientsIdResponses];
export type PostAgentsActionData = {
    body?: ActionInput;
    path: {
        action: string;
    };
    query?: {
        /**
         * Id or label; absent: the default account.
         */
        account?: string;
    };
    url: '/agents/{action}';
};
export type PostAgentsActionErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`, `missing_scopes`
     */
    403: Error & {
        code?: 'forbidden' | 'missing_scopes';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `reauth_required`, `relink_required`, `item_gone`, `conflict`, `approval_required`, `aborted`
     */
    409: Error & {
        code?: 'reauth_required' | 'relink_required' | 'item_gone' | 'conflict' | 'approval_required' | 'aborted';
    };
    /**
     * `too_large`
     */
    413: Error & {
        code?: 'too_large';
    };
    /**
     * `unsupported_media_type`
     */
    415: Error & {
        code?: 'unsupported_media_type';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `provider_error`, `outcome_unknown`
     */
    502: Error & {
        code?: 'provider_error' | 'outcome_unknown';
    };
    /**
     * `unavailable`, `not_configured`
     */
    503: Error & {
        code?: 'unavailable' | 'not_configured';
    };
    /**
     * `provider_timeout`
     */
    504: Error & {
        code?: 'provider_timeout';
    };
};
export type PostAgentsActionError = PostAgentsActionErrors[keyof PostAgentsActionErrors];
export type PostAgentsActionResponses = {
    /**
     * Success
     */
    200: CallResult;
};
export type PostAgentsActionResponse = PostAgentsActionResponses[keyof PostAgentsActionResponses];
export type GetToolsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The format of a vendor or of MCP.
         */
        format?: 'mcp' | 'openai' | 'anthropic' | 'gemini';
        /**
         * What a tool should do, in a few English words: “close a ticket”.
         */
        query?: string;
        /**
         * `true`: schemas for the vendor’s strict mode (OpenAI, Anthropic).
         */
        strict?: 'true' | 'false';
    };
    url: '/tools';
};
export type GetToolsErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetToolsError = GetToolsErrors[keyof GetToolsErrors];
export type GetToolsResponses = {
    /**
     * Success
     */
    200: Tools;
};
export type GetToolsResponse = GetToolsResponses[keyof GetToolsResponses];
export type GetApprovalsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/approvals';
};
export type GetApprovalsErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetApprovalsError = GetApprovalsErrors[keyof GetApprovalsErrors];
export type GetApprovalsResponses = {
    /**
     * The page, where `Accept` prefers HTML
     */
    200: Approvals;
};
export type GetApprovalsResponse = GetApprovalsResponses[keyof GetApprovalsResponses];
export type GetApprovalsIdData = {
    body?: never;
    path: {
        id: string;
    };
    query?: {
        /**
         * The page with the form of the action.
         */
        change?: 'yes';
    };
    url: '/approvals/{id}';
};
export type GetApprovalsIdErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetApprovalsIdError = GetApprovalsIdErrors[keyof GetApprovalsIdErrors];
export type GetApprovalsIdResponses = {
    /**
     * The page, where `Accept` prefers HTML
     */
    200: ApprovalWithForm;
};
export type GetApprovalsIdResponse = GetApprovalsIdResponses[keyof GetApprovalsIdResponses];
export type PostApprovalsIdData = {
    body: Decision;
    path: {
        id: string;
    };
    query?: never;
    url: '/approvals/{id}';
};
export type PostApprovalsIdErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`, `missing_scopes`
     */
    403: Error & {
        code?: 'forbidden' | 'missing_scopes';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `reauth_required`, `relink_required`, `item_gone`, `conflict`, `approval_required`, `aborted`
     */
    409: Error & {
        code?: 'reauth_required' | 'relink_required' | 'item_gone' | 'conflict' | 'approval_required' | 'aborted';
    };
    /**
     * `too_large`
     */
    413: Error & {
        code?: 'too_large';
    };
    /**
     * `unsupported_media_type`
     */
    415: Error & {
        code?: 'unsupported_media_type';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `provider_error`, `outcome_unknown`
     */
    502: Error & {
        code?: 'provider_error' | 'outcome_unknown';
    };
    /**
     * `unavailable`, `not_configured`
     */
    503: Error & {
        code?: 'unavailable' | 'not_configured';
    };
    /**
     * `provider_timeout`
     */
    504: Error & {
        code?: 'provider_timeout';
    };
};
export type PostApprovalsIdError = PostApprovalsIdErrors[keyof PostApprovalsIdErrors];
export type PostApprovalsIdResponses = {
    /**
     * The page, where `Accept` prefers HTML; without a session, one that leads to the sign-in
     */
    200: CallResult;
};
export type PostApprovalsIdResponse = PostApprovalsIdResponses[keyof PostApprovalsIdResponses];
export type GetApprovalsIdResultData = {
    body?: never;
    path: {
        id: string;
    };
    query?: never;
    url: '/approvals/{id}/result';
};
export type GetApprovalsIdResultErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetApprovalsIdResultError = GetApprovalsIdResultErrors[keyof GetApprovalsIdResultErrors];
export type GetApprovalsIdResultResponses = {
    /**
     * Success
     */
    200: ApprovalOutcome;
};
export type GetApprovalsIdResultResponse = GetApprovalsIdResultResponses[keyof GetApprovalsIdResultResponses];
export type GetAllowancesData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/allowances';
};
export type GetAllowancesErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetAllowancesError = GetAllowancesErrors[keyof GetAllowancesErrors];
export type GetAllowancesResponses = {
    /**
     * Success
     */
    200: Allowances;
};
export type GetAllowancesResponse = GetAllowancesResponses[keyof GetAllowancesResponses];
export type DeleteAllowancesIdData = {
    body?: never;
    path: {
        id: string;
    };
    query?: never;
    url: '/allowances/{id}';
};
export type DeleteAllowancesIdErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type DeleteAllowancesIdError = DeleteAllowancesIdErrors[keyof DeleteAllowancesIdErrors];
export type DeleteAllowancesIdResponses = {
    /**
     * Success
     */
    200: Success;
};
export type DeleteAllowancesIdResponse = DeleteAllowancesIdResponses[keyof DeleteAllowancesIdResponses];
export type GetReadOnlyData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/read-only';
};
export type GetReadOnlyErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetReadOnlyError = GetReadOnlyErrors[keyof GetReadOnlyErrors];
export type GetReadOnlyResponses = {
    /**
     * Success
     */
    200: ReadOnlyAccounts;
};
export type GetReadOnlyResponse = GetReadOnlyResponses[keyof GetReadOnlyResponses];
export type PostReadOnlyData = {
    body: ReadOnlyRequest;
    path?: never;
    query?: never;
    url: '/read-only';
};
export type PostReadOnlyErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `too_large`
     */
    413: Error & {
        code?: 'too_large';
    };
    /**
     * `unsupported_media_type`
     */
    415: Error & {
        code?: 'unsupported_media_type';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type PostReadOnlyError = PostReadOnlyErrors[keyof PostReadOnlyErrors];
export type PostReadOnlyResponses = {
    /**
     * Success
     */
    200: ReadOnly;
};
export type PostReadOnlyResponse = PostReadOnlyResponses[keyof PostReadOnlyResponses];
export type DeleteReadOnlyIdData = {
    body?: never;
    path: {
        id: string;
    };
    query?: never;
    url: '/read-only/{id}';
};
export type DeleteReadOnlyIdErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`, `recent_login_required`
     */
    403: Error & {
        code?: 'forbidden' | 'recent_login_required';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type DeleteReadOnlyIdError = DeleteReadOnlyIdErrors[keyof DeleteReadOnlyIdErrors];
export type DeleteReadOnlyIdResponses = {
    /**
     * Success
     */
    200: Success;
};
export type DeleteReadOnlyIdResponse = DeleteReadOnlyIdResponses[keyof DeleteReadOnlyIdResponses];
export type GetThreadsData = {
    body?: never;
    path?: never;
    query?: {
        search?: string;
        /**
         * At most 200.
         */
        limit?: number;
        /**
         * `next` of the previous page.
         */
        before?: string;
    };
    url: '/threads';
};
export type GetThreadsErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetThreadsError = GetThreadsErrors[keyof GetThreadsErrors];
export type GetThreadsResponses = {
    /**
     * Success
     */
    200: Threads;
};
export type GetThreadsResponse = GetThreadsResponses[keyof GetThreadsResponses];
export type DeleteThreadsIdData = {
    body?: never;
    path: {
        id: string;
    };
    query?: never;
    url: '/threads/{id}';
};
export type DeleteThreadsIdErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type DeleteThreadsIdError = DeleteThreadsIdErrors[keyof DeleteThreadsIdErrors];
export type DeleteThreadsIdResponses = {
    /**
     * Success
     */
    200: Success;
};
export type DeleteThreadsIdResponse = DeleteThreadsIdResponses[keyof DeleteThreadsIdResponses];
export type GetThreadsIdData = {
    body?: never;
    path: {
        id: string;
    };
    query?: never;
    url: '/threads/{id}';
};
export type GetThreadsIdErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetThreadsIdError = GetThreadsIdErrors[keyof GetThreadsIdErrors];
export type GetThreadsIdResponses = {
    /**
     * Success
     */
    200: ThreadMessages;
};
export type GetThreadsIdResponse = GetThreadsIdResponses[keyof GetThreadsIdResponses];
export type PostThreadsIdData = {
    body: ThreadTitle;
    path: {
        id: string;
    };
    query?: never;
    url: '/threads/{id}';
};
export type PostThreadsIdErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `too_large`
     */
    413: Error & {
        code?: 'too_large';
    };
    /**
     * `unsupported_media_type`
     */
    415: Error & {
        code?: 'unsupported_media_type';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type PostThreadsIdError = PostThreadsIdErrors[keyof PostThreadsIdErrors];
export type PostThreadsIdResponses = {
    /**
     * Success
     */
    200: Success;
};
export type PostThreadsIdResponse = PostThreadsIdResponses[keyof PostThreadsIdResponses];
export type GetAutomationsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/automations';
};
export type GetAutomationsErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetAutomationsError = GetAutomationsErrors[keyof GetAutomationsErrors];
export type GetAutomationsResponses = {
    /**
     * Success
     */
    200: Automations;
};
export type GetAutomationsResponse = GetAutomationsResponses[keyof GetAutomationsResponses];
export type PostAutomationsData = {
    body: NewAutomation;
    path?: never;
    query?: never;
    url: '/automations';
};
export type PostAutomationsErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `conflict`
     */
    409: Error & {
        code?: 'conflict';
    };
    /**
     * `too_large`
     */
    413: Error & {
        code?: 'too_large';
    };
    /**
     * `unsupported_media_type`
     */
    415: Error & {
        code?: 'unsupported_media_type';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type PostAutomationsError = PostAutomationsErrors[keyof PostAutomationsErrors];
export type PostAutomationsResponses = {
    /**
     * Success
     */
    201: Automation;
};
export type PostAutomationsResponse = PostAutomationsResponses[keyof PostAutomationsResponses];
export type DeleteAutomationsIdData = {
    body?: never;
    path: {
        id: string;
    };
    query?: never;
    url: '/automations/{id}';
};
export type DeleteAutomationsIdErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type DeleteAutomationsIdError = DeleteAutomationsIdErrors[keyof DeleteAutomationsIdErrors];
export type DeleteAutomationsIdResponses = {
    /**
     * Success
     */
    200: Success;
};
export type DeleteAutomationsIdResponse = DeleteAutomationsIdResponses[keyof DeleteAutomationsIdResponses];
export type GetAutomationsIdData = {
    body?: never;
    path: {
        id: string;
    };
    query?: never;
    url: '/automations/{id}';
};
export type GetAutomationsIdErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetAutomationsIdError = GetAutomationsIdErrors[keyof GetAutomationsIdErrors];
export type GetAutomationsIdResponses = {
    /**
     * Success
     */
    200: Automation;
};
export type GetAutomationsIdResponse = GetAutomationsIdResponses[keyof GetAutomationsIdResponses];
export type PatchAutomationsIdData = {
    body: AutomationPatch;
    path: {
        id: string;
    };
    query?: never;
    url: '/automations/{id}';
};
export type PatchAutomationsIdErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `too_large`
     */
    413: Error & {
        code?: 'too_large';
    };
    /**
     * `unsupported_media_type`
     */
    415: Error & {
        code?: 'unsupported_media_type';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type PatchAutomationsIdError = PatchAutomationsIdErrors[keyof PatchAutomationsIdErrors];
export type PatchAutomationsIdResponses = {
    /**
     * Success
     */
    200: Automation;
};
export type PatchAutomationsIdResponse = PatchAutomationsIdResponses[keyof PatchAutomationsIdResponses];
export type PostAutomationsIdRunData = {
    body?: never;
    path: {
        id: string;
    };
    query?: never;
    url: '/automations/{id}/run';
};
export type PostAutomationsIdRunErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `conflict`
     */
    409: Error & {
        code?: 'conflict';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type PostAutomationsIdRunError = PostAutomationsIdRunErrors[keyof PostAutomationsIdRunErrors];
export type PostAutomationsIdRunResponses = {
    /**
     * Success
     */
    202: AutomationRun;
};
export type PostAutomationsIdRunResponse = PostAutomationsIdRunResponses[keyof PostAutomationsIdRunResponses];
export type GetAutomationsIdRunsData = {
    body?: never;
    path: {
        id: string;
    };
    query?: {
        /**
         * At most 200.
         */
        limit?: number;
        /**
         * `next` of the previous page.
         */
        before?: string;
    };
    url: '/automations/{id}/runs';
};
export type GetAutomationsIdRunsErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetAutomationsIdRunsError = GetAutomationsIdRunsErrors[keyof GetAutomationsIdRunsErrors];
export type GetAutomationsIdRunsResponses = {
    /**
     * Success
     */
    200: AutomationRuns;
};
export type GetAutomationsIdRunsResponse = GetAutomationsIdRunsResponses[keyof GetAutomationsIdRunsResponses];
export type DeleteChatIdStreamData = {
    body?: never;
    path: {
        id: string;
    };
    query?: {
        run?: string;
    };
    url: '/chat/{id}/stream';
};
export type DeleteChatIdStreamErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `not_found`
     */
    404: Error & {
        code?: 'not_found';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type DeleteChatIdStreamError = DeleteChatIdStreamErrors[keyof DeleteChatIdStreamErrors];
export type DeleteChatIdStreamResponses = {
    /**
     * Success
     */
    200: Success;
};
export type DeleteChatIdStreamResponse = DeleteChatIdStreamResponses[keyof DeleteChatIdStreamResponses];
export type GetModelsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/models';
};
export type GetModelsErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetModelsError = GetModelsErrors[keyof GetModelsErrors];
export type GetModelsResponses = {
    /**
     * Success
     */
    200: Models;
};
export type GetModelsResponse = GetModelsResponses[keyof GetModelsResponses];
export type GetWellKnownOauthProtectedResourceData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/.well-known/oauth-protected-resource';
};
export type GetWellKnownOauthProtectedResourceErrors = {
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetWellKnownOauthProtectedResourceError = GetWellKnownOauthProtectedResourceErrors[keyof GetWellKnownOauthProtectedResourceErrors];
export type GetWellKnownOauthProtectedResourceResponses = {
    /**
     * Success
     */
    200: ProtectedResource;
};
export type GetWellKnownOauthProtectedResourceResponse = GetWellKnownOauthProtectedResourceResponses[keyof GetWellKnownOauthProtectedResourceResponses];
export type GetWellKnownOauthProtectedResourceMcpData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/.well-known/oauth-protected-resource/mcp';
};
export type GetWellKnownOauthProtectedResourceMcpErrors = {
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetWellKnownOauthProtectedResourceMcpError = GetWellKnownOauthProtectedResourceMcpErrors[keyof GetWellKnownOauthProtectedResourceMcpErrors];
export type GetWellKnownOauthProtectedResourceMcpResponses = {
    /**
     * Success
     */
    200: ProtectedResource;
};
export type GetWellKnownOauthProtectedResourceMcpResponse = GetWellKnownOauthProtectedResourceMcpResponses[keyof GetWellKnownOauthProtectedResourceMcpResponses];
export type DeleteAuthSessionData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/auth/session';
};
export type DeleteAuthSessionErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type DeleteAuthSessionError = DeleteAuthSessionErrors[keyof DeleteAuthSessionErrors];
export type DeleteAuthSessionResponses = {
    /**
     * Success
     */
    200: Success;
};
export type DeleteAuthSessionResponse = DeleteAuthSessionResponses[keyof DeleteAuthSessionResponses];
export type GetAuthSessionData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/auth/session';
};
export type GetAuthSessionErrors = {
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetAuthSessionError = GetAuthSessionErrors[keyof GetAuthSessionErrors];
export type GetAuthSessionResponses = {
    /**
     * Success
     */
    200: SessionState;
};
export type GetAuthSessionResponse = GetAuthSessionResponses[keyof GetAuthSessionResponses];
export type PostAuthSessionData = {
    body?: SessionForm;
    path?: never;
    query?: never;
    url: '/auth/session';
};
export type PostAuthSessionErrors = {
    /**
     * `invalid_request`
     */
    400: Error & {
        code?: 'invalid_request';
    };
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `too_large`
     */
    413: Error & {
        code?: 'too_large';
    };
    /**
     * `unsupported_media_type`
     */
    415: Error & {
        code?: 'unsupported_media_type';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `provider_error`
     */
    502: Error & {
        code?: 'provider_error';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type PostAuthSessionError = PostAuthSessionErrors[keyof PostAuthSessionErrors];
export type PostAuthSessionResponses = {
    /**
     * After the form, a page that leads a browser to `return_to`
     */
    200: Success;
};
export type PostAuthSessionResponse = PostAuthSessionResponses[keyof PostAuthSessionResponses];
export type GetOperatorStatusData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/operator/status';
};
export type GetOperatorStatusErrors = {
    /**
     * `invalid_token`, `token_expired`
     */
    401: Error & {
        code?: 'invalid_token' | 'token_expired';
    };
    /**
     * `forbidden`
     */
    403: Error & {
        code?: 'forbidden';
    };
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetOperatorStatusError = GetOperatorStatusErrors[keyof GetOperatorStatusErrors];
export type GetOperatorStatusResponses = {
    /**
     * Success
     */
    200: OperatorStatus;
};
export type GetOperatorStatusResponse = GetOperatorStatusResponses[keyof GetOperatorStatusResponses];
export type GetTestData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/test';
};
export type GetTestErrors = {
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetTestError = GetTestErrors[keyof GetTestErrors];
export type GetTestResponses = {
    /**
     * Success
     */
    200: ServiceStatus;
};
export type GetTestResponse = GetTestResponses[keyof GetTestResponses];
export type GetHealthLiveData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/health/live';
};
export type GetHealthLiveErrors = {
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetHealthLiveError = GetHealthLiveErrors[keyof GetHealthLiveErrors];
export type GetHealthLiveResponses = {
    /**
     * Success
     */
    200: ProbeResult;
};
export type GetHealthLiveResponse = GetHealthLiveResponses[keyof GetHealthLiveResponses];
export type GetHealthReadyData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/health/ready';
};
export type GetHealthReadyErrors = {
    /**
     * `method_not_allowed`
     */
    405: Error & {
        code?: 'method_not_allowed';
    };
    /**
     * `rate_limited`
     */
    429: Error & {
        code?: 'rate_limited';
    };
    /**
     * `internal`
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * `unavailable`
     */
    503: Error & {
        code?: 'unavailable';
    };
};
export type GetHealthReadyError = GetHealthReadyErrors[keyof GetHealthReadyErrors];
export type GetHealthReadyResponses = {
    /**
     * Success
     */
    200: ProbeResult;
};
export type GetHealthReadyResponse = GetHealthReadyResponses[keyof GetHealthReadyResponses];

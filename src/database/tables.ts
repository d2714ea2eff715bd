/**
 * What every table is, in the order of the migrations: whose rows it has, how long they are kept, and what of them
 * is encrypted, exported and erased. Erasure, renewal of keys, export of a user, transfer of the database, sweep and the
 * tables of docs/operations.md follow from it; test/service/database/tables.test.ts compares it with the database.
 */
export interface Table {
  /** What a row is, for operators. */
  holds: string;
  /** The column with the id of the user whose row it is; undefined: rows have no user, or are found without their user. */
  user?: 'id' | 'user_id';
  /** How long a row is kept: for operators; with `since`, an interval of SQL. */
  kept: string;
  /** SQL of the time from which rows are kept, and of a further condition under which they expire. */
  since?: string;
  only?: string;
  /** SQL of further rows that have expired; each condition suffices. */
  expired?: readonly string[];
  /** Of a table with a partition for each month: the column that says in which a row is, and how rows expire. */
  months?: { by: string; rowsExpire: 'with their month' | 'one by one' };
  /**
   * How rows of a deleted user are deleted: with the user, by a foreign key; or afterwards in bounded steps, in the order of
   * an index after the user (`by`), without rows that others refer to (`unless`, SQL).
   */
  erased?: 'with the user' | { by: string; unless?: string };
  /** Columns that are encrypted with the user's key. */
  sealed?: readonly SealedColumn[];
  /** Columns in the user's export, by name; undefined: none. */
  exported?: ExportedTable;
  /** Columns that are not, where others are. */
  withheld?: readonly string[];
  /** Rows are of this database, and not copied to another one. */
  isLocal?: true;
}

export interface SealedColumn {
  column: string;
  /** SQL of the column name and row id that the values are bound to (see AssociatedData in crypto/envelope.ts); default: the name. */
  place?: string;
  rowId: string;
  /** If values were encrypted for another table: its name, and SQL of the row's id there. */
  sealedIn?: { table: string; rowId: string };
  /** Of tables of which a user may have very many rows: the columns that identify one, in the order of an index after the user. */
  key?: readonly string[];
  /** The value is a text; without: JSON. */
  isText?: true;
}

/** Type of an exported value; with `?`, it may be null. `end` is a time, or without end. */
type Type = 'uuid' | 'text' | 'time' | 'end' | 'count' | 'number' | 'boolean' | 'json' | 'texts' | 'uuids';
export type ExportedType = Type | `${Type}?`;

export interface ExportedTable {
  /** SQL: the newest rows first. */
  order: string;
  columns: Readonly<Record<string, ExportedType | readonly [ExportedType, string]>>;
  describe?: string;
}

const BY_ID = 'id::text';
const TOKENS = `'tokens/' || provider`;
/** How long text of others counts as read outside of conversations; an hour, and the time for which a process repeats no statement. */
export const TAINTED = '65 minutes';
const OUTSIDE_THREADS = `context not like 'thread:%'`;

const WITHOUT_END = 'for good';
const UNTIL_EXPIRY = 'until it expires';

export const TABLES = {
  key_canaries: {
    holds: 'a known value encrypted by each master key, and the secret of keyed hashes',
    kept: 'until the key is retired',
  },
  service_keys: { holds: 'keys of the service itself, wrapped by a master key', kept: WITHOUT_END },
  users: {
    holds: 'identity and verified address; time zone, language, name and quiet hours, if the user has said them',
    user: 'id',
    kept: 'until the user is deleted',
    exported: {
      order: 'id',
      columns: {
        id: 'uuid',
        issuer: 'text',
        subject: 'text',
        email: 'text?',
        time_zone: 'text?',
        language: 'text?',
        name: ['text?', 'What the user is called.'],
        quiet_from: ['text?', 'From when on nothing is told that can wait.'],
        quiet_to: 'text?',
        created_at: 'time',
        event_seq: 'count',
      },
    },
  },
  user_keys: {
    holds: 'the user’s key, wrapped by a master key',
    user: 'user_id',
    kept: 'until the user is deleted',
    erased: 'with the user',
    exported: { order: 'created_at desc', columns: { id: 'uuid', master_key_id: 'text', rewrapped: 'boolean', created_at: 'time' } },
    withheld: ['user_id', 'wrapped', 'hash_key'],
  },
  former_user_keys: {
    holds: 'the user’s key before its renewal; of what is not encrypted again, stored results live longest',
    user: 'user_id',
    since: 'replaced_at',
    kept: '25 hours',
    erased: 'with the user',
    exported: { order: 'replaced_at desc', columns: { id: 'uuid', master_key_id: 'text', replaced_at: 'time' } },
    withheld: ['user_id', 'wrapped'],
  },
  deleted_users: {
    holds: 'keyed hash of a deleted identity: its ID tokens from before are rejected',
    since: 'deleted_at',
    kept: '30 days',
    exported: {
      order: 'deleted_at desc',
      columns: { deleted_at: 'time', user_id: 'uuid' },
      describe: 'The last time a user with this identity was deleted; kept for 30 days.',
    },
    withheld: ['identity_hash'],
  },
  erasures: {
    holds: 'former ids of deleted users, and whether all of their rows are gone',
    user: 'user_id',
    since: 'deleted_at',
    kept: '30 days',
    only: 'clean_at is not null',
  },
  waitlist: {
    holds: 'addresses',
    kept: 'until deleted',
    exported: { order: 'created_at desc', columns: { email: 'text', created_at: 'time' }, describe: 'Entry of the verified address.' },
  },
  providers: { holds: 'names', kept: WITHOUT_END, isLocal: true },
  grants: {
    holds: 'tokens of a connected account, encrypted; its status',
    user: 'user_id',
    kept: 'until disconnected',
    erased: 'with the user',
    sealed: [{ column: 'tokens', place: TOKENS, rowId: BY_ID }],
    exported: {
      order: 'created_at desc',
      columns: {
        id: 'uuid',
        provider: 'text',
        subject: 'text',
        scopes: 'texts',
        status: 'text',
        version: 'count',
        expires_at: 'time?',
        lease_until: 'time?',
        refresh_failures: 'count',
        refresh_after: 'time?',
        created_at: 'time',
        updated_at: 'time',
      },
    },
    withheld: ['user_id', 'tokens'],
  },
  workspace_accounts: {
    holds: 'name, address and picture of a mailbox',
    user: 'user_id',
    kept: 'until disconnected',
    erased: 'with the user',
    exported: {
      order: 'connected_at desc',
      columns: { id: 'uuid', grant_id: 'uuid', email: 'text', name: 'text', picture: 'text', is_default: 'boolean', connected_at: 'time' },
    },
    withheld: ['user_id'],
  },
  bank_items: {
    holds: 'a bank: name, names and last digits of its accounts, how far it was read',
    user: 'user_id',
    kept: 'until disconnected',
    erased: 'with the user',
    exported: {
      order: 'connected_at desc',
      columns: {
        id: 'uuid',
        grant_id: 'uuid',
        institution_id: 'text?',
        bank_name: 'text',
        accounts: 'json',
        connected_at: 'time',
        sync_state: 'json',
        warning: 'text?',
        expires_at: 'time?',
        new_accounts: 'boolean',
        update_mode_at: 'time?',
        checks: 'count',
        check_after: 'time',
      },
    },
    withheld: ['user_id'],
  },
  bank_webhooks: {
    holds: 'ids, times and codes of the aggregator’s events; longer than it retries a delivery',
    user: 'user_id',
    since: 'received_at',
    kept: '48 hours',
    erased: 'with the user',
    exported: {
      order: 'received_at desc',
      columns: {
        id: 'uuid',
        grant_id: 'uuid',
        item_id: 'text',
        event: 'text',
        details: 'json',
        received_at: 'time',
        queued_at: 'time?',
        handled_at: 'time?',
      },
    },
    withheld: ['user_id', 'digest'],
  },
  source_accounts: {
    holds: 'a connection to another MCP server: its source, address and name, when its tools were read',
    user: 'user_id',
    kept: 'until disconnected',
    erased: 'with the user',
    exported: {
      order: 'connected_at desc',
      columns: {
        id: 'uuid',
        grant_id: 'uuid',
        source: 'text',
        url: 'text',
        label: 'text',
        is_default: 'boolean',
        connected_at: 'time',
        tools_version: 'count',
        listed_at: 'time?',
        list_after: 'time',
        list_failures: 'count',
        list_error: 'text?',
        wanted_scopes: 'texts',
        used_at: 'time',
      },
    },
    withheld: ['user_id'],
  },
  source_tools: {
    holds: 'tools of such a server: the definition that may be called and the one that it lists, encrypted',
    user: 'user_id',
    kept: 'until disconnected',
    erased: 'with the user',
    sealed: [
      { column: 'approved', rowId: `account_id || ' ' || tool`, key: ['account_id', 'tool'] },
      { column: 'listed', rowId: `account_id || ' ' || tool`, key: ['account_id', 'tool'] },
    ],
    exported: {
      order: 'account_id, tool',
      columns: {
        account_id: 'uuid',
        tool: 'text',
        approved: ['json?', 'The definition that may be called.'],
        approved_hash: 'text?',
        listed: ['json?', 'The definition that the server listed last.'],
        listed_hash: 'text?',
        problem: 'text?',
        is_blocked: 'boolean',
        changed_at: 'time',
      },
      describe: 'Tools of the connected MCP servers.',
    },
    withheld: ['user_id', 'source'],
  },
  source_clients: {
    holds: 'this service’s registrations at the authorization servers of sources, encrypted with a key of the service',
    kept: WITHOUT_END,
  },
  browser_bindings: {
    holds: 'browsers in which the user connects accounts: a hash of the cookie',
    user: 'user_id',
    kept: UNTIL_EXPIRY,
    expired: ['expires_at <= now()'],
    erased: 'with the user',
    exported: { order: 'expires_at desc', columns: { expires_at: 'time' } },
    withheld: ['user_id', 'secret_hash'],
  },
  oauth_flows: {
    holds: 'connections in progress: times, outcome, hashes of their secrets',
    user: 'user_id',
    since: 'created_at',
    kept: '24 hours',
    only: 'pending is null',
    erased: 'with the user',
    sealed: [
      { column: 'secrets', rowId: BY_ID },
      { column: 'pending', rowId: BY_ID },
    ],
    exported: {
      order: 'created_at desc',
      columns: {
        id: 'uuid',
        source: 'text?',
        account_id: 'uuid?',
        email: 'text?',
        redirect_uri: 'text',
        created_at: 'time',
        ticket_expires_at: 'time?',
        opened_at: 'time?',
        expires_at: 'time',
        consumed_at: 'time?',
        outcome: 'json',
        finished_at: 'time?',
        pending_subject: 'text?',
        confirmation_expires_at: 'time?',
      },
    },
    withheld: ['user_id', 'ticket_hash', 'state_hash', 'secrets', 'pending', 'confirmation_hash'],
  },
  ended_grants: {
    holds: 'tokens disconnected while the key service was unavailable, encrypted',
    user: 'user_id',
    kept: 'until it is available',
    erased: 'with the user',
    sealed: [{ column: 'tokens', place: TOKENS, rowId: BY_ID, sealedIn: { table: 'grants', rowId: 'grant_id::text' } }],
    exported: {
      order: 'ended_at desc',
      columns: { id: 'uuid', grant_id: 'uuid', provider: 'text', subject: 'text', ended_at: 'time', try_after: 'time' },
      describe: 'Disconnected accounts whose tokens could not be revoked yet.',
    },
    withheld: ['user_id', 'tokens'],
  },
  revocations: {
    holds: 'tokens that are being revoked, encrypted with a key of the row, without their user',
    kept: 'until the provider confirms; after 7 days without the token',
  },
  provider_subjects: {
    holds: 'keyed hash of an account that is being revoked',
    kept: 'a day',
    expired: [`coalesce(revoked_at, '-infinity') < now() - interval '1 day' and coalesce(revoking_until, '-infinity') < now()`],
  },
  web_sessions: {
    holds: 'browsers signed in at Steward’s own pages: times, a hash of the cookie',
    user: 'user_id',
    kept: UNTIL_EXPIRY,
    expired: ['expires_at <= now()'],
    erased: 'with the user',
    exported: {
      order: 'created_at desc',
      columns: { auth_time: 'time?', created_at: 'time', expires_at: 'time' },
      describe: 'Browsers that are signed in at the service’s own pages, without their secrets.',
    },
    withheld: ['user_id', 'secret_hash', 'callback_hash'],
  },
  client_grants: {
    holds: 'personal access tokens and connected apps: name, limits, times, a hash of the token',
    user: 'user_id',
    since: 'least(expires_at, revoked_at)',
    kept: '30 days',
    only: `kind <> 'external'`,
    erased: 'with the user',
    exported: {
      order: 'created_at desc',
      columns: {
        id: 'uuid',
        kind: 'text',
        name: 'text',
        last_four: 'text?',
        oauth_client_id: 'text?',
        redirect_host: 'text?',
        actions: 'texts',
        access: 'text',
        account_ids: 'uuids?',
        except_account_ids: 'uuids',
        created_at: 'time',
        expires_at: 'time',
        last_used_at: 'time?',
        last_action: 'text?',
        revoked_at: 'time?',
      },
      describe: 'Personal access tokens and connected OAuth clients, without the tokens.',
    },
    withheld: ['user_id', 'token_hash'],
  },
  oauth_entries: {
    holds: 'codes and tokens of connected apps, by their hashes, encrypted; registered apps',
    kept: 'until it expires; used refresh tokens 30 days',
    // Until then, using a refresh token again ends its grant.
    expired: [
      'expires_at <= now()',
      `consumed_at < now() - interval '30 days'`,
      `grant_hash in (select token_hash from client_grants where kind = 'oauth' and revoked_at is not null)`,
    ],
    erased: 'with the user',
  },
  approvals: {
    holds:
      'questions to the user; arguments, encrypted, until the decision; results of approved calls, encrypted, for an hour, of runs of automations a day',
    user: 'user_id',
    since: 'expires_at',
    kept: '24 hours',
    erased: { by: 'created_at' },
    sealed: [
      { column: 'arguments', place: `'arguments/' || revision`, rowId: BY_ID },
      { column: 'outcome', rowId: BY_ID },
    ],
    exported: {
      order: 'created_at desc, id',
      columns: {
        id: 'uuid',
        account_id: 'uuid',
        action: 'text',
        idempotency_key: 'text?',
        revision: 'text',
        surface: ['text', 'Where the call came from.'],
        client_id: 'uuid?',
        thread_id: ['text?', 'The conversation whose assistant asked.'],
        status: 'text',
        created_at: 'time',
        expires_at: 'time',
        decided_at: 'time?',
        edited: ['boolean', 'The user changed the arguments.'],
        end_reason: 'text?',
        parked: ['boolean', 'A run of an automation asked.'],
        outcome_until: 'time?',
        repeats_until: 'time?',
        outcome: ['json', 'The result or the error of the approved call, for an hour; of a run of an automation, for a day.'],
        arguments: ['json', 'The request while it waits for a decision: account, summary and arguments.'],
      },
    },
    withheld: ['user_id', 'arguments_hash', 'input_hash', 'asked_arguments_hash', 'asked_input_hash', 'items'],
  },
  allowances: {
    holds: 'what users allow in advance: action, account, times; recipients or folder, encrypted',
    user: 'user_id',
    kept: UNTIL_EXPIRY,
    expired: ['expires_at < now()'],
    erased: 'with the user',
    sealed: [{ column: 'covered', rowId: BY_ID }],
    exported: {
      order: 'created_at desc, id',
      columns: {
        id: 'uuid',
        account_id: 'uuid',
        grant_id: 'uuid',
        subject: 'text',
        action: 'text',
        revision: 'text',
        asker: ['text', '`user`, `assistant` or `client`.'],
        client_id: 'uuid?',
        covered: ['json', 'The recipients, or the folder with its readers; the arguments.'],
        created_at: 'time',
        expires_at: 'time',
      },
      describe: 'Calls that the user has allowed in advance.',
    },
    withheld: ['user_id'],
  },
  read_only_accounts: {
    holds: 'accounts without changes: for all, or for one client',
    user: 'user_id',
    kept: 'until the user ends it or disconnects the account',
    erased: 'with the user',
    exported: {
      order: 'since desc, id',
      columns: { id: 'uuid', account_id: 'uuid', grant_id: 'uuid', client_id: 'uuid?', since: 'time' },
      describe: 'Accounts on which the user permits no changes: to anything, or to one client.',
    },
    withheld: ['user_id'],
  },
  idempotency_keys: {
    holds: 'results of changes, encrypted',
    user: 'user_id',
    since: 'created_at',
    kept: '24 hours',
    erased: { by: 'action, key' },
    sealed: [{ column: 'answer', rowId: `asker || ' ' || action || ' ' || key` }],
    exported: {
      order: 'created_at desc, action, key, asker',
      columns: {
        asker: ['text', 'Who called: `user`, `client:` or `thread:` with its id.'],
        account_id: 'text?',
        action: 'text',
        key: 'text',
        call_id: 'text',
        status: 'text',
        running_until: 'time',
        created_at: 'time',
        answer: ['json', 'The result of the call.'],
      },
    },
    withheld: ['user_id', 'arguments_hash'],
  },
  contexts: {
    holds: 'until when text of others, or a bank’s data, counts as read by a user’s front ends, a client or in a conversation',
    user: 'user_id',
    kept: 'an hour after the read; of a conversation, as long as it exists',
    expired: ['tainted_until < now()'],
    erased: { by: 'name' },
    exported: {
      order: 'tainted_until desc, name',
      columns: { name: 'text', tainted_until: 'end', financial_until: 'end?' },
      describe:
        'Until when text of others, and a bank’s data, counts as read: by the user’s own front ends (`user`), by one client, or in one conversation (`infinity`).',
    },
    withheld: ['user_id'],
  },
  context_origins: {
    holds: 'the accounts whose data was read by a user’s front ends, a client or in a conversation',
    user: 'user_id',
    kept: 'an hour after the read; of a conversation, as long as it exists',
    expired: ['until < now()'],
    erased: { by: 'name, account_id' },
    exported: {
      order: 'until desc, name, account_id',
      columns: { name: 'text', account_id: 'uuid', until: 'end' },
      describe: 'Until when the data of an account counts as read, as in contexts.',
    },
    withheld: ['user_id'],
  },
  context_reads: {
    holds: 'senders and titles of what was read, encrypted; of a conversation, as long as it exists',
    user: 'user_id',
    since: 'read_at',
    kept: TAINTED,
    only: OUTSIDE_THREADS,
    erased: { by: 'read_at' },
    sealed: [{ column: 'sources', rowId: BY_ID }],
  },
  written_items: {
    holds: 'hashes of the ids of items that were written, and the labels of their contexts',
    user: 'user_id',
    kept: 'a day; labelled ones 30 days',
    expired: ['until < now()'],
    erased: { by: 'item' },
  },
  audit_log: {
    holds:
      'each call: surface, where the user decided on it, action, account, a keyed hash of its arguments, decision, outcome; not its content. Each decision on a tool of a source, with the hash of its definition',
    user: 'user_id',
    since: 'at',
    kept: '400 days',
    months: { by: 'at', rowsExpire: 'with their month' },
    erased: { by: 'id' },
    withheld: ['user_id', 'id', 'arguments_hash'],
  },
  events: {
    holds: 'ids and states that were sent to front ends',
    user: 'user_id',
    since: 'created_at',
    kept: '24 hours',
    months: { by: 'created_at', rowsExpire: 'one by one' },
    erased: { by: 'seq' },
    exported: {
      order: 'seq desc',
      columns: { seq: 'count', event: 'text', data: 'json', client_id: 'uuid?', created_at: 'time' },
    },
    withheld: ['user_id', 'id'],
  },
  threads: {
    holds: 'conversations with the assistant: titles and summaries, encrypted',
    user: 'user_id',
    kept: 'until the user deletes it',
    erased: { by: 'id', unless: 'exists (select 1 from messages m where m.user_id = threads.user_id and m.thread_id = threads.id)' },
    sealed: [
      { column: 'title', rowId: 'id', isText: true },
      { column: 'summary', rowId: 'id' },
    ],
    exported: {
      order: 'updated_at desc, id desc',
      columns: {
        id: 'text',
        title: 'text?',
        summary: ['json', 'What a model is told in place of the messages up to a position: text and position.'],
        created_at: 'time',
        updated_at: 'time',
        automation_id: ['uuid?', 'The automation whose run it is.'],
      },
      describe: 'Conversations with the assistant.',
    },
    withheld: ['user_id'],
  },
  thread_grants: {
    holds: 'what a run of an automation may do in its conversation: actions, accounts',
    user: 'user_id',
    kept: 'until the conversation is deleted',
    erased: { by: 'thread_id' },
    exported: {
      order: 'thread_id',
      columns: { thread_id: 'text', actions: 'texts', account_ids: 'uuids?', when_asked: ['text', '`wait`, `skip` or `draft`.'] },
      describe: 'What runs of automations may do in their conversations.',
    },
    withheld: ['user_id'],
  },
  messages: {
    holds: 'what was said and what calls returned, encrypted',
    user: 'user_id',
    kept: 'until the user deletes the conversation',
    erased: { by: 'thread_id, position' },
    sealed: [{ column: 'content', rowId: `thread_id || ' ' || id`, key: ['thread_id', 'id'] }],
    exported: {
      order: 'created_at desc, thread_id, position desc',
      columns: {
        thread_id: 'text',
        id: 'text',
        position: 'count',
        role: 'text',
        content: ['json', 'Parts and metadata.'],
        created_at: 'time',
      },
    },
    withheld: ['user_id'],
  },
  runs: {
    holds: 'answers of the assistant: model, status, times, tokens and costs; not their content',
    user: 'user_id',
    since: 'ended_at',
    // Longer than the month whose budgets and costs an operator may ask about.
    kept: '40 days',
    only: `status <> 'running'`,
    erased: { by: 'started_at', unless: 'exists (select 1 from run_chunks c where c.user_id = runs.user_id and c.run_id = runs.id)' },
    exported: {
      order: 'started_at desc',
      columns: {
        id: 'uuid',
        thread_id: 'text',
        message_id: 'text',
        model: 'text',
        status: 'text',
        error: 'text?',
        cancel_requested: 'boolean',
        lease_until: 'time',
        steps: 'count',
        input_tokens: 'count',
        output_tokens: 'count',
        cost: 'number',
        started_at: 'time',
        ended_at: 'time?',
      },
      describe: 'Answers of a model; kept for 40 days.',
    },
    withheld: ['user_id'],
  },
  run_chunks: {
    holds: 'pieces in which answers were sent, encrypted, for readers that come back',
    user: 'user_id',
    since: 'created_at',
    kept: '10 minutes',
    only: `exists (select 1 from runs r where r.user_id = run_chunks.user_id and r.id = run_chunks.run_id and r.ended_at < now() - interval '10 minutes')`,
    erased: { by: 'run_id, sequence' },
    sealed: [{ column: 'chunks', rowId: `run_id || ' ' || sequence`, key: ['run_id', 'sequence'] }],
  },
  automations: {
    holds: 'schedules and events that start runs: what they do, encrypted',
    user: 'user_id',
    kept: 'until the user deletes it',
    erased: 'with the user',
    sealed: [{ column: 'definition', rowId: BY_ID }],
    exported: {
      order: 'created_at desc, id',
      columns: {
        id: 'uuid',
        state: 'text',
        paused_by: 'text?',
        kind: 'text',
        account_id: 'uuid?',
        named_accounts: 'uuids',
        definition: ['json', 'Name, trigger, what it does and what it may do.'],
        due_at: 'time?',
        planning_until: 'time?',
        revision: 'count',
        failures: 'count',
        created_at: 'time',
        updated_at: 'time',
        watched_since: 'time?',
      },
      describe: 'What runs without the user.',
    },
    withheld: ['user_id'],
  },
  automation_runs: {
    holds: 'each time that an automation had to run, and how it ended; ids of what happened, encrypted',
    user: 'user_id',
    kept: '30 days, with its conversation; of an automation at most 200 that have ended',
    erased: 'with the user',
    sealed: [{ column: 'event', rowId: BY_ID }],
    exported: {
      order: 'planned_at desc, id',
      columns: {
        id: 'uuid',
        automation_id: 'uuid',
        occurrence: ['text', 'The planned time, or what happened.'],
        status: 'text',
        thread_id: ['text?', 'Its conversation.'],
        event: ['json?', 'Ids of what happened.'],
        is_tainted: ['boolean', 'Text of others started it.'],
        is_financial: ['boolean', 'Data of a bank started it.'],
        planned_at: 'time',
        late: ['boolean', 'It stands for times that were missed.'],
        act_at: 'time?',
        attempts: 'count',
        started_at: 'time?',
        ended_at: 'time?',
        error: 'text?',
      },
      describe: 'Runs of automations; kept for 30 days.',
    },
    withheld: ['user_id'],
  },
  push_keys: { holds: 'the key by which push services know this service, encrypted with a service key', kept: WITHOUT_END },
  notification_channels: {
    holds: 'where users are told something: mail addresses, push subscriptions, webhooks with their secrets, encrypted',
    user: 'user_id',
    kept: 'until the user deletes it',
    erased: 'with the user',
    sealed: [{ column: 'destination', rowId: BY_ID }],
    exported: {
      order: 'created_at desc, id',
      columns: {
        id: 'uuid',
        type: 'text',
        destination: ['json', 'An address, a push subscription, or a webhook with its secret.'],
        kinds: 'texts',
        summaries: 'boolean',
        state: 'text',
        error: 'text?',
        failures: 'count',
        confirmation_until: 'time?',
        confirmed_at: 'time?',
        last_sent_at: 'time?',
        due_at: 'time?',
        held_until: 'time?',
        created_at: 'time',
      },
      describe: 'Where the user is told something.',
    },
    withheld: ['user_id', 'confirmation_hash'],
  },
  notification_deliveries: {
    holds: 'what is told, or waits to be: ids and states',
    user: 'user_id',
    since: 'ended_at',
    kept: '7 days',
    erased: 'with the user',
    exported: {
      order: 'happened_at desc, id',
      columns: {
        id: 'uuid',
        channel_id: 'uuid',
        key: 'text',
        kind: 'text',
        type: 'text',
        data: 'json',
        automation_id: 'uuid?',
        path: ['text', 'Of the page about it.'],
        happened_at: 'time',
        until: ['time?', 'It isn’t told after this time.'],
        message_id: 'uuid?',
        outcome: 'text?',
        ended_at: 'time?',
      },
      describe: 'What was told, or waits to be; kept for 7 days.',
    },
    withheld: ['user_id'],
  },
  notification_confirmations: {
    holds: 'keyed hashes of mail addresses to which a link was sent, so that nobody receives many',
    user: 'user_id',
    since: 'sent_at',
    kept: '24 hours',
    erased: 'with the user',
  },
  watches: {
    holds: 'how far accounts were read for what starts automations: the provider’s cursors, times, codes of errors',
    user: 'user_id',
    kept: 'while an active automation needs it',
    erased: 'with the user',
    exported: {
      order: 'account_id, kind',
      columns: {
        account_id: 'uuid',
        grant_id: 'uuid',
        kind: 'text',
        position: 'json?',
        revision: 'count',
        look_after: 'time',
        looked_at: 'time?',
        failures: 'count',
        error: 'text?',
      },
      describe: 'Accounts that are read for what starts automations, and how far.',
    },
    withheld: ['user_id'],
  },
  replicas: { holds: 'running processes and the ids of their master keys', since: 'seen_at', kept: '10 minutes', isLocal: true },
  integrations_reloads: { holds: 'how often the integrations file was reloaded', kept: WITHOUT_END, isLocal: true },
} as const satisfies Record<string, Table>;

export type TableName = keyof typeof TABLES;

/** All tables by name, in the order of their foreign keys. */
export function allTables(): [TableName, Table][] {
  return Object.entries(TABLES) as [TableName, Table][];
}

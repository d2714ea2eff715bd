// The client that the conformance suite starts for a scenario: it has the desk connect to the suite's server and call its tools.
import type { Order } from './source-desk.ts';

/** Tools of the suite's servers. */
const TOOLS = [
  ...['add_numbers', 'test_client_elicitation_defaults', 'test_reconnection', 'test-tool', 'test_headers', 'test_custom_headers'],
  ...['valid_tool', 'lookup_user', 'test_mrtr_echo_state', 'test_mrtr_no_state', 'test_mrtr_no_result_type', 'test_mrtr_unrelated'],
];
const ADDED = { name: 'add_numbers', arguments: { a: 5, b: 3 } };

const url = process.argv.at(-1) ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const calls =
  context.toolCalls ??
  TOOLS.map((name) => (name === ADDED.name ? ADDED : { name, arguments: name === 'valid_tool' ? { region: 'eu' } : {} }));
const client = context.client_id === undefined ? {} : { client: { id: context.client_id, secret: context.client_secret } };
const order: Order = { url, tools: TOOLS, calls, ...client };
const response = await fetch(process.env.SOURCE_DESK ?? '', { method: 'POST', body: JSON.stringify(order) });
const report = await response.text();
console.log(report);
process.exit('error' in JSON.parse(report) ? 1 : 0);

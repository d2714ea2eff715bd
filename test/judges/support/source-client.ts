// The client that the conformance suite starts for a scenario: it has the desk connect to the suite's server and call its tools.
import type { Order } from './source-desk.ts';

/** Tools of the suite's servers. */
const TOOLS = `add_numbers test_client_elicitation_defaults test_reconnection test-tool test_headers test_custom_headers
  test_custom_headers_null valid_tool lookup_user test_mrtr_echo_state test_mrtr_no_state test_mrtr_no_result_type
  test_mrtr_unrelated`.split(/\s+/);
const ADDED = { name: 'add_numbers', arguments: { a: 5, b: 3 } };

const [desk = '', url = ''] = process.argv.slice(2);
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const calls: Order['calls'] =
  context.toolCalls ??
  TOOLS.map((name) => (name === ADDED.name ? ADDED : { name, arguments: name === 'valid_tool' ? { region: 'eu' } : {} }));
const client = context.client_id === undefined ? {} : { client: { id: context.client_id, secret: context.client_secret } };
const auth = process.env.MCP_CONFORMANCE_SCENARIO?.startsWith('auth/') === true ? 'oauth' : 'none';
const order: Order = { url, auth, tools: TOOLS, calls, ...client };
const response = await fetch(desk, { method: 'POST', body: JSON.stringify(order) });
const report = await response.text();
console.log(report);
process.exit('error' in JSON.parse(report) ? 1 : 0);

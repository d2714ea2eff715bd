import { bankDescriptor } from './bank/bank-descriptor.ts';
import { mcpDescriptor } from './mcp/mcp-descriptor.ts';
import type { ProviderDescriptor } from './shared/provider.ts';
import { stewardDescriptor } from './steward/steward-descriptor.ts';
import { workspaceDescriptor } from './workspace/workspace-descriptor.ts';

/** All providers, in the order in which they are listed. */
export const PROVIDERS = [workspaceDescriptor, bankDescriptor, mcpDescriptor, stewardDescriptor] as const;

type Described = (typeof PROVIDERS)[number];

/** What a built-in action works with, by the name of its provider. */
export type Sessions = {
  [Descriptor in Described as Descriptor['name']]: Descriptor extends ProviderDescriptor<infer _S, infer _C, infer Session>
    ? Session
    : never;
};

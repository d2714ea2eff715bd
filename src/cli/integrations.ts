import { integrationsFile, namedSecret, readEnvironmentFile } from '../config/load-config.ts';
import { AppError, StartError } from '../errors.ts';
import { createIntegrationsFormat } from '../integrations/compile-catalog.ts';
import { compileIntegrations, readBounded } from '../integrations/file/integrations-file.ts';
import { PROVIDERS } from '../providers/providers.ts';
import { startupError } from '../startup/startup-error.ts';
import { command, FAILED, runProgram } from './command.ts';

const check = command('check', 'Checks an integrations file and prints its problems. Needs neither the service nor its database.')
  .argument('[file]', 'file to check (default: INTEGRATIONS_FILE)')
  .action(async (given: string | undefined) => {
    try {
      readEnvironmentFile();
      const file = given ?? integrationsFile();
      const { agents, actions, revision } = await compileIntegrations(
        await readBounded(file),
        file,
        createIntegrationsFormat(PROVIDERS, namedSecret),
      );
      console.log(`${file} is valid: ${count(agents.size, 'agent')}, ${count(actions.size, 'action')}, revision ${revision}`);
    } catch (error) {
      console.error(startupError(error, 'The file could not be checked.'));
      process.exitCode = FAILED;
    }
  });

const discover = command(
  'discover',
  'Reads the tools of an MCP server, and prints what the integrations file may say of them. A server that wants a sign-in is opened in a browser.',
)
  .argument('<url>', 'address of the server')
  .option('--header <name=VARIABLE>', 'send this header, with the value of a variable of the environment')
  .action(async (url: string, { header }: { header?: string }) => {
    try {
      readEnvironmentFile();
      if (!URL.canParse(url)) throw new StartError(`${url} is not an address`);
      const { discoverTools } = await import('./discover-tools.ts');
      const proposal = await discoverTools(url, header === undefined ? undefined : givenHeader(header), (address) =>
        console.error(`Open this address in a browser on this machine, and sign in:\n\n${address}\n`),
      );
      console.log(proposal);
    } catch (error) {
      console.error(error instanceof AppError ? error.message : startupError(error, 'The tools could not be read.'));
      process.exitCode = FAILED;
    }
  });

/** @throws StartError */
function givenHeader(option: string): { name: string; value: string } {
  const [, name = '', variable = ''] = /^([\w-]{1,100})=(\w{1,100})$/.exec(option) ?? [];
  const found = name === '' ? undefined : namedSecret(variable);
  if (found === undefined)
    throw new StartError('--header takes the name of a header and that of a variable: --header Authorization=TICKETS_KEY');
  if (found === 'taken' || found.value === undefined)
    throw new StartError(`there is no variable ${variable} in the environment for the header`);
  return { name, value: found.value };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

await runProgram('integrations', 'Checks integrations files, and proposes parts of them.', [check, discover]);

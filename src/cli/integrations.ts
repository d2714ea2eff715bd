import { integrationsFile, namedSecret, readEnvironmentFile } from '../config/load-config.ts';
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

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

await runProgram('integrations', 'Checks integrations files.', [check]);

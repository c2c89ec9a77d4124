import { loadProcessEnvironment } from '@factmill/config';
import type { Command } from 'commander';
import type { Finding } from './doctor/finding.ts';
import { print } from './with-database.ts';

/** `factmill doctor`: looks at every part of an installation and says what helps; 1 when something does not work. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('look at every part of an installation, and say what helps where something is wrong')
    .option('--json', 'print the findings as JSON')
    .action(async ({ json }: { json?: true }, command: Command) => {
      const { examineInstallation } = await import('./doctor/examine-installation.ts');
      const warn = (line: string) => process.stderr.write(`factmill: ${line}\n`);
      const { url } = command.optsWithGlobals<{ url?: string }>();
      const findings = await examineInstallation(url, loadProcessEnvironment(warn));
      const isWell = findings.every(({ state }) => state !== 'failed');
      if (json) print(JSON.stringify({ ok: isWell, findings }, null, 2));
      else findings.forEach(show);
      if (!isWell) process.exitCode = 1;
    });
}

const STATE_WIDTH = 9;

function show({ part, state, found, advice }: Finding): void {
  print(`${state.padEnd(STATE_WIDTH)}${part}: ${found}`);
  if (advice !== undefined) print(`${' '.repeat(STATE_WIDTH)}→ ${advice}`);
}

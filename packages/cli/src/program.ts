import { VERSION } from '@factmill/runtime';
import { Command } from 'commander';
import { addAuditCommand } from './audit-command.ts';
import { addBackfillCommand } from './backfill-command.ts';
import { addBackupCommands } from './backup-commands.ts';
import { addCalibrateCommand } from './calibrate-command.ts';
import { addClearCommand } from './clear-command.ts';
import { addCompressCommands } from './compress-commands.ts';
import { addConfigCommands } from './config-commands.ts';
import { addDoctorCommand } from './doctor-command.ts';
import { addExportCommand } from './export-command.ts';
import { addImportCommands } from './import-commands.ts';
import { addKeyCommands } from './key-commands.ts';
import { addMcpCommand } from './mcp-command.ts';
import { addMigrateCommand } from './migrate-command.ts';
import { addModelsCommand } from './models-command.ts';
import { addReembedCommand } from './reembed-command.ts';
import { addReplayCommands } from './replay-commands.ts';
import { addTenantCommands } from './tenant-commands.ts';
import { addUsageCommand } from './usage-command.ts';
import { addUserCommands } from './user-commands.ts';
import { addVaultCommands } from './vault-commands.ts';

/**
 * The `factmill` command. It works by the API of a running instance, or on the Postgres of DATABASE_URL; find-target.ts
 * says which. Every start loads all commands, so what is large and only one of them needs is loaded by its action.
 */
export function createProgram(): Command {
  const program = new Command('factmill')
    .description('Operator commands of Factmill')
    .version(VERSION)
    .option(
      '--url <url>',
      'gateway to work by, with the API key in FACTMILL_API_KEY; without it FACTMILL_URL, DATABASE_URL, url of factmill config, or the instance that runs on DATA_DIR',
    );
  addMigrateCommand(program);
  addDoctorCommand(program);
  addBackupCommands(program);
  addKeyCommands(program);
  addUserCommands(program);
  addTenantCommands(program);
  addUsageCommand(program);
  addConfigCommands(program);
  addAuditCommand(program);
  addCalibrateCommand(program);
  addClearCommand(program);
  addCompressCommands(program);
  addBackfillCommand(program);
  addReplayCommands(program);
  addReembedCommand(program);
  addModelsCommand(program);
  addVaultCommands(program);
  addImportCommands(program);
  addExportCommand(program);
  addMcpCommand(program);
  return program;
}

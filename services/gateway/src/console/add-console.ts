import { AppError } from '@factmill/errors';
import { VERSION } from '@factmill/runtime';
import type { Express, RequestHandler } from 'express';
import type { RouteDeps } from '../route-deps.ts';
import { consoleFiles } from './console-files.ts';
import { consoleSessionRoutes } from './console-session-routes.ts';
import { startPage } from './start-page.ts';

type ConsoleDeps = RouteDeps &
  Readonly<{
    /** Takes a session as well as a key. */
    authenticateSession: RequestHandler;
    describe: () => Readonly<Record<string, unknown>>;
    /** Undefined: that of the console's package. */
    folder: string | undefined;
  }>;

/** Adds the start page, and the console with its sessions unless CONSOLE is off. */
export function addConsole(app: Express, deps: ConsoleDeps): void {
  const hasConsole = deps.config.console.isEnabled;
  app.use(startPage({ ...deps, version: VERSION, hasConsole, database: deps.allTenants }));
  if (!hasConsole) {
    app.use('/console', () => {
      throw new AppError('not_found', 'The console is off here (CONSOLE=false).');
    });
    return;
  }
  app.use('/console/session', consoleSessionRoutes(deps));
  app.use('/console', consoleFiles(deps.folder));
}

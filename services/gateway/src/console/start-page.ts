import { isPermitted } from '@factmill/auth';
import { readLedgerStatistics, type Sql } from '@factmill/database';
import { asStrictPage } from '@factmill/http';
import { type RequestHandler, type Response, Router } from 'express';
import { orNobody, signedIn } from './or-nobody.ts';

export type StartPageDeps = Readonly<{
  version: string;
  /** What `/health` says to everybody: how it is set up. */
  describe: () => Readonly<Record<string, unknown>>;
  hasConsole: boolean;
  authenticateSession: RequestHandler;
  /** For all tenants at once. */
  database: Sql;
}>;

const STYLE = `:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
body { max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; }
dt { opacity: .7; } dd { margin: 0; overflow-wrap: anywhere; }
ul { padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; }
`;

/**
 * `/`: what this installation is, and where to go on. To everybody it says what `/health` says; how much work waits, of
 * all tenants together, only operators see, and everybody where no keys are needed.
 */
export function startPage(deps: StartPageDeps): Router {
  const router = Router();
  router.get('/start.css', (_request, response) => {
    response.type('text/css').send(STYLE);
  });
  // Browsers ask for it, and show an error where it is refused.
  router.get('/favicon.ico', (_request, response) => {
    response.status(204).end();
  });
  router.get('/', asStrictPage, orNobody(deps.authenticateSession), async (_request, response) => {
    response.type('html').send(page(deps, await backlogFor(response)));
  });

  async function backlogFor(response: Response): Promise<string | null> {
    const caller = signedIn(response);
    if (caller === null || !isPermitted(caller, 'operator')) return null;
    try {
      const { pending, active, oldestPendingSeconds } = await readLedgerStatistics(deps.database);
      const waits = pending === 0 ? '' : `, the oldest for ${Math.round(oldestPendingSeconds)} s`;
      return `${pending} wait${waits}; ${active} running`;
    } catch {
      // The page is there while the database is away, too.
      return 'not known: the database does not answer';
    }
  }

  return router;
}

/** The settings that the page shows, by their names in `/health`. */
const SHOWN: Readonly<Record<string, string>> = {
  storage: 'Storage',
  queue: 'Queue',
  extraction: 'Extraction',
  embedding: 'Embeddings',
  preset: 'Preset',
  auth: 'API keys',
};

function page({ version, describe, hasConsole }: StartPageDeps, backlog: string | null): string {
  const health = describe();
  const rows = Object.entries(SHOWN).map(([name, title]) => [title, String(health[name])] as const);
  const facts = [['Version', version], ...rows, ...(backlog === null ? [] : [['Extractions', backlog]])];
  const links = [
    ...(hasConsole ? [['/console', 'Console']] : []),
    ['/docs', 'API reference'],
    ['/admin/queues', 'Queues'],
    ['/health', 'Health'],
  ];
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Factmill</title>
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <link rel="stylesheet" href="/start.css">
</head>
<body>
  <h1>Factmill</h1>
  <p>The memory layer for applications that talk to language models.</p>
  <ul>${links.map(([to = '', title = '']) => `<li><a href="${to}">${title}</a></li>`).join('')}</ul>
  <dl>${facts.map(([title = '', value = '']) => `<dt>${title}</dt><dd>${escaped(value)}</dd>`).join('')}</dl>
</body>
</html>
`;
}

/** Names of models are text of whoever set them. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

import { loadProcessEnvironment, localUserOf } from '@factmill/config';
import {
  MEMORY_TOOL_DESCRIPTION,
  memoryToolArgumentsSchema,
  memoryToolResponseSchema,
  problemSchema,
} from '@factmill/contracts';
import { VERSION } from '@factmill/runtime';
import type { McpServer } from '@modelcontextprotocol/server';
import type { Command } from 'commander';
import { findTarget } from './find-target.ts';

type Options = Readonly<{ url: string; user: string | undefined; apiKey: string | undefined }>;

const DEFAULT_URL = 'http://127.0.0.1:8080';

/** After this long without an answer the gateway counts as gone. Its own limit for retrieval is shorter. */
const TIMEOUT_MS = 30_000;

const NO_USER =
  'Nothing was done, because nobody says whose memory this is. Start with --user, run factmill config set user_id, set FACTMILL_API_KEY to an API key with a user, or set DEFAULT_USER_ID of the gateway.';

/** `factmill mcp`: the memory tool for agents that start their tools as processes, over standard input and output. */
export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve the memory tool over stdio (Model Context Protocol), by way of a running gateway')
    .option(
      '--user <id>',
      'whose memory it is; without it user_id of factmill config, that of the API key in FACTMILL_API_KEY, or hostname:username',
    )
    .action(async (given: { user?: string }, command: Command) => {
      const options = optionsOf(given.user, command);
      const [{ McpServer }, { serveStdio }] = await Promise.all([
        import('@modelcontextprotocol/server'),
        import('@modelcontextprotocol/server/stdio'),
      ]);
      const handle = serveStdio(() =>
        withMemoryTool(new McpServer({ name: 'factmill', version: VERSION }), options),
      );
      await new Promise<void>((resolve) => {
        process.stdin.once('close', () => resolve());
        for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
      });
      await handle.close();
    });
}

/** As `findTarget`, but never the database: the tool speaks to a gateway. */
function optionsOf(told: string | undefined, command: Command): Options {
  const environment = loadProcessEnvironment();
  const { url } = command.optsWithGlobals<{ url?: string }>();
  const { DATABASE_URL: _, ...others } = environment;
  const target = findTarget(url, others);
  const found =
    target?.kind === 'api' ? target : { url: DEFAULT_URL, apiKey: environment['FACTMILL_API_KEY'] };
  const hasKey = (environment['FACTMILL_API_KEY'] ?? '') !== '';
  const user = localUserOf(environment, { told, hasKey });
  return { url: found.url, apiKey: found.apiKey, user };
}

function withMemoryTool(server: McpServer, options: Options): McpServer {
  server.registerTool(
    'memory',
    { description: MEMORY_TOOL_DESCRIPTION, inputSchema: memoryToolArgumentsSchema },
    async (call) => {
      const { text, isError } = await callGateway(options, call);
      return { content: [{ type: 'text', text }], isError };
    },
  );
  return server;
}

async function callGateway(
  { url, user, apiKey }: Options,
  call: object,
): Promise<{ text: string; isError: boolean }> {
  let response: Response;
  try {
    response = await fetch(new URL('/v1/tools/memory', url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ ...call, user_id: user }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch {
    return { text: 'Factmill does not answer; is it running, and is --url right?', isError: true };
  }
  const text = await response.text();
  if (response.ok) {
    const isSkipped = memoryToolResponseSchema.safeParse(parse(text)).data?.skipped !== undefined;
    return isSkipped ? { text: NO_USER, isError: true } : { text, isError: false };
  }
  const problem = problemSchema.safeParse(parse(text));
  return {
    text: problem.success ? problem.data.detail : `Factmill answered ${response.status}.`,
    isError: true,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

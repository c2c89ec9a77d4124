import {
  MEMORY_TOOL_DESCRIPTION,
  memoryToolArgumentsSchema,
  memoryToolRequestSchema,
} from '@factmill/contracts';
import { isAppError } from '@factmill/errors';
import { validate } from '@factmill/http';
import { VERSION } from '@factmill/runtime';
import type { Logger } from '@factmill/telemetry';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { requirePermission } from '@factmill/auth';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { AsyncLocalStorage } from 'node:async_hooks';
import { type RequestHandler, Router } from 'express';
import type { MemoryTool, ToolCaller } from './memory-tool.ts';
import { callerOf } from './tool-routes.ts';

/** Names the user when neither the key nor the configuration does. */
const USER_HEADER = 'x-user-id';

const NO_USER =
  'Nothing was done, because nobody says whose memory this is. Add the header X-User-Id to the MCP connection, use an API key with a user, or set DEFAULT_USER_ID.';

type McpCall = Readonly<{ caller: ToolCaller; userId: string | undefined }>;

/**
 * `/mcp`: the memory tool for agents that speak the Model Context Protocol over streamable HTTP. Requests are
 * stateless, so any gateway can answer any of them.
 */
export function mcpRoutes(deps: Readonly<{ tool: MemoryTool; logger: Logger }>): Router {
  const calls = new AsyncLocalStorage<McpCall>();
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'factmill', version: VERSION });
      server.registerTool(
        'memory',
        { description: MEMORY_TOOL_DESCRIPTION, inputSchema: memoryToolArgumentsSchema },
        (given) => answer(given, calls.getStore()),
      );
      return server;
    },
    { onerror: (error) => deps.logger.debug({ err: error }, 'mcp request refused') },
  );
  const handle = toNodeHandler(handler);

  async function answer(given: object, call: McpCall | undefined) {
    try {
      if (call === undefined) throw new Error('a tool call without its request');
      const request = validate(memoryToolRequestSchema, { ...given, user_id: call.userId });
      const result = await deps.tool(request, call.caller);
      // Agents treat any answer without an error as success.
      if (result.skipped !== undefined) return failed(NO_USER);
      return { content: [{ type: 'text' as const, text: JSON.stringify(result) }] };
    } catch (error) {
      if (!isAppError(error) || error.kind === 'bug') {
        deps.logger.error({ err: error }, 'unexpected error of the memory tool');
        return failed('Something went wrong on our side; nothing was changed.');
      }
      return failed(error.message);
    }
  }

  const serve: RequestHandler = async (request, response) => {
    const userId = request.header(USER_HEADER);
    await calls.run({ caller: callerOf(request, response), userId }, () =>
      handle(request, response, request.body),
    );
  };
  const router = Router();
  // As with the tool over REST, saving and forgetting also need memory.write.
  router.post('/', requirePermission('memory.read'), serve);
  return router;
}

function failed(text: string) {
  return { content: [{ type: 'text' as const, text }], isError: true };
}

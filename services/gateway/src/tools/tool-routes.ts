import { principalOf, requirePermission } from '@factmill/auth';
import {
  MEMORY_TOOL_DESCRIPTION,
  memoryToolArgumentsSchema,
  memoryToolRequestSchema,
} from '@factmill/contracts';
import { localsOf, validate } from '@factmill/http';
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import { actorOf } from '../actor.ts';
import type { MemoryTool, ToolCaller } from './memory-tool.ts';

const { $schema: _dialect, ...parameters } = z.toJSONSchema(memoryToolArgumentsSchema, { io: 'input' });

/** The tool's definition for `tools` of a chat API. */
const DEFINITION = {
  type: 'function',
  function: { name: 'memory', description: MEMORY_TOOL_DESCRIPTION, parameters },
};

/** `/v1/tools/memory`: the function schema and its calls. */
export function toolRoutes(tool: MemoryTool): Router {
  const router = Router();
  // Saving and forgetting also need memory.write; the tool checks that.
  const read = requirePermission('memory.read');
  router.get('/memory', read, (_request, response) => {
    response.json(DEFINITION);
  });
  router.post('/memory', read, async (request, response) => {
    const call = validate(memoryToolRequestSchema, request.body);
    localsOf(response).eventFields['action'] = call.action;
    response.json(await tool(call, callerOf(request, response)));
  });
  return router;
}

/** The caller, with its credentials for the retrieval service. */
export function callerOf(request: Request, response: Response): ToolCaller {
  const credentials = ['authorization', 'x-api-key'].flatMap((name) => {
    const value = request.header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    principal: principalOf(response),
    actor: actorOf(response),
    credentials: Object.fromEntries(credentials),
  };
}

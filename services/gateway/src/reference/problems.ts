import { type Json, referenceTo } from './schemas.ts';

/** Problem answers of an operation, by the content that they have. */
function problemsAs(content: Json): Json {
  return Object.fromEntries(
    Object.entries({
      400: 'The request is not valid: `errors` names the fields',
      401: 'An API key is needed',
      403: 'The API key does not permit it',
      404: 'There is nothing of that name here',
      409: 'It contradicts what is stored',
      429: 'Too many requests: see `Retry-After`',
      503: 'Temporarily unavailable: see `Retry-After`',
      default: 'What went wrong and what to do about it',
    }).map(([status, description]) => [status, { description, content }]),
  );
}

const problem = (name: 'OpenAiProblem' | 'Problem'): Json => ({
  'application/problem+json': { schema: referenceTo(name) },
});

/** Of most operations. */
export const PROBLEMS = problemsAs(problem('Problem'));

/** Of chats. */
export const CHAT_PROBLEMS = problemsAs({
  ...problem('OpenAiProblem'),
  'application/json': { schema: { description: 'An error of the upstream, as it came' } },
});

/** Of the Model Context Protocol. */
export const MCP_PROBLEMS = problemsAs({
  ...problem('Problem'),
  'application/json': { schema: { type: 'object', description: 'An error of JSON-RPC' } },
});

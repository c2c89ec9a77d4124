// The scripted model as a process of its own: PORT (0: any), DELAY_MS for every chat reply, or SCRIPT (a ModelScript as
// JSON) to begin with.
// Prints `listening on <url>` when it is ready; ends on SIGTERM or SIGINT.
import { createScriptedModel } from './scripted-model.ts';
import { parseModelScript, toReplyFunction } from './reply.ts';

const script = process.env['SCRIPT'];
const model = await createScriptedModel({
  port: Number(process.env['PORT'] ?? 0),
  reply: toReplyFunction(
    script === undefined
      ? { mode: 'ok', delayMs: Number(process.env['DELAY_MS'] ?? 0) }
      : parseModelScript(JSON.parse(script)),
  ),
});
process.stdout.write(`listening on ${model.url}\n`);
const stop = (): void => void model.close();
process.once('SIGTERM', stop);
process.once('SIGINT', stop);

import { z } from 'zod';
import { httpUrl } from './values.ts';

export const telemetry = {
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .meta({ description: 'Which lines are logged. `npm start` uses `warn` when it is not set.' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional().meta({
    description:
      'OpenTelemetry collector for traces and logs, for example `http://127.0.0.1:4318`. The other `OTEL_*` variables apply. Metrics are always at `/metrics`.',
    unset: 'nothing is sent',
  }),
};

export { createLogger } from './logger.ts';
export type { Logger } from './logger.ts';
export { createCounter, createDuration, createGauge, seriesOf } from './metrics.ts';
export { startTelemetry } from './start-telemetry.ts';
export type { Telemetry } from './start-telemetry.ts';
export { currentTraceparent, traceHeaders, withSpan } from './tracing.ts';
export type { SpanOptions } from './tracing.ts';

import { metrics } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startProcessMetrics } from './process-metrics.ts';

export type Telemetry = Readonly<{
  /** Answers a scrape in the Prometheus text format. */
  metricsHandler: (request: IncomingMessage, response: ServerResponse) => void;
  /** Sends what is buffered and stops. */
  close: () => Promise<void>;
}>;

export type TelemetryOptions = Readonly<{
  service: string;
  version: string;
  /** OTLP endpoint for traces and logs; null keeps them off. Metrics are always served for scraping. */
  otlpEndpoint: string | null;
}>;

/**
 * Registers OpenTelemetry for this process. Call once, before any code takes a tracer or a meter.
 *
 * The full SDK (sdk-node with its exporters) is loaded only with an endpoint: it costs about 40 MB, which an idle
 * service without a collector does not need.
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const metricsHandler = exporter.getMetricsRequestHandler.bind(exporter);
  const resource = resourceFromAttributes({
    'service.name': options.service,
    'service.version': options.version,
  });
  if (options.otlpEndpoint === null) {
    const provider = new MeterProvider({ resource, readers: [exporter] });
    metrics.setGlobalMeterProvider(provider);
    return running(() => provider.shutdown());
  }
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  // The standard OTEL_* variables configure traces and logs, including the endpoint.
  const sdk = new NodeSDK({ resource, metricReaders: [exporter] });
  sdk.start();
  return running(() => sdk.shutdown());

  function running(shutDown: () => Promise<void>): Telemetry {
    const processMetrics = startProcessMetrics();
    return {
      metricsHandler,
      close: () => {
        processMetrics.close();
        return shutDown();
      },
    };
  }
}

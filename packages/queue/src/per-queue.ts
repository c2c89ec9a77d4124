import type { QueueName } from '@factmill/contracts';

/** One value for each queue. A queue that is added to the contracts is a type error here until it is named. */
export function perQueue<T>(make: (queue: QueueName) => T): Readonly<Record<QueueName, T>> {
  return {
    extraction: make('extraction'),
    compression: make('compression'),
    maintenance: make('maintenance'),
  };
}

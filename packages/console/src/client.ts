import { createClient } from '@factmill/client';

/** The API of the gateway that serves this page; the cookie of the session says who asks. */
export const client = createClient({ baseUrl: window.location.origin, maxRetries: 1 });

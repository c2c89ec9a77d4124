import express, { type RequestHandler } from 'express';
import { extname } from 'node:path';

/** Encodings in the order of preference, and how the names of files in them end. */
const ENCODINGS = { br: '.br', gzip: '.gz' } as const;
const NAMES = Object.keys(ENCODINGS) as (keyof typeof ENCODINGS)[];

/**
 * Files of a folder whose names have a hash of what is in them, so that browsers keep them for good. Each goes out as the
 * compressed file beside it, if there is one that the browser takes.
 */
export function staticAssets(folder: string): RequestHandler[] {
  const options = { immutable: true, maxAge: '365d', index: false, redirect: false } as const;
  const encoded = Object.fromEntries(
    NAMES.map((name) => [
      name,
      express.static(folder, {
        ...options,
        setHeaders: (response, path) => {
          response.setHeader('Content-Encoding', name);
          response.type(extname(path.slice(0, -ENCODINGS[name].length)));
        },
      }),
    ]),
  );

  const compressed: RequestHandler = (request, response, next) => {
    response.vary('Accept-Encoding');
    const name = NAMES.find((one) => one === request.acceptsEncodings(...NAMES, 'identity'));
    const serve = name === undefined ? undefined : encoded[name];
    if (name === undefined || serve === undefined) {
      next();
      return;
    }
    const { url } = request;
    request.url = request.path + ENCODINGS[name];
    serve(request, response, (error?: unknown) => {
      request.url = url;
      next(error);
    });
  };
  return [compressed, express.static(folder, options)];
}

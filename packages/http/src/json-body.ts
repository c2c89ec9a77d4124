import { AppError } from '@factmill/errors';
import type { Request, RequestHandler } from 'express';

/**
 * Refuses a request whose `Content-Type` is not JSON, with or without a body: pages of another origin may send the
 * other types without asking. A body requires the header.
 *
 * @throws AppError `invalid_request`
 */
export const requireJson: RequestHandler = (request, _response, next) => {
  const type = request.headers['content-type'];
  const isFine = type === undefined ? !hasBody(request) : isJson(type);
  if (!isFine) {
    throw new AppError('invalid_request', 'The body has to be JSON: set Content-Type: application/json.');
  }
  next();
};

function hasBody(request: Request): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

function isJson(type: string): boolean {
  return type.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

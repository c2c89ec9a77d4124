/** The part of a pino logger this package writes to. */
export type DatabaseLogger = Readonly<{
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}>;

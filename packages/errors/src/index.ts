export { AppError, isAppError } from './app-error.ts';
export type { AppErrorOptions, ErrorKind, FieldProblem } from './app-error.ts';
export { ERROR_CODES, kindOfCode } from './codes.ts';
export type { ErrorCode } from './codes.ts';
export { explainRule } from './explain-rule.ts';

export { AppError, isAppError } from './app-error.ts';
export type { AppErrorOptions, FieldProblem } from './app-error.ts';
export { ERROR_CODES, kindOfCode } from './codes.ts';
export type { ErrorCode, ErrorKind } from './codes.ts';
export { explainRule } from './explain-rule.ts';

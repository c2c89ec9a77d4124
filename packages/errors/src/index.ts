export { AppError, isAppError } from './app-error.ts';
export type { FieldProblem } from './app-error.ts';
export { ERROR_CODES } from './codes.ts';
export type { ErrorCode, ErrorKind } from './codes.ts';
export { explainRule } from './explain-rule.ts';

import { AppError } from '@factmill/errors';

/** A variable that is not right, and its rule. Never a value. */
export type ConfigProblem = Readonly<{ name: string; rule: string }>;

/** The error that names all of them. */
export function invalidConfiguration(problems: readonly ConfigProblem[]): AppError {
  const list = problems.map((problem) => `${problem.name}: ${problem.rule}`).join('; ');
  return new AppError('config_invalid', `The configuration is not valid. ${list}.`, {
    fields: problems.map((problem) => ({ field: problem.name, message: problem.rule })),
  });
}

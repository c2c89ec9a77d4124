import { InvalidArgumentError } from 'commander';

/** Parses an option that is a whole number within bounds. */
export function parseWhole(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least || value > most) {
      throw new InvalidArgumentError(`give a whole number from ${least} to ${most}`);
    }
    return value;
  };
}

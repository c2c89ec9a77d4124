/**
 * An edit that breaks a feature, and the tests that must notice. `search` occurs once in `file`; `replace` stands in
 * its place while the tests run.
 * @typedef {object} Mutation
 * @property {string} name what is broken
 * @property {string} file
 * @property {string} search
 * @property {string} replace
 * @property {readonly string[]} tests
 */

/**
 * The text of a file with the mutation in it.
 * @param {string} text
 * @param {Pick<Mutation, 'name' | 'search' | 'replace'>} mutation
 */
export function mutate(text, { name, search, replace }) {
  const [before, after, ...others] = text.split(search);
  if (before === undefined || after === undefined || others.length > 0) {
    throw new Error(
      `What "${name}" searches for occurs ${text.split(search).length - 1} times; once is right.`,
    );
  }
  return `${before}${replace}${after}`;
}

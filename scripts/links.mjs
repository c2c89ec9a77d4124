// Links of the documentation: pure, over texts by path.
import { posix } from 'node:path';

/** @typedef {Readonly<{ path: string, target: string, reason: string }>} BrokenLink */

/**
 * Links of Markdown files that lead nowhere: to a file that does not exist, or to a heading that its file does not have.
 * Links to other sites are not followed.
 * @param {ReadonlyMap<string, string>} pages texts of Markdown files by path from the root, with `/`
 * @param {(path: string) => boolean} exists whether there is such a file or folder
 * @returns {BrokenLink[]}
 */
export function findBrokenLinks(pages, exists) {
  const anchors = new Map([...pages].map(([path, text]) => [path, anchorsOf(text)]));
  return [...pages].flatMap(([path, text]) =>
    linksOf(text).flatMap((target) => {
      const [file = '', anchor] = target.split('#');
      const linked = file === '' ? path : posix.join(posix.dirname(path), decodeURIComponent(file));
      if (!exists(linked)) return [{ path, target, reason: 'no such file' }];
      if (anchor === undefined || anchors.get(linked)?.has(anchor) === true) return [];
      return [{ path, target, reason: 'no such heading' }];
    }),
  );
}

/**
 * Pages that a source file names by their path from the root and that do not exist.
 * @param {string} path
 * @param {string} text
 * @param {(path: string) => boolean} exists
 * @returns {BrokenLink[]}
 */
export function findMissingPages(path, text, exists) {
  const named = new Set(
    [...text.matchAll(/(?<![\w/.])(?:docs|bench)\/[\w/-]+\.md\b/g)].map(([page]) => page),
  );
  return [...named]
    .filter((page) => !exists(page))
    .map((page) => ({ path, target: page, reason: 'no such page' }));
}

/**
 * Files that a page names as code by their path from the root and that do not exist. Paths with a placeholder are passed
 * over.
 * @param {string} path
 * @param {string} text
 * @param {(path: string) => boolean} exists
 * @returns {BrokenLink[]}
 */
export function findMissingFiles(path, text, exists) {
  const named = new Set(
    [...text.matchAll(/`((?:packages|services|test|bench|scripts|infra|docs)\/[\w./-]+)`/g)].map(
      ([, file = '']) => file,
    ),
  );
  return [...named]
    .filter((file) => !exists(file))
    .map((file) => ({ path, target: file, reason: 'no such file' }));
}

/**
 * The anchors that GitHub gives to the headings of a page.
 * @param {string} text
 * @returns {ReadonlySet<string>}
 */
function anchorsOf(text) {
  /** @type {Set<string>} */
  const anchors = new Set();
  for (const [, heading = ''] of withoutCode(text).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let repeated = 1; anchors.has(anchor); repeated += 1) anchor = `${slug}-${repeated}`;
    anchors.add(anchor);
  }
  return anchors;
}

/**
 * Targets of links and images, without those to other sites.
 * @param {string} text
 * @returns {string[]}
 */
function linksOf(text) {
  const prose = withoutCode(text).replaceAll(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)|\bsrc(?:set)?="([^"]+)"/g)];
  return targets
    .map(([, link, source]) => link ?? source ?? '')
    .filter((target) => !/^[a-z]+:/i.test(target));
}

/**
 * The text without fenced blocks of code, in which `#` begins a comment.
 * @param {string} text
 */
function withoutCode(text) {
  return text.replaceAll(/^ *(`{3,})[^\n]*\n[\s\S]*?^ *\1 *$/gm, '');
}

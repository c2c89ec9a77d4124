import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { capture } from '../capture.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export const CHART = join(ROOT, 'infra/helm/factmill');

/** Sets of values in `ci`, each of which is rendered to a file of that name in `infra/kubernetes`. */
export const EXAMPLES = ['minimal', 'production', 'keda', 'hook', 'text-embeddings-inference'];

/** @param {string} example */
export const valuesOf = (example) => join(CHART, 'ci', `${example}-values.yaml`);

/** @param {string} example */
export const manifestOf = (example) => join(ROOT, 'infra/kubernetes', `${example}.yaml`);

/**
 * What Helm makes of the chart.
 * @param {string} helm
 * @param {readonly string[]} args values and settings
 * @param {{ release?: string, namespace?: string, withTests?: boolean }} [options]
 */
export function render(helm, args, { release = 'factmill', namespace = 'factmill', withTests = false } = {}) {
  return capture(helm, [
    'template',
    release,
    CHART,
    `--namespace=${namespace}`,
    ...(withTests ? [] : ['--skip-tests']),
    ...args,
  ]);
}

/**
 * The text of a manifest of `infra/kubernetes`: what Helm makes of an example, and how to use it.
 * @param {string} helm
 * @param {string} example
 */
export async function renderManifest(helm, example) {
  const { code, stdout, stderr } = await render(helm, [`--values=${valuesOf(example)}`]);
  if (code !== 0) throw new Error(`helm template ${example}: ${stderr}`);
  return `# Made by npm run chart of infra/helm/factmill/ci/${example}-values.yaml; change that, not this file.
# kubectl create namespace factmill; kubectl apply --namespace=factmill --filename=${example}.yaml
${stdout.trimEnd()}
`;
}

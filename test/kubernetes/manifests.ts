import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { CHART, EXAMPLES, manifestOf, valuesOf } from '../../scripts/chart/render.mjs';

export { CHART, EXAMPLES };

/** The repository's root. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export type Labels = Readonly<Record<string, string>>;

type SecretKey = Readonly<{ name: string; key: string; optional?: boolean }>;

type EnvEntry = Readonly<{
  name: string;
  value?: string;
  valueFrom?: Readonly<{ secretKeyRef?: SecretKey }>;
}>;

export type Probe = Readonly<{
  httpGet: Readonly<{ path: string; port: string }>;
  periodSeconds: number;
  timeoutSeconds: number;
  failureThreshold: number;
}>;

export type Container = Readonly<{
  name: string;
  image: string;
  command: readonly string[];
  args: readonly string[];
  env?: readonly EnvEntry[];
  envFrom?: readonly Readonly<{ configMapRef: Readonly<{ name: string }> }>[];
  ports?: readonly Readonly<{ name: string; containerPort: number }>[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: Readonly<{ preStop: Readonly<{ exec: Readonly<{ command: readonly string[] }> }> }>;
  securityContext?: Readonly<Record<string, unknown>>;
}>;

export type PodSpec = Readonly<{
  containers: readonly Container[];
  terminationGracePeriodSeconds?: number;
  enableServiceLinks?: boolean;
  automountServiceAccountToken?: boolean;
  securityContext?: Readonly<Record<string, unknown>>;
  volumes?: readonly Readonly<Record<string, unknown>>[];
}>;

/** What the tests look at of an object; the whole of it is checked against Kubernetes' schemas. */
export type Manifest = Readonly<{
  apiVersion: string;
  kind: string;
  metadata: Readonly<{ name: string; labels: Labels; annotations?: Labels }>;
  spec?: Readonly<Record<string, unknown>>;
  data?: Readonly<Record<string, string>>;
  stringData?: Readonly<Record<string, string>>;
}>;

/** The objects of a file with several of them. */
export function parseManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text).flatMap((document): Manifest[] => {
    if (document.errors.length > 0) throw document.errors[0];
    const value = document.toJS() as Manifest | null;
    return value === null ? [] : [value];
  });
}

/** The objects of a file of `infra/kubernetes`. */
export async function loadManifests(example: string): Promise<readonly Manifest[]> {
  return parseManifests(await readFile(manifestOf(example), 'utf8'));
}

/** The values that an example was rendered with, without those of the chart. */
export async function loadValues(example: string): Promise<unknown> {
  return parse(await readFile(valuesOf(example), 'utf8'));
}

/** A file of the chart. */
export function readChartFile(path: string): Promise<string> {
  return readFile(join(CHART, path), 'utf8');
}

export function ofKind(manifests: readonly Manifest[], kind: string): readonly Manifest[] {
  return manifests.filter((manifest) => manifest.kind === kind);
}

/** The only object of this kind and name. */
export function findManifest(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = ofKind(manifests, kind).find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

/** The value at a path such as `spec.rules.0.http`, if it is there. */
export function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((parent, key) => (parent as Record<string, unknown> | undefined)?.[key], value);
}

/** The pod that an object starts, if it starts any. */
export function podOf(manifest: Manifest): PodSpec | undefined {
  return at(manifest, manifest.kind === 'Pod' ? 'spec' : 'spec.template.spec') as PodSpec | undefined;
}

/** The only container of a pod. */
export function containerOf(manifest: Manifest): Container {
  const containers = podOf(manifest)?.containers ?? [];
  const [container] = containers;
  if (container === undefined || containers.length > 1) throw new Error('expected one container');
  return container;
}

/**
 * The environment that Kubernetes gives to a container. What is in Secrets that are not part of the manifests comes from
 * `secrets`, by name and key; one that is optional may be absent there.
 */
export function environmentOf(
  manifests: readonly Manifest[],
  container: Container,
  secrets: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Record<string, string> {
  const fromMaps = (container.envFrom ?? []).map(
    ({ configMapRef }) => findManifest(manifests, 'ConfigMap', configMapRef.name).data ?? {},
  );
  const given = (container.env ?? []).flatMap(({ name, value, valueFrom }): [string, string][] => {
    const reference = valueFrom?.secretKeyRef;
    if (reference === undefined) return [[name, value ?? '']];
    const own = ofKind(manifests, 'Secret').find(({ metadata }) => metadata.name === reference.name);
    const found = own?.stringData?.[reference.key] ?? secrets[reference.name]?.[reference.key];
    if (found !== undefined) return [[name, found]];
    if (reference.optional === true) return [];
    throw new Error(`there is no Secret ${reference.name} with ${reference.key}`);
  });
  return Object.assign({}, ...fromMaps, Object.fromEntries(given)) as Record<string, string>;
}

import type { PodSpec } from './manifests.ts';

/** What of a pod the profile `restricted` of Kubernetes' pod security standards refuses. Empty: nothing. */
export function restrictedProblems(pod: PodSpec): string[] {
  const problems: string[] = [];
  const require = (isGood: boolean, problem: string) => {
    if (!isGood) problems.push(problem);
  };
  const { securityContext: whole = {}, volumes = [] } = pod;
  const raw = pod as Readonly<Record<string, unknown>>;
  for (const name of ['hostNetwork', 'hostPID', 'hostIPC']) require(raw[name] !== true, name);
  for (const volume of volumes) {
    const [type] = Object.keys(volume).filter((key) => key !== 'name');
    require(ALLOWED_VOLUMES.has(type ?? ''), `volume ${type}`);
  }
  require(whole['runAsNonRoot'] === true, 'runAsNonRoot');
  require(Number(whole['runAsUser']) > 0, 'runAsUser');
  require(SECCOMP.has(typeOf(whole['seccompProfile'])), 'seccompProfile');
  const others = [raw['initContainers'], raw['ephemeralContainers']].flat().filter(Boolean);
  require(others.length === 0, 'containers that are not checked here');
  for (const { name, securityContext: own = {}, ports = [] } of pod.containers) {
    require(own['privileged'] !== true, `${name}: privileged`);
    require(own['allowPrivilegeEscalation'] === false, `${name}: allowPrivilegeEscalation`);
    require(own['runAsNonRoot'] !== false && own['runAsUser'] !== 0, `${name}: root`);
    const { drop = [], add = [] } = (own['capabilities'] ?? {}) as Record<string, readonly string[]>;
    require(drop.includes('ALL'), `${name}: capabilities`);
    require(add.every((capability) => capability === 'NET_BIND_SERVICE'), `${name}: added capabilities`);
    require(ports.every((port) => !('hostPort' in port)), `${name}: hostPort`);
  }
  return problems;
}

const ALLOWED_VOLUMES = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);
const SECCOMP = new Set(['RuntimeDefault', 'Localhost']);

function typeOf(profile: unknown): string {
  return String((profile as { type?: unknown } | undefined)?.type);
}
